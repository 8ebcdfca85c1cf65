use super::xof::label;
use super::{Backend, Drng, Reader, SelfTestError, expect};
use crate::symmetric::{Form, Function, Role};

/// Fast, and **no security at all, so never for real use**: output that looks random enough for rejection
/// sampling to end and for noise to have its distribution, from a few instructions a word. It shows how far a
/// faster hash may get. It is not nothing: what a scheme would take without any is reckoned, by Amdahl's law.
///
/// Output depends on the role, the form and every byte of the input, as that of a hash function does, so that key pairs
/// work and implicit rejection happens. Anyone can invert it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Free;

const NAME: &str = "free";

/// Bytes of a word: what one step absorbs.
const WORD: usize = size_of::<u64>();
/// Bytes of what is counted as one permutation: the width in which processors compute it at most.
const BLOCK: usize = 64;

/// The step of the output's counter: 2^64 divided by the golden ratio, odd, so that all 2^64 values come.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

const fn function(name: &'static str) -> Function {
    Function { name, permutation: "free-block", absorb_rate: BLOCK, squeeze_rate: BLOCK }
}

/// Blocks touched by one call of these sizes.
const fn blocks(in_bytes: usize, out_bytes: usize) -> u64 {
    (in_bytes / BLOCK + out_bytes.div_ceil(BLOCK)) as u64
}

/// A word of output: products of halves are not linear in the counter, and compilers know vectors of them.
#[inline]
const fn output(counter: u64) -> u64 {
    let x = counter ^ (counter >> 29);
    ((x & u32::MAX as u64) * (x >> 32)) ^ counter.rotate_left(17)
}

/// Spreads every bit over the word (the finalizer of SplitMix64).
const fn spread(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Folds the concatenated parts of `input` into the counter from which its output starts.
fn absorb(label: u8, input: &[&[u8]]) -> u64 {
    let mut state = u64::from(label);
    // Bytes that do not make a word yet, and eight times their number. Words need not start where parts do.
    let (mut pending, mut pending_bits) = (0, 0);
    let mut bytes = 0;
    let mut fold = |word: u64| state = state.rotate_left(9).wrapping_add(word);
    for part in input {
        bytes += part.len();
        let (words, rest) = part.as_chunks();
        for &word in words {
            let word = u64::from_le_bytes(word);
            fold(pending | word << pending_bits);
            // Two shifts: when nothing is pending, all 64 bits go.
            pending = word >> 1 >> (63 - pending_bits);
        }
        for &byte in rest {
            pending |= u64::from(byte) << pending_bits;
            pending_bits += 8;
            if pending_bits == u64::BITS {
                fold(pending);
                (pending, pending_bits) = (0, 0);
            }
        }
    }
    fold(pending);
    fold(bytes as u64);
    spread(state)
}

/// An output stream: words of a counter.
#[derive(Clone, Debug)]
pub struct FreeReader {
    counter: u64,
    /// Bytes of the counter's word that were read.
    position: usize,
}

impl FreeReader {
    fn new(label: [u8; 1], input: &[&[u8]]) -> Self {
        Self { counter: absorb(label[0], input), position: 0 }
    }

    fn word(&self) -> [u8; WORD] {
        output(self.counter).to_le_bytes()
    }

    fn advance(&mut self, bytes: usize) {
        self.position += bytes;
        if self.position == WORD {
            self.counter = self.counter.wrapping_add(STEP);
            self.position = 0;
        }
    }
}

impl Reader for FreeReader {
    #[inline]
    fn read(&mut self, mut out: &mut [u8]) {
        if self.position > 0 {
            let bytes = out.len().min(WORD - self.position);
            let (head, rest) = out.split_at_mut(bytes);
            head.copy_from_slice(&self.word()[self.position..self.position + bytes]);
            self.advance(bytes);
            out = rest;
        }
        let (words, rest) = out.as_chunks_mut();
        for word in words {
            *word = self.word();
            self.counter = self.counter.wrapping_add(STEP);
        }
        rest.copy_from_slice(&self.word()[..rest.len()]);
        self.advance(rest.len());
    }
}

impl Backend for Free {
    type Reader = FreeReader;
    type Drng = FreeDrng;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "a few operations a block, no hash and no security, never for real use: faster than any hash, but not nothing"
    }

    fn function(&self, _form: Form, _role: Role) -> Function {
        function("free")
    }

    fn permutations(&self, _form: Form, _role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        blocks(in_bytes, out_bytes)
    }

    /// There is no published answer; these were computed from the definition by an independent implementation.
    fn self_test(&self) -> Result<(), SelfTestError> {
        let mut out = [0; 16];
        self.xof(Role::Matrix, &[b"a", b"bc"], &mut out);
        expect(NAME, "free(\"abc\")", &out, &MATRIX_ABC)?;
        self.hash(Role::H, &[b"abcdefg", b"hijk"], &mut out);
        expect(NAME, "free(\"abcdefghijk\")", &out, &HASH_ABCDEFGHIJK)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        FreeDrng(FreeReader::new(label(Form::Generator, Role::Entropy), &[seed]))
    }

    #[inline]
    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        FreeReader::new(label(Form::Fixed(out.len()), role), input).read(out);
    }

    #[inline]
    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        FreeReader::new(label(Form::Extendable, role), input)
    }

    #[inline]
    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.reader(role, input).read(out);
    }
}

