use super::{Diff, Pair, Row};
use std::fmt;
use thiserror::Error;

/// Share of the operation, before or after, from which a part's own growth counts for a gate. What is smaller moves by
/// noise alone.
pub const GATED_SHARE: f64 = 0.05;

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

/// A part that grew by more than it may.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
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

impl fmt::Display for Growth {
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

/// What a gate says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// What grew by more than the limit, and beyond the intervals of both records.
    pub regression: Option<Growth>,
    /// What grew by more than the limit, but not beyond the intervals: trials of the same code lie as far apart.
    pub noise: Option<Growth>,
}

impl Diff {
    /// The parts that grew most among those that grew by more than `limit` percent: the total before all others, then parts
    /// that are at least [`GATED_SHARE`] of the operation before or after.
    ///
    /// # Errors
    /// When there are no ticks to decide by.
    pub fn gate(&self, limit: f64) -> Result<Verdict, NoGate> {
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
        let mut parts: Vec<&Row> = self.functions.iter().chain(&self.phases).filter(gated).collect();
        let growth = |row: &Row| row.change.unwrap_or(f64::INFINITY);
        parts.sort_by(|a, b| growth(b).total_cmp(&growth(a)));
        let all = [&self.total].into_iter().chain(parts).filter(grew);
        let (sure, unsure): (Vec<&Row>, Vec<&Row>) = all.partition(|row| row.surely_grew());
        Ok(Verdict { regression: self.growth(&sure, limit), noise: self.growth(&unsure, limit) })
    }

    /// The first of `rows` in words.
    fn growth(&self, rows: &[&Row], limit: f64) -> Option<Growth> {
        let row = rows.first()?;
        Some(Growth {
            what: match &row.role {
                Some(role) => format!("{} for {role}", row.name),
                None => row.name.clone(),
            },
            ticks: row.ticks,
            unit: self.unit.clone(),
            limit,
            others: rows.len() - 1,
        })
    }
}
