use kemprof_core::{Kem, Sampling, Symmetric, kem};

/// A key pair and one encapsulation to it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) public_key: Vec<u8>,
    pub(super) secret_key: Vec<u8>,
    pub(super) ciphertext: Vec<u8>,
    pub(super) shared_secret: Vec<u8>,
}

impl Exchange {
    /// Generates the key pair, then encapsulates: in this order, as known answers draw their randomness.
    pub(super) fn run<K: Kem>(sym: &mut impl Symmetric, sampling: Sampling) -> Result<Self, kem::Error> {
        let mut exchange = Self {
            public_key: vec![0; K::lengths().public_key],
            secret_key: vec![0; K::lengths().secret_key],
            ciphertext: vec![0; K::lengths().ciphertext],
            shared_secret: vec![0; K::lengths().shared_secret],
        };
        let Self { public_key, secret_key, ciphertext, shared_secret } = &mut exchange;
        K::keygen(sym, sampling, public_key, secret_key)?;
        K::encapsulate(sym, sampling, public_key, ciphertext, shared_secret)?;
        Ok(exchange)
    }

    /// The secret that decapsulating `ciphertext` gives.
    pub(super) fn decapsulate<K: Kem>(
        &self,
        sym: &mut impl Symmetric,
        sampling: Sampling,
        ciphertext: &[u8],
    ) -> Result<Vec<u8>, kem::Error> {
        let mut shared_secret = vec![0; K::lengths().shared_secret];
        K::decapsulate(sym, sampling, &self.secret_key, ciphertext, &mut shared_secret)?;
        Ok(shared_secret)
    }
}
