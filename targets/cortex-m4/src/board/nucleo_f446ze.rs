//! ST NUCLEO-F446ZE (STM32F446ZE).
//!
//! Everything runs from the internal oscillator of 16 MHz, so that no jumper or crystal matters; it is exact to 1 %.
//! RM0390: 3.4 flash (table 5, wait states at 2.7 V to 3.6 V), 5.4 power (5.1.4, over-drive), 6.3 RCC.

use super::{Board, Register, Speed, Stuck};
use kemprof_protocol::Clock;

pub(super) const BOARD: Board = Board { name: "nucleo-f446ze", set };

const RCC_CR: Register = Register(0x4002_3800);
const RCC_PLLCFGR: Register = Register(0x4002_3804);
const RCC_CFGR: Register = Register(0x4002_3808);
const RCC_APB1ENR: Register = Register(0x4002_3840);
const FLASH_ACR: Register = Register(0x4002_3C00);
const PWR_CR: Register = Register(0x4000_7000);
const PWR_CSR: Register = Register(0x4000_7004);

/// FLASH_ACR: prefetch, instruction cache, data cache.
const ACCELERATOR: u32 = 1 << 8 | 1 << 9 | 1 << 10;
/// RCC_CR: the PLL on, and ready.
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// RCC_CFGR.SW and .SWS: the PLL.
const SWITCH: u32 = 0b11;
const SWITCHED: u32 = 0b11 << 2;
/// RCC_CFGR: PPRE1 of 4 and PPRE2 of 2, for buses of 45 and 90 MHz at the most.
const BUSES: u32 = 0b111 << 10 | 0b111 << 13;
const BUSES_SLOW: u32 = 0b101 << 10 | 0b100 << 13;
/// RCC_PLLCFGR: M, N, P and the source.
const FACTORS: u32 = 0x3f | 0x1ff << 6 | 0b11 << 16 | 1 << 22;

const HSI: u32 = 16_000_000;

/// The PLL from the internal oscillator: 16 MHz / M · N / P.
struct Pll {
    m: u32,
    n: u32,
    p: u32,
}

impl Pll {
    const fn hz(&self) -> u32 {
        HSI / self.m * self.n / self.p
    }

    const fn register(&self) -> u32 {
        self.m | self.n << 6 | (self.p / 2 - 1) << 16
    }
}

/// No wait states up to 30 MHz.
const ZERO_WAIT: Pll = Pll { m: 8, n: 96, p: 8 };
/// With over-drive; five wait states from 150 MHz on.
const FULL: Pll = Pll { m: 8, n: 180, p: 2 };

const _: () = assert!(ZERO_WAIT.hz() == 24_000_000 && FULL.hz() == 180_000_000);

fn set(setting: Clock) -> Result<Speed, Stuck> {
    match setting {
        Clock::Default => Ok(Speed { hz: HSI, wait_states: 0 }),
        Clock::ZeroWait => {
            start(&ZERO_WAIT)?;
            switch(0)?;
            Ok(Speed { hz: ZERO_WAIT.hz(), wait_states: 0 })
        }
        Clock::Full => {
            RCC_APB1ENR.set(1 << 28, 1 << 28);
            start(&FULL)?;
            over_drive()?;
            switch(5)?;
            Ok(Speed { hz: FULL.hz(), wait_states: 5 })
        }
    }
}

fn start(pll: &Pll) -> Result<(), Stuck> {
    RCC_PLLCFGR.set(FACTORS, pll.register());
    RCC_CR.set(PLL_ON, PLL_ON);
    RCC_CR.wait(PLL_READY, PLL_READY, "the PLL does not lock")
}

/// PWR_CR.ODEN, then .ODSWEN, each with its flag in PWR_CSR.
fn over_drive() -> Result<(), Stuck> {
    PWR_CR.set(1 << 16, 1 << 16);
    PWR_CSR.wait(1 << 16, 1 << 16, "over-drive does not come up")?;
    PWR_CR.set(1 << 17, 1 << 17);
    PWR_CSR.wait(1 << 17, 1 << 17, "the supply does not switch to over-drive")
}

fn switch(wait_states: u32) -> Result<(), Stuck> {
    FLASH_ACR.set(0xf | ACCELERATOR, wait_states | ACCELERATOR);
    FLASH_ACR.wait(0xf, wait_states, "the flash does not take its wait states")?;
    RCC_CFGR.set(BUSES, BUSES_SLOW);
    RCC_CFGR.set(SWITCH, 0b10);
    RCC_CFGR.wait(SWITCHED, 0b10 << 2, "the core's clock does not switch to the PLL")
}
