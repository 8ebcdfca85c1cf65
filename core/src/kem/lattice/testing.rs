//! What tests of kernels share.

extern crate std;

use core::cell::Cell;

std::thread_local! {
    /// Whether this thread pretends that the processor has the baseline's vectors alone.
    static BASELINE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the present thread is to take the baseline's path.
#[cfg(target_arch = "x86_64")]
pub(in crate::kem) fn baseline() -> bool {
    BASELINE.get()
}

/// Runs `test` on the path that the processor chooses, and on the baseline's.
pub(in crate::kem) fn on_every_path(test: impl Fn()) {
    test();
    BASELINE.set(true);
    test();
    BASELINE.set(false);
}

/// Test inputs that look random: xorshift64*.
pub(in crate::kem) struct Numbers(u64);

impl Numbers {
    pub(in crate::kem) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub(in crate::kem) fn byte(&mut self) -> u8 {
        (self.number() >> 56) as u8
    }

    /// From `low` to `high`, both included.
    pub(in crate::kem) fn between(&mut self, low: i32, high: i32) -> i32 {
        let range = (high - low + 1) as u64;
        low + (((self.number() >> 32) * range) >> 32) as i32
    }

    fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}
