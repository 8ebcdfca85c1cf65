//! The floating-point extension FPv4-SP (DDI 0403, A6). Double-precision registers exist as pairs of singles for moves,
//! loads and stores; double-precision arithmetic does not exist and has no row.
//!
//! Capital letters are the lowest bit of a single's number: `D`, `N`, `M`.

use super::fields::{Fields, plain};
use super::{Row, row};
use crate::insn::{Fp, Insn, Mode, Op};

/// Single-precision register numbers.
fn singles(insn: &mut Insn, f: &Fields<'_>) {
    insn.rd = (insn.rd << 1) | f.get(b'D') as u8;
    insn.rn = (insn.rn << 1) | f.get(b'N') as u8;
    insn.rm = (insn.rm << 1) | f.get(b'M') as u8;
}

/// Singles, and choices under `x` and `y` as bits 0 and 1.
fn choices(insn: &mut Insn, f: &Fields<'_>) {
    singles(insn, f);
    insn.opt = (f.get(b'x') | f.get(b'y') << 1) as u8;
}

/// Constant of VMOV (A6.4.1, VFPExpandImm).
fn constant(insn: &mut Insn, f: &Fields<'_>) {
    singles(insn, f);
    let imm8 = insn.imm;
    let sign = imm8 >> 7 << 31;
    let exponent = if imm8 & 0x40 != 0 { 0x1F << 25 } else { 1 << 30 };
    insn.imm = sign | exponent | (imm8 & 0x3F) << 19;
}

/// Comparison with zero: the second choice is fixed.
fn compare_zero(insn: &mut Insn, f: &Fields<'_>) {
    choices(insn, f);
    insn.opt |= 2;
}

/// Fixed point: fraction bits are 16 or 32 less the constant imm4:i.
fn fixed(insn: &mut Insn, f: &Fields<'_>) {
    singles(insn, f);
    let wide = f.get(b'y');
    let size = if wide == 1 { 32 } else { 16 };
    let less = (f.word & 0xF) << 1 | f.word >> 5 & 1;
    insn.imm = (size - less as i32).max(0) as u32; // more than the size is unpredictable
    insn.opt = ((1 ^ f.get(b'u')) | wide << 1 | f.get(b'x') << 2) as u8;
}

/// VMOV between a core register and a single, which is placed as `n`.
fn core(insn: &mut Insn, f: &Fields<'_>) {
    insn.rd = (insn.rn << 1) | f.get(b'N') as u8;
    insn.rn = 0;
    insn.opt = f.get(b'x') as u8;
}

/// VMOV between a core register and half of a double.
fn core_half(insn: &mut Insn, f: &Fields<'_>) {
    insn.rd = (insn.rn << 1) | f.get(b'y') as u8;
    insn.rn = 0;
    insn.opt = f.get(b'x') as u8;
}

/// VMOV between two core registers and two singles.
fn core_two(insn: &mut Insn, f: &Fields<'_>) {
    insn.rm = (insn.rm << 1) | f.get(b'M') as u8;
    insn.opt = f.get(b'x') as u8;
}

/// VLDR and VSTR of a single.
fn memory(insn: &mut Insn, f: &Fields<'_>) {
    insn.rd = (insn.rd << 1) | f.get(b'D') as u8;
    insn.opt = 1;
    insn.imm *= 4;
    insn.mode = if insn.rn == 15 { Mode::Literal } else { Mode::Offset };
    if f.get(b'u') == 0 {
        insn.imm = insn.imm.wrapping_neg();
    }
}

/// VLDR and VSTR of a double: two singles.
fn memory_double(insn: &mut Insn, f: &Fields<'_>) {
    memory(insn, f);
    insn.opt = 2;
}

/// VLDM and VSTM upwards.
fn multiple(insn: &mut Insn, f: &Fields<'_>) {
    insn.rd = (insn.rd << 1) | f.get(b'D') as u8;
    insn.ra = insn.imm as u8;
    insn.imm = 0;
    insn.opt = f.get(b'w') as u8;
}

/// VLDM and VSTM of doubles: an even number of singles.
fn multiple_doubles(insn: &mut Insn, f: &Fields<'_>) {
    multiple(insn, f);
    insn.ra *= 2;
}

fn multiple_before(insn: &mut Insn, f: &Fields<'_>) {
    multiple(insn, f);
    insn.opt = 3;
}

