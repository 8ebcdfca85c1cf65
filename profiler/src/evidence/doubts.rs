use super::record::Evidence;
use super::{EventsRecord, calm, grain};

impl Evidence {
    /// What makes a record's own figures less than they should be. What the machine adds to that is no affair of the figures.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut found = calm::warnings(&self.derived, &self.steadiness);
        found.extend(grain::warning(&self.counter, &self.profiled, &self.calls));
        found.extend(self.events.as_ref().and_then(EventsRecord::warning));
        found
    }
}
