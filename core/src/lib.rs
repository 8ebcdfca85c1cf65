//! Key encapsulation mechanisms instrumented over swappable symmetric functions.
//!
//! A KEM is written once, over [`Symmetric`]: the hash, XOF and DRNG calls that a scheme makes, by [`Role`]. A
//! [`Backend`] implements the functions, a [`Suite`] chooses a backend for each role, and [`Profiled`] wraps a suite
//! so that a [`Probe`] sees every call and every phase of the scheme. KEM code never reads a clock and a backend never
//! knows that it is watched.
//!
//! ```text
//! kem ──▶ Symmetric ──▶ Profiled<Suite<Backend>, Probe> ──▶ Recorder<Counter> or tracing spans
//! ```
//!
//! `unsafe` is denied but for two things: using instructions that not every processor has after the processor was asked
//! whether it has them, and calling assembly for a microcontroller. Each place that does so says why it may.
//!
//! The crate is `no_std` and does not allocate: the same code runs on a PC and on a microcontroller.
#![no_std]

pub mod backend;
pub mod kem;
pub mod probe;
pub mod recorder;
pub mod suite;
pub mod symmetric;
#[cfg(feature = "tracing")]
pub mod trace;
#[cfg(feature = "twins")]
pub mod twins;

pub use backend::{Any, Backend, Drng, Reader};
pub use kem::{Kem, Sampling};
pub use probe::{NoProbe, Probe, Profiled};
pub use recorder::{Counter, ProbeCost, Recorder};
pub use suite::Suite;
pub use symmetric::{Phase, Role, Symmetric};

/// The level of optimisation that this crate is compiled with: `0` to `3`, `s` or `z`.
pub const OPT_LEVEL: &str = env!("KEMPROF_OPT_LEVEL");

/// Flags of the compiler beside the profile's, with one space between two.
pub const FLAGS: &str = env!("KEMPROF_FLAGS");
