//! Loads and stores.

use super::Handler;
use crate::core::{Core, PC};
use crate::error::{FaultKind, Step, fault};
use crate::insn::{Insn, Mode, Op, Width};

const OFFSET: u8 = Mode::Offset as u8;
const PRE: u8 = Mode::Pre as u8;
const POST: u8 = Mode::Post as u8;
const INDEX: u8 = Mode::Index as u8;
const LITERAL: u8 = Mode::Literal as u8;

const BYTE: u8 = Width::Byte as u8;
const HALF: u8 = Width::Half as u8;
const WORD: u8 = Width::Word as u8;
const SBYTE: u8 = Width::SByte as u8;

/// Address of a single access; the second value is what is written back, if anything.
#[inline(always)]
fn address<const MODE: u8>(c: &Core, i: &Insn) -> (u32, Option<u32>) {
    match MODE {
        OFFSET => (c.reg(i.rn).wrapping_add(i.imm), None),
        INDEX => (c.reg(i.rn).wrapping_add(c.reg(i.rm) << (i.amount & 3)), None),
        LITERAL => ((c.r[PC] & !3).wrapping_add(i.imm), None),
        PRE => {
            let at = c.reg(i.rn).wrapping_add(i.imm);
            (at, Some(at))
        }
        _ => (c.reg(i.rn), Some(c.reg(i.rn).wrapping_add(i.imm))),
    }
}

/// The same for an addressing mode known only at run time.
fn address_of(c: &Core, i: &Insn) -> (u32, Option<u32>) {
    match i.mode {
        Mode::Pre => address::<PRE>(c, i),
        Mode::Post => address::<POST>(c, i),
        Mode::Literal => address::<LITERAL>(c, i),
        _ => address::<OFFSET>(c, i),
    }
}

/// CCR.UNALIGN_TRP makes unaligned single accesses fault. The check comes after the fast test for alignment.
#[inline(always)]
fn check_alignment<const WIDTH: u8>(c: &Core, at: u32) -> Step {
    let mask = match WIDTH {
        BYTE | SBYTE => 0,
        WORD => 3,
        _ => 1,
    };
    if at & mask != 0 && c.sys.traps_unaligned() {
        return fault(FaultKind::Unaligned { address: at });
    }
    Ok(())
}

#[inline(always)]
fn fetch<const WIDTH: u8>(c: &mut Core, at: u32) -> Step<u32> {
    check_alignment::<WIDTH>(c, at)?;
    match WIDTH {
        BYTE => c.load8(at),
        HALF => c.load16(at),
        WORD => c.load32(at),
        SBYTE => Ok(c.load8(at)? as i8 as u32),
        _ => Ok(c.load16(at)? as i16 as u32),
    }
}

fn load<const WIDTH: u8, const MODE: u8>(c: &mut Core, i: &Insn) -> Step {
    let (at, back) = address::<MODE>(c, i);
    c.address = at;
    let value = fetch::<WIDTH>(c, at)?;
    if let Some(back) = back {
        c.set(i.rn, back);
    }
    c.set(i.rd, value);
    Ok(())
}

/// LDR to the PC: an interworking branch.
fn load_pc<const MODE: u8>(c: &mut Core, i: &Insn) -> Step {
    let (at, back) = address::<MODE>(c, i);
    c.address = at;
    let value = fetch::<WORD>(c, at)?;
    if let Some(back) = back {
        c.set(i.rn, back);
    }
    c.branch_exchange(value)
}

fn store<const WIDTH: u8, const MODE: u8>(c: &mut Core, i: &Insn) -> Step {
    let (at, back) = address::<MODE>(c, i);
    c.address = at;
    check_alignment::<WIDTH>(c, at)?;
    let value = c.reg(i.rd);
    match WIDTH {
        BYTE => c.store8(at, value)?,
        HALF => c.store16(at, value)?,
        _ => c.store32(at, value)?,
    }
    if let Some(back) = back {
        c.set(i.rn, back);
    }
    Ok(())
}

/// Picks the instance of a handler for a mode.
macro_rules! by_mode {
    ($name:ident, $mode:expr $(, $width:expr)?) => {
        match $mode {
            Mode::Offset => $name::<$({ $width as u8 },)? OFFSET>,
            Mode::Pre => $name::<$({ $width as u8 },)? PRE>,
            Mode::Post => $name::<$({ $width as u8 },)? POST>,
            Mode::Index => $name::<$({ $width as u8 },)? INDEX>,
            _ => $name::<$({ $width as u8 },)? LITERAL>,
        }
    };
}

/// The handler of a single load.
pub(super) fn load_handler(width: Width, mode: Mode, to_pc: bool) -> Handler {
    match width {
        Width::Word if to_pc => by_mode!(load_pc, mode),
        Width::Byte => by_mode!(load, mode, Width::Byte),
        Width::Half => by_mode!(load, mode, Width::Half),
        Width::Word => by_mode!(load, mode, Width::Word),
        Width::SByte => by_mode!(load, mode, Width::SByte),
        Width::SHalf => by_mode!(load, mode, Width::SHalf),
    }
}

