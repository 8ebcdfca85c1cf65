//! One operation, interval by interval: what a trace shows.

use super::job::Job;
use super::native::{self, RunError};
use super::operation::Bench;
use kemprof_core::kem::Visitor;
use kemprof_core::probe::{Call, Output};
use kemprof_core::recorder::{CallKey, Counter, Key, Node, ProbeCost, Recorder, calibrate};
use kemprof_core::{Kem, Phase, Probe, Profiled, Role};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// What ran in a [`Span`].
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Ran {
    /// A phase of the scheme, by its name.
    Phase(Cow<'static, str>),
    /// An interval of a symmetric call.
    Call {
        /// The function that ran.
        function: Cow<'static, str>,
        /// What its permutations are of.
        permutation: Cow<'static, str>,
        /// What the scheme uses it for.
        role: Role,
        /// Bytes of input, of each message.
        in_bytes: usize,
        /// Messages that run together as one call.
        lanes: usize,
        /// What each of its messages put out in all of its intervals.
        outputs: Vec<Output>,
        /// Which of its intervals this is, from 1.
        interval: usize,
        /// How many it has.
        intervals: usize,
    },
}

/// A time in which something ran.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// What ran.
    pub ran: Ran,
    /// When it began and ended, in ticks since the operation began, or in steps where nothing was timed. No span ends before
    /// it begins, or outlasts the one around it.
    pub from_to: [f64; 2],
    /// Ticks that it took. What is shorter than what the probe was found to cost comes out below 0. `None` where nothing was
    /// timed.
    pub ticks: Option<f64>,
}

/// One operation as it went, the probe's cost taken off where it fell.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Timeline {
    /// Phases and intervals of calls, in the order in which they began.
    pub spans: Vec<Span>,
    /// Ticks that watching took within the operation. `None` where nothing was timed.
    pub probe_ticks: Option<f64>,
    /// Operations of which this one took the median.
    pub operations: usize,
}

/// Operations of which the one that takes the median is shown: the first ones find caches cold.
const OPERATIONS: usize = 15;

/// Runs the operation of `job` by `counter` and shows the one of several that took the median; without a counter, the order of
/// its steps.
///
/// # Errors
/// See [`RunError`].
pub fn timeline<C: Counter>(job: &Job, counter: Option<C>) -> Result<Timeline, RunError> {
    let script = native::observe(job, Script::default())?;
    match counter {
        Some(counter) => {
            let operations = if counter.is_exact() { 1 } else { OPERATIONS };
            let steps = script.steps.len();
            let (readings, nodes) = native::visit(job, Watch { job, counter, steps, operations })?;
            Ok(Timeline { operations, ..script.timed(&readings, &nodes) })
        }
        None => Ok(script.untimed()),
    }
}

/// Takes the readings of the recorder that are its steps, and its rows, calibrated.
struct Watch<'a, C> {
    job: &'a Job,
    counter: C,
    steps: usize,
    operations: usize,
}

impl<C: Counter> Visitor for Watch<'_, C> {
    type Output = Result<(Vec<u64>, Vec<Node>), RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { job, counter, steps, operations } = self;
        let mut bench = Bench::<K>::prepare(job)?;
        let log = Rc::new(Log::with_room(steps));
        let mut profiled = Profiled::new(job.suite(), Recorder::new(Logged { counter, log: Rc::clone(&log) }));
        // Rows are made here, which no calibration sees.
        bench.run(&mut profiled, 0)?;
        let mut taken = Vec::new();
        for _ in 0..operations {
            profiled.inner = job.suite();
            profiled.probe.forget_counts();
            log.next.set(0);
            bench.run(&mut profiled, 0)?;
            taken.push((log.taken(), profiled.probe.nodes().to_vec()));
        }
        if profiled.probe.lost() > 0 {
            return Err(RunError::TableFull(profiled.probe.lost()));
        }
        calibrate(&mut profiled);
        taken.sort_by_key(|(readings, _)| readings.last().zip(readings.first()).map(|(last, first)| last - first));
        let (readings, mut nodes) = taken.swap_remove(operations / 2);
        nodes.iter_mut().zip(profiled.probe.nodes()).for_each(|(node, calibrated)| node.cost = calibrated.cost);
        Ok((readings, nodes))
    }
}

/// The last readings of a counter.
#[derive(Debug)]
struct Log {
    readings: Box<[Cell<u64>]>,
    next: Cell<usize>,
}

impl Log {
    fn with_room(readings: usize) -> Self {
        // A power of two: then every reading takes as long to note, whether it is the first or the last.
        Self { readings: vec![Cell::new(0); readings.next_power_of_two()].into(), next: Cell::new(0) }
    }

