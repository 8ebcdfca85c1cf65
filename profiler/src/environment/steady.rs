use super::{Glance, QuietProbe, current_core};
use crate::counter::HostCounter;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a trial ran and how fast the core's clock was, seen from right before or right after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moment {
    /// The logical core.
    pub core: usize,
    /// What the probe saw, where there is one.
    pub glance: Option<Glance>,
}

/// Who looks before and after each trial.
pub trait Observer {
    /// Looks now.
    fn observe(&mut self) -> Moment;
}

impl<F: FnMut() -> Moment> Observer for F {
    fn observe(&mut self) -> Moment {
        self()
    }
}

/// Looks at this machine: at the core, and at its clock with a [`QuietProbe`] where there is one.
#[derive(Clone, Debug)]
pub struct HostObserver {
    probe: Option<QuietProbe<HostCounter>>,
}

impl HostObserver {
    /// Prepares the probe.
    #[must_use]
    pub fn new() -> Self {
        Self { probe: QuietProbe::of_host() }
    }
}

impl Default for HostObserver {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for HostObserver {
    fn observe(&mut self) -> Moment {
        Moment { core: current_core(), glance: self.probe.as_mut().and_then(QuietProbe::look_well) }
    }
}

/// What spoilt a trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Disturbance {
    /// The program moved to another core.
    Migrated {
        /// From this one.
        from: usize,
        /// To this one.
        to: usize,
    },
    /// The core's clock changed by more than [`CLOCK_TOLERANCE`], within the trial or since the run began.
    ClockMoved {
        /// From this frequency in MHz.
        from_mhz: f64,
        /// To this one.
        to_mhz: f64,
    },
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Migrated { from, to } => write!(f, "moved from core {from} to core {to}"),
            Self::ClockMoved { from_mhz, to_mhz } => {
                let percent = 100.0 * (to_mhz / from_mhz - 1.0);
                write!(f, "the clock went from {from_mhz:.0} to {to_mhz:.0} MHz ({percent:+.0} %)")
            }
        }
    }
}

/// The part by which a clock may change before figures from before and after are of two machines.
pub const CLOCK_TOLERANCE: f64 = 0.05;
/// How often a disturbed trial is repeated.
pub const REPEATS: usize = 2;

/// A trial with its history.
#[derive(Clone, PartialEq, Debug)]
pub struct Steadied<T> {
    /// The last attempt's result.
    pub result: T,
    /// Before the last attempt.
    pub before: Moment,
    /// After it.
    pub after: Moment,
    /// What spoilt each attempt, in order; as many entries as there were attempts, the last one empty where it went well.
    pub attempts: Vec<Vec<Disturbance>>,
}

impl<T> Steadied<T> {
    /// Whether the result is of an undisturbed trial.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.attempts.last().is_some_and(Vec::is_empty)
    }

    /// What happened, for a reader; none where all went well at once.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let spoilt: Vec<_> = self.attempts.iter().flatten().map(ToString::to_string).collect();
        if spoilt.is_empty() {
            return None;
        }
        let end = if self.is_steady() { "repeated" } else { "still disturbed at the last attempt, and counted" };
        Some(format!("{} ({end})", spoilt.join("; ")))
    }
}

/// Runs trials and repeats those that were disturbed.
#[derive(Clone, Debug)]
pub struct Watch<O> {
    observer: O,
    /// The clock that all trials are held against, in MHz: that of the first steady one.
    reference_mhz: Option<f64>,
}

impl<O: Observer> Watch<O> {
    /// Watches with `observer`.
    pub const fn new(observer: O) -> Self {
        Self { observer, reference_mhz: None }
    }

    /// Runs `trial`, up to [`REPEATS`] times more when it was disturbed.
    pub fn run<T>(&mut self, mut trial: impl FnMut() -> T) -> Steadied<T> {
        let mut attempts = Vec::new();
        loop {
            let before = self.observer.observe();
            let result = trial();
            let after = self.observer.observe();
            let found = disturbances(before, after, self.reference_mhz);
            let steady = found.is_empty();
            attempts.push(found);
            if steady || attempts.len() > REPEATS {
                if steady {
                    self.reference_mhz = self.reference_mhz.or(before.glance.map(|glance| glance.core_mhz));
                }
                return Steadied { result, before, after, attempts };
            }
        }
    }
}

