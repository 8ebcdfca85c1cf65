//! Who watches: a probe is told of every phase and of every symmetric call.

use crate::symmetric::{Batch, Form, Function, MAX_OPEN, Phase, Role, Symmetric};
pub use crate::symmetric::{Call, Output};

/// A watcher of phases and symmetric calls. All hooks default to nothing.
///
/// A call is opened once, runs in one or more intervals (`resume` to `pause`; a lazily squeezed stream has many), and is
/// closed once, when the scheme knows how much of the output it used. The bookkeeping of `open` and `close` falls outside
/// the intervals. Calls never nest; phases do.
pub trait Probe {
    /// What the probe keeps for one open call.
    type Open;

    /// Whether calls are reported at all: `false` lets the compiler drop the bookkeeping of [`Profiled`].
    const ENABLED: bool = true;

    /// A phase begins.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// The phase that began last ends.
    fn exit(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A call is about to begin.
    fn open(&mut self, call: &Call) -> Self::Open;

    /// The function begins to run.
    fn resume(&mut self, open: &mut Self::Open) {
        let _ = open;
    }

    /// The function has stopped running, for now or for good.
    fn pause(&mut self, open: &mut Self::Open) {
        let _ = open;
    }

    /// The call is over; `outputs` has an entry for each lane.
    fn close(&mut self, open: Self::Open, call: &Call, outputs: &[Output]) {
        let _ = (open, call, outputs);
    }
}

/// The probe that watches nothing and compiles to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    type Open = ();
    const ENABLED: bool = false;

    #[inline(always)]
    fn open(&mut self, _call: &Call) {}
}

/// Two probes that see the same calls, the second inside the intervals of the first.
impl<A: Probe, B: Probe> Probe for (A, B) {
    type Open = (A::Open, B::Open);
    const ENABLED: bool = A::ENABLED || B::ENABLED;

    #[inline]
    fn enter(&mut self, phase: Phase) {
        self.0.enter(phase);
        self.1.enter(phase);
    }

    #[inline]
    fn exit(&mut self, phase: Phase) {
        self.1.exit(phase);
        self.0.exit(phase);
    }

    #[inline]
    fn open(&mut self, call: &Call) -> Self::Open {
        (self.0.open(call), self.1.open(call))
    }

    #[inline]
    fn resume(&mut self, open: &mut Self::Open) {
        self.0.resume(&mut open.0);
        self.1.resume(&mut open.1);
    }

    #[inline]
    fn pause(&mut self, open: &mut Self::Open) {
        self.1.pause(&mut open.1);
        self.0.pause(&mut open.0);
    }

    #[inline]
    fn close(&mut self, open: Self::Open, call: &Call, outputs: &[Output]) {
        self.1.close(open.1, call, outputs);
        self.0.close(open.0, call, outputs);
    }
}

/// Symmetric functions `S`, watched by `P`.
#[derive(Debug)]
pub struct Profiled<S, P: Probe> {
    /// The functions.
    pub inner: S,
    /// The watcher.
    pub probe: P,
    /// The call that runs, if one does. What is known of streams is not kept with them: then they would be moved into what holds
    /// both, which costs more than the probe itself.
    running: Option<Running<P::Open>>,
}

/// What is known so far of a call.
#[derive(Debug)]
struct Running<O> {
    /// The probe's part.
    open: O,
    call: Call,
    /// Bytes that each lane has put out.
    out_bytes: [usize; MAX_OPEN],
}

/// Of a call's input.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub(crate) bytes: usize,
    pub(crate) prefix_bytes: usize,
    pub(crate) lanes: usize,
}

impl Input {
    const fn single(bytes: usize) -> Self {
        Self { bytes, prefix_bytes: 0, lanes: 1 }
    }

    fn of(batch: &Batch<'_>) -> Self {
        Self { bytes: batch.message_bytes(), prefix_bytes: batch.prefix().len(), lanes: batch.lanes() }
    }
}

