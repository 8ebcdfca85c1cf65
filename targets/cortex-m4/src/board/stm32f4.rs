//! The clock tree of the STM32F4 family, as far as its boards have it in common: the PLL, the flash's accelerator, the buses.
//!
//! RM0090: 3.5 flash, 7.3 RCC. RM0390, 3.4 and 6.3, has the same registers at the same places.

use super::{Register, Stuck};

const RCC_CR: Register = Register(0x4002_3800);
const RCC_PLLCFGR: Register = Register(0x4002_3804);
const RCC_CFGR: Register = Register(0x4002_3808);
const FLASH_ACR: Register = Register(0x4002_3C00);

/// FLASH_ACR: prefetch, instruction cache, data cache.
const ACCELERATOR: u32 = 1 << 8 | 1 << 9 | 1 << 10;
/// FLASH_ACR.LATENCY: as wide as in the parts that have most of it. No part of the family has anything else in these bits.
const LATENCY: u32 = 0xf;
/// RCC_CR: the PLL on, and ready.
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// RCC_CFGR.SW and .SWS: the PLL.
const SWITCH: u32 = 0b11;
const SWITCHED: u32 = 0b11 << 2;
/// RCC_CFGR: PPRE1 of 4 and PPRE2 of 2. Buses may have 45 and 90 MHz at a core of 180 MHz, 42 and 84 MHz at one of 168 MHz.
const BUSES: u32 = 0b111 << 10 | 0b111 << 13;
const BUSES_SLOW: u32 = 0b101 << 10 | 0b100 << 13;
/// RCC_PLLCFGR: M, N, P and the source.
const FACTORS: u32 = 0x3f | 0x1ff << 6 | 0b11 << 16 | 1 << 22;

/// The internal oscillator, from which the core runs after reset.
pub(super) const HSI: u32 = 16_000_000;

/// The PLL from the internal oscillator: 16 MHz / M · N / P.
pub(super) struct Pll {
    pub(super) m: u32,
    pub(super) n: u32,
    pub(super) p: u32,
}

/// 24 MHz: no wait states up to 30 MHz.
pub(super) const ZERO_WAIT: Pll = Pll { m: 8, n: 96, p: 8 };

const _: () = assert!(ZERO_WAIT.hz() == 24_000_000);

impl Pll {
    /// The rate that the core gets.
    pub(super) const fn hz(&self) -> u32 {
        HSI / self.m * self.n / self.p
    }

    const fn register(&self) -> u32 {
        self.m | self.n << 6 | (self.p / 2 - 1) << 16
    }

    /// Starts the PLL.
    ///
    /// # Errors
    /// When it does not lock.
    pub(super) fn start(&self) -> Result<(), Stuck> {
        RCC_PLLCFGR.set(FACTORS, self.register());
        RCC_CR.set(PLL_ON, PLL_ON);
        RCC_CR.wait(PLL_READY, PLL_READY, "the PLL does not lock")
    }
}

/// Lets the core run from the PLL, which was started: first the flash gets the wait states that it will need.
///
/// # Errors
/// When the flash or the core's clock does not follow.
pub(super) fn switch_to_pll(wait_states: u32) -> Result<(), Stuck> {
    FLASH_ACR.set(LATENCY | ACCELERATOR, wait_states | ACCELERATOR);
    FLASH_ACR.wait(LATENCY, wait_states, "the flash does not take its wait states")?;
    RCC_CFGR.set(BUSES, BUSES_SLOW);
    RCC_CFGR.set(SWITCH, 0b10);
    RCC_CFGR.wait(SWITCHED, 0b10 << 2, "the core's clock does not switch to the PLL")
}
