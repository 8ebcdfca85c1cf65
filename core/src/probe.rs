//! Who watches: a probe is told of every phase and of every symmetric call.

use crate::symmetric::{Batch, Form, Function, MAX_LANES, Phase, Role, Symmetric};

/// A symmetric call as it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function that runs.
    pub function: Function,
    /// How its output is asked for.
    pub form: Form,
    /// What the scheme uses it for.
    pub role: Role,
    /// Bytes of input, of each lane.
    pub in_bytes: usize,
    /// Bytes of them with which the messages of all lanes begin; 0 for a call that is no batch.
    pub prefix_bytes: usize,
    /// Messages that run together as one call.
    pub lanes: usize,
}

/// What is known of one lane of a call when it has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// Bytes that the function put out.
    pub out_bytes: usize,
    /// Bits of them that the scheme consumed.
    pub used_bits: u32,
    /// Permutations (or compressions) that it ran.
    pub permutations: u64,
}

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
#[derive(Clone, Debug)]
pub struct Profiled<S, P> {
    /// The functions.
    pub inner: S,
    /// The watcher.
    pub probe: P,
}

/// Open streams of [`Profiled`]: those of `S` and what is known of them so far.
#[derive(Debug)]
pub struct ProfiledStream<T, O> {
    inner: T,
    /// The probe's part, until the streams are closed.
    open: Option<O>,
    role: Role,
    in_bytes: usize,
    prefix_bytes: usize,
    lanes: usize,
    out_bytes: [usize; MAX_LANES],
}

impl<S: Symmetric, P: Probe> Profiled<S, P> {
    /// Watches `inner` with `probe`.
    pub const fn new(inner: S, probe: P) -> Self {
        Self { inner, probe }
    }

    /// A call of one message.
    fn call(&self, form: Form, role: Role, in_bytes: usize) -> Call {
        Call { function: self.inner.function(form, role), form, role, in_bytes, prefix_bytes: 0, lanes: 1 }
    }

    fn batch_call(&self, role: Role, in_bytes: usize, prefix_bytes: usize, lanes: usize) -> Call {
        Call { prefix_bytes, lanes, ..self.call(Form::Extendable, role, in_bytes) }
    }

    fn output(&self, call: &Call, out_bytes: usize) -> Output {
        Output {
            out_bytes,
            used_bits: 8 * out_bytes as u32,
            permutations: self.inner.permutations(call.form, call.role, call.in_bytes, out_bytes),
        }
    }

    /// Counts for lane 0 alone what the messages' common prefix took.
    fn count_prefix_once(&self, role: Role, prefix_bytes: usize, outputs: &mut [Output]) {
        let shared = self.inner.shared_permutations(role, prefix_bytes);
        for output in &mut outputs[1..] {
            output.permutations -= shared;
        }
    }

    /// Runs `body` as one call of a single lane, all of whose output is used.
    #[inline]
    fn watch(&mut self, form: Form, role: Role, in_bytes: usize, out_bytes: usize, body: impl FnOnce(&mut S)) {
        if !P::ENABLED {
            return body(&mut self.inner);
        }
        let call = self.call(form, role, in_bytes);
        let mut open = self.probe.open(&call);
        self.probe.resume(&mut open);
        body(&mut self.inner);
        self.probe.pause(&mut open);
        let output = self.output(&call, out_bytes);
        self.probe.close(open, &call, &[output]);
    }
}

fn total_bytes(input: &[&[u8]]) -> usize {
    input.iter().map(|part| part.len()).sum()
}

impl<S: Symmetric, P: Probe> Symmetric for Profiled<S, P> {
    type Stream = ProfiledStream<S::Stream, P::Open>;

    #[inline]
    fn phase<R>(&mut self, phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        self.probe.enter(phase);
        let result = body(self);
        self.probe.exit(phase);
        result
    }

    #[inline]
    fn entropy(&mut self, out: &mut [u8]) {
        self.watch(Form::Generator, Role::Entropy, 0, out.len(), |inner| inner.entropy(out));
    }

    #[inline]
    fn hash(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.watch(Form::Fixed(out.len()), role, total_bytes(input), out.len(), |inner| inner.hash(role, input, out));
    }

    #[inline]
    fn xof(&mut self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        self.watch(Form::Extendable, role, total_bytes(input), out.len(), |inner| inner.xof(role, input, out));
    }

    #[inline]
    fn xof_batch(&mut self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
        if !P::ENABLED {
            return self.inner.xof_batch(role, batch, out);
        }
        let out_bytes = out.len() / batch.lanes();
        let call = self.batch_call(role, batch.message_bytes(), batch.prefix().len(), batch.lanes());
        let mut open = self.probe.open(&call);
        self.probe.resume(&mut open);
        self.inner.xof_batch(role, batch, out);
        self.probe.pause(&mut open);
        let mut outputs = [self.output(&call, out_bytes); MAX_LANES];
        self.count_prefix_once(role, batch.prefix().len(), &mut outputs[..batch.lanes()]);
        self.probe.close(open, &call, &outputs[..batch.lanes()]);
    }

    // On a microcontroller a call of its own: inlined, the streams are moved all the same.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn open(&mut self, role: Role, batch: &Batch<'_>, first: &mut [u8]) -> Self::Stream {
        let (in_bytes, prefix_bytes, lanes) = (batch.message_bytes(), batch.prefix().len(), batch.lanes());
        let call = self.batch_call(role, in_bytes, prefix_bytes, lanes);
        let mut open = self.probe.open(&call);
        self.probe.resume(&mut open);
        // The streams are put where they stay before anything else is done: moving them costs more than the probe itself.
        let mut stream = ProfiledStream {
            inner: self.inner.open(role, batch, first),
            open: None,
            role,
            in_bytes,
            prefix_bytes,
            lanes,
            out_bytes: [0; MAX_LANES],
        };
        self.probe.pause(&mut open);
        stream.open = Some(open);
        stream.out_bytes[..lanes].fill(first.len() / lanes);
        stream
    }

    #[inline]
    fn squeeze(&mut self, stream: &mut Self::Stream, lane: usize, out: &mut [u8]) {
        stream.out_bytes[lane] += out.len();
        if let Some(open) = &mut stream.open {
            self.probe.resume(open);
            self.inner.squeeze(&mut stream.inner, lane, out);
            self.probe.pause(open);
        }
    }

    #[inline]
    fn close(&mut self, stream: &mut Self::Stream, used_bits: &[u32]) {
        self.inner.close(&mut stream.inner, used_bits);
        if P::ENABLED
            && let Some(open) = stream.open.take()
        {
            let (role, lanes) = (stream.role, stream.lanes);
            let call = self.batch_call(role, stream.in_bytes, stream.prefix_bytes, lanes);
            let mut outputs = [Output::default(); MAX_LANES];
            for ((output, &bytes), &used_bits) in outputs.iter_mut().zip(&stream.out_bytes).zip(used_bits) {
                *output = Output { used_bits, ..self.output(&call, bytes) };
            }
            self.count_prefix_once(role, stream.prefix_bytes, &mut outputs[..lanes]);
            self.probe.close(open, &call, &outputs[..lanes]);
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
