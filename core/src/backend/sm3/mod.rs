//! The placeholder functions as fast as they go: padding and shared prefixes once, and several compressions together.
//!
//! | module    | what it does |
//! |-----------|--------------|
//! | `round`   | the round, written once for all words |
//! | `scalar`  | one compression at a time, on any machine |
//! | `armv8`   | the same with the SM3 instructions of Armv8.2 |
//! | `thumb`   | the same in assembly for ARMv7E-M |
//! | `single`  | whichever of these there is |
//! | `kernel`  | eight together, written once for all vectors |
//! | `vectors` | which vectors there are |
//! | `hasher`  | a message in parts |
//! | `xof`     | many counters of one message, or of several |

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod armv8;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod hasher;
#[cfg(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon")
))]
mod kernel;
mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod round;
mod scalar;
mod single;
#[cfg(armv7em)]
mod thumb;
mod vectors;
mod xof;

#[cfg(test)]
mod tests;

use super::hash_drbg::HashDrbg;
use super::ngcc::{self, DIGEST};
use super::{Backend, Reader, SelfTestError, expect, wipe};
use crate::symmetric::{Batch, Form, Function, Role};
use core::fmt;
use hasher::Hasher;
use round::State;
use vectors::Vectors;

/// The placeholder functions of the NGCC programme, optimised: same results as
/// [`Placeholder`](super::Placeholder), fewer compressions, several at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sm3;

const NAME: &str = "sm3";

/// SM3 as this backend computes it.
#[derive(Clone, Copy, Debug)]
pub struct FastSm3;

/// The chaining value of HMAC's inner hash after the padded key (RFC 2104, section 4).
const INNER: State =
    [0x313e_b6a4, 0x48be_f2d5, 0x36e5_0983, 0xd44b_6bab, 0x9f20_0854, 0x8371_a799, 0x073e_d128, 0xd0a8_dd79];
/// The chaining value of HMAC's outer hash after the padded key.
const OUTER: State =
    [0x747c_c75d, 0xe966_127a, 0xa24a_c00f, 0x62ab_5c3f, 0x1dd5_568d, 0x84c3_3065, 0x05ff_f7c2, 0xb97f_411a];

impl ngcc::Sm3 for FastSm3 {
    fn digest(input: &[&[u8]]) -> [u8; DIGEST] {
        Hasher::new().absorb(input).finalize()
    }

    fn hmac(input: &[&[u8]]) -> [u8; DIGEST] {
        let inner = Hasher::resume(INNER, 1).absorb(input).finalize();
        Hasher::resume(OUTER, 1).absorb(&[&inner]).finalize()
    }
}

/// Compressions of one HMAC over so many bytes: the blocks of the padded key are done.
const fn hmac_compressions(bytes: usize) -> u64 {
    ngcc::digest_compressions(bytes) + ngcc::digest_compressions(DIGEST)
}

/// A pseudoXOF stream: what absorbed the message, and where the output stands.
#[derive(Clone)]
pub struct Sm3Reader {
    message: Hasher,
    counter: u32,
    block: [u8; DIGEST],
    /// Bytes of `block` already read.
    position: usize,
}

impl Sm3Reader {
    /// The stream after `blocks` blocks.
    const fn after(message: Hasher, blocks: u32) -> Self {
        Self { message, counter: 1 + blocks, block: [0; DIGEST], position: DIGEST }
    }
}

impl fmt::Debug for Sm3Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sm3Reader").field("counter", &self.counter).finish_non_exhaustive()
    }
}

impl Drop for Sm3Reader {
    fn drop(&mut self) {
        wipe(&mut self.block);
    }
}

impl Reader for Sm3Reader {
    fn read(&mut self, out: &mut [u8]) {
        let (head, out) = out.split_at_mut(out.len().min(DIGEST - self.position));
        head.copy_from_slice(&self.block[self.position..self.position + head.len()]);
        self.position += head.len();
        let (whole, rest) = out.split_at_mut(out.len() / DIGEST * DIGEST);
        let vectors = Vectors::best();
        xof::fill(vectors, &self.message, self.counter, whole);
        self.counter += (whole.len() / DIGEST) as u32;
        if !rest.is_empty() {
            self.message.finalize_counters(self.counter, &mut self.block);
            self.counter += 1;
            rest.copy_from_slice(&self.block[..rest.len()]);
            self.position = rest.len();
        }
    }
}

