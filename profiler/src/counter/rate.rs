use kemprof_core::Counter;

/// Pairs of readings of which the tightest counts, at each end.
const TRIES: usize = 32;

/// A reading of a counter and when it was taken, in ns.
#[derive(Clone, Copy)]
struct Moment {
    ticks: u64,
    ns: u64,
}

/// Measures how fast `counter` runs, in ticks per second, against a clock of nanoseconds over `span_ns`.
///
/// The counter is read between two readings of the clock, and of many such pairs the tightest counts, so that an
/// interruption does not: the error is about one reading of the clock (some 30 ns) over the span. Returns none where the
/// clock did not move.
pub fn rate_against<C: Counter, N: Counter>(counter: &mut C, clock_ns: &mut N, span_ns: u64) -> Option<u64> {
    let start = moment(counter, clock_ns);
    while clock_ns.read().saturating_sub(start.ns) < span_ns {
        std::hint::spin_loop();
    }
    let end = moment(counter, clock_ns);
    let ns = end.ns.checked_sub(start.ns).filter(|&ns| ns > 0)?;
    let ticks = end.ticks.checked_sub(start.ticks)?;
    // Rounded to the nearest.
    u64::try_from((u128::from(ticks) * 1_000_000_000 + u128::from(ns / 2)) / u128::from(ns)).ok()
}

fn moment<C: Counter, N: Counter>(counter: &mut C, clock_ns: &mut N) -> Moment {
    let mut best = Moment { ticks: 0, ns: 0 };
    let mut tightest = u64::MAX;
    for _ in 0..TRIES {
        let before = clock_ns.read();
        let ticks = counter.read();
        let width = clock_ns.read().saturating_sub(before);
        if width < tightest {
            tightest = width;
            best = Moment { ticks, ns: before + width / 2 };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A clock whose readings take 20 ns, or 5000 when interrupted, and a counter of `hz` on the same time.
    fn machine(hz: u64) -> (Mock, Mock) {
        let now = Rc::new(Cell::new(0_u64));
        let shared = Rc::clone(&now);
        let counter =
            Mock::new((0..).map(move |_: u64| (u128::from(shared.get()) * u128::from(hz) / 1_000_000_000) as u64));
        let clock = Mock::new((0..).map(move |reading: u64| {
            now.set(now.get() + if reading % 7 == 3 { 5000 } else { 20 });
            now.get()
        }));
        (counter, clock)
    }

    #[test]
    fn the_rate_is_found_in_spite_of_interruptions() {
        for hz in [24_000_000, 2_596_124_000] {
            let (mut counter, mut clock) = machine(hz);
            let found = rate_against(&mut counter, &mut clock, 10_000_000).unwrap();
            let error = (found as f64 / hz as f64 - 1.0).abs();
            assert!(error < 1e-5, "{found} for {hz}");
        }
    }

    #[test]
    fn a_counter_that_went_back_has_no_rate() {
        let mut clock = Mock::new((0..).map(|reading: u64| reading * 20));
        let mut counter = Mock::new((0..2000_u64).rev());
        assert_eq!(rate_against(&mut counter, &mut clock, 1000), None);
    }
}
