use super::draws::{Given, Noted};
use super::error::KatError;
use super::exchange::Exchange;
use super::format::{Format, Value};
use super::manifest::Manifest;
use super::nist::{self, AesCtrDrbg};
use crate::guest;
use crate::runner::SuiteSpec;
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Drng, Kem, Sampling};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// One record of known answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The values, in the order of [`Value::ALL`].
    values: [Vec<u8>; Value::ALL.len()],
    /// What the scheme drew, in order.
    draws: Vec<u8>,
}

impl Record {
    /// The bytes of one value of [`Value::ALL`]; of one that is drawn, where NIST's order of draws says which it is.
    ///
    /// # Panics
    /// For what is neither: a rejected ciphertext or its secret.
    #[must_use]
    pub fn value(&self, value: Value) -> &[u8] {
        match value.draw() {
            Some(draw) => &self.draws[draw],
            None => &self.values[value as usize],
        }
    }
}

/// Where a record's random bytes come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Randomness {
    /// A generator instantiated with this: the suite's own, or NIST's, as the format has it.
    Seed(Vec<u8>),
    /// These bytes in order.
    Draws(Vec<u8>),
}

/// A record of known answers to be made elsewhere: where its random bytes come from, and what must come of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exam {
    /// Where the scheme draws from: a seed for the suite's own generator, the draws themselves for any other.
    pub randomness: Randomness,
    /// SHA-256 of the encapsulation key, the decapsulation key, the ciphertext, the shared secret, and of all four in this order.
    pub digests: [[u8; 32]; 5],
}

/// What the digests of an [`Exam`] are of.
pub const EXAMINED: [&str; 5] =
    ["encapsulation key", "decapsulation key", "ciphertext", "shared secret", "whole record"];

/// Why an instance has no known answers to give.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GenerateError {
    /// No such KEM in this build.
    #[error("unknown instance {_0:?}; known: {}", kem::INSTANCES.join(", "))]
    UnknownInstance(String),
    /// The scheme refused its own output.
    #[error("record {count}: {source}")]
    Scheme {
        /// The record.
        count: usize,
        /// What was refused.
        source: kem::Error,
    },
    /// Decapsulation did not give the secret that encapsulation gave.
    #[error("record {count}: decapsulation does not give the shared secret of the encapsulation")]
    Disagreement {
        /// The record.
        count: usize,
    },
    /// There are more or fewer random bytes than the scheme draws, or a seed is not as long as its generator takes it.
    #[error("record {count}: {what} of {got} bytes, expected {expected}")]
    Randomness {
        /// The record.
        count: usize,
        /// What they are.
        what: &'static str,
        /// Bytes given.
        got: usize,
        /// Bytes that it takes.
        expected: usize,
    },
}

/// Fails unless there is an instance of this name.
pub(super) fn require_instance(instance: &str) -> Result<(), GenerateError> {
    let known = kem::INSTANCES.contains(&instance);
    if known { Ok(()) } else { Err(GenerateError::UnknownInstance(instance.to_owned())) }
}

/// The first `records` records of known answers of an instance over any suite: from the DRNG of the suite or from
/// NIST's, as the format has it.
///
/// # Errors
/// See [`GenerateError`].
pub fn generate(
    instance: &str,
    format: Format,
    spec: &SuiteSpec,
    sampling: Sampling,
    records: usize,
) -> Result<Vec<Record>, GenerateError> {
    let seeds = seeds(format, spec, records).into_iter().map(Randomness::Seed).collect::<Vec<_>>();
    from(instance, format, spec, sampling, &seeds)
}

/// A record from each of these.
///
/// # Errors
/// See [`GenerateError`].
pub(super) fn from(
    instance: &str,
    format: Format,
    spec: &SuiteSpec,
    sampling: Sampling,
    randomness: &[Randomness],
) -> Result<Vec<Record>, GenerateError> {
    let visitor = Generate { format, spec, sampling, randomness };
    guest::visit(instance, visitor).unwrap_or_else(|| Err(GenerateError::UnknownInstance(instance.to_owned())))
}

/// The first seeds of the published sequence of a format.
pub(super) fn seeds(format: Format, spec: &SuiteSpec, records: usize) -> Vec<Vec<u8>> {
    let mut nist = AesCtrDrbg::instantiate(&nist::ENTROPY);
    let mut own = spec.drng.drng(&format.entropy());
    let next = |_| {
        let mut seed = vec![0; format.seed_bytes()];
        match format {
            Format::Ngcc => own.generate(&mut seed),
            Format::NistKat => nist.generate(&mut seed),
        }
        seed
    };
    (0..records).map(next).collect()
}

