//! Two records of one operation, part by part.

use super::parts::{pieces, scale};
use crate::evidence::Evidence;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// Relative difference of counter rates up to which they are of one counter: a rate that is measured at each start moves
/// by parts in a million.
const RATE_TOLERANCE: f64 = 0.01;

/// Share of the operation, before or after, from which a part's own growth counts for a gate. What is smaller moves by
/// noise alone.
pub const GATED_SHARE: f64 = 0.05;

/// Two records that say nothing about each other.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("these records cannot be compared: {}", .0.join("; "))]
pub struct Incomparable(Vec<String>);

/// Why a gate cannot decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NoGate {
    /// A record has no ticks.
    #[error("--fail-above needs ticks on both sides, and these records were not both taken with a working counter")]
    NoTicks,
    /// A record was taken where ticks mean nothing.
    #[error(
        "--fail-above needs ticks that mean something, and a counter under emulation without a model of time has none"
    )]
    NotMeaningful,
}

/// A figure before and after.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Pair {
    /// Before.
    pub before: Option<f64>,
    /// After.
    pub after: Option<f64>,
}

impl Pair {
    /// Growth as a fraction of what was before: 0.1 is a tenth more. `None` where either is missing or nothing was before.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        let before = self.before.filter(|&before| before > 0.0)?;
        Some(self.after? / before - 1.0)
    }
}

/// Part of the operation. All figures are of one operation; ticks are scaled to its median without probes, as the total is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The function (`pseudoXOF → shake128` where another serves the role), or the path of the phase.
    pub name: String,
    /// The role of a function.
    pub role: Option<String>,
    /// Calls, or times that a phase ran.
    pub calls: Pair,
    /// Permutations, of a function.
    pub permutations: Option<Pair>,
    /// Ticks: of a phase without the phases and calls inside it.
    pub ticks: Pair,
    /// Growth of the ticks as a fraction of what they were.
    pub change: Option<f64>,
    /// Growth of the ticks as a fraction of the total before: over all rows, these add up to the change of the total.
    pub of_total: Option<f64>,
}

/// A side of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Side {
    /// The symmetric functions.
    pub backends: String,
    /// How the matrix was sampled.
    pub sampling: String,
}

/// What changed from one record to another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Diff {
    /// The KEM.
    pub instance: String,
    /// The operation.
    pub operation: String,
    /// The target triple.
    pub target: String,
    /// The counter, in words.
    pub counter: String,
    /// Unit of all ticks.
    pub unit: String,
    /// What was run before.
    pub before: Side,
    /// What was run after.
    pub after: Side,
    /// What a reader must know to judge the figures.
    pub notes: Vec<String>,
    /// Functions by role.
    pub functions: Vec<Row>,
    /// Phases.
    pub phases: Vec<Row>,
    /// The operation without probes: medians. Calls and permutations are those of all functions.
    pub total: Row,
    /// The operation without probes: means.
    pub mean: Pair,
    /// Whether the ticks mean anything.
    #[serde(skip)]
    meaningful: bool,
}

/// A part that grew by more than it may.
#[derive(Clone, PartialEq, Debug)]
pub struct Regression {
    /// The part.
    pub what: String,
    /// Its ticks.
    pub ticks: Pair,
    /// The unit of them.
    pub unit: String,
    /// The limit in percent.
    pub limit: f64,
    /// How many more parts grew by more than it.
    pub others: usize,
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, ticks, unit, limit, others } = self;
        match ticks.change() {
            Some(growth) => write!(f, "{what} grew by {:.1} %", 100.0 * growth)?,
            None => write!(f, "{what} grew from nothing")?,
        }
        let [before, after] = [ticks.before, ticks.after].map(Option::unwrap_or_default);
        write!(f, " ({before:.0} to {after:.0} {unit} per operation), more than the {limit} % allowed")?;
        match others {
            0 => Ok(()),
            1 => f.write_str("; so did 1 other part"),
            others => write!(f, "; so did {others} other parts"),
        }
    }
}

/// What is different that must not be.
///
/// # Errors
/// When the records differ in instance, operation, target or counter.
pub fn comparable(before: &Evidence, after: &Evidence) -> Result<(), Incomparable> {
    let (mine, theirs) = (&before.counter, &after.counter);
    let rate = |hz: Option<u64>| hz.map_or("no fixed rate".to_owned(), |hz| format!("{hz} Hz"));
    let same_rate = match (mine.hz, theirs.hz) {
        (Some(a), Some(b)) => a.abs_diff(b) as f64 <= RATE_TOLERANCE * a.max(b) as f64,
        (a, b) => a == b,
    };
    let fields = [
        ("instance", before.instance.clone(), after.instance.clone(), before.instance == after.instance),
        ("operation", before.operation.to_string(), after.operation.to_string(), before.operation == after.operation),
        ("target", before.target.clone(), after.target.clone(), before.target == after.target),
        ("counter", mine.name.clone(), theirs.name.clone(), mine.name == theirs.name),
        ("unit of the counter", mine.unit.clone(), theirs.unit.clone(), mine.unit == theirs.unit),
        ("rate of the counter", rate(mine.hz), rate(theirs.hz), same_rate),
    ];
    let different = fields.iter().filter(|(_, _, _, same)| !same);
    let found: Vec<String> =
        different.map(|(field, before, after, _)| format!("{field} is {before} before and {after} after")).collect();
    if found.is_empty() { Ok(()) } else { Err(Incomparable(found)) }
}