    /// The readings since the log began at 0.
    fn taken(&self) -> Vec<u64> {
        self.readings.iter().take(self.next.get()).map(Cell::get).collect()
    }
}

/// A counter whose readings are kept. The recorder is calibrated with it, so that keeping them is part of the probe's cost.
struct Logged<C> {
    counter: C,
    log: Rc<Log>,
}

impl<C: Counter> Counter for Logged<C> {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        let count = self.counter.read();
        let next = self.log.next.get();
        self.log.readings[next & (self.log.readings.len() - 1)].set(count);
        self.log.next.set(next + 1);
        count
    }

    fn is_exact(&self) -> bool {
        self.counter.is_exact()
    }
}

/// What a recorder reads its counter for, in order.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enter(Phase),
    Exit,
    /// Of the call of this number, which interval, from 1.
    Resume(usize, usize),
    Pause(usize, usize),
}

/// What is known of a call when it is over.
#[derive(Clone, Debug)]
struct Closed {
    call: Call,
    outputs: Vec<Output>,
    intervals: usize,
}

/// The probe that notes what happens, without times: it is the same each time.
#[derive(Debug, Default)]
struct Script {
    steps: Vec<Step>,
    calls: Vec<Closed>,
}

impl Probe for Script {
    type Open = usize;

    fn enter(&mut self, phase: Phase) {
        self.steps.push(Step::Enter(phase));
    }

    fn exit(&mut self, _phase: Phase) {
        self.steps.push(Step::Exit);
    }

    fn open(&mut self, call: &Call) -> usize {
        self.calls.push(Closed { call: *call, outputs: Vec::new(), intervals: 0 });
        self.calls.len() - 1
    }

    fn resume(&mut self, open: &mut usize) {
        let closed = &mut self.calls[*open];
        closed.intervals += 1;
        self.steps.push(Step::Resume(*open, closed.intervals));
    }

    fn pause(&mut self, open: &mut usize) {
        self.steps.push(Step::Pause(*open, self.calls[*open].intervals));
    }

    fn close(&mut self, open: usize, _call: &Call, outputs: &[Output]) {
        self.calls[open].outputs = outputs.to_vec();
    }
}

impl Script {
    /// The order of steps, each as long as any other.
    fn untimed(self) -> Timeline {
        let spans = self.spans(&(0..self.steps.len()).map(|step| step as f64).collect::<Vec<_>>());
        let spans = spans.into_iter().map(|span| Span { ticks: None, ..span }).collect();
        Timeline { spans, probe_ticks: None, operations: 1 }
    }

    /// Gives every step its reading, and takes off what the probe cost until then.
    fn timed(self, readings: &[u64], nodes: &[Node]) -> Timeline {
        assert_eq!(self.steps.len(), readings.len(), "the recorder reads the counter once a step");
        let costs = self.costs(nodes);
        let mut cost = 0.0;
        let time = |(&reading, [before, after]): (&u64, [f64; 2])| {
            let time = reading.saturating_sub(readings[0]) as f64 - cost - before;
            cost += before + after;
            time
        };
        let times: Vec<f64> = readings.iter().zip(costs).map(time).collect();
        Timeline { spans: self.spans(&times), probe_ticks: Some(cost), operations: 1 }
    }

    /// What the probe costs right before the reading of each step, and right after it, by the recorder's rows.
    fn costs(&self, nodes: &[Node]) -> Vec<[f64; 2]> {
        let child = |parent: usize, key: Key| {
            nodes.iter().enumerate().skip(1).find(|(_, node)| node.parent() == parent && node.key == key)
        };
        let mut rows = vec![0];
        let cost = |step: &Step| {
            let row = rows.last().copied().unwrap_or(0);
            match *step {
                Step::Enter(phase) => {
                    let found = child(row, Key::Phase(phase));
                    rows.push(found.map_or(row, |(row, _)| row));
                    // Before the operation nothing is timed.
                    let outside = found.filter(|_| row > 0).map_or(0.0, |(_, node)| node.cost.call_outside);
                    [f64::from(outside), 0.0]
                }
                Step::Exit => {
                    rows.pop();
                    [f64::from(nodes[row].cost.interval_inside), 0.0]
                }
                Step::Resume(number, interval) | Step::Pause(number, interval) => {
                    let closed = &self.calls[number];
                    let of = closed.cost(|key| child(row, Key::Call(key)).map(|(_, node)| node.cost));
                    // Half of what is outside of a call is taken to be before it, and half after; what its messages cost is after.
                    let opening = f64::from(of.call_outside) / 2.0;
                    match *step {
                        Step::Resume(..) if interval == 1 => [opening, 0.0],
                        Step::Resume(..) => [f64::from(of.interval_outside), 0.0],
                        _ if interval == closed.intervals => {
                            [f64::from(of.interval_inside), opening + f64::from(of.lane_outside)]
                        }
                        _ => [f64::from(of.interval_inside), 0.0],
                    }
                }
            }
        };
        self.steps.iter().map(cost).collect()
    }

