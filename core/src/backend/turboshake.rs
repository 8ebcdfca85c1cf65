use super::keccak::{self, P1600_12, RATE_128, RATE_256, Sponge, TurboShakeStream, sponge_permutations};
use super::xof::{GeneratorXof, LABEL_BYTES, XofDrng, label};
use super::{Backend, Reader, SelfTestError, expect};
use crate::symmetric::{Batch, Form, Function, Role};

/// TurboSHAKE (RFC 9861), SHAKE with half the rounds: TurboSHAKE128 for the matrix, TurboSHAKE256 for everything else,
/// hashes of 32 and 64 bytes too. Batches run four at once where AVX2 is.
///
/// A label byte in front of every message separates roles and forms, as in other backends over one function.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurboShake;

/// The output stream of TurboSHAKE256.
type TurboShake256 = Sponge<RATE_256, P1600_12>;

const NAME: &str = "turboshake";

const fn function(name: &'static str, rate: usize) -> Function {
    keccak::function::<P1600_12>(name, rate)
}

/// Output of `prefix` and the concatenated parts of `input` from the function that serves `role`.
fn squeeze(role: Role, prefix: &[u8], input: &[&[u8]], out: &mut [u8]) {
    TurboShakeStream::absorb(role, prefix, input).read(out);
}

impl Backend for TurboShake {
    type Reader = TurboShakeStream;
    type Drng = XofDrng<TurboShake256>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "TurboSHAKE128 and TurboSHAKE256 (RFC 9861), SHAKE with 12 rounds instead of 24"
    }

    fn function(&self, _form: Form, role: Role) -> Function {
        match role {
            Role::Matrix => function("turboshake128", RATE_128),
            _ => function("turboshake256", RATE_256),
        }
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(self.function(form, role).absorb_rate, LABEL_BYTES + in_bytes, out_bytes)
    }

    fn code(&self) -> &'static str {
        keccak::code()
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        // ptn(n) of RFC 9861, section 5: the bytes 0, 1, ..., 250, again and again.
        let pattern: [u8; 17 * 17] = core::array::from_fn(|i| (i % 251) as u8);
        let mut out = [0; 64];
        squeeze(Role::Matrix, &pattern[..1], &[&pattern[1..200], &pattern[200..]], &mut out[..32]);
        expect(NAME, "turboshake128(ptn(17^2))", &out[..32], &TURBOSHAKE128_PTN_289)?;
        squeeze(Role::Noise, &pattern[..1], &[&pattern[1..200], &pattern[200..]], &mut out);
        expect(NAME, "turboshake256(ptn(17^2))", &out, &TURBOSHAKE256_PTN_289)?;
        TurboShakeStream::absorb(Role::Noise, &pattern[..1], &[&pattern[1..17]]).read(&mut out);
        expect(NAME, "a stream of turboshake256(ptn(17))", &out, &TURBOSHAKE256_PTN_17)?;
        let mut lanes = [0; 2 * 32];
        TurboShakeStream::xof_batch(Role::Matrix, &[], &Batch::new(&pattern[..16], &[[16], [16]]), &mut lanes);
        expect(NAME, "a batch of turboshake128(ptn(17)), first lane", &lanes[..32], &TURBOSHAKE128_PTN_17)?;
        expect(NAME, "a batch of turboshake128(ptn(17)), second lane", &lanes[32..], &TURBOSHAKE128_PTN_17)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        XofDrng::instantiate(seed)
    }

    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(role, &label(Form::Fixed(out.len()), role), input, out);
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        TurboShakeStream::absorb(role, &label(Form::Extendable, role), input)
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(role, &label(Form::Extendable, role), input, out);
    }

    #[inline]
    fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        TurboShakeStream::xof_batch(role, &label(Form::Extendable, role), batch, out);
    }

    #[inline]
    fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], each: impl FnMut(Self::Reader)) {
        TurboShakeStream::open_batch(role, &label(Form::Extendable, role), batch, first, each);
    }

    #[inline]
    fn lanes(&self, _role: Role) -> usize {
        keccak::lanes()
    }
}

