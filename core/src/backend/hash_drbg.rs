use super::ngcc::{self, DIGEST, Sm3};
use super::{Drng, SelfTestError, expect};
use crate::symmetric::{Form, Function};
use core::fmt;
use core::marker::PhantomData;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Bytes of the generator's state V and constant C: 440 bits (SP 800-90A rev. 1, table 2, for outputs up to 256 bits).
const SEEDLEN: usize = 440 / 8;

/// Hash_DRBG of SP 800-90A rev. 1, section 10.1.1, over SM3, as the NGCC programme uses it: instantiated with a seed
/// (no nonce, no personalisation), never reseeded.
#[derive(Clone, ZeroizeOnDrop)]
pub struct HashDrbg<S> {
    v: [u8; SEEDLEN],
    c: [u8; SEEDLEN],
    reseed_counter: u64,
    #[zeroize(skip)]
    name: &'static str,
    #[zeroize(skip)]
    sm3: PhantomData<S>,
}

impl<S> fmt::Debug for HashDrbg<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashDrbg").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<S: Sm3> HashDrbg<S> {
    /// A generator that goes by `name`, seeded with `seed`.
    pub(super) fn instantiate(name: &'static str, seed: &[u8]) -> Self {
        let v = hash_df::<S>(&[], seed);
        let c = hash_df::<S>(&[0], &v);
        Self { v, c, reseed_counter: 1, name, sm3: PhantomData }
    }

    /// Known answers, computed from the definition by an independent implementation.
    pub(super) fn self_test(backend: &'static str) -> Result<(), SelfTestError> {
        let seed: [u8; 48] = core::array::from_fn(|i| i as u8);
        let mut generator = Self::instantiate("self-test", &seed);
        let mut out = [0; 100];
        generator.generate(&mut out);
        expect(backend, "Hash_DRBG, first request", &S::digest(&[&out]), &FIRST)?;
        generator.generate(&mut out);
        expect(backend, "Hash_DRBG, second request", &S::digest(&[&out]), &SECOND)
    }
}

/// Hash_df of `prefix ‖ data` for [`SEEDLEN`] bytes (SP 800-90A rev. 1, section 10.3.1).
fn hash_df<S: Sm3>(prefix: &[u8], data: &[u8]) -> [u8; SEEDLEN] {
    let bits = (8 * SEEDLEN as u32).to_be_bytes();
    let mut out = [0; SEEDLEN];
    for (counter, out) in (1u8..).zip(out.chunks_mut(DIGEST)) {
        out.copy_from_slice(&S::digest(&[&[counter], &bits, prefix, data])[..out.len()]);
    }
    out
}

/// `value += addend` as big-endian integers modulo 2^(8 · SEEDLEN).
fn add(value: &mut [u8; SEEDLEN], addend: &[u8]) {
    let (last, words) = value.as_rchunks_mut();
    let (last_addend, addends) = addend.as_rchunks();
    let mut carry = 0;
    // Least significant first. The addend may end anywhere: after its whole words come its first bytes, and then nothing.
    let addends = addends.iter().rev().map(|&word| u32::from_be_bytes(word));
    let mut addends = addends.chain([from_be_bytes(last_addend)]).chain(core::iter::repeat(0));
    for (word, addend) in words.iter_mut().rev().zip(addends.by_ref()) {
        let sum = u64::from(u32::from_be_bytes(*word)) + u64::from(addend) + carry;
        *word = (sum as u32).to_be_bytes();
        carry = sum >> u32::BITS;
    }
    let sum = from_be_bytes(last).wrapping_add(addends.next().unwrap_or(0)).wrapping_add(carry as u32);
    let bytes = sum.to_be_bytes();
    last.copy_from_slice(&bytes[bytes.len() - last.len()..]);
}

/// Less than a word of big-endian bytes.
fn from_be_bytes(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

impl<S: Sm3> Drng for HashDrbg<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn function(&self) -> Function {
        ngcc::function(Form::Generator)
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        out_bytes.div_ceil(DIGEST) as u64 * ngcc::digest_compressions(SEEDLEN) + ngcc::digest_compressions(1 + SEEDLEN)
    }

    fn generate(&mut self, out: &mut [u8]) {
        let mut data = Zeroizing::new(self.v);
        for out in out.chunks_mut(DIGEST) {
            out.copy_from_slice(&S::digest(&[&data[..]])[..out.len()]);
            add(&mut data, &[1]);
        }
        let h = Zeroizing::new(S::digest(&[&[3], &self.v]));
        add(&mut self.v, &h[..]);
        add(&mut self.v, &self.c);
        add(&mut self.v, &self.reseed_counter.to_be_bytes());
        self.reseed_counter += 1;
    }
}

/// SM3 of the first 100 bytes of a generator seeded with the bytes 0, 1, ..., 47.
const FIRST: [u8; DIGEST] = [
    0xc4, 0xbe, 0x1d, 0x40, 0x3a, 0x70, 0x42, 0x62, 0x4f, 0x40, 0xd3, 0x44, 0x9b, 0x02, 0x76, 0x34, 0x9b, 0x90, 0xdd,
    0xf9, 0x4f, 0x49, 0x0e, 0xc0, 0xa9, 0x2b, 0x87, 0xb6, 0xd1, 0x65, 0x71, 0xd5,
];
/// SM3 of the second 100 bytes of a generator seeded with the bytes 0, 1, ..., 47.
const SECOND: [u8; DIGEST] = [
    0x84, 0xb0, 0x4b, 0x31, 0x19, 0x92, 0x88, 0x47, 0x14, 0xd4, 0x8b, 0xbe, 0xb6, 0xfe, 0xd5, 0x13, 0xf6, 0x48, 0x5b,
    0xe7, 0xd7, 0x4e, 0x8f, 0x77, 0x81, 0x44, 0x26, 0x82, 0x5d, 0x5d, 0x94, 0x2d,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Digit by digit, as on paper.
    fn add_digits(value: &mut [u8; SEEDLEN], addend: &[u8]) {
        let mut carry = 0;
        let addend = addend.iter().rev().chain(core::iter::repeat(&0));
        for (digit, &other) in value.iter_mut().rev().zip(addend) {
            let sum = u16::from(*digit) + u16::from(other) + carry;
            *digit = sum as u8;
            carry = sum >> 8;
        }
    }

    #[test]
    fn sums_carry_through_all_digits() {
        for length in 1..=SEEDLEN {
            for addend in [[0xff; SEEDLEN], [1; SEEDLEN], core::array::from_fn(|i| (i * 89) as u8)] {
                for zeros in 0..SEEDLEN {
                    let mut value: [u8; SEEDLEN] = core::array::from_fn(|i| if i < zeros { 0x7e } else { 0xff });
                    let mut want = value;
                    add(&mut value, &addend[..length]);
                    add_digits(&mut want, &addend[..length]);
                    assert_eq!(value, want, "{length} bytes to {zeros} digits before ones");
                }
            }
        }
    }
}
