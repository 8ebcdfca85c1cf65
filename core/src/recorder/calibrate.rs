use super::{Counter, Key, Recorder};
use crate::probe::Profiled;
use crate::symmetric::{Batch, Form, Function, MAX_LANES, Phase, Role, Symmetric};
use core::hint::black_box;

/// What the probe itself costs, in ticks, measured on phases and calls that do nothing.
///
/// A cost is *inside* where it lengthens the interval that it measures, and *outside* where it lengthens the phase around
/// it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProbeCost {
    /// Of each interval of a call, in that call.
    pub interval_inside: f64,
    /// Of each interval of a call, in the phase around it.
    pub interval_outside: f64,
    /// Of each call's opening and closing, in the phase around it.
    pub call_outside: f64,
    /// Of each phase, in that phase.
    pub phase_inside: f64,
    /// Of each phase, in the phase around it.
    pub phase_outside: f64,
}

/// A suite that answers at once with nothing, and describes itself as `S` does.
struct Idle<'a, S>(&'a S);

/// Its streams.
struct Dry;

impl<S: Symmetric> Symmetric for Idle<'_, S> {
    type Stream = Dry;

    fn phase<R>(&mut self, _phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        body(self)
    }

    fn entropy(&mut self, _out: &mut [u8]) {}
    fn hash(&mut self, _role: Role, _input: &[&[u8]], _out: &mut [u8]) {}
    fn xof(&mut self, _role: Role, _input: &[&[u8]], _out: &mut [u8]) {}
    fn xof_batch(&mut self, _role: Role, _batch: &Batch<'_>, _out: &mut [u8]) {}
    fn open(&mut self, _role: Role, _batch: &Batch<'_>, _first: &mut [u8]) -> Dry {
        Dry
    }
    fn squeeze(&mut self, _stream: &mut Dry, _lane: usize, _out: &mut [u8]) {}
    fn close(&mut self, _stream: &mut Dry, _used_bits: &[u32]) {}

    fn lanes(&self, role: Role) -> usize {
        self.0.lanes(role)
    }

    fn squeeze_block(&self, role: Role) -> usize {
        self.0.squeeze_block(role)
    }

    fn function(&self, form: Form, role: Role) -> Function {
        self.0.function(form, role)
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        self.0.permutations(form, role, in_bytes, out_bytes)
    }

    fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
        self.0.shared_permutations(role, prefix_bytes)
    }
}

/// Rounds of one measurement, and measurements of which the least disturbed counts.
const ROUNDS: u64 = 256;
const MEASUREMENTS: usize = 9;
/// The same for a counter on which equal work takes equal counts. Only the first round differs: it makes the table's rows.
const EXACT_ROUNDS: u64 = 64;
const EXACT_MEASUREMENTS: usize = 1;
/// Intervals of the longer call, whose difference to one of a single interval is the cost of intervals.
const INTERVALS: u64 = 4;

/// Ticks per round inside and outside of what ran under the phase, the least of several measurements.
fn measure<S: Symmetric, C: Counter>(
    profiled: &mut Profiled<Idle<'_, S>, Recorder<C>>,
    mut round: impl FnMut(&mut Profiled<Idle<'_, S>, Recorder<C>>),
) -> (f64, f64) {
    let (rounds, measurements) = match profiled.probe.counter().is_exact() {
        true => (EXACT_ROUNDS, EXACT_MEASUREMENTS),
        false => (ROUNDS, MEASUREMENTS),
    };
    let mut least = (u64::MAX, u64::MAX);
    for _ in 0..measurements {
        profiled.probe.reset();
        profiled.phase(Phase::Keygen, |profiled| (0..rounds).for_each(|_| round(profiled)));
        let mut around = 0;
        let mut inside = 0;
        for node in profiled.probe.nodes() {
            match node.key {
                Key::Root => {}
                Key::Phase(Phase::Keygen) => around += node.ticks,
                Key::Phase(_) | Key::Call(_) => inside += node.ticks,
            }
        }
        let outside = around.saturating_sub(inside);
        if inside.saturating_add(outside) < least.0.saturating_add(least.1) {
            least = (inside, outside);
        }
    }
    profiled.probe.reset();
    (least.0 as f64 / rounds as f64, least.1 as f64 / rounds as f64)
}

/// Measures the cost of a [`Recorder`] on `counter` around the functions of `suite`.
pub fn calibrate<S: Symmetric, C: Counter>(suite: &S, counter: C) -> ProbeCost {
    let mut profiled = Profiled::new(Idle(suite), Recorder::new(counter));
    // As many messages at once as most calls have.
    let lanes = suite.lanes(Role::Matrix);
    let suffixes = [[0]; MAX_LANES];
    let batch = Batch::new(&[], &suffixes[..lanes]);
    let (mut first, used_bits) = ([0; MAX_LANES], [8; MAX_LANES]);
    let (first, used_bits) = (&mut first[..lanes], &used_bits[..lanes]);
    // Compilers know nothing of the messages in a scheme either.
    let (single_inside, single_outside) = measure(&mut profiled, |profiled| {
        let mut stream = profiled.open(Role::Matrix, &black_box(batch), black_box(&mut *first));
        profiled.close(&mut stream, used_bits);
    });
    let (_, several_outside) = measure(&mut profiled, |profiled| {
        let mut stream = profiled.open(Role::Matrix, &black_box(batch), black_box(&mut *first));
        for _ in 1..INTERVALS {
            profiled.squeeze(&mut stream, 0, &mut []);
        }
        profiled.close(&mut stream, used_bits);
    });
    let (phase_inside, phase_outside) = measure(&mut profiled, |profiled| profiled.phase(Phase::Ntt, |_| ()));
    let interval_outside = ((several_outside - single_outside) / (INTERVALS - 1) as f64).max(0.0);
    ProbeCost {
        interval_inside: single_inside,
        interval_outside,
        call_outside: (single_outside - interval_outside).max(0.0),
        phase_inside,
        phase_outside,
    }
}
