//! Symmetric functions on their own, at the lengths that a scheme asks for: what each would cost before the scheme runs over
//! it.

use super::calls::task;
use super::job::Job;
use super::native::{self, RunError};
use super::repeat::Repeat;
use super::samples::Task;
use super::stack;
use kemprof_core::probe::{Call, Output};
use kemprof_core::recorder::{Stopwatch, Tally, empty_interval};
use kemprof_core::symmetric::Shape;
use kemprof_core::{Counter, Probe, Profiled, Role, Sampling, Symmetric};
use std::rc::Rc;

/// Symmetric calls of one operation that are alike in role, form and length of input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// What one call asks for. Of outputs of different lengths it is the commonest, of batches the widest.
    pub shape: Shape,
    /// The function that serves it.
    pub function: &'static str,
    /// Bits of output that the scheme consumes, of one call, on average.
    pub used_bits: f64,
    /// Calls of one operation.
    pub calls: usize,
}

impl Demand {
    /// What the functions of `job` are asked for instead, batches being as wide as `lanes` says for a call of this shape.
    ///
    /// Where the job samples lazily, it is asked for as much of the matrix as was consumed, in whole blocks of its own.
    #[must_use]
    pub fn over(&self, job: &Job, lanes: impl FnOnce(&Shape) -> usize) -> Self {
        let suite = job.suite();
        let mut shape = self.shape;
        if shape.role == Role::Matrix && job.sampling == Sampling::Lazy {
            let used = (self.used_bits / 8.0).ceil() as usize;
            shape.out_bytes = used.next_multiple_of(suite.squeeze_block(shape.role));
        }
        shape.lanes = if shape.prefix_bytes > 0 { lanes(&shape).min(self.calls) } else { 1 };
        Self { shape, function: suite.function(shape.form, shape.role).name, ..*self }
    }

    /// Full batches and the one that is left over, each with how often it is run for one operation.
    pub fn batches(&self) -> impl Iterator<Item = (Shape, usize)> {
        let Self { shape, calls, .. } = *self;
        let left = Shape { lanes: calls % shape.lanes, ..shape };
        let batches = [(shape, calls / shape.lanes), (left, usize::from(left.lanes > 0))];
        batches.into_iter().filter(|(_, times)| *times > 0)
    }
}

/// The symmetric calls that one operation of `job` makes. They are counted, not timed.
///
/// # Errors
/// When the operation does not run.
pub fn demands(job: &Job) -> Result<Vec<Demand>, RunError> {
    Ok(native::observe(job, Seen::default())?.0.into_iter().map(|seen| seen.demand).collect())
}

/// The probe that counts calls that are alike.
#[derive(Default)]
struct Seen(Vec<Alike>);

struct Alike {
    demand: Demand,
    /// How often each length of output occurs.
    lengths: Vec<(usize, u64)>,
}

impl Probe for Seen {
    type Open = ();

    fn open(&mut self, _call: &Call) {}

    fn close(&mut self, (): (), call: &Call, outputs: &[Output]) {
        let Call { role, form, in_bytes, prefix_bytes, lanes, .. } = *call;
        let alike = |seen: &Alike| {
            let shape = &seen.demand.shape;
            (shape.role, shape.form, shape.in_bytes) == (role, form, in_bytes)
        };
        let place = self.0.iter().position(alike).unwrap_or_else(|| {
            let shape = Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes: 0 };
            let demand = Demand { shape, function: call.function.name, used_bits: 0.0, calls: 0 };
            self.0.push(Alike { demand, lengths: Vec::new() });
            self.0.len() - 1
        });
        self.0[place].demand.shape.lanes = self.0[place].demand.shape.lanes.max(lanes);
        outputs.iter().for_each(|output| self.0[place].add(output));
    }
}

impl Alike {
    fn add(&mut self, output: &Output) {
        let Self { demand, lengths } = self;
        let all = demand.used_bits * demand.calls as f64 + f64::from(output.used_bits);
        demand.calls += 1;
        demand.used_bits = all / demand.calls as f64;
        match lengths.iter_mut().find(|(bytes, _)| *bytes == output.out_bytes) {
            Some((_, times)) => *times += 1,
            None => lengths.push((output.out_bytes, 1)),
        }
        let commonest = lengths.iter().max_by_key(|(_, times)| *times);
        demand.shape.out_bytes = commonest.map_or(0, |(bytes, _)| *bytes);
    }
}

