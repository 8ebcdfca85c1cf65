//! Runs operations in this process.

use super::job::Job;
use super::operation::Bench;
use super::stack_depth;
use super::trials::Trials;
use crate::evidence::{Measured, Operation, Sizes};
use crate::guest;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Counter, Kem, Probe, Profiled};
use thiserror::Error;

/// Why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// No such KEM in this build.
    #[error("unknown instance {_0:?}; known: {}", kem::INSTANCES.join(", "))]
    UnknownInstance(String),
    /// The scheme refused its own output.
    #[error("{instance} {operation} failed: {source}")]
    Scheme {
        /// The KEM.
        instance: &'static str,
        /// The operation.
        operation: Operation,
        /// What it refused.
        source: kem::Error,
    },
    /// The recorder's fixed table was too small for what it saw.
    #[error("the recorder's table is full: {0} phases or calls were not recorded, so there is no result")]
    TableFull(u64),
    /// The kernel refused to count events.
    #[error("the events cannot be read: {_0}")]
    Events(#[source] std::io::Error),
}

/// What time is read from: the counter, and the seconds that go with it.
#[derive(Clone, Debug)]
pub struct Clocks<C, F> {
    /// Ticks; `None` to count calls only.
    pub counter: Option<C>,
    /// Seconds since any fixed moment.
    pub seconds: F,
}

/// Lengths of the keys, ciphertext and secret of `instance`.
///
/// # Errors
/// When there is no such instance.
pub fn sizes(instance: &str) -> Result<Sizes, RunError> {
    struct Lengths;
    impl Visitor for Lengths {
        type Output = Sizes;
        fn visit<K: Kem>(self) -> Sizes {
            Sizes {
                pk: K::lengths().public_key,
                sk: K::lengths().secret_key,
                ct: K::lengths().ciphertext,
                ss: K::lengths().shared_secret,
            }
        }
    }
    guest::visit(instance, Lengths).ok_or_else(|| RunError::UnknownInstance(instance.to_owned()))
}

/// Runs the [`Trials`] of all `jobs`. A trial is a run without probes, then one with them, of the same operations. `progress`
/// is told how many of how many trials are done.
///
/// # Errors
/// See [`RunError`].
pub fn measure<C: Counter + Clone + 'static, F: FnMut() -> f64 + Clone + 'static>(
    jobs: &[Job],
    clocks: &Clocks<C, F>,
    mut progress: impl FnMut(u64, u64),
) -> Result<Vec<Measured>, RunError> {
    let mut trials = Trials::open(jobs, clocks)?;
    let all = jobs.iter().map(|job| u64::from(job.plan.trials)).sum();
    let mut done = 0;
    for _ in 0..trials.rounds() {
        trials.round(|| {
            done += 1;
            progress(done, all);
        })?;
    }
    trials.finish()
}

/// Runs one operation of `job` under `probe`, untimed, and returns the probe.
///
/// # Errors
/// See [`RunError`].
pub fn observe<P: Probe>(job: &Job, probe: P) -> Result<P, RunError> {
    visit(job, Observe { job, probe })
}

/// One operation of `job`, without probes, that can be run again and again: keys and ciphertexts are ready.
pub type Prepared = Box<dyn FnMut() -> Result<(), RunError> + Send>;

/// Prepares one operation of `job`.
///
/// # Errors
/// See [`RunError`].
pub fn prepared(job: &Job) -> Result<Prepared, RunError> {
    visit(job, Prepare { job })
}

/// How many bytes of stack one operation of `job` takes at the most, as [`Memory::stack_peak`](crate::evidence::Memory::stack_peak)
/// has it; `None` where it is not known.
///
/// # Errors
/// See [`RunError`].
pub fn stack_peak(job: &Job) -> Result<Option<u64>, RunError> {
    visit(job, Deepest { job })
}

pub(super) fn visit<T, V: Visitor<Output = Result<T, RunError>>>(job: &Job, visitor: V) -> Result<T, RunError> {
    guest::visit(&job.instance, visitor).unwrap_or_else(|| Err(RunError::UnknownInstance(job.instance.clone())))
}

struct Observe<'a, P> {
    job: &'a Job,
    probe: P,
}

impl<P: Probe> Visitor for Observe<'_, P> {
    type Output = Result<P, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let mut bench = Bench::<K>::prepare(self.job)?;
        let mut profiled = Profiled::new(self.job.suite(), self.probe);
        bench.run(&mut profiled, 0)?;
        Ok(profiled.probe)
    }
}

struct Prepare<'a> {
    job: &'a Job,
}

impl Visitor for Prepare<'_> {
    type Output = Result<Prepared, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let mut bench = Bench::<K>::prepare(self.job)?;
        let job = self.job.clone();
        Ok(Box::new(move || bench.run(&mut job.suite(), 0)))
    }
}

struct Deepest<'a> {
    job: &'a Job,
}

impl Visitor for Deepest<'_> {
    type Output = Result<Option<u64>, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let mut bench = Bench::<K>::prepare(self.job)?;
        let mut suite = self.job.suite();
        let mut result = Ok(());
        let depth = stack_depth::of(|| result = bench.run(&mut suite, 0));
        result.map(|()| depth)
    }
}
