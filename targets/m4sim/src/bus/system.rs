//! The system control space: SysTick, NVIC, system control block, floating-point context, and the debug and trace
//! registers that count cycles (DDI 0403, B3 and C1).

use super::Map;
use crate::core::Core;
use crate::error::{FaultKind, Step, fault};

mod dwt;
mod nvic;
mod systick;

pub use dwt::CycleCounter;
pub(crate) use dwt::Dwt;
pub(crate) use nvic::{Nvic, SVCALL, group as priority_group};
pub(crate) use systick::SysTick;

/// CPUID of a Cortex-M4 r0p1 (TRM, 4.2).
const CPUID: u32 = 0x410F_C241;
/// AIRCR is written with this in its top half and read with its complement.
const VECTKEY: u32 = 0x05FA;
/// CCR.DIV_0_TRP.
const CCR_DIV_0_TRP: u32 = 1 << 4;
/// CCR.UNALIGN_TRP.
const CCR_UNALIGN_TRP: u32 = 1 << 3;
/// FPCCR.LSPACT: state is still to be saved.
pub(crate) const FPCCR_LSPACT: u32 = 1;
/// FPCCR.LSPEN: lazy saving.
pub(crate) const FPCCR_LSPEN: u32 = 1 << 30;
/// FPCCR.ASPEN: floating-point instructions set CONTROL.FPCA.
pub(crate) const FPCCR_ASPEN: u32 = 1 << 31;

/// Registers of the system control space.
pub(crate) struct System {
    pub(crate) dwt: Dwt,
    pub(crate) nvic: Nvic,
    pub(crate) systick: SysTick,
    pub(crate) vtor: u32,
    /// AIRCR.PRIGROUP.
    pub(crate) prigroup: u32,
    scr: u32,
    ccr: u32,
    shcsr: u32,
    cpacr: u32,
    pub(crate) fpccr: u32,
    pub(crate) fpcar: u32,
    pub(crate) fpdscr: u32,
}

impl System {
    pub(crate) fn new(map: Map, cycle_counter: CycleCounter) -> Self {
        System {
            dwt: Dwt::new(cycle_counter),
            nvic: Nvic::new(map),
            systick: SysTick::new(map),
            vtor: map.vectors(),
            prigroup: 0,
            scr: 0,
            ccr: 0x200, // STKALIGN, the reset value of the Cortex-M4
            shcsr: 0,
            cpacr: 0,
            fpccr: FPCCR_ASPEN | FPCCR_LSPEN,
            fpcar: 0,
            fpdscr: 0,
        }
    }

    /// Whether CPACR gives access to the floating-point unit.
    pub(crate) fn fpu_enabled(&self) -> bool {
        self.cpacr >> 20 & 3 == 3
    }

    /// Whether division by zero faults.
    pub(crate) fn traps_division(&self) -> bool {
        self.ccr & CCR_DIV_0_TRP != 0
    }

    /// Whether every unaligned access faults.
    pub(crate) fn traps_unaligned(&self) -> bool {
        self.ccr & CCR_UNALIGN_TRP != 0
    }

    /// SCR.SLEEPONEXIT: returning to thread mode sleeps.
    pub(crate) fn sleeps_on_exit(&self) -> bool {
        self.scr & 2 != 0
    }