/// What happened between `before` and `after`, where the run's clock has been `reference_mhz`.
#[must_use]
pub fn disturbances(before: Moment, after: Moment, reference_mhz: Option<f64>) -> Vec<Disturbance> {
    let mut found = Vec::new();
    if before.core != after.core {
        found.push(Disturbance::Migrated { from: before.core, to: after.core });
    }
    if let (Some(start), Some(end)) = (before.glance, after.glance) {
        let (start, end) = (start.core_mhz, end.core_mhz);
        let since_start = moved(start, end);
        let since_reference = reference_mhz.and_then(|reference| moved(reference, start).or(moved(reference, end)));
        found.extend(since_start.or(since_reference));
    }
    found
}

fn moved(from_mhz: f64, to_mhz: f64) -> Option<Disturbance> {
    let far = (to_mhz / from_mhz - 1.0).abs() > CLOCK_TOLERANCE;
    far.then_some(Disturbance::ClockMoved { from_mhz, to_mhz })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(core: usize, core_mhz: f64) -> Moment {
        Moment { core, glance: Some(Glance { adds_per_cycle: 4.0, core_mhz }) }
    }

    /// An observer that sees these moments, and a trial that gives these results, one after the other.
    fn watched<const N: usize>(moments: Vec<Moment>, results: [u64; N]) -> [Steadied<u64>; N] {
        let mut moments = moments.into_iter();
        let mut watch = Watch::new(|| moments.next().expect("as many moments as observations"));
        results.map(|result| watch.run(|| result))
    }

    #[test]
    fn a_steady_trial_runs_once() {
        let [trial] = watched(vec![moment(1, 3000.0), moment(1, 3100.0)], [7]);
        assert!(trial.is_steady() && trial.remark().is_none());
        assert_eq!((trial.result, trial.attempts.len()), (7, 1));
    }

    #[test]
    fn a_migration_is_repeated_and_recorded() {
        let moments = vec![moment(0, 3000.0), moment(1, 3000.0), moment(1, 3000.0), moment(1, 3000.0)];
        let [trial] = watched(moments, [7]);
        assert!(trial.is_steady());
        assert_eq!(trial.attempts, [vec![Disturbance::Migrated { from: 0, to: 1 }], vec![]]);
        assert_eq!(trial.remark().unwrap(), "moved from core 0 to core 1 (repeated)");
    }

    #[test]
    fn a_throttled_trial_is_repeated_twice_and_then_counted_as_such() {
        let mut moments = vec![moment(0, 3000.0), moment(0, 3000.0)];
        // Slow from before to after: only the run's first trial tells.
        moments.extend([moment(0, 2000.0); 6]);
        let [first, second] = watched(moments, [7, 8]);
        assert!(first.is_steady() && !second.is_steady());
        let throttled = Disturbance::ClockMoved { from_mhz: 3000.0, to_mhz: 2000.0 };
        assert_eq!(second.attempts, [[throttled], [throttled], [throttled]]);
        let remark = second.remark().unwrap();
        assert!(remark.contains("from 3000 to 2000 MHz (-33 %)") && remark.ends_with("and counted)"), "{remark}");
    }

    #[test]
    fn five_percent_are_allowed_and_no_more() {
        assert_eq!(disturbances(moment(0, 3000.0), moment(0, 3149.0), None), []);
        assert_eq!(disturbances(moment(0, 3000.0), moment(0, 2851.0), None), []);
        assert_eq!(disturbances(moment(0, 3000.0), moment(0, 3151.0), None).len(), 1);
        assert_eq!(disturbances(moment(0, 3100.0), moment(0, 3100.0), Some(2900.0)).len(), 1);
    }

    #[test]
    fn this_machine_is_observed() {
        let moment = HostObserver::new().observe();
        assert!(crate::environment::allowed_cores().contains(&moment.core));
    }

    #[test]
    fn without_a_probe_only_the_core_is_watched() {
        let (here, there) = (Moment { core: 0, glance: None }, Moment { core: 3, glance: None });
        assert_eq!(disturbances(here, here, Some(3000.0)), []);
        assert_eq!(disturbances(here, there, Some(3000.0)).len(), 1);
    }
}
