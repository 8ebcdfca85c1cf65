use super::board::Board;
use super::runner::{RunnerName, SimError};
use crate::cross::CrossError;
use crate::process::ProcessError;
use kemprof_protocol::{AnswerError, MAX_REQUEST, MAX_SEED, MAX_TRIALS};
use m4sim::ImageError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a Cortex-M4 gave no answer.
#[derive(Debug, Error)]
pub enum M4Error {
    /// The firmware cannot be built.
    #[error("{_0}{}", if matches!(_0, CrossError::NoSources { .. }) { ", or give firmware built elsewhere with --image" } else { "" })]
    Build(#[from] CrossError),
    /// The image cannot be read.
    #[error("cannot read the image {}: {source}", path.display())]
    Unreadable {
        /// The image.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The image is none for this processor.
    #[error("the image {} cannot be used: {source}", path.display())]
    WrongImage {
        /// The image.
        path: PathBuf,
        /// What is wrong with it.
        source: ImageError,
    },
    /// The image is some other program.
    #[error("the image {} is not kemprof's firmware, or speaks another version of its protocol; build it from targets/cortex-m4", path.display())]
    NotOurs {
        /// The image.
        path: PathBuf,
    },
    /// The image is for another board.
    #[error("the firmware was built for board {built}, and --board says {asked}")]
    OtherBoard {
        /// What it says of itself.
        built: String,
        /// What was asked for.
        asked: Board,
    },
    /// The simulator gave no answer.
    #[error(transparent)]
    Simulator(#[from] SimError),
    /// The firmware does not end.
    #[error("the firmware did not end within {limit} (on {runner}), {advice}")]
    Endless {
        /// What ran it.
        runner: RunnerName,
        /// Cycles, or seconds.
        limit: String,
        /// Where the limit comes from, and what to do.
        advice: &'static str,
    },
    /// Another program gave no answer.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// What came is no answer.
    #[error("{source} (from {runner})")]
    Answer {
        /// What ran the firmware.
        runner: RunnerName,
        /// What is wrong.
        source: AnswerError,
    },
    /// The answer is whole, and yet the firmware says that it failed.
    #[error("the firmware ended with exit status {_0} after its answer")]
    Status(i32),
    /// The answer is to another question.
    #[error("the firmware answered another question than was asked")]
    OtherAnswer,
    /// The request does not fit into the image.
    #[error("the request is longer than the {MAX_REQUEST} bytes that the firmware has room for")]
    RequestTooLong,
    /// The simulator saw other phases than the recorder did.
    #[error("the phases that the simulator followed are not those that the firmware recorded")]
    OtherPhases,
    /// The recorder's fixed table was too small for what it saw.
    #[error(
        "the recorder's table on the target is full: {_0} phases or calls were not recorded, so there is no result"
    )]
    TableFull(u64),
    /// The seed is longer than the firmware takes.
    #[error("--seed has {_0} bytes, and the firmware for --target cortex-m4 takes {MAX_SEED} at most")]
    SeedTooLong(usize),
    /// There are more trials than the firmware has room for.
    #[error(
        "--trials is {_0}, and the firmware for --target cortex-m4 has room for {MAX_TRIALS} at most; --iterations has no such limit"
    )]
    TooManyTrials(u32),
    /// The firmware does not have the backend.
    #[error("backend {_0} is not in the firmware of --target cortex-m4")]
    NoBackend(&'static str),
    /// Options that do not go together.
    #[error("{_0}")]
    Usage(String),
}

impl M4Error {
    /// Whether it was asked for something that does not exist or makes no sense.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Usage(_) | Self::SeedTooLong(_) | Self::TooManyTrials(_) | Self::NoBackend(_))
    }
}
