//! The symmetric functions of a request, in the image once.

use crate::counter::Cycles;
use kemprof_core::backend::Backend;
use kemprof_core::symmetric::{Batch, Form, Function, Readers};
use kemprof_core::{Any, Phase, Profiled, Recorder, Role, Suite, Symmetric};
use kemprof_m4::draws::Source;
use kemprof_protocol::Backends;

/// A suite whose functions are called and never inlined: six backends at every place that calls one would not fit the flash
/// of 512 KiB. It costs each call a branch and a return.
#[derive(Clone, Debug)]
pub(crate) struct Functions(Suite<Any, Source>);

/// The functions, watched.
pub(crate) type Probed = Profiled<Functions, Recorder<Cycles>>;

impl Functions {
    /// The functions, their generator instantiated with `seed`.
    pub(crate) fn new(backends: &Backends, seed: &[u8]) -> Self {
        Self::with(backends, Source::Generator(backends.drng.drng(seed)))
    }

    /// The functions, with a generator from elsewhere.
    pub(crate) fn with(backends: &Backends, source: Source) -> Self {
        Self(backends.suite_with(source))
    }

    /// Where random bytes come from.
    pub(crate) const fn source(&self) -> &Source {
        &self.0.drng
    }
}

impl Symmetric for Functions {
    type Stream = Readers<<Any as Backend>::Reader>;

    #[inline(always)]
    fn phase<R>(&mut self, _phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        body(self)
    }

    #[inline(never)]
    fn entropy(&mut self, out: &mut [u8]) {
        self.0.entropy(out);
    }

    #[inline(never)]
    fn hash(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.0.hash(role, input, out);
    }

    #[inline(never)]
    fn xof(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.0.xof(role, input, out);
    }

    #[inline(never)]
    fn xof_batch(&mut self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        self.0.xof_batch(role, batch, out);
    }

    #[inline(never)]
    fn open(&mut self, role: Role, batch: &Batch<'_>, first: &mut [u8]) -> Self::Stream {
        self.0.open(role, batch, first)
    }

    #[inline(never)]
    fn squeeze(&mut self, stream: &mut Self::Stream, lane: usize, out: &mut [u8]) {
        self.0.squeeze(stream, lane, out);
    }

    #[inline(always)]
    fn close(&mut self, stream: &mut Self::Stream, used_bits: &[u32]) {
        self.0.close(stream, used_bits);
    }

    /// One on this processor, as the compiler sees: what batches would need is left out.
    #[inline(always)]
    fn lanes(&self, role: Role) -> usize {
        self.0.lanes(role)
    }

    #[inline(never)]
    fn squeeze_block(&self, role: Role) -> usize {
        self.0.squeeze_block(role)
    }

    #[inline(never)]
    fn function(&self, form: Form, role: Role) -> Function {
        self.0.function(form, role)
    }

    #[inline(never)]
    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        self.0.permutations(form, role, in_bytes, out_bytes)
    }

    #[inline(never)]
    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        self.0.shared_permutations(role, prefix_bytes)
    }
}
