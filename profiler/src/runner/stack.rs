//! Where a sample's stack lies.
//!
//! The system starts the stack of every process at another address, and with it changes what loads and stores collide: processors
//! compare the last 12 bits of addresses first, and lines are of 64 bytes. The same function is up to a quarter slower in one
//! process of five, in every sample. So each sample has its stack elsewhere, and medians are over places too.

use std::hint::black_box;

/// Places before they repeat.
const PLACES: usize = 16;
/// From one place to the next, in bytes: an odd multiple of the stack's alignment, so that every place in a line occurs, and that
/// all places together cover a page.
const STEP: usize = 17 * 16;

const _: () = assert!(PLACES * STEP >= 4096);

/// Runs `body` with its stack at another address for each of `PLACES` values of `place`.
pub(super) fn at<R>(place: usize, mut body: impl FnMut() -> R) -> R {
    let mut result = None;
    // One copy of the body, whatever the place.
    let body: &mut dyn FnMut() = &mut || result = Some(body());
    match place % PLACES {
        0 => below::<STEP>(body),
        1 => below::<{ 2 * STEP }>(body),
        2 => below::<{ 3 * STEP }>(body),
        3 => below::<{ 4 * STEP }>(body),
        4 => below::<{ 5 * STEP }>(body),
        5 => below::<{ 6 * STEP }>(body),
        6 => below::<{ 7 * STEP }>(body),
        7 => below::<{ 8 * STEP }>(body),
        8 => below::<{ 9 * STEP }>(body),
        9 => below::<{ 10 * STEP }>(body),
        10 => below::<{ 11 * STEP }>(body),
        11 => below::<{ 12 * STEP }>(body),
        12 => below::<{ 13 * STEP }>(body),
        13 => below::<{ 14 * STEP }>(body),
        14 => below::<{ 15 * STEP }>(body),
        _ => below::<{ PLACES * STEP }>(body),
    }
    result.expect("the body has run")
}

/// Runs `body` below so many bytes of stack.
#[inline(never)]
fn below<const BYTES: usize>(body: &mut dyn FnMut()) {
    let mut room = [0_u8; BYTES];
    black_box(&mut room);
    body();
    black_box(&mut room);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn places_cover_lines_and_a_page() {
        let address = |place| {
            at(place, || {
                let here = 0_u8;
                black_box(&raw const here).addr()
            })
        };
        let mut addresses: Vec<usize> = (0..2 * PLACES).map(address).collect();
        let again = addresses.split_off(PLACES);
        assert_eq!(addresses, again);
        let distinct =
            |of: fn(usize) -> usize| addresses.iter().map(|&address| of(address)).collect::<BTreeSet<_>>().len();
        assert_eq!(distinct(|address| address % 64), 4, "{addresses:x?}");
        assert_eq!(distinct(|address| address % 4096), PLACES, "{addresses:x?}");
        assert!(distinct(|address| address % 4096 / 512) >= 7, "{addresses:x?}");
    }

    #[test]
    fn what_the_body_gives_comes_back() {
        let mut runs = 0;
        let results: Vec<usize> = (0..2 * PLACES)
            .map(|place| {
                at(place, || {
                    runs += 1;
                    place
                })
            })
            .collect();
        assert_eq!(results, (0..2 * PLACES).collect::<Vec<_>>());
        assert_eq!(runs, 2 * PLACES);
    }
}
