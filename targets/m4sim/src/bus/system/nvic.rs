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
/// External interrupts (the most that the NVIC of a Cortex-M4 has).
const INTERRUPTS: usize = 240;
/// Exceptions in all.
const EXCEPTIONS: usize = EXTERNAL as usize + INTERRUPTS;
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

    fn put_interrupts(&mut self, word: usize, bits: u32, value: bool) {
        for bit in (0..32).filter(|b| bits >> b & 1 != 0) {
            let number = EXTERNAL + 32 * word as u16 + bit;
            if usize::from(number) < EXCEPTIONS {
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
    /// Exceptions being handled, outermost first.
    handled: Vec<u16>,
}

impl Nvic {
    pub(crate) fn new(map: Map) -> Self {
        let mut enabled = Set::default();
        (0..EXTERNAL).for_each(|n| enabled.put(n, true));
        let priority_mask = match map {
            Map::Mps2An386 => 0xFF,
            Map::Stm32F4 => 0xF0, // PM0214, 4.3.7
        };
        Nvic {
            pending: Set::default(),
            active: Set::default(),
            enabled,
            priority: [0; EXCEPTIONS],
            priority_mask,
            handled: Vec::new(),
        }
    }

    /// Implemented bits of a priority.
    pub(crate) fn priority_mask(&self) -> u8 {
        self.priority_mask
    }

    /// Makes an exception pending.
    pub(crate) fn pend(&mut self, number: u16) {
        self.pending.put(number, true);
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

    fn set_priorities(&mut self, first: usize, value: u32) {
        for (place, byte) in self.priority[first..].iter_mut().zip(value.to_le_bytes()) {
            *place = byte & self.priority_mask;
        }
    }

    pub(super) fn load(&self, offset: u32) -> u32 {
        let word = (offset & 0x7F) as usize / 4;
        match offset {
            0x004 => INTERRUPTS as u32 / 32,
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
            0x100..=0x17F => self.enabled.put_interrupts(word, value, true),
            0x180..=0x1FF => self.enabled.put_interrupts(word, value, false),
            0x200..=0x27F => self.pending.put_interrupts(word, value, true),
            0x280..=0x2FF => self.pending.put_interrupts(word, value, false),
            0x400..=0x4EF => self.set_priorities(usize::from(EXTERNAL) + (offset - 0x400) as usize, value),
            0xF00 if value & 0x1FF < INTERRUPTS as u32 => self.pend(EXTERNAL + (value & 0x1FF) as u16),
            _ => {}
        }
    }
}

/// The part of a priority that decides about preemption (B1.5.4): PRIGROUP + 1 low bits do not.
pub(crate) fn group(priority: u8, prigroup: u32) -> i32 {
    (u32::from(priority) >> (prigroup + 1) << (prigroup + 1)) as i32
}
