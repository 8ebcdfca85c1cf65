use crate::analysis::quiet;
use crate::analysis::steadiness::{CLOCK_TOLERANCE, Disturbance, Moment, Observer, disturbances, rounded};
use crate::evidence::{Steadiness, Trial};

/// When a trial is run again: when another program interrupted it, when it moved to another core, or when the core's clock moved
/// by more than [`CLOCK_TOLERANCE`]. Each then begins with an operation that is not counted.
///
/// It helps where trials are shorter than what disturbs leaves alone: the system runs a program without interruption for a few
/// milliseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Repeat {
    /// How often, at the most; then the trial counts as it is.
    pub times: u32,
    /// One that takes more than so many times what the shortest of the same job took was interrupted. A neighbour on the same
    /// physical core makes it two, another program's turn more.
    pub beyond: f64,
    /// The same for one during which the core is seen to be this program's alone: no neighbour then explains what it takes.
    pub beyond_alone: f64,
}

impl Repeat {
    /// Every trial counts.
    pub const NEVER: Self = Self { times: 0, beyond: f64::INFINITY, beyond_alone: f64::INFINITY };

    /// What happened under this rule, with the rule.
    pub(super) fn rule(self, happened: Steadiness) -> Steadiness {
        Steadiness {
            repeats: self.times,
            interrupted_beyond: self.beyond.is_finite().then_some(self.beyond),
            interrupted_beyond_alone: self.beyond_alone.is_finite().then_some(self.beyond_alone),
            clock_tolerance: CLOCK_TOLERANCE,
            ..happened
        }
    }
}

/// Watches the core that all trials of a run share.
pub(super) struct Watch {
    observer: Box<dyn Observer>,
    /// The core's clock so far, as [`Glance::chain_per_us`](crate::analysis::steadiness::Glance::chain_per_us).
    clock: Option<f64>,
    /// Trials in a row that count though the clock had moved.
    elsewhere: u32,
    pub(super) repeat: Repeat,
}

/// Trials in a row after which a clock is that of the run: it will not come back for being waited for.
const SETTLED: u32 = 4;

impl Watch {
    pub(super) fn new(observer: Box<dyn Observer>, repeat: Repeat) -> Self {
        Self { observer, clock: None, elsewhere: 0, repeat }
    }

    /// Looks now.
    pub(super) fn look(&mut self) -> Moment {
        self.observer.observe()
    }

    /// What disturbed an attempt that began and ended so, where the shortest of its job took `least` ticks.
    pub(super) fn disturbances(
        &mut self,
        trial: &Trial,
        [before, after]: [Moment; 2],
        least: Option<u64>,
    ) -> Vec<Disturbance> {
        let mut found = disturbances(before, after, self.clock);
        if let Some((ticks, least)) = trial.ticks.zip(least)
            && ticks as f64 > self.beyond([before, after]) * least as f64
        {
            found.push(Disturbance::Interrupted { times: rounded(ticks as f64 / least as f64, 1e2) });
        }
        if found.is_empty() {
            self.elsewhere = 0;
            self.clock = self.clock.or_else(|| clock(after));
        }
        found
    }

    fn beyond(&self, seen: [Moment; 2]) -> f64 {
        let adds = seen.map(|moment| moment.glance.and_then(|glance| glance.adds_per_cycle()));
        let alone = adds.iter().all(|adds| adds.is_some_and(|adds| adds >= quiet::LEAST));
        if alone { self.repeat.beyond_alone } else { self.repeat.beyond }
    }

    /// Hears how a rehearsal ended. Its clock is that of the run so far: a core that was idle takes a few milliseconds to run at its
    /// full one.
    pub(super) fn rehearsed(&mut self, [_, after]: [Moment; 2]) {
        self.clock = clock(after);
    }

    /// Hears that an attempt counts though it was disturbed, and how it ended.
    pub(super) fn accept(&mut self, disturbances: &[Disturbance], after: Moment) {
        let moved = disturbances.iter().any(|found| matches!(found, Disturbance::ClockMoved { .. }));
        self.elsewhere = if moved { self.elsewhere + 1 } else { 0 };
        if self.elsewhere == SETTLED {
            (self.clock, self.elsewhere) = (clock(after), 0);
        }
    }
}

fn clock(moment: Moment) -> Option<f64> {
    moment.glance.map(|glance| glance.chain_per_us)
}

/// Notes in a trial what was seen right before and right after it.
pub(super) fn note(trial: &mut Trial, [before, after]: [Moment; 2]) {
    let Some((before, after)) = before.glance.zip(after.glance) else { return };
    let adds = before.adds_per_cycle().zip(after.adds_per_cycle());
    trial.adds_per_cycle = adds.map(|(before, after)| rounded(before.min(after), 1e2));
    let clocks = before.core_mhz().zip(after.core_mhz());
    trial.core_mhz = clocks.map(|(before, after)| rounded((before + after) / 2.0, 1.0));
}
