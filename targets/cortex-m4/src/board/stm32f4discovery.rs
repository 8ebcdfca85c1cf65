//! ST STM32F4DISCOVERY (STM32F407VG).
//!
//! Everything runs from the internal oscillator of 16 MHz, so that no crystal matters; it is exact to 1 %.
//! RM0090: 3.5 flash (table 10, wait states at 2.7 V to 3.6 V), 7.3 RCC. The regulator is at scale 1 after reset (5.4.1).

use super::{Board, Register, Speed, Stuck};
use kemprof_protocol::Clock;

pub(super) const BOARD: Board = Board { name: "stm32f4discovery", set };

const RCC_CR: Register = Register(0x4002_3800);
const RCC_PLLCFGR: Register = Register(0x4002_3804);
const RCC_CFGR: Register = Register(0x4002_3808);
const FLASH_ACR: Register = Register(0x4002_3C00);

/// FLASH_ACR: prefetch, instruction cache, data cache.
const ACCELERATOR: u32 = 1 << 8 | 1 << 9 | 1 << 10;
/// RCC_CR: the PLL on, and ready.
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// RCC_CFGR.SW and .SWS: the PLL.
const SWITCH: u32 = 0b11;
const SWITCHED: u32 = 0b11 << 2;
/// RCC_CFGR: PPRE1 of 4 and PPRE2 of 2, for buses of 42 and 84 MHz at the most.
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
/// Five wait states from 150 MHz on.
const FULL: Pll = Pll { m: 8, n: 168, p: 2 };

const _: () = assert!(ZERO_WAIT.hz() == 24_000_000 && FULL.hz() == 168_000_000);

fn set(setting: Clock) -> Result<Speed, Stuck> {
    let (pll, wait_states) = match setting {
        Clock::Default => return Ok(Speed { hz: HSI, wait_states: 0 }),
        Clock::ZeroWait => (ZERO_WAIT, 0),
        Clock::Full => (FULL, 5),
    };
    RCC_PLLCFGR.set(FACTORS, pll.register());
    RCC_CR.set(PLL_ON, PLL_ON);
    RCC_CR.wait(PLL_READY, PLL_READY, "the PLL does not lock")?;
    FLASH_ACR.set(0x7 | ACCELERATOR, wait_states | ACCELERATOR);
    FLASH_ACR.wait(0x7, wait_states, "the flash does not take its wait states")?;
    RCC_CFGR.set(BUSES, BUSES_SLOW);
    RCC_CFGR.set(SWITCH, 0b10);
    RCC_CFGR.wait(SWITCHED, 0b10 << 2, "the core's clock does not switch to the PLL")?;
    Ok(Speed { hz: pll.hz(), wait_states })
}
