//! A 32-bit counter that wraps, extended to 64 bits.
//!
//! Something else, that is slower and regular, looks at the counter often, and counts how many half periods it has been
//! through. Whoever reads the counter needs only that number and the counter itself, in this order, and is right however
//! often it wrapped since the last reading, and wherever the two readings were interrupted, as long as the number is less
//! than a half period behind.

/// Half of the counter's period.
const HALF: u32 = 1 << 31;

/// The number of half periods, when it was `halves` at the last look and the counter shows `low` now.
#[must_use]
pub const fn halves(halves: u32, low: u32) -> u32 {
    // The counter's top bit is the lowest bit of the number of half periods it has been through.
    halves.wrapping_add((halves ^ low >> 31) & 1)
}

/// The count, from the number of half periods at the last look and the counter.
#[inline(always)]
#[must_use]
pub const fn count(halves: u32, low: u32) -> u64 {
    // In an even half period the counter's top bit belongs to the count; in an odd one it stands for what `halves` says
    // already, and its absence for the half period after that.
    ((halves as u64) << 31) + (low ^ (halves & 1) << 31) as u64
}

/// Whether a look came when it should: `elapsed` after the one before by the counter, `period` by the other clock.
///
/// If not, the two clocks disagree: the counter stood, was set, or went through more than it shows.
#[must_use]
pub const fn on_time(elapsed: u32, period: u32, tolerance: u32) -> bool {
    elapsed.abs_diff(period) <= tolerance && period < HALF
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mock of the register and of who looks at it.
    #[derive(Default)]
    struct Mock {
        now: u64,
        halves: u32,
    }

    impl Mock {
        fn register(&self) -> u32 {
            self.now as u32
        }

        fn pass(&mut self, cycles: u64, period: u64) {
            for _ in 0..cycles / period {
                self.now += period;
                self.halves = halves(self.halves, self.register());
            }
            self.now += cycles % period;
        }

        fn read(&self) -> u64 {
            count(self.halves, self.register())
        }
    }

    #[test]
    fn counts_over_many_wraps_whatever_the_distance_of_readings() {
        let mut mock = Mock::default();
        for cycles in [1, 0x7fff_ffff, 1, 1, 0x8000_0000, 0xffff_ffff, 5 << 32, (9 << 32) + 12345] {
            mock.pass(cycles, 1 << 24);
            assert_eq!(mock.read(), mock.now, "after {cycles}");
        }
        assert!(mock.now > 14 << 32);
    }

    #[test]
    fn is_right_until_the_look_is_half_a_period_late() {
        for start in [0_u64, 1 << 31, 3 << 31, 0xffff_ffff] {
            let seen = (start >> 31) as u32;
            for late in [0, 1, (1 << 31) - 1 - (start & 0x7fff_ffff), (1 << 32) - 1 - (start & 0x7fff_ffff)] {
                let now = start + late;
                assert_eq!(count(seen, now as u32), now, "{start:#x} and {late:#x}");
            }
            assert_ne!(count(seen, (start + (1 << 32)) as u32), start + (1 << 32));
        }
    }

    #[test]
    fn a_look_between_the_two_readings_does_no_harm() {
        for now in (1_u64 << 31) - 3..(1 << 31) + 3 {
            let before = (now >> 31) as u32;
            // The number is read, then time passes, then the counter is read.
            for passed in 0..5 {
                assert_eq!(count(before, (now + passed) as u32), now + passed);
            }
        }
    }

    #[test]
    fn clocks_that_disagree_are_noticed() {
        let period = 1 << 24;
        assert!(on_time(period + 40, period, 1 << 16) && on_time(period - 40, period, 1 << 16));
        for elapsed in [0, period / 2, 2 * period, u32::MAX] {
            assert!(!on_time(elapsed, period, 1 << 16), "{elapsed}");
        }
        // Looks that are half a period apart or more prove nothing.
        assert!(!on_time(1 << 31, 1 << 31, 1 << 16));
    }
}
