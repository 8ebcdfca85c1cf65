//! The depth of the stack, by painting. SysTick must rest meanwhile: an exception would be counted.
#![expect(unsafe_code, reason = "memory below the stack pointer can only be written and read by address")]

use core::arch::asm;
use kemprof_m4::paint::{GUARD_WORDS, PAINT, lowest};
use kemprof_protocol::StackUse;

unsafe extern "C" {
    /// Where the stack ends and other data begin, of the script of `cortex-m-rt`.
    static _stack_end: u32;
}

/// The stack met what is below it.
pub(crate) struct Overflow;

/// Paints the lowest words of the stack, for [`intact`].
pub(crate) fn guard() {
    let end = (&raw const _stack_end).cast_mut();
    for word in 0..GUARD_WORDS {
        // SAFETY: these words are the far end of a stack of many KiB that has only begun.
        unsafe { end.add(word).write_volatile(PAINT) };
    }
}

/// Whether the stack never reached its lowest words since [`guard`].
pub(crate) fn intact() -> bool {
    let end = &raw const _stack_end;
    // SAFETY: these words are RAM, and were written by `guard`.
    lowest((0..GUARD_WORDS).map(|word| unsafe { end.add(word).read_volatile() })) == GUARD_WORDS
}

/// Runs `body`, which is given the address that the stack reaches down to before it runs, and tells how far below that the
/// stack went.
#[inline(never)]
pub(crate) fn measure<R>(body: impl FnOnce(usize) -> R) -> (R, Result<StackUse, Overflow>) {
    let end = &raw const _stack_end;
    let top: usize;
    // SAFETY: all words from the end of the stack up to the stack pointer are unused: nothing is pushed between reading the
    // stack pointer and the last store, because this is one piece of assembly and interrupts rest.
    unsafe {
        asm!(
            "mov {top}, sp",
            "2:",
            "cmp {at}, {top}",
            "bhs 3f",
            "str {paint}, [{at}], #4",
            "b 2b",
            "3:",
            at = inout(reg) end => _,
            top = out(reg) top,
            paint = in(reg) PAINT,
            options(nostack),
        );
    }
    let result = below(body, top);
    let words = (top - end.addr()) / size_of::<u32>();
    // SAFETY: these are words of RAM below this frame, which were written above.
    let free = lowest((0..words).map(|word| unsafe { end.add(word).read_volatile() }));
    let bytes = |words: usize| (words * size_of::<u32>()) as u32;
    let used = StackUse { peak: bytes(words - free), free: bytes(free) };
    (result, if free < GUARD_WORDS { Err(Overflow) } else { Ok(used) })
}

/// Keeps what `body` has on the stack out of the frame of [`measure`], which is above what is painted.
#[inline(never)]
fn below<R>(body: impl FnOnce(usize) -> R, top: usize) -> R {
    body(top)
}

/// Depths of the self-test in bytes, the least being more than what leads to it.
pub(crate) const DEPTHS: [u32; 6] = [256, 260, 1024, 1028, 4096, 16_384];

/// Measures a stack of which one word is used, exactly `depth` bytes down.
pub(crate) fn known(depth: u32) -> Result<StackUse, Overflow> {
    measure(|top| push_at(top - depth as usize)).1
}

/// Pushes a word that comes to lie at `address`.
#[inline(never)]
fn push_at(address: usize) {
    // SAFETY: the word is below everything in use and above the end of the stack, which has room for the deepest of `DEPTHS`;
    // the stack pointer is what it was afterwards, and interrupts rest.
    unsafe {
        asm!(
            "mov {saved}, sp",
            "mov sp, {to}",
            "push {{{saved}}}",
            "mov sp, {saved}",
            saved = out(reg) _,
            to = in(reg) address + size_of::<u32>(),
        );
    }
}
