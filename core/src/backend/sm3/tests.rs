extern crate std;

use super::hasher::Hasher;
use super::lanes::{Expanded, LANES, LaneState, LaneWords};
use super::path::Path;
use super::round::INITIAL;
use super::*;
use crate::backend::{Drng, Placeholder};
use crate::symmetric::MAX_BATCH_MESSAGE;
use digest::Digest;
use std::cell::Cell;
use std::vec;
use std::vec::Vec;

std::thread_local! {
    static COMPRESSIONS: Cell<u64> = const { Cell::new(0) };
}

pub(super) fn tally(compressions: usize) {
    COMPRESSIONS.set(COMPRESSIONS.get() + compressions as u64);
}

/// How many compressions `body` runs.
fn compressions(body: impl FnOnce()) -> u64 {
    let before = COMPRESSIONS.get();
    body();
    COMPRESSIONS.get() - before
}

/// Splitmix64, for inputs without structure.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 32) as u32
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.next() as u8)
    }

    fn lanes<const N: usize>(&mut self) -> [[u32; LANES]; N] {
        core::array::from_fn(|_| core::array::from_fn(|_| self.next()))
    }
}

/// The `sm3` crate.
fn plain(message: &[u8]) -> [u8; DIGEST] {
    ::sm3::Sm3::digest(message).into()
}

/// Blocks `first..` of pseudoXOF, by the definition.
fn plain_xof(message: &[u8], first: u32, bytes: usize) -> Vec<u8> {
    let blocks = (first..).take(bytes.div_ceil(DIGEST));
    let mut out: Vec<u8> = blocks.flat_map(|counter| plain(&[message, &counter.to_be_bytes()].concat())).collect();
    out.truncate(bytes);
    out
}

/// Output lengths about every boundary that an implementation may have.
const OUT_BYTES: [usize; 8] = [1, 32, 33, 64, 96, 255, 256, 257];

#[test]
fn every_length_in_every_split() {
    let message: [u8; 200] = Random(1).bytes();
    for length in 0..=message.len() {
        let want = plain(&message[..length]);
        for split in 0..=length {
            let (head, rest) = message[..length].split_at(split);
            assert_eq!(Hasher::new().absorb(&[head, rest]).finalize(), want, "{split} of {length}");
        }
    }
}

#[test]
fn long_messages() {
    let message: [u8; 5000] = Random(2).bytes();
    for length in (0..message.len()).step_by(61).chain([1760, 1764, 3392, 3396]) {
        let parts = [&message[..length / 3], &message[length / 3..length]];
        assert_eq!(Hasher::new().absorb(&parts).finalize(), plain(&message[..length]), "{length}");
    }
}

#[test]
fn output_of_every_message_length() {
    let message: [u8; 200] = Random(3).bytes();
    for path in Path::all() {
        for length in 0..=message.len() {
            let hasher = Hasher::new().absorb(&[&message[..length]]);
            for bytes in OUT_BYTES {
                for first in [1, 0xfc, 0x00ff_fffe] {
                    let mut out = vec![0; bytes];
                    xof::fill(path, &hasher, first, &mut out);
                    assert_eq!(
                        out,
                        plain_xof(&message[..length], first, bytes),
                        "{path:?} {length} {bytes} from {first}"
                    );
                }
            }
        }
    }
}