impl<S: Symmetric, P: Probe> Profiled<S, P> {
    /// Watches `inner` with `probe`.
    pub const fn new(inner: S, probe: P) -> Self {
        Self { inner, probe, running: None }
    }

    /// A call begins, of which each lane will have put out `out_bytes` when it first pauses.
    ///
    /// This, [`finish`](Self::finish) and what calls them are all that is outside the intervals of any call, never inlined: so what
    /// they cost is what is calibrated.
    #[inline(never)]
    pub(crate) fn begin(&mut self, form: Form, role: Role, input: Input, out_bytes: usize) {
        let Input { bytes: in_bytes, prefix_bytes, lanes } = input;
        let call =
            Call { function: self.inner.function(form, role), form, role, own: 0, in_bytes, prefix_bytes, lanes };
        let running = Running { open: self.probe.open(&call), call, out_bytes: [out_bytes; MAX_OPEN] };
        assert!(self.running.replace(running).is_none(), "a call ends before another begins");
    }

    /// An interval of the call, if one runs.
    #[inline(always)]
    pub(crate) fn interval<R>(&mut self, body: impl FnOnce(&mut S) -> R) -> R {
        if let Some(running) = &mut self.running {
            self.probe.resume(&mut running.open);
        }
        let interval = Interval(self);
        body(&mut interval.0.inner)
    }

    /// Opens a stream for each message of `batch`, of which all put out so many bytes together in a first interval.
    #[inline(never)]
    pub(crate) fn opened<R>(
        &mut self,
        role: Role,
        batch: &Batch<'_>,
        bytes: usize,
        body: impl FnOnce(&mut S) -> R,
    ) -> R {
        self.begin(Form::Extendable, role, Input::of(batch), bytes / batch.lanes());
        self.interval(body)
    }

    /// Another interval of a stream, in which a lane puts out so many bytes.
    #[inline(never)]
    pub(crate) fn continued(&mut self, lane: usize, bytes: usize, body: impl FnOnce(&mut S)) {
        if let Some(running) = &mut self.running {
            running.out_bytes[lane] += bytes;
        }
        self.interval(body);
    }

    /// The call is over. All of its output was used unless `used_bits` says how much of each lane.
    #[inline(never)]
    pub(crate) fn finish(&mut self, used_bits: Option<&[u32]>) {
        let Some(Running { open, call, out_bytes }) = self.running.take() else { return };
        let Call { form, role, in_bytes, prefix_bytes, lanes, .. } = call;
        let mut outputs = [Output::default(); MAX_OPEN];
        for (lane, (output, out_bytes)) in outputs[..lanes].iter_mut().zip(out_bytes).enumerate() {
            let used_bits = used_bits.map_or(8 * out_bytes as u32, |used_bits| used_bits[lane]);
            let permutations = self.inner.permutations(form, role, in_bytes, out_bytes);
            *output = Output { out_bytes, used_bits, permutations };
        }
        // What the messages' common prefix took counts for lane 0 alone.
        if lanes > 1 {
            let shared = self.inner.shared_permutations(role, prefix_bytes);
            outputs[1..lanes].iter_mut().for_each(|output| output.permutations -= shared);
        }
        self.probe.close(open, &call, &outputs[..lanes]);
    }

    /// Runs `body` as a whole call, all of whose output is used.
    #[inline(never)]
    pub(crate) fn watched(
        &mut self,
        form: Form,
        role: Role,
        input: Input,
        out_bytes: usize,
        body: impl FnOnce(&mut S),
    ) {
        self.begin(form, role, input, out_bytes);
        self.interval(body);
        self.finish(None);
    }

    #[inline]
    fn watch(&mut self, form: Form, role: Role, input: Input, out_bytes: usize, body: impl FnOnce(&mut S)) {
        if P::ENABLED { self.watched(form, role, input, out_bytes, body) } else { body(&mut self.inner) }
    }
}

