#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::chains::{UNROLLED, dependent_multiplications, independent_additions};
use crate::analysis::stats::Sorted;
use crate::analysis::steadiness::Glance;
use crate::counter::{HostCounter, open};
use kemprof_core::Counter;

/// Looks at a core in about 2 µs.
#[derive(Clone, Debug)]
pub struct CoreProbe<C> {
    counter: C,
    /// Ticks of the counter in a µs, whatever the core's clock does.
    ticks_per_us: f64,
}

/// Rounds of the chain: 64 * 16 multiplications of 3 cycles are about 1 µs at 3 GHz.
const CHAIN_ROUNDS: u64 = 64;
/// Rounds of additions: 400 * 16 at 4 a cycle are about half of that.
const ADD_ROUNDS: u64 = 400;
/// Looks of which [`CoreProbe::look_well`] takes the best: the first may find its loops in no cache, another may be interrupted.
const LOOKS: usize = 3;

impl<C: Counter> CoreProbe<C> {
    /// A probe that takes time from `counter`, which runs at `hz` whatever the core's clock does: `tsc-fenced`, `cntvct`
    /// or `clock`.
    pub fn new(counter: C, hz: u64) -> Self {
        Self { counter, ticks_per_us: hz as f64 / 1e6 }
    }

    /// Looks once. None where the counter did not move meanwhile, or went back.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn look(&mut self) -> Option<Glance> {
        let start = self.counter.read();
        dependent_multiplications(CHAIN_ROUNDS);
        let middle = self.counter.read();
        independent_additions(ADD_ROUNDS);
        let end = self.counter.read();
        self.glance(middle.checked_sub(start)?, end.checked_sub(middle)?)
    }

    /// Looks once: not on this architecture.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn look(&mut self) -> Option<Glance> {
        None
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn glance(&self, chain_ticks: u64, add_ticks: u64) -> Option<Glance> {
        if chain_ticks == 0 || add_ticks == 0 {
            return None;
        }
        let ticks_per_step = chain_ticks as f64 / (CHAIN_ROUNDS * UNROLLED) as f64;
        Some(Glance {
            chain_per_us: self.ticks_per_us / ticks_per_step,
            adds_per_step: (ADD_ROUNDS * UNROLLED) as f64 / add_ticks as f64 * ticks_per_step,
        })
    }

    /// Looks three times and gives the fastest chain, which nothing can make faster than the clock, and the median of the additions
    /// beside it: an interruption of either loop does not move them.
    pub fn look_well(&mut self) -> Option<Glance> {
        let glances: Vec<_> = (0..LOOKS).filter_map(|_| self.look()).collect();
        let sorted = |figure: fn(&Glance) -> f64| {
            let figures: Vec<_> = glances.iter().map(figure).collect();
            Sorted::new(&figures)
        };
        Some(Glance {
            chain_per_us: sorted(|glance| glance.chain_per_us).max()?,
            adds_per_step: sorted(|glance| glance.adds_per_step).median()?,
        })
    }
}

impl CoreProbe<HostCounter> {
    /// A probe on the best counter of this machine that runs at a fixed rate; none where there is none.
    #[must_use]
    pub fn of_host() -> Option<Self> {
        let mut opened = ["tsc-fenced", "cntvct", "clock"].into_iter().filter_map(|name| open(name).ok());
        opened.find_map(|opened| Some(Self::new(opened.counter, opened.info.hz?)))
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use crate::counter::Mock;

    const HZ: u64 = 2_000_000_000;

    #[test]
    fn ticks_become_steps_of_the_chain() {
        // 1024 multiplications in 2048 ticks of 2 GHz: 1000 in a µs. 6400 additions in 1067 ticks: 12 in the time of one.
        let glance = CoreProbe::new(Mock::new([]), HZ).glance(2048, 1067).unwrap();
        assert!((glance.chain_per_us - 1000.0).abs() < 1e-9, "{glance:?}");
        assert!((glance.adds_per_step - 12.0).abs() < 0.01, "{glance:?}");
    }

    #[test]
    fn a_stuck_or_backward_counter_gives_no_glance() {
        assert_eq!(CoreProbe::new(Mock::new([5]), HZ).look_well(), None);
        assert_eq!(CoreProbe::new(Mock::new((0..100).rev()), HZ).look_well(), None);
    }

    #[test]
    fn one_interruption_does_not_show() {
        // Chains of 2048 ticks and additions of 1067, but for the second look, in whose chain 90000 ticks were lost.
        let readings = [0, 2048, 3115, 10_000, 102_048, 103_115, 200_000, 202_048, 203_115];
        let mut probe = CoreProbe::new(Mock::new(readings), HZ);
        assert_eq!(probe.look_well(), probe.glance(2048, 1067));
    }
}