/// What the calls of one [`Demand`] cost on their own.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// The calls, with the function that ran, the length that it was asked for, and how many ran together.
    pub demand: Demand,
    /// Ticks of all calls of one operation, for each round.
    pub ticks: Vec<f64>,
}

/// The symmetric calls of one operation, over the functions of several jobs: on their own, with warm caches, in batches as wide as
/// each likes, and taken in turns. What counts is what counts in a profile: the functions, without what surrounds them.
pub struct Functions {
    /// By demand, then by job.
    all: Vec<Vec<Alone>>,
}

impl Functions {
    /// Prepares the calls of `demands` for the functions of each of `jobs`, timed by `counter`: see [`Demand::over`].
    #[must_use]
    pub fn new<C: Counter + Clone + 'static>(demands: &[Demand], jobs: &[Job], counter: &C) -> Self {
        // As a profile's probe costs it.
        let empty = |job: &Job| empty_interval(job.suite(), counter.clone());
        let jobs: Vec<_> = jobs.iter().map(|job| (job, empty(job))).collect();
        let alone =
            |demand: &Demand| jobs.iter().map(|(job, empty)| Alone::new(*demand, job, counter, *empty)).collect();
        let all = demands.iter().map(alone);
        Self { all: all.collect() }
    }

    /// Times every demand over every job once, and again what was disturbed.
    pub fn round(&mut self, repeat: Repeat) {
        self.all.iter_mut().flatten().for_each(|alone| alone.time(repeat));
    }

    /// What was measured: by demand, then by job.
    #[must_use]
    pub fn finish(self) -> Vec<Vec<Timing>> {
        let timing = |alone: Alone| Timing { demand: alone.demand, ticks: alone.ticks };
        self.all.into_iter().map(|jobs| jobs.into_iter().map(timing).collect()).collect()
    }
}

/// Permutations of one sample at the least: 0.1 to 0.5 ms on a 2.5 GHz machine, in vectors or one by one; long against reading any
/// counter, and short against what disturbs the machine.
const SAMPLE_PERMUTATIONS: u64 = 2048;
/// The part of a sample that is run before it, untimed. Processors switch vector units off that were idle, and take tens of
/// microseconds to switch them on.
const WARM_UP: u64 = 4;

/// The calls of one demand over the functions of one job.
struct Alone {
    demand: Demand,
    /// Full batches and the one that is left over, each with how often it is run for one operation.
    tasks: Vec<(Box<dyn Task>, u64)>,
    /// Operations' worth of calls in one sample.
    repeats: u64,
    elapsed: Elapsed,
    /// The least of all samples, in ticks of one operation.
    least: f64,
    ticks: Vec<f64>,
}

/// What the calls of one demand took.
struct Elapsed {
    tally: Rc<Tally>,
    /// Ticks of an interval in which nothing happens.
    empty: f64,
}

impl Elapsed {
    /// Ticks since this was last asked, the stopwatch's own cost subtracted.
    fn take(&self) -> f64 {
        let (ticks, intervals) = self.tally.take();
        (ticks as f64 - self.empty * intervals as f64).max(0.0)
    }
}

/// Ticks of all calls of one operation at the least: less cannot be told from nothing.
const LEAST_TICKS: f64 = 1.0;

