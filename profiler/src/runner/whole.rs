use super::job::{Job, default_iterations};
use super::native::{RunError, visit};
use super::operation::Bench;
use kemprof_core::kem::Visitor;
use kemprof_core::{Counter, Kem};
use std::hint::black_box;

/// Steps of the counter that a trial has to take: an error of one step at either end is then two in a hundred.
const STEPS: u64 = 100;
/// Operations of a trial at the most, after which the counter is taken as it is.
const MOST: u32 = 1 << 16;

/// As many operations as [`default_iterations`], or more where a counter of this resolution (its least step, in ticks) needs them
/// to take 100 of its steps.
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
            let start = counter.read();
            for iteration in 0..iterations {
                bench.run(&mut suite, black_box(iteration))?;
            }
            if counter.read().saturating_sub(start) >= wanted || iterations >= MOST {
                return Ok(iterations);
            }
            iterations *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Clock;
    use crate::evidence::{Operation, Plan};
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;

    /// The clock in steps of so many ns.
    struct Coarse(Clock, u64);

    impl Counter for Coarse {
        fn read(&mut self) -> u64 {
            self.0.read() / self.1 * self.1
        }
    }

    #[test]
    fn a_coarse_counter_has_longer_trials() {
        let job = Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Keygen,
            spec: SuiteSpec::default(),
            sampling: Sampling::Lazy,
            seed: vec![1],
            plan: Plan::default(),
        };
        let usual = default_iterations(&job).expect("runs");
        assert_eq!(whole_iterations(&job, &mut Coarse(Clock::new(), 1), 1).expect("runs"), usual);
        // Usual trials take some milliseconds at the most, under an emulator some hundreds: here they are to take 5 s.
        let step = 50_000_000;
        let longer = whole_iterations(&job, &mut Coarse(Clock::new(), step), step).expect("runs");
        assert!(longer > usual && longer % usual == 0, "{longer} of {usual}");
    }
}
