//! The profile: exact cycles per call path, per function and per instruction, the stack's depth, loads and stores.

mod calls;
mod hot;
mod report;

use crate::core::{Core, SP};
use crate::run::{Executed, Observer};
use crate::symbols::Symbols;
use calls::Calls;
use hot::Hot;

pub use report::{FunctionRow, HotRow};

/// What a run spent its cycles on.
pub struct Profile {
    symbols: Symbols,
    calls: Calls,
    hot: Hot,
    /// Stack pointer when the profile began, and the lowest since.
    stack: Option<(u32, u32)>,
    loads: u64,
    stores: u64,
}

impl Profile {
    pub(crate) fn new(symbols: Symbols) -> Self {
        Profile { symbols, calls: Calls::new(), hot: Hot::default(), stack: None, loads: 0, stores: 0 }
    }

    /// All cycles of the profile; the sum of every self time.
    pub fn total(&self) -> u64 {
        self.calls.total()
    }

    /// Deepest stack in bytes, from where it was when the profile began. Of several stacks, the one that was current
    /// then.
    pub fn peak_stack(&self) -> u32 {
        self.stack.map_or(0, |(top, lowest)| top - lowest)
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

/// How far below its start a stack pointer may be to belong to the same stack.
const STACK_SPAN: u32 = 1 << 22;

impl Observer for Profile {
    fn executed(&mut self, core: &Core, step: &Executed<'_>) {
        self.calls.executed(&self.symbols, core, step);
        self.hot.add(step.address, step.cycles);
        let sp = core.r[SP];
        match &mut self.stack {
            Some((top, lowest)) if sp < *lowest && *top - sp < STACK_SPAN => *lowest = sp,
            Some(_) => {}
            None => self.stack = Some((sp, sp)),
        }
        if step.slot.traits.is_load && !step.skipped {
            self.loads += accesses(step);
        }
        if step.slot.traits.is_store && !step.skipped {
            self.stores += accesses(step);
        }
    }

    fn attended(&mut self, core: &Core, cycles: u64) {
        self.calls.attended(&self.symbols, core, cycles);
    }
}