/// Every prefix length with suffixes of `SUFFIX` bytes, every number of messages.
fn check_batches<const SUFFIX: usize>() {
    let mut random = Random(4);
    let prefix: [u8; MAX_BATCH_MESSAGE] = random.bytes();
    let suffixes: [[u8; SUFFIX]; LANES] = core::array::from_fn(|_| random.bytes());
    for path in Path::all() {
        for prefix in (0..=MAX_BATCH_MESSAGE - SUFFIX).map(|length| &prefix[..length]) {
            let hasher = Hasher::new().absorb(&[prefix]);
            let want: Vec<_> = suffixes.iter().map(|suffix| plain_xof(&[prefix, suffix].concat(), 1, 1000)).collect();
            for messages in 1..=LANES {
                // Long outputs of lengths that differ, as eager sampling has them.
                for bytes in OUT_BYTES.into_iter().chain([500 + prefix.len()]) {
                    let mut out = vec![0; messages * bytes];
                    let batch = Batch::new(prefix, &suffixes[..messages]);
                    xof::fill_batch(path, &hasher, &batch, bytes % 2 == 0, &mut out);
                    for (out, want) in out.chunks_exact(bytes).zip(&want) {
                        assert_eq!(
                            out,
                            &want[..bytes],
                            "{path:?} {messages} × ({} + {SUFFIX}) → {bytes}",
                            prefix.len()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn batches_of_every_shape() {
    check_batches::<1>();
    check_batches::<3>();
}

#[test]
fn hashes_of_every_length_are_those_of_the_plain_backend() {
    let message: [u8; 200] = Random(5).bytes();
    for length in 0..=message.len() {
        for bytes in [32, 64, 96, 128] {
            let [mut got, mut want] = [[0; 128]; 2];
            Sm3.hash(Role::G, &[&message[..length / 2], &message[length / 2..length]], &mut got[..bytes]);
            Placeholder.hash(Role::G, &[&message[..length]], &mut want[..bytes]);
            assert_eq!(got, want, "{length} → {bytes}");
        }
    }
}

#[test]
fn the_midstates_are_those_of_the_padded_key() {
    for (mask, want) in [(0x36, INNER), (0x5c, OUTER)] {
        let mut state = INITIAL;
        scalar::absorb(&mut state, &[ngcc::HMAC_KEY.map(|byte| byte ^ mask)]);
        assert_eq!(state, want);
    }
}

#[test]
fn every_path_is_the_portable_one_on_random_lanes() {
    let mut random = Random(6);
    for path in Path::all() {
        for round in 0..200 {
            let (state, words): (LaneState, LaneWords) = (random.lanes(), random.lanes());
            let [mut got, mut want] = [state; 2];
            path.compress_lanes(&mut got, &words, LANES);
            Path::Portable.compress_lanes(&mut want, &words, LANES);
            assert_eq!(got, want, "{path:?}: lanes");

            let [counters, block]: [LaneWords; 2] = [random.lanes(), random.lanes()];
            let start = scalar::start(&block[0], &block.map(|word| word[0]), round % 4 * 4);
            let (lanes, count) = (1 + round / LANES % LANES, 1 + round % LANES);
            let [got, want] = [path, Path::Portable].map(|path| {
                let [mut expanded_messages, mut expanded_counters] = [Expanded::new(), Expanded::new()];
                path.expand(&words, &mut expanded_messages);
                path.expand(&counters, &mut expanded_counters);
                let mut out = [[[0; DIGEST]; LANES]; LANES];
                path.counters(
                    &start,
                    &expanded_messages,
                    lanes,
                    &expanded_counters,
                    count,
                    |first, column, digests| {
                        for (lane, digest) in (first..lanes).zip(digests) {
                            out[column][lane] = *digest;
                        }
                    },
                );
                out
            });
            assert_eq!(got, want, "{path:?}: counters");
        }
    }
}

#[test]
fn permutations_are_the_compressions_that_run() {
    let message: [u8; 200] = Random(7).bytes();
    for length in 0..=message.len() {
        let input: [&[u8]; 1] = [&message[..length]];
        for bytes in [32, 64, 96, 128] {
            let ran = compressions(|| Sm3.hash(Role::G, &input, &mut vec![0; bytes]));
            assert_eq!(ran, Sm3.permutations(Form::Fixed(bytes), Role::G, length, bytes), "hash {length} → {bytes}");
        }
        for bytes in OUT_BYTES {
            let stated = Sm3.permutations(Form::Extendable, Role::H, length, bytes);
            let ran = compressions(|| Sm3.xof(Role::H, &input, &mut vec![0; bytes]));
            assert_eq!(ran, stated, "xof {length} → {bytes}");
            let ran = compressions(|| {
                let mut reader = Sm3.reader(Role::Matrix, &input);
                reader.read(&mut vec![0; bytes / 3]);
                reader.read(&mut vec![0; bytes - bytes / 3]);
            });
            assert_eq!(ran, stated, "reader {length} → {bytes}");
        }
    }
    let mut generator = Sm3.drng(&message);
    for bytes in 0..=message.len() {
        let ran = compressions(|| generator.generate(&mut vec![0; bytes]));
        assert_eq!(ran, Drng::permutations(&generator, bytes), "drng → {bytes}");
    }
}

#[test]
fn permutations_of_batches_are_the_compressions_that_run() {
    let prefix: [u8; MAX_BATCH_MESSAGE - 2] = Random(8).bytes();
    let suffixes: [[u8; 2]; LANES] = Random(9).lanes().map(|[a, b, ..]| [a as u8, b as u8]);
    for prefix in (0..=prefix.len()).map(|length| &prefix[..length]) {
        for messages in 1..=LANES {
            let batch = Batch::new(prefix, &suffixes[..messages]);
            for bytes in OUT_BYTES {
                let each = Sm3.permutations(Form::Extendable, Role::Noise, prefix.len() + 2, bytes);
                let shared = Sm3.shared_permutations(Role::Noise, prefix.len());
                let stated = messages as u64 * (each - shared) + shared;
                let mut out = vec![0; messages * bytes];
                let ran = compressions(|| Sm3.xof_batch(Role::Noise, &batch, &mut out));
                assert_eq!(ran, stated, "batch of {messages} × {} → {bytes}", prefix.len());
                let ran = compressions(|| Sm3.readers(Role::Noise, &batch, &mut out, drop));
                assert_eq!(ran, stated, "readers of {messages} × {} → {bytes}", prefix.len());
            }
        }
    }
}
