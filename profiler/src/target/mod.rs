//! Where core runs. Commands ask a [`Target`] for known answers and measurements, and make evidence of what it gives; what a
//! processor, a simulator or a board needs for that is its own affair.

pub mod cortex_m4;
mod error;
mod host;
mod name;

pub use error::TargetError;
pub use host::Host;
pub use name::{TargetName, UnknownTarget};

use crate::analysis::instructions::Instructions;
use crate::evidence::{CounterRecord, Measured, Memory, Plan};
use crate::kat::{KatRow, Verdict};
use crate::runner::{HashCall, Job, Sampled, SuiteSpec, Timeline, Timing};
use kemprof_core::{Any, Sampling};
use std::collections::BTreeMap;

/// Hears how many of how many steps are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Where core runs.
pub trait Target {
    /// Gets ready to measure, before time is spent on what could then not be measured. Measuring does it, where it was not done.
    ///
    /// # Errors
    /// What is missing, and what would help.
    fn open(&mut self) -> Result<(), TargetError>;

    /// Lets go of what [`open`](Self::open) got, for other processes, and says on which core it kept the program, if on one.
    fn close(&mut self) -> Option<usize> {
        None
    }

    /// Why a profile's trials are all of one process, where several would show nothing more. It is known once the target is open.
    fn only_process(&self) -> Option<&'static str>;

    /// Whether it is this machine, which runs other processes of this program as well.
    fn is_this_machine(&self) -> bool {
        false
    }

    /// The target triple of its code.
    fn triple(&self) -> &'static str;

    /// The backends that it has.
    fn backends(&self) -> Vec<Any>;

    /// How much to run of `job` for `purpose`, where `asked` does not say it.
    ///
    /// # Errors
    /// When the operation does not run.
    fn plan(&self, job: &Job, purpose: Purpose, asked: &Asked) -> Result<Plan, TargetError>;

    /// What must hold before anything is timed: every backend gives known answers, and so does the scheme over them.
    ///
    /// # Errors
    /// When a backend or the scheme gives a wrong answer, so that a verdict always allows timing.
    fn gate(&mut self, job: &Job) -> Result<Verdict, TargetError>;

    /// Runs the trials of one job.
    ///
    /// # Errors
    /// When it does not run.
    fn profile(&mut self, job: &Job, progress: Progress<'_>) -> Result<Run, TargetError>;

    /// Runs the trials of several jobs side by side, and the functions of each by themselves as the first one calls them.
    ///
    /// # Errors
    /// When one does not run.
    fn compare(&mut self, jobs: &[Job], progress: Progress<'_>) -> Result<Run, TargetError>;

    /// The calls of a backend that are worth timing by themselves: as schemes make them on this target.
    ///
    /// # Errors
    /// When an instance does not run over the backend.
    fn hash_calls(&self, backend: Any) -> Result<Vec<HashCall>, TargetError>;

    /// Times calls of functions by themselves; few samples of each where it is to be `quick`.
    ///
    /// # Errors
    /// When there is nothing to time them with.
    fn bench_hash(&mut self, calls: &[HashCall], quick: bool, progress: Progress<'_>) -> Result<HashRun, TargetError>;

    /// What the operations of one trial of a job spend, function by function; `None` where it was not asked for, or the target
    /// cannot see instructions.
    ///
    /// # Errors
    /// When it does not run.
    fn instructions(&mut self, job: &Job) -> Result<Option<Instructions>, TargetError>;

    /// One operation of a job as it went, without times unless it is to be `timed`; `None` where that cannot be seen.
    ///
    /// # Errors
    /// When it does not run.
    fn timeline(&mut self, job: &Job, timed: bool) -> Result<Option<Timeline>, TargetError> {
        let _ = (job, timed);
        Ok(None)
    }

    /// Holds an instance over a suite against its known answers.
    ///
    /// # Errors
    /// When they cannot be had; a wrong answer is a row.
    fn known_answers(&mut self, instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, TargetError>;
}

/// Where nothing is timed one operation without probes and one with them show all that there is: calls and bits.
const UNTIMED: Plan = Plan { trials: 1, iterations_per_trial: 1, warmups: 0 };

/// What trials are run for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// One job's breakdown.
    Profile,
    /// Several jobs side by side.
    Compare,
}

/// How much to run, as far as the command line says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Trials.
    pub trials: Option<u32>,
    /// Operations of a trial.
    pub iterations: Option<u32>,
    /// Operations before the first trial.
    pub warmups: Option<u32>,
}

impl Asked {
    /// What was asked for, and the rest as in `usual`.
    pub(crate) fn or(&self, usual: Plan) -> Plan {
        Plan {
            trials: self.trials.unwrap_or(usual.trials),
            iterations_per_trial: self.iterations.unwrap_or(usual.iterations_per_trial),
            warmups: self.warmups.unwrap_or(usual.warmups),
        }
    }
}

/// What was measured, and where.
#[derive(Clone, Debug)]
pub struct Run {
    /// Of each job, in their order.
    pub jobs: Vec<(Measured, Memory)>,
    /// What the calls of the first job cost by themselves, by call and then by job; empty where they were not timed.
    pub alone: Vec<Vec<Timing>>,
    /// Where.
    pub place: Place,
}

/// Where something was measured, as evidence describes it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The target triple of the code that ran.
    pub target: String,
    /// What ran it.
    pub runner: String,
    /// Where ticks come from.
    pub counter: CounterRecord,
    /// The machine, the build and the command.
    pub environment: serde_json::Value,
    /// Which code of each backend runs there, by the backend's name.
    pub code: BTreeMap<String, String>,
    /// What makes the figures less than they should be.
    pub warnings: Vec<String>,
}

/// Functions by themselves.
#[derive(Clone, Debug)]
pub struct HashRun {
    /// Of each call, in their order; `None` where the target has no room for its messages.
    pub sampled: Vec<Option<Sampled>>,
    /// What a tick is, for a heading.
    pub unit: String,
    /// Where.
    pub place: Place,
}
