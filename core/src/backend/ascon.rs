use super::keccak::sponge_permutations;
use super::xof::{GeneratorXof, LABEL_BYTES, XofDrng, XofStream, absorb, label};
use super::{Backend, SelfTestError, expect};
use crate::symmetric::{Form, Function, Role};
use ascon_xof128::{AsconXof128, AsconXof128Reader};
use digest::ExtendableOutput;

/// Ascon-XOF128 (NIST SP 800-232, section 5.2) for every role, 128 bits of security. A label byte in front of every
/// message separates roles and forms: the customisation string of Ascon-CXOF128 would cost two permutations more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ascon;

const NAME: &str = "ascon";

/// Bytes of the rate (SP 800-232, table 12: 64 bits).
const RATE: usize = 64 / 8;

const fn function(name: &'static str) -> Function {
    Function { name, permutation: "ascon-p[12]", absorb_rate: RATE, squeeze_rate: RATE }
}

/// Output of `prefix` and the concatenated parts of `input`.
fn squeeze(prefix: &[u8], input: &[&[u8]], out: &mut [u8]) {
    absorb::<AsconXof128>(prefix, input).finalize_xof_into(out);
}

impl Backend for Ascon {
    type Reader = XofStream<AsconXof128Reader>;
    type Drng = XofDrng<AsconXof128>;

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "Ascon-XOF128 (NIST SP 800-232) for every role, made for small devices"
    }

    fn function(&self, _form: Form, _role: Role) -> Function {
        function("ascon_xof128")
    }

    fn permutations(&self, _form: Form, _role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        AsconXof128::permutations(LABEL_BYTES + in_bytes, out_bytes)
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        let message: [u8; 32] = core::array::from_fn(|i| i as u8);
        let mut out = [0; 64];
        squeeze(&[], &[], &mut out);
        expect(NAME, "ascon_xof128 of nothing", &out, &EMPTY)?;
        squeeze(&message[..1], &[&message[1..5], &message[5..9]], &mut out);
        expect(NAME, "ascon_xof128 of 9 bytes", &out, &BYTES_9)?;
        squeeze(&message[..1], &[&message[1..]], &mut out);
        expect(NAME, "ascon_xof128 of 32 bytes", &out, &BYTES_32)
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        XofDrng::instantiate(seed)
    }

    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(&label(Form::Fixed(out.len()), role), input, out);
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        XofStream(absorb::<AsconXof128>(&label(Form::Extendable, role), input).finalize_xof())
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        squeeze(&label(Form::Extendable, role), input, out);
    }
}

impl GeneratorXof for AsconXof128 {
    type Reader = XofStream<<Self as ExtendableOutput>::Reader>;

    const GENERATOR: &'static str = "ascon-xof128-drng";
    const FUNCTION: Function = function("drng");

    fn absorb(label: &[u8], input: &[&[u8]]) -> Self::Reader {
        XofStream(absorb::<Self>(label, input).finalize_xof())
    }

    /// The state after the initial value is a constant of the crate: no permutation is spent on it.
    fn permutations(in_bytes: usize, out_bytes: usize) -> u64 {
        sponge_permutations(RATE, in_bytes, out_bytes)
    }
}

/// Reference known answers of SP 800-232 (LWC_XOF_KAT_128_512): of the empty message.
const EMPTY: [u8; 64] = [
    0x47, 0x3d, 0x5e, 0x61, 0x64, 0xf5, 0x8b, 0x39, 0xdf, 0xd8, 0x4a, 0xac, 0xdb, 0x8a, 0xe4, 0x2e, 0xc2, 0xd9, 0x1f,
    0xed, 0x33, 0x38, 0x8e, 0xe0, 0xd9, 0x60, 0xd9, 0xb3, 0x99, 0x32, 0x95, 0xc6, 0xad, 0x77, 0x85, 0x5a, 0x5d, 0x3b,
    0x13, 0xfe, 0x6a, 0xd9, 0xe6, 0x09, 0x89, 0x88, 0x37, 0x3a, 0xf7, 0xd0, 0x95, 0x6d, 0x05, 0xa8, 0xf1, 0x66, 0x5d,
    0x2c, 0x67, 0xd1, 0xa3, 0xad, 0x10, 0xff,
];
/// Reference known answers of SP 800-232 (LWC_XOF_KAT_128_512): of the bytes 0, 1, ..., 8.
const BYTES_9: [u8; 64] = [
    0xdb, 0x30, 0x13, 0xbf, 0xbb, 0xd1, 0x32, 0xdc, 0x1d, 0x31, 0x52, 0xfd, 0x95, 0x5e, 0xd4, 0x8f, 0x7c, 0xbb, 0x67,
    0x5e, 0x9a, 0xd2, 0xa2, 0xfe, 0xcf, 0x92, 0xb7, 0x4c, 0x95, 0x75, 0x92, 0xe0, 0xc8, 0x99, 0x59, 0xe8, 0x1c, 0x16,
    0xfd, 0x07, 0xea, 0xd9, 0xee, 0xb8, 0xe4, 0x03, 0x59, 0xc4, 0x97, 0xaa, 0x20, 0x25, 0x8b, 0x43, 0xd8, 0x7e, 0xc6,
    0x9a, 0xd0, 0xbb, 0x09, 0x93, 0xfd, 0x38,
];
/// Reference known answers of SP 800-232 (LWC_XOF_KAT_128_512): of the bytes 0, 1, ..., 31.
const BYTES_32: [u8; 64] = [
    0x2e, 0x5f, 0x34, 0x03, 0xf4, 0x17, 0x14, 0x71, 0xcc, 0x79, 0x34, 0xb5, 0x19, 0x82, 0xce, 0xce, 0x8d, 0x66, 0x28,
    0x43, 0x5d, 0xb7, 0x0e, 0x89, 0x88, 0x0f, 0x3b, 0xe4, 0xe0, 0xb7, 0xb0, 0x52, 0x32, 0xdf, 0xe6, 0x3c, 0x44, 0xa8,
    0x36, 0xd7, 0x71, 0x33, 0x7c, 0x9c, 0x5a, 0x26, 0x88, 0xd1, 0xb7, 0x1e, 0xca, 0xbe, 0x0d, 0x5c, 0x20, 0x06, 0xfe,
    0xf3, 0x6e, 0xf3, 0x18, 0x61, 0x38, 0xad,
];
