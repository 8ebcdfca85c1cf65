//! Flash with wait states, and the accelerator of the STM32F4 that hides most of them (RM0090, 3.5.2): a cache of 64
//! instruction lines and one of 8 data lines, 16 bytes each, and a prefetch of the next line.

/// Bytes of a line: one read of the flash.
const LINE: u32 = 16;
/// Lines of the caches.
const INSTRUCTION_LINES: usize = 64;
const DATA_LINES: usize = 8;

/// Settings of the flash model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashModel {
    /// Wait states of a read; 5 at 168 MHz and 3.3 V.
    pub wait_states: u32,
    /// Caches and prefetch on.
    pub accelerator: bool,
}

/// The lines that a cache holds, most recently used last.
#[derive(Debug)]
struct Lines {
    held: Vec<u32>,
    capacity: usize,
}

impl Lines {
    fn new(capacity: usize) -> Self {
        Lines { held: Vec::with_capacity(capacity), capacity }
    }

    /// Uses a line; `false` when it has to be read first. The least recently used line makes room.
    fn touch(&mut self, line: u32) -> bool {
        let found = self.held.iter().rposition(|&l| l == line);
        match found {
            Some(at) => {
                self.held.remove(at);
            }
            None if self.held.len() == self.capacity => {
                self.held.remove(0);
            }
            None => {}
        }
        self.held.push(line);
        found.is_some()
    }
}

/// State of the flash interface.
#[derive(Debug)]
pub(crate) struct Accelerator {
    model: FlashModel,
    base: u32,
    len: u32,
    instructions: Lines,
    data: Lines,
    /// The line that the last fetch came from.
    current: u32,
    /// The line being prefetched and the cycle at which it is there.
    prefetch: Option<(u32, u64)>,
}

impl Accelerator {
    pub(crate) fn new(model: FlashModel, base: u32, len: u32) -> Self {
        Accelerator {
            model,
            base,
            len,
            instructions: Lines::new(INSTRUCTION_LINES),
            data: Lines::new(DATA_LINES),
            current: u32::MAX,
            prefetch: None,
        }
    }

    fn is_flash(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.len
    }

    /// Cycles that an instruction of `size` bytes at `address` waits at cycle `now`.
    pub(crate) fn fetch(&mut self, address: u32, size: u32, now: u64) -> u64 {
        if !self.is_flash(address) {
            return 0;
        }
        let (first, last) = (address / LINE, (address + size - 1) / LINE);
        let mut stall = self.fetch_line(first, now);
        if last != first {
            stall += self.fetch_line(last, now + stall);
        }
        stall
    }

    fn fetch_line(&mut self, line: u32, now: u64) -> u64 {
        if line == self.current {
            return 0;
        }
        self.current = line;
        let wait = u64::from(self.model.wait_states);
        if !self.model.accelerator {
            return wait;
        }
        let hit = self.instructions.touch(line);
        let stall = match self.prefetch {
            _ if hit => 0,
            Some((prefetched, ready)) if prefetched == line => ready.saturating_sub(now),
            _ => wait,
        };
        // The next line is read while this one is executed, unless it is there already.
        if !self.instructions.held.contains(&(line + 1)) {
            self.prefetch = Some((line + 1, now + stall + wait + 1));
        }
        stall
    }

    /// Cycles that a load from `address` waits.
    pub(crate) fn load(&mut self, address: u32) -> u64 {
        let cached = !self.is_flash(address) || self.model.accelerator && self.data.touch(address / LINE);
        if cached { 0 } else { self.model.wait_states.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flash(accelerator: bool) -> Accelerator {
        Accelerator::new(FlashModel { wait_states: 5, accelerator }, 0x0800_0000, 1 << 20)
    }

    #[test]
    fn a_loop_in_the_cache_does_not_wait() {
        let mut flash = flash(true);
        let first: u64 = (0..32).map(|i| flash.fetch(0x0800_0000 + 2 * i, 2, 0)).sum();
        assert!(first > 0);
        let again: u64 = (0..32).map(|i| flash.fetch(0x0800_0000 + 2 * i, 2, 1000)).sum();
        assert_eq!(again, 0);
    }

    #[test]
    fn straight_code_waits_less_with_prefetch() {
        // Eight 16-bit instructions to a line: 8 cycles of work hide the 6 of the next read.
        let mut flash = flash(true);
        let (mut now, mut stalls) = (0, Vec::new());
        for i in 0..32 {
            let stall = flash.fetch(0x0800_0000 + 2 * i, 2, now);
            now += 1 + stall;
            stalls.push(stall);
        }
        assert_eq!(stalls[0], 5);
        assert_eq!(stalls.iter().sum::<u64>(), 5);
    }

    #[test]
    fn without_the_accelerator_every_line_waits() {
        let mut flash = flash(false);
        let total: u64 = (0..32).map(|i| flash.fetch(0x0800_0000 + 2 * i, 2, 100 * u64::from(i))).sum();
        assert_eq!(total, 4 * 5);
        assert_eq!((flash.load(0x0800_0000), flash.load(0x0800_0000), flash.load(0x2000_0000)), (5, 5, 0));
    }

    #[test]
    fn eight_data_lines() {
        let mut flash = flash(true);
        let sweep =
            |flash: &mut Accelerator, lines: u32| -> u64 { (0..lines).map(|i| flash.load(0x0800_0000 + 16 * i)).sum() };
        assert_eq!(sweep(&mut flash, 8), 8 * 5);
        assert_eq!(sweep(&mut flash, 8), 0);
        assert_eq!(sweep(&mut flash, 9), 5);
        assert_eq!(sweep(&mut flash, 9), 9 * 5, "least recently used, in order");
    }
}
