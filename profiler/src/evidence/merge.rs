//! One record of several processes that shared the trials of one job.

use super::build::{overhead_per_call, sort_calls};
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
        let mut records = records.into_iter();
        let mut all = records.next().ok_or(MergeError::Nothing)?;
        all.strip_warnings();
        for (index, record) in records.enumerate() {
            all.same_as(&record, index + 2)?;
            all.add(record, index as u32 + 1);
        }
        all.probe_cost = mean_cost(&costs);
        all.counter.overhead_per_call = all.probe_cost.as_ref().map(overhead_per_call);
        sort_calls(&mut all.calls);
        calm::mark(&mut all.trials, &mut all.profiled.trials);
        all.derived = Derived::of(&all.trials, &all.profiled, &all.calls);
        all.warnings.extend(all.doubts());
        Ok(all)
    }

    /// Leaves the warnings that are not about this record's own trials.
    fn strip_warnings(&mut self) {
        let own = self.doubts();
        // It is of one process.
        self.estimate = None;
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
        let ProfiledRun { operations, ticks, raw_ticks, trials } = other.profiled;
        self.profiled.operations += operations;
        self.profiled.ticks = sum(self.profiled.ticks, ticks);
        self.profiled.raw_ticks = sum(self.profiled.raw_ticks, raw_ticks);
        self.profiled.trials.extend(trials.into_iter().map(of_process));
        self.events = self.events.take().zip(other.events).and_then(|(mine, theirs)| mine.merged(theirs));
        self.counter.unavailable = self.counter.unavailable.take().or(other.counter.unavailable);
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
            }
            None => self.phases.push(row),
        }
    }
}

fn sum(mine: Option<u64>, theirs: Option<u64>) -> Option<u64> {
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
