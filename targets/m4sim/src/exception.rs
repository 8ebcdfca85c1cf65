//! Exceptions: entry, return, tail-chaining, sleeping (DDI 0403, B1.5).

use crate::bus::{FPCCR_ASPEN, FPCCR_LSPACT, FPCCR_LSPEN, priority_group};
use crate::core::{CONTROL_FPCA, CONTROL_SPSEL, Core, LR, SP};
use crate::error::{FaultKind, Step, fault};
use crate::timing::{EXCEPTION_ENTRY, EXCEPTION_RETURN, FP_STATE, TAIL_CHAIN};

/// Bytes of the frame without and with floating-point state.
const FRAME: u32 = 0x20;
const FP_FRAME: u32 = 0x68;
/// Where the floating-point state begins in its frame.
const FP_OFFSET: u32 = 0x20;
/// xPSR bit that tells that the stack was aligned on entry.
const ALIGNED: u32 = 1 << 9;
/// EXC_RETURN bit 4: the frame has no floating-point state.
const NO_FP: u32 = 1 << 4;

impl Core {
    /// Priority of what is running; exceptions with a lower number preempt it. 256 is thread mode without masks.
    pub(crate) fn execution_priority(&self) -> i32 {
        let base = self.priority_ignoring_primask();
        if self.faultmask {
            base.min(-1)
        } else if self.primask {
            base.min(0)
        } else {
            base
        }
    }

    fn priority_ignoring_primask(&self) -> i32 {
        let active = self.sys.nvic.active_priority(self.sys.prigroup);
        match self.basepri {
            0 => active,
            base => active.min(priority_group(base, self.sys.prigroup)),
        }
    }

    /// The pending exception that preempts a priority.
    fn preempting(&self, priority: i32) -> Option<u16> {
        let number = self.sys.nvic.most_urgent()?;
        (self.sys.nvic.group_priority(number, self.sys.prigroup) < priority).then_some(number)
    }

    /// Looks at everything that can happen between two instructions: exception return, devices, pending exceptions,
    /// sleep. Sets the next deadline.
    pub(crate) fn attend(&mut self, limit: u64) -> Step {
        loop {
            self.sys.systick.catch_up(self.cycles, &mut self.sys.nvic);
            if let Some(value) = self.exc_return.take() {
                self.return_from_exception(value)?;
            }
            if let Some(number) = self.preempting(self.execution_priority()) {
                self.asleep = false;
                self.event = true;
                self.cycles += EXCEPTION_ENTRY;
                self.push_frame()?;
                self.enter(number)?;
                continue;
            }
            if self.asleep {
                // PRIMASK keeps an exception from being taken, not from waking the core (B1.5.19).
                let wakes = self.preempting(self.priority_ignoring_primask()).is_some();
                let at = self.sys.systick.deadline();
                if wakes {
                    self.asleep = false;
                } else if at != u64::MAX && self.cycles < limit {
                    self.cycles = self.cycles.max(at.min(limit));
                    continue;
                } else if at == u64::MAX {
                    return fault(FaultKind::Asleep);
                }
            }
            self.deadline = self.sys.systick.deadline();
            return Ok(());
        }
    }

    /// Saves the context on the current stack and puts EXC_RETURN in LR.
    fn push_frame(&mut self) -> Step {
        let fp = self.control & CONTROL_FPCA != 0;
        let sp = self.r[SP];
        let frame = sp.wrapping_sub(if fp { FP_FRAME } else { FRAME }) & !7;
        let xpsr = self.xpsr() | if sp & 4 != 0 { ALIGNED } else { 0 };
        let words = [self.r[0], self.r[1], self.r[2], self.r[3], self.r[12], self.r[LR], self.next, xpsr];
        for (i, word) in (0..).zip(words) {
            self.store32(frame.wrapping_add(4 * i), word)?;
        }
        if fp {
            self.sys.fpcar = frame.wrapping_add(FP_OFFSET);
            if self.sys.fpccr & FPCCR_LSPEN != 0 {
                self.sys.fpccr |= FPCCR_LSPACT;
            } else {
                self.save_fp_state()?;
            }
            self.fp_ready = false;
        }
        self.r[SP] = frame;
        let mode = match (self.ipsr != 0, self.on_process_stack()) {
            (true, _) => 0xFFFF_FFE1,
            (_, false) => 0xFFFF_FFE9,
            (_, true) => 0xFFFF_FFED,
        };
        self.r[LR] = mode | if fp { 0 } else { NO_FP };
        Ok(())
    }

