//! 32-bit loads and stores (DDI 0403, A5.3.5 to A5.3.10).

use super::fields::{Fields, plain};
use super::{Row, row};
use crate::insn::{Hint, Insn, Mode, Op, Width};

/// 12-bit positive offset.
fn imm12(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Offset;
}

/// 8-bit offset: negative, or positive in the unprivileged forms (everything here runs privileged).
fn imm8(insn: &mut Insn, f: &Fields<'_>) {
    insn.mode = Mode::Offset;
    signed_offset(insn, f);
}

/// Pre- and post-indexed.
fn indexed(insn: &mut Insn, f: &Fields<'_>) {
    insn.mode = if f.get(b'p') == 1 { Mode::Pre } else { Mode::Post };
    signed_offset(insn, f);
}

/// `u` clear subtracts the offset.
fn signed_offset(insn: &mut Insn, f: &Fields<'_>) {
    if f.get(b'u') == 0 {
        insn.imm = insn.imm.wrapping_neg();
    }
}

/// Register offset shifted left by 0 to 3.
fn register(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Index;
    insn.amount = insn.imm as u8;
    insn.imm = 0;
}

fn literal(insn: &mut Insn, f: &Fields<'_>) {
    insn.mode = Mode::Literal;
    signed_offset(insn, f);
}

/// LDRD and STRD before-indexed or plain.
fn dual(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm *= 4;
    insn.mode = if f.get(b'w') == 1 { Mode::Pre } else { Mode::Offset };
    signed_offset(insn, f);
}

fn dual_post(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm *= 4;
    insn.mode = Mode::Post;
    signed_offset(insn, f);
}

fn dual_literal(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm *= 4;
    literal(insn, f);
}

/// Register list and write-back.
fn multiple(insn: &mut Insn, f: &Fields<'_>) {
    insn.imm = f.word & 0xFFFF;
    insn.opt = f.get(b'w') as u8;
}

fn multiple_before(insn: &mut Insn, f: &Fields<'_>) {
    multiple(insn, f);
    insn.opt |= 2;
}

fn exclusive(insn: &mut Insn, _: &Fields<'_>) {
    insn.mode = Mode::Offset;
    insn.imm *= 4;
}

fn table(insn: &mut Insn, f: &Fields<'_>) {
    insn.opt = f.get(b'x') as u8;
}

