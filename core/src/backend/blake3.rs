use super::xof::{GeneratorXof, LABEL_BYTES, XofDrng, XofStream, absorb, label};
use super::{Backend, SelfTestError, expect};
use crate::symmetric::{Form, Function, Role};
use blake3::{Hasher, OutputReader};
use digest::ExtendableOutput;

/// BLAKE3 (version 1 of its specification) with extendable output for every role, 128 bits of security, on hosts. A
/// label byte in front of every message separates roles and forms.
///
/// The crate runs its code in Rust (SSE4.1 and AVX2 intrinsics, detected at run time), so that no C compiler is needed.
/// On processors up to AVX2 its assembly is no faster (3.4 ticks for a byte of long output on a Zen 5, either way). With
/// AVX-512 that assembly squeezes sixteen blocks at once (0.37 ticks): left out, as no other backend goes beyond AVX2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blake3;

const NAME: &str = "blake3";

/// Bytes of a block: what one compression takes, and what one yields as output (specification, sections 2.2 and 2.6).
const BLOCK: usize = 64;
/// Bytes of a chunk, a leaf of the tree (section 2.4).
const CHUNK: usize = 1024;

const fn function(name: &'static str) -> Function {
    Function { name, permutation: "blake3-compression", absorb_rate: BLOCK, squeeze_rate: BLOCK }
}

/// Output of `prefix` and the concatenated parts of `input`.
fn squeeze(prefix: &[u8], input: &[&[u8]], out: &mut [u8]) {
    absorb::<Hasher>(prefix, input).finalize_xof_into(out);
}

impl Backend for Blake3 {
    type Reader = XofStream<OutputReader>;
    type Drng = XofDrng<Hasher>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "BLAKE3 for every role, on hosts, in Rust and without AVX-512"
    }

    fn code(&self) -> &'static str {
        // Of up to a few chunks, which is what schemes hash, the crate compresses with SSE4.1 where there is AVX2 too.
        #[cfg(target_arch = "x86_64")]
        return match blake3::platform::Platform::detect() {
            blake3::platform::Platform::Portable => "portable",
            blake3::platform::Platform::SSE2 => "sse2",
            _ => "sse41",
        };
        #[cfg(not(target_arch = "x86_64"))]
        "portable"
    }

    fn function(&self, _form: Form, _role: Role) -> Function {
        function("blake3")
    }

    fn permutations(&self, _form: Form, _role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        Hasher::permutations(LABEL_BYTES + in_bytes, out_bytes)
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        // Three chunks: more than any scheme's key has.
        let message: [u8; 2 * CHUNK + 1] = core::array::from_fn(|i| (i % 251) as u8);
        let mut out = [0; 131];
        squeeze(&message[..1], &[&message[1..5], &message[5..65]], &mut out[..32]);
        expect(NAME, "blake3 of 65 bytes", &out[..32], &BYTES_65)?;
        squeeze(&message[..1], &[&message[1..]], &mut out);
        expect(NAME, "blake3 of 2049 bytes", &out, &BYTES_2049)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        XofDrng::instantiate(seed)
    }

    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(&label(Form::Fixed(out.len()), role), input, out);
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        XofStream(absorb::<Hasher>(&label(Form::Extendable, role), input).finalize_xof())
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(&label(Form::Extendable, role), input, out);
    }
}

impl GeneratorXof for Hasher {
    type Reader = XofStream<<Self as ExtendableOutput>::Reader>;

    const GENERATOR: &'static str = "blake3-drng";
    const FUNCTION: Function = function("drng");

    fn absorb(label: &[u8], input: &[&[u8]]) -> Self::Reader {
        XofStream(absorb::<Self>(label, input).finalize_xof())
    }

    /// A compression for every block of every chunk (an empty message has one block) and for every parent (one fewer
    /// than chunks); the last of all, the root's, is run once for each block of output.
    fn permutations(in_bytes: usize, out_bytes: usize) -> u64 {
        let chunks = in_bytes.div_ceil(CHUNK).max(1);
        let blocks = in_bytes.div_ceil(BLOCK).max(1);
        (blocks + (chunks - 1) - 1 + out_bytes.div_ceil(BLOCK)) as u64
    }
}

/// Official test vectors of BLAKE3: `hash` of 65 bytes, the first 32 bytes.
const BYTES_65: [u8; 32] = [
    0xde, 0x1e, 0x5f, 0xa0, 0xbe, 0x70, 0xdf, 0x6d, 0x2b, 0xe8, 0xff, 0xfd, 0x0e, 0x99, 0xce, 0xaa, 0x8e, 0xb6, 0xe8,
    0xc9, 0x3a, 0x63, 0xf2, 0xd8, 0xd1, 0xc3, 0x0e, 0xcb, 0x6b, 0x26, 0x3d, 0xee,
];
/// Official test vectors of BLAKE3: `hash` of 2049 bytes.
const BYTES_2049: [u8; 131] = [
    0x5f, 0x4d, 0x72, 0xf4, 0x0d, 0x7a, 0x5f, 0x82, 0xb1, 0x5c, 0xa2, 0xb2, 0xe4, 0x4b, 0x1d, 0xe3, 0xc2, 0xef, 0x86,
    0xc4, 0x26, 0xc9, 0x5c, 0x1a, 0xf0, 0xb6, 0x87, 0x95, 0x22, 0x56, 0x30, 0x30, 0x96, 0xde, 0x31, 0xd7, 0x1d, 0x74,
    0x10, 0x34, 0x03, 0x82, 0x2a, 0x2e, 0x0b, 0xc1, 0xeb, 0x19, 0x3e, 0x7a, 0xec, 0xc9, 0x64, 0x3a, 0x76, 0xb7, 0xbb,
    0xc0, 0xc9, 0xf9, 0xc5, 0x2e, 0x87, 0x83, 0xaa, 0xe9, 0x87, 0x64, 0xca, 0x46, 0x89, 0x62, 0xb5, 0xc2, 0xec, 0x92,
    0xf0, 0xc7, 0x4e, 0xb5, 0x44, 0x8d, 0x51, 0x97, 0x13, 0xe0, 0x94, 0x13, 0x71, 0x94, 0x31, 0xc8, 0x02, 0xf9, 0x48,
    0xdd, 0x5d, 0x90, 0x42, 0x5a, 0x4e, 0xcd, 0xad, 0xec, 0xe9, 0xeb, 0x17, 0x8d, 0x80, 0xf2, 0x6e, 0xfc, 0xca, 0xe6,
    0x30, 0x73, 0x4d, 0xff, 0x63, 0x34, 0x02, 0x85, 0xad, 0xec, 0x2a, 0xed, 0x3b, 0x51, 0x07, 0x3a, 0xd3,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Compressions of the tree over `bytes`, its root once, by the definition (section 2.1): the left subtree is the
    /// largest complete one that leaves something to the right.
    fn tree(bytes: usize) -> usize {
        if bytes <= CHUNK {
            return bytes.div_ceil(BLOCK).max(1);
        }
        let left = CHUNK << ((bytes - 1) / CHUNK).ilog2();
        tree(left) + tree(bytes - left) + 1
    }

    #[test]
    fn compressions_are_those_of_the_tree() {
        for bytes in 0..20 * CHUNK {
            assert_eq!(Hasher::permutations(bytes, 1), tree(bytes) as u64, "{bytes}");
            assert_eq!(Hasher::permutations(bytes, 2 * BLOCK + 1), tree(bytes) as u64 + 2, "{bytes}");
        }
    }
}
