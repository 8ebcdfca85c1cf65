//! Events of the kernel's around whole operations.

use super::job::Job;
use super::native::{RunError, visit};
use super::operation::Bench;
use crate::counter::EventGroup;
use crate::evidence::EventsRecord;
use kemprof_core::Kem;
use kemprof_core::kem::Visitor;
use std::hint::black_box;

/// Counts events over operations of `job` of their own, without probes: as many as one of its trials has, as often as it has
/// trials. Timing is left alone.
///
/// # Errors
/// When the operation does not run, or the kernel refuses to read the events.
pub fn count_events(job: &Job, group: &mut dyn EventGroup) -> Result<EventsRecord, RunError> {
    visit(job, Count { job, group })
}

struct Count<'a> {
    job: &'a Job,
    group: &'a mut dyn EventGroup,
}

impl Visitor for Count<'_> {
    type Output = Result<EventsRecord, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { job, group } = self;
        let mut bench = Bench::<K>::prepare(job)?;
        let mut suite = job.suite();
        for iteration in 0..job.plan.warmups {
            bench.run(&mut suite, iteration)?;
        }
        group.restart().map_err(RunError::Events)?;
        for _ in 0..job.plan.trials {
            for iteration in 0..job.plan.iterations_per_trial {
                bench.run(&mut suite, black_box(iteration))?;
            }
        }
        let (counts, schedule) = group.read().map_err(RunError::Events)?;
        let operations = u64::from(job.plan.trials) * u64::from(job.plan.iterations_per_trial);
        Ok(EventsRecord::new(operations, schedule, counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Schedule;
    use crate::evidence::{Operation, Plan};
    use crate::runner::SuiteSpec;
    use kemprof_core::Sampling;
    use std::io;

    /// Gives its counts once it was started, and fails where it is told to.
    #[derive(Debug)]
    struct Script {
        restarted: bool,
        schedule: Schedule,
        error: Option<i32>,
    }

    impl EventGroup for Script {
        fn restart(&mut self) -> io::Result<()> {
            self.restarted = true;
            Ok(())
        }

        fn read(&mut self) -> io::Result<(Vec<(String, u64)>, Schedule)> {
            assert!(self.restarted, "what came before does not count");
            if let Some(errno) = self.error {
                return Err(io::Error::from_raw_os_error(errno));
            }
            Ok((vec![("cycles".to_owned(), 600), ("instructions".to_owned(), 1500)], self.schedule))
        }
    }

    fn counted(schedule: (u64, u64), error: Option<i32>) -> Result<EventsRecord, RunError> {
        let plan = Plan { trials: 3, iterations_per_trial: 2, warmups: 1 };
        let (spec, sampling) = (SuiteSpec::default(), Sampling::Lazy);
        let (instance, operation) = ("lwekem128".to_owned(), Operation::Dec);
        let job = Job { instance, operation, spec, sampling, seed: vec![1], plan };
        let schedule = Schedule { enabled_ns: schedule.0, running_ns: schedule.1 };
        count_events(&job, &mut Script { restarted: false, schedule, error })
    }

    #[test]
    fn counts_are_of_the_operations_that_ran() {
        let events = counted((9, 9), None).expect("runs");
        assert_eq!((events.operations, events.counts[0].per_operation), (6, Some(100.0)));
        assert_eq!(events.instructions_per_cycle, Some(2.5));
        let turns = counted((9, 3), None).expect("runs");
        assert_eq!(turns.counts[0].per_operation, Some(300.0));
    }

    #[test]
    fn a_kernel_that_refuses_is_an_error() {
        let error = counted((9, 9), Some(libc::EACCES)).expect_err("refused").to_string();
        assert!(error.contains("events"), "{error}");
    }
}
