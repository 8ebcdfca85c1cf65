//! Data processing: operands, shifts, flags, bit fields and extensions (DDI 0403, A2.2.1 and A7.7).

use super::Handler;
use crate::core::Core;
use crate::error::Step;
use crate::insn::{Alu, Extend, Insn, Mode, Op, Shift};

/// Whether an operation writes `rd`; the comparisons do not.
pub(super) fn writes_result(op: Alu) -> bool {
    !matches!(op, Alu::Tst | Alu::Teq | Alu::Cmp | Alu::Cmn)
}

/// Shifts by 0 to 255; the second value is the carry out.
#[inline(always)]
pub(super) fn shift(kind: Shift, value: u32, amount: u32, carry: bool) -> (u32, bool) {
    if amount == 0 {
        return (value, carry);
    }
    match kind {
        Shift::Lsl => match amount {
            1..=31 => (value << amount, value >> (32 - amount) & 1 != 0),
            32 => (0, value & 1 != 0),
            _ => (0, false),
        },
        Shift::Lsr => match amount {
            1..=31 => (value >> amount, value >> (amount - 1) & 1 != 0),
            32 => (0, value >> 31 != 0),
            _ => (0, false),
        },
        Shift::Asr => {
            let wide = i64::from(value as i32) >> amount.min(32);
            let out = i64::from(value as i32) >> (amount.min(32) - 1) & 1 != 0;
            (wide as u32, out)
        }
        Shift::Ror => {
            let result = value.rotate_right(amount & 31);
            (result, result >> 31 != 0)
        }
        Shift::Rrx => (u32::from(carry) << 31 | value >> 1, value & 1 != 0),
    }
}

/// `a + b + carry` with carry and overflow out.
#[inline(always)]
fn add_with_carry(a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = wide as u32;
    (result, wide >> 32 != 0, (a ^ result) & (b ^ result) & 1 << 31 != 0)
}

const IMM: u8 = Mode::Imm as u8;
const REG: u8 = Mode::Reg as u8;
const SHIFTED: u8 = Mode::Shifted as u8;

/// The second operand and, for logical operations that set flags, the carry.
#[inline(always)]
fn operand<const MODE: u8>(c: &Core, i: &Insn) -> (u32, bool) {
    match MODE {
        IMM => (i.imm, if i.opt & 2 != 0 { i.opt & 1 != 0 } else { c.cf }),
        REG => (c.reg(i.rm), c.cf),
        _ => shift(i.shift, c.reg(i.rm), i.amount.into(), c.cf),
    }
}

/// Logical operations: `OP` is an [`Alu`] number.
#[inline(always)]
fn logical<const OP: u8>(a: u32, b: u32) -> u32 {
    const AND: u8 = Alu::And as u8;
    const TST: u8 = Alu::Tst as u8;
    const BIC: u8 = Alu::Bic as u8;
    const ORR: u8 = Alu::Orr as u8;
    const ORN: u8 = Alu::Orn as u8;
    const EOR: u8 = Alu::Eor as u8;
    const TEQ: u8 = Alu::Teq as u8;
    const MVN: u8 = Alu::Mvn as u8;
    match OP {
        AND | TST => a & b,
        BIC => a & !b,
        ORR => a | b,
        ORN => a | !b,
        EOR | TEQ => a ^ b,
        MVN => !b,
        _ => b,
    }
}

/// Arithmetic operations: result, carry, overflow.
#[inline(always)]
fn arithmetic<const OP: u8>(a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
    const ADC: u8 = Alu::Adc as u8;
    const SBC: u8 = Alu::Sbc as u8;
    const SUB: u8 = Alu::Sub as u8;
    const CMP: u8 = Alu::Cmp as u8;
    const RSB: u8 = Alu::Rsb as u8;
    match OP {
        ADC => add_with_carry(a, b, carry),
        SBC => add_with_carry(a, !b, carry),
        SUB | CMP => add_with_carry(a, !b, true),
        RSB => add_with_carry(!a, b, true),
        _ => add_with_carry(a, b, false),
    }
}

/// Whether an operation number is logical (they come first).
const fn is_logical(op: u8) -> bool {
    op < Alu::Add as u8
}

