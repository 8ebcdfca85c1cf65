//! 32-bit data processing with constants and shifted registers, branches and system control (DDI 0403, A5.3.1 to A5.3.4
//! and A5.3.11).

use super::fields::{Fields, modified, modified_compare, plain, shifted, shifted_compare, sign_extend};
use super::{Row, row};
use crate::insn::{Alu, Barrier, Hint, Insn, Mode, Op, Shift};

/// ADR that subtracts.
fn adr_sub(insn: &mut Insn, _: &Fields<'_>) {
    insn.imm = insn.imm.wrapping_neg();
}

/// Plain 12-bit constant; the carry stays.
fn plain_imm(insn: &mut Insn, _: &Fields<'_>) {
    insn.opt = 0;
}

/// Saturation: bits to keep, and a shift that is LSL or ASR.
fn saturate(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm = f.get(b'x');
    let amount = f.get(b'i') as u8;
    let asr = f.get(b'y') == 1;
    (insn.shift, insn.amount) = match (asr, amount) {
        (false, n) => (Shift::Lsl, n),
        (true, n) => (Shift::Asr, n), // ASR by 0 would be SSAT16 or USAT16
    };
    insn.mode = Mode::Shifted;
}

/// Signed saturation keeps one bit more than encoded.
fn saturate_signed(insn: &mut Insn, f: &Fields<'_>) {
    saturate(insn, f);
    insn.imm += 1;
}

fn saturate16_signed(insn: &mut Insn, _: &Fields<'_>) {
    insn.imm += 1;
}

/// Bit field extract: lsb and width minus one.
fn extract(insn: &mut Insn, f: &Fields<'_>) {
    insn.amount = f.get(b'i') as u8;
    insn.imm = f.get(b'x') + 1;
}

/// Bit field insert and clear: lsb and msb. A msb below lsb is unpredictable; it is taken as an empty field.
fn insert(insn: &mut Insn, f: &Fields<'_>) {
    let lsb = f.get(b'i');
    insn.amount = lsb as u8;
    insn.imm = (f.get(b'x') + 1).saturating_sub(lsb);
}

fn branch_cond(insn: &mut Insn, f: &Fields<'_>) {
    // S:J2:J1:imm6:imm11:0
    let imm = f.get(b'p') << 20 | f.get(b'y') << 19 | f.get(b'x') << 18 | f.get(b'i') << 1;
    insn.imm = sign_extend(imm, 21);
    insn.opt = (f.word >> 22 & 0xF) as u8;
}

fn branch(insn: &mut Insn, f: &Fields<'_>) {
    // S:I1:I2:imm10:imm11:0 with I = NOT(J XOR S)
    let s = f.get(b'p');
    let (i1, i2) = (1 ^ f.get(b'x') ^ s, 1 ^ f.get(b'y') ^ s);
    insn.imm = sign_extend(s << 24 | i1 << 23 | i2 << 22 | f.get(b'i') << 1, 25);
}

fn msr(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = f.get(b'x') as u8;
}

/// PKHBT and PKHTB: the shift is LSL or ASR.
fn pack(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = f.get(b'x') as u8;
    let amount = insn.imm as u8;
    (insn.shift, insn.amount) = match (insn.opt, amount) {
        (0, n) => (Shift::Lsl, n),
        (_, 0) => (Shift::Asr, 32),
        (_, n) => (Shift::Asr, n),
    };
    insn.imm = 0;
    insn.mode = Mode::Shifted;
}

/// 16-bit constant of MOVW and MOVT: imm4:i:imm3:imm8.
fn mov_wide(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm |= f.get(b'x') << 12;
}

