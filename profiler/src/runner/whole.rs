use super::job::{Job, default_iterations};
use super::native::{RunError, visit};
use super::operation::Bench;
use kemprof_core::kem::Visitor;
use kemprof_core::{Counter, Kem};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Steps of the counter that a trial has to take: an error of one step at either end is then two in a hundred.
const STEPS: u64 = 100;
/// Operations of a trial at the most, after which the counter is taken as it is.
const MOST: u32 = 1 << 16;
/// Time of a trial from which it gets no longer: a run of some hundred trials then ends within a minute, whatever its counter does.
const LONGEST: Duration = Duration::from_millis(20);

/// As many operations as [`default_iterations`], or more where a counter of this resolution (its least step, in ticks) needs them
/// to take 100 of its steps. A counter that stands still for 20 ms gets no more for that.
///
/// # Errors
/// When the operation does not run.
pub fn whole_iterations<C: Counter>(job: &Job, counter: &mut C, resolution: u64) -> Result<u32, RunError> {
    let usual = default_iterations(job)?;
    visit(job, Lengthen { job, counter, wanted: STEPS * resolution.max(1), usual })
}

struct Lengthen<'a, C> {
    job: &'a Job,
    counter: &'a mut C,
    /// Ticks that a trial has to take.
    wanted: u64,
    usual: u32,
}

impl<C: Counter> Visitor for Lengthen<'_, C> {
    type Output = Result<u32, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { job, counter, wanted, usual } = self;
        let mut bench = Bench::<K>::prepare(job)?;
        let mut suite = job.suite();
        let mut iterations = usual;
        loop {
            let began = Instant::now();
            let start = counter.read();
            for iteration in 0..iterations {
                bench.run(&mut suite, black_box(iteration))?;
            }
            let ticks = counter.read().saturating_sub(start);
            if ticks >= wanted || iterations >= MOST {
                return Ok(iterations);
            }
            if began.elapsed() >= LONGEST {
                return Ok(if ticks == 0 { usual } else { iterations });
            }
            iterations *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;
    use crate::evidence::{Operation, Plan};
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;

    fn job() -> Job {
        Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Keygen,
            spec: SuiteSpec::default(),
            sampling: Sampling::Lazy,
            seed: vec![1],
            plan: Plan::default(),
        }
    }

    /// As many iterations as this counter gets, by the usual ones.
    fn times(readings: impl IntoIterator<Item = u64, IntoIter: Send + 'static>, resolution: u64) -> u32 {
        let usual = default_iterations(&job()).expect("runs");
        let iterations = whole_iterations(&job(), &mut Mock::new(readings), resolution).expect("runs");
        assert_eq!(iterations % usual, 0);
        iterations / usual
    }

    #[test]
    fn a_coarse_counter_has_longer_trials() {
        assert_eq!(times([0, 1000], 10), 1, "100 steps in the usual time");
        // The second trial is only begun where the first took less than the longest, which an emulator's may not.
        assert!([1, 2].contains(&times([0, 500, 500, 1500], 10)), "50 steps in the usual time");
    }

    #[test]
    fn a_counter_that_stands_still_does_not_hold_up_the_run() {
        let began = Instant::now();
        assert_eq!(times([7], 1), 1);
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
}
