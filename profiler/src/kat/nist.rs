use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use kemprof_core::Drng;
use kemprof_core::symmetric::Function;
use std::fmt;

/// Bytes of an AES block.
const BLOCK: usize = 16;
/// Bytes of an AES-256 key.
const KEY: usize = 32;
/// Bytes of seed: a key and a block (SP 800-90A rev. 1, table 3).
pub(super) const SEED: usize = KEY + BLOCK;
/// What the generator of the seeds is instantiated with: the bytes 0 to 47.
pub(super) const ENTROPY: [u8; SEED] = {
    let mut entropy = [0; SEED];
    let mut index = 0;
    while index < SEED {
        entropy[index] = index as u8;
        index += 1;
    }
    entropy
};

/// CTR_DRBG of SP 800-90A rev. 1, section 10.2.1, over AES-256, without derivation function, personalisation or
/// reseeding: where the known answers of NIST's post-quantum project take their randomness from.
#[derive(Clone)]
pub struct AesCtrDrbg {
    cipher: Aes256,
    /// The counter V, a big-endian integer of one block.
    v: u128,
}

impl fmt::Debug for AesCtrDrbg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesCtrDrbg").finish_non_exhaustive()
    }
}

impl AesCtrDrbg {
    /// Instantiates the generator (section 10.2.1.3.1).
    #[must_use]
    pub fn instantiate(entropy: &[u8; SEED]) -> Self {
        let mut drbg = Self { cipher: Aes256::new(&[0; KEY].into()), v: 0 };
        drbg.update(entropy);
        drbg
    }

    fn next_block(&mut self) -> [u8; BLOCK] {
        self.v = self.v.wrapping_add(1);
        let mut block = self.v.to_be_bytes().into();
        self.cipher.encrypt_block(&mut block);
        block.into()
    }

    /// CTR_DRBG_Update (section 10.2.1.2).
    fn update(&mut self, provided: &[u8; SEED]) {
        let mut state = *provided;
        for chunk in state.chunks_exact_mut(BLOCK) {
            let block = self.next_block();
            chunk.iter_mut().zip(block).for_each(|(byte, mask)| *byte ^= mask);
        }
        let (key, v) = state.split_first_chunk::<KEY>().expect("a seed begins with a key");
        self.cipher = Aes256::new(key.into());
        self.v = v.iter().fold(0, |v, &byte| v << 8 | u128::from(byte));
    }
}

impl Drng for AesCtrDrbg {
    fn name(&self) -> &'static str {
        "ctr-drbg-aes256"
    }

    fn function(&self) -> Function {
        Function { name: "drng", permutation: "aes256-block", absorb_rate: BLOCK, squeeze_rate: BLOCK }
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        (out_bytes.div_ceil(BLOCK) + SEED / BLOCK) as u64
    }

    fn generate(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(BLOCK) {
            chunk.copy_from_slice(&self.next_block()[..chunk.len()]);
        }
        self.update(&[0; SEED]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instantiate() -> AesCtrDrbg {
        AesCtrDrbg::instantiate(&std::array::from_fn(|i| i as u8))
    }

    /// The seed of record 0 in every known-answer file of NIST's post-quantum project, and what follows it, recomputed
    /// by an independent implementation over another AES.
    #[test]
    fn gives_the_seeds_of_the_post_quantum_project() {
        let mut drbg = instantiate();
        let mut seed = [0; SEED];
        drbg.generate(&mut seed);
        let first = "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1";
        assert_eq!(hex::encode(seed), first);
        drbg.generate(&mut seed);
        let second = "d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556ac81adde6aeeb4a5a875c3bfcadfa958f";
        assert_eq!(hex::encode(seed), second);
    }

    #[test]
    fn a_request_that_is_not_whole_blocks_is_cut_and_ends_the_request() {
        let (mut whole, mut cut) = (instantiate(), instantiate());
        let (mut long, mut short) = ([0; 32], [0; 21]);
        whole.generate(&mut long);
        cut.generate(&mut short);
        assert_eq!(long[..21], short);
        whole.generate(&mut long);
        cut.generate(&mut short);
        assert_eq!(long[..21], short);
    }

    #[test]
    fn counts_the_blocks_that_it_encrypts() {
        assert_eq!(instantiate().permutations(64), 4 + 3);
        assert_eq!(instantiate().permutations(1), 1 + 3);
    }

    #[test]
    fn the_counter_wraps() {
        let mut drbg = instantiate();
        let mut zero = [0; BLOCK].into();
        drbg.cipher.encrypt_block(&mut zero);
        drbg.v = u128::MAX;
        assert_eq!(drbg.next_block(), <[u8; BLOCK]>::from(zero));
    }
}
