//! ST NUCLEO-F446ZE (STM32F446ZE).
//!
//! Everything runs from the internal oscillator of 16 MHz, so that no jumper or crystal matters; it is exact to 1 %.
//! RM0390: 3.4 flash (table 5, wait states at 2.7 V to 3.6 V), 5.4 power (5.1.4, over-drive), 6.3 RCC.

use super::stm32f4::{HSI, Pll, ZERO_WAIT, switch_to_pll};
use super::{Board, Register, Speed, Stuck};
use kemprof_protocol::Clock;

pub(super) const BOARD: Board = Board { name: "nucleo-f446ze", set };

const RCC_APB1ENR: Register = Register(0x4002_3840);
const PWR_CR: Register = Register(0x4000_7000);
const PWR_CSR: Register = Register(0x4000_7004);

/// With over-drive; five wait states from 150 MHz on.
const FULL: Pll = Pll { m: 8, n: 180, p: 2 };

const _: () = assert!(FULL.hz() == 180_000_000);

fn set(setting: Clock) -> Result<Speed, Stuck> {
    match setting {
        Clock::Default => Ok(Speed { hz: HSI, wait_states: 0 }),
        Clock::ZeroWait => {
            ZERO_WAIT.start()?;
            switch_to_pll(0)?;
            Ok(Speed { hz: ZERO_WAIT.hz(), wait_states: 0 })
        }
        Clock::Full => {
            RCC_APB1ENR.set(1 << 28, 1 << 28);
            FULL.start()?;
            over_drive()?;
            switch_to_pll(5)?;
            Ok(Speed { hz: FULL.hz(), wait_states: 5 })
        }
    }
}

/// PWR_CR.ODEN, then .ODSWEN, each with its flag in PWR_CSR.
fn over_drive() -> Result<(), Stuck> {
    PWR_CR.set(1 << 16, 1 << 16);
    PWR_CSR.wait(1 << 16, 1 << 16, "over-drive does not come up")?;
    PWR_CR.set(1 << 17, 1 << 17);
    PWR_CSR.wait(1 << 17, 1 << 17, "the supply does not switch to over-drive")
}