/// What is different that may be, but must be said.
fn notes(before: &Evidence, after: &Evidence) -> Vec<String> {
    let machine = |evidence: &Evidence, field: &str| {
        evidence.environment.get(field).and_then(|value| value.as_str()).unwrap_or("not recorded").to_owned()
    };
    let plan =
        |evidence: &Evidence| format!("{} × {} operations", evidence.plan.trials, evidence.plan.iterations_per_trial);
    let meaning =
        |evidence: &Evidence| if evidence.counter.meaningful { "mean something" } else { "mean nothing" }.to_owned();
    let fields = [
        ("backends", backends(before), backends(after)),
        ("sampling", before.sampling.clone(), after.sampling.clone()),
        ("seed", before.seed.clone(), after.seed.clone()),
        ("plan", plan(before), plan(after)),
        ("runner", before.runner.clone(), after.runner.clone()),
        ("processor", machine(before, "cpu_model"), machine(after, "cpu_model")),
        ("compiler", machine(before, "compiler"), machine(after, "compiler")),
        ("ticks", meaning(before), meaning(after)),
    ];
    let differs = fields.into_iter().filter(|(_, before, after)| before != after);
    let mut notes: Vec<String> =
        differs.map(|(field, before, after)| format!("{field}: {before} before, {after} after")).collect();
    if before.profiled.ticks.is_none() || after.profiled.ticks.is_none() {
        notes.push("not both records have ticks: only calls and permutations are compared".to_owned());
    } else if !before.counter.meaningful && !after.counter.meaningful {
        notes.push("ticks mean nothing on either side: compare calls and permutations".to_owned());
    }
    notes
}

/// The backends with the generator.
fn backends(evidence: &Evidence) -> String {
    format!("{} with {}", evidence.suite(), evidence.backends.drng)
}

/// What changed from `before` to `after`.
///
/// # Errors
/// When the records differ in instance, operation, target or counter.
pub fn diff(before: &Evidence, after: &Evidence) -> Result<Diff, Incomparable> {
    comparable(before, after)?;
    let sides = [Costs::of(before), Costs::of(after)];
    let both = sides.iter().all(|side| side.scale.is_some());
    let total = Pair {
        before: before.derived.median.filter(|_| both).or(sides[0].total(both)),
        after: after.derived.median.filter(|_| both).or(sides[1].total(both)),
    };
    let row = |name: String, role: Option<String>, sums: [Sum; 2]| {
        let ticks = Pair { before: sums[0].ticks.filter(|_| both), after: sums[1].ticks.filter(|_| both) };
        let of_total = ticks.before.zip(ticks.after).zip(total.before.filter(|&total| total > 0.0));
        Row {
            name,
            calls: Pair { before: Some(sums[0].calls), after: Some(sums[1].calls) },
            permutations: role
                .is_some()
                .then_some(Pair { before: Some(sums[0].permutations), after: Some(sums[1].permutations) }),
            role,
            ticks,
            change: ticks.change(),
            of_total: of_total.map(|((before, after), total)| (after - before) / total),
        }
    };
    let functions = lines(before, after)
        .into_iter()
        .map(|line| row(line.name(), Some(line.role.clone()), sides.each_ref().map(|side| side.function(&line))));
    let phases = paths(before, after)
        .into_iter()
        .map(|path| row(path.join("/"), None, sides.each_ref().map(|side| side.phase(&path))));
    let (functions, phases): (Vec<Row>, Vec<Row>) = (functions.collect(), phases.collect());
    let sum = |of: fn(&Row) -> Option<Pair>| Pair {
        before: functions.iter().map(|row| of(row).and_then(|pair| pair.before)).sum(),
        after: functions.iter().map(|row| of(row).and_then(|pair| pair.after)).sum(),
    };
    Ok(Diff {
        instance: before.instance.clone(),
        operation: before.operation.to_string(),
        target: before.target.clone(),
        counter: before.counter.describe(),
        unit: before.counter.unit.clone(),
        before: Side { backends: backends(before), sampling: before.sampling.clone() },
        after: Side { backends: backends(after), sampling: after.sampling.clone() },
        notes: notes(before, after),
        total: Row {
            name: "total".to_owned(),
            role: None,
            calls: sum(|row| Some(row.calls)),
            permutations: Some(sum(|row| row.permutations)),
            ticks: total,
            change: total.change(),
            of_total: total.change(),
        },
        mean: Pair { before: before.derived.mean.filter(|_| both), after: after.derived.mean.filter(|_| both) },
        functions,
        phases,
        meaningful: before.counter.meaningful && after.counter.meaningful,
    })
}