    /// The spans between steps at these times.
    fn spans(&self, times: &[f64]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut open = Vec::new();
        let mut shown = 0.0;
        for (step, &time) in self.steps.iter().zip(times) {
            shown = f64::max(shown, time);
            let ran = match *step {
                Step::Enter(phase) => Ran::Phase(phase.name().into()),
                Step::Resume(number, interval) => {
                    let Closed { call, outputs, intervals } = self.calls[number].clone();
                    let Call { function, role, in_bytes, lanes, .. } = call;
                    let (function, permutation) = (function.name.into(), function.permutation.into());
                    Ran::Call { function, permutation, role, in_bytes, lanes, outputs, interval, intervals }
                }
                Step::Exit | Step::Pause(..) => {
                    let (index, began): (usize, f64) = open.pop().expect("what ends has begun");
                    spans[index].from_to[1] = shown;
                    spans[index].ticks = Some(time - began);
                    continue;
                }
            };
            open.push((spans.len(), time));
            spans.push(Span { ran, from_to: [shown; 2], ticks: None });
        }
        spans
    }
}

impl Closed {
    /// What the probe costs around this call, where each of its messages has a row that says so: of their shares in it the sum.
    fn cost(&self, of: impl Fn(CallKey) -> Option<ProbeCost>) -> ProbeCost {
        let Call { role, form, own, in_bytes, .. } = self.call;
        let lanes = self.outputs.len() as f32;
        self.outputs.iter().fold(ProbeCost::default(), |sum, output| {
            let key = CallKey { role, form, own, in_bytes: in_bytes as u32, out_bytes: output.out_bytes as u32 };
            let lane = of(key).unwrap_or_default();
            ProbeCost {
                interval_inside: sum.interval_inside + lane.interval_inside / lanes,
                interval_outside: sum.interval_outside + lane.interval_outside / lanes,
                call_outside: sum.call_outside + lane.call_outside / lanes,
                lane_outside: sum.lane_outside + lane.lane_outside,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture;
    use crate::evidence::{CallRow, Evidence, Measured, Operation, Plan, Subject, Trial};
    use crate::runner::{SuiteSpec, observe};
    use kemprof_core::Sampling;
    use kemprof_core::trace::TracingProbe;
    use std::io;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::fmt::format::FmtSpan;

    /// Each reading takes [`READING`] ticks, and what runs before it as many as the next of a script says, as long as it lasts.
    #[derive(Clone)]
    struct Scripted {
        now: u64,
        left: u64,
    }

    const READING: u64 = 10;
    const WORK: u64 = 1000;

    impl Counter for Scripted {
        fn read(&mut self) -> u64 {
            self.left = self.left.saturating_sub(1);
            self.now += READING + if self.left > 0 { WORK + self.left % 7 * 100 } else { 0 };
            self.now
        }
    }

    fn job(instance: &str, hash: &str, sampling: Sampling) -> Job {
        let plan = Plan { trials: 1, iterations_per_trial: 1, warmups: 0 };
        let spec: SuiteSpec = hash.parse().expect("a suite");
        Job { instance: instance.to_owned(), operation: Operation::Enc, spec, sampling, seed: vec![1], plan }
    }

    fn jobs() -> [Job; 3] {
        [
            job("lwekem128", "placeholder", Sampling::Lazy),
            job("lwekem256", "sm3", Sampling::Lazy),
            job("ml-kem-768", "shake", Sampling::Eager),
        ]
    }

    fn subject(job: &Job) -> Subject {
        let like = fixture::record(&[], &[(&["enc"], 100)]);
        Subject {
            guest: None,
            instance: job.instance.clone(),
            operation: job.operation,
            sampling: like.sampling,
            target: like.target,
            runner: like.runner,
            backends: like.backends,
            code: like.code.unwrap_or_default(),
            counter: like.counter,
            environment: like.environment,
            warnings: like.warnings,
            kat: like.kat,
            kat_digest: like.kat_digest,
            seed: job.seed.clone(),
            plan: job.plan.clone(),
            sizes: like.sizes,
            memory: like.memory,
        }
    }

    #[test]
    fn its_sums_are_those_of_the_table_of_the_same_operation() {
        for job in jobs() {
            let script = observe(&job, Script::default()).expect("runs");
            // As many readings as are taken before the probe is calibrated, which costs READING a reading.
            let counter = Scripted { now: 0, left: script.steps.len() as u64 * (OPERATIONS as u64 + 1) + 1 };
            let steps = script.steps.len();
            let (readings, nodes) =
                native::visit(&job, Watch { job: &job, counter, steps, operations: OPERATIONS }).expect("runs");
            let timeline = script.timed(&readings, &nodes);

            let trials = || vec![Trial::new(1, Some(1), None)];
            let measured = Measured { trials: trials(), profiled_trials: trials(), nodes, ..Measured::default() };
            let record = Evidence::build(subject(&job), measured);
            let table = |chosen: &dyn Fn(&CallRow) -> bool| {
                let rows = record.calls.iter().filter(|row| chosen(row));
                rows.map(|row| row.ticks.expect("ticks")).sum::<i64>() as f64
            };
            for row in &record.calls {
                let traced: f64 = timeline.spans.iter().map(|span| ticks_for(span, row)).sum();
                let expected = table(&|other| std::ptr::eq(row, other));
                assert!((traced - expected).abs() <= 1.0, "{} {}: {traced}, not {expected}", row.function, row.role);
            }
            let total = record.profiled.ticks.expect("ticks") as f64;
            let whole = timeline.spans[0].ticks.expect("ticks");
            assert!(
                (whole - total).abs() <= record.phases.len() as f64 && total > 10.0 * WORK as f64,
                "{whole}, {total}"
            );
            let probe = timeline.probe_ticks.expect("ticks");
            // Of rounds that follow each other, the one reading that begins them is charged to them too.
            assert!((probe / (READING as f64 * (steps - 1) as f64) - 1.0).abs() < 0.01, "{probe} of {steps}");
        }
    }

    /// What the span took for messages of this row.
    fn ticks_for(span: &Span, row: &CallRow) -> f64 {
        let Ran::Call { function, role, in_bytes, outputs, .. } = &span.ran else { return 0.0 };
        if (function.as_ref(), role.name(), 8 * *in_bytes as u64)
            != (row.function.as_str(), row.role.as_str(), row.in_bits)
        {
            return 0.0;
        }
        let messages = outputs.iter().filter(|output| 8 * output.out_bytes as u64 == row.out_bits).count();
        span.ticks.expect("ticks") * messages as f64 / outputs.len() as f64
    }

    #[test]
    fn spans_nest_and_none_ends_before_it_begins() {
        for job in jobs() {
            // Whatever the probe is found to cost: here, more than anything takes.
            let script = observe(&job, Script::default()).expect("runs");
            let costly = script.steps.iter().enumerate().map(|(step, _)| [200.0, -150.0][step % 2] * step as f64);
            let spans = script.spans(&costly.collect::<Vec<_>>());
            let untimed = script.untimed();
            assert!(untimed.probe_ticks.is_none() && untimed.spans.iter().all(|span| span.ticks.is_none()));
            for spans in [spans, untimed.spans] {
                let mut open: Vec<[f64; 2]> = Vec::new();
                for Span { from_to: [from, to], .. } in spans {
                    assert!(from <= to);
                    open.retain(|around| around[1] > from);
                    assert!(open.last().is_none_or(|around| to <= around[1]), "{from} to {to} in {open:?}");
                    open.push([from, to]);
                }
            }
        }
    }

    /// What a subscriber writes.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no thread panicked").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_subscriber_to_tracing_sees_the_same_calls() {
        let [job, ..] = jobs();
        let script = observe(&job, Script::default()).expect("runs");
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt().with_span_events(FmtSpan::CLOSE).with_ansi(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || observe(&job, TracingProbe::new())).expect("runs");
        let text = String::from_utf8(written.0.lock().expect("no thread panicked").clone()).expect("text");
        assert_eq!(text.matches("symmetric{function=").count(), script.calls.len(), "{text}");
        for Closed { call, outputs, .. } in &script.calls {
            let of_all = |count: fn(&Output) -> u64| outputs.iter().map(count).sum::<u64>();
            let fields = format!(
                "function=\"{}\" role=\"{}\" lanes={} in_bits={} out_bits={} used_bits={} permutations={}}}",
                call.function.name,
                call.role.name(),
                call.lanes,
                8 * call.in_bytes * call.lanes,
                of_all(|output| 8 * output.out_bytes as u64),
                of_all(|output| output.used_bits.into()),
                of_all(|output| output.permutations),
            );
            assert!(text.contains(&fields), "no {fields} in\n{text}");
        }
    }
}
