use super::exchange::Exchange;
use super::format::{Format, Value};
use super::nist::AesCtrDrbg;
use crate::runner::SuiteSpec;
use kemprof_core::backend::Backend;
use kemprof_core::kem::{self, Visitor};
use kemprof_core::{Drng, Kem, Sampling};
use thiserror::Error;

/// One record of known answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The values, in the order of [`Value::ALL`].
    values: [Vec<u8>; Value::ALL.len()],
}

impl Record {
    /// The bytes of one value.
    #[must_use]
    pub fn value(&self, value: Value) -> &[u8] {
        &self.values[value as usize]
    }
}

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
    let visitor = Generate { format, spec, sampling, records };
    kem::visit(instance, visitor).unwrap_or_else(|| Err(GenerateError::UnknownInstance(instance.to_owned())))
}

/// [`generate`] of an instance whose type is known.
pub(super) struct Generate<'a> {
    pub(super) format: Format,
    pub(super) spec: &'a SuiteSpec,
    pub(super) sampling: Sampling,
    pub(super) records: usize,
}

impl Visitor for Generate<'_> {
    type Output = Result<Vec<Record>, GenerateError>;

    fn visit<K: Kem>(self) -> Self::Output {
        match self.format {
            Format::Ngcc => self.records::<K, _>(|seed| self.spec.drng.drng(seed)),
            Format::NistKat => self.records::<K, _>(|seed| {
                AesCtrDrbg::instantiate(seed.try_into().expect("entropy and seeds of the format have 48 bytes"))
            }),
        }
    }
}

impl Generate<'_> {
    /// Seeds come from one generator; each record's randomness from a generator of its own.
    fn records<K: Kem, D: Drng>(&self, instantiate: impl Fn(&[u8]) -> D) -> Result<Vec<Record>, GenerateError> {
        let mut seeds = instantiate(&self.format.entropy());
        let mut record = |count| {
            let mut seed = vec![0; self.format.seed_bytes()];
            seeds.generate(&mut seed);
            let drng = instantiate(&seed);
            self.record::<K, D>(count, seed, drng)
        };
        (0..self.records).map(&mut record).collect()
    }

    fn record<K: Kem, D: Drng>(&self, count: usize, seed: Vec<u8>, drng: D) -> Result<Record, GenerateError> {
        let mut suite = self.spec.build_with(drng);
        let refused = |source| GenerateError::Scheme { count, source };
        let exchange = Exchange::run::<K>(&mut suite, self.sampling).map_err(refused)?;
        let again = exchange.decapsulate::<K>(&mut suite, self.sampling, &exchange.ciphertext).map_err(refused)?;
        if again != exchange.shared_secret {
            return Err(GenerateError::Disagreement { count });
        }
        let Exchange { public_key, secret_key, ciphertext, shared_secret } = exchange;
        Ok(Record { values: [seed, public_key, secret_key, ciphertext, shared_secret] })
    }
}
