extern crate std;

use super::hasher::{Hasher, digest};
use super::lanes::{Expanded, LANES, LaneState, LaneWords};
use super::round::{INITIAL, Words};
use super::vectors::Vectors;
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

/// All vectors that there are, and none.
fn with_and_without() -> impl Iterator<Item = Option<Vectors>> {
    Vectors::all().map(Some).chain([None])
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
    for vectors in with_and_without() {
        for length in 0..=message.len() {
            let hasher = Hasher::new().absorb(&[&message[..length]]);
            for bytes in OUT_BYTES {
                for first in [1, 0xfc, 0x00ff_fffe] {
                    let mut out = vec![0; bytes];
                    xof::fill(vectors, &hasher, first, &mut out);
                    assert_eq!(
                        out,
                        plain_xof(&message[..length], first, bytes),
                        "{vectors:?} {length} {bytes} from {first}"
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
    for vectors in with_and_without() {
        for prefix in (0..=MAX_BATCH_MESSAGE - SUFFIX).map(|length| &prefix[..length]) {
            let hasher = Hasher::new().absorb(&[prefix]);
            let want: Vec<_> = suffixes.iter().map(|suffix| plain_xof(&[prefix, suffix].concat(), 1, 1000)).collect();
            for messages in 1..=LANES {
                // Long outputs of lengths that differ, as eager sampling has them.
                for bytes in OUT_BYTES.into_iter().chain([500 + prefix.len()]) {
                    let mut out = vec![0; messages * bytes];
                    let batch = Batch::new(prefix, &suffixes[..messages]);
                    xof::fill_batch(vectors, &hasher, &batch, bytes % 2 == 0, &mut out);
                    for (out, want) in out.chunks_exact(bytes).zip(&want) {
                        assert_eq!(
                            out,
                            &want[..bytes],
                            "{vectors:?} {messages} × ({} + {SUFFIX}) → {bytes}",
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
        for bytes in [32, 64] {
            let [mut got, mut want] = [[0; 64]; 2];
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
        single::absorb(&mut state, &[ngcc::HMAC_KEY.map(|byte| byte ^ mask)]);
        assert_eq!(state, want);
    }
}

/// The chaining value after one more block.
fn compressed(mut state: State, block: Words) -> State {
    scalar::compress(&mut state, &block);
    state
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[test]
fn compressions_by_instructions_are_those_without() {
    use std::io::Write as _;
    let Some(instructions) = armv8::Sm3Instructions::detect() else {
        let _ = writeln!(std::io::stderr(), "skipped: no SM3 instructions");
        return;
    };
    let mut random = Random(11);
    for _ in 0..1000 {
        let before: State = random.lanes().map(|word| word[0]);
        let block: Words = random.lanes().map(|word| word[0]);
        let mut after = before;
        instructions.compress(&mut after, &block);
        assert_eq!(after, compressed(before, block));
    }
}

#[test]
fn compressions_together_are_those_one_by_one() {
    let mut random = Random(6);
    for vectors in Vectors::all() {
        for lanes in (0..200).map(|round| 1 + round % LANES) {
            let (before, blocks): (LaneState, LaneWords) = (random.lanes(), random.lanes());
            let mut after = before;
            vectors.compress_lanes(&mut after, &blocks, lanes);
            for lane in 0..lanes {
                let want = compressed(before.map(|word| word[lane]), blocks.map(|word| word[lane]));
                assert_eq!(after.map(|word| word[lane]), want, "{vectors:?}");
            }
        }
    }
}

#[test]
fn counters_together_are_those_one_by_one() {
    let mut random = Random(7);
    for vectors in Vectors::all() {
        for round in 0..200 {
            let (lanes, count, shared) = (1 + round / LANES % LANES, 1 + round % LANES, round % 3 * 4);
            // The words that shared rounds see are the same in all messages, and zero in counters.
            let [mut messages, mut counters]: [LaneWords; 2] = [random.lanes(), random.lanes()];
            if shared > 0 {
                messages[..shared + 4].iter_mut().for_each(|word| *word = [word[0]; LANES]);
                counters[..shared + 4].fill([0; LANES]);
            }
            let start = scalar::start(&random.lanes::<8>().map(|word| word[0]), &messages.map(|word| word[0]), shared);
            let expand = |blocks| {
                let mut expanded = Expanded::new();
                vectors.expand(blocks, &mut expanded);
                expanded
            };
            let [expanded_messages, expanded_counters] = [expand(&messages), expand(&counters)];
            let mut seen = [[None; LANES]; LANES];
            vectors.counters(&start, &expanded_messages, lanes, &expanded_counters, count, |first, column, digests| {
                for (lane, digest) in (first..lanes).zip(digests) {
                    assert_eq!(seen[column][lane].replace(*digest), None, "{vectors:?}: twice");
                }
            });
            for (column, seen) in seen.iter().enumerate() {
                for (lane, seen) in seen.iter().enumerate() {
                    let block = core::array::from_fn(|i| messages[i][lane] ^ counters[i][column]);
                    let want = (lane < lanes && column < count).then(|| digest(&compressed(start.chaining, block)));
                    assert_eq!(*seen, want, "{vectors:?}: message {lane}, counter {column}");
                }
            }
        }
    }
}

#[test]
fn permutations_are_the_compressions_that_run() {
    let message: [u8; 200] = Random(10).bytes();
    for length in 0..=message.len() {
        let input: [&[u8]; 1] = [&message[..length]];
        for bytes in [32, 64] {
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
