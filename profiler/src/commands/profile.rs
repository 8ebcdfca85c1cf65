use super::flamegraph::{Pictures, with_ending};
use super::settings;
use crate::cli::{Failure, ProfileArgs, output, usage};
use crate::counter::{self, OpenError, Opened};
use crate::environment::{self, Environment, PinError, Tree};
use crate::evidence::{self, Backends, CounterRecord, Evidence, Memory, Operation, Subject};
use crate::kat::{self, Verdict};
use crate::render::table;
use crate::render::trace::TraceLayer;
use crate::runner::{self, Clocks, Job, SuiteSpec};
use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use kemprof_core::Drng;
use kemprof_core::backend::Backend;
use kemprof_core::trace::TracingProbe;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tracing::info;
use tracing_subscriber::layer::SubscriberExt;

/// Profiles operations of an instance: known answers, then trials without probes and with them; prints the breakdown and
/// writes the evidence with its pictures.
///
/// # Errors
/// Usage errors of the options; a failed self-test or known answer; a folder that cannot be written to.
pub fn profile(operations: &[Operation], args: &ProfileArgs, command: &[String]) -> Result<(), Failure> {
    let jobs: Vec<Job> =
        operations.iter().map(|&operation| settings::job(operation, args)).collect::<Result<_, _>>()?;
    let opened = counter::open(&args.counter).map_err(|error| match error {
        OpenError::Unknown { .. } => usage(error),
        OpenError::Unavailable { .. } => error.into(),
    })?;
    // For as long as this command runs.
    let _pinned = environment::pin(&Tree::host(), args.cpu).map_err(|error| match error {
        PinError::NotAllowed { .. } => usage(error),
        _ => error.into(),
    })?;
    // Before minutes are spent on what could then not be written down.
    evidence::check_folder(&args.out.out)?;
    let verdict = gate(&jobs[0])?;
    let mut records = Vec::new();
    for mut job in jobs {
        if job.plan.iterations_per_trial == 0 {
            job.plan.iterations_per_trial = runner::default_iterations(&job)?;
        }
        let record = run(&job, &opened, &verdict, command)?;
        let written = write(&record, &args.out.out)?;
        if !args.json {
            let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
            let gap = if records.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{}wrote {}\n", table::report(&record), names.join(", ")))?;
        }
        records.push(record);
    }
    if let Some(path) = &args.trace {
        trace(operations, args, path)?;
    }
    match records.as_slice() {
        _ if !args.json => Ok(()),
        [record] => output::print_json(record),
        records => output::print_json(&records),
    }
}

/// What must hold before anything is timed: every backend gives known answers, and so does the scheme over them.
fn gate(job: &Job) -> Result<Verdict, Failure> {
    for part in runner::Part::ALL {
        job.spec.get(part).self_test().map_err(|error| anyhow!("{error}; it is not profiled"))?;
    }
    let verdict = kat::known_answer(&job.instance, &job.spec, job.sampling)?;
    if !verdict.allows_timing() {
        return Err(anyhow!("{} with {}: {verdict}; nothing was timed", job.instance, job.spec).into());
    }
    info!(instance = job.instance, %verdict, "known answers");
    Ok(verdict)
}

/// Runs one operation's trials and makes the record.
fn run(job: &Job, opened: &Opened, verdict: &Verdict, command: &[String]) -> Result<Evidence, Failure> {
    let mut machine = Environment::begin(&Tree::host(), command.to_vec(), true);
    let bar = ProgressBar::new(job.plan.trials.into());
    let style = "{prefix} {bar:30} trial {pos} of {len}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(format!("{} {}", job.instance, job.operation));
    let epoch = Instant::now();
    let counter = opened.counter.counts().then(|| opened.counter.clone());
    let clocks = Clocks { counter, seconds: move || epoch.elapsed().as_secs_f64() };
    let measured = runner::measure(std::slice::from_ref(job), &clocks, |done, _| bar.set_position(done));
    bar.finish_and_clear();
    machine.end();
    let warnings = environment::warnings(&machine);
    let subject = Subject {
        instance: job.instance.clone(),
        operation: job.operation,
        sampling: job.sampling.name().to_owned(),
        target: machine.build.target.clone(),
        runner: "native".to_owned(),
        backends: backends(&job.spec),
        counter: counter_record(opened),
        environment: serde_json::to_value(&machine)?,
        warnings,
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
    let measured = measured?.pop().context("a job gives one measurement")?;
    Ok(Evidence::build(subject, measured))
}

fn backends(spec: &SuiteSpec) -> Backends {
    Backends {
        xof: spec.xof.name().to_owned(),
        prf: spec.prf.name().to_owned(),
        hash: spec.hash.name().to_owned(),
        drng: spec.drng.drng(&[]).name().to_owned(),
    }
}

fn counter_record(opened: &Opened) -> CounterRecord {
    let info = &opened.info;
    CounterRecord {
        name: info.name.clone(),
        unit: info.unit.word().to_owned(),
        hz: info.hz,
        resolution: info.resolution,
        overhead_per_call: None,
        meaningful: info.meaningful,
        unavailable: None,
        refused: opened.skipped.iter().map(|skipped| (skipped.name.to_owned(), skipped.reason.to_string())).collect(),
    }
}

/// Writes evidence, folded stacks and flamegraph, named after the run. Without ticks there is nothing to draw.
fn write(record: &Evidence, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = format!("{}-{}-{}-{}", record.instance, record.operation, record.suite(), record.sampling);
    let stem = folder.join(name);
    let pictures = record.profiled.ticks.map(|_| Pictures::of(record)).transpose()?;
    let mut written = vec![with_ending(&stem, "json")];
    evidence::write(&written[0], record)?;
    if let Some(pictures) = pictures {
        written.extend(pictures.write(&stem)?);
    }
    Ok(written)
}

/// Writes the spans of one run of each operation.
fn trace(operations: &[Operation], args: &ProfileArgs, path: &Path) -> Result<(), Failure> {
    let layer = TraceLayer::default();
    let subscriber = tracing_subscriber::registry().with(layer.clone());
    tracing::subscriber::with_default(subscriber, || {
        operations.iter().try_for_each(|&operation| {
            let job = settings::job(operation, args)?;
            runner::observe(&job, TracingProbe::new()).map(drop).map_err(Failure::from)
        })
    })?;
    evidence::write_text(path, &layer.to_json())?;
    if !args.json {
        output::print(&format!("wrote {} (open it at ui.perfetto.dev or chrome://tracing)\n", path.display()))?;
    }
    Ok(())
}
