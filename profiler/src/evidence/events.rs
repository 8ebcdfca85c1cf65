//! Events of the kernel's: figures that stand beside the ticks, and are none.

use crate::counter::Schedule;
use serde::{Deserialize, Serialize};

/// Events that were counted around whole trials without probes, of operations of their own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventsRecord {
    /// Operations.
    pub operations: u64,
    /// Time for which the events were asked to be counted, in ns.
    pub enabled_ns: u64,
    /// Time for which they were, in ns. Where it is less, others had the processor's registers.
    pub running_ns: u64,
    /// The events, in the order asked for.
    pub counts: Vec<EventRecord>,
    /// Instructions by cycles, where both were counted.
    pub instructions_per_cycle: Option<f64>,
}

/// One event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventRecord {
    /// Its name.
    pub name: String,
    /// How often it was counted; `None` where nothing counted it.
    pub count: Option<u64>,
    /// Of one operation: `count` × `enabled_ns` / `running_ns` / operations, scaled up where the two times differ.
    pub per_operation: Option<f64>,
}

impl EventsRecord {
    /// The record of these raw counts.
    #[must_use]
    pub fn new(operations: u64, schedule: Schedule, counts: Vec<(String, u64)>) -> Self {
        let Schedule { enabled_ns, running_ns } = schedule;
        let ran = running_ns > 0;
        let event = |(name, count)| EventRecord { name, count: Some(count).filter(|_| ran), per_operation: None };
        let counts = counts.into_iter().map(event).collect();
        Self { operations, enabled_ns, running_ns, counts, instructions_per_cycle: None }.derived()
    }

    /// Of two processes that counted the same events, both together.
    pub(super) fn merged(mut self, other: Self) -> Option<Self> {
        let names = |events: &Self| events.counts.iter().map(|event| event.name.clone()).collect::<Vec<_>>();
        if names(&self) != names(&other) {
            return None;
        }
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            mine.count = mine.count.zip(theirs.count).map(|(mine, theirs)| mine.saturating_add(theirs));
        }
        self.operations += other.operations;
        self.enabled_ns += other.enabled_ns;
        // One that counted nothing leaves nothing to scale by.
        self.running_ns =
            if self.running_ns == 0 || other.running_ns == 0 { 0 } else { self.running_ns + other.running_ns };
        Some(self.derived())
    }

    /// The same with the figures that follow from the raw ones.
    pub(super) fn derived(mut self) -> Self {
        let scaled = |count| count as f64 * self.enabled_ns as f64 / self.running_ns as f64 / self.operations as f64;
        for event in &mut self.counts {
            event.per_operation = event.count.map(scaled).filter(|figure: &f64| figure.is_finite());
        }
        let count = |name: &str| self.counts.iter().find(|event| event.name == name).and_then(|event| event.count);
        let pair = count("instructions").zip(count("cycles")).filter(|&(_, cycles)| cycles > 0);
        self.instructions_per_cycle = pair.map(|(instructions, cycles)| instructions as f64 / cycles as f64);
        self
    }

    /// What a reader must be told.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { enabled_ns, running_ns, .. } = *self;
        if running_ns == 0 {
            return Some(
                "the kernel never found free registers for the events at once: there are no counts; ask for fewer, or free some \
                 (`sudo sysctl kernel.nmi_watchdog=0` frees one)"
                    .to_owned(),
            );
        }
        let share = 100.0 * running_ns as f64 / enabled_ns as f64;
        (running_ns < enabled_ns).then(|| {
            format!(
                "events took turns with others and were counted {share:.0} % of the time: their figures are scaled up"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(schedule: (u64, u64)) -> EventsRecord {
        let schedule = Schedule { enabled_ns: schedule.0, running_ns: schedule.1 };
        let counts = [("cycles", 4000), ("instructions", 10_000), ("cache-misses", 3)];
        EventsRecord::new(5, schedule, counts.map(|(name, count)| (name.to_owned(), count)).to_vec())
    }

    #[test]
    fn figures_are_of_one_operation() {
        let events = events((1000, 1000));
        let figures: Vec<_> = events.counts.iter().map(|event| event.per_operation).collect();
        assert_eq!(figures, [Some(800.0), Some(2000.0), Some(0.6)]);
        assert_eq!((events.instructions_per_cycle, events.warning()), (Some(2.5), None));
    }

    #[test]
    fn events_that_took_turns_are_scaled_and_it_is_said() {
        let events = events((1000, 250));
        assert_eq!((events.counts[0].count, events.counts[0].per_operation), (Some(4000), Some(3200.0)));
        assert_eq!(events.instructions_per_cycle, Some(2.5), "both took the same turns");
        assert!(events.warning().is_some_and(|text| text.contains("25 % of the time: their figures are scaled up")));
    }

    #[test]
    fn two_processes_add_up() {
        let both = events((1000, 1000)).merged(events((1000, 500))).expect("alike");
        assert_eq!((both.operations, both.counts[0].count, both.running_ns), (10, Some(8000), 1500));
        let starved = events((1000, 1000)).merged(events((1000, 0))).expect("alike");
        assert_eq!((starved.counts[0].count, starved.running_ns), (None, 0));
        let mut other = events((1000, 1000));
        other.counts.pop();
        assert_eq!(events((1000, 1000)).merged(other), None);
    }

    #[test]
    fn events_without_a_turn_have_no_figures() {
        let events = events((1000, 0));
        assert!(events.counts.iter().all(|event| (event.count, event.per_operation) == (None, None)));
        assert_eq!(events.instructions_per_cycle, None);
        assert!(events.warning().is_some_and(|text| text.contains("no counts")));
    }
}
