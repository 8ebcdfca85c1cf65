//! What differs from board to board besides memory (which `build.rs` knows): the clock tree.

mod mps2_an386;
mod nucleo_f446ze;
mod nucleo_l4r5zi;
mod stm32f4;
mod stm32f4discovery;

use kemprof_protocol::{Clock, ClockFacts};

/// A board.
pub(crate) struct Board {
    /// Its name in requests to the build, answers and evidence.
    pub(crate) name: &'static str,
    /// Sets the clock tree and the flash, from how they are after reset.
    set: fn(Clock) -> Result<Speed, Stuck>,
}

/// What a setting comes to.
struct Speed {
    hz: u32,
    wait_states: u32,
}

/// What did not come up.
pub(crate) struct Stuck(pub(crate) &'static str);

/// The board of this image.
pub(crate) const BOARD: Board = named(env!("KEMPROF_BOARD"));

const fn named(name: &str) -> Board {
    match name.as_bytes() {
        b"mps2-an386" => mps2_an386::BOARD,
        b"nucleo-f446ze" => nucleo_f446ze::BOARD,
        b"stm32f4discovery" => stm32f4discovery::BOARD,
        b"nucleo-l4r5zi" => nucleo_l4r5zi::BOARD,
        _ => panic!("the build knows a board that the firmware does not"),
    }
}

impl Board {
    /// Sets the clock.
    ///
    /// # Errors
    /// When an oscillator or a supply does not come up.
    pub(crate) fn set_clock(&self, setting: Clock) -> Result<ClockFacts, Stuck> {
        let Speed { hz, wait_states } = (self.set)(setting)?;
        Ok(ClockFacts { setting, hz, wait_states })
    }
}

/// A register of a peripheral.
#[derive(Clone, Copy)]
struct Register(u32);

/// Looks at a flag before it is given up: a thousand times what the slowest oscillator takes at 16 MHz.
const PATIENCE: u32 = 1_000_000;

#[expect(unsafe_code, reason = "registers are read and written by address")]
impl Register {
    fn read(self) -> u32 {
        // SAFETY: registers are constants of the board files, of peripherals that the board has. They are words, aligned,
        // and reading one has no effect on memory.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(self, value: u32) {
        // SAFETY: as for reading; what is written sets clocks, power and flash timing only.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Sets the bits of `field` to `value`, which is in its place already.
    fn set(self, field: u32, value: u32) {
        self.write(self.read() & !field | value);
    }

    /// Waits until the bits of `field` are `value`.
    fn wait(self, field: u32, value: u32, what: &'static str) -> Result<(), Stuck> {
        let mut looks = 0..PATIENCE;
        if looks.any(|_| self.read() & field == value) { Ok(()) } else { Err(Stuck(what)) }
    }
}