    /// Starts a handler; the context is already saved.
    fn enter(&mut self, number: u16) -> Step {
        self.switching_stacks(|c| {
            c.ipsr = number;
            c.control &= !(CONTROL_FPCA | CONTROL_SPSEL);
        });
        self.fp_ready = false;
        self.it = 0;
        self.exclusive = None;
        self.sys.nvic.activate(number);
        let target = self.load32(self.sys.vtor.wrapping_add(4 * u32::from(number)))?;
        if target & 1 == 0 {
            return fault(FaultKind::Vector { number, target });
        }
        self.next = target & !1;
        Ok(())
    }

    /// Returns by an EXC_RETURN value, or goes on to the next handler.
    fn return_from_exception(&mut self, value: u32) -> Step {
        let to_handler = match value | NO_FP {
            0xFFFF_FFF1 => true,
            0xFFFF_FFF9 | 0xFFFF_FFFD => false,
            _ => return fault(FaultKind::ExceptionReturn { value }),
        };
        if !self.sys.nvic.deactivate(self.ipsr) || to_handler != (self.sys.nvic.depth() > 0) {
            return fault(FaultKind::ExceptionReturn { value });
        }
        self.faultmask = false;
        if let Some(number) = self.preempting(self.execution_priority()) {
            self.cycles += TAIL_CHAIN;
            self.r[LR] = value;
            return self.enter(number);
        }
        self.cycles += EXCEPTION_RETURN;
        self.pop_frame(value, to_handler)
    }

    fn pop_frame(&mut self, value: u32, to_handler: bool) -> Step {
        let process = value & 4 != 0;
        self.switching_stacks(|c| {
            c.ipsr = u16::from(to_handler);
            if !to_handler {
                c.control = c.control & !CONTROL_SPSEL | if process { CONTROL_SPSEL } else { 0 };
            }
        });
        let frame = self.r[SP];
        let mut words = [0; 8];
        for (i, word) in (0..).zip(&mut words) {
            *word = self.load32(frame.wrapping_add(4 * i))?;
        }
        let fp = value & NO_FP == 0;
        if fp {
            if self.sys.fpccr & FPCCR_LSPACT != 0 {
                self.sys.fpccr &= !FPCCR_LSPACT; // still in the registers
            } else {
                self.restore_fp_state(frame.wrapping_add(FP_OFFSET))?;
            }
            self.control |= CONTROL_FPCA;
        } else {
            self.control &= !CONTROL_FPCA;
        }
        self.fp_ready = false;
        let [r0, r1, r2, r3, r12, lr, next, xpsr] = words;
        self.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        (self.r[12], self.r[LR], self.next) = (r12, lr, next & !1);
        let size = if fp { FP_FRAME } else { FRAME };
        self.r[SP] = frame.wrapping_add(size) | if xpsr & ALIGNED != 0 { 4 } else { 0 };
        self.set_xpsr(xpsr);
        self.exclusive = None;
        if to_handler == (self.ipsr == 0) {
            return fault(FaultKind::ExceptionReturn { value });
        }
        if !to_handler && self.sys.sleeps_on_exit() {
            self.asleep = true;
        }
        Ok(())
    }

    /// Writes S0 to S15 and FPSCR to the reserved part of the frame.
    fn save_fp_state(&mut self) -> Step {
        let at = self.sys.fpcar;
        for i in 0..16 {
            self.store32(at.wrapping_add(4 * i), self.s[i as usize])?;
        }
        self.store32(at.wrapping_add(64), self.fpscr)?;
        self.cycles += FP_STATE;
        Ok(())
    }

    fn restore_fp_state(&mut self, at: u32) -> Step {
        for i in 0..16 {
            self.s[i as usize] = self.load32(at.wrapping_add(4 * i))?;
        }
        self.fpscr = self.load32(at.wrapping_add(64))?;
        self.cycles += FP_STATE;
        Ok(())
    }

    /// What a floating-point instruction does before it executes: checks access, saves lazily stacked state, and
    /// marks the context as a floating-point one.
    #[cold]
    pub(crate) fn prepare_fp(&mut self) -> Step {
        if !self.sys.fpu_enabled() {
            return fault(FaultKind::NoFpu);
        }
        if self.sys.fpccr & FPCCR_LSPACT != 0 {
            self.save_fp_state()?;
            self.sys.fpccr &= !FPCCR_LSPACT;
        }
        if self.sys.fpccr & FPCCR_ASPEN != 0 && self.control & CONTROL_FPCA == 0 {
            self.control |= CONTROL_FPCA;
            self.fpscr = self.sys.fpdscr;
        }
        self.fp_ready = true;
        Ok(())
    }
}