/// Result of an operation with its flags set as asked; shared by the handlers and by [`super::branch::alu_to_pc`].
#[inline(always)]
fn compute<const OP: u8, const MODE: u8, const S: bool>(c: &mut Core, i: &Insn) -> u32 {
    let (b, carry) = operand::<MODE>(c, i);
    let a = c.reg(i.rn);
    if is_logical(OP) {
        let result = logical::<OP>(a, b);
        if S {
            c.set_nz(result);
            c.cf = carry;
        }
        return result;
    }
    let (result, carry, overflow) = arithmetic::<OP>(a, b, c.cf);
    if S {
        c.set_nz(result);
        c.cf = carry;
        c.vf = overflow;
    }
    result
}

fn writing<const OP: u8, const MODE: u8, const S: bool>(c: &mut Core, i: &Insn) -> Step {
    let result = compute::<OP, MODE, S>(c, i);
    c.set(i.rd, result);
    Ok(())
}

fn comparing<const OP: u8, const MODE: u8>(c: &mut Core, i: &Insn) -> Step {
    compute::<OP, MODE, true>(c, i);
    Ok(())
}

/// Value of MOV or ADD with a register, the only operations that may write the PC.
pub(super) fn pc_result(c: &mut Core, i: &Insn) -> u32 {
    if i.op == Op::Alu(Alu::Add) {
        compute::<{ Alu::Add as u8 }, REG, false>(c, i)
    } else {
        compute::<{ Alu::Mov as u8 }, SHIFTED, false>(c, i)
    }
}

/// Handlers of an operation for each operand mode, with and without flags.
macro_rules! by_mode {
    ($op:ident, $mode:expr, $flags:expr) => {
        match ($mode, $flags) {
            (Mode::Reg, false) => writing::<{ Alu::$op as u8 }, REG, false>,
            (Mode::Reg, true) => writing::<{ Alu::$op as u8 }, REG, true>,
            (Mode::Shifted, false) => writing::<{ Alu::$op as u8 }, SHIFTED, false>,
            (Mode::Shifted, true) => writing::<{ Alu::$op as u8 }, SHIFTED, true>,
            (_, false) => writing::<{ Alu::$op as u8 }, IMM, false>,
            (_, true) => writing::<{ Alu::$op as u8 }, IMM, true>,
        }
    };
}

/// Handlers of a comparison for each operand mode.
macro_rules! compare_by_mode {
    ($op:ident, $mode:expr) => {
        match $mode {
            Mode::Reg => comparing::<{ Alu::$op as u8 }, REG>,
            Mode::Shifted => comparing::<{ Alu::$op as u8 }, SHIFTED>,
            _ => comparing::<{ Alu::$op as u8 }, IMM>,
        }
    };
}

/// The handler of a data processing operation.
pub(super) fn handler(op: Alu, mode: Mode, flags: bool) -> Handler {
    match op {
        Alu::And => by_mode!(And, mode, flags),
        Alu::Bic => by_mode!(Bic, mode, flags),
        Alu::Orr => by_mode!(Orr, mode, flags),
        Alu::Orn => by_mode!(Orn, mode, flags),
        Alu::Eor => by_mode!(Eor, mode, flags),
        Alu::Mov => by_mode!(Mov, mode, flags),
        Alu::Mvn => by_mode!(Mvn, mode, flags),
        Alu::Add => by_mode!(Add, mode, flags),
        Alu::Adc => by_mode!(Adc, mode, flags),
        Alu::Sbc => by_mode!(Sbc, mode, flags),
        Alu::Sub => by_mode!(Sub, mode, flags),
        Alu::Rsb => by_mode!(Rsb, mode, flags),
        Alu::Tst => compare_by_mode!(Tst, mode),
        Alu::Teq => compare_by_mode!(Teq, mode),
        Alu::Cmp => compare_by_mode!(Cmp, mode),
        Alu::Cmn => compare_by_mode!(Cmn, mode),
    }
}

fn shift_register<const KIND: u8, const S: bool>(c: &mut Core, i: &Insn) -> Step {
    let kind = match KIND {
        0 => Shift::Lsl,
        1 => Shift::Lsr,
        2 => Shift::Asr,
        _ => Shift::Ror,
    };
    let (result, carry) = shift(kind, c.reg(i.rn), c.reg(i.rm) & 0xFF, c.cf);
    if S {
        c.set_nz(result);
        c.cf = carry;
    }
    c.set(i.rd, result);
    Ok(())
}

/// The handler of a shift by a register.
pub(super) fn shift_handler(kind: Shift, flags: bool) -> Handler {
    match (kind, flags) {
        (Shift::Lsl, false) => shift_register::<0, false>,
        (Shift::Lsl, true) => shift_register::<0, true>,
        (Shift::Lsr, false) => shift_register::<1, false>,
        (Shift::Lsr, true) => shift_register::<1, true>,
        (Shift::Asr, false) => shift_register::<2, false>,
        (Shift::Asr, true) => shift_register::<2, true>,
        (_, false) => shift_register::<3, false>,
        (_, true) => shift_register::<3, true>,
    }
}

