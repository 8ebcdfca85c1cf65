//! The counter and what looks after it.

use crate::counter::{self, Cycles};
use cortex_m::peripheral::SYST;
use kemprof_protocol::Line;

/// What times, and what looks after it.
pub(crate) struct Clockwork<'a> {
    /// The counter, or why there is none.
    pub(crate) cycles: Result<Cycles, &'static str>,
    /// SysTick, which looks at the counter.
    pub(crate) syst: &'a mut SYST,
}

impl Clockwork<'_> {
    /// Whether there are figures at all.
    pub(crate) const fn counts(&self) -> bool {
        self.cycles.is_ok()
    }

    /// Begins an interval that will be timed.
    pub(crate) fn watch(&mut self) {
        if let Ok(cycles) = self.cycles {
            cycles.watch(self.syst);
        }
    }

    /// Ends it: nothing interrupts any more.
    pub(crate) fn rest(&mut self) {
        counter::rest(self.syst);
    }

    /// The line that says whether readings can be trusted over wraps.
    pub(crate) fn wraps(&self) -> Line<'static> {
        Line::Wraps(self.cycles.ok().map(Cycles::certain))
    }
}
