use super::{Schedule, Unavailable};
use crate::names::UnknownName;
use std::fmt;
use std::io;
use thiserror::Error;

/// Why a set of events cannot be counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EventsError {
    /// No event has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// One was asked for twice.
    #[error("event `{0}` is asked for twice")]
    Twice(String),
    /// The processor cannot count so many at once.
    #[error(
        "{asked} events do not fit into the hardware's counters at once: the first {fits} do, `{name}` does not; ask for \
         fewer, and run again for the rest"
    )]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many of them, in order, fit.
        fits: usize,
        /// The first that does not.
        name: String,
    },
    /// One of them does not work here.
    #[error("event `{name}` is not available: {reason}")]
    Unavailable {
        /// Its name.
        name: String,
        /// Why not.
        reason: Unavailable,
    },
    /// They were opened, and then the kernel refused.
    #[error("the events cannot be read: {0}")]
    Unread(String),
}

/// Events that are counted over the same time.
pub trait EventGroup: fmt::Debug {
    /// Counts from here on.
    ///
    /// # Errors
    /// The system's.
    fn restart(&mut self) -> io::Result<()>;

    /// What was counted since the group was opened or last restarted, in the order asked for, and on which schedule.
    ///
    /// # Errors
    /// The system's.
    fn read(&mut self) -> io::Result<(Vec<(String, u64)>, Schedule)>;
}