/// The handler of a single store.
pub(super) fn store_handler(width: Width, mode: Mode) -> Handler {
    match width {
        Width::Byte | Width::SByte => by_mode!(store, mode, Width::Byte),
        Width::Half | Width::SHalf => by_mode!(store, mode, Width::Half),
        Width::Word => by_mode!(store, mode, Width::Word),
    }
}

/// Accesses to several words and exclusive ones must be aligned (DDI 0403, A3.2.1).
pub(super) fn aligned(at: u32, size: u32) -> Step {
    if at & (size - 1) != 0 {
        return fault(FaultKind::Unaligned { address: at });
    }
    Ok(())
}

fn dual(c: &mut Core, i: &Insn) -> Step {
    let (at, back) = address_of(c, i);
    c.address = at;
    aligned(at, 4)?;
    if i.op == Op::LoadDual {
        let (first, second) = (c.load32(at)?, c.load32(at.wrapping_add(4))?);
        if let Some(back) = back {
            c.set(i.rn, back);
        }
        c.set(i.rd, first);
        c.set(i.ra, second);
        return Ok(());
    }
    c.store32(at, c.reg(i.rd))?;
    c.store32(at.wrapping_add(4), c.reg(i.ra))?;
    if let Some(back) = back {
        c.set(i.rn, back);
    }
    Ok(())
}

/// First address and written-back base of a multiple access to `count` words.
pub(super) fn span(base: u32, count: u32, opt: u8) -> (u32, u32) {
    if opt & 2 != 0 {
        let first = base.wrapping_sub(4 * count);
        (first, first)
    } else {
        (base, base.wrapping_add(4 * count))
    }
}

fn load_multiple(c: &mut Core, i: &Insn) -> Step {
    let (mut at, back) = span(c.reg(i.rn), i.imm.count_ones(), i.opt);
    c.address = at;
    aligned(at, 4)?;
    // Nothing is written before every load has succeeded: an instruction that faults can be looked at.
    let mut values = [0; 16];
    let mut list = i.imm & 0xFFFF;
    while list != 0 {
        values[(list.trailing_zeros() & 15) as usize] = c.load32(at)?;
        at = at.wrapping_add(4);
        list &= list - 1;
    }
    if i.opt & 1 != 0 {
        c.set(i.rn, back);
    }
    let mut list = i.imm & 0x7FFF;
    while list != 0 {
        let n = (list.trailing_zeros() & 15) as usize;
        c.r[n] = values[n];
        list &= list - 1;
    }
    if i.imm & 1 << PC != 0 {
        return c.branch_exchange(values[PC]);
    }
    Ok(())
}

fn store_multiple(c: &mut Core, i: &Insn) -> Step {
    let (mut at, back) = span(c.reg(i.rn), i.imm.count_ones(), i.opt);
    c.address = at;
    aligned(at, 4)?;
    let mut list = i.imm & 0x7FFF;
    while list != 0 {
        let n = (list.trailing_zeros() & 15) as usize;
        c.store32(at, c.r[n])?;
        at = at.wrapping_add(4);
        list &= list - 1;
    }
    if i.opt & 1 != 0 {
        c.set(i.rn, back);
    }
    Ok(())
}

fn load_exclusive<const WIDTH: u8>(c: &mut Core, i: &Insn) -> Step {
    let at = c.reg(i.rn).wrapping_add(i.imm);
    c.address = at;
    aligned(at, size_of_width(WIDTH))?;
    let value = fetch::<WIDTH>(c, at)?;
    c.exclusive = Some(at);
    c.set(i.rd, value);
    Ok(())
}

/// Succeeds when the local monitor still holds the address; status 0 is success.
fn store_exclusive<const WIDTH: u8>(c: &mut Core, i: &Insn) -> Step {
    let at = c.reg(i.rn).wrapping_add(i.imm);
    c.address = at;
    aligned(at, size_of_width(WIDTH))?;
    let holds = c.exclusive.take() == Some(at);
    if holds {
        let value = c.reg(i.rd);
        match WIDTH {
            BYTE => c.store8(at, value)?,
            HALF => c.store16(at, value)?,
            _ => c.store32(at, value)?,
        }
    }
    c.set(i.ra, u32::from(!holds));
    Ok(())
}

const fn size_of_width(width: u8) -> u32 {
    match width {
        BYTE => 1,
        HALF => 2,
        _ => 4,
    }
}

/// The handler of the other loads and stores.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::LoadDual | Op::StoreDual => dual,
        Op::LoadMulti => load_multiple,
        Op::StoreMulti => store_multiple,
        Op::LoadEx(Width::Byte) => load_exclusive::<BYTE>,
        Op::LoadEx(Width::Half) => load_exclusive::<HALF>,
        Op::LoadEx(_) => load_exclusive::<WORD>,
        Op::StoreEx(Width::Byte) => store_exclusive::<BYTE>,
        Op::StoreEx(Width::Half) => store_exclusive::<HALF>,
        _ => store_exclusive::<WORD>,
    }
}
