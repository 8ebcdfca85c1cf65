//! The floating-point unit FPv4-SP: registers and memory here, arithmetic in [`super::softfloat`].

use super::Handler;
use super::memory::{aligned, span};
use super::softfloat::Env;
use crate::core::{Core, PC};
use crate::error::Step;
use crate::insn::{Fp, Insn, Mode, Op};

/// Flags of a comparison in FPSCR.
const NZCV: u32 = 0xF << 28;
/// Bits of FPSCR that exist.
const FPSCR_BITS: u32 = 0xF7C0_009F;
const SIGN: u32 = 1 << 31;

#[inline(always)]
fn single(c: &Core, n: u8) -> u32 {
    c.s[usize::from(n & 31)]
}

#[inline(always)]
fn set_single(c: &mut Core, n: u8, value: u32) {
    c.s[usize::from(n & 31)] = value;
}

/// The check that every floating-point instruction begins with.
#[inline(always)]
fn ready(c: &mut Core) -> Step {
    if c.fp_ready { Ok(()) } else { c.prepare_fp() }
}

/// Runs arithmetic in the environment of FPSCR and keeps the flags it raises.
fn with_env<T>(c: &mut Core, f: impl FnOnce(&mut Env) -> T) -> T {
    let mut env = Env::new(c.fpscr);
    let result = f(&mut env);
    c.fpscr = env.fpscr();
    result
}

fn arithmetic(c: &mut Core, i: &Insn, op: Fp) -> Step {
    ready(c)?;
    let (d, n, m) = (single(c, i.rd), single(c, i.rn), single(c, i.rm));
    let result = with_env(c, |e| match op {
        Fp::Mla => {
            let product = e.mul(n, m);
            e.add(d, product)
        }
        Fp::Mls => {
            let product = e.mul(n, m) ^ SIGN;
            e.add(d, product)
        }
        Fp::Nmla => {
            let product = e.mul(n, m) ^ SIGN;
            e.add(d ^ SIGN, product)
        }
        Fp::Nmls => {
            let product = e.mul(n, m);
            e.add(d ^ SIGN, product)
        }
        Fp::Mul => e.mul(n, m),
        Fp::Nmul => e.mul(n, m) ^ SIGN,
        Fp::Add => e.add(n, m),
        Fp::Sub => e.sub(n, m),
        Fp::Div => e.div(n, m),
        Fp::Fma => e.fma(d, n, m),
        Fp::Fms => e.fma(d, n ^ SIGN, m),
        Fp::Fnma => e.fma(d ^ SIGN, n ^ SIGN, m),
        Fp::Fnms => e.fma(d ^ SIGN, n, m),
        Fp::MovReg => m,
        Fp::Abs => m & !SIGN,
        Fp::Neg => m ^ SIGN,
        Fp::Sqrt => e.sqrt(m),
    });
    set_single(c, i.rd, result);
    Ok(())
}

fn compare(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    let (a, b) = (single(c, i.rd), if i.opt & 2 != 0 { 0 } else { single(c, i.rm) });
    let flags = with_env(c, |e| e.compare(a, b, i.opt & 1 != 0));
    c.fpscr = c.fpscr & !NZCV | flags;
    Ok(())
}

fn fixed(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    let (signed, bits) = (i.opt & 1 != 0, if i.opt & 2 != 0 { 32 } else { 16 });
    let value = single(c, i.rd);
    let result = with_env(c, |e| {
        if i.opt & 4 != 0 {
            e.fixed_of_float(value, bits, i.imm, signed, true)
        } else {
            e.float_of_fixed(value, bits, i.imm, signed, true)
        }
    });
    set_single(c, i.rd, result);
    Ok(())
}

fn half(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    let shift = if i.opt & 1 != 0 { 16 } else { 0 };
    let (m, d) = (single(c, i.rm), single(c, i.rd));
    let result = with_env(c, |e| {
        if i.opt & 2 != 0 {
            d & !(0xFFFF << shift) | u32::from(e.single_to_half(m)) << shift
        } else {
            e.half_to_single((m >> shift) as u16)
        }
    });
    set_single(c, i.rd, result);
    Ok(())
}

fn move_core(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    if i.opt & 1 != 0 {
        c.set(i.ra, single(c, i.rd));
    } else {
        set_single(c, i.rd, c.reg(i.ra));
    }
    Ok(())
}