/// A generator that anyone can predict: a stream of the seed.
#[derive(Clone, Debug)]
pub struct FreeDrng(FreeReader);

impl Drng for FreeDrng {
    fn name(&self) -> &'static str {
        "free-drng"
    }

    fn function(&self) -> Function {
        function("drng")
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        blocks(0, out_bytes)
    }

    fn generate(&mut self, out: &mut [u8]) {
        self.0.read(out);
    }
}

/// Role matrix, extendable output of "abc".
const MATRIX_ABC: [u8; 16] =
    [0x87, 0x99, 0x31, 0x08, 0xf9, 0xc6, 0x68, 0x78, 0xca, 0x2c, 0xd8, 0x86, 0xb9, 0x65, 0x61, 0xec];

/// Role h, 16 bytes of "abcdefghijk".
const HASH_ABCDEFGHIJK: [u8; 16] =
    [0x0b, 0xa9, 0x1d, 0xc4, 0xb7, 0x06, 0x25, 0xff, 0x66, 0x5d, 0x38, 0x2b, 0x16, 0x3e, 0x24, 0x0c];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_hashed_as_its_concatenation() {
        let message: [u8; 27] = core::array::from_fn(|i| i as u8 + 1);
        for end in 0..message.len() {
            let whole = absorb(0, &[&message[..end]]);
            for middle in 0..=end {
                for start in 0..=middle {
                    let parts = [&message[..start], &message[start..middle], &message[middle..end]];
                    assert_eq!(absorb(0, &parts), whole, "{start} {middle} {end}");
                }
            }
        }
    }

    #[test]
    fn every_bit_of_the_input_matters() {
        let mut message = [0; 19];
        let before = absorb(0, &[&message]);
        for bit in 0..8 * message.len() {
            message[bit / 8] ^= 1 << (bit % 8);
            let changed = (absorb(0, &[&message]) ^ before).count_ones();
            assert!((8..=56).contains(&changed), "bit {bit} changes {changed} bits");
            message[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// What schemes need of it: 12-bit candidates below 3329 as often as there are such, and half of all bits set.
    #[test]
    fn output_passes_rejection_sampling() {
        let (mut accepted, mut candidates, mut ones) = (0, 0, 0);
        for seed in 0..500_u32 {
            let mut out = [0; 768];
            Free.xof(Role::Matrix, &[&seed.to_le_bytes()], &mut out);
            for &[a, b, c] in out.as_chunks().0 {
                let (first, second) = (u32::from(a) | u32::from(b % 16) << 8, u32::from(b) >> 4 | u32::from(c) << 4);
                accepted += u32::from(first < 3329) + u32::from(second < 3329);
                candidates += 2;
                ones += a.count_ones() + b.count_ones() + c.count_ones();
            }
        }
        let (rate, ones) = (f64::from(accepted) / f64::from(candidates), f64::from(ones) / f64::from(12 * candidates));
        // Ten standard deviations.
        assert!((rate - 3329.0 / 4096.0).abs() < 10.0 * (0.81 * 0.19 / f64::from(candidates)).sqrt(), "{rate}");
        assert!((ones - 0.5).abs() < 10.0 * (0.25 / f64::from(12 * candidates)).sqrt(), "{ones}");
    }
}
