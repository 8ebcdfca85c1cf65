//! A simulated Cortex-M4 that counts its cycles: a library and the command `m4sim`.
//!
//! It runs bare-metal images for a Cortex-M4 with FPU unchanged and tells what they cost by a documented model: a table
//! of costs from the processor's reference manual, with a few rules about neighbours and addresses ([`timing`]).
//!
//! ```no_run
//! use m4sim::{Config, Event, Image, Limits, Machine, Watch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let image = Image::from_elf(&std::fs::read("firmware.elf")?)?;
//! let mut machine = Machine::new(&image, Config { keep_output: true, ..Config::default() })?;
//! machine.set_command_line("firmware 100");
//! machine.watch(Watch::nothing().with_profile(image.symbols()));
//! if let Event::Exit { status } = machine.run(Limits::default())? {
//!     println!("status {status}, {} cycles", machine.counters().cycles);
//! }
//! let output = machine.take_output().stdout;
//! let folded = machine.take_watch().and_then(|w| w.profile().map(|p| p.folded()));
//! # let _ = (output, folded);
//! # Ok(())
//! # }
//! ```
//!
//! Three rooms do not know each other: [`decode`] turns bits into an [`insn::Insn`], `exec` changes the state of the
//! core, [`timing`] tells the cost. The run loop joins them through a cache of decoded instructions.

mod bus;
mod cache;
mod console;
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

pub use bus::{CycleCounter, Map};
pub use error::{Access, Fault, FaultKind, ImageError, Registers};
pub use image::Image;
pub use machine::{Config, Counters, Event, Limits, Machine, Output};
pub use profile::{FunctionRow, HotRow, Profile};
pub use symbols::{Symbol, Symbols};
pub use watch::Watch;
