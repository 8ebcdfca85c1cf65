use super::HostCounter;
use thiserror::Error;

/// How long a counter has been asked to count, and how long it really had a hardware register to count with.
///
/// A processor has few registers for events; where programs ask for more, the kernel multiplexes them, and each counts part of the
/// time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Time enabled, in ns.
    pub enabled_ns: u64,
    /// Time counting, in ns; at most `enabled_ns`.
    pub running_ns: u64,
}

impl Schedule {
    /// What passed between `earlier` and this.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            enabled_ns: self.enabled_ns.saturating_sub(earlier.enabled_ns),
            running_ns: self.running_ns.saturating_sub(earlier.running_ns),
        }
    }
}

/// How a counter stands at one moment, for a look back at what was counted since.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Health {
    schedule: Option<Schedule>,
    failed_reads: u64,
}

/// What happened to a counter that makes its ticks worthless.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// Readings gave nothing.
    #[error("the kernel refused {0} of its readings during the run")]
    Unread(u64),
    /// It did not run all the time.
    #[error(
        "other programs' events took turns with it, and it ran {} % of the time only; stop them", 
        100 * schedule.running_ns / schedule.enabled_ns.max(1)
    )]
    TookTurns {
        /// How long it should have run, and how long it did.
        schedule: Schedule,
    },
}

impl Health {
    /// Looks at `counter` now.
    #[must_use]
    pub fn of(counter: &mut HostCounter) -> Self {
        Self { schedule: counter.schedule(), failed_reads: counter.failed_reads() }
    }

    /// What happened from `earlier` until now.
    ///
    /// # Errors
    /// [`Fault`], if anything.
    pub fn since(self, earlier: Self) -> Result<(), Fault> {
        if let Some(failed) = self.failed_reads.checked_sub(earlier.failed_reads).filter(|&failed| failed > 0) {
            return Err(Fault::Unread(failed));
        }
        let schedule = self.schedule.zip(earlier.schedule).map(|(now, earlier)| now.since(earlier));
        match schedule.filter(|schedule| schedule.running_ns < schedule.enabled_ns) {
            Some(schedule) => Err(Fault::TookTurns { schedule }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;

    fn since(schedules: [(u64, u64); 2]) -> Result<(), Fault> {
        let schedules = schedules.map(|(enabled_ns, running_ns)| Schedule { enabled_ns, running_ns });
        let mut counter = HostCounter::Mock(Mock::multiplexed([0], schedules));
        let before = Health::of(&mut counter);
        Health::of(&mut counter).since(before)
    }

    #[test]
    fn only_what_happened_in_between_counts() {
        assert_eq!(since([(500, 100), (900, 500)]), Ok(()));
        let fault = since([(500, 500), (1500, 900)]).expect_err("it missed 600 of 1000 ns");
        assert_eq!(fault, Fault::TookTurns { schedule: Schedule { enabled_ns: 1000, running_ns: 400 } });
        assert!(fault.to_string().contains("it ran 40 % of the time only"), "{fault}");
    }

    #[test]
    fn failed_readings_come_first() {
        let now = Health { schedule: Some(Schedule { enabled_ns: 9, running_ns: 1 }), failed_reads: 3 };
        let earlier = Health { schedule: Some(Schedule::default()), failed_reads: 1 };
        assert_eq!(now.since(earlier), Err(Fault::Unread(2)));
    }
}
