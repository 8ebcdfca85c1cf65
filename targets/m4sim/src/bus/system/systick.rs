//! SysTick (DDI 0403, B3.3): a 24-bit counter that is never stepped; its next wrap is a point in time.

use super::super::Map;
use super::nvic::{Nvic, SYSTICK};

const ENABLE: u32 = 1;
const TICKINT: u32 = 2;
const CLKSOURCE: u32 = 4;
const COUNTFLAG: u32 = 1 << 16;
/// Width of the counter.
const MASK: u32 = 0xFF_FFFF;

/// The system timer.
pub(crate) struct SysTick {
    csr: u32,
    reload: u32,
    counted: bool,
    /// Value while it does not count.
    stopped_at: u32,
    /// Cycle of the next step to zero, while it counts.
    zero: u64,
    /// Core cycles per step of the reference clock, for CLKSOURCE = 0.
    reference: u64,
}

impl SysTick {
    pub(super) fn new(map: Map) -> Self {
        let reference = match map {
            Map::Mps2An386 => map.clock() / 1_000_000, // a reference of 1 MHz
            Map::Stm32F4 => 8,                         // HCLK / 8 (RM0090, 6.2)
        };
        SysTick { csr: 0, reload: 0, counted: false, stopped_at: 0, zero: 0, reference }
    }

    fn step(&self) -> u64 {
        if self.csr & CLKSOURCE != 0 { 1 } else { self.reference }
    }

    /// Passes the wraps up to `now`: sets COUNTFLAG, pends the exception, reloads.
    pub(crate) fn catch_up(&mut self, now: u64, nvic: &mut Nvic) {
        if self.csr & ENABLE == 0 || now < self.zero {
            return;
        }
        self.counted = true;
        if self.csr & TICKINT != 0 {
            nvic.pend(SYSTICK);
        }
        if self.reload == 0 {
            // A reload of zero stops the counter at the wrap.
            self.zero = u64::MAX;
            return;
        }
        let period = (u64::from(self.reload) + 1) * self.step();
        self.zero += ((now - self.zero) / period + 1) * period;
    }

    /// Cycle at which the run loop must look, or `u64::MAX`.
    pub(crate) fn deadline(&self) -> u64 {
        if self.csr & (ENABLE | TICKINT) == ENABLE | TICKINT { self.zero } else { u64::MAX }
    }

    fn value(&self, now: u64) -> u32 {
        if self.csr & ENABLE == 0 {
            self.stopped_at
        } else if self.zero == u64::MAX {
            0
        } else {
            // One step after the wrap the counter shows the reload value; a value beyond it has not been loaded yet.
            let left = (self.zero - now).div_ceil(self.step());
            if left > u64::from(self.reload.max(self.stopped_at)) { 0 } else { left as u32 & MASK }
        }
    }

    /// Starts at `now` from a value; from 0 the first step reloads.
    fn start(&mut self, now: u64, value: u32) {
        self.stopped_at = value;
        self.zero = match (value, self.reload) {
            (0, 0) => u64::MAX,
            (0, reload) => now + (u64::from(reload) + 1) * self.step(),
            (value, _) => now + u64::from(value) * self.step(),
        };
    }

    pub(super) fn load(&mut self, offset: u32, now: u64, nvic: &mut Nvic) -> u32 {
        self.catch_up(now, nvic);
        match offset {
            0x0 => {
                let flag = if std::mem::take(&mut self.counted) { COUNTFLAG } else { 0 };
                self.csr | flag
            }
            0x4 => self.reload,
            0x8 => self.value(now),
            _ => 0, // CALIB: no calibration value
        }
    }

    pub(super) fn store(&mut self, offset: u32, value: u32, now: u64, nvic: &mut Nvic) {
        self.catch_up(now, nvic);
        match offset {
            0x0 => {
                let current = self.value(now);
                self.csr = value & (ENABLE | TICKINT | CLKSOURCE);
                self.start(now, current);
            }
            0x4 => {
                self.reload = value & MASK;
                if self.csr & ENABLE != 0 && self.zero == u64::MAX {
                    self.start(now, 0);
                }
            }
            0x8 => {
                // Any store clears the counter and the flag, without an exception.
                self.counted = false;
                self.start(now, 0);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(reload: u32, at: u64) -> (SysTick, Nvic) {
        let (mut tick, mut nvic) = (SysTick::new(Map::Mps2An386), Nvic::new(Map::Mps2An386));
        tick.store(4, reload, at, &mut nvic);
        tick.store(8, 0, at, &mut nvic);
        tick.store(0, ENABLE | TICKINT | CLKSOURCE, at, &mut nvic);
        (tick, nvic)
    }

    #[test]
    fn counts_down_and_wraps_every_reload_plus_one() {
        let (mut tick, mut nvic) = started(99, 1000);
        assert_eq!(tick.load(8, 1000, &mut nvic), 0);
        assert_eq!(tick.load(8, 1001, &mut nvic), 99);
        assert_eq!(tick.load(8, 1099, &mut nvic), 1);
        assert!(!nvic.is_pending(SYSTICK));
        assert_eq!(tick.deadline(), 1100);
        assert_eq!(tick.load(8, 1100, &mut nvic), 0);
        assert!(nvic.is_pending(SYSTICK));
        assert_eq!(tick.load(8, 1101, &mut nvic), 99);
        assert_eq!(tick.load(0, 1101, &mut nvic) & COUNTFLAG, COUNTFLAG);
        assert_eq!(tick.load(0, 1101, &mut nvic) & COUNTFLAG, 0, "cleared by reading");
    }

    #[test]
    fn long_times_are_exact() {
        let (mut tick, mut nvic) = started(MASK, 0);
        let (mut wraps, mut now) = (0u64, 0);
        while now + 1000 < 200_000_000 {
            now += 1000;
            tick.catch_up(now, &mut nvic);
            if nvic.is_pending(SYSTICK) {
                nvic.unpend(SYSTICK);
                wraps += 1;
            }
        }
        let elapsed = wraps * (1 << 24) + u64::from(MASK - tick.load(8, now, &mut nvic)) + 1;
        assert_eq!(elapsed, now);
    }

    #[test]
    fn stops_and_goes_on() {
        let (mut tick, mut nvic) = started(999, 0);
        tick.store(0, 0, 400, &mut nvic);
        assert_eq!(tick.load(8, 5000, &mut nvic), 600);
        tick.store(0, ENABLE | CLKSOURCE, 6000, &mut nvic);
        assert_eq!(tick.load(8, 6100, &mut nvic), 500);
        assert_eq!(tick.deadline(), u64::MAX, "no interrupt asked for");
    }
}
