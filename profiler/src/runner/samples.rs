use super::stack;
use crate::analysis::quiet;
use crate::analysis::stats::{Summary, summarise};
use crate::analysis::steadiness::Observer;
use kemprof_core::Counter;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Something to time: a call that runs as often as it is told to.
pub trait Task {
    /// Runs it `iterations` times.
    fn run(&mut self, iterations: u64);
}

impl<F: FnMut(u64)> Task for F {
    fn run(&mut self, iterations: u64) {
        self(iterations);
    }
}

/// What the samples of a task came to.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sampled {
    /// Iterations of each sample.
    pub iterations: u64,
    /// Ticks of one iteration: of the quiet samples where there are enough, else of all.
    pub ticks: Summary,
    /// How many samples were quiet. None where nothing tells.
    pub quiet: Option<usize>,
}

/// A counter gives no figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SampleError {
    /// Its steps are too far apart, or it stands.
    #[error("the counter did not move by {wanted} ticks in {iterations} iterations")]
    TooCoarse {
        /// What a sample should have.
        wanted: u64,
        /// What it did.
        iterations: u64,
    },
    /// No samples were asked for.
    #[error("no samples were asked for")]
    NoSamples,
}

/// How a counter is to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grain {
    /// The least step that it makes, in ticks.
    pub resolution: u64,
    /// Ticks between two readings one right after the other; they are subtracted.
    pub read_ticks: u64,
}

/// Steps of the counter in a sample at the least: an error of one step at either end is two in a thousand.
const STEPS: u64 = 1000;
/// What a sample takes at the least: long against a reading, short against what disturbs the machine.
const SHORTEST: Duration = Duration::from_micros(20);
/// Iterations of a sample at the most, after which the counter is given up.
const MOST_ITERATIONS: u64 = 1 << 26;
/// Samples in a row that must be long enough: one alone may have been disturbed.
const CONFIRMATIONS: u32 = 2;

/// Takes `samples` samples of every task, in turns: one of each, then the next of each, so that what disturbs the machine
/// disturbs all alike. `observer` looks between samples, and `progress` is told how many of how many rounds are done.
///
/// # Errors
/// When the counter does not resolve any task.
pub fn sample<C: Counter>(
    tasks: &mut [Box<dyn Task>],
    counter: &mut C,
    grain: Grain,
    samples: u64,
    observer: &mut dyn Observer,
    mut progress: impl FnMut(u64, u64),
) -> Result<Vec<Sampled>, SampleError> {
    let iterations: Vec<u64> =
        tasks.iter_mut().map(|task| iterations(task.as_mut(), counter, grain)).collect::<Result<_, _>>()?;
    let mut taken: Vec<Vec<Taken>> = vec![Vec::new(); tasks.len()];
    let mut look = || observer.observe().glance.and_then(|glance| glance.adds_per_cycle());
    let mut before = look();
    for round in 0..samples {
        for ((task, &iterations), taken) in tasks.iter_mut().zip(&iterations).zip(&mut taken) {
            let ticks = stack::at(taken.len(), || timed(task.as_mut(), counter, grain, iterations));
            let after = look();
            let adds = before.zip(after).map(|(before, after)| before.min(after));
            taken.push(Taken { ticks: ticks as f64 / iterations as f64, adds });
            before = after;
        }
        progress(round + 1, samples);
    }
    let adds: Vec<f64> = taken.iter().flatten().filter_map(|taken| taken.adds).collect();
    let limit = quiet::limit(&adds);
    iterations.into_iter().zip(taken).map(|(iterations, taken)| sampled(iterations, &taken, limit)).collect()
}

/// A sample: ticks of one iteration, and the additions in a cycle that the core did around it.
#[derive(Clone, Copy)]
struct Taken {
    ticks: f64,
    adds: Option<f64>,
}

fn sampled(iterations: u64, taken: &[Taken], limit: Option<f64>) -> Result<Sampled, SampleError> {
    let is_quiet = |taken: &&Taken| taken.adds.zip(limit).is_some_and(|(adds, limit)| adds >= limit);
    let quiet: Vec<f64> = taken.iter().filter(is_quiet).map(|taken| taken.ticks).collect();
    let all: Vec<f64> = taken.iter().map(|taken| taken.ticks).collect();
    let figures = if quiet::decides(quiet.len(), all.len()) { &quiet } else { &all };
    Ok(Sampled {
        iterations,
        ticks: summarise(figures).ok_or(SampleError::NoSamples)?,
        quiet: limit.map(|_| quiet.len()),
    })
}

