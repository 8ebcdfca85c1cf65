//! Branches.

use super::Handler;
use super::alu::pc_result;
use crate::core::{Core, LR};
use crate::error::Step;
use crate::insn::{Insn, Op};

/// MOV and ADD that write the PC: a branch without interworking (DDI 0403, A2.3.1).
pub(super) fn alu_to_pc(c: &mut Core, i: &Insn) -> Step {
    let target = pc_result(c, i);
    c.branch(target);
    Ok(())
}

/// The handler of a branch.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::B => |c, i| {
            c.branch(c.r[15].wrapping_add(i.imm));
            Ok(())
        },
        Op::BCond => |c, i| {
            if c.condition(i.opt) {
                c.branch(c.r[15].wrapping_add(i.imm));
            }
            Ok(())
        },
        Op::Bl => |c, i| {
            c.r[LR] = c.next | 1;
            c.branch(c.r[15].wrapping_add(i.imm));
            Ok(())
        },
        Op::Bx => |c, i| c.branch_exchange(c.reg(i.rm)),
        Op::BlxReg => |c, i| {
            let target = c.reg(i.rm);
            c.r[LR] = c.next | 1;
            c.branch_exchange(target)
        },
        Op::Cbz => |c, i| {
            if (c.reg(i.rn) == 0) == (i.opt == 0) {
                c.branch(c.r[15].wrapping_add(i.imm));
            }
            Ok(())
        },
        _ => |c, i| {
            let (base, index) = (c.reg(i.rn), c.reg(i.rm));
            let halfwords =
                if i.opt == 1 { c.load16(base.wrapping_add(index << 1))? } else { c.load8(base.wrapping_add(index))? };
            c.branch(c.r[15].wrapping_add(2 * halfwords));
            Ok(())
        },
    }
}
