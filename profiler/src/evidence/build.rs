use super::corrected::Corrected;
use super::record::{
    Backends, CallRow, CounterRecord, Evidence, Memory, Operation, PathTicks, PhaseRow, Plan, ProbeCostRecord,
    ProfiledRun, SCHEMA, Sizes, Trial,
};
use super::{Derived, EstimateRecord, EventsRecord, Steadiness, calm};
use crate::counter::Fault;
use kemprof_core::ProbeCost;
use kemprof_core::recorder::{Key, Node};
use std::collections::BTreeMap;

/// What was run, and on what.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The KEM.
    pub instance: String,
    /// What was run.
    pub operation: Operation,
    /// How the matrix was sampled.
    pub sampling: String,
    /// The target triple of the code that ran.
    pub target: String,
    /// What ran it.
    pub runner: String,
    /// The symmetric functions.
    pub backends: Backends,
    /// Which code of each backend ran, by part.
    pub code: BTreeMap<String, String>,
    /// Where ticks come from.
    pub counter: CounterRecord,
    /// The machine, the build and the command.
    pub environment: serde_json::Value,
    /// What makes the figures less than they should be.
    pub warnings: Vec<String>,
    /// The verdict of the known-answer gate.
    pub kat: String,
    /// SHA-256 of the known answers that were reproduced.
    pub kat_digest: Option<String>,
    /// The seed of everything random.
    pub seed: Vec<u8>,
    /// How much was run.
    pub plan: Plan,
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// Memory in bytes.
    pub memory: Memory,
}

/// What a runner measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Trials without probes.
    pub trials: Vec<Trial>,
    /// Trials with probes, each run right after the one without of the same number.
    pub profiled_trials: Vec<Trial>,
    /// The recorder's rows over all trials with probes.
    pub nodes: Vec<Node>,
    /// The probe's cost in ticks; `None` when the counter gives no ticks.
    pub cost: Option<ProbeCost>,
    /// Why the counter gives no ticks.
    pub unavailable: Option<String>,
    /// Events, where any were asked for.
    pub events: Option<EventsRecord>,
    /// What the counter might have counted that took turns with others.
    pub estimate: Option<EstimateRecord>,
    /// What disturbed trials. Attempts that were repeated are not among the trials.
    pub steadiness: Steadiness,
}

impl Measured {
    /// The same run without its ticks, since this happened to the counter; with an estimate of them where there can be one.
    #[must_use]
    pub fn faulty(self, fault: &Fault) -> Self {
        let estimate = match *fault {
            Fault::TookTurns { schedule } => EstimateRecord::of(&self.trials, schedule),
            Fault::Unread(_) => None,
        };
        Self { estimate, ..self.without_ticks(&fault.to_string()) }
    }

    /// The same run without wall times: what ran it took its own time.
    #[must_use]
    pub fn without_seconds(mut self) -> Self {
        for trial in self.trials.iter_mut().chain(&mut self.profiled_trials) {
            trial.seconds = None;
        }
        self
    }

    /// The same run with nothing that its counter gave, and why.
    #[must_use]
    pub fn without_ticks(mut self, why: &str) -> Self {
        for trial in self.trials.iter_mut().chain(&mut self.profiled_trials) {
            (trial.ticks, trial.parts) = (None, None);
        }
        Self { cost: None, unavailable: Some(why.to_owned()), ..self }
    }
}

/// Why a run has no ticks though its counter moved.
const TOO_COARSE: &str = "the counter is too coarse for this operation: nothing is left of it but the probe's own cost";

impl Evidence {
    /// Makes the record of a run.
    #[must_use]
    pub fn build(subject: Subject, measured: Measured) -> Self {
        let ticks = Corrected::of(&measured.nodes, measured.cost.as_ref()).own.into_iter().sum::<Option<u64>>();
        let measured = if ticks == Some(0) { measured.without_ticks(TOO_COARSE) } else { measured };
        let Measured { mut trials, mut profiled_trials, nodes, cost, unavailable, events, estimate, steadiness } =
            measured;
        calm::mark(&mut trials, &mut profiled_trials);
        let corrected = Corrected::of(&nodes, cost.as_ref());
        let calls = call_rows(&nodes, &corrected);
        let phases = phase_rows(&nodes, &corrected);
        let parts = calls.iter().map(|call| call.ticks).chain(phases.iter().map(|phase| phase.self_ticks));
        let raw: u64 = nodes.iter().filter(|node| is_phase(node) && node.parent() == 0).map(|node| node.ticks).sum();
        let profiled = ProfiledRun {
            operations: profiled_trials.iter().map(|trial| trial.operations).sum(),
            ticks: parts.sum(),
            raw_ticks: cost.map(|_| raw),
            trials: profiled_trials,
        };
        let derived = Derived::of(&trials, &profiled, &calls);
        let mut counter = subject.counter;
        counter.unavailable = counter.unavailable.or(unavailable);
        let cost = cost.map(ProbeCostRecord::from);
        counter.overhead_per_call = cost.as_ref().map(overhead_per_call);
        let mut record = Self {
            schema: SCHEMA.to_owned(),
            instance: subject.instance,
            operation: subject.operation,
            sampling: subject.sampling,
            target: subject.target,
            runner: subject.runner,
            backends: subject.backends,
            code: Some(subject.code),
            counter,
            environment: subject.environment,
            warnings: subject.warnings,
            kat: subject.kat,
            kat_digest: subject.kat_digest,
            seed: hex::encode(subject.seed),
            plan: subject.plan,
            processes: 1,
            steadiness,
            trials,
            profiled,
            probe_cost: cost,
            calls,
            phases,
            events,
            estimate,
            sizes: subject.sizes,
            memory: subject.memory,
            derived,
        };
        record.warnings.extend(record.doubts());
        record
    }
}

