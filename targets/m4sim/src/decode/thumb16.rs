//! The 16-bit instructions (DDI 0403, A5.2).

use super::fields::{
    Fields, compare, compare_reg, flags16, flags16_reg, immediate_shift, plain, reg, sign_extend, two16, two16_imm,
};
use super::{Row, row};
use crate::insn::{Alu, Extend, Hint, Insn, Mode, Op, SetFlags, Shift, Width};

/// A shift by a constant is a move of a shifted register.
fn shift_imm(kind: u32) -> impl Fn(&mut Insn) {
    move |insn| {
        (insn.shift, insn.amount) = immediate_shift(kind, insn.imm);
        insn.mode = if insn.amount == 0 { Mode::Reg } else { Mode::Shifted };
        insn.imm = 0;
        insn.flags = SetFlags::OutsideIt;
    }
}

fn lsl(insn: &mut Insn, _: &Fields<'_>) {
    shift_imm(0)(insn);
}

fn lsr(insn: &mut Insn, _: &Fields<'_>) {
    shift_imm(1)(insn);
}

fn asr(insn: &mut Insn, _: &Fields<'_>) {
    shift_imm(2)(insn);
}

/// RSB Rd, Rn, #0.
fn negate(insn: &mut Insn, _: &Fields<'_>) {
    insn.flags = SetFlags::OutsideIt;
}

/// MUL Rdm, Rn, Rdm: the destination is the second operand.
fn mul(insn: &mut Insn, _: &Fields<'_>) {
    insn.rm = insn.rd;
    insn.flags = SetFlags::OutsideIt;
}

/// Shift of `rd` by a register.
fn shift_reg(insn: &mut Insn, _: &Fields<'_>) {
    insn.rn = insn.rd;
    insn.flags = SetFlags::OutsideIt;
}

/// ADD of any two registers, without flags.
fn high_add(insn: &mut Insn, _: &Fields<'_>) {
    insn.rn = insn.rd;
    insn.mode = Mode::Reg;
}

fn literal(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Literal;
    insn.imm *= 4;
}

fn index(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Index;
}

fn offset(insn: &mut Insn, scale: u32) {
    insn.mode = Mode::Offset;
    insn.imm *= scale;
}

fn bytes(insn: &mut Insn, _: &Fields<'_>) {
    offset(insn, 1);
}

fn halves(insn: &mut Insn, _: &Fields<'_>) {
    offset(insn, 2);
}

fn words(insn: &mut Insn, _: &Fields<'_>) {
    offset(insn, 4);
}

fn words_sp(insn: &mut Insn, _: &Fields<'_>) {
    insn.rn = 13;
    offset(insn, 4);
}

fn scale4(insn: &mut Insn, _: &Fields<'_>) {
    insn.imm *= 4;
}

fn from_sp(insn: &mut Insn, _: &Fields<'_>) {
    insn.rn = 13;
    insn.imm *= 4;
}

fn adjust_sp(insn: &mut Insn, _: &Fields<'_>) {
    insn.rd = 13;
    insn.rn = 13;
    insn.imm *= 4;
}

/// Extension without addition.
fn extend(insn: &mut Insn, _: &Fields<'_>) {
    insn.rn = 15;
}

/// PUSH: registers and LR, decrement before, written back.
fn push(insn: &mut Insn, f: &Fields<'_>) {
    insn.rn = 13;
    insn.imm |= f.get(b'x') << 14;
    insn.opt = 3;
}

/// POP: registers and PC.
fn pop(insn: &mut Insn, f: &Fields<'_>) {
    insn.rn = 13;
    insn.imm |= f.get(b'x') << 15;
    insn.opt = 1;
}

fn stm(insn: &mut Insn, _: &Fields<'_>) {
    insn.opt = 1;
}

/// LDM writes the base back unless it loads it.
fn ldm(insn: &mut Insn, _: &Fields<'_>) {
    insn.opt = u8::from(insn.imm >> insn.rn & 1 == 0);
}

