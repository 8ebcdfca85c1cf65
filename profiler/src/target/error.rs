use crate::counter::{EventsError, OpenError, ValgrindError};
use crate::environment::PinError;
use crate::kat::KatError;
use crate::runner::{RunError, SampleError};
use crate::target::cortex_m4::M4Error;
use thiserror::Error;

/// Why a target gave no answer.
#[derive(Debug, Error)]
pub enum TargetError {
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
    /// What the machine is cannot be written down.
    #[error("the environment cannot be written as JSON: {_0}")]
    Environment(#[from] serde_json::Error),
}

impl TargetError {
    /// Whether it was asked for something that does not exist or makes no sense.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        match self {
            Self::CortexM4(error) => error.is_usage(),
            Self::Counter(OpenError::Unknown(_) | OpenError::Elsewhere { .. })
            | Self::Events(EventsError::Unknown(_) | EventsError::Twice(_))
            | Self::Pin(PinError::NotAllowed { .. })
            | Self::Valgrind(ValgrindError::Emulated(_))
            | Self::CountsNothing(_) => true,
            _ => false,
        }
    }
}
