//! Where core runs. Commands ask a [`Platform`] for known answers and records; what a processor, a simulator or a board needs for that is
//! its own affair.
//!
//! ```text
//! command ──▶ Platform ─┬─▶ Host, in this process ──▶ its own workers (trials in several processes, memory of one)
//!                       ├─▶ Remote ──▶ a worker: kemprof at the other end of a pipe (QEMU, ssh, valgrind), over a Host there
//!                       └─▶ CortexM4 ──▶ firmware on a simulator, an emulator or a board
//! ```

pub mod cortex_m4;
pub mod doctor;
mod error;
mod host;
mod name;
mod record;
mod remote;
pub(crate) mod worker;

pub use error::PlatformError;
pub use host::{CALLGRIND, Host, HostSettings, open as open_host};
pub use name::{TargetName, UnknownTarget};
pub use remote::{Counting, Emulator, Remote, RemoteError, SshHost};

use crate::analysis::comparison::FunctionCost;
use crate::analysis::instructions::Instructions;
use crate::evidence::{CounterRecord, Evidence, Measured, Memory, Plan};
use crate::kat::{KatRow, Verdict};
use crate::runner::{HashCall, Job, Sampled, SuiteSpec, Timeline};
use kemprof_core::{Any, Sampling};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Hears how many of how many steps are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Where core runs.
pub trait Platform {
    /// Gets ready to measure, before time is spent on what could then not be measured. Measuring does it, where it was not done.
    ///
    /// # Errors
    /// What is missing, and what would help.
    fn open(&mut self) -> Result<(), PlatformError>;

    /// Why a profile's trials are all of one process, where several would show nothing more. It is known once the platform is open.
    fn only_process(&self) -> Option<Cow<'static, str>>;

    /// The target triple of its code.
    fn triple(&self) -> Cow<'static, str>;

    /// The backends that it has.
    ///
    /// # Errors
    /// When it is not reached.
    fn backends(&mut self) -> Result<Vec<Any>, PlatformError>;

    /// How much to run of `job` for `purpose`, where `asked` does not say it.
    ///
    /// # Errors
    /// When the operation does not run.
    fn plan(&mut self, job: &Job, purpose: Purpose, asked: &Asked) -> Result<Plan, PlatformError>;

    /// What must hold before anything is timed: every backend gives known answers, and so does the scheme over them.
    ///
    /// # Errors
    /// When a backend or the scheme gives a wrong answer, so that a verdict always allows timing.
    fn gate(&mut self, job: &Job) -> Result<Verdict, PlatformError>;

    /// Runs the trials of one job, whose known answers came to `verdict`, in so many processes, and makes the record.
    ///
    /// # Errors
    /// When it does not run, or what was measured does not hold together.
    fn profile(
        &mut self,
        job: &Job,
        verdict: &Verdict,
        processes: u32,
        progress: Progress<'_>,
    ) -> Result<Evidence, PlatformError>;

    /// What one operation of a job takes of memory, where its record does not say it yet.
    ///
    /// # Errors
    /// When the operation does not run.
    fn memory(&mut self, job: &Job) -> Result<Option<Memory>, PlatformError> {
        let _ = job;
        Ok(None)
    }

    /// Runs the trials of several jobs, each with what its known answers came to, side by side, and the functions of each by themselves
    /// as the first one calls them.
    ///
    /// # Errors
    /// When one does not run, or what was measured does not hold together.
    fn compare(&mut self, jobs: &[(Job, Verdict)], progress: Progress<'_>) -> Result<Vec<Compared>, PlatformError>;

    /// The calls of a backend that are worth timing by themselves: as schemes make them on this platform.
    ///
    /// # Errors
    /// When an instance does not run over the backend.
    fn hash_calls(&mut self, backend: Any) -> Result<Vec<HashCall>, PlatformError>;

    /// Times calls of functions by themselves; few samples of each where it is to be `quick`.
    ///
    /// # Errors
    /// When there is nothing to time them with.
    fn bench_hash(&mut self, calls: &[HashCall], quick: bool, progress: Progress<'_>)
    -> Result<HashRun, PlatformError>;

    /// What the operations of one trial of a job spend, function by function; `None` where it was not asked for, or the platform
    /// cannot see instructions.
    ///
    /// # Errors
    /// When it does not run.
    fn instructions(&mut self, job: &Job) -> Result<Option<Instructions>, PlatformError>;

    /// One operation of a job as it went, without times unless it is to be `timed`; `None` where that cannot be seen.
    ///
    /// # Errors
    /// When it does not run.
    fn timeline(&mut self, job: &Job, timed: bool) -> Result<Option<Timeline>, PlatformError> {
        let _ = (job, timed);
        Ok(None)
    }

    /// Holds an instance over a suite against its known answers.
    ///
    /// # Errors
    /// When they cannot be had; a wrong answer is a row.
    fn known_answers(&mut self, instance: &str, spec: &SuiteSpec, sampling: Sampling) -> Result<KatRow, PlatformError>;
}

/// Where nothing is timed one operation without probes and one with them show all that there is: calls and bits.
const UNTIMED: Plan = Plan { trials: 1, iterations_per_trial: 1, warmups: 0 };

/// What trials are run for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Purpose {
    /// One job's breakdown.
    Profile,
    /// Several jobs side by side.
    Compare,
}

/// How much to run, as far as the command line says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
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

/// One of several jobs that were run side by side.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Compared {
    /// Its record.
    pub record: Evidence,
    /// What the calls of the first job cost by themselves over the functions of this one; empty where they were not timed.
    pub functions: Vec<FunctionCost>,
}

/// What was measured, and where.
#[derive(Clone, Debug)]
struct Run {
    /// Of each job, in their order.
    jobs: Vec<(Measured, Memory)>,
    /// Where.
    place: Place,
}

/// Where something was measured, as evidence describes it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HashRun {
    /// Of each call, in their order; `None` where the target has no room for its messages.
    pub sampled: Vec<Option<Sampled>>,
    /// What a tick is, for a heading.
    pub unit: String,
    /// Where.
    pub place: Place,
}
