//! A simulated Cortex-M4 that counts its cycles.

mod bus;
mod cache;
mod core;
pub mod decode;
mod error;
mod exception;
mod exec;
mod image;
pub mod insn;
mod machine;
mod profile;
mod run;
mod semihost;
mod symbols;
mod text;
pub mod timing;
mod trace;
mod watch;

pub use bus::Map;
pub use error::{Access, Fault, FaultKind, ImageError, Registers};
pub use image::Image;
pub use machine::{Config, Counters, Event, Limits, Machine, Output};
pub use profile::{FunctionRow, HotRow, Profile};
pub use symbols::{Symbol, Symbols};
pub use watch::Watch;
