use super::RemoteError;
use super::worker::WorkerError;
use crate::counter::{EventsError, OpenError, ValgrindError};
use crate::environment::PinError;
use crate::evidence::MergeError;
use crate::guest::GuestError;
use crate::kat::KatError;
use crate::platform::cortex_m4::M4Error;
use crate::runner::{RunError, SampleError};
use thiserror::Error;

/// Why a platform gave no answer.
#[derive(Debug, Error)]
pub enum PlatformError {
    /// The counter cannot be had.
    #[error(transparent)]
    Counter(#[from] OpenError),
    /// Events cannot be counted.
    #[error(transparent)]
    Events(#[from] EventsError),
    /// No counter counts, and nothing else was wanted.
    #[error("bench-hash does nothing but time, and counter {_0} counts nothing")]
    CountsNothing(String),
    /// No counter of this machine works.
    #[error("no counter works here: {_0}")]
    NoCounter(String),
    /// The core cannot be had.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// A Cortex-M4 gave no answer.
    #[error(transparent)]
    CortexM4(#[from] M4Error),
    /// Functions cannot be followed.
    #[error("--profile instructions: {_0}")]
    Valgrind(#[from] ValgrindError),
    /// Something does not run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Functions cannot be timed by themselves.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// There is nothing to hold answers against.
    #[error(transparent)]
    KnownAnswers(#[from] KatError),
    /// A backend or a scheme gives a wrong answer.
    #[error("{_0}")]
    WrongAnswer(String),
    /// What was measured contradicts itself.
    #[error("{_0}")]
    Unsound(String),
    /// A host at the other end of a pipe is not reached.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A worker gave no answer.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// One of the processes that share trials gave no answer.
    #[error("process {process} of {processes}: {source}")]
    Share {
        /// Which, from 1.
        process: u32,
        /// How many there are.
        processes: u32,
        /// Why.
        source: Box<PlatformError>,
    },
    /// Records of processes do not go together.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Memory cannot be measured.
    #[error("the process that measures memory: {_0}")]
    Memory(String),
    /// A worker was asked to measure before it was told how.
    #[error("nothing is open to measure with")]
    NotOpen,
    /// An answer cannot be given.
    #[error("the answer cannot be written: {_0}")]
    Reply(#[source] std::io::Error),
    /// A KEM from outside does not load.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// Functions are not followed, because valgrind does not run this program.
    #[error(transparent)]
    Boundaries(#[from] crate::counter::Unavailable),
    /// What the machine is cannot be written down.
    #[error("the environment cannot be written as JSON: {_0}")]
    Environment(#[from] serde_json::Error),
}

impl PlatformError {
    /// Whether it was asked for something that does not exist or makes no sense.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        match self {
            Self::CortexM4(error) => error.is_usage(),
            Self::Remote(error) => error.is_usage(),
            Self::Worker(WorkerError::Refused { usage, .. }) => *usage,
            Self::Share { source, .. } => source.is_usage(),
            Self::Counter(OpenError::Unknown(_) | OpenError::Elsewhere { .. })
            | Self::Events(EventsError::Unknown(_) | EventsError::Twice(_))
            | Self::Pin(PinError::NotAllowed { .. })
            | Self::Valgrind(ValgrindError::Emulated(_))
            | Self::CountsNothing(_) => true,
            _ => false,
        }
    }
}