impl Diff {
    /// The part that grew most among those that grew by more than `limit` percent: the total before all others, then parts
    /// that are at least [`GATED_SHARE`] of the operation before or after. `None` when none did.
    ///
    /// # Errors
    /// When there are no ticks to decide by.
    pub fn regression(&self, limit: f64) -> Result<Option<Regression>, NoGate> {
        let (Some(before), Some(after)) = (self.total.ticks.before, self.total.ticks.after) else {
            return Err(NoGate::NoTicks);
        };
        if !self.meaningful {
            return Err(NoGate::NotMeaningful);
        }
        let grew = |row: &&Row| match row.change {
            Some(change) => change > limit / 100.0,
            None => row.ticks.after > Some(0.0),
        };
        let gated =
            |row: &&Row| row.ticks.before >= Some(GATED_SHARE * before) || row.ticks.after >= Some(GATED_SHARE * after);
        let parts = self.functions.iter().chain(&self.phases).filter(gated);
        let mut found: Vec<&Row> = parts.filter(grew).collect();
        let growth = |row: &Row| row.change.unwrap_or(f64::INFINITY);
        found.sort_by(|a, b| growth(b).total_cmp(&growth(a)));
        if grew(&&self.total) {
            found.insert(0, &self.total);
        }
        Ok(found.first().map(|row| Regression {
            what: match &row.role {
                Some(role) => format!("{} for {role}", row.name),
                None => row.name.clone(),
            },
            ticks: row.ticks,
            unit: self.unit.clone(),
            limit,
            others: found.len() - 1,
        }))
    }
}

/// Functions that are compared with each other: one where both records use the same, else all of a role on either side.
#[derive(Debug)]
struct Line {
    role: String,
    functions: [Vec<String>; 2],
}

impl Line {
    fn name(&self) -> String {
        let [before, after] = self
            .functions
            .each_ref()
            .map(|names| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") });
        if before == after { before } else { format!("{before} → {after}") }
    }
}

/// The lines of a comparison, in the order in which the records list them.
fn lines(before: &Evidence, after: &Evidence) -> Vec<Line> {
    let functions = |evidence: &Evidence, role: &str| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for call in evidence.calls.iter().filter(|call| call.role == role) {
            if !names.contains(&call.function) {
                names.push(call.function.clone());
            }
        }
        names
    };
    let mut roles: Vec<&String> = Vec::new();
    for call in before.calls.iter().chain(&after.calls) {
        if !roles.contains(&&call.role) {
            roles.push(&call.role);
        }
    }
    let line = |role: &String| {
        let [mine, theirs] = [before, after].map(|evidence| functions(evidence, role));
        let same = mine.iter().collect::<BTreeSet<_>>() == theirs.iter().collect::<BTreeSet<_>>();
        let groups: Vec<[Vec<String>; 2]> = if same {
            mine.into_iter().map(|name| [vec![name.clone()], vec![name]]).collect()
        } else {
            vec![[mine, theirs]]
        };
        groups.into_iter().map(|functions| Line { role: role.clone(), functions }).collect::<Vec<_>>()
    };
    roles.into_iter().flat_map(line).collect()
}

/// The paths of both records' phases, those of `before` first.
fn paths(before: &Evidence, after: &Evidence) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = before.phases.iter().map(|phase| phase.path.clone()).collect();
    paths.extend(
        after.phases.iter().map(|phase| phase.path.clone()).filter(|path| !paths.contains(path)).collect::<Vec<_>>(),
    );
    paths
}

/// What parts of one record come to, per operation.
struct Costs<'a> {
    evidence: &'a Evidence,
    scale: Option<f64>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    calls: f64,
    permutations: f64,
    ticks: Option<f64>,
}

impl<'a> Costs<'a> {
    fn of(evidence: &'a Evidence) -> Self {
        Self { evidence, scale: scale(evidence) }
    }

    fn total(&self, wanted: bool) -> Option<f64> {
        let ticks = self.evidence.profiled.ticks.filter(|_| wanted)?;
        Some(ticks as f64 * self.scale?)
    }

    fn function(&self, line: &Line) -> Sum {
        let operations = self.evidence.profiled.operations as f64;
        let calls =
            self.evidence.calls.iter().filter(|call| {
                call.role == line.role && line.functions.iter().any(|names| names.contains(&call.function))
            });
        let mut sum = Sum { ticks: self.scale.map(|_| 0.0), ..Sum::default() };
        for call in calls {
            sum.calls += call.calls as f64 / operations;
            sum.permutations += call.permutations * call.calls as f64 / operations;
            sum.ticks =
                sum.ticks.zip(call.ticks).zip(self.scale).map(|((sum, ticks), scale)| sum + ticks as f64 * scale);
        }
        sum
    }

    fn phase(&self, path: &[String]) -> Sum {
        let operations = self.evidence.profiled.operations as f64;
        let mut sum = Sum { ticks: self.scale.map(|_| 0.0), ..Sum::default() };
        for piece in pieces(self.evidence).iter().filter(|piece| piece.call.is_none() && piece.path == path) {
            sum.calls += piece.calls as f64 / operations;
            sum.ticks =
                sum.ticks.zip(piece.ticks).zip(self.scale).map(|((sum, ticks), scale)| sum + ticks as f64 * scale);
        }
        sum
    }
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
