use super::super::parts::{pieces, scale};
use super::spread::Spread;
use super::{Intervals, Pair, Row};
use crate::evidence::{CallRow, Evidence};
use std::collections::BTreeSet;

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

/// What one record has, per operation.
#[derive(Debug)]
struct Costs<'a> {
    evidence: &'a Evidence,
    /// Ticks of an operation without probes for a tick of a piece; `None` where ticks are not compared.
    scale: Option<f64>,
    spread: Spread,
}

/// What a part comes to, per operation.
#[derive(Clone, Copy)]
struct Sum {
    calls: f64,
    permutations: f64,
    ticks: Option<f64>,
}

impl Costs<'_> {
    /// The sum over rows of calls, permutations of one call, and ticks, each of all operations.
    fn sum(&self, rows: impl Iterator<Item = (u64, f64, Option<i64>)>) -> Sum {
        let operations = self.evidence.profiled.operations as f64;
        let nothing = Sum { calls: 0.0, permutations: 0.0, ticks: self.scale.map(|_| 0.0) };
        rows.fold(nothing, |sum, (calls, permutations, ticks)| {
            let calls = calls as f64 / operations;
            let ticks = ticks.zip(self.scale).map(|(ticks, scale)| ticks as f64 * scale);
            Sum {
                calls: sum.calls + calls,
                permutations: sum.permutations + permutations * calls,
                ticks: sum.ticks.zip(ticks).map(|(sum, ticks)| sum + ticks),
            }
        })
    }

    fn function(&self, line: &Line) -> Sum {
        let served = |call: &&CallRow| line.functions.iter().any(|names| names.contains(&call.function));
        let calls = self.evidence.calls.iter().filter(|call| call.role == line.role).filter(served);
        self.sum(calls.map(|call| (call.calls, call.permutations, call.ticks)))
    }

    fn phase(&self, path: &[String]) -> Sum {
        let pieces = pieces(self.evidence).into_iter().filter(|piece| piece.call.is_none() && piece.path == path);
        self.sum(pieces.map(|piece| (piece.calls, 0.0, piece.ticks)))
    }

    /// The operation without probes.
    fn total(&self) -> Option<f64> {
        let scale = self.scale?;
        self.evidence.derived.median.or_else(|| Some(self.evidence.profiled.ticks? as f64 * scale))
    }
}

/// Both records of a comparison.
#[derive(Debug)]
pub(super) struct Sides<'a> {
    before: Costs<'a>,
    after: Costs<'a>,
}

impl<'a> Sides<'a> {
    /// Ticks are compared where both have them.
    pub(super) fn of(before: &'a Evidence, after: &'a Evidence) -> Self {
        let scales = scale(before).zip(scale(after));
        Self {
            before: Costs { evidence: before, scale: scales.map(|(before, _)| before), spread: Spread::of(before) },
            after: Costs { evidence: after, scale: scales.map(|(_, after)| after), spread: Spread::of(after) },
        }
    }

    fn ticks(&self) -> Pair {
        Pair { before: self.before.total(), after: self.after.total() }
    }

    fn row(&self, name: String, role: Option<String>, of: impl Fn(&Costs<'a>) -> Sum) -> Row {
        let (before, after) = (of(&self.before), of(&self.after));
        let ticks = Pair { before: before.ticks, after: after.ticks };
        let growth = ticks.before.zip(ticks.after).map(|(before, after)| after - before);
        let total = self.ticks().before.filter(|&total| total > 0.0);
        let permutations = Pair { before: Some(before.permutations), after: Some(after.permutations) };
        let interval = |side: &Costs<'a>, ticks: Option<f64>| Some(side.spread.of_part(ticks?, side.total()?));
        Row {
            name,
            calls: Pair { before: Some(before.calls), after: Some(after.calls) },
            permutations: role.is_some().then_some(permutations),
            role,
            ticks,
            change: ticks.change(),
            of_total: growth.zip(total).map(|(growth, total)| growth / total),
            intervals: Intervals::of(interval(&self.before, ticks.before), interval(&self.after, ticks.after)),
        }
    }

    /// Functions by role.
    pub(super) fn functions(&self) -> Vec<Row> {
        let lines = lines(self.before.evidence, self.after.evidence).into_iter();
        lines.map(|line| self.row(line.name(), Some(line.role.clone()), |side| side.function(&line))).collect()
    }

    /// Phases by path.
    pub(super) fn phases(&self) -> Vec<Row> {
        let paths = paths(self.before.evidence, self.after.evidence).into_iter();
        paths.map(|path| self.row(path.join("/"), None, |side| side.phase(&path))).collect()
    }

    /// The operation, with the calls and permutations of these functions.
    pub(super) fn total(&self, functions: &[Row]) -> Row {
        let sum = |of: fn(&Row) -> Option<Pair>| Pair {
            before: functions.iter().map(|row| of(row).and_then(|pair| pair.before)).sum(),
            after: functions.iter().map(|row| of(row).and_then(|pair| pair.after)).sum(),
        };
        let ticks = self.ticks();
        let interval = |side: &Costs<'a>| Some(side.spread.of_total(side.total()?));
        Row {
            name: "total".to_owned(),
            role: None,
            calls: sum(|row| Some(row.calls)),
            permutations: Some(sum(|row| row.permutations)),
            ticks,
            change: ticks.change(),
            of_total: ticks.change(),
            intervals: Intervals::of(interval(&self.before), interval(&self.after)),
        }
    }

    /// The means over all trials without probes.
    pub(super) fn mean(&self) -> Pair {
        let mean = |side: &Costs<'_>| side.evidence.derived.mean.filter(|_| side.scale.is_some());
        Pair { before: mean(&self.before), after: mean(&self.after) }
    }
}