/// An interval that ends where this is dropped: what was made in it is returned from where it was made. Held in a variable until
/// the probe has paused, several open streams would be moved, which takes as long as the probe itself.
struct Interval<'a, S, P: Probe>(&'a mut Profiled<S, P>);

impl<S, P: Probe> Drop for Interval<'_, S, P> {
    #[inline(always)]
    fn drop(&mut self) {
        let Profiled { probe, running, .. } = &mut *self.0;
        if let Some(running) = running {
            probe.pause(&mut running.open);
        }
    }
}

fn total_bytes(input: &[&[u8]]) -> usize {
    input.iter().map(|part| part.len()).sum()
}

impl<S: Symmetric, P: Probe> Symmetric for Profiled<S, P> {
    type Stream = S::Stream;

    #[inline]
    fn phase<R>(&mut self, phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        self.probe.enter(phase);
        let result = body(self);
        self.probe.exit(phase);
        result
    }

    #[inline]
    fn entropy(&mut self, out: &mut [u8]) {
        // What a scheme's own function draws is part of that function's call.
        if P::ENABLED && self.running.as_ref().is_some_and(|running| running.call.own != 0) {
            return self.inner.entropy(out);
        }
        self.watch(Form::Generator, Role::Entropy, Input::single(0), out.len(), |inner| inner.entropy(out));
    }

    #[inline]
    fn hash(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        let (form, whole) = (Form::Fixed(out.len()), Input::single(total_bytes(input)));
        self.watch(form, role, whole, out.len(), |inner| inner.hash(role, input, out));
    }

    #[inline]
    fn xof(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        let whole = Input::single(total_bytes(input));
        self.watch(Form::Extendable, role, whole, out.len(), |inner| inner.xof(role, input, out));
    }

    #[inline]
    fn xof_batch(&mut self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        let each = out.len() / batch.lanes();
        self.watch(Form::Extendable, role, Input::of(batch), each, |inner| inner.xof_batch(role, batch, out));
    }

    #[inline]
    fn open(&mut self, role: Role, batch: &Batch<'_>, first: &mut [u8]) -> Self::Stream {
        if P::ENABLED {
            let bytes = first.len();
            return self.opened(role, batch, bytes, |inner| inner.open(role, batch, first));
        }
        self.inner.open(role, batch, first)
    }

    #[inline]
    fn squeeze(&mut self, stream: &mut Self::Stream, lane: usize, out: &mut [u8]) {
        if P::ENABLED {
            return self.continued(lane, out.len(), |inner| inner.squeeze(stream, lane, out));
        }
        self.inner.squeeze(stream, lane, out);
    }

    #[inline]
    fn close(&mut self, stream: &mut Self::Stream, used_bits: &[u32]) {
        self.inner.close(stream, used_bits);
        if P::ENABLED {
            self.finish(Some(used_bits));
        }
    }

    #[inline]
    fn keeps_own(&self) -> bool {
        self.inner.keeps_own()
    }

    #[inline]
    fn foreign_begins(&mut self, call: &Call) {
        if P::ENABLED {
            let running = Running { open: self.probe.open(call), call: *call, out_bytes: [0; MAX_OPEN] };
            let open = &mut self.running.insert(running).open;
            self.probe.resume(open);
        }
    }

    #[inline]
    fn foreign_ends(&mut self, output: Output) {
        if let Some(Running { mut open, call, .. }) = self.running.take() {
            self.probe.pause(&mut open);
            self.probe.close(open, &call, &[output]);
        }
    }

    #[inline]
    fn lanes(&self, role: Role) -> usize {
        self.inner.lanes(role)
    }

    #[inline]
    fn squeeze_block(&self, role: Role) -> usize {
        self.inner.squeeze_block(role)
    }

    #[inline]
    fn function(&self, form: Form, role: Role) -> Function {
        self.inner.function(form, role)
    }

    #[inline]
    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        self.inner.permutations(form, role, in_bytes, out_bytes)
    }

    #[inline]
    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        self.inner.shared_permutations(role, prefix_bytes)
    }
}
