use super::record::{CounterRecord, Evidence};

impl CounterRecord {
    /// The counter, its rate and what its ticks are not: `tsc at 2445 MHz (ticks, not core cycles)`.
    #[must_use]
    pub fn describe(&self) -> String {
        if let Some(reason) = &self.unavailable {
            return format!("{}: unavailable ({reason})", self.name);
        }
        let rate = self.hz.map(|hz| format!(" at {} MHz", (hz as f64 / 1e6).round())).unwrap_or_default();
        let unit = match self.unit.as_str() {
            "ticks" => "ticks, not core cycles",
            "cycles" => "core cycles",
            unit => unit,
        };
        let meaning = if self.meaningful { "" } else { ", not meaningful here" };
        format!("{}{rate} ({unit}{meaning})", self.name)
    }
}

impl Evidence {
    /// The backends as one phrase: one name where one serves all roles, else each.
    #[must_use]
    pub fn suite(&self) -> String {
        let backends = &self.backends;
        let parts = [("xof", &backends.xof), ("prf", &backends.prf), ("hash", &backends.hash)];
        if parts.iter().all(|(_, name)| *name == &backends.xof) {
            return backends.xof.clone();
        }
        parts.map(|(part, name)| format!("{part}={name}")).join("+")
    }
}
