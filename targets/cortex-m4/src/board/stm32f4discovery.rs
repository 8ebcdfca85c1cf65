//! ST STM32F4DISCOVERY (STM32F407VG).
//!
//! Everything runs from the internal oscillator of 16 MHz, so that no crystal matters; it is exact to 1 %.
//! RM0090: 3.5 flash (table 10, wait states at 2.7 V to 3.6 V), 7.3 RCC. The regulator is at scale 1 after reset (5.4.1).

use super::stm32f4::{HSI, Pll, ZERO_WAIT, switch_to_pll};
use super::{Board, Speed, Stuck};
use kemprof_protocol::Clock;

pub(super) const BOARD: Board = Board { name: "stm32f4discovery", set };

/// Five wait states from 150 MHz on.
const FULL: Pll = Pll { m: 8, n: 168, p: 2 };

const _: () = assert!(FULL.hz() == 168_000_000);

fn set(setting: Clock) -> Result<Speed, Stuck> {
    let (pll, wait_states) = match setting {
        Clock::Default => return Ok(Speed { hz: HSI, wait_states: 0 }),
        Clock::ZeroWait => (ZERO_WAIT, 0),
        Clock::Full => (FULL, 5),
    };
    pll.start()?;
    switch_to_pll(wait_states)?;
    Ok(Speed { hz: pll.hz(), wait_states })
}
