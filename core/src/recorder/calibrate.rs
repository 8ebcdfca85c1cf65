use super::{CallKey, Counter, Key, Node, Recorder};
use crate::probe::{Call, Input, Output, Profiled};
use crate::symmetric::{Batch, Form, Function, MAX_BATCH_MESSAGE, MAX_OPEN, Role, Symmetric};
use core::hint::black_box;

/// What the probe itself costs around what one row is about, in ticks: a phase counts as a call of one message in one interval.
///
/// A cost is *inside* where it lengthens the interval that it measures, and *outside* where it lengthens the phase around it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProbeCost {
    /// Of each interval of a call, in that call.
    pub interval_inside: f32,
    /// Of each interval after a call's first, in the phase around it.
    pub interval_outside: f32,
    /// Of each call with its first interval, in the phase around it.
    pub call_outside: f32,
    /// Of each message of a call, in the phase around it.
    pub lane_outside: f32,
}

/// Rounds of one measurement, and measurements of which the least disturbed counts. A microcontroller is disturbed by its own timer
/// alone.
const ROUNDS: u16 = if cfg!(target_os = "none") { 32 } else { 256 };
const MEASUREMENTS: u16 = if cfg!(target_os = "none") { 3 } else { 9 };
/// The same for a counter on which equal work takes equal counts.
const EXACT_ROUNDS: u16 = 16;
const EXACT_MEASUREMENTS: u16 = 1;

/// Messages, which no function reads.
static MESSAGE: [u8; MAX_BATCH_MESSAGE] = [0; MAX_BATCH_MESSAGE];

/// Stands for a scheme's own function, which is known before it is called.
const NOTHING: Function = Function { name: "", permutation: "", absorb_rate: 1, squeeze_rate: 1 };

/// How the calls of a row are made again, with functions that do nothing.
struct Again {
    key: CallKey,
    lanes: usize,
    /// Intervals after the first.
    more: u32,
    /// The messages of streams.
    batch: Option<Batch<'static>>,
}

impl Again {
    fn new(key: CallKey, lanes: usize, more: u32) -> Self {
        let bytes = key.in_bytes as usize;
        // Schemes open streams for the matrix, and for nothing else.
        let streams = key.role == Role::Matrix && (1..=MAX_BATCH_MESSAGE).contains(&bytes);
        Self { key, lanes, more, batch: streams.then(|| Batch::flat(&MESSAGE[1..bytes], &MESSAGE[..lanes], 1)) }
    }

    #[inline(always)]
    fn run<S: Symmetric, C: Counter>(&self, profiled: &mut Profiled<S, Recorder<C>>) {
        let Self { key: CallKey { role, form, own, in_bytes, out_bytes }, lanes, more, batch } = self;
        let (bytes, out_bytes) = (*in_bytes as usize, *out_bytes as usize);
        if *own != 0 {
            let (form, role, own) = (*form, *role, *own);
            profiled.foreign_begins(&Call {
                function: NOTHING,
                form,
                role,
                own,
                in_bytes: bytes,
                prefix_bytes: 0,
                lanes: 1,
            });
            return profiled.foreign_ends(Output { out_bytes, used_bits: 0, permutations: 0 });
        }
        let Some(batch) = batch else {
            let prefix_bytes = if *lanes > 1 { bytes.saturating_sub(1) } else { 0 };
            return profiled.watched(*form, *role, Input { bytes, prefix_bytes, lanes: *lanes }, out_bytes, |_| ());
        };
        profiled.opened(*role, batch, lanes * out_bytes, |_| ());
        for _ in 0..*more {
            profiled.continued(0, 0, |_| ());
        }
        profiled.finish(Some(&USED_BITS[..*lanes]));
    }
}

/// Bits of output that schemes say they used.
static USED_BITS: [u32; MAX_OPEN] = [0; MAX_OPEN];

/// Ticks of one round inside and outside of the row, the least of several measurements.
fn measure<S: Symmetric, C: Counter>(
    profiled: &mut Profiled<S, Recorder<C>>,
    row: usize,
    mut round: impl FnMut(&mut Profiled<S, Recorder<C>>),
) -> (f32, f32) {
    let (rounds, measurements) = match profiled.probe.counter.is_exact() {
        true => (EXACT_ROUNDS, EXACT_MEASUREMENTS),
        false => (ROUNDS, MEASUREMENTS),
    };
    let mut least = (0, u64::MAX);
    for _ in 0..measurements {
        profiled.probe.nodes[row].ticks = 0;
        profiled.probe.current = profiled.probe.nodes[row].parent();
        let start = profiled.probe.counter.read();
        (0..rounds).for_each(|_| round(profiled));
        let whole = profiled.probe.counter.read().saturating_sub(start);
        let inside = profiled.probe.nodes[row].ticks;
        if whole < least.1 {
            least = (inside, whole);
        }
    }
    let each = |ticks: u64| ticks as f32 / f32::from(rounds);
    (each(least.0), each(least.1.saturating_sub(least.0)))
}

/// The cost of calls like `node`'s, one by one and as many together as there were.
fn of_calls<S: Symmetric, C: Counter>(
    profiled: &mut Profiled<S, Recorder<C>>,
    row: usize,
    node: &Node,
    key: CallKey,
) -> ProbeCost {
    let mut take = |lanes: usize, more: u32| {
        let again = Again::new(key, lanes, more);
        // Compilers know nothing of the calls of a scheme either.
        measure(profiled, row, |profiled| black_box(&again).run(profiled))
    };
    let (interval_inside, single) = take(1, 0);
    let lanes = node.lanes as usize;
    let together = if lanes > 1 { take(lanes, 0).1 } else { single };
    let lane_outside = (together - single) / lanes.saturating_sub(1).max(1) as f32;
    let continued = if node.interval_shares > node.call_shares { take(1, 1).1 } else { single };
    ProbeCost {
        interval_inside,
        interval_outside: continued - single,
        call_outside: single - lane_outside,
        lane_outside,
    }
}

/// Measures what the probe costs in each row of its table: calls and phases like those that were recorded are made again, with
/// functions that do nothing, and [`Node::cost`] is what they take. What was recorded stays as it is.
pub fn calibrate<S: Symmetric, C: Counter>(profiled: &mut Profiled<S, Recorder<C>>) {
    for row in 1..profiled.probe.len {
        let mut node = profiled.probe.nodes[row];
        if node.calls == 0 {
            continue;
        }
        node.cost = match node.key {
            Key::Root => continue,
            Key::Call(key) => of_calls(profiled, row, &node, key),
            Key::Phase(phase) => {
                let (inside, outside) = measure(profiled, row, |profiled| profiled.phase(black_box(phase), |_| ()));
                ProbeCost { interval_inside: inside, call_outside: outside, ..ProbeCost::default() }
            }
        };
        profiled.probe.nodes[row] = node;
    }
    profiled.probe.current = 0;
}

/// Ticks of an interval of a call in which nothing happens.
pub fn empty_interval<S: Symmetric, C: Counter>(suite: S, counter: C) -> f64 {
    let mut profiled = Profiled::new(suite, Recorder::new(counter));
    let key = CallKey { role: Role::Noise, form: Form::Extendable, own: 0, in_bytes: 1, out_bytes: 1 };
    let again = Again::new(key, 1, 0);
    again.run(&mut profiled);
    measure(&mut profiled, 1, |profiled| black_box(&again).run(profiled)).0.into()
}
