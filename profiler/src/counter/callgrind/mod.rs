//! Exact counts of instructions from valgrind's callgrind, which runs the program one instruction after the other.
//!
//! The program asks for what was counted since it last asked; callgrind writes that to a file, which the program reads at
//! once. Asking and reading are not counted, but for the few instructions at either end (11 on x86-64), which the
//! calibration of the probe finds as it does with every counter.

mod boundaries;
mod command;
mod costs;
mod request;
mod totals;

pub use boundaries::Boundaries;
pub use command::{Valgrind, ValgrindError, ValgrindFiles};
pub use costs::{Cost, parts};

use super::Unavailable;
use kemprof_core::Counter;
use request::Request;
use std::cell::RefCell;
use std::env;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::rc::Rc;

/// In the environment of a program under callgrind: the file that callgrind writes to.
const OUTPUT: &str = "KEMPROF_CALLGRIND_OUTPUT";

/// Instructions that the program ran since this was opened, as valgrind's callgrind counts them.
#[derive(Clone, Debug)]
pub struct Callgrind(Rc<RefCell<Output>>);

/// What callgrind has written.
#[derive(Debug)]
struct Output {
    file: File,
    /// What was read last.
    text: Vec<u8>,
    /// Instructions so far.
    count: u64,
    failed: u64,
}

impl Callgrind {
    /// Begins to count, in a program that [`Valgrind`] started.
    ///
    /// # Errors
    /// [`Unavailable::NotUnderValgrind`] elsewhere, and [`Unavailable::Failed`] where callgrind's file cannot be read.
    pub fn open() -> Result<Self, Unavailable> {
        let path = env::var_os(OUTPUT).filter(|_| Self::is_around()).ok_or(Unavailable::NotUnderValgrind)?;
        Request::StartInstrumentation.make();
        // The first makes the file.
        Request::DumpStats.make();
        let file = File::options().read(true).write(true).open(path).map_err(|error| Unavailable::Failed {
            operation: "reading what callgrind wrote",
            message: error.to_string(),
        })?;
        Ok(Self(Rc::new(RefCell::new(Output { file, text: Vec::new(), count: 0, failed: 0 }))))
    }

    /// Whether valgrind runs this program.
    #[must_use]
    pub fn is_around() -> bool {
        Request::RunningOnValgrind.make() > 0
    }

    /// Readings that failed; each gave the value before.
    pub(super) fn failed_reads(&self) -> u64 {
        self.0.borrow().failed
    }
}

impl Counter for Callgrind {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        Request::ToggleCollect.make();
        let count = self.0.borrow_mut().ask();
        Request::ToggleCollect.make();
        count
    }

    fn is_exact(&self) -> bool {
        true
    }
}

impl Output {
    /// Instructions until now. Not inlined, so that what is around it is the same in all readings.
    #[inline(never)]
    fn ask(&mut self) -> u64 {
        Request::DumpStats.make();
        match self.written() {
            Ok(count) => self.count += count,
            Err(_) => self.failed += 1,
        }
        self.count
    }

    fn written(&mut self) -> io::Result<u64> {
        self.text.clear();
        self.file.read_to_end(&mut self.text)?;
        // Callgrind appends, and would fill the disk: each time it writes some kilobytes.
        self.file.set_len(0)?;
        self.file.rewind()?;
        totals::instructions(&self.text).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }
}
