use super::stack;
use crate::analysis::stats::{Summary, summarise};
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
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampled {
    /// Iterations of each sample.
    pub iterations: u64,
    /// Ticks of one iteration.
    pub ticks: Summary,
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
/// disturbs all alike. `progress` is told how many of how many rounds are done.
///
/// # Errors
/// When the counter does not resolve any task.
pub fn sample<C: Counter>(
    tasks: &mut [Box<dyn Task>],
    counter: &mut C,
    grain: Grain,
    samples: u64,
    mut progress: impl FnMut(u64, u64),
) -> Result<Vec<Sampled>, SampleError> {
    let iterations: Vec<u64> =
        tasks.iter_mut().map(|task| iterations(task.as_mut(), counter, grain)).collect::<Result<_, _>>()?;
    let mut taken = vec![Vec::new(); tasks.len()];
    for round in 0..samples {
        for ((task, &iterations), taken) in tasks.iter_mut().zip(&iterations).zip(&mut taken) {
            let ticks = stack::at(taken.len(), || timed(task.as_mut(), counter, grain, iterations));
            taken.push(ticks as f64 / iterations as f64);
        }
        progress(round + 1, samples);
    }
    let sampled = iterations
        .into_iter()
        .zip(taken)
        .map(|(iterations, taken)| Ok(Sampled { iterations, ticks: summarise(&taken).ok_or(SampleError::NoSamples)? }));
    sampled.collect()
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
        let sampled = sample(&mut tasks, &mut counter, grain, 5, |done, of| rounds.push((done, of))).expect("moves");
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
        let sampled = sample(&mut tasks, &mut counter, grain, 3, |_, _| ()).expect("moves");
        assert!(13 * sampled[0].iterations >= 40 * STEPS - 40, "{sampled:?}");
        assert!((sampled[0].ticks.median / 13.0 - 1.0).abs() < 0.002, "{sampled:?}");
    }

    #[test]
    fn a_counter_that_stands_is_given_up() {
        let mut counter = Moved(Rc::default(), u64::MAX);
        let mut tasks: Vec<Box<dyn Task>> = vec![Box::new(|_: u64| ())];
        let grain = Grain { resolution: 1, read_ticks: 0 };
        let error = sample(&mut tasks, &mut counter, grain, 3, |_, _| ()).expect_err("stands");
        assert_eq!(error, SampleError::TooCoarse { wanted: STEPS, iterations: MOST_ITERATIONS });
    }
}
