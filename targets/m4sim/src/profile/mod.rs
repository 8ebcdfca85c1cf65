//! The profile: exact cycles per call path, per function and per instruction, the stack's depth, loads and stores.

mod calls;
mod hot;
mod report;
mod stacks;

use crate::core::{Core, SP};
use crate::run::{Executed, Observer};
use crate::symbols::Symbols;
use calls::Calls;
use hot::Hot;
use stacks::Stacks;

pub use report::{FunctionRow, HotRow};

/// What a run spent its cycles on.
pub struct Profile {
    symbols: Symbols,
    calls: Calls,
    hot: Hot,
    stacks: Stacks,
    loads: u64,
    stores: u64,
}

impl Profile {
    pub(crate) fn new(symbols: Symbols) -> Self {
        Profile { symbols, calls: Calls::new(), hot: Hot::default(), stacks: Stacks::default(), loads: 0, stores: 0 }
    }

    /// All cycles of the profile; the sum of every self time.
    pub fn total(&self) -> u64 {
        self.calls.total()
    }

    /// Deepest stack in bytes, from where it was when the profile began: of several stacks, the one that was current then.
    pub fn peak_stack(&self) -> u32 {
        self.stacks.peak()
    }

    /// The program's other stacks, in the order in which it came to them: the data object that each lies in (without one, the
    /// address of its top), and its deepest in bytes.
    pub fn other_stacks(&self) -> Vec<(String, u32)> {
        self.stacks.others(&self.symbols).collect()
    }

    /// Memory reads; a multiple load counts each register.
    pub fn loads(&self) -> u64 {
        self.loads
    }

    /// Memory writes.
    pub fn stores(&self) -> u64 {
        self.stores
    }
}

/// Accesses of one load or store.
fn accesses(step: &Executed<'_>) -> u64 {
    use crate::insn::Op;
    match step.slot.insn.op {
        Op::LoadDual | Op::StoreDual => 2,
        _ => u64::from(step.slot.traits.count).max(1),
    }
}

impl Observer for Profile {
    fn executed(&mut self, core: &Core, step: &Executed<'_>) {
        self.calls.charge(&self.symbols, step);
        self.hot.add(step.address, step.cycles);
        let pointer = core.r[SP];
        if self.stacks.pointer() != Some(pointer) {
            if stacks::is_relative(&step.slot.insn) {
                self.stacks.moved(&self.symbols, pointer);
            } else {
                self.stacks.set(&self.symbols, pointer);
                self.calls.on_stack(&self.symbols, core, self.stacks.current());
            }
        }
        if step.taken && core.exc_return.is_none() {
            self.calls.follow(&self.symbols, core, step);
        }
        if step.slot.traits.is_load && !step.skipped {
            self.loads += accesses(step);
        }
        if step.slot.traits.is_store && !step.skipped {
            self.stores += accesses(step);
        }
    }

    fn attended(&mut self, core: &Core, cycles: u64) {
        self.stacks.attended(&self.symbols, core.r[SP], core.other_sp);
        self.calls.attended(&self.symbols, core, self.stacks.current(), cycles);
    }
}
