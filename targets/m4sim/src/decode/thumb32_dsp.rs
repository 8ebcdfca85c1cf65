//! 32-bit data processing on registers and the multiplies (DDI 0403, A5.3.12 to A5.3.17).

use super::fields::{Fields, plain};
use super::{Row, row};
use crate::insn::{Extend, Insn, Lanes, Long, Op, Shift};

/// Rotation of an extension: a multiple of 8.
fn rotated(insn: &mut Insn, f: &Fields<'_>) {
    insn.amount = 8 * f.get(b'x') as u8;
}

/// Prefix of a parallel instruction, in bits 6 to 4.
fn parallel(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = (f.word >> 4 & 7) as u8;
}

/// Small choices under `x`.
fn choice(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = f.get(b'x') as u8;
}

/// No accumulator.
fn no_accumulator(insn: &mut Insn, f: &Fields<'_>) {
    insn.ra = 15;
    choice(insn, f);
}

pub(super) const ROWS: &[Row] = &[
    row("11111010 000s nnnn 1111 dddd 0000 mmmm", Op::ShiftReg(Shift::Lsl), plain),
    row("11111010 001s nnnn 1111 dddd 0000 mmmm", Op::ShiftReg(Shift::Lsr), plain),
    row("11111010 010s nnnn 1111 dddd 0000 mmmm", Op::ShiftReg(Shift::Asr), plain),
    row("11111010 011s nnnn 1111 dddd 0000 mmmm", Op::ShiftReg(Shift::Ror), plain),
    row("11111010 0000 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Sxth), rotated),
    row("11111010 0001 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Uxth), rotated),
    row("11111010 0010 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Sxtb16), rotated),
    row("11111010 0011 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Uxtb16), rotated),
    row("11111010 0100 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Sxtb), rotated),
    row("11111010 0101 nnnn 1111 dddd 10xx mmmm", Op::Extend(Extend::Uxtb), rotated),
    // Parallel: bits 6 to 4 are the prefix; 3 and 7 are no prefixes, so two rows each.
    row("11111010 1000 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Add8), parallel),
    row("11111010 1000 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Add8), parallel),
    row("11111010 1001 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Add16), parallel),
    row("11111010 1001 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Add16), parallel),
    row("11111010 1010 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Asx), parallel),
    row("11111010 1010 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Asx), parallel),
    row("11111010 1100 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Sub8), parallel),
    row("11111010 1100 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Sub8), parallel),
    row("11111010 1101 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Sub16), parallel),
    row("11111010 1101 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Sub16), parallel),
    row("11111010 1110 nnnn 1111 dddd 0x0x mmmm", Op::Parallel(Lanes::Sax), parallel),
    row("11111010 1110 nnnn 1111 dddd 0x10 mmmm", Op::Parallel(Lanes::Sax), parallel),
    row("11111010 1000 nnnn 1111 dddd 1000 mmmm", Op::QArith { double: false, sub: false }, plain),
    row("11111010 1000 nnnn 1111 dddd 1001 mmmm", Op::QArith { double: true, sub: false }, plain),
    row("11111010 1000 nnnn 1111 dddd 1010 mmmm", Op::QArith { double: false, sub: true }, plain),
    row("11111010 1000 nnnn 1111 dddd 1011 mmmm", Op::QArith { double: true, sub: true }, plain),
    row("11111010 1001 xxxx 1111 dddd 1000 mmmm", Op::Rev, plain),
    row("11111010 1001 xxxx 1111 dddd 1001 mmmm", Op::Rev16, plain),
    row("11111010 1001 xxxx 1111 dddd 1010 mmmm", Op::Rbit, plain),
    row("11111010 1001 xxxx 1111 dddd 1011 mmmm", Op::Revsh, plain),
    row("11111010 1010 nnnn 1111 dddd 1000 mmmm", Op::Sel, plain),
    row("11111010 1011 xxxx 1111 dddd 1000 mmmm", Op::Clz, plain),
    // Multiplies with a 32-bit result; an accumulator of 15 is none.
    row("11111011 0000 nnnn 1111 dddd 0000 mmmm", Op::Mul, plain),
    row("11111011 0000 nnnn aaaa dddd 0000 mmmm", Op::Mla, plain),
    row("11111011 0000 nnnn aaaa dddd 0001 mmmm", Op::Mls, plain),
    row("11111011 0001 nnnn 1111 dddd 00xx mmmm", Op::MulHalf { acc: false }, choice),
    row("11111011 0001 nnnn aaaa dddd 00xx mmmm", Op::MulHalf { acc: true }, choice),
    row("11111011 0010 nnnn 1111 dddd 000x mmmm", Op::MulDual { sub: false, acc: false }, choice),
    row("11111011 0010 nnnn aaaa dddd 000x mmmm", Op::MulDual { sub: false, acc: true }, choice),
    row("11111011 0011 nnnn 1111 dddd 000x mmmm", Op::MulWide { acc: false }, choice),
    row("11111011 0011 nnnn aaaa dddd 000x mmmm", Op::MulWide { acc: true }, choice),
    row("11111011 0100 nnnn 1111 dddd 000x mmmm", Op::MulDual { sub: true, acc: false }, choice),
    row("11111011 0100 nnnn aaaa dddd 000x mmmm", Op::MulDual { sub: true, acc: true }, choice),
    row("11111011 0101 nnnn 1111 dddd 000x mmmm", Op::MulTop, no_accumulator),
    row("11111011 0101 nnnn aaaa dddd 000x mmmm", Op::MulTop, choice),
    row("11111011 0110 nnnn aaaa dddd 000x mmmm", Op::MulTopSub, choice),
    row("11111011 0111 nnnn 1111 dddd 0000 mmmm", Op::Usad8, no_accumulator),
    row("11111011 0111 nnnn aaaa dddd 0000 mmmm", Op::Usad8, plain),
    // Multiplies with a 64-bit result, and division.
    row("11111011 1000 nnnn dddd aaaa 0000 mmmm", Op::MulLong(Long::Smull), plain),
    row("11111011 1001 nnnn 1111 dddd 1111 mmmm", Op::Div { signed: true }, plain),
    row("11111011 1010 nnnn dddd aaaa 0000 mmmm", Op::MulLong(Long::Umull), plain),
    row("11111011 1011 nnnn 1111 dddd 1111 mmmm", Op::Div { signed: false }, plain),
    row("11111011 1100 nnnn dddd aaaa 0000 mmmm", Op::MulLong(Long::Smlal), plain),
    row("11111011 1100 nnnn dddd aaaa 10xx mmmm", Op::MulHalfLong, choice),
    row("11111011 1100 nnnn dddd aaaa 110x mmmm", Op::MulDualLong { sub: false }, choice),
    row("11111011 1101 nnnn dddd aaaa 110x mmmm", Op::MulDualLong { sub: true }, choice),
    row("11111011 1110 nnnn dddd aaaa 0000 mmmm", Op::MulLong(Long::Umlal), plain),
    row("11111011 1110 nnnn dddd aaaa 0110 mmmm", Op::MulLong(Long::Umaal), plain),
];
