use super::{Unit, rate};
use serde::{Deserialize, Serialize};

/// What a reader of figures must know of the counter that made them; the evidence's `counter`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CounterInfo {
    /// Its name, by which it can be asked for.
    pub name: String,
    /// What one tick is.
    pub unit: Unit,
    /// Ticks per second, where they are at a fixed rate.
    pub hz: Option<u64>,
    /// Where that rate comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hz_source: Option<String>,
    /// The least step it was seen to make, in ticks; none where nothing is counted.
    pub resolution: Option<u64>,
    /// The least ticks between two readings, one right after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ticks: Option<u64>,
    /// Whether figures of time can be believed: not where nothing is counted, or the machine is emulated.
    pub meaningful: bool,
    /// What it counts, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl CounterInfo {
    /// How to name the unit in a heading: `core cycles in user mode`, `ticks of 2596 MHz, not core cycles`, `ns`.
    #[must_use]
    pub fn unit_in_words(&self) -> String {
        match (self.unit, self.hz) {
            _ if self.resolution.is_none() => "nothing is timed".to_owned(),
            (Unit::Cycles, _) => "core cycles in user mode".to_owned(),
            (Unit::Ticks, Some(hz)) => format!("ticks of {}, not core cycles", rate(hz)),
            (Unit::Ticks, None) => "ticks of an unknown rate, not core cycles".to_owned(),
            (Unit::Ns | Unit::Instructions, _) => self.unit.word().to_owned(),
        }
    }

    pub(super) fn new(name: &str, unit: Unit, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            hz: None,
            hz_source: None,
            resolution: None,
            read_ticks: None,
            meaningful: true,
            description: description.to_owned(),
        }
    }

    /// Of instructions that valgrind counts: one is the least step, by definition.
    pub(super) fn of_callgrind() -> Self {
        let description = "counted one by one by valgrind's callgrind, the same on every run";
        Self { resolution: Some(1), ..Self::new("callgrind", Unit::Instructions, description) }
    }

    pub(super) fn at_rate(self, hz: u64, source: &str) -> Self {
        Self { hz: Some(hz), hz_source: Some(source.to_owned()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(unit: Unit, hz: Option<u64>) -> CounterInfo {
        CounterInfo { hz, resolution: Some(1), ..CounterInfo::new("x", unit, "") }
    }

    #[test]
    fn ticks_are_never_called_core_cycles() {
        assert_eq!(info(Unit::Ticks, Some(2_596_124_000)).unit_in_words(), "ticks of 2596 MHz, not core cycles");
        assert_eq!(info(Unit::Cycles, None).unit_in_words(), "core cycles in user mode");
        assert_eq!(info(Unit::Ns, Some(1_000_000_000)).unit_in_words(), "ns");
        let nothing = CounterInfo::new("none", Unit::Ticks, "");
        assert_eq!(nothing.unit_in_words(), "nothing is timed");
    }

    #[test]
    fn a_record_without_the_newer_fields_is_read() {
        let text = r#"{"name":"tsc","unit":"ticks","hz":1,"resolution":1,"overhead_per_call":34,"meaningful":true}"#;
        let info: CounterInfo = serde_json::from_str(text).unwrap();
        assert_eq!((info.hz, info.read_ticks), (Some(1), None));
    }
}
