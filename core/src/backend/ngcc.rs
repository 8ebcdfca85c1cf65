//! The placeholder functions of the NGCC programme, over any SM3.
//!
//! Candidates of China's NGCC programme were submitted with these in place of hash functions that are still to be
//! chosen: everything is SM3 (GB/T 32905-2016) in counter mode or in chains of HMAC-SM3.

use super::{SelfTestError, expect};
use crate::symmetric::{Form, Function};
use zeroize::Zeroizing;

/// Bytes of an SM3 digest.
pub(super) const DIGEST: usize = 32;
/// Bytes of an SM3 block.
pub(super) const BLOCK: usize = 64;
/// Bytes of padding at the least: one bit, and the length in 64 bits.
pub(super) const PADDING: usize = 9;
/// Bytes of pseudoXOF's counter.
pub(super) const COUNTER: usize = 4;

/// What [`Function::permutation`] says of all of these.
const PERMUTATION: &str = "sm3-compression";

/// The 64 bytes that key the HMACs of pseudohash: SM3("3.14159265358979") ‖ SM3("2.71828182845904").
pub(super) const HMAC_KEY: [u8; BLOCK] = [
    0x53, 0x07, 0xf6, 0xd5, 0xeb, 0x6a, 0x3c, 0xed, 0x3d, 0x24, 0xc5, 0x3c, 0xc9, 0xc8, 0x2c, 0xce, 0x2f, 0x89, 0x36,
    0x39, 0x70, 0x23, 0xf0, 0x69, 0x5c, 0x26, 0xc8, 0x0c, 0x1a, 0xb1, 0x82, 0xa7, 0x1d, 0xb0, 0x2b, 0xa9, 0x2f, 0x54,
    0x40, 0x18, 0x11, 0x5a, 0x96, 0xe7, 0x19, 0x66, 0x2c, 0xa3, 0x2b, 0x7c, 0x7e, 0xfc, 0x0a, 0x6d, 0x24, 0x82, 0x15,
    0x07, 0x66, 0xba, 0x6f, 0x65, 0x5b, 0x8e,
];

/// An implementation of SM3 and of HMAC-SM3 under [`HMAC_KEY`].
pub trait Sm3 {
    /// The digest of the concatenated parts.
    fn digest(input: &[&[u8]]) -> [u8; DIGEST];

    /// HMAC-SM3 under [`HMAC_KEY`].
    fn hmac(input: &[&[u8]]) -> [u8; DIGEST];
}

/// Compressions of SM3 over a message of this many bytes.
pub(super) const fn digest_compressions(bytes: usize) -> u64 {
    (bytes + PADDING).div_ceil(BLOCK) as u64
}

/// `pseudohash(8 · out.len())` for 64 bytes, `sm3hash(256)` for 32.
///
/// # Panics
/// For any other length: no scheme asks for one.
pub(super) fn pseudohash<S: Sm3>(input: &[&[u8]], out: &mut [u8]) {
    /// The most parts that a scheme's hash input has.
    const PARTS: usize = 6;
    if out.len() == DIGEST {
        return out.copy_from_slice(&S::digest(input));
    }
    assert_eq!(out.len(), 2 * DIGEST, "pseudohash has no output of so many bytes");
    let tag = [2, 0];
    let count = input.len();
    let mut parts: [&[u8]; PARTS + 1] = [&[]; PARTS + 1];
    parts[0] = &tag;
    parts[1..=count].copy_from_slice(input);
    // What role G hashes is secret, and so is all that comes of it on the way.
    let k1 = Zeroizing::new(S::hmac(&parts[..=count]));
    parts[..count].copy_from_slice(input);
    parts[count] = &tag;
    let h1 = Zeroizing::new(S::digest(&parts[..=count]));
    out[..DIGEST].copy_from_slice(&h1[..]);
    out[DIGEST..].copy_from_slice(&S::digest(&[&k1[..], &h1[..]]));
}

/// Compressions of [`pseudohash`], with `hmac` giving those of one HMAC over a message of so many bytes.
pub(super) fn pseudohash_compressions(in_bytes: usize, out_bytes: usize, hmac: impl Fn(usize) -> u64) -> u64 {
    const TAG: usize = 2;
    if out_bytes == DIGEST {
        return digest_compressions(in_bytes);
    }
    digest_compressions(in_bytes + TAG) + hmac(in_bytes + TAG) + digest_compressions(2 * DIGEST)
}

