//! What commands that time something have in common: the counter and the core, what must hold before anything is timed, and
//! the record of what was.

use super::flamegraph::{Pictures, with_ending};
use crate::cli::{Failure, usage};
use crate::counter::{self, HostCounter, OpenError, Opened, Schedule};
use crate::environment::{self, Environment, PinError, Pinned, Tree};
use crate::evidence::{self, CounterRecord, Evidence, Measured, Memory, Subject};
use crate::kat::{self, Verdict};
use crate::runner::{self, Clocks, Job};
use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use kemprof_core::backend::Backend;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tracing::info;

/// A counter, on a core that the program stays on as long as this lives.
pub(super) struct Bench {
    opened: Opened,
    command: Vec<String>,
    pinned: Option<Pinned>,
    /// The counter's schedule and its failed readings when it was opened.
    began: (Option<Schedule>, u64),
}

impl Bench {
    /// Opens the counter of this name, pins the program to `cpu` or to the core that suits best, and sees that files can be
    /// written to `out`, before minutes are spent on what could then not be written down.
    pub(super) fn open(counter: &str, cpu: Option<usize>, out: &Path, command: &[String]) -> Result<Self, Failure> {
        let mut opened = counter::open(counter).map_err(|error| match error {
            OpenError::Unknown { .. } => usage(error),
            OpenError::Unavailable { .. } => error.into(),
        })?;
        let pinned = environment::pin_if_possible(&Tree::host(), cpu).map_err(|error| match error {
            PinError::NotAllowed { .. } => usage(error),
            _ => error.into(),
        })?;
        evidence::check_folder(out)?;
        let began = (opened.counter.schedule(), opened.counter.failed_reads());
        Ok(Self { opened, command: command.to_vec(), pinned, began })
    }

    /// The counter, unless nothing is to be counted.
    pub(super) fn counter(&self) -> Option<HostCounter> {
        self.opened.counter.counts().then(|| self.opened.counter.clone())
    }

    /// The counter with the seconds that go with it.
    pub(super) fn clocks(&self) -> Clocks<HostCounter, impl FnMut() -> f64 + Clone + 'static> {
        let epoch = Instant::now();
        Clocks { counter: self.counter(), seconds: move || epoch.elapsed().as_secs_f64() }
    }

    /// The machine as a run begins.
    pub(super) fn environment(&self) -> Environment {
        Environment::begin(&Tree::host(), self.command.clone(), self.pinned.is_some())
    }

    /// The record of what was measured on `machine`, whose run has ended.
    pub(super) fn evidence(
        &self,
        job: &Job,
        verdict: &Verdict,
        machine: &Environment,
        measured: Measured,
    ) -> Result<Evidence, Failure> {
        let subject = Subject {
            instance: job.instance.clone(),
            operation: job.operation,
            sampling: job.sampling.name().to_owned(),
            target: machine.build.target.clone(),
            runner: machine.system.emulator.clone().unwrap_or_else(|| "native".to_owned()),
            backends: job.spec.backends(),
            counter: counter_record(&self.opened, machine.is_real()),
            environment: serde_json::to_value(machine)?,
            warnings: environment::warnings(machine),
            kat: verdict.to_string(),
            kat_digest: match verdict {
                Verdict::Pass { digest } => Some(digest.clone()),
                Verdict::Fail(_) | Verdict::NotApplicable { .. } => None,
            },
            seed: job.seed.clone(),
            plan: job.plan.clone(),
            sizes: runner::sizes(&job.instance)?,
            memory: Memory::default(),
        };
        let measured = match self.fault() {
            Some(fault) => measured.without_ticks(&fault),
            None => measured,
        };
        Ok(Evidence::build(subject, measured))
    }

    /// What the system did to the counter since it was opened that makes its ticks worthless.
    fn fault(&self) -> Option<String> {
        let mut counter = self.opened.counter.clone();
        if counter.failed_reads() > self.began.1 {
            return Some("the kernel refused some of its readings during the run".to_owned());
        }
        let (before, after) = self.began.0.zip(counter.schedule())?;
        let Schedule { enabled_ns, running_ns } = after.since(before);
        let share = 100 * running_ns / enabled_ns.max(1);
        (running_ns < enabled_ns).then(|| {
            format!("other programs' events took turns with it, and it counted {share} % of the time only; stop them")
        })
    }
}

/// What must hold before anything is timed: every backend gives known answers, and so does the scheme over them.
pub(super) fn gate(job: &Job) -> Result<Verdict, Failure> {
    for part in runner::Part::ALL {
        job.spec.get(part).self_test().map_err(|error| anyhow!("{error}; it is not profiled"))?;
    }
    let verdict = kat::known_answer(&job.instance, &job.spec, job.sampling)?;
    if !verdict.allows_timing() {
        return Err(anyhow!("{} with {}: {verdict}; nothing was timed", job.instance, job.spec).into());
    }
    info!(instance = job.instance, spec = %job.spec, %verdict, "known answers");
    Ok(verdict)
}

/// A bar of so many trials, on standard error where that is a terminal.
pub(super) fn progress(name: String, trials: u64) -> ProgressBar {
    let bar = ProgressBar::new(trials);
    let style = "{prefix} {bar:30} trial {pos} of {len}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(name);
    bar
}

fn counter_record(opened: &Opened, real: bool) -> CounterRecord {
    let info = &opened.info;
    CounterRecord {
        name: info.name.clone(),
        unit: info.unit.word().to_owned(),
        hz: info.hz,
        resolution: info.resolution,
        overhead_per_call: None,
        meaningful: info.meaningful && real,
        unavailable: None,
        refused: opened.skipped.iter().map(|skipped| (skipped.name.to_owned(), skipped.reason.to_string())).collect(),
    }
}

/// Writes evidence, folded stacks and flamegraph, named after the job. Without ticks there is nothing to draw.
pub(super) fn write(job: &Job, record: &Evidence, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Job { instance, operation, spec, sampling, .. } = job;
    let stem = folder.join(format!("{instance}-{operation}-{spec}-{}", sampling.name()));
    let pictures = record.profiled.ticks.map(|_| Pictures::of(record)).transpose()?;
    let mut written = vec![with_ending(&stem, "json")];
    evidence::write(&written[0], record)?;
    if let Some(pictures) = pictures {
        written.extend(pictures.write(&stem)?);
    }
    Ok(written)
}
