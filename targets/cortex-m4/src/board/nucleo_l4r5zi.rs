//! ST NUCLEO-L4R5ZI (STM32L4R5ZI).
//!
//! After reset the core runs from the multi-speed oscillator at 4 MHz; faster, from the internal oscillator of 16 MHz, which
//! is exact to 1 %. RM0432: 3.3.3 flash (table 12, wait states at range 1), 5.1.8 power (range 1 boost mode), 6.2 RCC.

use super::{Board, Register, Speed, Stuck};
use kemprof_protocol::Clock;

pub(super) const BOARD: Board = Board { name: "nucleo-l4r5zi", set };

const RCC_CR: Register = Register(0x4002_1000);
const RCC_CFGR: Register = Register(0x4002_1008);
const RCC_PLLCFGR: Register = Register(0x4002_100C);
const RCC_APB1ENR1: Register = Register(0x4002_1058);
const FLASH_ACR: Register = Register(0x4002_2000);
const PWR_CR5: Register = Register(0x4000_7080);

/// RCC_CR: the internal oscillator and the PLL, on and ready.
const HSI_ON: u32 = 1 << 8;
const HSI_READY: u32 = 1 << 10;
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// RCC_CFGR.SW and .SWS, and HPRE: the core's clock as it is, or half.
const SWITCH: u32 = 0b11;
const SWITCHED: u32 = 0b11 << 2;
const CORE: u32 = 0xf << 4;
const CORE_HALF: u32 = 0b1000 << 4;
/// FLASH_ACR: prefetch, instruction cache, data cache; the caches are on after reset.
const ACCELERATOR: u32 = 1 << 8 | 1 << 9 | 1 << 10;

const MSI: u32 = 4_000_000;
const HSI: u32 = 16_000_000;

/// The PLL from the internal oscillator: 16 MHz / 4 · 60 / 2.
const M: u32 = 4;
const N: u32 = 60;
const R: u32 = 2;
const FULL: u32 = HSI / M * N / R;
/// RCC_PLLCFGR: the source (HSI), M, N, R (2, and on).
const PLL: u32 = 0b10 | (M - 1) << 4 | N << 8 | 1 << 24;

const _: () = assert!(FULL == 120_000_000);

fn set(setting: Clock) -> Result<Speed, Stuck> {
    if setting == Clock::Default {
        return Ok(Speed { hz: MSI, wait_states: 0 });
    }
    RCC_CR.set(HSI_ON, HSI_ON);
    RCC_CR.wait(HSI_READY, HSI_READY, "the internal oscillator does not start")?;
    if setting == Clock::ZeroWait {
        // No wait states up to 20 MHz at range 1.
        switch(0b01)?;
        return Ok(Speed { hz: HSI, wait_states: 0 });
    }
    // Range 1 boost mode, which 120 MHz needs: PWR_CR5.R1MODE is cleared.
    RCC_APB1ENR1.set(1 << 28, 1 << 28);
    PWR_CR5.set(1 << 8, 0);
    RCC_PLLCFGR.write(PLL);
    RCC_CR.set(PLL_ON, PLL_ON);
    RCC_CR.wait(PLL_READY, PLL_READY, "the PLL does not lock")?;
    FLASH_ACR.set(0xf | ACCELERATOR, 5 | ACCELERATOR);
    FLASH_ACR.wait(0xf, 5, "the flash does not take its wait states")?;
    // The supply must see half the speed for a microsecond before the whole.
    RCC_CFGR.set(CORE, CORE_HALF);
    switch(0b11)?;
    cortex_m::asm::delay(FULL / 2 / 1_000_000 * 2);
    RCC_CFGR.set(CORE, 0);
    Ok(Speed { hz: FULL, wait_states: 5 })
}

fn switch(to: u32) -> Result<(), Stuck> {
    RCC_CFGR.set(SWITCH, to);
    RCC_CFGR.wait(SWITCHED, to << 2, "the core's clock does not switch")
}
