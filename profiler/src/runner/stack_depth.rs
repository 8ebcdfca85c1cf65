#![allow(unsafe_code, reason = "memory below the stack pointer can only be written and read by address")]
//! How deep an operation's stack goes: the stack below it is painted, and how much of the paint is left tells.

use std::ptr;
use std::thread;

/// Bytes that are painted, which no operation of any scheme here comes near.
const DEPTH: usize = 1 << 20;
/// Bytes below the painting function's own frame that are left alone: what it calls lies there.
const MARGIN: usize = 1 << 10;
/// The stack of the thread: the paint, and room above it.
const STACK: usize = 2 * DEPTH;
/// A word that is unlikely to be left behind by anything else.
const PAINT: u64 = 0xa5c3_5a3c_69f0_960f;
const WORD: usize = size_of::<u64>();

const _: () = assert!(MARGIN.is_multiple_of(WORD) && DEPTH + MARGIN < STACK);

/// Runs `body` on a thread of its own, and says how many bytes of stack it took at the most, to a word. `None` where the thread could
/// not be started, or all of the paint was gone. Less than `MARGIN` is not told apart.
pub(super) fn of(mut body: impl FnMut() + Send) -> Option<u64> {
    thread::scope(|scope| {
        let painted = || below(&mut body);
        thread::Builder::new().stack_size(STACK).spawn_scoped(scope, painted).ok()?.join().ok()?
    })
}

/// Runs `body` above a painted stack, and says how much of it is not painted any more.
#[inline(never)]
fn below(body: &mut dyn FnMut()) -> Option<u64> {
    let mark = 0_u64;
    let base = (&raw const mark).addr();
    for offset in (MARGIN..DEPTH).step_by(WORD) {
        // SAFETY: the thread's stack is `STACK` bytes, of which the few frames above this one take next to nothing, so that all of
        // the paint lies in it. Nothing lives there: it is below every frame but those of this loop, which `MARGIN` leaves alone.
        unsafe { ptr::with_exposed_provenance_mut::<u64>(base - offset).write_volatile(PAINT) };
    }
    body();
    // SAFETY: as above.
    let painted =
        |offset: usize| unsafe { ptr::with_exposed_provenance::<u64>(base - offset).read_volatile() } == PAINT;
    let deepest = (MARGIN..DEPTH).step_by(WORD).rev().find(|&offset| !painted(offset)).unwrap_or(MARGIN);
    (deepest < DEPTH - WORD).then_some(deepest as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn deep<const BYTES: usize>() {
        black_box(&mut [1_u8; BYTES]);
    }

    fn depth(body: fn()) -> Option<u64> {
        of(body)
    }

    #[test]
    fn known_depths_are_found() {
        // Beside the array there are a few frames.
        for (depth, bytes) in [
            (depth(deep::<{ 8 << 10 }>), 8 << 10),
            (depth(deep::<{ 100 << 10 }>), 100 << 10),
            (depth(deep::<{ 500 << 10 }>), 500 << 10),
        ] {
            let depth = depth.expect("is less than the paint");
            assert!((bytes..bytes + 1024).contains(&depth), "{depth} for {bytes}");
        }
    }

    #[test]
    fn what_goes_through_all_of_the_paint_is_not_known() {
        assert_eq!(depth(deep::<{ DEPTH + (64 << 10) }>), None);
    }
}