fn multiple_before_doubles(insn: &mut Insn, f: &Fields<'_>) {
    multiple_doubles(insn, f);
    insn.opt = 3;
}

pub(super) const ROWS: &[Row] = &[
    // Data processing (A6.4).
    row("11101110 0D00 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Mla), singles),
    row("11101110 0D00 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Mls), singles),
    row("11101110 0D01 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Nmls), singles),
    row("11101110 0D01 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Nmla), singles),
    row("11101110 0D10 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Mul), singles),
    row("11101110 0D10 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Nmul), singles),
    row("11101110 0D11 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Add), singles),
    row("11101110 0D11 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Sub), singles),
    row("11101110 1D00 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Div), singles),
    row("11101110 1D01 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Fnms), singles),
    row("11101110 1D01 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Fnma), singles),
    row("11101110 1D10 nnnn dddd 1010 N0M0 mmmm", Op::Fp(Fp::Fma), singles),
    row("11101110 1D10 nnnn dddd 1010 N1M0 mmmm", Op::Fp(Fp::Fms), singles),
    row("11101110 1D11 iiii dddd 1010 0000 iiii", Op::FpMovImm, constant),
    row("11101110 1D11 0000 dddd 1010 01M0 mmmm", Op::Fp(Fp::MovReg), singles),
    row("11101110 1D11 0000 dddd 1010 11M0 mmmm", Op::Fp(Fp::Abs), singles),
    row("11101110 1D11 0001 dddd 1010 01M0 mmmm", Op::Fp(Fp::Neg), singles),
    row("11101110 1D11 0001 dddd 1010 11M0 mmmm", Op::Fp(Fp::Sqrt), singles),
    row("11101110 1D11 001y dddd 1010 x1M0 mmmm", Op::FpHalf, choices),
    row("11101110 1D11 0100 dddd 1010 x1M0 mmmm", Op::FpCmp, choices),
    row("11101110 1D11 0101 dddd 1010 x100 0000", Op::FpCmp, compare_zero),
    row("11101110 1D11 1000 dddd 1010 x1M0 mmmm", Op::FpFromInt, choices),
    row("11101110 1D11 110x dddd 1010 y1M0 mmmm", Op::FpToInt, choices),
    row("11101110 1D11 1x1u dddd 1010 y1i0 iiii", Op::FpFixed, fixed),
    // Moves between core and extension registers (A6.6, A6.7).
    row("11101110 000x nnnn aaaa 1010 N001 0000", Op::FpMovCore, core),
    row("11101110 00yx nnnn aaaa 1011 0001 0000", Op::FpMovCore, core_half),
    row("11101110 1111 0001 dddd 1010 0001 0000", Op::Vmrs, plain),
    row("11101110 1110 0001 dddd 1010 0001 0000", Op::Vmsr, plain),
    row("11101100 010x aaaa dddd 1010 00M1 mmmm", Op::FpMovTwo, core_two),
    row("11101100 010x aaaa dddd 1011 0001 mmmm", Op::FpMovTwo, core_two),
    // Loads and stores (A6.5).
    row("11101101 uD01 nnnn dddd 1010 iiiiiiii", Op::FpLoad, memory),
    row("11101101 u001 nnnn dddd 1011 iiiiiiii", Op::FpLoad, memory_double),
    row("11101101 uD00 nnnn dddd 1010 iiiiiiii", Op::FpStore, memory),
    row("11101101 u000 nnnn dddd 1011 iiiiiiii", Op::FpStore, memory_double),
    row("11101100 1Dw1 nnnn dddd 1010 iiiiiiii", Op::FpLoadMulti, multiple),
    row("11101100 10w1 nnnn dddd 1011 iiiiiii0", Op::FpLoadMulti, multiple_doubles),
    row("11101101 0D11 nnnn dddd 1010 iiiiiiii", Op::FpLoadMulti, multiple_before),
    row("11101101 0011 nnnn dddd 1011 iiiiiii0", Op::FpLoadMulti, multiple_before_doubles),
    row("11101100 1Dw0 nnnn dddd 1010 iiiiiiii", Op::FpStoreMulti, multiple),
    row("11101100 10w0 nnnn dddd 1011 iiiiiii0", Op::FpStoreMulti, multiple_doubles),
    row("11101101 0D10 nnnn dddd 1010 iiiiiiii", Op::FpStoreMulti, multiple_before),
    row("11101101 0010 nnnn dddd 1011 iiiiiii0", Op::FpStoreMulti, multiple_before_doubles),
];