pub(super) const ROWS: &[Row] = &[
    // Rt = 15 of byte and halfword loads is the space of memory hints.
    row("1111100 x u0x1 1111 1111 xxxxxxxxxxxx", Op::Hint(Hint::Preload), plain),
    row("1111100 x 10x1 nnnn 1111 xxxxxxxxxxxx", Op::Hint(Hint::Preload), plain),
    row("1111100 x 00x1 nnnn 1111 1100 xxxxxxxx", Op::Hint(Hint::Preload), plain),
    row("1111100 x 00x1 nnnn 1111 000000 ii mmmm", Op::Hint(Hint::Preload), plain),
    // Rn = 15 of loads is the literal form whatever the addressing bits say; of stores it is undefined.
    row("11111000 u001 1111 dddd iiiiiiiiiiii", Op::Load(Width::Byte), literal),
    row("11111000 u011 1111 dddd iiiiiiiiiiii", Op::Load(Width::Half), literal),
    row("11111000 u101 1111 dddd iiiiiiiiiiii", Op::Load(Width::Word), literal),
    row("11111001 u001 1111 dddd iiiiiiiiiiii", Op::Load(Width::SByte), literal),
    row("11111001 u011 1111 dddd iiiiiiiiiiii", Op::Load(Width::SHalf), literal),
    row("11111000 xxx0 1111 xxxx xxxxxxxxxxxx", Op::Udf, plain),
    row("11111000 1000 nnnn dddd iiiiiiiiiiii", Op::Store(Width::Byte), imm12),
    row("11111000 0000 nnnn dddd 11u0 iiiiiiii", Op::Store(Width::Byte), imm8),
    row("11111000 0000 nnnn dddd 1pu1 iiiiiiii", Op::Store(Width::Byte), indexed),
    row("11111000 0000 nnnn dddd 000000 ii mmmm", Op::Store(Width::Byte), register),
    row("11111000 1010 nnnn dddd iiiiiiiiiiii", Op::Store(Width::Half), imm12),
    row("11111000 0010 nnnn dddd 11u0 iiiiiiii", Op::Store(Width::Half), imm8),
    row("11111000 0010 nnnn dddd 1pu1 iiiiiiii", Op::Store(Width::Half), indexed),
    row("11111000 0010 nnnn dddd 000000 ii mmmm", Op::Store(Width::Half), register),
    row("11111000 1100 nnnn dddd iiiiiiiiiiii", Op::Store(Width::Word), imm12),
    row("11111000 0100 nnnn dddd 11u0 iiiiiiii", Op::Store(Width::Word), imm8),
    row("11111000 0100 nnnn dddd 1pu1 iiiiiiii", Op::Store(Width::Word), indexed),
    row("11111000 0100 nnnn dddd 000000 ii mmmm", Op::Store(Width::Word), register),
    row("11111000 1001 nnnn dddd iiiiiiiiiiii", Op::Load(Width::Byte), imm12),
    row("11111000 0001 nnnn dddd 11u0 iiiiiiii", Op::Load(Width::Byte), imm8),
    row("11111000 0001 nnnn dddd 1pu1 iiiiiiii", Op::Load(Width::Byte), indexed),
    row("11111000 0001 nnnn dddd 000000 ii mmmm", Op::Load(Width::Byte), register),
    row("11111000 1011 nnnn dddd iiiiiiiiiiii", Op::Load(Width::Half), imm12),
    row("11111000 0011 nnnn dddd 11u0 iiiiiiii", Op::Load(Width::Half), imm8),
    row("11111000 0011 nnnn dddd 1pu1 iiiiiiii", Op::Load(Width::Half), indexed),
    row("11111000 0011 nnnn dddd 000000 ii mmmm", Op::Load(Width::Half), register),
    row("11111000 1101 nnnn dddd iiiiiiiiiiii", Op::Load(Width::Word), imm12),
    row("11111000 0101 nnnn dddd 11u0 iiiiiiii", Op::Load(Width::Word), imm8),
    row("11111000 0101 nnnn dddd 1pu1 iiiiiiii", Op::Load(Width::Word), indexed),
    row("11111000 0101 nnnn dddd 000000 ii mmmm", Op::Load(Width::Word), register),
    row("11111001 1001 nnnn dddd iiiiiiiiiiii", Op::Load(Width::SByte), imm12),
    row("11111001 0001 nnnn dddd 11u0 iiiiiiii", Op::Load(Width::SByte), imm8),
    row("11111001 0001 nnnn dddd 1pu1 iiiiiiii", Op::Load(Width::SByte), indexed),
    row("11111001 0001 nnnn dddd 000000 ii mmmm", Op::Load(Width::SByte), register),
    row("11111001 1011 nnnn dddd iiiiiiiiiiii", Op::Load(Width::SHalf), imm12),
    row("11111001 0011 nnnn dddd 11u0 iiiiiiii", Op::Load(Width::SHalf), imm8),
    row("11111001 0011 nnnn dddd 1pu1 iiiiiiii", Op::Load(Width::SHalf), indexed),
    row("11111001 0011 nnnn dddd 000000 ii mmmm", Op::Load(Width::SHalf), register),
    // Multiple (A5.3.5): SP is never in the list, PC only of loads.
    row("1110100 010 w 0 nnnn 0x0xxxxxxxxxxxxx", Op::StoreMulti, multiple),
    row("1110100 010 w 1 nnnn xx0xxxxxxxxxxxxx", Op::LoadMulti, multiple),
    row("1110100 100 w 0 nnnn 0x0xxxxxxxxxxxxx", Op::StoreMulti, multiple_before),
    row("1110100 100 w 1 nnnn xx0xxxxxxxxxxxxx", Op::LoadMulti, multiple_before),
    // Dual, exclusive, table branch (A5.3.6).
    // SG and TT of Armv8-M, in the space of unpredictable LDRD and STREX.
    row("1110100 10111 1111 1110 1001 01111111", Op::Udf, plain),
    row("1110100 00100 xxxx 1111 xxxx xxxxxxxx", Op::Udf, plain),
    row("1110100 1u101 1111 dddd aaaa iiiiiiii", Op::LoadDual, dual_literal),
    row("1110100 1u1w0 nnnn dddd aaaa iiiiiiii", Op::StoreDual, dual),
    row("1110100 1u1w1 nnnn dddd aaaa iiiiiiii", Op::LoadDual, dual),
    row("1110100 0u110 nnnn dddd aaaa iiiiiiii", Op::StoreDual, dual_post),
    row("1110100 0u111 nnnn dddd aaaa iiiiiiii", Op::LoadDual, dual_post),
    row("1110100 00100 nnnn dddd aaaa iiiiiiii", Op::StoreEx(Width::Word), exclusive),
    row("1110100 00101 nnnn dddd 1111 iiiiiiii", Op::LoadEx(Width::Word), exclusive),
    row("1110100 01100 nnnn dddd 1111 0100 aaaa", Op::StoreEx(Width::Byte), plain),
    row("1110100 01100 nnnn dddd 1111 0101 aaaa", Op::StoreEx(Width::Half), plain),
    row("1110100 01101 nnnn dddd 1111 0100 1111", Op::LoadEx(Width::Byte), plain),
    row("1110100 01101 nnnn dddd 1111 0101 1111", Op::LoadEx(Width::Half), plain),
    row("1110100 01101 nnnn 1111 0000 000x mmmm", Op::TableBranch, table),
];