impl Alone {
    /// An interval in which nothing happens takes `empty` ticks of `counter`.
    fn new<C: Counter + Clone + 'static>(asked: Demand, job: &Job, counter: &C, empty: f64) -> Self {
        let suite = job.suite();
        let demand = asked.over(job, |shape| suite.lanes(shape.role));
        let Shape { role, form, in_bytes, out_bytes, .. } = demand.shape;
        let permutations = demand.calls as u64 * suite.permutations(form, role, in_bytes, out_bytes).max(1);
        let tally = Rc::new(Tally::default());
        let watched = || Profiled::new(job.suite(), Stopwatch::new(counter.clone(), Rc::clone(&tally)));
        Self {
            elapsed: Elapsed { tally: Rc::clone(&tally), empty },
            least: f64::INFINITY,
            demand,
            tasks: demand.batches().map(|(shape, times)| (task(shape, watched()), times as u64)).collect(),
            repeats: if counter.is_exact() { 1 } else { SAMPLE_PERMUTATIONS.div_ceil(permutations) },
            ticks: Vec::new(),
        }
    }

    fn run(&mut self, repeats: u64) {
        self.tasks.iter_mut().for_each(|(task, times)| task.run(*times * repeats));
    }

    /// Takes a sample, and another as `repeat` says while it is disturbed.
    fn time(&mut self, repeat: Repeat) {
        let mut ticks = self.sample();
        for _ in 0..repeat.times {
            if ticks <= repeat.beyond * self.least {
                break;
            }
            ticks = self.sample();
        }
        self.ticks.push(ticks);
    }

    fn sample(&mut self) -> f64 {
        let elapsed = stack::at(self.ticks.len(), || {
            self.run(self.repeats.div_ceil(WARM_UP));
            self.elapsed.take();
            self.run(self.repeats);
            self.elapsed.take()
        });
        let ticks = (elapsed / self.repeats as f64).max(LEAST_TICKS);
        self.least = self.least.min(ticks);
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;
    use crate::evidence::{Operation, Plan};
    use crate::runner::{SuiteSpec, Variant};
    use kemprof_core::Any;

    #[test]
    fn what_the_stopwatch_costs_is_subtracted() {
        let tally = Rc::new(Tally::default());
        let elapsed = Elapsed { tally: Rc::clone(&tally), empty: 7.0 };
        let mut watch = Stopwatch::new(Mock::new([10_000, 10_107, 20_000, 20_057]), tally);
        let mut other = watch.clone();
        for watch in [&mut watch, &mut other] {
            watch.resume(&mut ());
            watch.pause(&mut ());
        }
        assert_eq!(elapsed.take(), 100.0 + 50.0);
        assert_eq!(elapsed.take(), 0.0);
    }

    fn job(instance: &str, operation: Operation, variant: &str) -> Job {
        let Variant { spec, sampling } = variant.parse().expect("is a variant");
        let plan = Plan { trials: 1, iterations_per_trial: 1, warmups: 0 };
        Job { instance: instance.to_owned(), operation, spec, sampling, seed: vec![1], plan }
    }

    fn keygen(variant: &str) -> Job {
        job("lwekem256", Operation::Keygen, variant)
    }

    fn of_role(role: Role, all: &[Demand]) -> Demand {
        *all.iter().find(|demand| demand.shape.role == role).expect("the role is there")
    }

    /// The published profile of lwekem256 keygen: 101 calls of pseudoXOF, two of the generator.
    #[test]
    fn demands_are_the_calls_of_the_scheme() {
        let all = demands(&keygen("placeholder")).expect("runs");
        let Demand { shape, function, calls, .. } = of_role(Role::Matrix, &all);
        assert_eq!((calls, shape.in_bytes, shape.prefix_bytes, shape.out_bytes), (81, 35, 32, 1536));
        assert_eq!(function, "pseudoXOF");
        let Demand { shape, used_bits, calls, .. } = of_role(Role::Noise, &all);
        assert_eq!((calls, shape.in_bytes, shape.out_bytes, used_bits), (18, 33, 32, 256.0));
        assert_eq!(of_role(Role::Entropy, &all).calls, 2);
        assert_eq!(all.iter().map(|demand| demand.calls).sum::<usize>(), 101 + 2);
    }

    #[test]
    fn outputs_that_differ_are_one_demand_of_the_commonest_length() {
        let all = demands(&keygen("shake@lazy")).expect("runs");
        let matrix = of_role(Role::Matrix, &all);
        // Two blocks of SHAKE128.
        assert_eq!((matrix.calls, matrix.shape.out_bytes), (81, 2 * 168));
        assert_eq!(all.iter().filter(|demand| demand.shape.role == Role::Matrix).count(), 1);
    }

    #[test]
    fn lazy_variants_are_asked_for_what_is_consumed() {
        let all = demands(&keygen("placeholder")).expect("runs");
        let jobs = ["placeholder", "sm3@lazy", "shake@lazy", "shake"].map(keygen);
        let matrix = |all: &[Demand]| {
            let timings = Functions::new(all, &jobs, &Mock::new([])).finish();
            timings.into_iter().find(|jobs| jobs[0].demand.shape.role == Role::Matrix).expect("the role is there")
        };
        let lengths =
            |timings: &[Timing]| timings.iter().map(|timing| timing.demand.shape.out_bytes).collect::<Vec<_>>();
        // Of 128 coefficients in 12 bits, 3329 of 4096 candidates accepted: 236 bytes, in blocks of 32 and 168.
        assert_eq!(lengths(&matrix(&all)), [1536, 256, 336, 1536]);
        assert_eq!(matrix(&all)[2].demand.function, "shake128");
        // What a lazy first consumed says nothing of how much the others would throw away.
        let all = demands(&keygen("sm3@lazy")).expect("runs");
        assert_eq!(lengths(&matrix(&all)), [256, 256, 336, 256]);
    }

    #[test]
    fn batches_of_any_width_make_all_calls() {
        let all = demands(&keygen("placeholder")).expect("runs");
        for &backend in Any::ALL {
            let job = Job { spec: SuiteSpec::of(backend), ..keygen("sm3") };
            let alone = Alone::new(of_role(Role::Matrix, &all), &job, &Mock::new([]), 0.0);
            let lanes = alone.demand.shape.lanes as u64;
            assert_eq!(alone.tasks[0].1 * lanes + 81 % lanes, 81, "{backend:?}");
            assert_eq!(alone.tasks.len(), if lanes == 1 { 1 } else { 2 }, "{backend:?}");
        }
    }

    #[test]
    fn every_demand_of_every_scheme_runs_over_every_backend() {
        for instance in kemprof_core::kem::INSTANCES {
            for operation in Operation::ALL {
                let all = demands(&job(instance, operation, "placeholder")).expect("runs");
                let over = |&backend| Job { spec: SuiteSpec::of(backend), ..job(instance, operation, "sm3@lazy") };
                let jobs: Vec<Job> = Any::ALL.iter().map(over).collect();
                let mut functions = Functions::new(&all, &jobs, &Mock::new([]));
                functions.all.iter_mut().flatten().for_each(|alone| alone.run(1));
                let backends = functions.finish().iter().map(Vec::len).collect::<Vec<_>>();
                assert_eq!(backends, vec![Any::ALL.len(); all.len()]);
            }
        }
    }

    /// Every batch is one interval, however often calls are repeated.
    #[test]
    fn ticks_are_of_one_operation() {
        let job = job("lwekem128", Operation::Keygen, "placeholder");
        let all = demands(&job).expect("runs");
        // Reading costs nothing at first, so that nothing is subtracted.
        let counter = Mock::new(std::iter::repeat_n(0, 1 << 16).chain((0..).step_by(1000)));
        let mut functions = Functions::new(&all, &[job], &counter);
        assert!(functions.all.iter().any(|jobs| jobs[0].repeats > 1));
        let mut rest = counter;
        while rest.read() == 0 {}
        functions.round(Repeat::NEVER);
        functions.round(Repeat { times: 1, beyond: 1.5, beyond_alone: 1.5 });
        for (timings, demand) in functions.finish().iter().zip(&all) {
            assert_eq!(timings[0].ticks, [1000.0 * demand.calls as f64; 2]);
        }
    }

    #[test]
    fn a_disturbed_sample_is_taken_again() {
        let job = job("lwekem128", Operation::Keygen, "placeholder");
        let demand = of_role(Role::H, &demands(&job).expect("runs"));
        let elapsed = |beyond| {
            let mut counter = Mock::new((0..).step_by(1000));
            let mut alone = Alone::new(demand, &job, &counter, 0.0);
            // As if it had been faster once.
            alone.least = 100.0;
            alone.time(Repeat { times: 3, beyond, beyond_alone: beyond });
            counter.read()
        };
        assert!(elapsed(1.25) > 3 * elapsed(f64::INFINITY), "four samples, not one");
    }
}
