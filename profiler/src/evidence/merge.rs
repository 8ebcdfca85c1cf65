//! One record of several processes that shared the trials of one job.

use super::build::{added, overhead_per_call, sort_calls};
use super::intervals::intervals;
use super::record::{CallRow, Evidence, PhaseRow, ProbeCostRecord, ProfiledRun, Trial};
use super::{Derived, calm};
use thiserror::Error;

/// Why records are not of one run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// There are none.
    #[error("there are no records to put together")]
    Nothing,
    /// They differ in what must be the same.
    #[error("{field} of process {process} is {got}, and {expected} in the first")]
    Differs {
        /// What differs.
        field: &'static str,
        /// In which process, from 1.
        process: usize,
        /// What it has.
        got: String,
        /// What the first has.
        expected: String,
    },
}

impl Evidence {
    /// The record of a job whose trials several processes shared, from the record of each, in the order in which they ran.
    ///
    /// Trials follow each other and know their process; calls and phases are added up by what they are. Each process has subtracted
    /// the probe's cost as it found it, and the record says the mean of them; memory is that of the first.
    ///
    /// # Errors
    /// [`MergeError`].
    pub fn merged(records: Vec<Self>) -> Result<Self, MergeError> {
        let costs: Vec<_> = records.iter().map(|record| (record.probe_cost, record.profiled.operations)).collect();
        let uncounted = uncounted(&records);
        let mut records = records.into_iter().zip(uncounted).map(|(mut record, uncounted)| {
            record.strip_warnings();
            record.recount(uncounted);
            record
        });
        let mut all = records.next().ok_or(MergeError::Nothing)?;
        for (index, record) in records.enumerate() {
            all.same_as(&record, index + 2)?;
            all.add(record, index as u32 + 1);
        }
        all.probe_cost = mean_cost(&costs);
        all.counter.overhead_per_call = all.probe_cost.as_ref().map(overhead_per_call);
        sort_calls(&mut all.calls);
        calm::mark(&mut all.trials, &mut all.profiled.trials);
        intervals(&mut all.profiled, &mut all.calls, &mut all.phases);
        all.derived = Derived::of(&all.trials, &all.profiled, &all.calls, &all.phases);
        all.warnings.extend(all.doubts());
        Ok(all)
    }

    /// Makes these the trials with probes that do not count. All trials do the same calls.
    fn recount(&mut self, uncounted: Vec<u32>) {
        if self.profiled.uncounted == uncounted {
            return;
        }
        let before = self.profiled.counted().count() as u64;
        self.profiled.uncounted = uncounted;
        let counted: Vec<usize> = self.profiled.counted().map(|(number, _)| number).collect();
        let after = counted.len() as u64;
        self.profiled.operations = self.profiled.counted().map(|(_, trial)| trial.operations).sum();
        if self.profiled.ticks.is_none() {
            return;
        }
        let scaled = |count: u64| count * after / before.max(1);
        let probe = |ticks: i64| ticks * after as i64 / before.max(1) as i64;
        let sum = |ticks: &[i64]| counted.iter().filter_map(|&trial| ticks.get(trial)).sum::<i64>();
        for call in &mut self.calls {
            call.calls = scaled(call.calls);
            call.probe_ticks = call.probe_ticks.map(probe);
            for part in &mut call.paths {
                (part.calls, part.ticks) = (scaled(part.calls), Some(sum(&part.trial_ticks)));
            }
            call.ticks = call.paths.iter().map(|part| part.ticks).sum();
        }
        for phase in &mut self.phases {
            (phase.calls, phase.self_ticks) = (scaled(phase.calls), Some(sum(&phase.trial_ticks)));
            phase.probe_ticks = phase.probe_ticks.map(probe);
        }
        for index in 0..self.phases.len() {
            self.phases[index].ticks = self.inclusive(&self.phases[index].path);
        }
        let parts = self.calls.iter().map(|call| call.ticks).chain(self.phases.iter().map(|phase| phase.self_ticks));
        self.profiled.ticks = parts.sum::<Option<i64>>().and_then(|ticks| u64::try_from(ticks).ok());
    }

    /// Leaves the warnings that are not about this record's own trials.
    fn strip_warnings(&mut self) {
        let own = self.doubts();
        self.warnings.retain(|warning| !own.contains(warning));
    }

    fn same_as(&self, other: &Self, process: usize) -> Result<(), MergeError> {
        let facts = |record: &Self| {
            [
                ("instance", record.instance.clone()),
                ("operation", record.operation.to_string()),
                ("sampling", record.sampling.clone()),
                ("suite", record.suite()),
                ("target", record.target.clone()),
                ("counter", record.counter.name.clone()),
                ("seed", record.seed.clone()),
                ("kat", record.kat.clone()),
                ("iterations_per_trial", record.plan.iterations_per_trial.to_string()),
            ]
        };
        let differs = facts(self).into_iter().zip(facts(other)).find(|(mine, theirs)| mine != theirs);
        differs
            .map_or(Ok(()), |((field, expected), (_, got))| Err(MergeError::Differs { field, process, got, expected }))
    }

