use super::job::Job;
use super::native::{Clocks, RunError, visit};
use super::operation::Bench;
use super::repeat::{self, Repeat, Watch};
use super::stack;
use crate::analysis::steadiness::Moment;
use crate::evidence::{Event, Measured, Outcome, Steadiness, Trial};
use kemprof_core::kem::Visitor;
use kemprof_core::recorder::{CallKey, Counter, Key, Node, Recorder, calibrate};
use kemprof_core::{Kem, Profiled};
use std::hint::black_box;
use tracing::debug;

/// One job between its trials, whatever its KEM.
pub(super) trait Session {
    /// Runs one trial without probes and one with them, each again while it is disturbed.
    fn trial(&mut self, watch: &mut Watch) -> Result<(), RunError>;

    /// What was measured by trials that were run again as `repeat` says.
    fn finish(self: Box<Self>, repeat: Repeat) -> Result<Measured, RunError>;
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
        // Rows are made here: in the first trial that would be a cost that no calibration sees.
        let mut profiled = Profiled::new(job.suite(), Recorder::new(counter.clone()));
        bench.run(&mut profiled, 0)?;
        let recorder = profiled.probe;
        let fault = (!counts).then_some("no counter was asked for");
        let job = job.clone();
        let (trials, profiled_trials) = (Vec::new(), Vec::new());
        Ok(Box::new(Running {
            job,
            bench,
            counter,
            seconds,
            recorder,
            by_trial: Vec::new(),
            trials,
            profiled_trials,
            least: [None; 2],
            steadiness: Steadiness::default(),
            fault,
        }))
    }
}

struct Running<K, C, F> {
    job: Job,
    bench: Bench<K>,
    counter: C,
    seconds: F,
    /// The table of the last trial with probes.
    recorder: Recorder<C>,
    /// The rows of each of them.
    by_trial: Vec<Vec<Node>>,
    trials: Vec<Trial>,
    profiled_trials: Vec<Trial>,
    /// The ticks of the shortest trial so far, without probes and with them.
    least: [Option<u64>; 2],
    steadiness: Steadiness,
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
        Ok(Trial::new(iterations.into(), ticks, Some(seconds)))
    }
}

/// Trials that are run first to know how long one takes.
const REHEARSALS: u32 = 3;

/// A trial, and what was seen right before and right after it.
type Attempt = (Trial, [Moment; 2]);

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Running<K, C, F> {
    /// Runs a trial without probes or with them, and again while it is disturbed.
    fn settled(&mut self, probes: bool, watch: &mut Watch) -> Result<Trial, RunError> {
        let which = usize::from(probes);
        // Each attempt begins with the rows there were before, empty, and only the last one's are kept.
        let mut table = self.recorder.clone();
        table.forget_counts();
        if watch.repeat.times > 0 && self.least[which].is_none() {
            for _ in 0..REHEARSALS {
                let (_, seen) = self.attempt(probes, &table, watch)?;
                watch.rehearsed(seen);
            }
        }
        let mut left = watch.repeat.times;
        let trial = loop {
            let (trial, seen) = self.attempt(probes, &table, watch)?;
            let disturbances = watch.disturbances(&trial, seen, self.least[which]);
            if disturbances.is_empty() {
                break trial;
            }
            let outcome = if left > 0 { Outcome::Repeated } else { Outcome::Counted };
            debug!(trial = self.trials.len() - which, probes, ?outcome, ?disturbances, "disturbed");
            if outcome == Outcome::Counted {
                watch.accept(&disturbances, seen[1]);
            }
            self.steadiness.note(Event { trial: self.trials.len() - which, probes, outcome, disturbances });
            if outcome == Outcome::Counted {
                break trial;
            }
            left -= 1;
        };
        if probes {
            self.by_trial.push(self.recorder.nodes().to_vec());
        }
        Ok(trial)
    }

    /// Runs a trial once, into `table` where it has probes.
    fn attempt(&mut self, probes: bool, table: &Recorder<C>, watch: &mut Watch) -> Result<Attempt, RunError> {
        let (trial, seen) = stack::at(self.trials.len(), || {
            if watch.repeat.times > 0 {
                self.warm_up(probes)?;
            }
            let before = watch.look();
            let mut trial = if probes { self.with_probes(table.clone()) } else { self.without_probes() }?;
            let seen = [before, watch.look()];
            repeat::note(&mut trial, seen);
            Ok((trial, seen))
        })?;
        let least = &mut self.least[usize::from(probes)];
        *least = (*least).into_iter().chain(trial.ticks).min();
        Ok((trial, seen))
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
    fn trial(&mut self, watch: &mut Watch) -> Result<(), RunError> {
        let trial = self.settled(false, watch)?;
        self.trials.push(trial);
        let trial = self.settled(true, watch)?;
        self.profiled_trials.push(trial);
        Ok(())
    }

    fn finish(mut self: Box<Self>, repeat: Repeat) -> Result<Measured, RunError> {
        if self.recorder.lost() > 0 {
            return Err(RunError::TableFull(self.recorder.lost()));
        }
        self.recorder.forget_counts();
        self.by_trial.iter().for_each(|nodes| self.recorder.add_counts(nodes));
        let mut profiled = Profiled::new(self.job.suite(), self.recorder);
        calibrate(&mut profiled);
        let mut nodes = profiled.probe.nodes().to_vec();
        let way = K::own_call_cost(&mut || self.counter.read());
        debug!(way, "ticks that a call of a function of the scheme's own takes to the probe and back");
        let is_own = |node: &&mut Node| matches!(node.key, Key::Call(CallKey { own: 1.., .. }));
        nodes.iter_mut().filter(is_own).for_each(|node| node.cost.call_outside += way);
        for of_trial in &mut self.by_trial {
            of_trial.iter_mut().zip(&nodes).for_each(|(of_trial, node)| of_trial.cost = node.cost);
        }
        let measured = Measured {
            trials: self.trials,
            profiled_trials: self.profiled_trials,
            nodes,
            by_trial: self.by_trial,
            steadiness: repeat.rule(self.steadiness),
            ..Measured::default()
        };
        Ok(match self.fault {
            Some(fault) => measured.without_ticks(fault),
            None => measured,
        })
    }
}
