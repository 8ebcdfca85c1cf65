use super::record::{Backends, CounterRecord, Evidence};
use crate::environment::QEMU_SYSTEM;
use crate::words::{self, plural};

impl CounterRecord {
    /// The counter, its rate and what its ticks are not: `tsc at 2445 MHz (ticks, not core cycles)`.
    #[must_use]
    pub fn describe(&self) -> String {
        // The reason stands where the figures would.
        if self.unavailable.is_some() {
            return if self.name == "none" {
                "no counter".to_owned()
            } else {
                format!("no {} from {}", self.unit, self.name)
            };
        }
        let rate = self.hz.map(|hz| format!(" at {} MHz", (hz as f64 / 1e6).round())).unwrap_or_default();
        let unit = match self.unit.as_str() {
            "ticks" => "ticks, not core cycles",
            "cycles" => "core cycles",
            unit => unit,
        };
        let meaning = if self.meaningful { "" } else { ", not meaningful here" };
        if self.name == unit && self.meaningful {
            return unit.to_owned();
        }
        format!("{}{rate} ({unit}{meaning})", self.name)
    }
}

fn is_dwt(counter: &CounterRecord) -> bool {
    counter.name == "dwt"
}

/// The processor and what code ran on it, of any record that says target, counter and environment as [`Evidence`] does.
#[must_use]
pub fn processor(target: &str, counter: &CounterRecord, environment: &serde_json::Value) -> String {
    if is_dwt(counter) {
        return "Cortex-M4".to_owned();
    }
    let model = environment.get("cpu_model").and_then(serde_json::Value::as_str).unwrap_or_default();
    let model = ["(R)", "(TM)"].iter().fold(model.to_owned(), |model, mark| model.replace(mark, ""));
    let model: Vec<&str> = model.split_whitespace().collect();
    let target = words::target(target);
    if model.is_empty() { target } else { format!("{}, {target}", model.join(" ")) }
}

impl Evidence {
    /// What ran and what counted: `AMD EPYC 7763, x86_64 Linux, tsc at 2445 MHz (ticks, not core cycles)`,
    /// `Cortex-M4, DWT cycles at 168 MHz (m4sim, 0 wait states)`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}, {}", self.processor(), self.counts())
    }

    /// The processor and what code ran on it, as far as that is known: `AMD EPYC 7763, x86_64 Linux`, `Cortex-M4`.
    #[must_use]
    pub fn processor(&self) -> String {
        processor(&self.target, &self.counter, &self.environment)
    }

    /// What counted: `tsc at 2445 MHz (ticks, not core cycles)`, `DWT cycles (m4sim, 0 wait states)`.
    #[must_use]
    pub fn counts(&self) -> String {
        if !self.is_dwt() {
            let counted = self.counter.describe();
            return if self.runner == QEMU_SYSTEM { format!("{counted} under QEMU") } else { counted };
        }
        let states = self.environment.get("wait_states").and_then(serde_json::Value::as_u64);
        let states = states.map(|states| format!(", {}", plural(states, "wait state")));
        let on = format!("({}{})", self.runner, states.unwrap_or_default());
        if self.counter.unavailable.is_some() {
            return format!("no DWT cycles {on}");
        }
        let rate = self.counter.hz.map(|hz| format!(" at {}", crate::counter::rate(hz))).unwrap_or_default();
        format!("DWT {}{rate} {on}", self.counter.unit)
    }

    /// Whether the cycle counter of a microcontroller's debug unit counted.
    fn is_dwt(&self) -> bool {
        is_dwt(&self.counter)
    }

    /// The symmetric functions and the sampling as `--hash` takes them: `placeholder`, `shake+drng=ascon@lazy`.
    #[must_use]
    pub fn suite(&self) -> String {
        variant(&self.backends.spelled(), &self.sampling)
    }
}

/// Symmetric functions with a way of sampling, as `--hash` takes them. What is not said is eager.
#[must_use]
pub fn variant(suite: &str, sampling: &str) -> String {
    if sampling == "eager" { suite.to_owned() } else { format!("{suite}@{sampling}") }
}

impl Backends {
    /// The shortest word for them that `--hash` takes: the backend that serves most roles (of equals, the first), then the
    /// others. A generator whose backend is not recorded is left out.
    #[must_use]
    pub fn spelled(&self) -> String {
        let generator = self.generator.as_deref();
        let parts = [("xof", self.xof.as_str()), ("prf", &self.prf), ("hash", &self.hash)];
        let parts: Vec<_> = parts.into_iter().chain(generator.map(|name| ("drng", name))).collect();
        let uses = |(_, name): &(&str, &str)| parts.iter().filter(|(_, other)| other == name).count();
        let base = parts.iter().rev().max_by_key(|part| uses(part)).map_or("", |(_, name)| name);
        let others = parts.iter().filter(|(_, name)| *name != base).map(|(part, name)| format!("+{part}={name}"));
        others.fold(base.to_owned(), |spec, other| spec + &other)
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::fixture::record;
    use serde_json::json;

    #[test]
    fn processors_and_counters_are_named() {
        let mut record = record(&[], &[(&["keygen"], 100)]);
        assert_eq!(record.place(), "a-target, tsc at 1000 MHz (ticks, not core cycles)");
        record.environment = json!({ "cpu_model": "Intel(R)  Xeon(R) CPU @ 2.60GHz" });
        assert_eq!(record.place(), "Intel Xeon CPU @ 2.60GHz, a-target, tsc at 1000 MHz (ticks, not core cycles)");
        (record.counter.name, record.counter.unit) = ("dwt".to_owned(), "cycles".to_owned());
        (record.counter.hz, record.runner) = (None, "m4sim".to_owned());
        record.environment = json!({ "wait_states": 0 });
        assert_eq!(record.place(), "Cortex-M4, DWT cycles (m4sim, 0 wait states)");
        record.counter.hz = Some(168_000_000);
        record.environment = json!({ "wait_states": 1 });
        assert_eq!(record.place(), "Cortex-M4, DWT cycles at 168 MHz (m4sim, 1 wait state)");
        record.counter.unavailable = Some("it stands".to_owned());
        (record.runner, record.environment) = ("qemu-system".to_owned(), json!({ "wait_states": null }));
        assert_eq!(record.place(), "Cortex-M4, no DWT cycles (qemu-system)");
    }
}
