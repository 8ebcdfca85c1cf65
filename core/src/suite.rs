//! A choice of backends by role.

use crate::backend::{Backend, Drng, Reader};
use crate::symmetric::{Batch, Form, Function, Phase, Readers, Role, Symmetric};

/// The backends of one run: one for each group of roles, and a seeded generator: the backend's own, unless randomness
/// comes from elsewhere, as in published test vectors that name their generator.
#[derive(Clone, Debug)]
pub struct Suite<B: Backend, D = <B as Backend>::Drng> {
    /// Serves [`Role::Matrix`].
    pub xof: B,
    /// Serves [`Role::Noise`].
    pub prf: B,
    /// Serves the hashes: [`Role::H`], [`Role::G`], [`Role::J`], [`Role::Kdf`].
    pub hash: B,
    /// Serves [`Role::Entropy`].
    pub drng: D,
    /// Whether a scheme from outside keeps its own functions; nothing to a scheme that is built in.
    pub own: bool,
}

impl<B: Backend + Copy> Suite<B> {
    /// One backend for all roles, its generator instantiated with `seed`.
    #[must_use]
    pub fn of(backend: B, seed: &[u8]) -> Self {
        Self { xof: backend, prf: backend, hash: backend, drng: backend.drng(seed), own: false }
    }
}

impl<B: Backend, D> Suite<B, D> {
    fn backend(&self, role: Role) -> &B {
        match role {
            Role::Matrix => &self.xof,
            Role::Noise => &self.prf,
            Role::H | Role::G | Role::J | Role::Kdf | Role::Entropy | Role::Other => &self.hash,
        }
    }
}

/// What is timed is never inlined: it is the same code with probes and without, whoever calls. (On a microcontroller whoever calls sees
/// to that.)
impl<B: Backend, D: Drng> Symmetric for Suite<B, D> {
    type Stream = Readers<B::Reader>;

    #[inline(always)]
    fn phase<R>(&mut self, _phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        body(self)
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn entropy(&mut self, out: &mut [u8]) {
        self.drng.generate(out);
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn hash(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.backend(role).hash(role, input, out);
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn xof(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.backend(role).xof(role, input, out);
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn xof_batch(&mut self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        self.backend(role).xof_batch(role, batch, out);
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn open(&mut self, role: Role, batch: &Batch<'_>, first: &mut [u8]) -> Self::Stream {
        let mut streams = Readers::new();
        self.backend(role).readers(role, batch, first, |stream| streams.push(stream));
        streams
    }

    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn squeeze(&mut self, stream: &mut Self::Stream, lane: usize, out: &mut [u8]) {
        stream.lane(lane).read(out);
    }

    #[inline(always)]
    fn close(&mut self, _stream: &mut Self::Stream, _used_bits: &[u32]) {}

    fn keeps_own(&self) -> bool {
        self.own
    }

    #[inline]
    fn lanes(&self, role: Role) -> usize {
        self.backend(role).lanes(role)
    }

    #[inline]
    fn squeeze_block(&self, role: Role) -> usize {
        self.backend(role).squeeze_block(role)
    }

    fn function(&self, form: Form, role: Role) -> Function {
        match form {
            Form::Generator => self.drng.function(),
            Form::Fixed(_) | Form::Extendable => self.backend(role).function(form, role),
        }
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        match form {
            Form::Generator => self.drng.permutations(out_bytes),
            Form::Fixed(_) | Form::Extendable => self.backend(role).permutations(form, role, in_bytes, out_bytes),
        }
    }

    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        self.backend(role).shared_permutations(role, prefix_bytes)
    }
}