    fn add(&mut self, mut other: Self, process: u32) {
        other.strip_warnings();
        // The same is said once, whatever the figures in it.
        let kind = |warning: &str| warning.split(|c: char| c.is_ascii_digit()).next().map(str::to_owned);
        let is_new = |warning: &String| !self.warnings.iter().any(|mine| kind(mine) == kind(warning));
        let new: Vec<String> = other.warnings.into_iter().filter(is_new).collect();
        self.warnings.extend(new);
        self.steadiness.merge(other.steadiness, self.trials.len());
        self.processes += 1;
        self.plan.trials += other.plan.trials;
        let of_process = |trial: Trial| Trial { process, ..trial };
        self.trials.extend(other.trials.into_iter().map(of_process));
        let ProfiledRun { operations, ticks, raw_ticks, trials, uncounted, .. } = other.profiled;
        let before = self.profiled.trials.len();
        let both = (before, trials.len());
        self.profiled.uncounted.extend(uncounted.into_iter().map(|trial| trial + before as u32));
        self.profiled.operations += operations;
        self.profiled.ticks = sum(self.profiled.ticks, ticks);
        self.profiled.raw_ticks = sum(self.profiled.raw_ticks, raw_ticks);
        self.profiled.trials.extend(trials.into_iter().map(of_process));
        self.events = self.events.take().zip(other.events).and_then(|(mine, theirs)| mine.merged(theirs));
        self.counter.unavailable = self.counter.unavailable.take().or(other.counter.unavailable);
        if ticks.is_some() {
            pad(&mut self.calls, &mut self.phases, 0, both.1);
            pad(&mut other.calls, &mut other.phases, both.0, 0);
        }
        other.calls.into_iter().for_each(|row| CallRow::add_to(&mut self.calls, row));
        other.phases.into_iter().for_each(|row| self.add_phase(row));
        if let Some(ended) = other.environment.get("ended_utc")
            && let Some(mine) = self.environment.get_mut("ended_utc")
        {
            mine.clone_from(ended);
        }
    }

    fn add_phase(&mut self, row: PhaseRow) {
        match self.phases.iter_mut().find(|mine| mine.path == row.path) {
            Some(mine) => {
                mine.calls += row.calls;
                mine.ticks = sum(mine.ticks, row.ticks);
                mine.self_ticks = sum(mine.self_ticks, row.self_ticks);
                mine.probe_ticks = sum(mine.probe_ticks, row.probe_ticks);
                added(&mut mine.trial_ticks, &row.trial_ticks);
            }
            None => self.phases.push(row),
        }
    }
}

/// For each record, the trials with probes that do not count when all records are one.
fn uncounted(records: &[Evidence]) -> Vec<Vec<u32>> {
    let all = |of: fn(&Evidence) -> &[Trial]| records.iter().flat_map(|record| of(record).to_vec()).collect::<Vec<_>>();
    let (mut trials, mut profiled) = (all(|record| &record.trials), all(|record| &record.profiled.trials));
    calm::mark(&mut trials, &mut profiled);
    let uncounted = calm::uncounted(&profiled);
    let mut begin = 0;
    let of_record = |record: &Evidence| {
        let numbers = begin..begin + record.profiled.trials.len() as u32;
        begin = numbers.end;
        let start = numbers.start;
        uncounted.iter().filter(|trial| numbers.contains(trial)).map(|trial| trial - start).collect()
    };
    records.iter().map(of_record).collect()
}

/// Gives every row no ticks in so many trials before its own and after them.
fn pad(calls: &mut [CallRow], phases: &mut [PhaseRow], before: usize, after: usize) {
    let parts = calls.iter_mut().flat_map(|call| &mut call.paths).map(|part| &mut part.trial_ticks);
    for ticks in parts.chain(phases.iter_mut().map(|phase| &mut phase.trial_ticks)) {
        ticks.splice(0..0, vec![0; before]);
        ticks.resize(ticks.len() + after, 0);
    }
}

fn sum<T: std::ops::Add<Output = T>>(mine: Option<T>, theirs: Option<T>) -> Option<T> {
    mine.zip(theirs).map(|(mine, theirs)| mine + theirs)
}

/// The mean over all operations.
fn mean_cost(costs: &[(Option<ProbeCostRecord>, u64)]) -> Option<ProbeCostRecord> {
    let costs: Vec<(ProbeCostRecord, f64)> =
        costs.iter().map(|(cost, operations)| Some(((*cost)?, *operations as f64))).collect::<Option<_>>()?;
    let all: f64 = costs.iter().map(|(_, operations)| operations).sum();
    let mean = |of: fn(&ProbeCostRecord) -> f64| {
        costs.iter().map(|(cost, operations)| of(cost) * operations).sum::<f64>() / all
    };
    Some(ProbeCostRecord {
        interval_inside: mean(|cost| cost.interval_inside),
        interval_outside: mean(|cost| cost.interval_outside),
        call_outside: mean(|cost| cost.call_outside),
        phase_inside: mean(|cost| cost.phase_inside),
        phase_outside: mean(|cost| cost.phase_outside),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::violations;

    #[test]
    fn the_longest_call_may_be_in_a_trial_that_no_longer_counts() {
        let text = include_str!("../../tests/records/host-sm3.json");
        let mut record: Evidence = serde_json::from_str(text).expect("is a record");
        let longer = 1_000_000;
        let row = &mut record.calls[0];
        row.max = row.max.map(|max| max + longer);
        row.paths[0].trial_ticks[1] += longer;
        record.recount(vec![1]);
        let found: Vec<String> = violations(&record).iter().map(ToString::to_string).collect();
        assert!(!found.iter().any(|found| found.contains("calls[0].m")), "{found:?}");
        record.calls[0].max = record.calls[0].max.map(|max| max + 100 * longer);
        assert!(violations(&record).iter().any(|found| found.to_string().contains("calls[0].max")));
    }
}
