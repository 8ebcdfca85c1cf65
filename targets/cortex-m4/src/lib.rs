//! The parts of the firmware that need no Cortex-M: they are tested where they are written.
#![no_std]

pub mod draws;
pub mod loops;
pub mod paint;
pub mod wide;
