use super::{Backend, Drng, Reader, SelfTestError, expect};
use crate::symmetric::{Form, Function, Role};
use core::fmt;
use digest::{Digest, ExtendableOutput, Update, XofReader};
use sha3::{Sha3_256, Sha3_512};
use shake::{Shake128, Shake128Reader, Shake256, Shake256Reader};
use zeroize::ZeroizeOnDrop;

/// SHA-3 and SHAKE (FIPS 202), as FIPS 203 uses them: SHAKE128 for the matrix, SHAKE256 for other extendable output,
/// SHA3-256 and SHA3-512 for 32 and 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shake;

const NAME: &str = "shake";
const PERMUTATION: &str = "keccak-f[1600]";

/// Rate in bytes of a sponge of this security strength in bits (FIPS 202, section 6: the capacity is twice that).
const fn rate(strength: usize) -> usize {
    (1600 - 2 * strength) / 8
}

const _: () = assert!(rate(128) == 168 && rate(256) == 136 && rate(512) == 72);

const fn keccak(name: &'static str, strength: usize) -> Function {
    Function { name, permutation: PERMUTATION, absorb_rate: rate(strength), squeeze_rate: rate(strength) }
}

/// Permutations of a sponge: padding adds at least one byte, and the last one absorbed yields the first output.
const fn sponge_permutations(rate: usize, in_bytes: usize, out_bytes: usize) -> u64 {
    (in_bytes / rate + out_bytes.div_ceil(rate)) as u64
}

/// A SHAKE stream.
#[derive(Clone)]
pub enum ShakeStream {
    /// Of SHAKE128.
    Shake128(Shake128Reader),
    /// Of SHAKE256.
    Shake256(Shake256Reader),
}

impl fmt::Debug for ShakeStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShakeStream").finish_non_exhaustive()
    }
}

impl Reader for ShakeStream {
    fn read(&mut self, out: &mut [u8]) {
        match self {
            Self::Shake128(reader) => reader.read(out),
            Self::Shake256(reader) => reader.read(out),
        }
    }
}

fn absorb<H: Default + Update>(input: &[&[u8]]) -> H {
    let mut hasher = H::default();
    for part in input {
        hasher.update(part);
    }
    hasher
}

impl Backend for Shake {
    type Reader = ShakeStream;
    type Drng = Shake256Drng;

    fn name(&self) -> &'static str {
        NAME
    }

    fn function(&self, form: Form, role: Role) -> Function {
        match (form, role) {
            (Form::Fixed(32), _) => keccak("sha3_256", 256),
            (Form::Fixed(_), _) => keccak("sha3_512", 512),
            (_, Role::Matrix) => keccak("shake128", 128),
            _ => keccak("shake256", 256),
        }
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(self.function(form, role).absorb_rate, in_bytes, out_bytes)
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        let mut out = [0; 64];
        self.hash(Role::H, &[b"a", b"bc"], &mut out[..32]);
        expect(NAME, "sha3_256(\"abc\")", &out[..32], &SHA3_256_ABC)?;
        self.hash(Role::G, &[b"abc"], &mut out);
        expect(NAME, "sha3_512(\"abc\")", &out, &SHA3_512_ABC)?;
        self.xof(Role::Matrix, &[b"a", b"bc"], &mut out[..32]);
        expect(NAME, "shake128(\"abc\")", &out[..32], &SHAKE128_ABC)?;
        self.xof(Role::Noise, &[b"abc"], &mut out);
        expect(NAME, "shake256(\"abc\")", &out, &SHAKE256_ABC)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        Shake256Drng::instantiate(seed)
    }

    fn hash(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        match out.len() {
            32 => out.copy_from_slice(&absorb::<Sha3_256>(input).finalize()),
            64 => out.copy_from_slice(&absorb::<Sha3_512>(input).finalize()),
            bytes => panic!("SHA-3 is used with 32 and 64 bytes of output, not {bytes}"),
        }
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        match role {
            Role::Matrix => ShakeStream::Shake128(absorb::<Shake128>(input).finalize_xof()),
            _ => ShakeStream::Shake256(absorb::<Shake256>(input).finalize_xof()),
        }
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.reader(role, input).read(out);
    }
}

