//! Functions by themselves.

use super::place::Moment;
use super::{CortexM4, Head, M4Error, RunnerName, request};
use crate::analysis::stats::summarise;
use crate::evidence::Measured;
use crate::platform::{HashRun, PlatformError, Progress, Run};
use crate::runner::{self, Demand, HashCall, Job, SampleError, Sampled, Timing};
use crate::words::plural;
use kemprof_core::recorder::Key;
use kemprof_core::symmetric::Shape;
use kemprof_protocol::{AnswerError, ErrorKind, FunctionAnswer};

/// Samples of a function: the second and later ones find in caches, where there are any, what the first one left there.
const SAMPLES: u32 = 3;
/// The same where they shall be few.
const QUICK_SAMPLES: u32 = 2;
/// Calls of a sample.
const CALLS: u32 = 1;

impl CortexM4 {
    /// What the calls of the first job cost by themselves, over the functions of each: by demand, then by job.
    pub(super) fn alone(&mut self, jobs: &[Job], run: &Run) -> Result<Vec<Vec<Timing>>, PlatformError> {
        let Some(first) = jobs.first() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for demand in runner::demands(first)? {
            let mut timings = Vec::new();
            for (job, (measured, _)) in jobs.iter().zip(&run.jobs) {
                let demand = demand.over(job, |shape| lanes(measured, shape));
                let ticks = self.demanded(&demand, job)?;
                timings.push(Timing { demand, ticks });
            }
            all.push(timings);
        }
        Ok(all)
    }

    /// Ticks of all calls of one operation, of each sample.
    fn demanded(&mut self, demand: &Demand, job: &Job) -> Result<Vec<f64>, PlatformError> {
        let mut sums = vec![0.0; SAMPLES as usize];
        for (shape, times) in demand.batches() {
            let (_, answer) = self.function(request::function(&job.spec, shape, SAMPLES, CALLS))?;
            certain(&answer)?;
            for (sum, ticks) in sums.iter_mut().zip(inside(&answer)) {
                *sum += ticks * times as f64;
            }
        }
        Ok(sums)
    }

    /// Times calls of functions, each in a run of its own.
    pub(super) fn time_calls(
        &mut self,
        calls: &[HashCall],
        quick: bool,
        progress: Progress<'_>,
    ) -> Result<HashRun, PlatformError> {
        let began = Moment::now();
        let samples = if quick { QUICK_SAMPLES } else { SAMPLES };
        let mut sampled = Vec::new();
        let mut last: Option<Head> = None;
        for (done, call) in calls.iter().enumerate() {
            let spec = runner::SuiteSpec::of(call.backend);
            let answer = self.function(request::function(&spec, call.shape, samples, CALLS));
            progress(done as u64 + 1, calls.len() as u64);
            let Some((head, answer)) = roomy(answer)? else {
                sampled.push(None);
                continue;
            };
            if let Err(reason) = &head.counter {
                return Err(PlatformError::NoCounter(format!("dwt: {reason}")));
            }
            certain(&answer)?;
            let ticks = summarise(&inside(&answer)).ok_or(SampleError::NoSamples)?;
            sampled.push(Some(Sampled { iterations: CALLS.into(), ticks, quiet: None }));
            last = Some(head);
        }
        let head = last.ok_or(M4Error::OtherAnswer)?;
        let mut place = self.place(&head, began)?;
        let left_out = sampled.iter().filter(|sampled| sampled.is_none()).count();
        if left_out > 0 {
            let calls = plural(left_out, "call");
            place.warnings.push(format!("{calls} left out: the board has no room for the messages"));
        }
        Ok(HashRun { sampled, unit: format!("core cycles of a Cortex-M4 ({})", self.on(&head)), place })
    }

    /// `m4sim, 0 wait states`.
    fn on(&self, head: &Head) -> String {
        let states = match self.settings.runner {
            RunnerName::ProbeRs => head.clock.wait_states,
            RunnerName::M4sim | RunnerName::Qemu => self.settings.wait_states.unwrap_or(0),
        };
        format!("{}, {}", self.settings.runner, plural(states, "wait state"))
    }
}

/// How many messages the target runs together where the scheme calls so: its backends are not as wide as this machine's.
fn lanes(measured: &Measured, shape: &Shape) -> usize {
    let alike = measured
        .nodes
        .iter()
        .filter(|node| matches!(node.key, Key::Call(key) if key.role == shape.role && key.form == shape.form));
    alike.map(|node| node.lanes as usize).max().unwrap_or(1).max(1)
}

/// The same calls with one message each, as this processor runs them: it has no vectors. Calls that differed in width alone are one.
pub(super) fn one_by_one(calls: Vec<HashCall>) -> Vec<HashCall> {
    let mut all: Vec<HashCall> = Vec::new();
    for mut call in calls {
        call.shape.lanes = 1;
        let same =
            |other: &&mut HashCall| other.shape == call.shape && other.used_by.is_empty() == call.used_by.is_empty();
        match all.iter_mut().find(same) {
            Some(other) => other.used_by.extend(call.used_by),
            None => all.push(call),
        }
    }
    all
}

/// An answer; none where the request asks for more memory than the board has.
fn roomy<T>(answer: Result<T, M4Error>) -> Result<Option<T>, M4Error> {
    match answer {
        Err(M4Error::Answer { source: AnswerError::Device { kind: ErrorKind::Memory, .. }, .. }) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Fails where the counter may have wrapped unseen.
fn certain(answer: &FunctionAnswer) -> Result<(), PlatformError> {
    match &answer.wraps {
        Some(Err(doubt)) => Err(PlatformError::NoCounter(format!("dwt: {doubt}"))),
        Some(Ok(())) | None => Ok(()),
    }
}

/// Ticks of one call in each sample: of the function itself, as a profile has it, the probe's own cost subtracted.
fn inside(answer: &FunctionAnswer) -> Vec<f64> {
    let empty = answer.empty.map_or(0.0, |(interval, _)| interval);
    let samples = answer.samples.iter().filter_map(|sample| {
        let ticks = sample.inside? as f64 - empty * sample.intervals as f64;
        Some(ticks.max(0.0) / sample.calls as f64)
    });
    samples.collect()
}
