//! Multiplication and division.

use super::Handler;
use crate::core::Core;
use crate::error::{FaultKind, Step, fault};
use crate::insn::{Insn, Long, Op};

fn half(value: u32, top: bool) -> i32 {
    if top { value as i32 >> 16 } else { i32::from(value as i16) }
}

/// The 64-bit accumulator in `ra:rd`.
fn long(c: &Core, i: &Insn) -> u64 {
    u64::from(c.reg(i.ra)) << 32 | u64::from(c.reg(i.rd))
}

fn set_long(c: &mut Core, i: &Insn, value: u64) -> Step {
    c.set(i.rd, value as u32);
    c.set(i.ra, (value >> 32) as u32);
    Ok(())
}

/// Writes a sum and sets Q when it does not fit 32 bits.
fn set_sticky(c: &mut Core, i: &Insn, sum: i64) -> Step {
    if sum != i64::from(sum as i32) {
        c.qf = true;
    }
    c.set(i.rd, sum as u32);
    Ok(())
}

/// MULS.
pub(super) fn mul_flags(c: &mut Core, i: &Insn) -> Step {
    let result = c.reg(i.rn).wrapping_mul(c.reg(i.rm));
    c.set_nz(result);
    c.set(i.rd, result);
    Ok(())
}

fn signed_product(c: &Core, i: &Insn) -> i64 {
    i64::from(c.reg(i.rn) as i32) * i64::from(c.reg(i.rm) as i32)
}

fn unsigned_product(c: &Core, i: &Insn) -> u64 {
    u64::from(c.reg(i.rn)) * u64::from(c.reg(i.rm))
}

/// Product of the halves that `opt` chooses.
fn half_product(c: &Core, i: &Insn) -> i64 {
    i64::from(half(c.reg(i.rn), i.opt & 2 != 0)) * i64::from(half(c.reg(i.rm), i.opt & 1 != 0))
}

/// Products of both halves, exchanged if `opt` says so.
fn dual_products(c: &Core, i: &Insn) -> (i64, i64) {
    let (n, m) = (c.reg(i.rn), c.reg(i.rm));
    let m = if i.opt & 1 != 0 { m.rotate_right(16) } else { m };
    (i64::from(half(n, false)) * i64::from(half(m, false)), i64::from(half(n, true)) * i64::from(half(m, true)))
}

fn dual<const SUB: bool, const ACC: bool>(c: &mut Core, i: &Insn) -> Step {
    let (low, high) = dual_products(c, i);
    let sum = if SUB { low - high } else { low + high };
    if ACC {
        return set_sticky(c, i, sum + i64::from(c.reg(i.ra) as i32));
    }
    if SUB {
        // A difference of two products always fits.
        c.set(i.rd, sum as u32);
        return Ok(());
    }
    set_sticky(c, i, sum)
}

fn dual_long<const SUB: bool>(c: &mut Core, i: &Insn) -> Step {
    let (low, high) = dual_products(c, i);
    let sum = if SUB { low - high } else { low + high };
    set_long(c, i, long(c, i).wrapping_add(sum as u64))
}

/// Top word of `ra:0` plus or minus the product, rounded if `opt` says so.
fn top<const SUB: bool>(c: &mut Core, i: &Insn) -> Step {
    let acc = if i.ra == 15 { 0 } else { i64::from(c.reg(i.ra)) << 32 };
    let product = signed_product(c, i);
    let sum = if SUB { acc.wrapping_sub(product) } else { acc.wrapping_add(product) };
    let round = if i.opt & 1 != 0 { 0x8000_0000 } else { 0 };
    c.set(i.rd, (sum.wrapping_add(round) >> 32) as u32);
    Ok(())
}

/// Division by zero gives zero unless it traps. Notes the significant bits of the quotient for the timing.
fn divide<const SIGNED: bool>(c: &mut Core, i: &Insn) -> Step {
    let (n, m) = (c.reg(i.rn), c.reg(i.rm));
    if m == 0 && c.sys.traps_division() {
        return fault(FaultKind::DivideByZero);
    }
    let (result, magnitude) = if m == 0 {
        (0, 0)
    } else if SIGNED {
        let quotient = (n as i32).wrapping_div(m as i32);
        (quotient as u32, quotient.unsigned_abs())
    } else {
        (n / m, n / m)
    };
    c.quotient_bits = (32 - magnitude.leading_zeros()) as u8;
    c.set(i.rd, result);
    Ok(())
}

/// The handler of a multiplication or division without flags.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::Mul => |c, i| {
            c.set(i.rd, c.reg(i.rn).wrapping_mul(c.reg(i.rm)));
            Ok(())
        },
        Op::Mla => |c, i| {
            c.set(i.rd, c.reg(i.ra).wrapping_add(c.reg(i.rn).wrapping_mul(c.reg(i.rm))));
            Ok(())
        },
        Op::Mls => |c, i| {
            c.set(i.rd, c.reg(i.ra).wrapping_sub(c.reg(i.rn).wrapping_mul(c.reg(i.rm))));
            Ok(())
        },
        Op::MulLong(Long::Umull) => |c, i| set_long(c, i, unsigned_product(c, i)),
        Op::MulLong(Long::Smull) => |c, i| set_long(c, i, signed_product(c, i) as u64),
        Op::MulLong(Long::Umlal) => |c, i| set_long(c, i, unsigned_product(c, i).wrapping_add(long(c, i))),
        Op::MulLong(Long::Smlal) => |c, i| set_long(c, i, (signed_product(c, i) as u64).wrapping_add(long(c, i))),
        Op::MulLong(Long::Umaal) => {
            |c, i| set_long(c, i, unsigned_product(c, i) + u64::from(c.reg(i.ra)) + u64::from(c.reg(i.rd)))
        }
        Op::MulHalf { acc: false } => |c, i| {
            c.set(i.rd, half_product(c, i) as u32);
            Ok(())
        },
        Op::MulHalf { acc: true } => |c, i| set_sticky(c, i, half_product(c, i) + i64::from(c.reg(i.ra) as i32)),
        Op::MulHalfLong => |c, i| set_long(c, i, long(c, i).wrapping_add(half_product(c, i) as u64)),
        Op::MulWide { acc } => {
            if acc {
                |c, i| {
                    let product = i64::from(c.reg(i.rn) as i32) * i64::from(half(c.reg(i.rm), i.opt & 1 != 0));
                    set_sticky(c, i, (product >> 16) + i64::from(c.reg(i.ra) as i32))
                }
            } else {
                |c, i| {
                    let product = i64::from(c.reg(i.rn) as i32) * i64::from(half(c.reg(i.rm), i.opt & 1 != 0));
                    c.set(i.rd, (product >> 16) as u32);
                    Ok(())
                }
            }
        }
        Op::MulDual { sub: false, acc: false } => dual::<false, false>,
        Op::MulDual { sub: false, acc: true } => dual::<false, true>,
        Op::MulDual { sub: true, acc: false } => dual::<true, false>,
        Op::MulDual { sub: true, acc: true } => dual::<true, true>,
        Op::MulDualLong { sub: false } => dual_long::<false>,
        Op::MulDualLong { sub: true } => dual_long::<true>,
        Op::MulTop => top::<false>,
        Op::MulTopSub => top::<true>,
        Op::Div { signed: true } => divide::<true>,
        _ => divide::<false>,
    }
}
