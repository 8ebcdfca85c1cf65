use super::SuiteSpec;
use super::native::{self, RunError};
use crate::evidence::{Operation, Plan};
use kemprof_core::recorder::{Counter, Key, Recorder};
use kemprof_core::{Any, Sampling, Suite};

/// What to run, and how much of it. Everything random comes from the seed, so that two runs of a job do the same work.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Job {
    /// The KEM.
    pub instance: String,
    /// The operation.
    pub operation: Operation,
    /// The symmetric functions.
    pub spec: SuiteSpec,
    /// How the matrix is sampled.
    pub sampling: Sampling,
    /// The seed of everything random.
    pub seed: Vec<u8>,
    /// How much to run.
    pub plan: Plan,
}

impl Job {
    /// The symmetric functions, seeded afresh.
    pub(crate) fn suite(&self) -> Suite<Any> {
        self.spec.build(&self.seed)
    }
}

/// A counter that is never asked for the time: permutations are counted without one.
#[derive(Clone, Copy, Debug)]
struct Untimed;

impl Counter for Untimed {
    fn read(&mut self) -> u64 {
        0
    }
}

/// Work that one trial should hold, in permutations: about 1 ms of SM3 or Keccak on a 2.5 GHz machine. Most trials then begin
/// and end between two interruptions by other programs, and one that does not is several times longer, which shows.
const TRIAL_PERMUTATIONS: u64 = 6_000;
/// What an operation does besides symmetric functions, at the least, in permutations' worth of time.
const OTHER_WORK: u64 = 100;
/// Operations of a trial at the least and at the most.
const ITERATIONS: std::ops::RangeInclusive<u64> = 1..=256;

/// How many operations make a trial long enough to be steady. It is counted in permutations, not timed, so that the answer
/// is the same on every machine and for every run.
///
/// # Errors
/// When the operation does not run.
pub fn default_iterations(job: &Job) -> Result<u32, RunError> {
    let recorder = native::observe(job, Recorder::new(Untimed))?;
    let calls = recorder.nodes().iter().filter(|node| matches!(node.key, Key::Call(_)));
    let permutations: u64 = calls.map(|node| node.permutations).sum();
    let iterations = TRIAL_PERMUTATIONS / (permutations + OTHER_WORK);
    Ok(iterations.clamp(*ITERATIONS.start(), *ITERATIONS.end()) as u32)
}
