//! The cycle counter (DDI 0403, C1.8), gated by DEMCR.TRCENA.

/// DWT_CTRL: four comparators, as the Cortex-M4 has; NOCYCCNT is clear.
const CTRL_RESET: u32 = 4 << 28;
/// DWT_CTRL.CYCCNTENA.
const CYCCNTENA: u32 = 1;
/// DWT_CTRL.NOCYCCNT.
const NOCYCCNT: u32 = 1 << 25;
/// Bits of DWT_CTRL that can be written.
const CTRL_WRITABLE: u32 = 0x007F_1FFF;
/// DEMCR.TRCENA.
const TRCENA: u32 = 1 << 24;
/// Key that unlocks the registers.
const LAR_KEY: u32 = 0xC5AC_CE55;

/// What CYCCNT does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CycleCounter {
    /// It counts while it is enabled.
    #[default]
    Counts,
    /// It can be enabled and does not move, as where its clock is off.
    Stands,
    /// There is none, as DWT_CTRL says.
    Absent,
}

/// Data watchpoint and trace unit: CYCCNT counts, the other registers hold what is written to them.
#[derive(Default)]
pub(crate) struct Dwt {
    kind: CycleCounter,
    demcr: u32,
    ctrl: u32,
    /// CYCCNT when it last started or stopped.
    base: u32,
    /// Cycle at which it last started.
    since: u64,
    /// CPICNT, EXCCNT, SLEEPCNT, LSUCNT, FOLDCNT.
    events: [u8; 5],
    comparators: [u32; 16],
    locked: bool,
}

impl Dwt {
    pub(super) fn new(kind: CycleCounter) -> Self {
        Dwt { kind, ..Dwt::default() }
    }

    fn running(&self) -> bool {
        self.kind == CycleCounter::Counts && self.demcr & TRCENA != 0 && self.ctrl & CYCCNTENA != 0
    }

    fn count(&self, now: u64) -> u32 {
        if self.running() { self.base.wrapping_add((now - self.since) as u32) } else { self.base }
    }

    /// Applies a change that may start or stop the counter.
    fn change(&mut self, now: u64, change: impl FnOnce(&mut Self)) {
        self.base = self.count(now);
        self.since = now;
        change(self);
    }

    pub(super) fn demcr(&self) -> u32 {
        self.demcr
    }

    pub(super) fn set_demcr(&mut self, value: u32, now: u64) {
        self.change(now, |dwt| dwt.demcr = value & (TRCENA | 0xF_07F1));
    }

    pub(super) fn load(&self, offset: u32, now: u64) -> u32 {
        match offset {
            0x000 if self.kind == CycleCounter::Absent => self.ctrl & !CYCCNTENA | CTRL_RESET | NOCYCCNT,
            0x000 => self.ctrl | CTRL_RESET,
            0x004 if self.kind == CycleCounter::Absent => 0,
            0x004 => self.count(now),
            0x008..=0x018 => self.events[(offset as usize - 8) / 4].into(),
            0x020..=0x05C => self.comparators[(offset as usize - 0x20) / 4],
            0xFB4 => 1 | u32::from(self.locked) << 1,
            _ => 0,
        }
    }

    pub(super) fn store(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0xFB0 => self.locked = value != LAR_KEY,
            _ if self.locked => {}
            0x000 => self.change(now, |dwt| dwt.ctrl = value & CTRL_WRITABLE),
            0x004 => self.change(now, |dwt| dwt.base = value),
            0x008..=0x018 => self.events[(offset as usize - 8) / 4] = value as u8,
            0x020..=0x05C => self.comparators[(offset as usize - 0x20) / 4] = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_while_traced_and_enabled() {
        let mut dwt = Dwt::default();
        dwt.store(0, CYCCNTENA, 10);
        assert_eq!(dwt.load(4, 1000), 0, "TRCENA is clear");
        dwt.set_demcr(TRCENA, 1000);
        assert_eq!(dwt.load(4, 1007), 7);
        dwt.store(0, 0, 1010);
        assert_eq!(dwt.load(4, 5000), 10);
        dwt.store(4, u32::MAX, 5000);
        dwt.store(0, CYCCNTENA, 5000);
        assert_eq!(dwt.load(4, 5001), 0, "wraps");
        dwt.set_demcr(0, 5003);
        assert_eq!(dwt.load(4, 9000), 2);
    }

    #[test]
    fn counters_that_do_not_count_say_so_or_stand() {
        for (kind, control) in [(CycleCounter::Stands, CYCCNTENA), (CycleCounter::Absent, NOCYCCNT)] {
            let mut dwt = Dwt::new(kind);
            dwt.set_demcr(TRCENA, 0);
            dwt.store(0, CYCCNTENA, 0);
            assert_eq!((dwt.load(0, 1), dwt.load(4, 1000)), (CTRL_RESET | control, 0));
        }
    }

    #[test]
    fn lock_ignores_stores_until_the_key() {
        let mut dwt = Dwt::default();
        dwt.store(0xFB0, 1, 0);
        dwt.store(4, 99, 0);
        assert_eq!((dwt.load(4, 0), dwt.load(0xFB4, 0)), (0, 3));
        dwt.store(0xFB0, LAR_KEY, 0);
        dwt.store(4, 99, 0);
        assert_eq!((dwt.load(4, 0), dwt.load(0xFB4, 0)), (99, 1));
    }
}
