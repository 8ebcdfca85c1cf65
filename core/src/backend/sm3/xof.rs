//! pseudoXOF: many counters of one message, or of each of several messages.

use super::hasher::{Hasher, counter_words};
use super::lanes::{Digest, Expanded, LANES, LaneWords, Lanes};
use super::vectors::Vectors;
use super::{scalar, wipe};
use crate::backend::ngcc::{BLOCK, COUNTER, DIGEST, PADDING};
use crate::symmetric::Batch;

/// Fills `out` with pseudoXOF of what `message` has absorbed, from block `first`; blocks count from 1.
pub(super) fn fill(vectors: Option<Vectors>, message: &Hasher, first: u32, out: &mut [u8]) {
    for (group, out) in out.chunks_mut(LANES * DIGEST).enumerate() {
        let first = first + (LANES * group) as u32;
        let count = out.len().div_ceil(DIGEST);
        if let Some(vectors) = vectors.filter(|vectors| vectors.joins_counters(count)) {
            let digests = eight_blocks(vectors, message, first, count);
            out.copy_from_slice(&digests.as_flattened()[..out.len()]);
        } else {
            message.finalize_counters(first, out);
        }
    }
}

/// Blocks `first..first + 8`, of which `count` are wanted.
fn eight_blocks(vectors: Vectors, message: &Hasher, first: u32, count: usize) -> [Digest; LANES] {
    let tail = message.tail(COUNTER);
    let mut words = tail.words.map(|word| [word; LANES]);
    insert_counters(&mut words, message.buffered(), |lane| first + lane as u32);
    let mut state = message.state().map(|word| [word; LANES]);
    for block in &words.as_chunks().0[..tail.blocks] {
        vectors.compress_lanes(&mut state, block, count);
    }
    wipe(&mut words);
    vectors.lane_digests(&state)
}

/// Fills `out` with pseudoXOF of every message of `batch`, one after another. `prefix` has absorbed what they begin with.
/// With `secret` even the expansion of the messages is wiped, which takes a while.
pub(super) fn fill_batch(vectors: Option<Vectors>, prefix: &Hasher, batch: &Batch<'_>, secret: bool, out: &mut [u8]) {
    let out_bytes = out.len() / batch.lanes();
    let count = out_bytes.div_ceil(DIGEST);
    match vectors.filter(|&vectors| runs_together(vectors, prefix, batch, count)) {
        Some(vectors) if count == 1 => one_block(vectors, prefix, batch, out),
        Some(vectors) => many_blocks(vectors, prefix, batch, secret, out),
        None => {
            for (suffix, out) in batch.suffixes().zip(out.chunks_exact_mut(out_bytes)) {
                fill(vectors, &prefix.clone().absorb(&[suffix]), 1, out);
            }
        }
    }
}

/// Whether to take a counter at a time of all messages, which must then differ in their last blocks alone.
fn runs_together(vectors: Vectors, prefix: &Hasher, batch: &Batch<'_>, count: usize) -> bool {
    let last = prefix.buffered() + batch.message_bytes() - batch.prefix().len();
    last + COUNTER + PADDING <= BLOCK && vectors.joins_messages(batch.lanes(), count)
}

/// The last block of every message, its counter zero.
fn last_blocks(prefix: &Hasher, batch: &Batch<'_>) -> LaneWords {
    let position = prefix.buffered();
    let suffix_bytes = batch.message_bytes() - batch.prefix().len();
    let mut words = prefix.tail(suffix_bytes + COUNTER).words.map(|word| [word; LANES]);
    for (lane, suffix) in batch.suffixes().enumerate() {
        for (position, &byte) in (position..).zip(suffix) {
            words[position / 4][lane] ^= u32::from_be_bytes([byte, 0, 0, 0]) >> (8 * (position % 4));
        }
    }
    core::array::from_fn(|i| words[i])
}

/// Puts counter `counter(lane)` at byte `position` of every lane's block, where it is zero so far.
fn insert_counters(words: &mut [Lanes], position: usize, counter: impl Fn(usize) -> u32) {
    let (first, second) = words[position / 4..].split_at_mut(1);
    for (lane, (word, next)) in first[0].iter_mut().zip(&mut second[0]).enumerate() {
        let added = counter_words(position, counter(lane));
        *word ^= added[0];
        *next ^= added[1];
    }
}

/// The first block of output of every message.
fn one_block(vectors: Vectors, prefix: &Hasher, batch: &Batch<'_>, out: &mut [u8]) {
    let mut words = last_blocks(prefix, batch);
    insert_counters(&mut words, batch.message_bytes() % BLOCK, |_| 1);
    let mut state = prefix.state().map(|word| [word; LANES]);
    vectors.compress_lanes(&mut state, &words, batch.lanes());
    wipe(&mut words);
    let mut digests = vectors.lane_digests(&state);
    let out_bytes = out.len() / batch.lanes();
    for (out, digest) in out.chunks_exact_mut(out_bytes).zip(&digests) {
        out.copy_from_slice(&digest[..out_bytes]);
    }
    wipe(&mut state);
    wipe(&mut digests);
}

/// Several blocks of output of every message, a counter at a time.
fn many_blocks(vectors: Vectors, prefix: &Hasher, batch: &Batch<'_>, secret: bool, out: &mut [u8]) {
    let mut words = last_blocks(prefix, batch);
    let start = scalar::start(prefix.state(), &words.map(|word| word[0]), shared_rounds(prefix.buffered()));
    let [mut messages, mut counters] = [Expanded::new(), Expanded::new()];
    vectors.expand(&words, &mut messages);
    let out_bytes = out.len() / batch.lanes();
    let mut last = [[0; DIGEST]; LANES];
    let partial = !out_bytes.is_multiple_of(DIGEST);
    for group in (0..out_bytes).step_by(LANES * DIGEST) {
        let first = (group / DIGEST) as u32 + 1;
        let count = (out_bytes - group).div_ceil(DIGEST).min(LANES);
        let mut counter_blocks = [[0; LANES]; BLOCK / 4];
        insert_counters(&mut counter_blocks, batch.message_bytes() % BLOCK, |lane| first + lane as u32);
        vectors.expand(&counter_blocks, &mut counters);
        vectors.counters(&start, &messages, batch.lanes(), &counters, count, |lane, column, digests| {
            let place = group + DIGEST * column;
            for (out, digest) in out.chunks_exact_mut(out_bytes).skip(lane).zip(digests) {
                if let Some(out) = out[place..].first_chunk_mut() {
                    *out = *digest;
                }
            }
            if partial {
                last[lane..lane + digests.len()].copy_from_slice(digests);
            }
        });
    }
    let whole = out_bytes / DIGEST * DIGEST;
    for (out, digest) in out.chunks_exact_mut(out_bytes).zip(&last) {
        out[whole..].copy_from_slice(&digest[..out_bytes - whole]);
    }
    if secret {
        wipe(&mut words);
        wipe(&mut last);
        messages.iter_mut().for_each(|row| wipe(&mut row.0));
    }
}

/// Rounds that see no word from byte `position` on, rounded down to a multiple of four: round j uses words j and j + 4.
const fn shared_rounds(position: usize) -> usize {
    (position / 4).saturating_sub(4) / 4 * 4
}
