extern crate std;

use super::four::{FourSponges, LANES};
use super::sponge::Sponge;
use super::together::{FourStates, Together};
use super::{F1600, P1600_12, RATE_128, RATE_256};
use crate::backend::xof::{XofDrng, absorb};
use crate::backend::{Drng, Reader};
use crate::symmetric::{Batch, MAX_BATCH_MESSAGE};
use digest::{ExtendableOutput, Update};
use keccak::Keccak;
use shake::{Shake128, Shake256};
use turboshake::{TurboShake128, TurboShake256};

fn random() -> impl Drng {
    XofDrng::<Shake256>::instantiate(b"keccak tests")
}

fn permutation_is_that_of_the_crate<const ROUNDS: usize>(together: Together) {
    let mut random = random();
    for _ in 0..200 {
        let mut states = FourStates::all_of([]);
        for (i, lane) in (0..25).flat_map(|i| (0..LANES).map(move |lane| (i, lane))) {
            let mut word = [0; 8];
            random.generate(&mut word);
            *states.word_mut(i, lane) = u64::from_le_bytes(word);
        }
        let mut twins = [0, 1, 2, 3].map(|lane| core::array::from_fn(|i| states.word(i, lane)));
        together.permute::<ROUNDS>(&mut states, LANES);
        Keccak::new().with_p1600::<ROUNDS>(|permute| twins.iter_mut().for_each(permute));
        for (lane, twin) in twins.iter().enumerate() {
            assert_eq!(*twin, core::array::from_fn(|i| states.word(i, lane)));
        }
    }
}

#[test]
fn four_permutations_are_those_of_the_crate() {
    match Together::detect() {
        Some(together) => {
            permutation_is_that_of_the_crate::<F1600>(together);
            permutation_is_that_of_the_crate::<P1600_12>(together);
        }
        None => std::eprintln!("skipped: {}", Together::MISSING),
    }
}

/// Random messages through the crate `H`, one stream, and up to four at once; every path is read on after the first
/// `out_bytes`.
fn sponges_are_those_of_the_crate<H, const RATE: usize, const ROUNDS: usize>()
where
    H: Default + Update + ExtendableOutput,
{
    /// More than two blocks.
    const FIRST: usize = 2 * RATE_128 + 9;
    const MORE: usize = RATE_128 + 3;
    let mut random = random();
    let mut message = [0; MAX_BATCH_MESSAGE];
    for out_bytes in 1..=FIRST {
        random.generate(&mut message);
        // Any split of any length, so that over the lengths of output all of them come.
        let bytes = 2 + usize::from(message[0]) % (MAX_BATCH_MESSAGE - 1);
        let label = &[7][..usize::from(message[1]) % 2];
        let suffixes: [[u8; 2]; LANES] = core::array::from_fn(|lane| [message[2], lane as u8]);
        let prefix = &message[..bytes - 2];
        let want = suffixes.map(|suffix| {
            let mut out = [0; FIRST + MORE];
            absorb::<H>(label, &[prefix, &suffix]).finalize_xof_into(&mut out[..out_bytes + MORE]);
            out
        });
        for (suffix, want) in suffixes.iter().zip(&want) {
            let mut out = [0; FIRST + MORE];
            let mut sponge = Sponge::<RATE, ROUNDS>::absorb(label, &[prefix, suffix]);
            sponge.read(&mut out[..out_bytes]);
            sponge.read(&mut out[out_bytes..out_bytes + MORE]);
            assert_eq!(out, *want);
        }
        for lanes in 1..=LANES {
            let mut out = [0; LANES * FIRST];
            let out = &mut out[..lanes * out_bytes];
            let batch = Batch::new(prefix, &suffixes[..lanes]);
            let four = FourSponges::<RATE, ROUNDS>::squeeze(label, &batch, out);
            assert_eq!(four.is_some(), lanes > 1 && Together::detect().is_some());
            let Some(four) = four else { continue };
            for (lane, (out, want)) in out.chunks_exact(out_bytes).zip(&want).enumerate() {
                assert_eq!(out, &want[..out_bytes]);
                let mut more = [0; MORE];
                four.lane(lane, out_bytes).read(&mut more);
                assert_eq!(more, want[out_bytes..out_bytes + MORE]);
            }
        }
    }
}

#[test]
fn shake128_is_that_of_the_crate() {
    sponges_are_those_of_the_crate::<Shake128, RATE_128, F1600>();
}

#[test]
fn shake256_is_that_of_the_crate() {
    sponges_are_those_of_the_crate::<Shake256, RATE_256, F1600>();
}

#[test]
fn turboshake128_is_that_of_the_crate() {
    sponges_are_those_of_the_crate::<TurboShake128, RATE_128, P1600_12>();
}

#[test]
fn turboshake256_is_that_of_the_crate() {
    sponges_are_those_of_the_crate::<TurboShake256, RATE_256, P1600_12>();
}
