//! Pending and active exceptions and their priorities (DDI 0403, B1.5 and B3.4).

use super::super::Map;

/// Exception number of SVCall.
pub(crate) const SVCALL: u16 = 11;
/// Exception number of PendSV.
pub(crate) const PENDSV: u16 = 14;
/// Exception number of SysTick.
pub(crate) const SYSTICK: u16 = 15;
/// First external interrupt.
const EXTERNAL: u16 = 16;
/// Exceptions in all: the most that the NVIC of a Cortex-M4 has, with 240 external interrupts.
const EXCEPTIONS: usize = EXTERNAL as usize + 240;
/// Exceptions with a priority that can be set (B3.2.10 to B3.2.12): faults, SVCall, the debug monitor, PendSV and SysTick.
const SYSTEM: [usize; 7] = [4, 5, 6, 11, 12, 14, 15];
/// Words of a bit set of exceptions.
const WORDS: usize = EXCEPTIONS / 32;

/// A set of exception numbers.
#[derive(Clone, Copy, Default)]
struct Set([u32; WORDS]);

impl Set {
    fn contains(&self, number: u16) -> bool {
        self.0[usize::from(number) / 32] >> (number % 32) & 1 != 0
    }

    fn put(&mut self, number: u16, value: bool) {
        let bit = 1 << (number % 32);
        let word = &mut self.0[usize::from(number) / 32];
        *word = if value { *word | bit } else { *word & !bit };
    }

    /// 32 bits of the external interrupts, as the registers show them.
    fn interrupts(&self, word: usize) -> u32 {
        let low = self.0[word] >> EXTERNAL;
        let high = self.0.get(word + 1).map_or(0, |w| w << EXTERNAL);
        low | high
    }

    /// Changes external interrupts below `end`, as the registers show them.
    fn put_interrupts(&mut self, word: usize, bits: u32, value: bool, end: usize) {
        for bit in (0..32).filter(|b| bits >> b & 1 != 0) {
            let number = EXTERNAL + 32 * word as u16 + bit;
            if usize::from(number) < end {
                self.put(number, value);
            }
        }
    }
}

/// The interrupt controller.
pub(crate) struct Nvic {
    pending: Set,
    active: Set,
    enabled: Set,
    priority: [u8; EXCEPTIONS],
    /// Implemented bits of a priority.
    priority_mask: u8,
    /// The number after the last exception.
    end: usize,
    /// Exceptions being handled, outermost first.
    handled: Vec<u16>,
}

impl Nvic {
    pub(crate) fn new(map: Map) -> Self {
        let mut enabled = Set::default();
        (0..EXTERNAL).for_each(|n| enabled.put(n, true));
        let (priority_bits, interrupts) = map.interrupts();
        let priority_mask = u8::MAX << (8 - priority_bits);
        let end = usize::from(EXTERNAL) + interrupts;
        Nvic {
            pending: Set::default(),
            active: Set::default(),
            enabled,
            priority: [0; EXCEPTIONS],
            priority_mask,
            end,
            handled: Vec::new(),
        }
    }

    /// Implemented bits of a priority.
    pub(crate) fn priority_mask(&self) -> u8 {
        self.priority_mask
    }

    /// Makes an exception pending, where it exists.
    pub(crate) fn pend(&mut self, number: u16) {
        if usize::from(number) < self.end {
            self.pending.put(number, true);
        }
    }

    /// Withdraws a pending exception.
    pub(crate) fn unpend(&mut self, number: u16) {
        self.pending.put(number, false);
    }

    /// Whether an exception is pending.
    pub(crate) fn is_pending(&self, number: u16) -> bool {
        self.pending.contains(number)
    }

    /// Begins handling.
    pub(crate) fn activate(&mut self, number: u16) {
        self.pending.put(number, false);
        self.active.put(number, true);
        self.handled.push(number);
    }

    /// Ends handling; `false` when the exception was not active.
    pub(crate) fn deactivate(&mut self, number: u16) -> bool {
        let was = self.active.contains(number);
        self.active.put(number, false);
        self.handled.retain(|&n| n != number);
        was
    }

    /// Exceptions being handled, outermost first.
    pub(crate) fn handled(&self) -> &[u16] {
        &self.handled
    }

    /// How many exceptions are being handled.
    pub(crate) fn depth(&self) -> usize {
        self.handled.len()
    }

    /// Group priority of an exception: lower numbers come first.
    pub(crate) fn group_priority(&self, number: u16, prigroup: u32) -> i32 {
        group(self.priority[usize::from(number)], prigroup)
    }

    /// The most urgent group priority that is being handled; 256 when none is.
    pub(crate) fn active_priority(&self, prigroup: u32) -> i32 {
        self.handled.iter().map(|&n| self.group_priority(n, prigroup)).min().unwrap_or(256)
    }

    /// The most urgent exception that is pending and enabled: by priority, then by number.
    pub(crate) fn most_urgent(&self) -> Option<u16> {
        let candidates = (0..WORDS).flat_map(|w| {
            let bits = self.pending.0[w] & self.enabled.0[w];
            (0..32).filter(move |b| bits >> b & 1 != 0).map(move |b| 32 * w as u16 + b)
        });
        candidates.min_by_key(|&n| (self.priority[usize::from(n)], n))
    }