fn timed<C: Counter>(task: &mut dyn Task, counter: &mut C, grain: Grain, iterations: u64) -> u64 {
    let start = counter.read();
    task.run(iterations);
    let end = counter.read();
    end.saturating_sub(start).saturating_sub(grain.read_ticks)
}

/// How many iterations make a sample long enough. The task is warm after that.
fn iterations<C: Counter>(task: &mut dyn Task, counter: &mut C, grain: Grain) -> Result<u64, SampleError> {
    if counter.is_exact() {
        task.run(1);
        return Ok(1);
    }
    let wanted = STEPS * grain.resolution.max(1);
    let (mut iterations, mut confirmed) = (1, 0);
    while confirmed < CONFIRMATIONS {
        let began = Instant::now();
        let ticks = timed(task, counter, grain, iterations);
        if ticks >= wanted && began.elapsed() >= SHORTEST {
            confirmed += 1;
        } else if iterations >= MOST_ITERATIONS {
            return Err(SampleError::TooCoarse { wanted, iterations });
        } else {
            (iterations, confirmed) = (2 * iterations, 0);
        }
    }
    Ok(iterations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::steadiness::Moment;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A counter that tasks move, in steps of `step`.
    #[derive(Clone)]
    struct Moved(Rc<Cell<u64>>, u64);

    impl Counter for Moved {
        fn read(&mut self) -> u64 {
            // Reading takes 7.
            self.0.set(self.0.get() + 7);
            self.0.get() / self.1 * self.1
        }
    }

    /// Sees nothing of the core.
    fn blind() -> Moment {
        Moment { core: 0, glance: None }
    }

    fn task(counter: &Moved, cost: u64) -> Box<dyn Task> {
        let ticks = counter.0.clone();
        Box::new(move |iterations: u64| {
            ticks.set(ticks.get() + cost * iterations);
            std::hint::black_box(&ticks);
            std::thread::sleep(Duration::from_micros(1));
        })
    }

    #[test]
    fn ticks_are_of_one_iteration_without_the_reading() {
        let mut counter = Moved(Rc::default(), 1);
        let mut tasks = vec![task(&counter, 13), task(&counter, 5000)];
        let mut rounds = Vec::new();
        let grain = Grain { resolution: 1, read_ticks: 7 };
        let sampled = sample(&mut tasks, &mut counter, grain, 5, &mut (blind as fn() -> Moment), |done, of| {
            rounds.push((done, of));
        })
        .expect("moves");
        for (sampled, cost) in sampled.iter().zip([13.0, 5000.0]) {
            assert_eq!((sampled.ticks.median, sampled.ticks.max, sampled.ticks.count), (cost, cost, 5));
        }
        assert!(13 * sampled[0].iterations >= STEPS, "{sampled:?}");
        assert_eq!(rounds, [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    }

    #[test]
    fn a_coarse_counter_gets_longer_samples() {
        let mut counter = Moved(Rc::default(), 40);
        let mut tasks = vec![task(&counter, 13)];
        let grain = Grain { resolution: 40, read_ticks: 0 };
        let sampled =
            sample(&mut tasks, &mut counter, grain, 3, &mut (blind as fn() -> Moment), |_, _| ()).expect("moves");
        assert!(13 * sampled[0].iterations >= 40 * STEPS - 40, "{sampled:?}");
        assert!((sampled[0].ticks.median / 13.0 - 1.0).abs() < 0.002, "{sampled:?}");
    }

    #[test]
    fn a_counter_that_stands_is_given_up() {
        let mut counter = Moved(Rc::default(), u64::MAX);
        let mut tasks: Vec<Box<dyn Task>> = vec![Box::new(|_: u64| ())];
        let grain = Grain { resolution: 1, read_ticks: 0 };
        let error =
            sample(&mut tasks, &mut counter, grain, 3, &mut (blind as fn() -> Moment), |_, _| ()).expect_err("stands");
        assert_eq!(error, SampleError::TooCoarse { wanted: STEPS, iterations: MOST_ITERATIONS });
    }

    #[test]
    fn quiet_samples_are_the_figure_where_there_are_enough() {
        let taken = |ticks, adds| Taken { ticks, adds: Some(adds) };
        let mut all = vec![taken(2000.0, 2.0); 9];
        all.extend([taken(1000.0, 4.0); 5]);
        let figure = |taken: &[Taken], limit| {
            let sampled = sampled(1, taken, limit).expect("samples");
            (sampled.ticks.median, sampled.ticks.count, sampled.quiet)
        };
        assert_eq!(figure(&all, Some(3.4)), (1000.0, 5, Some(5)));
        assert_eq!(figure(&all[..13], Some(3.4)), (2000.0, 13, Some(4)), "four are not enough");
        assert_eq!(figure(&all, None), (2000.0, 14, None));
    }
}
