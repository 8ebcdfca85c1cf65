use super::corrected::{Own, own, raw};
use super::intervals::intervals;
use super::record::{
    Backends, CallRow, CounterRecord, Evidence, GuestRecord, Memory, Operation, PathTicks, PhaseRow, Plan,
    ProbeCostRecord, ProfiledRun, SCHEMA, Sizes, Trial,
};
use super::{Derived, EventsRecord, Steadiness, calm};
use kemprof_core::recorder::{Key, Node};
use std::collections::BTreeMap;

/// What was run, and on what.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where the KEM comes from, if it is not built in.
    pub guest: Option<GuestRecord>,
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
    /// The recorder's rows over all trials with probes, with what the probe cost in each.
    pub nodes: Vec<Node>,
    /// The same rows, as far as there were some, for each trial with probes; empty where they were not taken one by one.
    pub by_trial: Vec<Vec<Node>>,
    /// Why the counter gives no ticks, where it gives none.
    pub unavailable: Option<String>,
    /// Events, where any were asked for.
    pub events: Option<EventsRecord>,
    /// What disturbed trials. Attempts that were repeated are not among the trials.
    pub steadiness: Steadiness,
}

impl Measured {
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
        self.trials.iter_mut().chain(&mut self.profiled_trials).for_each(|trial| trial.ticks = None);
        Self { unavailable: Some(why.to_owned()), ..self }
    }
}

/// Why a run has no ticks though its counter moved.
const TOO_COARSE: &str = "the counter is too coarse for this operation: nothing is left of it but the probe's own cost";

impl Evidence {
    /// Makes the record of a run.
    #[must_use]
    pub fn build(subject: Subject, measured: Measured) -> Self {
        let counts = measured.unavailable.is_none();
        let all: i64 = own(&measured.nodes).iter().map(|own| own.ticks).sum();
        let measured = if counts && all <= 0 { measured.without_ticks(TOO_COARSE) } else { measured };
        let Measured { mut trials, mut profiled_trials, nodes, by_trial, unavailable, events, steadiness } = measured;
        calm::mark(&mut trials, &mut profiled_trials);
        let uncounted = if by_trial.is_empty() { Vec::new() } else { calm::uncounted(&profiled_trials) };
        let mut profiled = ProfiledRun { trials: profiled_trials, uncounted, ..ProfiledRun::default() };
        let rows = Rows::new(&nodes, &by_trial, &profiled, unavailable.is_none());
        let (mut calls, mut phases) = (rows.calls(), rows.phases());
        let parts = calls.iter().map(|call| call.ticks).chain(phases.iter().map(|phase| phase.self_ticks));
        let all: Option<i64> = parts.sum();
        profiled.operations = profiled.counted().map(|(_, trial)| trial.operations).sum();
        profiled.ticks = all.and_then(|ticks| u64::try_from(ticks).ok());
        profiled.raw_ticks = all.map(|_| raw(&nodes));
        intervals(&mut profiled, &mut calls, &mut phases);
        let derived = Derived::of(&trials, &profiled, &calls, &phases);
        let mut counter = subject.counter;
        counter.unavailable = counter.unavailable.or(unavailable);
        let cost = profiled.ticks.map(|_| ProbeCostRecord::of(&nodes));
        counter.overhead_per_call = cost.as_ref().map(overhead_per_call);
        let mut record = Self {
            schema: SCHEMA.to_owned(),
            guest: subject.guest,
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
            sizes: subject.sizes,
            memory: subject.memory,
            derived,
        };
        record.warnings.extend(record.doubts());
        record
    }
}

