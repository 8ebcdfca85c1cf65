use super::keccak::{self, F1600, RATE_128, RATE_256, ShakeStream, Sponge, sponge_permutations};
use super::xof::{GeneratorXof, XofDrng};
use super::{Backend, Reader, SelfTestError, expect};
use crate::symmetric::{Batch, Form, Function, Role};

/// SHA-3 and SHAKE (FIPS 202), as FIPS 203 uses them: SHAKE128 for the matrix, SHAKE256 for other extendable output,
/// SHA3-256 and SHA3-512 for 32 and 64 bytes. Batches run four at once where AVX2 is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shake;

const NAME: &str = "shake";

/// The output stream of SHAKE256.
type Shake256 = Sponge<RATE_256, F1600>;

/// FIPS 203 says what separates the functions: their rates and suffixes alone.
const NO_LABEL: &[u8] = &[];

const fn function(name: &'static str, rate: usize) -> Function {
    keccak::function::<F1600>(name, rate)
}

impl Backend for Shake {
    type Reader = ShakeStream;
    type Drng = XofDrng<Shake256>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "SHA-3 and SHAKE (FIPS 202), the standard functions of ML-KEM and Kyber"
    }

    fn function(&self, form: Form, role: Role) -> Function {
        match (form, role) {
            (Form::Fixed(32), _) => function("sha3_256", keccak::rate(256)),
            (Form::Fixed(_), _) => function("sha3_512", keccak::rate(512)),
            (_, Role::Matrix) => function("shake128", RATE_128),
            _ => function("shake256", RATE_256),
        }
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(self.function(form, role).absorb_rate, in_bytes, out_bytes)
    }

    fn code(&self) -> &'static str {
        keccak::code()
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
        expect(NAME, "shake256(\"abc\")", &out, &SHAKE256_ABC)?;
        self.reader(Role::Noise, &[b"a", b"bc"]).read(&mut out);
        expect(NAME, "a stream of shake256(\"abc\")", &out, &SHAKE256_ABC)?;
        let mut lanes = [0; 2 * 32];
        self.xof_batch(Role::Matrix, &Batch::new(b"ab", &[[b'c'], [b'c']]), &mut lanes);
        expect(NAME, "a batch of shake128(\"abc\"), first lane", &lanes[..32], &SHAKE128_ABC)?;
        expect(NAME, "a batch of shake128(\"abc\"), second lane", &lanes[32..], &SHAKE128_ABC)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        XofDrng::instantiate(seed)
    }

    fn hash(&self, _role: Role, input: &[&[u8]], out: &mut [u8]) {
        keccak::sha3(input, out);
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        ShakeStream::absorb(role, NO_LABEL, input)
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        ShakeStream::absorb(role, NO_LABEL, input).read(out);
    }

    #[inline]
    fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        ShakeStream::xof_batch(role, NO_LABEL, batch, out);
    }

    #[inline]
    fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], each: impl FnMut(Self::Reader)) {
        ShakeStream::open_batch(role, NO_LABEL, batch, first, each);
    }

    #[inline]
    fn lanes(&self, _role: Role) -> usize {
        keccak::lanes()
    }
}

impl GeneratorXof for Shake256 {
    type Reader = Self;

    const GENERATOR: &'static str = "shake256-drng";
    const FUNCTION: Function = function("drng", RATE_256);

    fn absorb(label: &[u8], input: &[&[u8]]) -> Self {
        Self::absorb(label, input)
    }

    fn permutations(in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(RATE_256, in_bytes, out_bytes)
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
