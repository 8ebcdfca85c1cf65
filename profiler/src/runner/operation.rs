use super::job::Job;
use super::native::RunError;
use crate::evidence::Operation;
use kemprof_core::{Kem, Sampling, Symmetric};
use std::hint::black_box;
use std::marker::PhantomData;

/// Ciphertexts that decapsulations take turns with: enough that no branch predictor learns one by heart.
const CIPHERTEXTS: usize = 16;

/// One operation of `K` with all that it needs, prepared outside of what is timed.
#[derive(Debug)]
pub(super) struct Bench<K> {
    operation: Operation,
    sampling: Sampling,
    public_key: Vec<u8>,
    secret_key: Vec<u8>,
    ciphertexts: Vec<Vec<u8>>,
    shared_secret: Vec<u8>,
    kem: PhantomData<fn() -> K>,
}

impl<K: Kem> Bench<K> {
    /// Makes the key pair and ciphertexts from the job's seed.
    pub(super) fn prepare(job: &Job) -> Result<Self, RunError> {
        let mut bench = Self {
            operation: job.operation,
            sampling: job.sampling,
            public_key: vec![0; K::lengths().public_key],
            secret_key: vec![0; K::lengths().secret_key],
            ciphertexts: vec![vec![0; K::lengths().ciphertext]; CIPHERTEXTS],
            shared_secret: vec![0; K::lengths().shared_secret],
            kem: PhantomData,
        };
        let mut suite = job.suite();
        K::seed(&job.seed);
        bench.run_as(Operation::Keygen, &mut suite, 0)?;
        for index in 0..CIPHERTEXTS as u32 {
            bench.run_as(Operation::Enc, &mut suite, index)?;
        }
        Ok(bench)
    }

    /// Runs the operation once.
    #[inline]
    pub(super) fn run<S: Symmetric>(&mut self, sym: &mut S, iteration: u32) -> Result<(), RunError> {
        self.run_as(self.operation, sym, iteration)
    }

    #[inline]
    fn run_as<S: Symmetric>(&mut self, operation: Operation, sym: &mut S, iteration: u32) -> Result<(), RunError> {
        let Self { sampling, public_key, secret_key, ciphertexts, shared_secret, .. } = self;
        let ciphertext = &mut ciphertexts[iteration as usize % CIPHERTEXTS];
        match operation {
            Operation::Keygen => K::keygen(sym, *sampling, public_key, secret_key),
            Operation::Enc => K::encapsulate(sym, *sampling, public_key, ciphertext, shared_secret),
            Operation::Dec => K::decapsulate(sym, *sampling, secret_key, ciphertext, shared_secret),
        }
        .map_err(|source| RunError::Scheme { instance: K::name(), operation, source })?;
        black_box((public_key, ciphertext, shared_secret));
        Ok(())
    }
}
