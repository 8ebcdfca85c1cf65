//! IT, hints, barriers, special registers and supervisor calls.

use super::Handler;
use crate::bus::SVCALL;
use crate::core::{CONTROL_FPCA, Core};
use crate::error::{FaultKind, Step, fault};
use crate::insn::{Hint, Insn, Op};
use crate::semihost;

/// Number of the breakpoint that is a semihosting call (Semihosting for AArch32 and AArch64, section 2).
const SEMIHOSTING: u32 = 0xAB;

// Numbers of special registers (DDI 0403, B5.1.1).
const XPSR_LAST: u32 = 7;
const MSP: u32 = 8;
const PSP: u32 = 9;
const PRIMASK: u32 = 16;
const BASEPRI: u32 = 17;
const BASEPRI_MAX: u32 = 18;
const FAULTMASK: u32 = 19;
const CONTROL: u32 = 20;

fn mrs(c: &mut Core, i: &Insn) -> Step {
    let (msp, psp) = c.stack_pointers();
    let value = match i.imm {
        // APSR, IPSR and EPSR in the combinations that bits 0 to 2 choose; EPSR reads as zero.
        0..=XPSR_LAST => {
            let ipsr = if i.imm & 1 != 0 { c.ipsr.into() } else { 0 };
            let apsr = if i.imm & 4 == 0 { c.apsr() } else { 0 };
            ipsr | apsr
        }
        MSP => msp,
        PSP => psp,
        PRIMASK => c.primask.into(),
        BASEPRI | BASEPRI_MAX => c.basepri.into(),
        FAULTMASK => c.faultmask.into(),
        CONTROL => c.control,
        // Of other architectures: MSPLIM and PSPLIM, the registers of the non-secure state.
        _ => return fault(FaultKind::Undefined),
    };
    c.set(i.rd, value);
    Ok(())
}

fn msr(c: &mut Core, i: &Insn) -> Step {
    let value = c.reg(i.rn);
    match i.imm {
        0..=3 => c.set_apsr(value, i.opt),
        MSP | PSP => {
            let in_r13 = (i.imm == PSP) == c.on_process_stack();
            if in_r13 {
                c.r[13] = value & !3;
            } else {
                c.other_sp = value & !3;
            }
        }
        PRIMASK => c.primask = value & 1 != 0,
        BASEPRI => c.basepri = value as u8 & c.sys.nvic.priority_mask(),
        BASEPRI_MAX => {
            let new = value as u8 & c.sys.nvic.priority_mask();
            if new != 0 && (c.basepri == 0 || new < c.basepri) {
                c.basepri = new;
            }
        }
        FAULTMASK => c.faultmask = value & 1 != 0,
        CONTROL => {
            // SPSEL cannot be written in handler mode; nPRIV is kept but everything runs privileged.
            let keep = if c.ipsr != 0 { c.control & 2 } else { value & 2 };
            c.switching_stacks(|c| c.control = value & (1 | CONTROL_FPCA) | keep);
            c.fp_ready = false;
        }
        // IPSR and EPSR cannot be written.
        4..=XPSR_LAST => {}
        _ => return fault(FaultKind::Undefined),
    }
    c.deadline = 0;
    Ok(())
}

fn cps(c: &mut Core, i: &Insn) -> Step {
    let disable = i.opt & 0x10 != 0;
    if i.opt & 2 != 0 {
        c.primask = disable;
    }
    if i.opt & 1 != 0 {
        c.faultmask = disable;
    }
    c.deadline = 0;
    Ok(())
}

/// SVC is taken at once, so its priority must allow it; otherwise it is a hard fault (B1.5.6).
fn svc(c: &mut Core, _: &Insn) -> Step {
    if c.sys.nvic.group_priority(SVCALL, c.sys.prigroup) >= c.execution_priority() {
        return fault(FaultKind::Escalated(SVCALL));
    }
    c.sys.nvic.pend(SVCALL);
    c.deadline = 0;
    Ok(())
}

/// The handler of a system instruction.
pub(super) fn handler(op: Op) -> Handler {
    match op {
        Op::It => |c, i| {
            c.it = i.imm as u8;
            Ok(())
        },
        Op::Hint(Hint::Wfi) => |c, _| {
            c.asleep = true;
            c.deadline = 0;
            Ok(())
        },
        Op::Hint(Hint::Wfe) => |c, _| {
            if !std::mem::take(&mut c.event) {
                c.asleep = true;
                c.deadline = 0;
            }
            Ok(())
        },
        Op::Hint(Hint::Sev) => |c, _| {
            c.event = true;
            Ok(())
        },
        Op::Hint(_) | Op::Barrier(_) => |_, _| Ok(()),
        Op::Clrex => |c, _| {
            c.exclusive = None;
            Ok(())
        },
        Op::Cps => cps,
        Op::Mrs => mrs,
        Op::Msr => msr,
        Op::Svc => svc,
        Op::Bkpt => |c, i| match i.imm {
            SEMIHOSTING => semihost::call(c),
            n => fault(FaultKind::Breakpoint(n)),
        },
        _ => |_, _| fault(FaultKind::Undefined),
    }
}
