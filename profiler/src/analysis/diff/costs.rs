use super::super::parts::scale;
use super::spread::{PartTrial, Spread};
use super::{Intervals, Pair, Row};
use crate::evidence::{CallRow, Evidence, Trial};
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
struct Sum {
    calls: f64,
    permutations: f64,
    ticks: Option<f64>,
    trials: Vec<PartTrial>,
}

impl Costs<'_> {
    /// The sum over rows of calls, permutations of one call, ticks, and ticks in each trial, each of all operations.
    fn sum(&self, rows: impl Iterator<Item = (u64, f64, Option<i64>, Vec<i64>)>) -> Sum {
        let operations = self.evidence.profiled.operations as f64;
        let mut sum = Sum { calls: 0.0, permutations: 0.0, ticks: self.scale.map(|_| 0.0), trials: Vec::new() };
        let mut by_trial = Vec::new();
        for (calls, permutations, ticks, trials) in rows {
            let calls = calls as f64 / operations;
            sum.calls += calls;
            sum.permutations += permutations * calls;
            let ticks = ticks.zip(self.scale).map(|(ticks, scale)| ticks as f64 * scale);
            sum.ticks = sum.ticks.zip(ticks).map(|(sum, ticks)| sum + ticks);
            by_trial.push(trials);
        }
        sum.trials = self.in_trials(&by_trial).unwrap_or_default();
        sum
    }

    fn function(&self, line: &Line) -> Sum {
        let served = |call: &&CallRow| line.functions.iter().any(|names| names.contains(&call.function));
        let calls = self.evidence.calls.iter().filter(|call| call.role == line.role).filter(served);
        self.sum(calls.map(|call| (call.calls, call.permutations, call.ticks, call.trial_ticks())))
    }

    fn phase(&self, path: &[String]) -> Sum {
        let phases = self.evidence.phases.iter().filter(|phase| phase.path == path);
        self.sum(phases.map(|phase| (phase.calls, 0.0, phase.self_ticks, phase.trial_ticks.clone())))
    }

    /// Ticks of rows together in each trial that counts; none where a row's were not taken one by one.
    fn in_trials(&self, rows: &[Vec<i64>]) -> Option<Vec<PartTrial>> {
        let scale = self.scale.filter(|_| !rows.is_empty())? * self.evidence.profiled.operations as f64;
        let trial = |(number, trial): (usize, &Trial)| {
            let ticks: i64 = rows.iter().map(|row| row.get(number).copied()).sum::<Option<_>>()?;
            Some((trial.process, ticks as f64 * scale / trial.operations as f64))
        };
        self.evidence.profiled.counted().map(trial).collect()
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
        let interval = |side: &Costs<'a>, of: &Sum| Some(side.spread.of_part(of.ticks?, side.total()?, &of.trials));
        Row {
            name,
            calls: Pair { before: Some(before.calls), after: Some(after.calls) },
            permutations: role.is_some().then_some(permutations),
            role,
            ticks,
            change: ticks.change(),
            of_total: growth.zip(total).map(|(growth, total)| growth / total),
            intervals: Intervals::of(interval(&self.before, &before), interval(&self.after, &after)),
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
