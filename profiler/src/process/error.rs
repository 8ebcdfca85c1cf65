use std::io;
use thiserror::Error;

/// Why another program gave no answer.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// It is not installed.
    #[error("{program} is not installed; {help}")]
    Missing {
        /// The program.
        program: String,
        /// Where to get it.
        help: &'static str,
    },
    /// It does not start, or its output cannot be read.
    #[error("{program}: {source}")]
    System {
        /// The program.
        program: String,
        /// The system's words.
        source: io::Error,
    },
    /// It does not end.
    #[error("{program} did not end within {seconds} s and was stopped")]
    Endless {
        /// The program.
        program: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// It failed by itself.
    #[error("{program} failed: {reason}")]
    Failed {
        /// The program.
        program: String,
        /// The last that it said.
        reason: String,
    },
}
