use super::job::Job;
use super::native::{Clocks, RunError};
use super::repeat::{Repeat, Watch};
use super::session::{self, Session};
use crate::analysis::steadiness::{Moment, Observer};
use crate::evidence::Measured;
use kemprof_core::Counter;

/// The trials of several jobs, taken in turns: one of each, then the next of each, so that what disturbs the machine disturbs
/// all alike. Whatever else should meet the same conditions can run between two rounds.
pub struct Trials {
    sessions: Vec<(Box<dyn Session>, u32)>,
    round: u32,
    watch: Watch,
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
        let sessions = jobs.iter().map(open).collect::<Result<_, RunError>>()?;
        let blind = || Moment { core: 0, glance: None };
        Ok(Self { sessions, round: 0, watch: Watch::new(Box::new(blind), Repeat::NEVER) })
    }

    /// The same, watched by `observer` before and after each trial, and disturbed trials are run again.
    #[must_use]
    pub fn repeating(self, repeat: Repeat, observer: impl Observer + 'static) -> Self {
        Self { watch: Watch::new(Box::new(observer), repeat), ..self }
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
            session.trial(&mut self.watch)?;
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
        let repeat = self.watch.repeat;
        self.sessions.into_iter().map(|(session, _)| session.finish(repeat)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Operation, Plan};
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;
    use kemprof_core::recorder::Key;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A counter on which every reading is [`STEP`] after the one before, but for an interruption before one of them.
    #[derive(Clone, Default)]
    struct Interrupted {
        now: Rc<Cell<u64>>,
        /// Readings until then; 0 for never.
        readings: Rc<Cell<u64>>,
    }

    const STEP: u64 = 100;
    const ITERATIONS: u64 = 2;

    impl Counter for Interrupted {
        fn read(&mut self) -> u64 {
            let left = self.readings.get();
            self.readings.set(left.saturating_sub(1));
            self.now.set(self.now.get() + STEP + if left == 1 { 1_000_000_000 } else { 0 });
            self.now.get()
        }
    }

    /// What two rounds give when the counter is interrupted at the given reading of the second.
    fn measured(times: u32, reading: u64) -> Measured {
        let plan = Plan { trials: 2, iterations_per_trial: ITERATIONS as u32, warmups: 0 };
        let job = Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Keygen,
            spec: SuiteSpec::default(),
            sampling: Sampling::Lazy,
            seed: vec![1],
            plan,
        };
        let counter = Interrupted::default();
        let clocks = Clocks { counter: Some(counter.clone()), seconds: || 0.0 };
        let blind = || Moment { core: 0, glance: None };
        let repeat = Repeat { times, beyond: 1.5, beyond_alone: 1.5 };
        let mut trials = Trials::open(&[job], &clocks).expect("runs").repeating(repeat, blind);
        assert_eq!(trials.rounds(), 2);
        trials.round(|| ()).expect("runs");
        counter.readings.set(reading);
        trials.round(|| ()).expect("runs");
        trials.finish().expect("fits the table").remove(0)
    }

    fn operations(measured: &Measured) -> u64 {
        let phases = measured.nodes.iter().filter(|node| matches!(node.key, Key::Phase(_)) && node.parent() == 0);
        phases.map(|node| node.calls).sum()
    }

    #[test]
    fn a_disturbed_trial_is_run_again_and_does_not_count() {
        let undisturbed = measured(1, 0);
        assert_eq!(undisturbed.steadiness.repeated, 0);
        // A trial of one job has two readings without probes, and these within each operation with them.
        let within = (undisturbed.profiled_trials[1].ticks.expect("counts") / STEP - 1) / ITERATIONS;
        // The second reading ends the trial without probes; an operation with them is not counted, then the trial begins.
        for reading in [2, 2 + within + 1 + 5] {
            let measured = measured(1, reading);
            assert_eq!(measured.steadiness.repeated, 1, "{reading}");
            assert_eq!(
                (&measured.trials, &measured.profiled_trials),
                (&undisturbed.trials, &undisturbed.profiled_trials)
            );
            assert_eq!(operations(&measured), 2 * ITERATIONS);
            let ticks = |measured: &Measured| measured.nodes.iter().map(|node| node.ticks).collect::<Vec<_>>();
            assert_eq!(ticks(&measured), ticks(&undisturbed));
        }
    }

    #[test]
    fn unless_asked_for_nothing_is_run_again() {
        let measured = measured(0, 2);
        assert_eq!(measured.steadiness.repeated, 0);
        assert!(measured.trials[1].ticks > Some(1_000_000_000));
        assert_eq!(operations(&measured), 2 * ITERATIONS);
    }
}
