//! A KEM that is small, fast and not secure, to test files of known answers with.

use super::format::Format;
use super::record::{Generate, Randomness, Record, seeds};
use crate::runner::SuiteSpec;
use kemprof_core::kem::{Error, Lengths, Visitor};
use kemprof_core::{Kem, Role, Sampling, Symmetric};

/// Bytes of every seed, message, tag and secret.
const BYTES: usize = 8;

/// The public key masks the message; a tag over both decides on implicit rejection.
pub(super) struct Tiny;

fn derive(sym: &mut impl Symmetric, role: Role, input: &[&[u8]]) -> [u8; BYTES] {
    let mut out = [0; BYTES];
    sym.xof(role, input, &mut out);
    out
}

impl Kem for Tiny {
    fn name() -> &'static str {
        "tiny"
    }

    fn lengths() -> Lengths {
        Lengths { public_key: BYTES, secret_key: 2 * BYTES, ciphertext: 2 * BYTES, shared_secret: BYTES }
    }

    fn keygen<S: Symmetric>(sym: &mut S, _: Sampling, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        sym.entropy(&mut sk[..BYTES]);
        pk.copy_from_slice(&derive(sym, Role::H, &[&sk[..BYTES]]));
        sk[BYTES..].copy_from_slice(pk);
        Ok(())
    }

    fn encapsulate<S: Symmetric>(
        sym: &mut S,
        _: Sampling,
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error> {
        let mut message = [0; BYTES];
        sym.entropy(&mut message);
        ss.copy_from_slice(&derive(sym, Role::G, &[&message, pk]));
        let (masked, tag) = ct.split_at_mut(BYTES);
        masked.iter_mut().zip(message).zip(pk).for_each(|((out, byte), mask)| *out = byte ^ mask);
        tag.copy_from_slice(&derive(sym, Role::Noise, &[pk, &message]));
        Ok(())
    }

    fn decapsulate<S: Symmetric>(sym: &mut S, _: Sampling, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error> {
        let pk = &sk[BYTES..];
        let message: [u8; BYTES] = std::array::from_fn(|i| ct[i] ^ pk[i]);
        let accepted = derive(sym, Role::Noise, &[pk, &message]) == ct[BYTES..];
        let rejected = derive(sym, Role::J, &[sk, ct]);
        ss.copy_from_slice(&if accepted { derive(sym, Role::G, &[&message, pk]) } else { rejected });
        Ok(())
    }
}

/// The first records of [`Tiny`] over the placeholder functions.
pub(super) fn records(format: Format, records: usize) -> Vec<Record> {
    let spec = &SuiteSpec::default();
    let randomness: Vec<_> = seeds(format, spec, records).into_iter().map(Randomness::Seed).collect();
    Generate { format, spec, sampling: Sampling::Eager, randomness: &randomness }.visit::<Tiny>().expect("tiny runs")
}
