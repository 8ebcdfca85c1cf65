//! Tells a core that is ours alone from one that a neighbour shares.
//!
//! On a rented machine two virtual cores may be two threads of one physical core, and the system cannot see that, or
//! who runs on the other. It shows in what the core gets done: a chain of multiplications, each of which waits for the
//! one before, takes its time whoever is there, but additions that need not wait have to share the adders. So additions for
//! each cycle of the chain tell whether the core is *quiet* (about 4 on current cores) or *shared* (about half). The
//! chain's own speed is that of the core's clock.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod chains;
mod split;

pub use split::{QUIET_SHARE, QuietSplit, Timed, split};

use crate::analysis::stats::Sorted;
use crate::counter::{HostCounter, open};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use chains::{UNROLLED, dependent_multiplications, independent_additions};
use kemprof_core::Counter;
use serde::{Deserialize, Serialize};

/// What one probe saw.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Glance {
    /// Additions in the time of one cycle of the chain.
    pub adds_per_cycle: f64,
    /// The core's clock, in MHz, on processors where a multiplication takes [`LATENCY`] cycles; elsewhere off by a fixed
    /// factor, so that changes show all the same.
    pub core_mhz: f64,
}

/// Probes a core in about 2 µs.
#[derive(Clone, Debug)]
pub struct QuietProbe<C> {
    counter: C,
    hz: u64,
}

/// Cycles that a multiplication of 64-bit integers waits for the one before: 3 on x86-64 (Intel since Nehalem, AMD since
/// Zen; Agner Fog, *Instruction tables*). On AArch64 it is 2 to 5.
pub const LATENCY: u64 = 3;

/// Rounds of the chain: 64 * 16 * 3 cycles are about 1 µs.
const CHAIN_ROUNDS: u64 = 64;
/// Rounds of additions: 400 * 16 at 4 a cycle are about half of that.
const ADD_ROUNDS: u64 = 400;

impl<C: Counter> QuietProbe<C> {
    /// A probe that takes time from `counter`, which runs at `hz` whatever the core's clock does: `tsc-fenced`, `cntvct`
    /// or `clock`.
    pub const fn new(counter: C, hz: u64) -> Self {
        Self { counter, hz }
    }

    /// Looks once. None where the counter did not move meanwhile, or went back.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub fn look(&mut self) -> Option<Glance> {
        let start = self.counter.read();
        dependent_multiplications(CHAIN_ROUNDS);
        let middle = self.counter.read();
        independent_additions(ADD_ROUNDS);
        let end = self.counter.read();
        glance(self.hz, middle.checked_sub(start)?, end.checked_sub(middle)?)
    }

    /// Looks once: not on this architecture.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn look(&mut self) -> Option<Glance> {
        let _ = (self.counter.read(), self.hz);
        None
    }
}

impl QuietProbe<HostCounter> {
    /// A probe on the best counter of this machine that runs at a fixed rate; none where there is none.
    #[must_use]
    pub fn of_host() -> Option<Self> {
        let mut opened = ["tsc-fenced", "cntvct", "clock"].into_iter().filter_map(|name| open(name).ok());
        opened.find_map(|opened| Some(Self::new(opened.counter, opened.info.hz?)))
    }
}

impl<C: Counter> QuietProbe<C> {
    /// Looks five times and gives the median of each figure, which one interrupt does not move.
    pub fn look_well(&mut self) -> Option<Glance> {
        let glances: Vec<_> = (0..LOOKS).filter_map(|_| self.look()).collect();
        let median = |figure: fn(&Glance) -> f64| {
            let figures: Vec<_> = glances.iter().map(figure).collect();
            Sorted::new(&figures).median()
        };
        Some(Glance {
            adds_per_cycle: median(|glance| glance.adds_per_cycle)?,
            core_mhz: median(|glance| glance.core_mhz)?,
        })
    }
}

/// Looks of which [`QuietProbe::look_well`] takes the median.
const LOOKS: usize = 5;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn glance(hz: u64, chain_ticks: u64, add_ticks: u64) -> Option<Glance> {
    if chain_ticks == 0 || add_ticks == 0 {
        return None;
    }
    let cycles_per_tick = (CHAIN_ROUNDS * UNROLLED * LATENCY) as f64 / chain_ticks as f64;
    Some(Glance {
        adds_per_cycle: (ADD_ROUNDS * UNROLLED) as f64 / (add_ticks as f64 * cycles_per_tick),
        core_mhz: hz as f64 * cycles_per_tick / 1e6,
    })
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use crate::counter::Mock;

    #[test]
    fn ticks_become_cycles_of_the_chain() {
        // 3072 cycles of the chain in 2048 ticks of 2 GHz: 3 GHz. 6400 additions in 1600 cycles, 1066.7 ticks: 4 a cycle.
        let glance = glance(2_000_000_000, 2048, 1067).unwrap();
        assert!((glance.core_mhz - 3000.0).abs() < 1e-9, "{glance:?}");
        assert!((glance.adds_per_cycle - 4.0).abs() < 0.01, "{glance:?}");
    }

    #[test]
    fn a_stuck_or_backward_counter_gives_no_glance() {
        assert_eq!(QuietProbe::new(Mock::new([5]), 1000).look(), None);
        assert_eq!(QuietProbe::new(Mock::new([5, 9, 8]), 1000).look(), None);
    }

    #[test]
    fn this_core_is_seen() {
        let glance = QuietProbe::of_host().unwrap().look_well().unwrap();
        // Emulators and busy machines make it slow; no core is this fast.
        assert!(glance.core_mhz > 1.0 && glance.core_mhz < 20_000.0, "{glance:?}");
    }

    #[test]
    fn one_interrupt_in_five_looks_does_not_show() {
        // Chains of 2048 ticks and additions of 1067, but for the third look, in whose chain 90000 ticks were lost.
        let ends = [0, 2048, 3115, 10_000, 12_048, 13_115, 20_000, 112_048, 113_115];
        let more = [200_000, 202_048, 203_115, 300_000, 302_048, 303_115];
        let mut probe = QuietProbe::new(Mock::new(ends.into_iter().chain(more)), 2_000_000_000);
        assert_eq!(probe.look_well(), glance(2_000_000_000, 2048, 1067));
    }
}
