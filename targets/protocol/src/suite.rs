use core::fmt;
use kemprof_core::backend::Backend;
use kemprof_core::{Any, Drng, Suite};

/// Which backend serves which part, as the word `XOF,PRF,HASH,DRNG`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backends {
    /// Expansion of the matrix.
    pub xof: Any,
    /// Noise.
    pub prf: Any,
    /// The hashes.
    pub hash: Any,
    /// The random generator.
    pub drng: Any,
}

impl Backends {
    /// One backend for everything.
    #[must_use]
    pub const fn of(backend: Any) -> Self {
        Self { xof: backend, prf: backend, hash: backend, drng: backend }
    }

    /// The backends themselves, the generator instantiated with `seed`.
    #[must_use]
    pub fn suite(&self, seed: &[u8]) -> Suite<Any> {
        self.suite_with(self.drng.drng(seed))
    }

    /// The backends themselves, with a generator from elsewhere.
    #[must_use]
    pub fn suite_with<D: Drng>(&self, drng: D) -> Suite<Any, D> {
        Suite { xof: self.xof, prf: self.prf, hash: self.hash, drng, own: false }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut names = text.split(',');
        let mut backend = || Any::by_name(names.next()?);
        let backends = Self { xof: backend()?, prf: backend()?, hash: backend()?, drng: backend()? };
        names.next().is_none().then_some(backends)
    }
}

impl fmt::Display for Backends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { xof, prf, hash, drng } = self;
        write!(f, "{},{},{},{}", xof.name(), prf.name(), hash.name(), drng.name())
    }
}
