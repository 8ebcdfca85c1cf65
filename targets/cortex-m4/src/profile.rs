//! Times an operation: trials without probes and with them in turns, as `kemprof` does on the host.

use crate::arena::Arena;
use crate::bench::Bench;
use crate::clockwork::Clockwork;
use crate::counter::Cycles;
use crate::fail::Failure;
use crate::functions::{Functions, Probed};
use crate::host::Answer;
use crate::{marks, stack};
use arrayvec::ArrayVec;
use core::fmt;
use core::hint::black_box;
use kemprof_core::recorder::calibrate;
use kemprof_core::{Counter, ProbeCost, Profiled, Recorder};
use kemprof_protocol::{Line, MAX_TRIALS, NodeLine, Profile, StackUse, TrialKind};

/// Ticks of a trial without probes, and of the one with them that ran right after it.
type Trials = ArrayVec<(u64, u64), MAX_TRIALS>;

/// What was measured, but for the recorder's table.
struct Measured<'a> {
    profile: &'a Profile,
    /// Whether any figure of ticks is one.
    counts: bool,
    trials: Trials,
    stack: StackUse,
    wraps: Line<'static>,
}

/// The command `profile`: measures, then hands the lines of its answer to `send`.
#[inline(never)]
pub(crate) fn run(
    profile: &Profile,
    mut clockwork: Clockwork<'_>,
    arena: Arena,
    send: impl FnOnce(&mut dyn FnMut(&mut Answer) -> fmt::Result),
) -> Result<(), Failure> {
    if profile.trials as usize > MAX_TRIALS {
        return Err(Failure::TooMany { asked: profile.trials, most: MAX_TRIALS });
    }
    let mut bench = Bench::prepare(profile, arena)?;
    let stack = depth(&mut bench, profile)?;
    warm_up(&mut bench, profile)?;
    clockwork.watch();
    let mut trials = Trials::new();
    let mut probed = empty_table(profile);
    warm_up_probed(&mut bench, profile, &mut probed)?;
    for _ in 0..profile.trials {
        clockwork.watch();
        let without = without_probes(&mut bench, profile)?;
        probed.inner = suite(profile);
        clockwork.watch();
        trials.push((without, with_probes(&mut bench, profile, &mut probed)?));
    }
    clockwork.watch();
    calibrate(&mut probed);
    clockwork.rest();
    let (counts, wraps) = (clockwork.counts(), clockwork.wraps());
    let measured = Measured { profile, counts, trials, stack, wraps };
    send(&mut |answer| report(answer, &measured, &probed.probe));
    Ok(())
}

/// The symmetric functions, seeded afresh: every trial draws the same.
fn suite(profile: &Profile) -> Functions {
    Functions::new(&profile.subject.backends, &profile.seed)
}

/// The stack of one operation, without probes.
#[inline(never)]
fn depth(bench: &mut Bench, profile: &Profile) -> Result<StackUse, Failure> {
    let mut suite = suite(profile);
    let (result, used) = stack::measure(|_| bench.run(profile.operation, &mut suite, 0));
    result?;
    Ok(used?)
}

#[inline(never)]
fn warm_up(bench: &mut Bench, profile: &Profile) -> Result<(), Failure> {
    let mut suite = suite(profile);
    (0..profile.warmups).try_for_each(|iteration| bench.run(profile.operation, &mut suite, iteration))
}

/// Makes the table's rows: in the first trial that would be cost that no calibration sees, a thousandth and more of a short operation.
#[inline(never)]
fn warm_up_probed(bench: &mut Bench, profile: &Profile, probed: &mut Probed) -> Result<(), Failure> {
    if profile.warmups > 0 {
        bench.run_probed(profile.operation, probed, 0)?;
        probed.probe.forget_counts();
    }
    Ok(())
}

/// In a frame of its own, so that the table is on the stack twice only while it is made.
#[inline(never)]
fn empty_table(profile: &Profile) -> Probed {
    Profiled::new(suite(profile), Recorder::new(Cycles::UNTESTED))
}

#[inline(never)]
fn without_probes(bench: &mut Bench, profile: &Profile) -> Result<u64, Failure> {
    let (mut suite, mut counter) = (suite(profile), Cycles::UNTESTED);
    marks::trial(|| {
        let start = counter.read();
        for iteration in 0..profile.iterations {
            bench.run(profile.operation, &mut suite, black_box(iteration))?;
        }
        Ok(counter.read().saturating_sub(start))
    })
}

#[inline(never)]
fn with_probes(bench: &mut Bench, profile: &Profile, probed: &mut Probed) -> Result<u64, Failure> {
    let mut counter = Cycles::UNTESTED;
    marks::probed(|| {
        let start = counter.read();
        for iteration in 0..profile.iterations {
            bench.run_probed(profile.operation, probed, black_box(iteration))?;
        }
        Ok(counter.read().saturating_sub(start))
    })
}

fn report(answer: &mut Answer, measured: &Measured<'_>, recorder: &Recorder<Cycles>) -> fmt::Result {
    let Measured { profile, counts, trials, stack, wraps } = measured;
    let operations = profile.iterations.into();
    let trial = |kind, ticks: u64| Line::Trial { kind, operations, ticks: counts.then_some(ticks) };
    for &(plain, probed) in trials {
        answer.lines([trial(TrialKind::Plain, plain), trial(TrialKind::Probed, probed)])?;
    }
    let nodes = recorder.nodes();
    answer.line(&Line::Nodes(nodes.len()))?;
    for mut node in nodes.iter().copied() {
        if !counts {
            (node.ticks, node.min, node.max, node.cost) = (0, 0, 0, ProbeCost::default());
        }
        answer.line(&Line::Node(NodeLine::from(&node)))?;
    }
    answer.lines([Line::Lost(recorder.lost()), Line::Stack(*stack), *wraps])
}