/// The first `records` records of known answers of an instance over a suite, as this machine makes them.
///
/// # Errors
/// When there is no such instance, or it does not run.
pub fn exams(instance: &str, spec: &SuiteSpec, sampling: Sampling, records: usize) -> Result<Vec<Exam>, KatError> {
    require_instance(instance)?;
    let format = Manifest::of(instance)?.format;
    let exam = |record: Record| {
        let Record { values: [seed, values @ ..], draws } = record;
        let randomness = match format {
            Format::Ngcc => Randomness::Seed(seed),
            Format::NistKat => Randomness::Draws(draws),
        };
        let [public_key, secret_key, ciphertext, shared_secret] = values.each_ref().map(Vec::as_slice);
        let all = values.concat();
        let digests =
            [public_key, secret_key, ciphertext, shared_secret, &all].map(|value| Sha256::digest(value).into());
        Exam { randomness, digests }
    };
    Ok(generate(instance, format, spec, sampling, records)?.into_iter().map(exam).collect())
}

/// [`from`] for an instance whose type is known.
pub(super) struct Generate<'a> {
    pub(super) format: Format,
    pub(super) spec: &'a SuiteSpec,
    pub(super) sampling: Sampling,
    pub(super) randomness: &'a [Randomness],
}

impl Visitor for Generate<'_> {
    type Output = Result<Vec<Record>, GenerateError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let record = |(count, randomness): (usize, &Randomness)| match (randomness, self.format) {
            (Randomness::Seed(seed), Format::Ngcc) => self.record::<K, _>(count, seed, self.spec.drng.drng(seed)),
            (Randomness::Seed(seed), Format::NistKat) => {
                let (what, got, expected) = ("a seed", seed.len(), nist::SEED);
                let entropy = seed.as_slice().try_into();
                let entropy = entropy.map_err(|_| GenerateError::Randomness { count, what, got, expected })?;
                self.record::<K, _>(count, seed, AesCtrDrbg::instantiate(entropy))
            }
            (Randomness::Draws(draws), _) => {
                let record = self.record::<K, _>(count, &[], Given::new(draws))?;
                let (what, got, expected) = ("randomness", draws.len(), record.draws.len());
                let enough = got == expected;
                if enough { Ok(record) } else { Err(GenerateError::Randomness { count, what, got, expected }) }
            }
        };
        self.randomness.iter().enumerate().map(record).collect()
    }
}

impl Generate<'_> {
    fn record<K: Kem, D: Drng>(&self, count: usize, seed: &[u8], drng: D) -> Result<Record, GenerateError> {
        // A scheme that brings a generator of its own draws from that.
        K::seed(seed);
        let (drng, draws) = Noted::new(drng);
        let mut suite = self.spec.build_with(drng);
        let refused = |source| GenerateError::Scheme { count, source };
        let exchange = Exchange::run::<K>(&mut suite, self.sampling).map_err(refused)?;
        let again = exchange.decapsulate::<K>(&mut suite, self.sampling, &exchange.ciphertext).map_err(refused)?;
        if again != exchange.shared_secret {
            return Err(GenerateError::Disagreement { count });
        }
        let Exchange { public_key, secret_key, ciphertext, shared_secret } = exchange;
        drop(suite);
        Ok(Record { values: [seed.to_vec(), public_key, secret_key, ciphertext, shared_secret], draws: draws.take() })
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn draws_give_what_their_seed_gives_and_no_more_or_fewer_of_them_do() {
        let spec = SuiteSpec::of(Any::Shake);
        let from =
            |randomness: Vec<Randomness>| from("ml-kem-512", Format::NistKat, &spec, Sampling::Lazy, &randomness);
        let seeded = from(vec![Randomness::Seed((0..48).collect())]).expect("runs").remove(0);
        let drawn = from(vec![Randomness::Draws(seeded.draws.clone())]).expect("runs").remove(0);
        assert_eq!((&drawn.values[1..], &drawn.draws), (&seeded.values[1..], &seeded.draws));
        for draws in [&seeded.draws[1..], &[&seeded.draws[..], &[0]].concat()] {
            let error = from(vec![Randomness::Draws(draws.to_vec())]).expect_err("is not as many").to_string();
            assert!(error.ends_with("bytes, expected 96"), "{error}");
        }
        let error = from(vec![Randomness::Seed(vec![0; 47])]).expect_err("is short").to_string();
        assert_eq!(error, "record 0: a seed of 47 bytes, expected 48");
    }
}
