//! Arm MPS2 with the FPGA image AN386: the clock is fixed, and memory answers at once.
//!
//! Application Note AN386, "Clocks".

use super::{Board, Speed};

pub(super) const BOARD: Board = Board { name: "mps2-an386", set: |_| Ok(Speed { hz: 25_000_000, wait_states: 0 }) };
