use crate::analysis::steadiness::Disturbance;
use crate::words::{either, plural};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which trials were disturbed, and what was done about it: run again, or, when every attempt was disturbed, counted as the last
/// one was. None is dropped without a replacement.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Steadiness {
    /// How often a disturbed trial was run again at the most.
    pub repeats: u32,
    /// A trial that took more than so many times what the shortest took was interrupted. `None` where that is not looked at.
    pub interrupted_beyond: Option<f64>,
    /// The same for a trial during which the core was seen to be the program's alone.
    #[serde(default)]
    pub interrupted_beyond_alone: Option<f64>,
    /// A clock that changed by more than this part of it has moved.
    pub clock_tolerance: f64,
    /// Attempts that were disturbed and do not count, because the trial was run again.
    pub repeated: u32,
    /// Trials whose last attempt was disturbed too, and that count as they are.
    pub counted: u32,
    /// The same by kind of disturbance; an attempt may have met several.
    pub kinds: BTreeMap<String, Disturbed>,
    /// The first disturbances.
    pub events: Vec<Event>,
}

/// Attempts that met one kind of disturbance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Disturbed {
    /// Those that do not count, because the trial was run again.
    pub repeated: u32,
    /// Those that count.
    pub counted: u32,
}

/// A disturbed attempt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Event {
    /// The trial, from 0.
    pub trial: usize,
    /// Whether it was the one with probes.
    pub probes: bool,
    /// What was done.
    pub outcome: Outcome,
    /// What disturbed it.
    pub disturbances: Vec<Disturbance>,
}

/// What was done about a disturbed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The trial was run again, and this attempt does not count.
    Repeated,
    /// It was the last attempt, and counts.
    Counted,
}

/// Events that are listed; the rest is in the counts.
pub(super) const LISTED: usize = 64;

impl Steadiness {
    /// Takes note of a disturbed attempt.
    pub fn note(&mut self, event: Event) {
        let counts = event.outcome == Outcome::Counted;
        let add = |repeated: &mut u32, counted: &mut u32| if counts { *counted += 1 } else { *repeated += 1 };
        add(&mut self.repeated, &mut self.counted);
        for disturbance in &event.disturbances {
            let kind = self.kinds.entry(disturbance.kind().to_owned()).or_default();
            add(&mut kind.repeated, &mut kind.counted);
        }
        if self.events.len() < LISTED {
            self.events.push(event);
        }
    }

    /// Adds what another process noted, whose trials come after the first `trials`.
    pub fn merge(&mut self, other: Self, trials: usize) {
        self.repeated += other.repeated;
        self.counted += other.counted;
        for (kind, Disturbed { repeated, counted }) in other.kinds {
            let mine = self.kinds.entry(kind).or_default();
            mine.repeated += repeated;
            mine.counted += counted;
        }
        let later = other.events.into_iter().map(|event| Event { trial: event.trial + trials, ..event });
        self.events.extend(later.take(LISTED - self.events.len().min(LISTED)));
    }

    /// What a reader must be told, where anything.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        if self.repeated + self.counted == 0 {
            return None;
        }
        let kinds = self.kinds.iter().map(|(kind, Disturbed { repeated, counted })| {
            format!("{} {}", repeated + counted, Disturbance::in_words(kind))
        });
        let mut text = format!(
            "{} {} disturbed ({}): {} run again",
            plural(self.repeated + self.counted, "attempt"),
            either(self.repeated + self.counted, "was", "were"),
            kinds.collect::<Vec<_>>().join(", "),
            self.repeated,
        );
        if self.counted > 0 {
            text += &format!(
                ", {} at the last attempt too, and counted: stop other programs and fix the frequency",
                self.counted
            );
        }
        Some(text)
    }
}