/// The function of the family that serves `form`.
pub(super) fn function(form: Form) -> Function {
    let name = match form {
        Form::Fixed(32) => "sm3hash",
        Form::Fixed(_) => "pseudohash",
        Form::Extendable => "pseudoXOF",
        Form::Generator => "drng",
    };
    Function { name, permutation: PERMUTATION, absorb_rate: BLOCK, squeeze_rate: DIGEST }
}

/// Known answers: SM3 from GB/T 32905-2016, annex A; the others computed from the definitions by an independent
/// implementation. `xof` fills its second argument with pseudoXOF of the first.
pub(super) fn self_test<S: Sm3>(backend: &'static str, xof: impl Fn(&[u8], &mut [u8])) -> Result<(), SelfTestError> {
    let mut out = [0; 2 * DIGEST];
    expect(backend, "sm3hash(\"abc\")", &S::digest(&[b"a", b"bc"]), &ABC)?;
    expect(backend, "the first half of pseudohash's key", &S::digest(&[b"3.14159265358979"]), &HMAC_KEY[..DIGEST])?;
    expect(backend, "the second half of pseudohash's key", &S::digest(&[b"2.71828182845904"]), &HMAC_KEY[DIGEST..])?;
    pseudohash::<S>(&[b"ab", b"c"], &mut out);
    expect(backend, "pseudohash(512)", &S::digest(&[&out]), &PSEUDOHASH_512)?;
    let mut stream = [0; 1000];
    for (message, want) in [(35, &XOF_35), (67, &XOF_67)] {
        let bytes: [u8; 67] = core::array::from_fn(|i| i as u8);
        xof(&bytes[..message], &mut stream);
        expect(backend, "pseudoXOF", &S::digest(&[&stream]), want)?;
    }
    Ok(())
}

/// SM3 of "abc".
const ABC: [u8; DIGEST] = [
    0x66, 0xc7, 0xf0, 0xf4, 0x62, 0xee, 0xed, 0xd9, 0xd1, 0xf2, 0xd4, 0x6b, 0xdc, 0x10, 0xe4, 0xe2, 0x41, 0x67, 0xc4,
    0x87, 0x5c, 0xf2, 0xf7, 0xa2, 0x29, 0x7d, 0xa0, 0x2b, 0x8f, 0x4b, 0xa8, 0xe0,
];
/// SM3 of pseudohash(512) of "abc".
const PSEUDOHASH_512: [u8; DIGEST] = [
    0x50, 0x9e, 0x15, 0x0d, 0x48, 0x85, 0x48, 0xef, 0x8f, 0x8b, 0x76, 0x45, 0xef, 0x6b, 0x1a, 0x61, 0x48, 0x73, 0xd1,
    0x74, 0x06, 0x42, 0x90, 0xbf, 0x06, 0x70, 0xc4, 0xa8, 0x35, 0x4a, 0xb1, 0xc8,
];
/// SM3 of 1000 bytes of pseudoXOF of the bytes 0, 1, ..., 34.
const XOF_35: [u8; DIGEST] = [
    0x0d, 0x74, 0x72, 0xfd, 0x20, 0x8e, 0x76, 0xfa, 0x82, 0x43, 0xf3, 0xab, 0x8b, 0xc5, 0x70, 0x49, 0xdb, 0xc0, 0x85,
    0x20, 0x2a, 0xce, 0xe0, 0xa0, 0x46, 0xcc, 0x34, 0xeb, 0x44, 0x70, 0xfd, 0x97,
];
/// SM3 of 1000 bytes of pseudoXOF of the bytes 0, 1, ..., 66.
const XOF_67: [u8; DIGEST] = [
    0xd1, 0x47, 0xcb, 0x2c, 0x26, 0x9c, 0xeb, 0xc9, 0x25, 0x13, 0x52, 0xb9, 0x34, 0x5c, 0xd6, 0x9a, 0x14, 0xcf, 0x32,
    0x0a, 0x04, 0xa9, 0xd6, 0xdc, 0x69, 0x3a, 0x7a, 0x8d, 0x93, 0xc5, 0xfb, 0x3a,
];
