//! How far apart the trials of a record lie: what of a change may be noise.

use super::super::stats::{Interval, Sorted};
use crate::evidence::{Evidence, Trial};
use std::collections::BTreeMap;

/// The share of trials that nine in ten leave out at either end.
const NOTICED_SHARE: f64 = 0.05;
/// Trials from which a part's own ticks tell how far they spread.
const TRIALS: usize = 5;

/// Ticks of a part in a trial that counts, per operation, and the trial's process.
pub(super) type PartTrial = (u32, f64);

/// How a record's trials spread, in units of their median.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Spread {
    /// Nine in ten of the trials that the median is of lie above this and below [`high`](Self::high), and so do the medians of all
    /// processes. Lower still where trials may have been disturbed unnoticed.
    low: f64,
    high: f64,
    /// How many times longer all trials may be than the code takes, unnoticed.
    unnoticed: f64,
    /// How much longer the trials with probes are than their shortest (the 5th percentile), on average. Parts are sums over all of
    /// them: what disturbed some of them may be all in one part.
    disturbed: f64,
}

impl Spread {
    /// The spread of a record; none where its trials do not tell.
    pub(super) fn of(evidence: &Evidence) -> Self {
        let derived = &evidence.derived;
        let trials = derived.spread().filter(|trials| trials.median > 0.0);
        let (mut low, mut high) = trials.map_or((1.0, 1.0), |all| (all.p5 / all.median, all.p95 / all.median));
        if let (Some(processes), Some(median)) = (derived.process_medians, derived.median.filter(|&m| m > 0.0)) {
            (low, high) = (low.min(processes.min / median), high.max(processes.max / median));
        }
        let unnoticed = unnoticed(evidence);
        low /= unnoticed;
        Self {
            low,
            high,
            unnoticed,
            disturbed: disturbed(evidence.profiled.counted().map(|(_, trial)| trial)).unwrap_or_default(),
        }
    }

    /// Where the ticks of the whole operation may lie.
    pub(super) fn of_total(&self, ticks: f64) -> Interval {
        Interval { low: ticks * self.low, high: ticks * self.high }
    }

    /// Where the ticks of a part may lie, of an operation that takes `total`: nine in ten of its own trials do, and the medians of
    /// all processes. Where they were not taken one by one, the whole operation's spread stands in, and whatever disturbed it may
    /// have been in this part.
    pub(super) fn of_part(&self, ticks: f64, total: f64, trials: &[PartTrial]) -> Interval {
        if trials.len() < TRIALS {
            let disturbed = self.disturbed * total;
            return Interval { low: ticks * self.low - disturbed, high: ticks * self.high * (1.0 + self.disturbed) };
        }
        let mut processes: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for &(process, ticks) in trials {
            processes.entry(process).or_default().push(ticks);
        }
        let all = Sorted::new(&trials.iter().map(|trial| trial.1).collect::<Vec<_>>());
        let medians = processes.values().filter_map(|of_one| Sorted::new(of_one).median());
        let ends = medians.chain([5.0, 95.0].into_iter().filter_map(|percent| all.percentile(percent)));
        let (low, high) = ends.fold((ticks, ticks), |(low, high), end| (low.min(end), high.max(end)));
        Interval { low: if low > 0.0 { low / self.unnoticed } else { low }, high }
    }
}

/// See [`Spread::unnoticed`]. Where others had the core again and again, so that more
/// than one trial in twenty counts although it was disturbed, all of them may have been, up to what the run took for an interruption.
fn unnoticed(evidence: &Evidence) -> f64 {
    let steadiness = &evidence.steadiness;
    let trials = evidence.trials.len() + evidence.profiled.trials.len();
    let crowded = f64::from(steadiness.counted) > NOTICED_SHARE * trials as f64;
    steadiness.interrupted_beyond.filter(|_| crowded).unwrap_or(1.0).max(1.0)
}

fn disturbed<'a>(profiled: impl Iterator<Item = &'a Trial>) -> Option<f64> {
    let ticks: Vec<f64> = profiled.map(Trial::per_operation).collect::<Option<_>>()?;
    let mean = ticks.iter().sum::<f64>() / ticks.len() as f64;
    let shortest = Sorted::new(&ticks).percentile(5.0).filter(|&shortest| shortest > 0.0)?;
    Some(mean / shortest - 1.0)
}