/// A generator over SHAKE256: each request squeezes its output and the next state from the state before.
#[derive(Clone, ZeroizeOnDrop)]
pub struct Shake256Drng {
    state: [u8; Self::STATE],
}

impl Shake256Drng {
    /// Bytes of state: twice the security strength of 256 bits.
    const STATE: usize = 2 * 256 / 8;

    fn instantiate(seed: &[u8]) -> Self {
        let mut state = [0; Self::STATE];
        absorb::<Shake256>(&[b"instantiate", seed]).finalize_xof_into(&mut state);
        Self { state }
    }
}

impl fmt::Debug for Shake256Drng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shake256Drng").finish_non_exhaustive()
    }
}

impl Drng for Shake256Drng {
    fn name(&self) -> &'static str {
        "shake256-drng"
    }

    fn function(&self) -> Function {
        keccak("drng", 256)
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        sponge_permutations(rate(256), Self::STATE, Self::STATE + out_bytes)
    }

    fn generate(&mut self, out: &mut [u8]) {
        let mut reader = absorb::<Shake256>(&[&self.state]).finalize_xof();
        reader.read(&mut self.state);
        reader.read(out);
    }
}

/// FIPS 202 example: SHA3-256 of "abc".
const SHA3_256_ABC: [u8; 32] = [
    0x3a, 0x98, 0x5d, 0xa7, 0x4f, 0xe2, 0x25, 0xb2, 0x04, 0x5c, 0x17, 0x2d, 0x6b, 0xd3, 0x90, 0xbd, 0x85, 0x5f, 0x08,
    0x6e, 0x3e, 0x9d, 0x52, 0x5b, 0x46, 0xbf, 0xe2, 0x45, 0x11, 0x43, 0x15, 0x32,
];
/// FIPS 202 example: SHA3-512 of "abc".
const SHA3_512_ABC: [u8; 64] = [
    0xb7, 0x51, 0x85, 0x0b, 0x1a, 0x57, 0x16, 0x8a, 0x56, 0x93, 0xcd, 0x92, 0x4b, 0x6b, 0x09, 0x6e, 0x08, 0xf6, 0x21,
    0x82, 0x74, 0x44, 0xf7, 0x0d, 0x88, 0x4f, 0x5d, 0x02, 0x40, 0xd2, 0x71, 0x2e, 0x10, 0xe1, 0x16, 0xe9, 0x19, 0x2a,
    0xf3, 0xc9, 0x1a, 0x7e, 0xc5, 0x76, 0x47, 0xe3, 0x93, 0x40, 0x57, 0x34, 0x0b, 0x4c, 0xf4, 0x08, 0xd5, 0xa5, 0x65,
    0x92, 0xf8, 0x27, 0x4e, 0xec, 0x53, 0xf0,
];
/// FIPS 202 example: the first 32 bytes of SHAKE128 of "abc".
const SHAKE128_ABC: [u8; 32] = [
    0x58, 0x81, 0x09, 0x2d, 0xd8, 0x18, 0xbf, 0x5c, 0xf8, 0xa3, 0xdd, 0xb7, 0x93, 0xfb, 0xcb, 0xa7, 0x40, 0x97, 0xd5,
    0xc5, 0x26, 0xa6, 0xd3, 0x5f, 0x97, 0xb8, 0x33, 0x51, 0x94, 0x0f, 0x2c, 0xc8,
];
/// FIPS 202 example: the first 64 bytes of SHAKE256 of "abc".
const SHAKE256_ABC: [u8; 64] = [
    0x48, 0x33, 0x66, 0x60, 0x13, 0x60, 0xa8, 0x77, 0x1c, 0x68, 0x63, 0x08, 0x0c, 0xc4, 0x11, 0x4d, 0x8d, 0xb4, 0x45,
    0x30, 0xf8, 0xf1, 0xe1, 0xee, 0x4f, 0x94, 0xea, 0x37, 0xe7, 0x8b, 0x57, 0x39, 0xd5, 0xa1, 0x5b, 0xef, 0x18, 0x6a,
    0x53, 0x86, 0xc7, 0x57, 0x44, 0xc0, 0x52, 0x7e, 0x1f, 0xaa, 0x9f, 0x87, 0x26, 0xe4, 0x62, 0xa1, 0x2a, 0x4f, 0xeb,
    0x06, 0xbd, 0x88, 0x01, 0xe7, 0x51, 0xe4,
];
