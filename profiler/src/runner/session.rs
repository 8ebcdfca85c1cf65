use super::job::Job;
use super::native::{Clocks, RunError, visit};
use super::operation::Bench;
use super::stack;
use super::trials::Repeat;
use crate::evidence::{Measured, Trial};
use kemprof_core::kem::Visitor;
use kemprof_core::recorder::{Counter, Recorder, calibrate};
use kemprof_core::{Kem, ProbeCost, Profiled};
use std::hint::black_box;

/// One job between its trials, whatever its KEM.
pub(super) trait Session {
    /// Runs one trial without probes and one with them, each again while it is disturbed.
    fn trial(&mut self, repeat: Repeat) -> Result<(), RunError>;

    /// What was measured.
    fn finish(self: Box<Self>) -> Result<Measured, RunError>;
}

/// Prepares a job: keys and ciphertexts, the probe's cost, and the operations to warm up with.
pub(super) fn open<C: Counter + Clone + 'static, F: FnMut() -> f64 + Clone + 'static>(
    job: &Job,
    clocks: &Clocks<C, F>,
) -> Result<Box<dyn Session>, RunError> {
    match clocks.counter.clone() {
        Some(counter) => visit(job, Open { job, counter, counts: true, seconds: clocks.seconds.clone() }),
        None => visit(job, Open { job, counter: Stopped, counts: false, seconds: clocks.seconds.clone() }),
    }
}

/// The counter of a run without one: it stands still, and nothing that it gives is reported.
#[derive(Clone, Copy, Debug)]
struct Stopped;

impl Counter for Stopped {
    fn read(&mut self) -> u64 {
        0
    }
}

struct Open<'a, C, F> {
    job: &'a Job,
    counter: C,
    counts: bool,
    seconds: F,
}

impl<C: Counter + Clone + 'static, F: FnMut() -> f64 + 'static> Visitor for Open<'_, C, F> {
    type Output = Result<Box<dyn Session>, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { job, counter, counts, seconds } = self;
        let mut bench = Bench::<K>::prepare(job)?;
        let mut suite = job.suite();
        for iteration in 0..job.plan.warmups {
            bench.run(&mut suite, iteration)?;
        }
        let cost = calibrate(&suite, counter.clone());
        let recorder = Recorder::new(counter.clone());
        let fault = (!counts).then_some("no counter was asked for");
        let job = job.clone();
        let (trials, profiled_trials) = (Vec::new(), Vec::new());
        Ok(Box::new(Running {
            job,
            bench,
            counter,
            seconds,
            cost,
            recorder,
            trials,
            profiled_trials,
            least: [None; 2],
            repeated: 0,
            fault,
        }))
    }
}

struct Running<K, C, F> {
    job: Job,
    bench: Bench<K>,
    counter: C,
    seconds: F,
    cost: ProbeCost,
    recorder: Recorder<C>,
    trials: Vec<Trial>,
    profiled_trials: Vec<Trial>,
    /// The ticks of the shortest trial so far, without probes and with them.
    least: [Option<u64>; 2],
    /// Trials that were run again.
    repeated: u32,
    /// What the counter did that makes its ticks worthless.
    fault: Option<&'static str>,
}

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Running<K, C, F> {
    /// Times the iterations of one trial.
    fn timed(&mut self, mut run: impl FnMut(&mut Bench<K>, u32) -> Result<(), RunError>) -> Result<Trial, RunError> {
        let iterations = self.job.plan.iterations_per_trial;
        let began = (self.seconds)();
        let start = self.counter.read();
        for iteration in 0..iterations {
            run(&mut self.bench, black_box(iteration))?;
        }
        let end = self.counter.read();
        let seconds = (self.seconds)() - began;
        let ticks = end.checked_sub(start);
        match ticks {
            None => self.fault = Some("the counter went backwards during the run"),
            Some(0) if self.fault.is_none() => self.fault = Some("the counter did not move during the run"),
            Some(_) => {}
        }
        Ok(Trial { operations: iterations.into(), ticks, seconds: Some(seconds) })
    }
}

/// Trials that are run first to know how long one takes.
const REHEARSALS: u32 = 3;

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Running<K, C, F> {
    /// Runs a trial without probes or with them, and again while it is disturbed.
    fn settled(&mut self, probes: bool, repeat: Repeat) -> Result<Trial, RunError> {
        let which = usize::from(probes);
        // Each attempt goes on with the table as it was before, and only the last one's is kept.
        let before = self.recorder.clone();
        let place = self.trials.len();
        let attempt = |session: &mut Self| {
            let trial = stack::at(place, || {
                if repeat.times > 0 {
                    session.warm_up(probes)?;
                }
                if probes { session.with_probes(before.clone()) } else { session.without_probes() }
            })?;
            session.least[which] = session.least[which].into_iter().chain(trial.ticks).min();
            Ok(trial)
        };
        if repeat.times > 0 && self.least[which].is_none() {
            for _ in 0..REHEARSALS {
                attempt(self)?;
            }
        }
        for _ in 0..repeat.times {
            let trial = attempt(self)?;
            let disturbed = |(ticks, least)| ticks as f64 > repeat.beyond * least as f64;
            if !trial.ticks.zip(self.least[which]).is_some_and(disturbed) {
                return Ok(trial);
            }
            self.repeated += 1;
        }
        attempt(self)
    }

    /// Runs the operation once, so that a short trial does not begin with the caches of another job.
    fn warm_up(&mut self, probes: bool) -> Result<(), RunError> {
        let suite = self.job.suite();
        if probes {
            return self.bench.run(&mut Profiled::new(suite, Recorder::new(self.counter.clone())), 0);
        }
        self.bench.run(&mut { suite }, 0)
    }

    fn without_probes(&mut self) -> Result<Trial, RunError> {
        let mut suite = self.job.suite();
        self.timed(|bench, iteration| bench.run(&mut suite, iteration))
    }

    /// The table goes through the trial by value, and comes back.
    fn with_probes(&mut self, table: Recorder<C>) -> Result<Trial, RunError> {
        let mut profiled = Profiled::new(self.job.suite(), table);
        let trial = self.timed(|bench, iteration| bench.run(&mut profiled, iteration))?;
        self.recorder = profiled.probe;
        Ok(trial)
    }
}

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Session for Running<K, C, F> {
    fn trial(&mut self, repeat: Repeat) -> Result<(), RunError> {
        let trial = self.settled(false, repeat)?;
        self.trials.push(trial);
        let trial = self.settled(true, repeat)?;
        self.profiled_trials.push(trial);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Measured, RunError> {
        if self.recorder.lost() > 0 {
            return Err(RunError::TableFull(self.recorder.lost()));
        }
        let measured = Measured {
            trials: self.trials,
            profiled_trials: self.profiled_trials,
            nodes: self.recorder.nodes().to_vec(),
            cost: Some(self.cost),
            unavailable: None,
            repeated: self.repeated,
        };
        Ok(match self.fault {
            Some(fault) => measured.without_ticks(fault),
            None => measured,
        })
    }
}
