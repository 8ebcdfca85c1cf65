//! A unit: a few instructions that can be left out of a sequence without harm to the others.

use super::pattern::push;

/// Code that runs at any multiple of 4, and refers to nothing by a fixed address but the data area.
#[derive(Clone, Default)]
pub(crate) struct Unit {
    /// The rows or kinds that it holds.
    pub(crate) names: Vec<&'static str>,
    pub(crate) code: Vec<u16>,
    /// How many instructions of it are executed, at the least.
    pub(crate) executed: usize,
}

impl Unit {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { names: vec![name], ..Self::default() }
    }

    /// Appends a 16-bit instruction.
    pub(crate) fn narrow(&mut self, word: u32) {
        push(&mut self.code, word, 16);
        self.executed += 1;
    }

    /// Appends a 32-bit instruction.
    pub(crate) fn wide(&mut self, word: u32) {
        push(&mut self.code, word, 32);
        self.executed += 1;
    }

    /// MOVW and MOVT: sets a register.
    pub(crate) fn set(&mut self, register: u32, value: u32) {
        for (opcode, half) in [(0xF240_0000, value & 0xFFFF), (0xF2C0_0000, value >> 16)] {
            self.wide(
                opcode
                    | (half >> 12) << 16
                    | (half >> 11 & 1) << 26
                    | (half >> 8 & 7) << 12
                    | register << 8
                    | half & 0xFF,
            );
        }
    }

    /// The bytes so far.
    pub(crate) fn size(&self) -> u32 {
        self.code.len() as u32 * 2
    }

    /// Pads to a multiple of 4 with a NOP, so that the next place is one where PC-relative addresses are not rounded.
    pub(crate) fn align(&mut self) {
        if self.code.len() % 2 == 1 {
            self.narrow(0xBF00);
        }
    }
}