impl GeneratorXof for TurboShake256 {
    type Reader = Self;

    const GENERATOR: &'static str = "turboshake256-drng";
    const FUNCTION: Function = function("drng", RATE_256);

    fn absorb(label: &[u8], input: &[&[u8]]) -> Self {
        Self::absorb(label, input)
    }

    fn permutations(in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(RATE_256, in_bytes, out_bytes)
    }
}

/// RFC 9861, section 5: TurboSHAKE128(M=ptn(17), D=0x1F, 32).
const TURBOSHAKE128_PTN_17: [u8; 32] = [
    0x9c, 0x97, 0xd0, 0x36, 0xa3, 0xba, 0xc8, 0x19, 0xdb, 0x70, 0xed, 0xe0, 0xca, 0x55, 0x4e, 0xc6, 0xe4, 0xc2, 0xa1,
    0xa4, 0xff, 0xbf, 0xd9, 0xec, 0x26, 0x9c, 0xa6, 0xa1, 0x11, 0x16, 0x12, 0x33,
];
/// RFC 9861, section 5: TurboSHAKE128(M=ptn(17^2), D=0x1F, 32).
const TURBOSHAKE128_PTN_289: [u8; 32] = [
    0x96, 0xc7, 0x7c, 0x27, 0x9e, 0x01, 0x26, 0xf7, 0xfc, 0x07, 0xc9, 0xb0, 0x7f, 0x5c, 0xda, 0xe1, 0xe0, 0xbe, 0x60,
    0xbd, 0xbe, 0x10, 0x62, 0x00, 0x40, 0xe7, 0x5d, 0x72, 0x23, 0xa6, 0x24, 0xd2,
];
/// RFC 9861, section 5: TurboSHAKE256(M=ptn(17), D=0x1F, 64).
const TURBOSHAKE256_PTN_17: [u8; 64] = [
    0xb3, 0xba, 0xb0, 0x30, 0x0e, 0x6a, 0x19, 0x1f, 0xbe, 0x61, 0x37, 0x93, 0x98, 0x35, 0x92, 0x35, 0x78, 0x79, 0x4e,
    0xa5, 0x48, 0x43, 0xf5, 0x01, 0x10, 0x90, 0xfa, 0x2f, 0x37, 0x80, 0xa9, 0xe5, 0xcb, 0x22, 0xc5, 0x9d, 0x78, 0xb4,
    0x0a, 0x0f, 0xbf, 0xf9, 0xe6, 0x72, 0xc0, 0xfb, 0xe0, 0x97, 0x0b, 0xd2, 0xc8, 0x45, 0x09, 0x1c, 0x60, 0x44, 0xd6,
    0x87, 0x05, 0x4d, 0xa5, 0xd8, 0xe9, 0xc7,
];
/// RFC 9861, section 5: TurboSHAKE256(M=ptn(17^2), D=0x1F, 64).
const TURBOSHAKE256_PTN_289: [u8; 64] = [
    0x66, 0xb8, 0x10, 0xdb, 0x8e, 0x90, 0x78, 0x04, 0x24, 0xc0, 0x84, 0x73, 0x72, 0xfd, 0xc9, 0x57, 0x10, 0x88, 0x2f,
    0xde, 0x31, 0xc6, 0xdf, 0x75, 0xbe, 0xb9, 0xd4, 0xcd, 0x93, 0x05, 0xcf, 0xca, 0xe3, 0x5e, 0x7b, 0x83, 0xe8, 0xb7,
    0xe6, 0xeb, 0x4b, 0x78, 0x60, 0x58, 0x80, 0x11, 0x63, 0x16, 0xfe, 0x2c, 0x07, 0x8a, 0x09, 0xb9, 0x4a, 0xd7, 0xb8,
    0x21, 0x3c, 0x0a, 0x73, 0x8b, 0x65, 0xc0,
];