fn cbz(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm *= 2;
    insn.opt = f.get(b'x') as u8;
}

fn cps(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = (f.get(b'x') << 4 | f.get(b'y')) as u8;
}

fn branch_cond(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm = sign_extend(insn.imm << 1, 9);
    insn.opt = f.get(b'c') as u8;
}

fn branch(insn: &mut Insn, _: &Fields<'_>) {
    insn.imm = sign_extend(insn.imm << 1, 12);
}

pub(super) const ROWS: &[Row] = &[
    // Shift by a constant, add, subtract, move, compare.
    row("000 00 iiiii mmm ddd", Op::Alu(Alu::Mov), lsl),
    row("000 01 iiiii mmm ddd", Op::Alu(Alu::Mov), lsr),
    row("000 10 iiiii mmm ddd", Op::Alu(Alu::Mov), asr),
    row("000 11 0 0 mmm nnn ddd", Op::Alu(Alu::Add), flags16_reg),
    row("000 11 0 1 mmm nnn ddd", Op::Alu(Alu::Sub), flags16_reg),
    row("000 11 1 0 iii nnn ddd", Op::Alu(Alu::Add), flags16),
    row("000 11 1 1 iii nnn ddd", Op::Alu(Alu::Sub), flags16),
    row("001 00 ddd iiiiiiii", Op::Alu(Alu::Mov), flags16),
    row("001 01 nnn iiiiiiii", Op::Alu(Alu::Cmp), compare),
    row("001 10 ddd iiiiiiii", Op::Alu(Alu::Add), two16_imm),
    row("001 11 ddd iiiiiiii", Op::Alu(Alu::Sub), two16_imm),
    // Data processing.
    row("010000 0000 mmm ddd", Op::Alu(Alu::And), two16),
    row("010000 0001 mmm ddd", Op::Alu(Alu::Eor), two16),
    row("010000 0010 mmm ddd", Op::ShiftReg(Shift::Lsl), shift_reg),
    row("010000 0011 mmm ddd", Op::ShiftReg(Shift::Lsr), shift_reg),
    row("010000 0100 mmm ddd", Op::ShiftReg(Shift::Asr), shift_reg),
    row("010000 0101 mmm ddd", Op::Alu(Alu::Adc), two16),
    row("010000 0110 mmm ddd", Op::Alu(Alu::Sbc), two16),
    row("010000 0111 mmm ddd", Op::ShiftReg(Shift::Ror), shift_reg),
    row("010000 1000 mmm nnn", Op::Alu(Alu::Tst), compare_reg),
    row("010000 1001 nnn ddd", Op::Alu(Alu::Rsb), negate),
    row("010000 1010 mmm nnn", Op::Alu(Alu::Cmp), compare_reg),
    row("010000 1011 mmm nnn", Op::Alu(Alu::Cmn), compare_reg),
    row("010000 1100 mmm ddd", Op::Alu(Alu::Orr), two16),
    row("010000 1101 nnn ddd", Op::Mul, mul),
    row("010000 1110 mmm ddd", Op::Alu(Alu::Bic), two16),
    row("010000 1111 mmm ddd", Op::Alu(Alu::Mvn), two16),
    // Special data and branch exchange.
    row("010001 00 d mmmm ddd", Op::Alu(Alu::Add), high_add),
    row("010001 01 n mmmm nnn", Op::Alu(Alu::Cmp), compare_reg),
    row("010001 10 d mmmm ddd", Op::Alu(Alu::Mov), reg),
    row("010001 110 mmmm 000", Op::Bx, plain),
    row("010001 111 mmmm 000", Op::BlxReg, plain),
    // Loads and stores.
    row("01001 ddd iiiiiiii", Op::Load(Width::Word), literal),
    row("0101 000 mmm nnn ddd", Op::Store(Width::Word), index),
    row("0101 001 mmm nnn ddd", Op::Store(Width::Half), index),
    row("0101 010 mmm nnn ddd", Op::Store(Width::Byte), index),
    row("0101 011 mmm nnn ddd", Op::Load(Width::SByte), index),
    row("0101 100 mmm nnn ddd", Op::Load(Width::Word), index),
    row("0101 101 mmm nnn ddd", Op::Load(Width::Half), index),
    row("0101 110 mmm nnn ddd", Op::Load(Width::Byte), index),
    row("0101 111 mmm nnn ddd", Op::Load(Width::SHalf), index),
    row("0110 0 iiiii nnn ddd", Op::Store(Width::Word), words),
    row("0110 1 iiiii nnn ddd", Op::Load(Width::Word), words),
    row("0111 0 iiiii nnn ddd", Op::Store(Width::Byte), bytes),
    row("0111 1 iiiii nnn ddd", Op::Load(Width::Byte), bytes),
    row("1000 0 iiiii nnn ddd", Op::Store(Width::Half), halves),
    row("1000 1 iiiii nnn ddd", Op::Load(Width::Half), halves),
    row("1001 0 ddd iiiiiiii", Op::Store(Width::Word), words_sp),
    row("1001 1 ddd iiiiiiii", Op::Load(Width::Word), words_sp),
    // Addresses.
    row("1010 0 ddd iiiiiiii", Op::Adr, scale4),
    row("1010 1 ddd iiiiiiii", Op::Alu(Alu::Add), from_sp),
    // Miscellaneous.
    row("1011 0000 0 iiiiiii", Op::Alu(Alu::Add), adjust_sp),
    row("1011 0000 1 iiiiiii", Op::Alu(Alu::Sub), adjust_sp),
    row("1011 x 0 i 1 iiiii nnn", Op::Cbz, cbz),
    row("1011 0010 00 mmm ddd", Op::Extend(Extend::Sxth), extend),
    row("1011 0010 01 mmm ddd", Op::Extend(Extend::Sxtb), extend),
    row("1011 0010 10 mmm ddd", Op::Extend(Extend::Uxth), extend),
    row("1011 0010 11 mmm ddd", Op::Extend(Extend::Uxtb), extend),
    row("1011 010 x iiiiiiii", Op::StoreMulti, push),
    row("1011 110 x iiiiiiii", Op::LoadMulti, pop),
    row("1011 0110 011 x 00 yy", Op::Cps, cps),
    row("1011 1010 00 mmm ddd", Op::Rev, plain),
    row("1011 1010 01 mmm ddd", Op::Rev16, plain),
    row("1011 1010 11 mmm ddd", Op::Revsh, plain),
    row("1011 1110 iiiiiiii", Op::Bkpt, plain),
    row("1011 1111 0000 0000", Op::Hint(Hint::Nop), plain),
    row("1011 1111 0001 0000", Op::Hint(Hint::Yield), plain),
    row("1011 1111 0010 0000", Op::Hint(Hint::Wfe), plain),
    row("1011 1111 0011 0000", Op::Hint(Hint::Wfi), plain),
    row("1011 1111 0100 0000", Op::Hint(Hint::Sev), plain),
    // Unallocated hints execute as NOP (A5.2.5).
    row("1011 1111 xxxx 0000", Op::Hint(Hint::Nop), plain),
    row("1011 1111 iiiiiiii", Op::It, plain),
    // Multiple loads and stores, branches.
    row("1100 0 nnn iiiiiiii", Op::StoreMulti, stm),
    row("1100 1 nnn iiiiiiii", Op::LoadMulti, ldm),
    row("1101 1110 iiiiiiii", Op::Udf, plain),
    row("1101 1111 iiiiiiii", Op::Svc, plain),
    row("1101 cccc iiiiiiii", Op::BCond, branch_cond),
    row("1110 0 iiiiiiiiiii", Op::B, branch),
];
