//! The state of the core and the primitives that every room uses: flags, conditions, branches, stack pointers.

use crate::bus::{CycleCounter, Map, Memory, Peripherals, System};
use crate::error::{FaultKind, Registers, Step, fault};

/// Number of the stack pointer.
pub(crate) const SP: usize = 13;
/// Number of the link register.
pub(crate) const LR: usize = 14;
/// Number of the program counter.
pub(crate) const PC: usize = 15;

/// CONTROL.SPSEL: thread mode uses the process stack.
pub(crate) const CONTROL_SPSEL: u32 = 2;
/// CONTROL.FPCA: the context has floating-point state.
pub(crate) const CONTROL_FPCA: u32 = 4;

/// A Cortex-M4 with its memory and devices.
pub(crate) struct Core {
    /// R0 to R14, and at 15 the PC as instructions read it: their address plus 4.
    pub(crate) r: [u32; 16],
    /// Address of the instruction being executed.
    pub(crate) pc: u32,
    /// Address of the next instruction.
    pub(crate) next: u32,
    /// Negative: bit 31.
    pub(crate) nf: u32,
    /// Zero flag: set when this is 0.
    pub(crate) zf: u32,
    pub(crate) cf: bool,
    pub(crate) vf: bool,
    pub(crate) qf: bool,
    /// GE flags, 4 bits.
    pub(crate) ge: u32,
    /// IT state byte; 0 outside IT blocks.
    pub(crate) it: u8,
    /// Number of the exception being handled; 0 in thread mode.
    pub(crate) ipsr: u16,
    pub(crate) primask: bool,
    pub(crate) faultmask: bool,
    pub(crate) basepri: u8,
    pub(crate) control: u32,
    /// The stack pointer that is not in R13.
    pub(crate) other_sp: u32,
    /// Floating-point registers.
    pub(crate) s: [u32; 32],
    pub(crate) fpscr: u32,
    /// Whether floating-point instructions need no further check; see `exec::vfp`.
    pub(crate) fp_ready: bool,
    /// Address tagged by an exclusive load.
    pub(crate) exclusive: Option<u32>,
    pub(crate) mem: Memory,
    pub(crate) sys: System,
    pub(crate) apb: Peripherals,
    /// Cycles since reset.
    pub(crate) cycles: u64,
    /// When the run loop must look at devices and limits; 0 asks for a look after this instruction.
    pub(crate) deadline: u64,
    /// EXC_RETURN value that a branch asked for.
    pub(crate) exc_return: Option<u32>,
    /// WFI or WFE is waiting.
    pub(crate) asleep: bool,
    /// The event register of WFE and SEV.
    pub(crate) event: bool,
    /// What the timing room needs to know of the instruction just executed.
    pub(crate) taken: bool,
    /// Address of the last load or store.
    pub(crate) address: u32,
    /// Significant quotient bits of the last division.
    pub(crate) quotient_bits: u8,
    pub(crate) host: crate::semihost::Host,
}

impl Core {
    pub(crate) fn new(map: Map, cycle_counter: CycleCounter, host: crate::semihost::Host) -> Self {
        Core {
            r: [0; 16],
            pc: 0,
            next: 0,
            nf: 0,
            zf: 1,
            cf: false,
            vf: false,
            qf: false,
            ge: 0,
            it: 0,
            ipsr: 0,
            primask: false,
            faultmask: false,
            basepri: 0,
            control: 0,
            other_sp: 0,
            s: [0; 32],
            fpscr: 0,
            fp_ready: false,
            exclusive: None,
            mem: map.memory(),
            sys: System::new(map, cycle_counter),
            apb: Peripherals::new(map),
            cycles: 0,
            deadline: 0,
            exc_return: None,
            asleep: false,
            event: false,
            taken: false,
            address: 0,
            quotient_bits: 0,
            host,
        }
    }

    /// Register by the number of a decoded field.
    #[inline(always)]
    pub(crate) fn reg(&self, n: u8) -> u32 {
        self.r[usize::from(n & 15)]
    }

    /// Writes a register by the number of a decoded field.
    #[inline(always)]
    pub(crate) fn set(&mut self, n: u8, value: u32) {
        self.r[usize::from(n & 15)] = value;
    }

    /// Sets N and Z from a result.
    #[inline(always)]
    pub(crate) fn set_nz(&mut self, result: u32) {
        self.nf = result;
        self.zf = result;
    }