    /// A word of the system control space. Registers that do not exist read as zero.
    fn load(&mut self, address: u32, now: u64, ipsr: u16) -> u32 {
        match address {
            0xE000_1000..=0xE000_1FFF => self.dwt.load(address & 0xFFF, now),
            0xE000_E010..=0xE000_E01F => self.systick.load(address & 0xF, now, &mut self.nvic),
            0xE000_E004 | 0xE000_E100..=0xE000_E4EF => self.nvic.load(address & 0xFFF),
            0xE000_ED00 => CPUID,
            0xE000_ED04 => self.nvic.icsr(ipsr),
            0xE000_ED08 => self.vtor,
            0xE000_ED0C => (!VECTKEY & 0xFFFF) << 16 | self.prigroup << 8,
            0xE000_ED10 => self.scr,
            0xE000_ED14 => self.ccr,
            0xE000_ED18..=0xE000_ED23 => self.nvic.system_priorities(address - 0xE000_ED18),
            0xE000_ED24 => self.shcsr,
            // Identification registers of the Cortex-M4 (TRM, table 4-1).
            0xE000_ED40 => 0x0000_0030,
            0xE000_ED44 => 0x0000_0200,
            0xE000_ED48 => 0x0010_0000,
            0xE000_ED50 => 0x0010_0030,
            0xE000_ED58 => 0x0100_0000,
            0xE000_ED60 => 0x0114_1110,
            0xE000_ED64 => 0x0211_2000,
            0xE000_ED68 => 0x2123_2231,
            0xE000_ED6C => 0x0111_1131,
            0xE000_ED70 => 0x0131_0132,
            0xE000_ED88 => self.cpacr,
            // DHCSR.C_DEBUGEN: semihosting is a debugger's service, and it is here.
            0xE000_EDF0 => 1,
            0xE000_EDFC => self.dwt.demcr(),
            0xE000_EF34 => self.fpccr,
            0xE000_EF38 => self.fpcar,
            0xE000_EF3C => self.fpdscr,
            // MVFR0 and MVFR1: single precision, square root, division, half-precision conversion, fused multiply.
            0xE000_EF40 => 0x1011_0021,
            0xE000_EF44 => 0x1100_0011,
            _ => 0,
        }
    }

    /// Stores a word.
    fn store(&mut self, address: u32, value: u32, now: u64) -> Step {
        match address {
            0xE000_1000..=0xE000_1FFF => self.dwt.store(address & 0xFFF, value, now),
            0xE000_E010..=0xE000_E01F => self.systick.store(address & 0xF, value, now, &mut self.nvic),
            0xE000_E100..=0xE000_E4EF | 0xE000_EF00 => self.nvic.store(address & 0xFFF, value),
            0xE000_ED04 => self.nvic.set_icsr(value),
            0xE000_ED08 => self.vtor = value & !0x7F,
            0xE000_ED0C if value >> 16 == VECTKEY => {
                self.prigroup = value >> 8 & 7;
                if value & 1 << 2 != 0 {
                    return fault(FaultKind::Reset);
                }
            }
            0xE000_ED10 => self.scr = value & 0x16,
            0xE000_ED14 => self.ccr = value & 0x31B,
            0xE000_ED18..=0xE000_ED23 => self.nvic.set_system_priorities(address - 0xE000_ED18, value),
            0xE000_ED24 => self.shcsr = value & 0x7_0000,
            0xE000_ED88 => self.cpacr = value & 0xF << 20,
            0xE000_EDFC => self.dwt.set_demcr(value, now),
            0xE000_EF34 => self.fpccr = value & (FPCCR_ASPEN | FPCCR_LSPEN | FPCCR_LSPACT),
            0xE000_EF38 => self.fpcar = value & !7,
            0xE000_EF3C => self.fpdscr = value & 0x07C0_0000,
            _ => {}
        }
        Ok(())
    }
}

/// Registers where a byte store must leave the other bytes alone: the priorities, and those that hold settings.
fn keeps_other_bytes(word: u32) -> bool {
    matches!(word, 0xE000_E400..=0xE000_E4EF | 0xE000_ED10..=0xE000_ED24 | 0xE000_ED88)
}

impl Core {
    /// Load from a device; `None` when there is none.
    pub(crate) fn device_load(&mut self, address: u32, size: u32) -> Option<u32> {
        let word = address & !3;
        let value = match address >> 20 {
            0xE00 => self.sys.load(word, self.cycles, self.ipsr),
            _ => self.apb.load(word, self.cycles)?,
        };
        let shifted = value >> (8 * (address & 3));
        Some(if size == 4 { shifted } else { shifted & ((1 << (8 * size)) - 1) })
    }

    /// Store to a device; `None` when there is none.
    pub(crate) fn device_store(&mut self, address: u32, value: u32, size: u32) -> Step<Option<()>> {
        let word = address & !3;
        let shift = 8 * (address & 3);
        if address >> 20 != 0xE00 {
            return Ok(self.apb.store(word, value << shift, &mut self.host));
        }
        let mask = if size == 4 { u32::MAX } else { ((1 << (8 * size)) - 1) << shift };
        let others =
            if mask != u32::MAX && keeps_other_bytes(word) { self.sys.load(word, self.cycles, self.ipsr) } else { 0 };
        self.sys.store(word, others & !mask | value << shift & mask, self.cycles)?;
        self.fp_ready = false;
        self.deadline = 0;
        Ok(Some(()))
    }
}
