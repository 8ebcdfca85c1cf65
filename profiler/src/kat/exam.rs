use super::error::KatError;
use super::exchange::Exchange;
use super::format::Format;
use super::manifest::Manifest;
use super::nist::AesCtrDrbg;
use super::record::{GenerateError, require_instance};
use crate::runner::SuiteSpec;
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::symmetric::Function;
use kemprof_core::{Drng, Kem, Sampling};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::rc::Rc;

/// A record of known answers to be made elsewhere: where its random bytes come from, and what must come of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exam {
    /// Where the scheme draws from.
    pub randomness: Randomness,
    /// SHA-256 of the encapsulation key, the decapsulation key, the ciphertext, the shared secret, and of all four in this order.
    pub digests: [[u8; 32]; 5],
}

/// Where a record's random bytes come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Randomness {
    /// The suite's own generator, instantiated with this.
    Seed(Vec<u8>),
    /// These bytes in order, from a generator that is not the suite's.
    Draws(Vec<u8>),
}

/// What the digests of an [`Exam`] are of.
pub const EXAMINED: [&str; 5] =
    ["encapsulation key", "decapsulation key", "ciphertext", "shared secret", "whole record"];

/// The first `records` records of known answers of an instance over a suite, as this machine makes them.
///
/// # Errors
/// When there is no such instance, or it does not run.
pub fn exams(instance: &str, spec: &SuiteSpec, sampling: Sampling, records: usize) -> Result<Vec<Exam>, KatError> {
    require_instance(instance)?;
    let format = Manifest::of(instance)?.format;
    let visitor = Examine { format, spec, sampling, records };
    let exams = kem::visit(instance, visitor).ok_or_else(|| GenerateError::UnknownInstance(instance.to_owned()))?;
    Ok(exams?)
}

struct Examine<'a> {
    format: Format,
    spec: &'a SuiteSpec,
    sampling: Sampling,
    records: usize,
}

impl Visitor for Examine<'_> {
    type Output = Result<Vec<Exam>, GenerateError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let nist = |seed: &[u8]| {
            AesCtrDrbg::instantiate(seed.try_into().expect("entropy and seeds of the format have 48 bytes"))
        };
        match self.format {
            Format::Ngcc => self.exams::<K, _>(|seed| self.spec.drng.drng(seed), |seed, _| Randomness::Seed(seed)),
            Format::NistKat => self.exams::<K, _>(nist, |_, draws| Randomness::Draws(draws)),
        }
    }
}

impl Examine<'_> {
    fn exams<K: Kem, D: Drng>(
        &self,
        instantiate: impl Fn(&[u8]) -> D,
        randomness: impl Fn(Vec<u8>, Vec<u8>) -> Randomness,
    ) -> Result<Vec<Exam>, GenerateError> {
        let mut seeds = instantiate(&self.format.entropy());
        let exam = |count| {
            let mut seed = vec![0; self.format.seed_bytes()];
            seeds.generate(&mut seed);
            let draws = Rc::default();
            let mut suite = self.spec.build_with(Noted { drng: instantiate(&seed), draws: Rc::clone(&draws) });
            let refused = |source| GenerateError::Scheme { count, source };
            let exchange = Exchange::run::<K>(&mut suite, self.sampling).map_err(refused)?;
            drop(suite);
            Ok(Exam { randomness: randomness(seed, draws.take()), digests: digests(&exchange) })
        };
        (0..self.records).map(exam).collect()
    }
}

fn digests(exchange: &Exchange) -> [[u8; 32]; 5] {
    let Exchange { public_key, secret_key, ciphertext, shared_secret } = exchange;
    let all = [public_key, secret_key, ciphertext, shared_secret].map(Vec::as_slice).concat();
    [public_key, secret_key, ciphertext, shared_secret, &all].map(|value| Sha256::digest(value).into())
}

/// A generator that notes what it gives.
struct Noted<D> {
    drng: D,
    draws: Rc<RefCell<Vec<u8>>>,
}

impl<D: Drng> Drng for Noted<D> {
    fn name(&self) -> &'static str {
        self.drng.name()
    }

    fn function(&self) -> Function {
        self.drng.function()
    }

    fn permutations(&self, out_bytes: usize) -> u64 {
        self.drng.permutations(out_bytes)
    }

    fn generate(&mut self, out: &mut [u8]) {
        self.drng.generate(out);
        self.draws.borrow_mut().extend_from_slice(out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Value;
    use super::super::record::generate;
    use super::*;
    use kemprof_core::Any;

    #[test]
    fn exams_are_of_the_records_that_are_published() {
        for (instance, backend) in [("lwekem128", Any::Placeholder), ("kyber512", Any::Shake)] {
            let spec = SuiteSpec::of(backend);
            let Manifest { format, .. } = Manifest::of(instance).expect("is a manifest");
            let records = generate(instance, format, &spec, Sampling::Lazy, 2).expect("runs");
            let exams = exams(instance, &spec, Sampling::Lazy, 2).expect("runs");
            assert_eq!(exams.len(), 2);
            for (exam, record) in exams.iter().zip(&records) {
                let values = [Value::PublicKey, Value::SecretKey, Value::Ciphertext, Value::SharedSecret];
                let values = values.map(|value| record.value(value));
                let all = values.concat();
                let digest = |value: &[u8]| <[u8; 32]>::from(Sha256::digest(value));
                assert_eq!(exam.digests[..4], values.map(digest));
                assert_eq!(exam.digests[4], digest(&all));
                match (&exam.randomness, format) {
                    (Randomness::Seed(seed), Format::Ngcc) => assert_eq!(seed, record.value(Value::Seed)),
                    // Key generation draws two values of 32 bytes, encapsulation one.
                    (Randomness::Draws(draws), Format::NistKat) => assert_eq!(draws.len(), 3 * 32),
                    (randomness, format) => panic!("{randomness:?} for {format}"),
                }
            }
        }
        assert!(exams("frodo", &SuiteSpec::default(), Sampling::Lazy, 1).is_err());
    }
}
