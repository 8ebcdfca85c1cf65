use super::Schedule;
use kemprof_core::Counter;
use perf_event::events::{self, Hardware};
use perf_event::{Builder, Group};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// Which event of the group is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Core cycles in user mode.
    Cycles,
    /// Instructions retired in user mode.
    Instructions,
}

/// Core cycles and instructions of the calling thread in user mode, counted as one group: both over the same time, or
/// neither. A reading is a system call (some 1800 cycles), which the calibration subtracts.
#[derive(Clone, Debug)]
pub struct Perf {
    members: Rc<RefCell<Members>>,
    event: Event,
    exact: bool,
}

#[derive(Debug)]
struct Members {
    /// Kept open: the members count only as long as their leader does.
    _group: Group,
    cycles: perf_event::Counter,
    instructions: perf_event::Counter,
    last: u64,
    failed: u64,
}

impl Perf {
    /// Opens the group and starts it; readings give `event`.
    ///
    /// # Errors
    /// The kernel's error, to be told by [`Unavailable::from_perf`](super::Unavailable::from_perf).
    pub fn open(event: Event) -> io::Result<Self> {
        Self::with_events(event, Hardware::CPU_CYCLES, Hardware::INSTRUCTIONS)
    }

    fn with_events<E: Into<events::Event>>(event: Event, cycles: E, instructions: E) -> io::Result<Self> {
        let mut group = Group::new()?;
        let cycles = Builder::new().group(&mut group).kind(cycles).build()?;
        let instructions = Builder::new().group(&mut group).kind(instructions).build()?;
        group.enable()?;
        let members = Members { _group: group, cycles, instructions, last: 0, failed: 0 };
        Ok(Self { members: Rc::new(RefCell::new(members)), event, exact: false })
    }

    /// The same group, read for the other event.
    #[must_use]
    pub fn of(&self, event: Event) -> Self {
        Self { members: Rc::clone(&self.members), event, exact: self.exact }
    }

    /// The same on a machine on which equal work always takes equal counts.
    pub(super) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// How long the group has been enabled, and how long it really counted.
    pub fn schedule(&mut self) -> Option<Schedule> {
        let now = self.members.borrow_mut().cycles.read_count_and_time().ok()?;
        Some(Schedule { enabled_ns: now.time_enabled, running_ns: now.time_running })
    }

    /// Readings that failed; each gave the value before.
    pub(super) fn failed_reads(&self) -> u64 {
        self.members.borrow().failed
    }
}

impl Counter for Perf {
    #[inline]
    fn read(&mut self) -> u64 {
        let members = &mut *self.members.borrow_mut();
        let counter = match self.event {
            Event::Cycles => &mut members.cycles,
            Event::Instructions => &mut members.instructions,
        };
        match counter.read() {
            Ok(count) => members.last = count,
            Err(_) => members.failed += 1,
        }
        members.last
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::check;
    use perf_event::events::Software;
    use std::io::Write as _;

    /// Events of the kernel's own, which need no hardware: everything but the events is as in [`Perf::open`].
    fn software(event: Event) -> Option<Perf> {
        Perf::with_events(event, Software::TASK_CLOCK, Software::PAGE_FAULTS)
            .inspect_err(|error| drop(writeln!(io::stderr(), "skipped: no perf events here: {error}")))
            .ok()
    }

    #[test]
    fn a_group_counts_and_says_that_it_ran_throughout() {
        let Some(mut perf) = software(Event::Cycles) else { return };
        let checked = check(&mut perf).expect("a task clock moves");
        assert!(checked.resolution >= 1);
        let schedule = perf.schedule().unwrap();
        assert!(schedule.enabled_ns > 0 && schedule.running_ns == schedule.enabled_ns, "{schedule:?}");
        assert_eq!(perf.failed_reads(), 0);
    }

    #[test]
    fn both_events_share_one_group() {
        let Some(perf) = software(Event::Cycles) else { return };
        let mut faults = perf.of(Event::Instructions);
        let before = faults.read();
        // Fresh pages, each touched once.
        let pages = vec![1_u8; 4 << 20];
        std::hint::black_box(&pages);
        assert!(faults.read() > before);
    }
}
