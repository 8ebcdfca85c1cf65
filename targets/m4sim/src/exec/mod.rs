//! Executing: a function for each operation. Handlers are chosen once, when an instruction is decoded.

mod alu;
mod branch;
mod dsp;
mod memory;
mod mul;
mod softfloat;
mod system;
mod vfp;

use crate::core::Core;
use crate::error::Step;
use crate::insn::{Insn, Op};

/// Executes one kind of instruction.
pub(crate) type Handler = fn(&mut Core, &Insn) -> Step;

/// The handler of an instruction. `flags` says whether it sets the flags in its context.
pub(crate) fn handler(insn: &Insn, flags: bool) -> Handler {
    match insn.op {
        Op::Alu(op) if insn.rd == 15 && alu::writes_result(op) => branch::alu_to_pc,
        Op::Alu(op) => alu::handler(op, insn.mode, flags),
        Op::ShiftReg(kind) => alu::shift_handler(kind, flags),
        Op::Movt | Op::Adr | Op::Bfi | Op::Bfc | Op::Sbfx | Op::Ubfx | Op::Clz | Op::Rbit => alu::bits(insn.op),
        Op::Rev | Op::Rev16 | Op::Revsh | Op::Extend(_) => alu::bits(insn.op),
        Op::Mul if flags => mul::mul_flags,
        Op::Mul | Op::Mla | Op::Mls | Op::MulLong(_) | Op::Div { .. } => mul::handler(insn.op),
        Op::MulHalf { .. } | Op::MulHalfLong | Op::MulWide { .. } | Op::MulDual { .. } | Op::MulDualLong { .. } => {
            mul::handler(insn.op)
        }
        Op::MulTop | Op::MulTopSub => mul::handler(insn.op),
        Op::Usad8 | Op::Sel | Op::Pkh | Op::Sat { .. } | Op::Sat16 { .. } | Op::QArith { .. } | Op::Parallel(_) => {
            dsp::handler(insn.op)
        }
        Op::Load(width) => memory::load_handler(width, insn.mode, insn.rd == 15),
        Op::Store(width) => memory::store_handler(width, insn.mode),
        Op::LoadDual | Op::StoreDual | Op::LoadMulti | Op::StoreMulti | Op::LoadEx(_) | Op::StoreEx(_) => {
            memory::handler(insn.op)
        }
        Op::TableBranch | Op::B | Op::BCond | Op::Bl | Op::Bx | Op::BlxReg | Op::Cbz => branch::handler(insn.op),
        Op::Clrex | Op::It | Op::Hint(_) | Op::Barrier(_) | Op::Cps | Op::Mrs | Op::Msr => system::handler(insn.op),
        Op::Svc | Op::Bkpt | Op::Udf => system::handler(insn.op),
        Op::Fp(_) | Op::FpMovImm | Op::FpCmp | Op::FpToInt | Op::FpFromInt | Op::FpFixed | Op::FpHalf => {
            vfp::handler(insn.op)
        }
        Op::FpMovCore | Op::FpMovTwo | Op::Vmrs | Op::Vmsr => vfp::handler(insn.op),
        Op::FpLoad | Op::FpStore | Op::FpLoadMulti | Op::FpStoreMulti => vfp::handler(insn.op),
    }
}

#[cfg(test)]
mod tests;
