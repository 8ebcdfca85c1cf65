//! Tests of the simulator with programs for the Cortex-M4: compiled ones, random ones, and ones that time themselves.
//!
//! Most need `arm-none-eabi-gcc` and `qemu-system-arm`. Where one is missing they say so and pass, unless
//! `KEMPROF_REQUIRE_CROSS` is set: then they fail.

mod command;
mod decoder;
mod differential;
mod programs;
mod run;
mod timing;
mod tools;
