//! The firmware of `targets/cortex-m4`, built and run on the simulator and under QEMU.
//!
//! It needs Rust for `thumbv7em-none-eabihf`, and QEMU for some tests. Where they are missing the tests say so and pass, unless
//! `KEMPROF_REQUIRE_CROSS` is set: then they fail.

mod answers;
mod clocks;
mod emulated;
mod image;
mod profiles;
mod records;
mod scheme;
mod ticks;
#[path = "../cross/tools.rs"]
#[allow(dead_code)] // The other tests need more of it.
mod tools;