fn move_two(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    if i.opt & 1 != 0 {
        let (first, second) = (single(c, i.rm), single(c, i.rm + 1));
        c.set(i.rd, first);
        c.set(i.ra, second);
    } else {
        set_single(c, i.rm, c.reg(i.rd));
        set_single(c, i.rm + 1, c.reg(i.ra));
    }
    Ok(())
}

fn memory<const LOAD: bool>(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    let base = if i.mode == Mode::Literal { c.r[PC] & !3 } else { c.reg(i.rn) };
    transfer::<LOAD>(c, base.wrapping_add(i.imm), i.rd, i.opt)
}

fn multiple<const LOAD: bool>(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    let base = if i.rn == 15 { c.r[PC] & !3 } else { c.reg(i.rn) };
    let (first, back) = span(base, i.ra.into(), i.opt);
    transfer::<LOAD>(c, first, i.rd, i.ra)?;
    if i.opt & 1 != 0 {
        c.set(i.rn, back);
    }
    Ok(())
}

/// Moves `count` singles from `first` on; numbers beyond S31 are unpredictable and wrap.
fn transfer<const LOAD: bool>(c: &mut Core, at: u32, first: u8, count: u8) -> Step {
    c.address = at;
    aligned(at, 4)?;
    for k in 0..count {
        let (address, number) = (at.wrapping_add(4 * u32::from(k)), first.wrapping_add(k));
        if LOAD {
            let value = c.load32(address)?;
            set_single(c, number, value);
        } else {
            c.store32(address, single(c, number))?;
        }
    }
    Ok(())
}

fn vmrs(c: &mut Core, i: &Insn) -> Step {
    ready(c)?;
    if i.rd == 15 {
        c.set_apsr(c.fpscr & NZCV | u32::from(c.qf) << 27, 2);
    } else {
        c.set(i.rd, c.fpscr);
    }
    Ok(())
}

/// Handlers of the arithmetic, one for each operation.
macro_rules! arithmetic_handlers {
    ($op:expr, $($name:ident),*) => {
        match $op {
            $(Fp::$name => |c, i| arithmetic(c, i, Fp::$name),)*
        }
    };
}

/// The handler of a floating-point instruction.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::Fp(op) => arithmetic_handlers!(
            op, Mla, Mls, Nmls, Nmla, Mul, Nmul, Add, Sub, Div, Fnms, Fnma, Fma, Fms, MovReg, Abs, Neg, Sqrt
        ),
        Op::FpMovImm => |c, i| {
            ready(c)?;
            set_single(c, i.rd, i.imm);
            Ok(())
        },
        Op::FpCmp => compare,
        Op::FpToInt => |c, i| {
            ready(c)?;
            let m = single(c, i.rm);
            let result = with_env(c, |e| e.fixed_of_float(m, 32, 0, i.opt & 1 != 0, i.opt & 2 != 0));
            set_single(c, i.rd, result);
            Ok(())
        },
        Op::FpFromInt => |c, i| {
            ready(c)?;
            let m = single(c, i.rm);
            let result = with_env(c, |e| e.float_of_fixed(m, 32, 0, i.opt & 1 != 0, false));
            set_single(c, i.rd, result);
            Ok(())
        },
        Op::FpFixed => fixed,
        Op::FpHalf => half,
        Op::FpMovCore => move_core,
        Op::FpMovTwo => move_two,
        Op::Vmrs => vmrs,
        Op::Vmsr => |c, i| {
            ready(c)?;
            c.fpscr = c.reg(i.rd) & FPSCR_BITS;
            Ok(())
        },
        Op::FpLoad => memory::<true>,
        Op::FpStore => memory::<false>,
        Op::FpLoadMulti => multiple::<true>,
        _ => multiple::<false>,
    }
}

/// FPSCR constants that the arithmetic shares.
pub(super) mod fpscr {
    /// Flush to zero.
    pub(crate) const FZ: u32 = 1 << 24;
    /// Default NaN.
    pub(crate) const DN: u32 = 1 << 25;
    /// Alternative half precision.
    pub(crate) const AHP: u32 = 1 << 26;
    /// Input denormal.
    pub(crate) const IDC: u32 = 1 << 7;
    /// Inexact.
    pub(crate) const IXC: u32 = 1 << 4;
    /// Underflow.
    pub(crate) const UFC: u32 = 1 << 3;
    /// Overflow.
    pub(crate) const OFC: u32 = 1 << 2;
    /// Division by zero.
    pub(crate) const DZC: u32 = 1 << 1;
    /// Invalid operation.
    pub(crate) const IOC: u32 = 1;
}
