//! What the timing needs to know of an instruction, taken from its decoded form once.

use super::table::Class;
use crate::insn::{Barrier, Fp, Insn, Mode, Op, Width};

/// Number of a register that is none.
const NONE: u8 = 31;

/// An instruction as the timing sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Row of the table.
    pub class: Class,
    /// 16 bits long.
    pub narrow: bool,
    /// Registers of a list.
    pub count: u8,
    /// Size of a single access in bytes, 0 without one.
    pub access: u8,
    /// Register that a single load writes; 31 for none.
    pub loads: u8,
    /// Registers that the address needs, as bits.
    pub address_registers: u16,
    /// Reads memory.
    pub is_load: bool,
    /// Writes memory.
    pub is_store: bool,
}

impl Traits {
    /// Nothing that the next instruction could pair with: the state after a taken branch or an exception.
    pub const NEUTRAL: Traits = Traits {
        class: Class::Simple,
        narrow: false,
        count: 0,
        access: 0,
        loads: NONE,
        address_registers: 0,
        is_load: false,
        is_store: false,
    };

    /// The traits of an instruction.
    pub fn of(insn: &Insn) -> Traits {
        let mut traits = Traits { class: class(insn), narrow: insn.size == 2, ..Traits::NEUTRAL };
        match insn.op {
            Op::Load(width) | Op::Store(width) => {
                traits.access = bytes(width);
                traits.address_registers = address_registers(insn);
                if matches!(insn.op, Op::Load(_)) {
                    traits.loads = insn.rd;
                }
            }
            Op::LoadMulti | Op::StoreMulti => traits.count = insn.imm.count_ones() as u8,
            Op::FpLoad | Op::FpStore => traits.count = insn.opt,
            Op::FpLoadMulti | Op::FpStoreMulti => traits.count = insn.ra,
            _ => {}
        }
        traits.is_load = matches!(
            insn.op,
            Op::Load(_) | Op::LoadDual | Op::LoadMulti | Op::LoadEx(_) | Op::FpLoad | Op::FpLoadMulti
        );
        traits.is_store = matches!(
            insn.op,
            Op::Store(_) | Op::StoreDual | Op::StoreMulti | Op::StoreEx(_) | Op::FpStore | Op::FpStoreMulti
        );
        traits
    }

    /// Whether the cost is the same after every instruction and for every address, except for a taken branch.
    pub(crate) fn is_fixed(&self) -> bool {
        self.access == 0 && !matches!(self.class, Class::Divide | Class::ItBlock | Class::InstructionBarrier)
    }
}

fn bytes(width: Width) -> u8 {
    match width {
        Width::Byte | Width::SByte => 1,
        Width::Half | Width::SHalf => 2,
        Width::Word => 4,
    }
}

fn address_registers(insn: &Insn) -> u16 {
    match insn.mode {
        Mode::Literal => 0,
        Mode::Index => 1 << insn.rn | 1 << insn.rm,
        _ => 1 << insn.rn,
    }
}

fn class(insn: &Insn) -> Class {
    match insn.op {
        Op::Mul | Op::Mla | Op::Mls | Op::MulLong(_) | Op::MulHalf { .. } | Op::MulHalfLong => Class::Multiply,
        Op::MulWide { .. } | Op::MulDual { .. } | Op::MulDualLong { .. } | Op::MulTop | Op::MulTopSub => {
            Class::Multiply
        }
        Op::Div { .. } => Class::Divide,
        Op::Load(_) => Class::Load,
        Op::Store(_) if insn.mode == Mode::Index => Class::StoreIndexed,
        Op::Store(_) => Class::StoreOffset,
        Op::LoadDual | Op::StoreDual => Class::Dual,
        Op::LoadMulti => Class::LoadMultiple,
        Op::StoreMulti => Class::StoreMultiple,
        Op::LoadEx(_) | Op::StoreEx(_) => Class::Exclusive,
        Op::B | Op::BCond | Op::Bl | Op::Bx | Op::BlxReg | Op::Cbz => Class::Branch,
        Op::TableBranch => Class::TableBranch,
        Op::It => Class::ItBlock,
        Op::Barrier(Barrier::Isb) => Class::InstructionBarrier,
        Op::Barrier(_) => Class::Barrier,
        Op::Mrs | Op::Msr => Class::SpecialRegister,
        Op::Cps => Class::ChangeState,
        Op::Hint(_) | Op::Clrex => Class::Hint,
        Op::Svc | Op::Bkpt | Op::Udf => Class::Trap,
        Op::Fp(Fp::Mla | Fp::Mls | Fp::Nmla | Fp::Nmls | Fp::Fma | Fp::Fms | Fp::Fnma | Fp::Fnms) => {
            Class::FpMultiplyAdd
        }
        Op::Fp(Fp::Div | Fp::Sqrt) => Class::FpDivide,
        Op::Fp(_) | Op::FpMovImm | Op::FpCmp | Op::FpToInt | Op::FpFromInt | Op::FpFixed => Class::FpSimple,
        Op::FpHalf | Op::FpMovCore | Op::Vmrs | Op::Vmsr => Class::FpSimple,
        Op::FpMovTwo => Class::FpMoveTwo,
        Op::FpLoad | Op::FpStore => Class::FpTransfer,
        Op::FpLoadMulti | Op::FpStoreMulti => Class::FpMultiple,
        _ => Class::Simple,
    }
}
