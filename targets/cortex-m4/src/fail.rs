//! When there is no answer: one message that says why, and an exit that says so too.
#![expect(unsafe_code, reason = "what kind of fault it was is read from registers")]

use crate::arena::Full;
use crate::board::{BOARD, Stuck};
use crate::host::{self, Message, RequestError};
use crate::stack::Overflow;
use core::fmt;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m_rt::{ExceptionFrame, exception};
use kemprof_core::kem;
use kemprof_protocol::{ErrorKind, Line, Operation};

/// Why there is no answer.
pub(crate) enum Failure {
    /// The request was not understood.
    Request(RequestError),
    /// It asks for what cannot be run.
    Impossible(&'static str),
    /// It asks for more memory than there is.
    Full(Full),
    /// It asks for more trials or samples than there is room for.
    TooMany { asked: u32, most: usize },
    /// The clock tree did not come up.
    Clock(Stuck),
    /// The scheme refused its own output.
    Refused { instance: &'static str, operation: Operation, error: kem::Error },
    /// Decapsulation did not give the secret of the encapsulation.
    Disagreement { instance: &'static str },
    /// The host knows another number of random bytes than the scheme draws.
    Draws { instance: &'static str, drawn: usize, given: usize },
    /// The stack met the data below it, some of which may be overwritten.
    Overflow,
}

impl Failure {
    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Request(_) | Self::Impossible(_) => ErrorKind::Request,
            Self::Full(_) | Self::TooMany { .. } => ErrorKind::Memory,
            Self::Clock(_) => ErrorKind::Clock,
            Self::Refused { .. } | Self::Disagreement { .. } | Self::Draws { .. } => ErrorKind::Scheme,
            Self::Overflow => ErrorKind::StackOverflow,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => write!(f, "{error}"),
            Self::Impossible(why) => f.write_str(why),
            Self::Full(Full { asked, left }) => {
                write!(f, "the request needs {asked} bytes of memory, of which {left} are left")
            }
            Self::TooMany { asked, most } => write!(f, "{asked} trials or samples, at most {most} fit"),
            Self::Clock(Stuck(what)) => f.write_str(what),
            Self::Refused { instance, operation, error } => write!(f, "{instance} {}: {error}", operation.name()),
            Self::Disagreement { instance } => {
                write!(f, "{instance}: decapsulation does not give the shared secret of the encapsulation")
            }
            Self::Draws { instance, drawn, given } => {
                write!(f, "{instance} draws {drawn} random bytes, {given} were given")
            }
            Self::Overflow => f.write_str("the stack grew into the data below it"),
        }
    }
}

impl From<Full> for Failure {
    fn from(full: Full) -> Self {
        Self::Full(full)
    }
}

impl From<Overflow> for Failure {
    fn from(Overflow: Overflow) -> Self {
        Self::Overflow
    }
}

/// Sends what went wrong, and ends the program.
#[cold]
pub(crate) fn fail(failure: &Failure) -> ! {
    tell(failure.kind(), failure)
}

#[cold]
fn tell(kind: ErrorKind, message: impl fmt::Display) -> ! {
    static FAILED: AtomicBool = AtomicBool::new(false);
    // A failure while a failure is told is not told.
    if !FAILED.swap(true, Ordering::Relaxed) {
        let message = Message::of(message);
        let _ = host::answer(|answer| {
            answer.lines([
                Line::Firmware(env!("CARGO_PKG_VERSION")),
                Line::Compiler(env!("KEMPROF_COMPILER")),
                Line::Board(BOARD.name),
                Line::Error(kind, message.text()),
            ])
        });
    }
    host::exit(false)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    cortex_m::interrupt::disable();
    let message = info.message();
    match info.location() {
        Some(place) => tell(ErrorKind::Panic, format_args!("{message} ({}:{})", place.file(), place.line())),
        None => tell(ErrorKind::Panic, message),
    }
}

/// CFSR and BFAR: what kind of fault, and the address of a bus fault (DDI 0403, B3.2.15 and B3.2.18).
const CFSR: *const u32 = 0xe000_ed28 as *const u32;
const BFAR: *const u32 = 0xe000_ed38 as *const u32;

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    // SAFETY: both registers can be read at any time, without effect.
    let (status, address) = unsafe { (CFSR.read_volatile(), BFAR.read_volatile()) };
    let (pc, lr) = (frame.pc(), frame.lr());
    let message = format_args!("fault at {pc:#010x}, lr {lr:#010x}, CFSR {status:#010x}, BFAR {address:#010x}");
    tell(ErrorKind::Fault, message)
}
