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

struct Sum {
    ticks: Cell<u64>,
    intervals: Cell<u64>,
    /// What an interval in which nothing happens takes.
    empty: f64,
}

/// What a [`Stopwatch`] has seen.
pub(super) struct Elapsed(Rc<Sum>);

impl<C: Counter> Stopwatch<C> {
    /// A stopwatch on `counter`. An interval in which nothing happens takes `empty`, which will be subtracted.
    pub(super) fn new(counter: C, empty: f64) -> Self {
        Self { counter, start: 0, sum: Rc::new(Sum { ticks: Cell::new(0), intervals: Cell::new(0), empty }) }
    }

    /// Whether equal work always takes equal counts.
    pub(super) fn is_exact(&self) -> bool {
        self.counter.is_exact()
    }

    pub(super) fn elapsed(&self) -> Elapsed {
        Elapsed(Rc::clone(&self.sum))
    }
}

impl Elapsed {
    /// Ticks since this was last asked, the stopwatch's own cost subtracted.
    pub(super) fn take(&self) -> f64 {
        let own = self.0.empty * self.0.intervals.take() as f64;
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
        let mut watch = Stopwatch::new(Mock::new([10_000, 10_107, 20_000, 20_057]), 7.0);
        let elapsed = watch.elapsed();
        let mut other = watch.clone();
        for watch in [&mut watch, &mut other] {
            watch.resume(&mut ());
            watch.pause(&mut ());
        }
        assert_eq!(elapsed.take(), 100.0 + 50.0);
        assert_eq!(elapsed.take(), 0.0);
    }
}
