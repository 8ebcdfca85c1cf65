use super::hash_drbg::HashDrbg;
use super::ngcc::{self, COUNTER, DIGEST, Sm3};
use super::{Backend, Reader, SelfTestError};
use crate::symmetric::{Form, Function, MAX_BATCH_MESSAGE, Role};
use digest::Digest;

/// The NGCC placeholder functions as candidates were submitted with them: plain calls of the `sm3` crate, the whole
/// message hashed again for every 32 bytes of output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placeholder;

const NAME: &str = "placeholder";

/// The `sm3` crate.
#[derive(Clone, Copy, Debug)]
pub struct CrateSm3;

impl Sm3 for CrateSm3 {
    fn digest(input: &[&[u8]]) -> [u8; DIGEST] {
        let mut hasher = sm3::Sm3::new();
        for part in input {
            hasher.update(part);
        }
        hasher.finalize().into()
    }

    fn hmac(input: &[&[u8]]) -> [u8; DIGEST] {
        let keyed = |mask: u8| sm3::Sm3::new_with_prefix(ngcc::HMAC_KEY.map(|byte| byte ^ mask));
        let mut inner = keyed(0x36);
        for part in input {
            inner.update(part);
        }
        keyed(0x5c).chain_update(inner.finalize()).finalize().into()
    }
}

/// Compressions of one HMAC over so many bytes: the padded key is a block of its own, twice.
const fn hmac_compressions(bytes: usize) -> u64 {
    ngcc::digest_compressions(ngcc::BLOCK + bytes) + ngcc::digest_compressions(ngcc::BLOCK + DIGEST)
}

/// Block `counter` (from 1) of pseudoXOF.
fn block(input: &[&[u8]], counter: u32) -> [u8; DIGEST] {
    let mut hasher = sm3::Sm3::new();
    for part in input {
        hasher.update(part);
    }
    hasher.chain_update(counter.to_be_bytes()).finalize().into()
}

/// A pseudoXOF stream: the message, and where the output stands.
#[derive(Clone, Debug)]
pub struct PlaceholderReader {
    message: [u8; MAX_BATCH_MESSAGE],
    message_bytes: usize,
    counter: u32,
    block: [u8; DIGEST],
    /// Bytes of `block` already read.
    position: usize,
}

impl Reader for PlaceholderReader {
    fn read(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.position == DIGEST {
                self.block = block(&[&self.message[..self.message_bytes]], self.counter);
                self.counter += 1;
                self.position = 0;
            }
            let bytes = out.len().min(DIGEST - self.position);
            let (head, rest) = out.split_at_mut(bytes);
            head.copy_from_slice(&self.block[self.position..self.position + bytes]);
            self.position += bytes;
            out = rest;
        }
    }
}

impl Backend for Placeholder {
    type Reader = PlaceholderReader;
    type Drng = HashDrbg<CrateSm3>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "the NGCC placeholder functions (SM3 in counter mode and in chains of HMAC), as submitted"
    }

    fn function(&self, form: Form, _role: Role) -> Function {
        ngcc::function(form)
    }

    fn permutations(&self, form: Form, _role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        match form {
            Form::Fixed(_) => ngcc::pseudohash_compressions(in_bytes, out_bytes, hmac_compressions),
            Form::Extendable | Form::Generator => {
                out_bytes.div_ceil(DIGEST) as u64 * ngcc::digest_compressions(in_bytes + COUNTER)
            }
        }
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        ngcc::self_test::<CrateSm3>(NAME, |message, out| self.xof(Role::Matrix, &[message], out))?;
        HashDrbg::<CrateSm3>::self_test(NAME)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        HashDrbg::instantiate("hash-drbg-sm3", seed)
    }

    fn hash(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        ngcc::pseudohash::<CrateSm3>(input, out);
    }

    fn reader(&self, _role: Role, input: &[&[u8]]) -> Self::Reader {
        let mut message = [0; MAX_BATCH_MESSAGE];
        let mut message_bytes = 0;
        for part in input {
            message[message_bytes..message_bytes + part.len()].copy_from_slice(part);
            message_bytes += part.len();
        }
        PlaceholderReader { message, message_bytes, counter: 1, block: [0; DIGEST], position: DIGEST }
    }

    fn xof(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        for (counter, out) in (1..).zip(out.chunks_mut(DIGEST)) {
            out.copy_from_slice(&block(input, counter)[..out.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::cell::Cell;
    use std::vec;

    std::thread_local! {
        static COMPRESSIONS: Cell<u64> = const { Cell::new(0) };
    }

    /// SM3 that counts its compressions.
    #[derive(Clone, Copy, Debug)]
    struct Counted;

    /// Blocks of a padded message (GB/T 32905-2016, section 5.2): a one, zeros up to 448 bits modulo 512, the length.
    fn blocks(bytes: usize) -> u64 {
        let mut bits = 8 * bytes + 1;
        while bits % 512 != 448 {
            bits += 1;
        }
        (bits + 64) as u64 / 512
    }

    fn count(input: &[&[u8]], before: usize) {
        let bytes = before + input.iter().map(|part| part.len()).sum::<usize>();
        COMPRESSIONS.set(COMPRESSIONS.get() + blocks(bytes));
    }

    impl Sm3 for Counted {
        fn digest(input: &[&[u8]]) -> [u8; DIGEST] {
            count(input, 0);
            CrateSm3::digest(input)
        }

        fn hmac(input: &[&[u8]]) -> [u8; DIGEST] {
            count(input, ngcc::BLOCK);
            count(&[&[0; DIGEST]], ngcc::BLOCK);
            CrateSm3::hmac(input)
        }
    }

    fn compressions(body: impl FnOnce()) -> u64 {
        let before = COMPRESSIONS.get();
        body();
        COMPRESSIONS.get() - before
    }

    #[test]
    fn permutations_are_the_blocks_of_the_padded_messages() {
        let message = [0x5a; 200];
        for length in 0..=message.len() {
            for bytes in [32, 64] {
                let ran = compressions(|| ngcc::pseudohash::<Counted>(&[&message[..length]], &mut [0; 64][..bytes]));
                let stated = Placeholder.permutations(Form::Fixed(bytes), Role::G, length, bytes);
                assert_eq!(ran, stated, "{length} → {bytes}");
            }
            for digests in 1..50 {
                let ran = digests as u64 * blocks(length + COUNTER);
                for bytes in [DIGEST * digests - 31, DIGEST * digests] {
                    let stated = Placeholder.permutations(Form::Extendable, Role::Matrix, length, bytes);
                    assert_eq!(ran, stated, "{length} → {bytes}");
                }
            }
        }
    }

    #[test]
    fn permutations_of_the_generator_are_those_that_run() {
        use crate::backend::Drng;
        let mut generator = HashDrbg::<Counted>::instantiate("counted", &[7; 48]);
        for bytes in 0..=200 {
            let ran = compressions(|| generator.generate(&mut vec![0; bytes]));
            assert_eq!(ran, generator.permutations(bytes), "{bytes}");
        }
    }
}
