use kemprof_core::probe::{Call, Output};
use kemprof_core::{Counter, Probe};
use std::cell::Cell;
use std::rc::Rc;

/// The probe that adds up what calls take, all together. Clones share the sum.
#[derive(Clone)]
pub(super) struct Stopwatch<C> {
    counter: C,
    start: u64,
    sum: Rc<Sum>,
}

#[derive(Default)]
struct Sum {
    ticks: Cell<u64>,
    intervals: Cell<u64>,
    /// What an interval in which nothing happens takes.
    empty: Cell<f64>,
}

/// What a [`Stopwatch`] has seen.
pub(super) struct Elapsed(Rc<Sum>);

/// Empty intervals of one measurement, and measurements of which the least disturbed counts.
const INTERVALS: u32 = 64;
const MEASUREMENTS: u32 = 9;

impl<C: Counter> Stopwatch<C> {
    /// A stopwatch on `counter`, whose own cost is measured and will be subtracted.
    pub(super) fn new(counter: C) -> Self {
        let mut watch = Self { counter, start: 0, sum: Rc::default() };
        let mut measure = || {
            for _ in 0..INTERVALS {
                watch.resume(&mut ());
                watch.pause(&mut ());
            }
            watch.elapsed().take() / f64::from(INTERVALS)
        };
        let empty = (0..MEASUREMENTS).map(|_| measure()).fold(f64::INFINITY, f64::min);
        watch.sum.empty.set(empty);
        watch
    }

    pub(super) fn elapsed(&self) -> Elapsed {
        Elapsed(Rc::clone(&self.sum))
    }
}

impl Elapsed {
    /// Ticks since this was last asked, the stopwatch's own cost subtracted.
    pub(super) fn take(&self) -> f64 {
        let own = self.0.empty.get() * self.0.intervals.take() as f64;
        (self.0.ticks.take() as f64 - own).max(0.0)
    }
}

impl<C: Counter> Probe for Stopwatch<C> {
    type Open = ();

    #[inline(always)]
    fn open(&mut self, _call: &Call) {}

    #[inline]
    fn resume(&mut self, (): &mut ()) {
        self.start = self.counter.read();
    }

    #[inline]
    fn pause(&mut self, (): &mut ()) {
        let ticks = self.counter.read().saturating_sub(self.start);
        self.sum.ticks.set(self.sum.ticks.get() + ticks);
        self.sum.intervals.set(self.sum.intervals.get() + 1);
    }

    #[inline(always)]
    fn close(&mut self, (): (), _call: &Call, _outputs: &[Output]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Mock;

    #[test]
    fn what_the_stopwatch_costs_is_subtracted() {
        let empty = (0..u64::from(2 * INTERVALS * MEASUREMENTS)).map(|reading| 7 * reading);
        let then = [10_000, 10_107, 20_000, 20_057];
        let mut watch = Stopwatch::new(Mock::new(empty.chain(then)));
        let elapsed = watch.elapsed();
        assert_eq!(elapsed.take(), 0.0);
        let mut other = watch.clone();
        for watch in [&mut watch, &mut other] {
            watch.resume(&mut ());
            watch.pause(&mut ());
        }
        assert_eq!(elapsed.take(), 100.0 + 50.0);
        assert_eq!(elapsed.take(), 0.0);
    }
}
