//! The fields of a pattern and the functions that turn them into operands.

use crate::insn::{Insn, Mode, SetFlags, Shift};

/// The bits of an instruction seen through its pattern.
pub(crate) struct Fields<'a> {
    pub(super) pattern: &'a str,
    pub(super) word: u32,
}

impl Fields<'_> {
    /// The bits under `letter`, from the top, as a number; 0 where the pattern has none.
    pub(super) fn get(&self, letter: u8) -> u32 {
        let bits = self.pattern.bytes().filter(|&b| b != b' ');
        let top = bits.clone().count() - 1;
        bits.enumerate().filter(|&(_, b)| b == letter).fold(0, |acc, (at, _)| acc << 1 | (self.word >> (top - at)) & 1)
    }

    /// Puts the fields with a fixed meaning in their places.
    pub(super) fn place(&self, insn: &mut Insn) {
        insn.rd = self.get(b'd') as u8;
        insn.rn = self.get(b'n') as u8;
        insn.rm = self.get(b'm') as u8;
        insn.ra = self.get(b'a') as u8;
        insn.imm = self.get(b'i');
        if self.get(b's') == 1 {
            insn.flags = SetFlags::Always;
        }
    }
}

/// Nothing more than the placed fields.
pub(super) fn plain(_: &mut Insn, _: &Fields<'_>) {}

/// Second operand in a register.
pub(super) fn reg(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Reg;
}

/// 16-bit data processing: flags outside IT blocks only.
pub(super) fn flags16(insn: &mut Insn, _: &Fields<'_>) {
    insn.flags = SetFlags::OutsideIt;
}

/// As [`flags16`], second operand in a register.
pub(super) fn flags16_reg(insn: &mut Insn, _: &Fields<'_>) {
    insn.flags = SetFlags::OutsideIt;
    insn.mode = Mode::Reg;
}

/// 16-bit data processing on `rd` and `rm`.
pub(super) fn two16(insn: &mut Insn, f: &Fields<'_>) {
    insn.rn = insn.rd;
    flags16_reg(insn, f);
}

/// 16-bit data processing on `rd` and the constant.
pub(super) fn two16_imm(insn: &mut Insn, f: &Fields<'_>) {
    insn.rn = insn.rd;
    flags16(insn, f);
}

/// Comparison: flags always.
pub(super) fn compare(insn: &mut Insn, _: &Fields<'_>) {
    insn.flags = SetFlags::Always;
}

/// Comparison with a register.
pub(super) fn compare_reg(insn: &mut Insn, _: &Fields<'_>) {
    insn.flags = SetFlags::Always;
    insn.mode = Mode::Reg;
}

/// Amount and kind of a constant shift (DDI 0403, A7.4.2, DecodeImmShift).
pub(super) fn immediate_shift(kind: u32, amount: u32) -> (Shift, u8) {
    match (kind, amount) {
        (0, n) => (Shift::Lsl, n as u8),
        (1, 0) => (Shift::Lsr, 32),
        (1, n) => (Shift::Lsr, n as u8),
        (2, 0) => (Shift::Asr, 32),
        (2, n) => (Shift::Asr, n as u8),
        (_, 0) => (Shift::Rrx, 1),
        (_, n) => (Shift::Ror, n as u8),
    }
}

/// Register operand shifted by a constant; the plain register when there is no shift.
pub(super) fn shifted(insn: &mut Insn, f: &Fields<'_>) {
    (insn.shift, insn.amount) = immediate_shift(f.get(b'k'), insn.imm);
    insn.mode = if insn.shift == Shift::Lsl && insn.amount == 0 { Mode::Reg } else { Mode::Shifted };
    insn.imm = 0;
}

/// As [`shifted`], for comparisons.
pub(super) fn shifted_compare(insn: &mut Insn, f: &Fields<'_>) {
    shifted(insn, f);
    insn.flags = SetFlags::Always;
}

/// Expands a 12-bit modified immediate (DDI 0403, A5.3.2); the second value is the carry in the sense of [`Mode::Imm`].
pub(super) fn expand_immediate(imm12: u32) -> (u32, u8) {
    let byte = imm12 & 0xFF;
    match imm12 >> 8 {
        0 => (byte, 0),
        1 => (byte << 16 | byte, 0),
        2 => (byte << 24 | byte << 8, 0),
        3 => (byte << 24 | byte << 16 | byte << 8 | byte, 0),
        _ => {
            let value = (0x80 | imm12 & 0x7F).rotate_right(imm12 >> 7);
            (value, 2 | (value >> 31) as u8)
        }
    }
}

/// Modified immediate.
pub(super) fn modified(insn: &mut Insn, _: &Fields<'_>) {
    (insn.imm, insn.opt) = expand_immediate(insn.imm);
}

/// Modified immediate of a comparison.
pub(super) fn modified_compare(insn: &mut Insn, f: &Fields<'_>) {
    modified(insn, f);
    insn.flags = SetFlags::Always;
}

/// Sign extension of the low `bits` bits.
pub(super) fn sign_extend(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}
