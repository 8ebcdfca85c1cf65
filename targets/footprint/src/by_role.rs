//! Backends of several kinds behind one, each for its role.

use kemprof_core::backend::{Backend, Reader, SelfTestError};
use kemprof_core::symmetric::{Batch, Form, Function, Role};

/// A backend for the matrix, one for noise, and one for the hashes, whose generator it is.
#[derive(Clone, Copy)]
pub(crate) struct ByRole<X, P, H> {
    pub(crate) xof: X,
    pub(crate) prf: P,
    pub(crate) hash: H,
}

/// A stream of one of them.
pub(crate) enum Stream<X, P, H> {
    Xof(X),
    Prf(P),
    Hash(H),
}

impl<X: Reader, P: Reader, H: Reader> Reader for Stream<X, P, H> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) {
        match self {
            Self::Xof(stream) => stream.read(out),
            Self::Prf(stream) => stream.read(out),
            Self::Hash(stream) => stream.read(out),
        }
    }
}

/// Asks the backend of a role.
macro_rules! of_role {
    ($self:ident, $role:ident, $backend:ident => $asked:expr) => {
        match $role {
            Role::Matrix => {
                let $backend = &$self.xof;
                $asked
            }
            Role::Noise => {
                let $backend = &$self.prf;
                $asked
            }
            _ => {
                let $backend = &$self.hash;
                $asked
            }
        }
    };
}

impl<X: Backend, P: Backend, H: Backend> Backend for ByRole<X, P, H> {
    type Reader = Stream<X::Reader, P::Reader, H::Reader>;
    type Drng = H::Drng;

    fn name(&self) -> &'static str {
        "by-role"
    }

    fn description(&self) -> &'static str {
        "a backend for each role"
    }

    #[inline(always)]
    fn function(&self, form: Form, role: Role) -> Function {
        of_role!(self, role, backend => backend.function(form, role))
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        of_role!(self, role, backend => backend.permutations(form, role, in_bytes, out_bytes))
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        Ok(())
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        self.hash.drng(seed)
    }

    #[inline(always)]
    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        of_role!(self, role, backend => backend.hash(role, input, out));
    }

    #[inline(always)]
    fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
        match role {
            Role::Matrix => Stream::Xof(self.xof.reader(role, input)),
            Role::Noise => Stream::Prf(self.prf.reader(role, input)),
            _ => Stream::Hash(self.hash.reader(role, input)),
        }
    }

    #[inline(always)]
    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        of_role!(self, role, backend => backend.xof(role, input, out));
    }

    #[inline(always)]
    fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        of_role!(self, role, backend => backend.xof_batch(role, batch, out));
    }

    #[inline(always)]
    fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], mut each: impl FnMut(Self::Reader)) {
        match role {
            Role::Matrix => self.xof.readers(role, batch, first, |stream| each(Stream::Xof(stream))),
            Role::Noise => self.prf.readers(role, batch, first, |stream| each(Stream::Prf(stream))),
            _ => self.hash.readers(role, batch, first, |stream| each(Stream::Hash(stream))),
        }
    }

    #[inline(always)]
    fn lanes(&self, role: Role) -> usize {
        of_role!(self, role, backend => backend.lanes(role))
    }

    #[inline(always)]
    fn squeeze_block(&self, role: Role) -> usize {
        of_role!(self, role, backend => backend.squeeze_block(role))
    }
}
