use crate::counter::ValgrindError;
use crate::cross::CrossError;
use crate::platform::worker::WorkerError;
use crate::process::ProcessError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a host at the other end of a pipe was not reached.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// The program could not be built for that machine.
    #[error(transparent)]
    Build(#[from] CrossError),
    /// A program that is needed here does not run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The program that was built cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Program {
        /// Where it is.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// There is no kernel for the machine.
    #[error("there is no kernel for AArch64 at {}; run targets/setup, or take --runner qemu-user, which counts nothing", path.display())]
    NoKernel {
        /// Where it should be.
        path: PathBuf,
    },
    /// A temporary folder cannot be used.
    #[error("cannot use a temporary folder: {_0}")]
    Temporary(io::Error),
    /// A step did not come to an end.
    #[error("{place}: {step} did not end within {seconds} s")]
    Endless {
        /// Where.
        place: String,
        /// What was tried.
        step: &'static str,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The machine was not reached, or is not any more.
    #[error("no connection to {place}: {reason}")]
    NoConnection {
        /// Which.
        place: String,
        /// The last that ssh said.
        reason: String,
    },
    /// A step failed there.
    #[error("{place}: {step} failed: {reason}")]
    Step {
        /// Where.
        place: String,
        /// What was tried.
        step: &'static str,
        /// The last that was said.
        reason: String,
    },
    /// Nothing is built for such a machine.
    #[error("{place} is {machine}; kemprof runs on Linux on aarch64 and x86_64 there")]
    UnknownMachine {
        /// Where.
        place: String,
        /// What it says of itself.
        machine: String,
    },
    /// What came back is not what kemprof sends.
    #[error("{place} sent back {what}; nothing was written")]
    Garbled {
        /// Where.
        place: String,
        /// What is wrong with it.
        what: String,
    },
    /// The machine does not begin.
    #[error(transparent)]
    Machine(#[from] WorkerError),
    /// Valgrind does not run.
    #[error(transparent)]
    Valgrind(#[from] ValgrindError),
}

impl RemoteError {
    /// Whether it was asked for something that makes no sense.
    pub(crate) const fn is_usage(&self) -> bool {
        matches!(self, Self::Valgrind(ValgrindError::Emulated(_)))
    }
}
