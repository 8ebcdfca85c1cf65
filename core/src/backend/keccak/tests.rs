extern crate std;

use super::four::{FourSponges, LANES};
use super::interleaved::{self, Permutation, interleave, lane};
use super::plain::Plain;
use super::together::{FourStates, Together};
use super::{F1600, P1600_12, RATE_128, RATE_256, SHA3_SUFFIX, Sponge, rate};
use crate::backend::xof::{XofDrng, absorb};
use crate::backend::{Drng, Reader};
use crate::symmetric::{Batch, MAX_BATCH_MESSAGE};
use digest::{Digest, ExtendableOutput, Update};
use keccak::Keccak;
use sha3::{Sha3_256, Sha3_512};
use shake::{Shake128, Shake256};
use std::io::Write as _;
use turboshake::{TurboShake128, TurboShake256};

fn random() -> impl Drng {
    XofDrng::<Sponge<RATE_256, F1600>>::instantiate(b"keccak tests")
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
        None => drop(writeln!(std::io::stderr(), "skipped: {}", Together::MISSING)),
    }
}

fn plain_permutation_is_that_of_the_crate<const ROUNDS: usize>() {
    let mut random = random();
    for _ in 0..200 {
        let mut bytes = [0; 200];
        random.generate(&mut bytes);
        let mut want: [u64; 25] = core::array::from_fn(|i| u64::from_le_bytes(bytes.as_chunks().0[i]));
        let mut state = want.map(interleave);
        Plain::permute::<ROUNDS>(&mut state);
        Keccak::new().with_p1600::<ROUNDS>(|permute| permute(&mut want));
        assert_eq!(state.map(lane), want);
    }
}

#[test]
fn plain_permutations_are_those_of_the_crate() {
    plain_permutation_is_that_of_the_crate::<F1600>();
    plain_permutation_is_that_of_the_crate::<P1600_12>();
}

#[test]
fn lanes_are_taken_apart_by_their_bits() {
    for bit in 0..u64::BITS {
        let mut halves = [0; 2];
        halves[bit as usize % 2] = 1 << (bit / 2);
        assert_eq!(interleave(1 << bit), halves);
        assert_eq!(lane(halves), 1 << bit);
    }
}

/// The hash of `message` by a crate, by what backends call, and by the sponge for machines of 32 bits.
fn sha3_is_that_of_the_crate<H: Digest, const RATE: usize>(message: &[&[u8]]) {
    let mut hasher = H::new();
    message.iter().for_each(|part| Digest::update(&mut hasher, part));
    let want = hasher.finalize();
    let mut outs = [[0; 64]; 2];
    let [here, interleaved] = outs.each_mut().map(|out| &mut out[..want.len()]);
    super::sha3(message, here);
    interleaved::Sponge::<Plain, RATE, F1600>::absorb_with(SHA3_SUFFIX, &[], message).read(interleaved);
    assert_eq!((&*here, &*interleaved), (&*want, &*want));
}

#[test]
fn hashes_are_those_of_the_crate() {
    let mut message = [0; 500];
    random().generate(&mut message);
    for bytes in 0..message.len() {
        let (first, second) = message[..bytes].split_at(bytes * bytes % 89 * bytes / 89);
        sha3_is_that_of_the_crate::<Sha3_256, { rate(256) }>(&[first, second]);
        sha3_is_that_of_the_crate::<Sha3_512, { rate(512) }>(&[first, second]);
    }
}

#[test]
fn both_kinds_of_sponge_go_on_alike() {
    for out_bytes in 0..2 * RATE_256 {
        let state = core::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul((25 * out_bytes + i) as u64));
        let mut outs = [[0; RATE_256]; 2];
        Sponge::<RATE_256, F1600>::resume(state, out_bytes).read(&mut outs[0]);
        interleaved::Sponge::<Plain, RATE_256, F1600>::resume(state, out_bytes).read(&mut outs[1]);
        assert_eq!(outs[0], outs[1]);
    }
}

/// The first `out_bytes` of a stream, and then what follows them.
fn in_two_reads(mut stream: impl Reader, out_bytes: usize, out: &mut [u8]) {
    let (first, more) = out.split_at_mut(out_bytes);
    stream.read(first);
    stream.read(more);
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
            let message: &[&[u8]] = &[prefix, suffix];
            let (mut out, mut interleaved) = ([0; FIRST + MORE], [0; FIRST + MORE]);
            in_two_reads(Sponge::<RATE, ROUNDS>::absorb(label, message), out_bytes, &mut out[..out_bytes + MORE]);
            let stream = interleaved::Sponge::<Plain, RATE, ROUNDS>::absorb(label, message);
            in_two_reads(stream, out_bytes, &mut interleaved[..out_bytes + MORE]);
            assert_eq!((out, interleaved), (*want, *want));
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
