//! The record that everything else is made from.
//!
//! One [`Evidence`] is one (instance, operation, backends, target). It is built from what a runner measured
//! ([`Evidence::build`]), written whole or not at all, and read back strictly; tables, pictures and comparisons see
//! nothing else.

mod build;
mod calm;
mod check;
mod corrected;
mod derive;
mod describe;
mod events;
mod file;
mod intervals;
mod merge;
mod pretty;
mod record;
mod steadiness;
mod warnings;

pub use build::{Measured, Subject};
pub use check::{Violation, violations};
pub use derive::{Derived, Quiet};
pub use describe::{processor, variant};
pub use events::{EventRecord, EventsRecord};
pub use file::{NotEvidence, ReadError, Source, for_each, from_json, read, remove_drawn, sound, to_json, with_ending};
pub use merge::MergeError;
pub use pretty::pretty;
pub use record::{
    Backends, CallRow, CounterRecord, Evidence, GuestRecord, Memory, OWN, Operation, PathTicks, PhaseRow, Plan,
    ProbeCostRecord, ProfiledRun, SCHEMA, Sections, Sizes, Trial,
};
pub use steadiness::{Disturbed, Event, Outcome, Steadiness};