impl From<ProbeCost> for ProbeCostRecord {
    fn from(cost: ProbeCost) -> Self {
        Self {
            interval_inside: cost.interval_inside,
            interval_outside: cost.interval_outside,
            call_outside: cost.call_outside,
            phase_inside: cost.phase_inside,
            phase_outside: cost.phase_outside,
        }
    }
}

/// What the probe costs around one call, in ticks to a tenth.
pub(super) fn overhead_per_call(cost: &ProbeCostRecord) -> f64 {
    ((cost.interval_inside + cost.interval_outside + cost.call_outside) * 10.0).round() / 10.0
}

fn is_phase(node: &Node) -> bool {
    matches!(node.key, Key::Phase(_))
}

/// The names of the phases around and including `index`, outermost first.
fn path(nodes: &[Node], mut index: usize) -> Vec<String> {
    let mut names = Vec::new();
    while let Key::Phase(phase) = nodes[index].key {
        names.push(phase.name().to_owned());
        index = nodes[index].parent();
    }
    names.reverse();
    names
}

fn phase_rows(nodes: &[Node], corrected: &Corrected) -> Vec<PhaseRow> {
    let row = |(index, node): (usize, &Node)| PhaseRow {
        path: path(nodes, index),
        calls: node.calls,
        ticks: corrected.with_children(nodes, index),
        self_ticks: corrected.own[index],
    };
    nodes.iter().enumerate().filter(|(_, node)| is_phase(node)).map(row).collect()
}

fn call_rows(nodes: &[Node], corrected: &Corrected) -> Vec<CallRow> {
    let mut rows: Vec<CallRow> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let (Key::Call(key), Some(function)) = (node.key, node.function) else { continue };
        let one = CallRow {
            function: function.name.to_owned(),
            role: key.role.name().to_owned(),
            in_bits: 8 * u64::from(key.in_bytes),
            out_bits: 8 * u64::from(key.out_bytes),
            used_bits: node.used_bits as f64 / node.calls as f64,
            permutations: node.permutations as f64 / node.calls as f64,
            permutation: function.permutation.to_owned(),
            lanes: node.lanes,
            calls: node.calls,
            ticks: corrected.own[index],
            min: corrected.single(index, node.min),
            max: corrected.single(index, node.max),
            paths: vec![PathTicks { path: path(nodes, node.parent()), calls: node.calls, ticks: corrected.own[index] }],
        };
        CallRow::add_to(&mut rows, one);
    }
    sort_calls(&mut rows);
    rows
}

/// Puts rows in the order in which a reader looks for them.
pub(super) fn sort_calls(rows: &mut [CallRow]) {
    let order = |row: &CallRow| kemprof_core::Role::ALL.iter().position(|role| role.name() == row.role);
    rows.sort_by_key(|row| (row.is_generator(), order(row), row.in_bits, row.out_bits));
}

impl CallRow {
    fn is_like(&self, other: &Self) -> bool {
        (&self.function, &self.role, self.in_bits, self.out_bits)
            == (&other.function, &other.role, other.in_bits, other.out_bits)
    }

    /// Adds calls to the row of those that are like them, made where there is none.
    pub(super) fn add_to(rows: &mut Vec<Self>, row: Self) {
        match rows.iter_mut().find(|mine| mine.is_like(&row)) {
            Some(mine) => mine.merge(row),
            None => rows.push(row),
        }
    }

    fn merge(&mut self, other: Self) {
        let calls = (self.calls + other.calls) as f64;
        let mean = |mine: f64, theirs: f64| (mine * self.calls as f64 + theirs * other.calls as f64) / calls;
        self.used_bits = mean(self.used_bits, other.used_bits);
        self.permutations = mean(self.permutations, other.permutations);
        self.lanes = self.lanes.max(other.lanes);
        self.calls += other.calls;
        self.ticks = self.ticks.zip(other.ticks).map(|(mine, theirs)| mine + theirs);
        self.min = self.min.zip(other.min).map(|(mine, theirs)| mine.min(theirs));
        self.max = self.max.zip(other.max).map(|(mine, theirs)| mine.max(theirs));
        for part in other.paths {
            match self.paths.iter_mut().find(|mine| mine.path == part.path) {
                Some(mine) => {
                    mine.calls += part.calls;
                    mine.ticks = mine.ticks.zip(part.ticks).map(|(mine, theirs)| mine + theirs);
                }
                None => self.paths.push(part),
            }
        }
    }
}
