//! Trials taken apart by whether a neighbour shared the physical core.
//!
//! On a rented machine two virtual cores may be two threads of one physical core, and the system cannot see that, or who runs on
//! the other. It shows in what the core gets done: additions that need not wait for each other have to share the adders. A core
//! that is this program's alone does as many in a cycle as it is wide, 4 or more; one with a busy neighbour about half.

use super::stats::Sorted;

/// The part of the best throughput of a run from which a trial counts as quiet: well above the half that a busy neighbour leaves,
/// with room for noise below the whole.
pub const QUIET_SHARE: f64 = 0.85;
/// Additions in a cycle below which no trial is quiet, whatever the best of the run: every x86-64 core of the last decade does at
/// least 4 alone, and a run with a neighbour all the time has no better to compare with.
pub const LEAST: f64 = 3.0;
/// The percentile that stands for the best: an interruption within the probe makes a core look better than it can be.
const BEST: f64 = 98.0;
/// Quiet trials below which their median says less than that of all.
pub const ENOUGH: usize = 5;

/// Additions in a cycle from which a trial counts as quiet, where the trials of a run saw `adds_per_cycle`. `None` where none saw
/// anything.
#[must_use]
pub fn limit(adds_per_cycle: &[f64]) -> Option<f64> {
    Some((QUIET_SHARE * Sorted::new(adds_per_cycle).percentile(BEST)?).max(LEAST))
}

/// Whether the figure of `all` trials is that of the `quiet` ones: where these are [`ENOUGH`], or all but all.
#[must_use]
pub fn decides(quiet: usize, all: usize) -> bool {
    quiet >= ENOUGH.min(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_lies_between_a_core_alone_and_one_with_a_neighbour() {
        let mut seen = vec![2.0; 60];
        seen.extend([4.0; 40]);
        assert_eq!(limit(&seen), Some(3.4));
        // Alone all the time, on a wider core.
        assert_eq!(limit(&[6.0; 10]), Some(5.1));
        assert_eq!(limit(&[]), None);
    }

    #[test]
    fn a_core_that_is_never_alone_has_no_quiet_trial() {
        assert_eq!(limit(&[2.0; 100]), Some(LEAST));
    }

    #[test]
    fn one_impossible_glance_does_not_raise_the_limit() {
        let mut seen = vec![4.0; 100];
        seen.push(95.0);
        assert_eq!(limit(&seen), Some(3.4));
    }

    #[test]
    fn few_quiet_trials_do_not_decide() {
        assert_eq!([decides(4, 100), decides(5, 100), decides(1, 2), decides(2, 2)], [false, true, false, true]);
    }
}
