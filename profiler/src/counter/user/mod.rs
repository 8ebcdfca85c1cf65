//! The processor's own cycle counter, read without the kernel.
//!
//! The kernel opens the event, counts it for this thread alone, and says in a shared page which register has it; a reading is
//! then a few loads and one instruction, some 30 cycles where a system call takes 1800.

mod mapping;
mod page;
mod register;

use super::{Schedule, Unavailable, trial::survives};
use kemprof_core::Counter;
use mapping::Mapping;
use page::{NoCount, count};
use std::cell::Cell;
use std::io;
use std::rc::Rc;

/// Core cycles of the calling thread in user mode, read from the register.
#[derive(Clone, Debug)]
pub struct PerfUser {
    open: Rc<Open>,
    exact: bool,
}

#[derive(Debug)]
struct Open {
    event: Mapping,
    last: Cell<u64>,
    failed: Cell<u64>,
}

impl PerfUser {
    /// Opens the event, tries in a child process whether the register can be read, and reads it.
    ///
    /// `explain` says what an error of `perf_event_open` means.
    ///
    /// # Errors
    /// The reason in `explain`'s words; [`Unavailable::Trapped`]; [`Unavailable::NoUserAccess`].
    pub fn open(explain: impl Fn(&io::Error) -> Unavailable) -> Result<Self, Unavailable> {
        let event = Mapping::cycles().map_err(|error| explain(&error))?;
        // The child has an event of its own: the page is not shared with it.
        survives(|| {
            if let Ok(event) = Mapping::cycles() {
                let _ = read(&event);
            }
        })?;
        match read(&event) {
            Ok(last) => {
                let open = Rc::new(Open { event, last: Cell::new(last), failed: Cell::new(0) });
                Ok(Self { open, exact: false })
            }
            Err(reason) => Err(Unavailable::NoUserAccess { why: reason.to_string() }),
        }
    }

    /// The same on a machine on which equal work always takes equal counts.
    pub(super) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// How long the event has been enabled, and how long it really counted.
    pub fn schedule(&self) -> Option<Schedule> {
        let [_, enabled_ns, running_ns] = self.open.event.ask().ok()?;
        Some(Schedule { enabled_ns, running_ns })
    }

    /// Readings that failed; each gave the value before.
    pub(super) fn failed_reads(&self) -> u64 {
        self.open.failed.get()
    }
}

#[allow(unsafe_code, reason = "a register may trap")]
#[inline(always)]
fn read(event: &Mapping) -> Result<u64, NoCount> {
    // SAFETY: `count` asks for registers alone of which the page of an open event says that they can be read.
    count(event, |number| unsafe { register::read(number) })
}

impl Counter for PerfUser {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        let Open { event, last, failed } = &*self.open;
        match read(event) {
            Ok(count) => last.set(count),
            Err(_) => failed.set(failed.get() + 1),
        }
        last.get()
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event_open_sys::bindings::{PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE};
    use std::io::Write as _;

    /// An event of the kernel's own has a page like others, but no register.
    #[test]
    fn the_kernels_page_of_an_event_without_a_register_says_so() {
        let event = match Mapping::open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK.into(), 0) {
            Ok(event) => event,
            Err(error) => {
                let _ = writeln!(io::stderr(), "skipped: no perf events here: {error}");
                return;
            }
        };
        assert!(matches!(read(&event), Err(NoCount::Forbidden | NoCount::NotCounting)), "{:?}", read(&event));
        let before = event.ask().expect("the kernel answers");
        std::hint::black_box((0..100_000_u64).map(std::hint::black_box).sum::<u64>());
        let after = event.ask().expect("the kernel answers");
        assert!(before.iter().zip(after).all(|(&before, after)| before < after), "{before:?} {after:?}");
    }

    #[test]
    fn a_register_that_is_not_opened_to_programs_traps_in_the_child_alone() {
        if std::fs::read_to_string("/sys/devices/cpu/rdpmc").is_ok_and(|mode| mode.trim() == "2") {
            let _ = writeln!(io::stderr(), "skipped: this kernel lets every program read every register");
            return;
        }
        #[allow(unsafe_code, reason = "the child is meant to die of it")]
        // SAFETY: it is a child process that does this, and it does nothing else.
        let trapped = survives(|| unsafe {
            register::read(0);
        });
        let expected = [libc::SIGSEGV, libc::SIGILL].map(|signal| Err(Unavailable::Trapped { signal }));
        assert!(expected.contains(&trapped), "{trapped:?}");
    }

    #[test]
    fn it_counts_or_says_why_not() {
        match PerfUser::open(|error| Unavailable::from_perf(error, None, false)) {
            Ok(mut counter) => {
                super::super::check(&mut counter).expect("a cycle counter moves");
                let schedule = counter.schedule().expect("the kernel answers");
                assert!(schedule.running_ns > 0 && counter.failed_reads() == 0, "{schedule:?}");
            }
            Err(reason) => drop(writeln!(io::stderr(), "skipped: {reason}")),
        }
    }
}
