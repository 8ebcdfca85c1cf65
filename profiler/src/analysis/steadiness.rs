//! What spoils a trial, as it shows from right before and right after it.

use serde::{Deserialize, Serialize};

/// How a core runs two loops: a chain of multiplications, each of which waits for the one before, and additions that do not wait.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Glance {
    /// Multiplications of the chain in a µs: they follow the core's clock, whoever else is on the core.
    pub chain_per_us: f64,
    /// Additions in the time of one multiplication: a neighbour on the same physical core takes its part of them.
    pub adds_per_step: f64,
}

/// Cycles that a multiplication of 64-bit integers waits for the one before, where that is one number: 3 on x86-64 (Intel since
/// Nehalem, AMD since Zen; Agner Fog, *Instruction tables*). On AArch64 it is 2 to 5.
pub const LATENCY: Option<f64> = if cfg!(target_arch = "x86_64") { Some(3.0) } else { None };

impl Glance {
    /// The core's clock in MHz, where [`LATENCY`] is known.
    #[must_use]
    pub fn core_mhz(&self) -> Option<f64> {
        LATENCY.map(|latency| latency * self.chain_per_us)
    }

    /// Additions in a cycle, where [`LATENCY`] is known.
    #[must_use]
    pub fn adds_per_cycle(&self) -> Option<f64> {
        LATENCY.map(|latency| self.adds_per_step / latency)
    }
}

/// Where the program is and how the core runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moment {
    /// The logical core.
    pub core: usize,
    /// How it runs, where there is something to tell.
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

/// What spoilt a trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Disturbance {
    /// It took several times what the shortest of its job took: another program had the core meanwhile.
    Interrupted {
        /// How many times.
        times: f64,
    },
    /// The program moved to another core.
    Migrated {
        /// From this one.
        from: usize,
        /// To this one.
        to: usize,
    },
    /// The core's clock changed by more than [`CLOCK_TOLERANCE`], within the trial or since the run began.
    ClockMoved {
        /// The clock as a part of what it was.
        to: f64,
    },
}

impl Disturbance {
    /// Its name in evidence.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Interrupted { .. } => "interrupted",
            Self::Migrated { .. } => "migrated",
            Self::ClockMoved { .. } => "clock-moved",
        }
    }

    /// What attempts of this kind suffered.
    #[must_use]
    pub fn in_words(kind: &str) -> &str {
        match kind {
            "interrupted" => "by other programs",
            "migrated" => "by a move to another core",
            "clock-moved" => "by a change of the clock",
            other => other,
        }
    }
}

/// The part by which a clock may change before figures from before and after are of two machines.
pub const CLOCK_TOLERANCE: f64 = 0.05;

/// What happened between `before` and `after`, where the clock of the run, as [`Glance::chain_per_us`], has been `reference`.
#[must_use]
pub fn disturbances(before: Moment, after: Moment, reference: Option<f64>) -> Vec<Disturbance> {
    let mut found = Vec::new();
    if before.core != after.core {
        found.push(Disturbance::Migrated { from: before.core, to: after.core });
    }
    if let (Some(start), Some(end)) = (before.glance, after.glance) {
        let (start, end) = (start.chain_per_us, end.chain_per_us);
        let since = |reference: f64| moved(reference, start).or(moved(reference, end));
        found.extend(moved(start, end).or(reference.and_then(since)));
    }
    found
}

fn moved(from: f64, to: f64) -> Option<Disturbance> {
    let part = to / from;
    ((part - 1.0).abs() > CLOCK_TOLERANCE).then_some(Disturbance::ClockMoved { to: rounded(part, 1e3) })
}

/// `value` to whole parts of `one`: digits beyond what was measured only make evidence long.
#[must_use]
pub fn rounded(value: f64, one: f64) -> f64 {
    (value * one).round() / one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(core: usize, chain_per_us: f64) -> Moment {
        Moment { core, glance: Some(Glance { chain_per_us, adds_per_step: 12.0 }) }
    }

    #[test]
    fn five_percent_are_allowed_and_no_more() {
        assert_eq!(disturbances(moment(0, 1000.0), moment(0, 1049.0), None), []);
        assert_eq!(disturbances(moment(0, 1000.0), moment(0, 951.0), Some(990.0)), []);
        assert_eq!(disturbances(moment(0, 1000.0), moment(0, 1051.0), None), [Disturbance::ClockMoved { to: 1.051 }]);
    }

    #[test]
    fn a_clock_that_is_slow_all_through_a_trial_shows_against_the_run() {
        let slow = moment(0, 667.0);
        assert_eq!(disturbances(slow, slow, None), []);
        assert_eq!(disturbances(slow, slow, Some(1000.0)), [Disturbance::ClockMoved { to: 0.667 }]);
    }

    #[test]
    fn without_a_glance_only_the_core_is_watched() {
        let (here, there) = (Moment { core: 0, glance: None }, Moment { core: 3, glance: None });
        assert_eq!(disturbances(here, here, Some(1000.0)), []);
        assert_eq!(disturbances(here, there, Some(1000.0)), [Disturbance::Migrated { from: 0, to: 3 }]);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_glance_in_cycles() {
        // A multiplication takes 3 cycles: 1000 in a µs are 3 GHz, and 12 additions meanwhile 4 a cycle.
        let glance = Glance { chain_per_us: 1000.0, adds_per_step: 12.0 };
        assert_eq!((glance.core_mhz(), glance.adds_per_cycle()), (Some(3000.0), Some(4.0)));
    }
}