    pub(super) fn icsr(&self, ipsr: u16) -> u32 {
        let bit = |set: bool, at: u32| u32::from(set) << at;
        let interrupts = (0..WORDS).any(|w| self.pending.interrupts(w) != 0);
        bit(self.is_pending(PENDSV), 28)
            | bit(self.is_pending(SYSTICK), 26)
            | bit(interrupts, 22)
            | u32::from(self.most_urgent().unwrap_or(0)) << 12
            | bit(self.depth() <= 1, 11)
            | u32::from(ipsr)
    }

    pub(super) fn set_icsr(&mut self, value: u32) {
        for (set, clear, number) in [(28, 27, PENDSV), (26, 25, SYSTICK)] {
            if value >> set & 1 != 0 {
                self.pend(number);
            } else if value >> clear & 1 != 0 {
                self.unpend(number);
            }
        }
    }

    /// SHPR1 to SHPR3; `offset` is that of the word.
    pub(super) fn system_priorities(&self, offset: u32) -> u32 {
        let first = 4 + offset as usize;
        u32::from_le_bytes([0, 1, 2, 3].map(|i| self.priority[first + i]))
    }

    pub(super) fn set_system_priorities(&mut self, offset: u32, value: u32) {
        self.set_priorities(4 + offset as usize, value);
    }

    /// Bytes of exceptions that do not exist, and bits of a priority that are not implemented, stay 0.
    fn set_priorities(&mut self, first: usize, value: u32) {
        for (number, byte) in (first..).zip(value.to_le_bytes()) {
            if SYSTEM.contains(&number) || (usize::from(EXTERNAL)..self.end).contains(&number) {
                self.priority[number] = byte & self.priority_mask;
            }
        }
    }

    pub(super) fn load(&self, offset: u32) -> u32 {
        let word = (offset & 0x7F) as usize / 4;
        match offset {
            // INTLINESNUM: groups of 32, less one.
            0x004 => (self.end - usize::from(EXTERNAL) - 1) as u32 / 32,
            0x100..=0x1FF if word < WORDS => self.enabled.interrupts(word),
            0x200..=0x2FF if word < WORDS => self.pending.interrupts(word),
            0x300..=0x37F if word < WORDS => self.active.interrupts(word),
            0x400..=0x4EF => {
                let first = usize::from(EXTERNAL) + (offset - 0x400) as usize;
                u32::from_le_bytes([0, 1, 2, 3].map(|i| self.priority[first + i]))
            }
            _ => 0,
        }
    }

    pub(super) fn store(&mut self, offset: u32, value: u32) {
        let word = (offset & 0x7F) as usize / 4;
        match offset {
            0x100..=0x17F => self.enabled.put_interrupts(word, value, true, self.end),
            0x180..=0x1FF => self.enabled.put_interrupts(word, value, false, self.end),
            0x200..=0x27F => self.pending.put_interrupts(word, value, true, self.end),
            0x280..=0x2FF => self.pending.put_interrupts(word, value, false, self.end),
            0x400..=0x4EF => self.set_priorities(usize::from(EXTERNAL) + (offset - 0x400) as usize, value),
            0xF00 => self.pend(EXTERNAL + (value & 0x1FF) as u16),
            _ => {}
        }
    }
}

/// The part of a priority that decides about preemption (B1.5.4): PRIGROUP + 1 low bits do not.
pub(crate) fn group(priority: u8, prigroup: u32) -> i32 {
    (u32::from(priority) >> (prigroup + 1) << (prigroup + 1)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_part_does_not_have_reads_as_zero() {
        for (map, kept, interrupts) in [(Map::Mps2An386, 0xE0, 32), (Map::Stm32F4, 0xF0, 91)] {
            let mut nvic = Nvic::new(map);
            for word in (0x400..0x4F0).step_by(4) {
                nvic.store(word, u32::MAX);
            }
            let bytes: Vec<u8> = (0x400..0x4F0).step_by(4).flat_map(|word| nvic.load(word).to_le_bytes()).collect();
            let (there, absent) = bytes.split_at(interrupts);
            assert!(there.iter().all(|&byte| byte == kept), "{map:?}: {there:x?}");
            assert!(absent.iter().all(|&byte| byte == 0), "{map:?}: {absent:x?}");
            for offset in [0, 4, 8] {
                nvic.set_system_priorities(offset, u32::MAX);
            }
            let k = u32::from(kept);
            let system = [0, 4, 8].map(|offset| nvic.system_priorities(offset));
            assert_eq!(system, [k << 16 | k << 8 | k, k << 24, k << 24 | k << 16 | k], "{map:?}");
            for (set, clear) in [(0x100, 0x180), (0x200, 0x280)] {
                for word in (0..32).step_by(4) {
                    nvic.store(set + word, u32::MAX);
                }
                let bits = |nvic: &Nvic| (0..32).step_by(4).map(|word| nvic.load(set + word).count_ones()).sum::<u32>();
                assert_eq!(bits(&nvic), interrupts as u32, "{map:?}");
                nvic.store(clear, 1);
                assert_eq!(bits(&nvic), interrupts as u32 - 1, "{map:?}");
            }
            assert_eq!(nvic.load(4), (interrupts as u32 - 1) / 32, "{map:?}: INTLINESNUM");
            nvic.pend(EXTERNAL + interrupts as u16);
            assert!(!nvic.is_pending(EXTERNAL + interrupts as u16), "{map:?}");
        }
    }
}
