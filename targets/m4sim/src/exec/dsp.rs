//! The DSP extension besides its multiplies: parallel and saturating arithmetic, SEL, PKH, USAD8.

use super::Handler;
use super::alu::shift;
use crate::core::Core;
use crate::error::Step;
use crate::insn::{Insn, Lanes, Op};

/// Clamps to a signed range of `bits` bits; the flag tells whether that changed the value.
fn saturate_signed(value: i64, bits: u32) -> (i64, bool) {
    let max = (1i64 << (bits - 1)) - 1;
    let clamped = value.clamp(-max - 1, max);
    (clamped, clamped != value)
}

/// Clamps to an unsigned range of `bits` bits.
fn saturate_unsigned(value: i64, bits: u32) -> (i64, bool) {
    let clamped = value.clamp(0, (1i64 << bits) - 1);
    (clamped, clamped != value)
}

/// One lane: what the prefix makes of an exact sum or difference. The second value is the lane's GE flag.
fn lane(prefix: u8, bits: u32, exact: i32, subtracts: bool) -> (u32, bool) {
    let mask = (1u32 << bits) - 1;
    let signed_carry = exact >= 0;
    // For unsigned additions GE is the carry, for subtractions the absence of a borrow.
    let unsigned_carry = if subtracts { exact >= 0 } else { exact > mask as i32 };
    let value = match prefix {
        0 | 4 => exact as u32,
        1 => saturate_signed(exact.into(), bits).0 as u32,
        5 => saturate_unsigned(exact.into(), bits).0 as u32,
        _ => (exact >> 1) as u32,
    };
    (value & mask, if prefix == 0 { signed_carry } else { unsigned_carry })
}

/// Bits `from` to `from + bits` of a value, signed or not by the prefix.
fn part(value: u32, from: u32, bits: u32, prefix: u8) -> i32 {
    let raw = value >> from & ((1 << bits) - 1);
    if prefix < 4 { ((raw << (32 - bits)) as i32) >> (32 - bits) } else { raw as i32 }
}

/// Parallel addition and subtraction on halfwords: (subtract the low lane, subtract the high lane, exchange).
fn parallel16(c: &mut Core, i: &Insn, sub_low: bool, sub_high: bool, exchange: bool) -> Step {
    let (n, m) = (c.reg(i.rn), c.reg(i.rm));
    let m = if exchange { m.rotate_right(16) } else { m };
    let combine = |from, sub| {
        let (a, b) = (part(n, from, 16, i.opt), part(m, from, 16, i.opt));
        lane(i.opt, 16, if sub { a - b } else { a + b }, sub)
    };
    let ((low, ge_low), (high, ge_high)) = (combine(0, sub_low), combine(16, sub_high));
    if i.opt & 3 == 0 {
        c.ge = if ge_low { 3 } else { 0 } | if ge_high { 12 } else { 0 };
    }
    c.set(i.rd, high << 16 | low);
    Ok(())
}

/// Parallel addition or subtraction on bytes.
fn parallel8(c: &mut Core, i: &Insn, sub: bool) -> Step {
    let (n, m) = (c.reg(i.rn), c.reg(i.rm));
    let (mut result, mut ge) = (0, 0);
    for at in 0..4 {
        let (a, b) = (part(n, 8 * at, 8, i.opt), part(m, 8 * at, 8, i.opt));
        let (value, flag) = lane(i.opt, 8, if sub { a - b } else { a + b }, sub);
        result |= value << (8 * at);
        ge |= u32::from(flag) << at;
    }
    if i.opt & 3 == 0 {
        c.ge = ge;
    }
    c.set(i.rd, result);
    Ok(())
}

fn saturated_arithmetic<const DOUBLE: bool, const SUB: bool>(c: &mut Core, i: &Insn) -> Step {
    let (m, mut n) = (i64::from(c.reg(i.rm) as i32), i64::from(c.reg(i.rn) as i32));
    if DOUBLE {
        let (doubled, saturated) = saturate_signed(2 * n, 32);
        n = doubled;
        c.qf |= saturated;
    }
    let (result, saturated) = saturate_signed(if SUB { m - n } else { m + n }, 32);
    c.qf |= saturated;
    c.set(i.rd, result as u32);
    Ok(())
}

fn saturate<const SIGNED: bool>(c: &mut Core, i: &Insn) -> Step {
    let value = i64::from(shift(i.shift, c.reg(i.rn), i.amount.into(), false).0 as i32);
    let (result, saturated) = if SIGNED { saturate_signed(value, i.imm) } else { saturate_unsigned(value, i.imm) };
    c.qf |= saturated;
    c.set(i.rd, result as u32);
    Ok(())
}

fn saturate16<const SIGNED: bool>(c: &mut Core, i: &Insn) -> Step {
    let n = c.reg(i.rn);
    let both = [n as i16, (n >> 16) as i16]
        .map(|half| if SIGNED { saturate_signed(half.into(), i.imm) } else { saturate_unsigned(half.into(), i.imm) });
    c.qf |= both[0].1 || both[1].1;
    c.set(i.rd, (both[1].0 as u32) << 16 | both[0].0 as u32 & 0xFFFF);
    Ok(())
}

/// Sum of absolute differences of bytes, added to `ra` (15: none).
fn usad8(c: &mut Core, i: &Insn) -> Step {
    let (n, m) = (c.reg(i.rn).to_le_bytes(), c.reg(i.rm).to_le_bytes());
    let sum: u32 = n.iter().zip(m).map(|(&a, b)| u32::from(a.abs_diff(b))).sum();
    let acc = if i.ra == 15 { 0 } else { c.reg(i.ra) };
    c.set(i.rd, acc.wrapping_add(sum));
    Ok(())
}

/// The handler of a DSP operation.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::Sel => |c, i| {
            let mask = (0..4).filter(|b| c.ge >> b & 1 != 0).fold(0u32, |acc, b| acc | 0xFF << (8 * b));
            c.set(i.rd, c.reg(i.rn) & mask | c.reg(i.rm) & !mask);
            Ok(())
        },
        Op::Pkh => |c, i| {
            let (n, m) = (c.reg(i.rn), shift(i.shift, c.reg(i.rm), i.amount.into(), false).0);
            let (low, high) = if i.opt == 1 { (m, n) } else { (n, m) };
            c.set(i.rd, high & 0xFFFF_0000 | low & 0xFFFF);
            Ok(())
        },
        Op::Usad8 => usad8,
        Op::Sat { signed: true } => saturate::<true>,
        Op::Sat { signed: false } => saturate::<false>,
        Op::Sat16 { signed: true } => saturate16::<true>,
        Op::Sat16 { signed: false } => saturate16::<false>,
        Op::QArith { double: false, sub: false } => saturated_arithmetic::<false, false>,
        Op::QArith { double: false, sub: true } => saturated_arithmetic::<false, true>,
        Op::QArith { double: true, sub: false } => saturated_arithmetic::<true, false>,
        Op::QArith { double: true, sub: true } => saturated_arithmetic::<true, true>,
        Op::Parallel(Lanes::Add8) => |c, i| parallel8(c, i, false),
        Op::Parallel(Lanes::Sub8) => |c, i| parallel8(c, i, true),
        Op::Parallel(Lanes::Add16) => |c, i| parallel16(c, i, false, false, false),
        Op::Parallel(Lanes::Sub16) => |c, i| parallel16(c, i, true, true, false),
        // ASX adds into the high half and subtracts into the low one, SAX the other way round.
        Op::Parallel(Lanes::Asx) => |c, i| parallel16(c, i, true, false, true),
        _ => |c, i| parallel16(c, i, false, true, true),
    }
}
