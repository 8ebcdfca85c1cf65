//! The run loop: fetch from the decode cache, execute, charge cycles, look at devices when it is time.

use crate::cache::{Cache, Slot};
use crate::core::Core;
use crate::error::Step;
use crate::timing::{Accelerator, Outcome, Traits, cycles};

/// What the run loop counts besides cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) instructions: u64,
    pub(crate) refills: u64,
    /// The previous instruction, as the timing sees it.
    pub(crate) previous: Traits,
}

/// An executed instruction, for observers.
pub(crate) struct Executed<'a> {
    pub(crate) address: u32,
    pub(crate) slot: &'a Slot,
    pub(crate) taken: bool,
    pub(crate) skipped: bool,
    /// Cycles, refills and wait states included.
    pub(crate) cycles: u64,
}

/// Watches a run. The plain run is watched by `()`, which compiles to nothing.
pub(crate) trait Observer {
    /// Whether instructions are shown at all.
    const WATCHES: bool = true;
    /// After an instruction; `core.next` is where the program goes on.
    fn executed(&mut self, core: &Core, step: &Executed<'_>);
    /// After exceptions were entered or left, or time was slept away: `cycles` passed since the last instruction.
    fn attended(&mut self, core: &Core, cycles: u64);
}

impl Observer for () {
    const WATCHES: bool = false;
    fn executed(&mut self, _: &Core, _: &Executed<'_>) {}
    fn attended(&mut self, _: &Core, _: u64) {}
}

/// Runs until `limit` cycles have passed (`Ok`) or something stops the program. At least one instruction is executed.
pub(crate) fn run<O: Observer>(
    core: &mut Core,
    cache: &mut Cache,
    progress: &mut Progress,
    refill: u32,
    limit: u64,
    mut flash: Option<&mut Accelerator>,
    observer: &mut O,
) -> Step {
    let Progress { mut instructions, mut refills, mut previous } = *progress;
    if core.asleep {
        // The limit of the run before came while the core slept.
        let before = core.cycles;
        core.attend(limit)?;
        observer.attended(core, core.cycles - before);
        if core.cycles >= limit {
            return Ok(());
        }
    }
    core.deadline = 0;
    let mut body = || -> Step {
        loop {
            let address = core.next;
            let Some(slot) = cache.slot(address) else {
                cache.fill(core, address)?;
                continue;
            };
            core.pc = address;
            core.r[15] = address.wrapping_add(4);
            core.next = address.wrapping_add(slot.insn.size.into());
            let before = core.cycles;
            let mut skipped = false;
            if core.it == 0 {
                (slot.run)(core, &slot.insn)?;
            } else if core.condition(core.it >> 4) {
                (slot.run_in_it)(core, &slot.insn)?;
                core.advance_it();
            } else {
                skipped = true;
                core.advance_it();
            }
            instructions += 1;
            let taken = core.taken;
            if slot.fixed != 0 && !taken && !skipped {
                core.cycles += u64::from(slot.fixed);
                previous = slot.traits;
            } else {
                let outcome = Outcome { taken, skipped, address: core.address, quotient_bits: core.quotient_bits };
                let spent = cycles(&previous, &slot.traits, &outcome);
                core.cycles += u64::from(spent.cycles) + u64::from(spent.refills * refill);
                refills += u64::from(spent.refills);
                previous = if taken || skipped { Traits::NEUTRAL } else { slot.traits };
                core.taken = false;
            }
            if O::WATCHES {
                if let Some(flash) = flash.as_deref_mut() {
                    core.cycles += wait_states(flash, address, slot, skipped, core);
                }
                let step = Executed { address, slot, taken, skipped, cycles: core.cycles - before };
                observer.executed(core, &step);
            }
            if core.cycles >= core.deadline {
                for address in std::mem::take(&mut core.mem.stale) {
                    cache.forget(address);
                }
                let before = core.cycles;
                core.attend(limit)?;
                core.deadline = core.deadline.min(limit);
                if core.cycles != before {
                    previous = Traits::NEUTRAL;
                    if O::WATCHES {
                        observer.attended(core, core.cycles - before);
                    }
                }
                if core.cycles >= limit {
                    return Ok(());
                }
            }
        }
    };
    let result = body();
    *progress = Progress { instructions, refills, previous };
    result
}

/// Cycles that an instruction waited for the flash: its own bytes, and what it loaded.
fn wait_states(flash: &mut Accelerator, address: u32, slot: &Slot, skipped: bool, core: &Core) -> u64 {
    let fetch = flash.fetch(address, slot.insn.size.into(), core.cycles);
    if skipped || !slot.traits.is_load { fetch } else { fetch + flash.load(core.address) }
}
