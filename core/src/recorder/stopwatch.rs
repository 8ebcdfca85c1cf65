use super::Counter;
use crate::probe::{Call, Output, Probe};
use core::cell::Cell;
use core::ops::Deref;

/// What a [`Stopwatch`] has seen since it was last asked.
#[derive(Debug, Default)]
pub struct Tally {
    ticks: Cell<u64>,
    intervals: Cell<u64>,
}

impl Tally {
    /// Ticks of all intervals, and how many there were; then it begins again.
    pub fn take(&self) -> (u64, u64) {
        (self.ticks.take(), self.intervals.take())
    }
}

/// The probe that adds up what calls take, all together. It is cheaper than a [`Recorder`](super::Recorder), and all that is needed
/// where every call is alike. `T` is a way to the tally, which whoever runs the calls asks.
#[derive(Clone, Debug)]
pub struct Stopwatch<C, T> {
    counter: C,
    start: u64,
    tally: T,
}

impl<C: Counter, T: Deref<Target = Tally>> Stopwatch<C, T> {
    /// A stopwatch on `counter`.
    pub const fn new(counter: C, tally: T) -> Self {
        Self { counter, start: 0, tally }
    }
}

impl<C: Counter, T: Deref<Target = Tally>> Probe for Stopwatch<C, T> {
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
        self.tally.ticks.set(self.tally.ticks.get() + ticks);
        self.tally.intervals.set(self.tally.intervals.get() + 1);
    }

    #[inline(always)]
    fn close(&mut self, (): (), _call: &Call, _outputs: &[Output]) {}
}
