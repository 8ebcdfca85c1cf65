//! Operations of one KEM with all that they need: as `kemprof` prepares them on the host, so that their calls are the same.

use crate::arena::Arena;
use crate::fail::Failure;
use crate::functions::{Functions, Probed};
use crate::scheme::{Scheme, Values};
use core::hint::black_box;
use kemprof_protocol::{Operation, Profile, Subject};

/// Ciphertexts that decapsulations take turns with on the host. Here there may be fewer, where memory ends before; all are
/// alike in what decapsulating them calls.
const CIPHERTEXTS: usize = 16;

/// A KEM with a key pair, ciphertexts and a shared secret.
pub(crate) struct Bench {
    scheme: Scheme,
    subject: Subject,
    public_key: &'static mut [u8],
    secret_key: &'static mut [u8],
    shared_secret: &'static mut [u8],
    /// One after another.
    ciphertexts: &'static mut [u8],
}

impl Bench {
    /// Room for a key pair and as many as `ciphertexts`, one at least.
    pub(crate) fn new(subject: Subject, mut arena: Arena, ciphertexts: usize) -> Result<Self, Failure> {
        let scheme = Scheme::named(subject.instance);
        let public_key = arena.slice(scheme.public_key)?;
        let secret_key = arena.slice(scheme.secret_key)?;
        let shared_secret = arena.slice(scheme.shared_secret)?;
        let fitting = (arena.left() / scheme.ciphertext).clamp(1, ciphertexts);
        let ciphertexts = arena.slice(fitting * scheme.ciphertext)?;
        Ok(Self { scheme, subject, public_key, secret_key, shared_secret, ciphertexts })
    }

    /// Makes what the operation takes: nothing for a key generation, a key pair for an encapsulation, and the ciphertexts that
    /// will be used for decapsulations. They are those that the host makes.
    pub(crate) fn prepare(profile: &Profile, arena: Arena) -> Result<Self, Failure> {
        let Profile { subject, operation, seed, iterations, warmups, .. } = profile;
        let used = CIPHERTEXTS.min((*iterations).max(*warmups).max(1) as usize);
        let mut bench = Self::new(*subject, arena, used)?;
        let mut suite = Functions::new(&subject.backends, seed);
        if *operation != Operation::Keygen {
            bench.run(Operation::Keygen, &mut suite, 0)?;
        }
        if *operation == Operation::Dec {
            for index in 0..used as u32 {
                bench.run(Operation::Enc, &mut suite, index)?;
            }
        }
        Ok(bench)
    }

    /// Runs an operation once, with the ciphertext whose turn it is in this iteration.
    pub(crate) fn run(&mut self, operation: Operation, suite: &mut Functions, iteration: u32) -> Result<(), Failure> {
        let (scheme, sampling) = (self.scheme, self.subject.sampling);
        let result = (scheme.plain)(operation, suite, sampling, self.values(iteration));
        black_box(&mut *self);
        result.map_err(|error| Failure::Refused { instance: scheme.name, operation, error })
    }

    /// The same with probes.
    pub(crate) fn run_probed(
        &mut self,
        operation: Operation,
        probed: &mut Probed,
        iteration: u32,
    ) -> Result<(), Failure> {
        let (scheme, sampling) = (self.scheme, self.subject.sampling);
        let result = (scheme.probed)(operation, probed, sampling, self.values(iteration));
        black_box(&mut *self);
        result.map_err(|error| Failure::Refused { instance: scheme.name, operation, error })
    }

    /// What an operation of this iteration reads and writes.
    pub(crate) fn values(&mut self, iteration: u32) -> Values<'_> {
        let bytes = self.scheme.ciphertext;
        let index = iteration as usize % CIPHERTEXTS % (self.ciphertexts.len() / bytes);
        Values {
            public_key: self.public_key,
            secret_key: self.secret_key,
            ciphertext: &mut self.ciphertexts[index * bytes..][..bytes],
            shared_secret: self.shared_secret,
        }
    }
}
