//! SM3 over a message in parts.

use super::round::{INITIAL, State};
use super::{single, wipe};
use crate::backend::ngcc::{BLOCK, COUNTER, DIGEST, PADDING};

/// Bytes of the message length, which ends the padding.
const LENGTH: usize = 8;
const _: () = assert!(PADDING == 1 + LENGTH);

/// SM3 that has absorbed some of a message: the chaining value after its whole blocks, and the bytes after them.
#[derive(Clone)]
pub(super) struct Hasher {
    state: State,
    buffer: [u8; BLOCK],
    bytes: u64,
}

/// The padded end of a message.
pub(super) struct Tail {
    pub(super) words: [u32; 2 * BLOCK / 4],
    /// How many blocks it takes: one or two.
    pub(super) blocks: usize,
}

impl Hasher {
    pub(super) const fn new() -> Self {
        Self::resume(INITIAL, 0)
    }

    /// Continues after so many blocks, which gave `state`.
    pub(super) const fn resume(state: State, blocks: u64) -> Self {
        Self { state, buffer: [0; BLOCK], bytes: BLOCK as u64 * blocks }
    }

    /// The chaining value after all whole blocks.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Bytes absorbed that do not fill a block.
    pub(super) fn buffered(&self) -> usize {
        self.bytes as usize % BLOCK
    }

    /// Absorbs the parts of `input`.
    pub(super) fn absorb(mut self, input: &[&[u8]]) -> Self {
        for part in input {
            self.update(part);
        }
        self
    }

    fn update(&mut self, part: &[u8]) {
        let start = self.buffered();
        self.bytes += part.len() as u64;
        let (head, rest) = part.split_at(part.len().min(BLOCK - start));
        self.buffer[start..start + head.len()].copy_from_slice(head);
        if start + head.len() == BLOCK {
            single::compress(&mut self.state, &words(&self.buffer));
            let (blocks, rest) = rest.as_chunks();
            single::absorb(&mut self.state, blocks);
            self.buffer[..rest.len()].copy_from_slice(rest);
        }
    }

    /// The end of the message when `zeros` more bytes come, which the caller fills in.
    pub(super) fn tail(&self, zeros: usize) -> Tail {
        let end = self.buffered() + zeros;
        let blocks = (end + PADDING).div_ceil(BLOCK);
        let mut bytes = [0; 2 * BLOCK];
        bytes[..self.buffered()].copy_from_slice(&self.buffer[..self.buffered()]);
        bytes[end] = 0x80;
        let bits = 8 * (self.bytes + zeros as u64);
        bytes[blocks * BLOCK - LENGTH..blocks * BLOCK].copy_from_slice(&bits.to_be_bytes());
        Tail { words: words(&bytes), blocks }
    }

    /// The digest of what was absorbed.
    pub(super) fn finalize(&self) -> [u8; DIGEST] {
        let mut digest = [0; DIGEST];
        self.finish(&self.tail(0), &mut digest);
        digest
    }

    /// The digests of what was absorbed and a big-endian counter, which counts from `first` on. The last one may be cut.
    pub(super) fn finalize_counters(&self, first: u32, out: &mut [u8]) {
        let mut tail = self.tail(COUNTER);
        #[cfg(armv7em)]
        let (first, out) = self.finalize_known(&tail, first, out);
        let place = self.buffered();
        for (counter, out) in (first..).zip(out.chunks_mut(DIGEST)) {
            let [word, next] = counter_words(place, counter);
            // Zero before, and zero again behind.
            tail.words[place / 4] ^= word;
            tail.words[place / 4 + 1] ^= next;
            self.finish(&tail, out);
            tail.words[place / 4] ^= word;
            tail.words[place / 4 + 1] ^= next;
        }
    }

    /// Writes the digest, or as much of it as there is room for.
    fn finish(&self, tail: &Tail, out: &mut [u8]) {
        let mut state = self.state;
        for block in &tail.words.as_chunks().0[..tail.blocks] {
            single::compress(&mut state, block);
        }
        match out.as_mut_array() {
            Some(out) => *out = digest(&state),
            None => out.copy_from_slice(&digest(&state)[..out.len()]),
        }
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(&mut self.buffer);
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        wipe(&mut self.words);
    }
}

/// What a big-endian counter at byte `position` adds to the word that holds this byte, and to the next.
pub(super) const fn counter_words(position: usize, counter: u32) -> [u32; 2] {
    let both = (counter as u64) << (u64::BITS / 2 - 8 * (position % 4) as u32);
    [(both >> u32::BITS) as u32, both as u32]
}

/// The big-endian words of whole blocks.
pub(super) fn words<const BYTES: usize, const WORDS: usize>(bytes: &[u8; BYTES]) -> [u32; WORDS] {
    const { assert!(BYTES == 4 * WORDS) }
    let (words, _) = bytes.as_chunks();
    core::array::from_fn(|i| u32::from_be_bytes(words[i]))
}

/// The big-endian bytes of a chaining value.
pub(super) fn digest(state: &State) -> [u8; DIGEST] {
    let mut digest = [0; DIGEST];
    for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    digest
}