pub(super) const ROWS: &[Row] = &[
    // Modified immediate (A5.3.1).
    row("11110 i 0 0000 1 nnnn 0 iii 1111 iiiiiiii", Op::Alu(Alu::Tst), modified_compare),
    row("11110 i 0 0000 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::And), modified),
    row("11110 i 0 0001 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Bic), modified),
    row("11110 i 0 0010 s 1111 0 iii dddd iiiiiiii", Op::Alu(Alu::Mov), modified),
    row("11110 i 0 0010 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Orr), modified),
    row("11110 i 0 0011 s 1111 0 iii dddd iiiiiiii", Op::Alu(Alu::Mvn), modified),
    row("11110 i 0 0011 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Orn), modified),
    row("11110 i 0 0100 1 nnnn 0 iii 1111 iiiiiiii", Op::Alu(Alu::Teq), modified_compare),
    row("11110 i 0 0100 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Eor), modified),
    row("11110 i 0 1000 1 nnnn 0 iii 1111 iiiiiiii", Op::Alu(Alu::Cmn), modified_compare),
    row("11110 i 0 1000 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Add), modified),
    row("11110 i 0 1010 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Adc), modified),
    row("11110 i 0 1011 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Sbc), modified),
    row("11110 i 0 1101 1 nnnn 0 iii 1111 iiiiiiii", Op::Alu(Alu::Cmp), modified_compare),
    row("11110 i 0 1101 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Sub), modified),
    row("11110 i 0 1110 s nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Rsb), modified),
    // Plain immediate (A5.3.3).
    row("11110 i 1 0000 0 1111 0 iii dddd iiiiiiii", Op::Adr, plain),
    row("11110 i 1 0000 0 nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Add), plain_imm),
    row("11110 i 1 0010 0 xxxx 0 iii dddd iiiiiiii", Op::Alu(Alu::Mov), mov_wide),
    row("11110 i 1 0101 0 1111 0 iii dddd iiiiiiii", Op::Adr, adr_sub),
    row("11110 i 1 0101 0 nnnn 0 iii dddd iiiiiiii", Op::Alu(Alu::Sub), plain_imm),
    row("11110 i 1 0110 0 xxxx 0 iii dddd iiiiiiii", Op::Movt, mov_wide),
    row("11110 0 1 1001 0 nnnn 0 000 dddd 00 00 iiii", Op::Sat16 { signed: true }, saturate16_signed),
    row("11110 0 1 100 y 0 nnnn 0 iii dddd ii 0 xxxxx", Op::Sat { signed: true }, saturate_signed),
    row("11110 0 1 1101 0 nnnn 0 000 dddd 00 00 iiii", Op::Sat16 { signed: false }, plain),
    row("11110 0 1 110 y 0 nnnn 0 iii dddd ii 0 xxxxx", Op::Sat { signed: false }, saturate),
    row("11110 0 1 1010 0 nnnn 0 iii dddd ii 0 xxxxx", Op::Sbfx, extract),
    row("11110 0 1 1110 0 nnnn 0 iii dddd ii 0 xxxxx", Op::Ubfx, extract),
    row("11110 0 1 1011 0 1111 0 iii dddd ii 0 xxxxx", Op::Bfc, insert),
    row("11110 0 1 1011 0 nnnn 0 iii dddd ii 0 xxxxx", Op::Bfi, insert),
    // Shifted register (A5.3.11).
    row("11101 01 0000 1 nnnn 0 iii 1111 ii kk mmmm", Op::Alu(Alu::Tst), shifted_compare),
    row("11101 01 0000 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::And), shifted),
    row("11101 01 0001 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Bic), shifted),
    row("11101 01 0010 s 1111 0 iii dddd ii kk mmmm", Op::Alu(Alu::Mov), shifted),
    row("11101 01 0010 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Orr), shifted),
    row("11101 01 0011 s 1111 0 iii dddd ii kk mmmm", Op::Alu(Alu::Mvn), shifted),
    row("11101 01 0011 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Orn), shifted),
    row("11101 01 0100 1 nnnn 0 iii 1111 ii kk mmmm", Op::Alu(Alu::Teq), shifted_compare),
    row("11101 01 0100 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Eor), shifted),
    row("11101 01 0110 0 nnnn 0 iii dddd ii x0 mmmm", Op::Pkh, pack),
    row("11101 01 1000 1 nnnn 0 iii 1111 ii kk mmmm", Op::Alu(Alu::Cmn), shifted_compare),
    row("11101 01 1000 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Add), shifted),
    row("11101 01 1010 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Adc), shifted),
    row("11101 01 1011 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Sbc), shifted),
    row("11101 01 1101 1 nnnn 0 iii 1111 ii kk mmmm", Op::Alu(Alu::Cmp), shifted_compare),
    row("11101 01 1101 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Sub), shifted),
    row("11101 01 1110 s nnnn 0 iii dddd ii kk mmmm", Op::Alu(Alu::Rsb), shifted),
    // Branches and miscellaneous control (A5.3.4).
    row("11110 0 1110 0 0 nnnn 10 0 0 xx 00 iiiiiiii", Op::Msr, msr),
    row("11110 0 1110 1 0 1111 10 0 0 0000 0000 0000", Op::Hint(Hint::Nop), plain),
    row("11110 0 1110 1 0 1111 10 0 0 0000 0000 0001", Op::Hint(Hint::Yield), plain),
    row("11110 0 1110 1 0 1111 10 0 0 0000 0000 0010", Op::Hint(Hint::Wfe), plain),
    row("11110 0 1110 1 0 1111 10 0 0 0000 0000 0011", Op::Hint(Hint::Wfi), plain),
    row("11110 0 1110 1 0 1111 10 0 0 0000 0000 0100", Op::Hint(Hint::Sev), plain),
    row("11110 0 1110 1 0 1111 10 0 0 0000 1111 xxxx", Op::Hint(Hint::Dbg), plain),
    row("11110 0 1110 1 1 1111 10 0 0 1111 0010 1111", Op::Clrex, plain),
    row("11110 0 1110 1 1 1111 10 0 0 1111 0100 xxxx", Op::Barrier(Barrier::Dsb), plain),
    row("11110 0 1110 1 1 1111 10 0 0 1111 0101 xxxx", Op::Barrier(Barrier::Dmb), plain),
    row("11110 0 1110 1 1 1111 10 0 0 1111 0110 xxxx", Op::Barrier(Barrier::Isb), plain),
    row("11110 0 1111 1 0 1111 10 0 0 dddd iiiiiiii", Op::Mrs, plain),
    row("11110 1 1111 11 iiii 1010 iiii iiiiiiii", Op::Udf, plain),
    // Conditions 14 and 15 of the conditional branch are the space of the rows above: three rows leave them out.
    row("11110 p 0ccc iiiiii 10 x 0 y iiiiiiiiiii", Op::BCond, branch_cond),
    row("11110 p 10cc iiiiii 10 x 0 y iiiiiiiiiii", Op::BCond, branch_cond),
    row("11110 p 110c iiiiii 10 x 0 y iiiiiiiiiii", Op::BCond, branch_cond),
    row("11110 p iiiiiiiiii 10 x 1 y iiiiiiiiiii", Op::B, branch),
    row("11110 p iiiiiiiiii 11 x 1 y iiiiiiiiiii", Op::Bl, branch),
];
