//! Times one symmetric function alone, called as schemes call it.

use crate::arena::Arena;
use crate::clockwork::Clockwork;
use crate::counter::Cycles;
use crate::fail::Failure;
use crate::functions::Functions;
use arrayvec::ArrayVec;
use kemprof_core::recorder::{Stopwatch, Tally, empty_interval};
use kemprof_core::symmetric::{Form, MAX_BATCH_MESSAGE, Shape};
use kemprof_core::{Counter, NoProbe, Profiled, Role, Symmetric};
use kemprof_protocol::{FunctionCall, MAX_TRIALS, Sample};

/// The part of a sample that is run before it, untimed, is one in so many.
const WARM_UP: u32 = 4;
/// What generators are instantiated with.
const SEED: &[u8] = b"function";

/// What was measured.
pub(crate) struct Timed {
    pub(crate) samples: ArrayVec<Sample, MAX_TRIALS>,
    /// Ticks of an empty interval of a probe, and between two readings.
    pub(crate) empty: Option<(f64, u64)>,
}

/// The command `function`.
#[inline(never)]
pub(crate) fn time(call: &FunctionCall, clockwork: &mut Clockwork<'_>, mut arena: Arena) -> Result<Timed, Failure> {
    let suite = Functions::new(&call.backends, SEED);
    check(call, suite.lanes(call.shape.role))?;
    let input = arena.slice(call.shape.input_bytes())?;
    let output = arena.slice(call.shape.output_bytes())?;
    call.shape.fill(input);
    let mut timed = Timed { samples: ArrayVec::new(), empty: None };
    clockwork.watch();
    if let Ok(cycles) = clockwork.cycles {
        timed.empty = Some((interval(&suite, cycles), reading(cycles)));
    }
    let mut work = Work { call, input, output };
    for _ in 0..call.samples {
        timed.samples.push(sample(&mut work, &suite, clockwork));
    }
    clockwork.rest();
    Ok(timed)
}

/// Fails when the call is none that a scheme can make, over functions that take at most `together` messages at once.
fn check(call: &FunctionCall, together: usize) -> Result<(), Failure> {
    let FunctionCall { shape, samples, iterations, .. } = *call;
    let Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes } = shape;
    let batch = prefix_bytes > 0;
    if samples as usize > MAX_TRIALS {
        return Err(Failure::TooMany { asked: samples, most: MAX_TRIALS });
    }
    let wrong = if iterations == 0 || lanes == 0 || out_bytes == 0 {
        "no calls, no messages or no output"
    } else if (form == Form::Generator) != (role == Role::Entropy) {
        "the generator is for entropy and entropy is from the generator"
    } else if batch && form != Form::Extendable || !batch && lanes > 1 {
        "only extendable output comes in batches, which have a prefix"
    } else if batch && in_bytes > MAX_BATCH_MESSAGE {
        "messages of a batch are short"
    } else if lanes > together {
        "more messages at once than the functions take together on this processor"
    } else if batch && prefix_bytes >= in_bytes {
        "messages of a batch go on behind their prefix"
    } else if matches!(form, Form::Fixed(bytes) if bytes != out_bytes) {
        "the function has one length of output"
    } else {
        return Ok(());
    };
    Err(Failure::Impossible(wrong))
}

/// In a frame of its own, since it has a table of its own.
#[inline(never)]
fn interval(suite: &Functions, cycles: Cycles) -> f64 {
    empty_interval(suite.clone(), cycles)
}

/// Ticks between two readings, the least of several.
fn reading(mut cycles: Cycles) -> u64 {
    let mut once = || {
        let start = cycles.read();
        cycles.read() - start
    };
    (0..16).map(|_| once()).min().unwrap_or(0)
}

/// The call, with room for its messages and outputs.
struct Work<'a> {
    call: &'a FunctionCall,
    input: &'a [u8],
    output: &'a mut [u8],
}

/// The same calls without a probe and with one, each warm.
fn sample(work: &mut Work<'_>, suite: &Functions, clockwork: &mut Clockwork<'_>) -> Sample {
    let iterations = work.call.iterations;
    let mut sample = Sample { calls: iterations.into(), ticks: None, inside: None, intervals: 0 };
    let mut plain = Profiled::new(suite.clone(), NoProbe);
    work.run(&mut plain, iterations.div_ceil(WARM_UP));
    let Ok(mut cycles) = clockwork.cycles else { return sample };
    clockwork.watch();
    let start = cycles.read();
    work.run(&mut plain, iterations);
    sample.ticks = Some(cycles.read() - start);
    let tally = Tally::default();
    let mut watched = Profiled::new(suite.clone(), Stopwatch::new(cycles, &tally));
    clockwork.watch();
    work.run(&mut watched, iterations);
    let (inside, intervals) = tally.take();
    sample.inside = Some(inside);
    sample.intervals = intervals;
    sample
}

impl Work<'_> {
    #[inline(never)]
    fn run<S: Symmetric>(&mut self, suite: &mut S, iterations: u32) {
        self.call.shape.call(suite, self.input, self.output, iterations.into());
    }
}
