//! Timing: what an instruction costs, as one pure function of the previous instruction, this one, and what happened.
//!
//! The costs are those of the instruction summary and the load and store timings in the Cortex-M4 Technical Reference
//! Manual (DDI 0439, 3.3.1 and 3.3.2), for memory without wait states. They are data: [`ROWS`] has a row for each class
//! of instructions, and the few rules that look at neighbours and addresses are [`cycles`].

mod classify;
mod flash;
mod table;

pub use classify::Traits;
pub(crate) use flash::Accelerator;
pub use flash::FlashModel;
pub use table::{Class, ROWS, Row};

/// Cycles from accepting an exception to the first instruction of its handler (DDI 0439, 2.5).
pub const EXCEPTION_ENTRY: u64 = 12;
/// Cycles of an exception return.
pub const EXCEPTION_RETURN: u64 = 12;
/// Cycles from one handler to the next without unstacking.
pub const TAIL_CHAIN: u64 = 6;
/// Further cycles when S0 to S15 and FPSCR are saved or restored: a word a cycle.
pub const FP_STATE: u64 = 17;
/// Default of P, the cycles of a pipeline refill.
pub const DEFAULT_REFILL: u32 = 2;

/// What happened when an instruction executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// It wrote the PC.
    pub taken: bool,
    /// Its condition failed.
    pub skipped: bool,
    /// Address of its load or store.
    pub address: u32,
    /// Significant bits of its quotient.
    pub quotient_bits: u8,
}

/// The cost of one instruction: cycles that are certain, and pipeline refills of P cycles each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Cycles without the refills.
    pub cycles: u32,
    /// Pipeline refills.
    pub refills: u32,
}

/// What an instruction costs after another.
#[inline(always)]
pub fn cycles(previous: &Traits, this: &Traits, outcome: &Outcome) -> Spent {
    if outcome.skipped {
        return Spent { cycles: 1, refills: 0 };
    }
    let row = &ROWS[this.class as usize];
    let mut cycles = u32::from(row.base) + u32::from(row.per_register) * u32::from(this.count);
    let refills = u32::from(outcome.taken || row.refills);
    match this.class {
        Class::Load | Class::StoreIndexed if follows_load(previous, this) => cycles -= 1,
        Class::ItBlock if previous.narrow => cycles = 0,
        Class::Divide => cycles += division(outcome.quotient_bits),
        _ => {}
    }
    Spent { cycles: cycles + misalignment(this.access, outcome.address), refills }
}

/// Whether an access pairs with a single load just before it, whose result its address does not need.
#[inline(always)]
fn follows_load(previous: &Traits, this: &Traits) -> bool {
    previous.class as u8 == Class::Load as u8 && this.address_registers >> previous.loads & 1 == 0
}

/// Cycles of a division beyond the two of its row: it ends early with the significant bits of the quotient, three of
/// them a cycle, and takes at most 12 in all.
pub const fn division(quotient_bits: u8) -> u32 {
    let steps = (quotient_bits as u32).div_ceil(3);
    if steps > 10 { 10 } else { steps }
}

/// Further cycles of an access of `size` bytes that is not aligned: the bus splits it into two or three.
#[inline(always)]
pub const fn misalignment(size: u8, address: u32) -> u32 {
    match (size, address & 3) {
        (2, 1 | 3) | (4, 2) => 1,
        (4, 1 | 3) => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