/// Mask of `width` low bits; 32 is all.
fn low_bits(width: u32) -> u32 {
    1u32.checked_shl(width).map_or(u32::MAX, |bit| bit - 1)
}

/// Bit field of `rn` at `amount`; fields that reach beyond bit 31 are unpredictable and end there.
fn field(c: &Core, i: &Insn) -> u32 {
    c.reg(i.rn) >> (i.amount & 31) & low_bits(i.imm)
}

fn extended<const KIND: u8>(c: &mut Core, i: &Insn) -> Step {
    const SXTH: u8 = Extend::Sxth as u8;
    const UXTH: u8 = Extend::Uxth as u8;
    const SXTB: u8 = Extend::Sxtb as u8;
    const UXTB: u8 = Extend::Uxtb as u8;
    const SXTB16: u8 = Extend::Sxtb16 as u8;
    let v = c.reg(i.rm).rotate_right(i.amount.into());
    let (low, high) = (v as u8, (v >> 16) as u8);
    let add = if i.rn == 15 { 0 } else { c.reg(i.rn) };
    let result = match KIND {
        SXTH => add.wrapping_add(v as i16 as u32),
        UXTH => add.wrapping_add(v & 0xFFFF),
        SXTB => add.wrapping_add(v as i8 as u32),
        UXTB => add.wrapping_add(v & 0xFF),
        _ => {
            let (low, high) =
                if KIND == SXTB16 { (low as i8 as u16, high as i8 as u16) } else { (low.into(), high.into()) };
            let (low, high) = (low.wrapping_add(add as u16), high.wrapping_add((add >> 16) as u16));
            u32::from(high) << 16 | u32::from(low)
        }
    };
    c.set(i.rd, result);
    Ok(())
}

/// Handlers of the operations on bits, which set no flags.
pub(super) fn bits(op: Op) -> Handler {
    match op {
        Op::Movt => |c, i| {
            c.set(i.rd, c.reg(i.rd) & 0xFFFF | i.imm << 16);
            Ok(())
        },
        Op::Adr => |c, i| {
            c.set(i.rd, (c.r[15] & !3).wrapping_add(i.imm));
            Ok(())
        },
        Op::Bfi | Op::Bfc => |c, i| {
            let mask = low_bits(i.imm) << (i.amount & 31);
            let source = if i.op == Op::Bfi { c.reg(i.rn) << (i.amount & 31) } else { 0 };
            c.set(i.rd, c.reg(i.rd) & !mask | source & mask);
            Ok(())
        },
        Op::Ubfx => |c, i| {
            c.set(i.rd, field(c, i));
            Ok(())
        },
        Op::Sbfx => |c, i| {
            let unused = 32 - i.imm.min(32);
            c.set(i.rd, ((field(c, i) << unused) as i32 >> unused) as u32);
            Ok(())
        },
        Op::Clz => |c, i| {
            c.set(i.rd, c.reg(i.rm).leading_zeros());
            Ok(())
        },
        Op::Rbit => |c, i| {
            c.set(i.rd, c.reg(i.rm).reverse_bits());
            Ok(())
        },
        Op::Rev => |c, i| {
            c.set(i.rd, c.reg(i.rm).swap_bytes());
            Ok(())
        },
        Op::Rev16 => |c, i| {
            c.set(i.rd, c.reg(i.rm).swap_bytes().rotate_left(16));
            Ok(())
        },
        Op::Revsh => |c, i| {
            c.set(i.rd, (c.reg(i.rm) as u16).swap_bytes() as i16 as u32);
            Ok(())
        },
        Op::Extend(Extend::Sxth) => extended::<{ Extend::Sxth as u8 }>,
        Op::Extend(Extend::Uxth) => extended::<{ Extend::Uxth as u8 }>,
        Op::Extend(Extend::Sxtb) => extended::<{ Extend::Sxtb as u8 }>,
        Op::Extend(Extend::Uxtb) => extended::<{ Extend::Uxtb as u8 }>,
        Op::Extend(Extend::Sxtb16) => extended::<{ Extend::Sxtb16 as u8 }>,
        _ => extended::<{ Extend::Uxtb16 as u8 }>,
    }
}
