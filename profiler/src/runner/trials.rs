use super::job::Job;
use super::native::{Clocks, RunError};
use super::session::{self, Session};
use crate::evidence::Measured;
use kemprof_core::Counter;

/// The trials of several jobs, taken in turns: one of each, then the next of each, so that what disturbs the machine disturbs
/// all alike. Whatever else should meet the same conditions can run between two rounds.
pub struct Trials {
    sessions: Vec<(Box<dyn Session>, u32)>,
    round: u32,
}

impl Trials {
    /// Prepares keys and ciphertexts, calibrates the probe, and warms up, for every job.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn open<C: Counter + Clone + 'static, F: FnMut() -> f64 + Clone + 'static>(
        jobs: &[Job],
        clocks: &Clocks<C, F>,
    ) -> Result<Self, RunError> {
        let open = |job: &Job| Ok((session::open(job, clocks)?, job.plan.trials));
        Ok(Self { sessions: jobs.iter().map(open).collect::<Result<_, RunError>>()?, round: 0 })
    }

    /// How many rounds there are: as many as the longest job has trials.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.sessions.iter().map(|(_, trials)| *trials).max().unwrap_or(0)
    }

    /// Runs the next trial of every job that has one left: without probes, then with them. `done` hears of each.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn round(&mut self, mut done: impl FnMut()) -> Result<(), RunError> {
        let round = self.round;
        for (session, _) in self.sessions.iter_mut().filter(|(_, trials)| round < *trials) {
            session.trial()?;
            done();
        }
        self.round += 1;
        Ok(())
    }

    /// What was measured, in the order of the jobs.
    ///
    /// # Errors
    /// When a recorder's table was too small.
    pub fn finish(self) -> Result<Vec<Measured>, RunError> {
        self.sessions.into_iter().map(|(session, _)| session.finish()).collect()
    }
}