impl Backend for Sm3 {
    type Reader = Sm3Reader;
    type Drng = HashDrbg<FastSm3>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "the same functions as placeholder, with the same results, as fast as this machine computes them"
    }

    fn function(&self, form: Form, _role: Role) -> Function {
        ngcc::function(form)
    }

    fn permutations(&self, form: Form, _role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        match form {
            Form::Fixed(_) => ngcc::pseudohash_compressions(in_bytes, out_bytes, hmac_compressions),
            Form::Extendable | Form::Generator => {
                let whole = in_bytes / ngcc::BLOCK;
                let last = ngcc::digest_compressions(in_bytes % ngcc::BLOCK + ngcc::COUNTER);
                whole as u64 + out_bytes.div_ceil(DIGEST) as u64 * last
            }
        }
    }

    fn shared_permutations(&self, _role: Role, prefix_bytes: usize) -> u64 {
        (prefix_bytes / ngcc::BLOCK) as u64
    }

    fn code(&self) -> &'static str {
        let portable = if cfg!(armv7em) { "armv7em" } else { "portable" };
        Vectors::best().map_or(portable, Vectors::name)
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        ngcc::self_test::<FastSm3>(NAME, |message, out| self.xof(Role::Matrix, &[message], out))?;
        HashDrbg::<FastSm3>::self_test(NAME)?;
        self_test_single(INNER, &core::array::from_fn(|i| round::CONSTANTS[i]))?;
        Vectors::best().map_or(Ok(()), self_test_together)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        HashDrbg::instantiate("hash-drbg-sm3", seed)
    }

    fn hash(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        ngcc::pseudohash::<FastSm3>(input, out);
    }

    fn reader(&self, _role: Role, input: &[&[u8]]) -> Self::Reader {
        Sm3Reader::after(Hasher::new().absorb(input), 0)
    }

    fn xof(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        let vectors = Vectors::best();
        xof::fill(vectors, &Hasher::new().absorb(input), 1, out);
    }

    fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        let vectors = Vectors::best();
        let prefix = Hasher::new().absorb(&[batch.prefix()]);
        xof::fill_batch(vectors, &prefix, batch, role != Role::Matrix, out);
    }

    fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], mut each: impl FnMut(Self::Reader)) {
        let vectors = Vectors::best();
        let prefix = Hasher::new().absorb(&[batch.prefix()]);
        let reader = |suffix, blocks| Sm3Reader::after(prefix.clone().absorb(&[suffix]), blocks);
        let first_bytes = first.len() / batch.lanes();
        // Together if what follows neither keeps part of a block of output, nor absorbs whole blocks that the first output did.
        let whole_blocks = batch.message_bytes() / ngcc::BLOCK == batch.prefix().len() / ngcc::BLOCK;
        if vectors.is_some() && first_bytes.is_multiple_of(DIGEST) && whole_blocks {
            xof::fill_batch(vectors, &prefix, batch, role != Role::Matrix, first);
            let blocks = (first_bytes / DIGEST) as u32;
            batch.suffixes().for_each(|suffix| each(reader(suffix, blocks)));
            return;
        }
        for (suffix, first) in batch.suffixes().zip(first.chunks_exact_mut(first_bytes)) {
            let mut reader = reader(suffix, 0);
            reader.read(first);
            each(reader);
        }
    }

    fn lanes(&self, role: Role) -> usize {
        match role {
            Role::Matrix | Role::Noise if Vectors::best().is_some() => lanes::LANES,
            _ => 1,
        }
    }
}

/// Messages together against the messages one by one, which the known answers are of: one block and several, of the lengths
/// that schemes have.
fn self_test_together(vectors: Vectors) -> Result<(), SelfTestError> {
    let prefix: [u8; 64] = core::array::from_fn(|i| i as u8);
    let suffixes: [[u8; 3]; lanes::LANES] = core::array::from_fn(|lane| [lane as u8, 1, 2]);
    let (mut together, mut alone) = ([[0; 10 * DIGEST]; lanes::LANES], [0; 10 * DIGEST]);
    for (prefix_bytes, out_bytes) in [(32, DIGEST), (16, 4 * DIGEST), (32, 10 * DIGEST), (64, 10 * DIGEST)] {
        let prefix = &prefix[..prefix_bytes];
        let absorbed = Hasher::new().absorb(&[prefix]);
        let out = &mut together.as_flattened_mut()[..lanes::LANES * out_bytes];
        xof::fill_batch(Some(vectors), &absorbed, &Batch::new(prefix, &suffixes), false, out);
        for (suffix, together) in suffixes.iter().zip(out.chunks_exact(out_bytes)) {
            let alone = &mut alone[..out_bytes];
            xof::fill(None, &absorbed.clone().absorb(&[suffix]), 1, alone);
            expect(NAME, "pseudoXOF of several messages", together, alone)?;
        }
    }
    Ok(())
}

/// This machine's compression against the plain one.
fn self_test_single(mut state: State, block: &round::Words) -> Result<(), SelfTestError> {
    let mut twin = state;
    single::compress(&mut state, block);
    scalar::compress(&mut twin, block);
    expect(NAME, "a compression against its plain twin", &hasher::digest(&state), &hasher::digest(&twin))
}

/// Compares this machine's compression with the plain one, and its pseudoXOF with that of the `sm3` crate: messages as long as
/// schemes have them, and others.
#[cfg(feature = "twins")]
pub(super) fn check_twins(random: &mut impl crate::Drng) -> Result<(), SelfTestError> {
    self_test_single(crate::twins::array(random), &crate::twins::array(random))?;
    let (message, lengths): ([u8; 128], [u8; 2]) = (crate::twins::array(random), crate::twins::array(random));
    let bytes = [16 + 3, 32 + 3, 64 + 3, usize::from(lengths[0]) % 128][usize::from(lengths[0]) / 64];
    let mut outs = [[0; 12 * DIGEST]; 2];
    let out_bytes = usize::from(lengths[1]) + 12 * DIGEST - usize::from(u8::MAX);
    Sm3.xof(Role::Matrix, &[&message[..bytes]], &mut outs[0][..out_bytes]);
    super::Placeholder.xof(Role::Matrix, &[&message[..bytes]], &mut outs[1][..out_bytes]);
    expect(NAME, "pseudoXOF against its plain twin", &outs[0], &outs[1])
}

/// Tests count compressions.
#[cfg(not(test))]
const fn tally(_compressions: usize) {}
#[cfg(test)]
use tests::tally;
