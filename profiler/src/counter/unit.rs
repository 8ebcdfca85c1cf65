use serde::{Deserialize, Serialize};
use std::fmt;

/// What one tick of a counter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A clock cycle of the core, whatever its frequency is at the time.
    Cycles,
    /// A step of a counter that runs at a fixed rate of its own, which is not the core's clock.
    Ticks,
    /// A nanosecond.
    Ns,
    /// A retired instruction.
    Instructions,
}

impl Unit {
    /// The word that follows a figure: `cycles`, `ticks`, `ns`, `instructions`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Ticks => "ticks",
            Self::Ns => "ns",
            Self::Instructions => "instructions",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A rate for people: `2596 MHz`, `24 MHz`, `62.5 MHz`, `1000 MHz`, `100 Hz`.
///
/// Whole megahertz above 100 MHz, where the parts say nothing; three places below, where they do.
#[must_use]
pub fn rate(hz: u64) -> String {
    const MHZ: u64 = 1_000_000;
    if hz < MHZ {
        return format!("{hz} Hz");
    }
    if hz >= 100 * MHZ {
        return format!("{} MHz", (hz + MHZ / 2) / MHZ);
    }
    let thousandths = (hz + 500) / 1000;
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    format!("{} MHz", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_written_for_people() {
        let cases = [
            (2_596_124_000, "2596 MHz"),
            (2_445_400_000, "2445 MHz"),
            (1_000_000_000, "1000 MHz"),
            (62_500_000, "62.5 MHz"),
            (24_000_000, "24 MHz"),
            (19_200_000, "19.2 MHz"),
            (1_000_000, "1 MHz"),
            (32_768, "32768 Hz"),
        ];
        for (hz, text) in cases {
            assert_eq!(rate(hz), text);
        }
    }

    #[test]
    fn words_are_those_of_the_evidence() {
        for unit in [Unit::Cycles, Unit::Ticks, Unit::Ns, Unit::Instructions] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.word());
        }
    }
}
