//! SHA3-256 and SHA3-512 of a message that is there whole: the `sha3` crate's, or the sponge for microcontrollers of 32 bits.

/// SHA-3 of the concatenated parts of `input`, as long as `out`.
///
/// # Panics
/// When `out` has not 32 or 64 bytes.
#[cfg(not(armv7em))]
pub(in crate::backend) fn sha3(input: &[&[u8]], out: &mut [u8]) {
    fn digest<D: digest::Digest>(input: &[&[u8]], out: &mut [u8]) {
        let mut hasher = D::new();
        for part in input {
            hasher.update(part);
        }
        hasher.finalize_into(out.try_into().expect("the caller chose by length"));
    }
    match out.len() {
        32 => digest::<sha3::Sha3_256>(input, out),
        64 => digest::<sha3::Sha3_512>(input, out),
        bytes => wrong_length(bytes),
    }
}

/// SHA-3 of the concatenated parts of `input`, as long as `out`.
///
/// # Panics
/// When `out` has not 32 or 64 bytes.
#[cfg(armv7em)]
pub(in crate::backend) fn sha3(input: &[&[u8]], out: &mut [u8]) {
    use super::{F1600, SHA3_SUFFIX, Sponge, rate};
    use crate::backend::Reader;
    match out.len() {
        32 => Sponge::<{ rate(256) }, F1600>::absorb_with(SHA3_SUFFIX, &[], input).read(out),
        64 => Sponge::<{ rate(512) }, F1600>::absorb_with(SHA3_SUFFIX, &[], input).read(out),
        bytes => wrong_length(bytes),
    }
}

#[cold]
fn wrong_length(bytes: usize) -> ! {
    panic!("SHA-3 is used with 32 and 64 bytes of output, not {bytes}")
}
