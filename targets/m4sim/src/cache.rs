//! The decode cache: every instruction is decoded once for each address, until a store changes its bytes.

use std::collections::HashSet;

use crate::core::Core;
use crate::decode::{decode, is_wide};
use crate::error::{Access, FaultKind, Step, Stop, fault};
use crate::exec::{Handler, handler};
use crate::insn::{Insn, SetFlags};
use crate::timing::{Outcome, Traits, cycles};

/// A decoded instruction with all that running it needs.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// Handler outside IT blocks.
    pub(crate) run: Handler,
    /// Handler inside IT blocks, where most 16-bit instructions leave the flags alone.
    pub(crate) run_in_it: Handler,
    pub(crate) insn: Insn,
    pub(crate) traits: Traits,
    /// Cycles without refills when they depend on nothing; else 0.
    pub(crate) fixed: u8,
}

/// The slots of one region of memory, by halfword, from the lowest to the highest address that was executed.
struct Window {
    /// First address of the region and its length in bytes.
    base: u32,
    len: u32,
    /// Address of the first slot.
    first: u32,
    slots: Vec<Option<Slot>>,
}

/// Windows begin at multiples of this many bytes, so that code that runs downwards moves them seldom.
const GRAIN: u32 = 1 << 14;

impl Window {
    fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.len
    }

    /// Index of an address; beyond the end when it is below the window.
    #[inline(always)]
    fn index(&self, address: u32) -> usize {
        (address.wrapping_sub(self.first) >> 1) as usize
    }

    /// Puts a slot at an address of the region.
    fn put(&mut self, address: u32, slot: Slot) {
        let grain = address & !(GRAIN - 1);
        if self.slots.is_empty() {
            self.first = grain;
        } else if grain < self.first {
            let missing = ((self.first - grain) / 2) as usize;
            self.slots.splice(0..0, std::iter::repeat_n(None, missing));
            self.first = grain;
        }
        let at = self.index(address);
        if self.slots.len() <= at {
            self.slots.resize(at + 1, None);
        }
        self.slots[at] = Some(slot);
    }
}

/// The decode cache. One window is current: the one that the program runs in.
pub(crate) struct Cache {
    current: Window,
    others: Vec<Window>,
    /// Addresses at which the run stops before executing.
    pub(crate) hooks: HashSet<u32>,
}

/// Stands in for the handler of a hooked instruction.
fn hooked(core: &mut Core, _: &Insn) -> Step {
    core.next = core.pc;
    Err(Box::new(Stop::Hook))
}

impl Cache {
    /// A window for each region of memory.
    pub(crate) fn new(core: &Core) -> Self {
        let window = |r: &crate::bus::Region| {
            let (base, len) = (r.base, r.data.len() as u32);
            Window { base, len, first: base, slots: Vec::new() }
        };
        let mut windows: Vec<Window> = core.mem.regions().map(window).collect();
        Cache { current: windows.swap_remove(0), others: windows, hooks: HashSet::new() }
    }

    /// The slot of an address if it is decoded and its window is current.
    #[inline(always)]
    pub(crate) fn slot(&self, address: u32) -> Option<&Slot> {
        self.current.slots.get(self.current.index(address))?.as_ref()
    }

    /// Makes [`Cache::slot`] succeed for an address.
    #[cold]
    #[inline(never)]
    pub(crate) fn fill(&mut self, core: &mut Core, address: u32) -> Step {
        core.pc = address;
        if !self.current.contains(address) {
            let Some(other) = self.others.iter_mut().find(|w| w.contains(address)) else {
                return fault(FaultKind::Bus { access: Access::Fetch, size: 2, address });
            };
            std::mem::swap(&mut self.current, other);
            if self.slot(address).is_some() {
                return Ok(());
            }
        }
        let slot = self.decode_at(core, address)?;
        self.current.put(address, slot);
        Ok(())
    }

    fn decode_at(&self, core: &mut Core, address: u32) -> Step<Slot> {
        let half = |at: u32| core.mem.bytes(at, 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
        let unreadable = FaultKind::Bus { access: Access::Fetch, size: 2, address };
        let Some(first) = half(address) else { return fault(unreadable) };
        let second = if is_wide(first) { half(address.wrapping_add(2)) } else { Some(0) };
        let Some(second) = second else { return fault(unreadable) };
        let Some(insn) = decode(first, second) else {
            return fault(FaultKind::Unknown { opcode: core.opcode_text(address) });
        };
        if let Some(region) = core.mem.region_mut(address) {
            let at = region.offset(address);
            region.mark_decoded(at, insn.size.into());
        }
        let traits = Traits::of(&insn);
        let fixed = if traits.is_fixed() { cycles(&Traits::NEUTRAL, &traits, &Outcome::default()).cycles } else { 0 };
        let mut slot = Slot {
            run: handler(&insn, insn.flags != SetFlags::Never),
            run_in_it: handler(&insn, insn.flags == SetFlags::Always),
            insn,
            traits,
            fixed: fixed as u8,
        };
        if self.hooks.contains(&address) {
            (slot.run, slot.run_in_it) = (hooked, hooked);
        }
        Ok(slot)
    }

    /// Forgets what was decoded at an address.
    pub(crate) fn forget(&mut self, address: u32) {
        for window in std::iter::once(&mut self.current).chain(&mut self.others) {
            let at = window.index(address);
            if let Some(slot) = window.slots.get_mut(at) {
                *slot = None;
            }
        }
    }
}