impl ProbeCostRecord {
    /// The means over these rows.
    fn of(nodes: &[Node]) -> Self {
        let mean = |calls: bool, cost: fn(&Node) -> f64, count: fn(&Node) -> f64| {
            let rows = || nodes.iter().skip(1).filter(|node| matches!(node.key, Key::Call(_)) == calls);
            let count: f64 = rows().map(count).sum();
            if count > 0.0 { rows().map(cost).sum::<f64>() / count } else { 0.0 }
        };
        let further = |node: &Node| node.intervals() - node.openings();
        let further_outside =
            |node: &Node| f64::from(node.cost.interval_outside) * (node.intervals() - node.openings());
        let opening = |node: &Node| {
            f64::from(node.cost.call_outside) * node.openings() + f64::from(node.cost.lane_outside) * node.calls as f64
        };
        Self {
            interval_inside: mean(true, Node::cost_inside, Node::intervals),
            interval_outside: mean(true, further_outside, further),
            call_outside: mean(true, opening, Node::openings),
            phase_inside: mean(false, Node::cost_inside, Node::openings),
            phase_outside: mean(false, Node::cost_outside, Node::openings),
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

/// The recorder's rows over the trials that count, and their own ticks.
struct Rows {
    nodes: Vec<Node>,
    own: Vec<Own>,
    /// By trial, then by row; empty where they were not taken one by one.
    by_trial: Vec<Vec<Own>>,
    counts: bool,
}

impl Rows {
    /// From all `nodes`, and those of each trial; without figures unless the counter `counts`.
    fn new(nodes: &[Node], by_trial: &[Vec<Node>], profiled: &ProfiledRun, counts: bool) -> Self {
        if by_trial.is_empty() {
            return Self { nodes: nodes.to_vec(), own: own(nodes), by_trial: Vec::new(), counts };
        }
        let each: Vec<Vec<Own>> = by_trial.iter().map(|nodes| own(nodes)).collect();
        let mut counted: Vec<Node> = nodes.iter().map(Node::emptied).collect();
        let mut sums = vec![Own::default(); nodes.len()];
        // Which trials count is decided anew where several processes make one record, so that the extremes are those of all trials.
        counted.iter_mut().zip(nodes).for_each(|(node, all)| (node.min, node.max) = (all.min, all.max));
        for (trial, _) in profiled.counted() {
            counted.iter_mut().zip(&by_trial[trial]).for_each(|(node, of_trial)| node.add(of_trial));
            for (sum, of_trial) in sums.iter_mut().zip(&each[trial]) {
                *sum = Own { ticks: sum.ticks + of_trial.ticks, probe: sum.probe + of_trial.probe };
            }
        }
        Self { nodes: counted, own: sums, by_trial: if counts { each } else { Vec::new() }, counts }
    }

    fn figure<T>(&self, figure: T) -> Option<T> {
        self.counts.then_some(figure)
    }

    /// The row's own ticks in each trial. A row that was not there yet had none.
    fn in_trials(&self, row: usize) -> Vec<i64> {
        self.by_trial.iter().map(|rows| rows.get(row).map_or(0, |own| own.ticks)).collect()
    }

    /// The row's ticks with those of all rows under it.
    fn with_children(&self, row: usize) -> i64 {
        let children = (row + 1..self.nodes.len()).filter(|&child| self.nodes[child].parent() == row);
        children.map(|child| self.with_children(child)).sum::<i64>() + self.own[row].ticks
    }

    fn phases(&self) -> Vec<PhaseRow> {
        let row = |(index, node): (usize, &Node)| PhaseRow {
            path: path(&self.nodes, index),
            calls: node.calls,
            ticks: self.figure(self.with_children(index)),
            self_ticks: self.figure(self.own[index].ticks),
            probe_ticks: self.figure(self.own[index].probe),
            interval: None,
            trial_ticks: self.in_trials(index),
        };
        self.nodes.iter().enumerate().filter(|(_, node)| is_phase(node) && node.calls > 0).map(row).collect()
    }

    fn calls(&self) -> Vec<CallRow> {
        let mut rows: Vec<CallRow> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.calls > 0) {
            let (Key::Call(key), Some(function)) = (node.key, node.function) else { continue };
            let Own { ticks, probe } = self.own[index];
            let inside = (node.cost_inside() / node.calls as f64).round() as i64;
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
                ticks: self.figure(ticks),
                min: self.figure(node.min as i64 - inside),
                max: self.figure(node.max as i64 - inside),
                probe_ticks: self.figure(probe),
                interval: None,
                paths: vec![PathTicks {
                    path: path(&self.nodes, node.parent()),
                    calls: node.calls,
                    ticks: self.figure(ticks),
                    trial_ticks: self.in_trials(index),
                }],
            };
            CallRow::add_to(&mut rows, one);
        }
        sort_calls(&mut rows);
        rows
    }
}

/// The sum, element by element; either may be empty where there is nothing by trial.
pub(super) fn added(mine: &mut [i64], theirs: &[i64]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
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
        self.probe_ticks = self.probe_ticks.zip(other.probe_ticks).map(|(mine, theirs)| mine + theirs);
        for part in other.paths {
            match self.paths.iter_mut().find(|mine| mine.path == part.path) {
                Some(mine) => {
                    mine.calls += part.calls;
                    mine.ticks = mine.ticks.zip(part.ticks).map(|(mine, theirs)| mine + theirs);
                    added(&mut mine.trial_ticks, &part.trial_ticks);
                }
                None => self.paths.push(part),
            }
        }
    }
}