    /// Whether a condition (0 to 15) holds (DDI 0403, A7.3).
    #[inline(always)]
    pub(crate) fn condition(&self, cond: u8) -> bool {
        let (n, z) = (self.nf >> 31 != 0, self.zf == 0);
        let holds = match cond >> 1 {
            0 => z,
            1 => self.cf,
            2 => n,
            3 => self.vf,
            4 => self.cf && !z,
            5 => n == self.vf,
            6 => n == self.vf && !z,
            _ => return true,
        };
        holds != (cond & 1 == 1)
    }

    /// N, Z, C, V, Q and GE in their places of the program status register.
    pub(crate) fn apsr(&self) -> u32 {
        self.nf & 1 << 31
            | u32::from(self.zf == 0) << 30
            | u32::from(self.cf) << 29
            | u32::from(self.vf) << 28
            | u32::from(self.qf) << 27
            | self.ge << 16
    }

    /// Writes the flags; `fields` bit 1 for N to Q, bit 0 for GE.
    pub(crate) fn set_apsr(&mut self, value: u32, fields: u8) {
        if fields & 2 != 0 {
            self.nf = value;
            self.zf = u32::from(value >> 30 & 1 == 0);
            self.cf = value >> 29 & 1 != 0;
            self.vf = value >> 28 & 1 != 0;
            self.qf = value >> 27 & 1 != 0;
        }
        if fields & 1 != 0 {
            self.ge = value >> 16 & 0xF;
        }
    }

    /// The whole program status register, as stacked on exception entry.
    pub(crate) fn xpsr(&self) -> u32 {
        let it = u32::from(self.it);
        self.apsr() | (it & 3) << 25 | (it >> 2) << 10 | 1 << 24 | u32::from(self.ipsr)
    }

    /// Restores the program status register.
    pub(crate) fn set_xpsr(&mut self, value: u32) {
        self.set_apsr(value, 3);
        self.it = ((value >> 25 & 3) | (value >> 10 & 0x3F) << 2) as u8;
        self.ipsr = (value & 0x1FF) as u16;
    }

    /// Moves on to the next instruction of an IT block (DDI 0403, A7.3.3, ITAdvance).
    #[inline(always)]
    pub(crate) fn advance_it(&mut self) {
        self.it = if self.it & 7 == 0 { 0 } else { self.it & 0xE0 | (self.it << 1) & 0x1F };
    }

    /// Branches within Thumb state; bit 0 is ignored.
    #[inline(always)]
    pub(crate) fn branch(&mut self, target: u32) {
        self.next = target & !1;
        self.taken = true;
    }

    /// Interworking branch: bit 0 must be set; EXC_RETURN values return from exceptions in handler mode.
    #[inline(always)]
    pub(crate) fn branch_exchange(&mut self, target: u32) -> Step {
        if target >= 0xF000_0000 && self.ipsr != 0 {
            self.exc_return = Some(target);
            self.deadline = 0;
            self.taken = true;
            return Ok(());
        }
        if target & 1 == 0 {
            return fault(FaultKind::ArmState { target });
        }
        self.branch(target);
        Ok(())
    }

    /// Whether R13 is the process stack pointer.
    pub(crate) fn on_process_stack(&self) -> bool {
        self.ipsr == 0 && self.control & CONTROL_SPSEL != 0
    }

    /// Main and process stack pointers.
    pub(crate) fn stack_pointers(&self) -> (u32, u32) {
        if self.on_process_stack() { (self.other_sp, self.r[SP]) } else { (self.r[SP], self.other_sp) }
    }

    /// Runs a change of mode or of CONTROL and keeps the two stack pointers in their places.
    pub(crate) fn switching_stacks(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.on_process_stack();
        change(self);
        if before != self.on_process_stack() {
            std::mem::swap(&mut self.r[SP], &mut self.other_sp);
        }
    }

    /// A copy of the registers for reports.
    pub(crate) fn registers(&self) -> Registers {
        let mut r = self.r;
        r[PC] = self.pc;
        let (msp, psp) = self.stack_pointers();
        Registers { r, xpsr: self.xpsr(), msp, psp, s: self.s, fpscr: self.fpscr }
    }

    /// The halfwords at an address, for reports.
    pub(crate) fn opcode_text(&self, address: u32) -> String {
        let half = |at| self.mem.bytes(at, 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
        match (half(address), half(address.wrapping_add(2))) {
            (Some(first), Some(second)) if crate::decode::is_wide(first) => format!("{first:04x} {second:04x}"),
            (Some(first), _) => format!("{first:04x}"),
            (None, _) => "unreadable".to_owned(),
        }
    }
}
