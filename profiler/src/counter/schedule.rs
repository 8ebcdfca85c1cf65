/// How long a counter has been asked to count, and how long it really had a hardware register to count with.
///
/// A processor has few registers for events; where programs ask for more, the kernel lets them take turns, and what a
/// counter missed has to be estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Time enabled, in ns.
    pub enabled_ns: u64,
    /// Time counting, in ns; at most `enabled_ns`.
    pub running_ns: u64,
}

/// A count, and how sure it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scaled {
    /// The counter ran all the time: the count itself.
    Whole(u64),
    /// The counter took turns with others: the count extrapolated to the whole time.
    Estimated {
        /// Count times enabled over running time.
        count: u64,
        /// Running over enabled time, above 0 and below 1.
        running_share: f64,
    },
    /// The counter never ran: there is no figure.
    Never,
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

    /// What `count` stands for when it was counted on this schedule.
    #[must_use]
    pub fn scale(self, count: u64) -> Scaled {
        let Self { enabled_ns, running_ns } = self;
        if running_ns >= enabled_ns {
            return if enabled_ns == 0 { Scaled::Never } else { Scaled::Whole(count) };
        }
        if running_ns == 0 {
            return Scaled::Never;
        }
        let scaled = u128::from(count) * u128::from(enabled_ns) / u128::from(running_ns);
        Scaled::Estimated {
            count: u64::try_from(scaled).unwrap_or(u64::MAX),
            running_share: running_ns as f64 / enabled_ns as f64,
        }
    }
}

impl Scaled {
    /// The figure, where there is one.
    #[must_use]
    pub const fn count(self) -> Option<u64> {
        match self {
            Self::Whole(count) | Self::Estimated { count, .. } => Some(count),
            Self::Never => None,
        }
    }

    /// What a reader must be told of the figure, where anything.
    #[must_use]
    pub fn remark(self) -> Option<String> {
        match self {
            Self::Whole(_) => None,
            Self::Estimated { running_share, .. } => Some(format!(
                "the hardware counter took turns with others and ran {:.0} % of the time; figures are scaled up",
                100.0 * running_share
            )),
            Self::Never => Some("the hardware counter never got a turn; there is no figure".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::{HostCounter, Mock};
    use kemprof_core::Counter;

    const fn schedule(enabled_ns: u64, running_ns: u64) -> Schedule {
        Schedule { enabled_ns, running_ns }
    }

    #[test]
    fn a_counter_that_ran_throughout_is_not_scaled() {
        let scaled = schedule(1000, 1000).scale(77);
        assert_eq!((scaled, scaled.remark()), (Scaled::Whole(77), None));
    }

    #[test]
    fn a_counter_that_took_turns_is_scaled_and_says_so() {
        let mut counter = HostCounter::Mock(Mock::multiplexed([100, 5100], [schedule(500, 500), schedule(8500, 2500)]));
        let (before, start) = (counter.schedule().unwrap(), counter.read());
        let (end, after) = (counter.read(), counter.schedule().unwrap());
        let scaled = after.since(before).scale(end - start);
        // 5000 counted in 2000 of 8000 ns.
        assert_eq!(scaled, Scaled::Estimated { count: 20_000, running_share: 0.25 });
        assert!(scaled.remark().unwrap().contains("25 % of the time"));
    }

    #[test]
    fn a_counter_without_a_turn_has_no_figure() {
        for never in [schedule(1000, 0), schedule(0, 0)] {
            assert_eq!(never.scale(0).count(), None);
            assert!(never.scale(0).remark().unwrap().contains("no figure"));
        }
    }

    #[test]
    fn scaling_does_not_overflow() {
        assert_eq!(schedule(u64::MAX, u64::MAX / 2).scale(u64::MAX).count(), Some(u64::MAX));
    }
}
