use super::{Environment, warnings};
use crate::counter::{CounterInfo, Unavailable};
use serde::Serialize;

/// Whether something can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It works.
    Works,
    /// It works, but a reader of figures must know of it.
    Caution,
    /// It does not work here.
    Missing,
}

/// One thing that the machine can or cannot do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// What: `counter tsc`, `machine`.
    pub what: String,
    /// Whether it can be used.
    pub state: State,
    /// What was found, why not, and the command that would help.
    pub detail: String,
}

/// Lists what this machine can measure, what is missing, and what would help: counters first, then the machine.
#[must_use]
pub fn examine(environment: &Environment, counters: &[(&str, Result<CounterInfo, Unavailable>)]) -> Vec<Finding> {
    let mut findings: Vec<_> = counters.iter().filter_map(|(name, result)| counter(name, result)).collect();
    findings.push(machine(environment));
    let caution = |detail| Finding { what: "machine".to_owned(), state: State::Caution, detail };
    findings.extend(warnings(environment).into_iter().map(caution));
    findings
}

fn counter(name: &str, result: &Result<CounterInfo, Unavailable>) -> Option<Finding> {
    let what = format!("counter {name}");
    Some(match result {
        Ok(info) => {
            let resolution = info.resolution.unwrap_or_default();
            let step = if resolution == 1 { String::new() } else { format!(", in steps of {resolution}") };
            let detail = format!("{}{step}; {}", info.unit_in_words(), info.description);
            Finding { what, state: State::Works, detail }
        }
        // What belongs to another kind of machine is not missing from this one.
        Err(Unavailable::Architecture { .. } | Unavailable::System { .. }) => return None,
        Err(reason) => Finding { what, state: State::Missing, detail: reason.to_string() },
    })
}

fn machine(environment: &Environment) -> Finding {
    let processor = &environment.processor;
    let mut parts = vec![environment.cpu_model.clone().unwrap_or_else(|| "unknown processor".to_owned())];
    parts.extend(processor.cores_online.map(|cores| format!("{cores} logical cores")));
    parts.extend(environment.system.memory_bytes.map(|bytes| format!("{} GiB", (bytes + (1 << 29)) >> 30)));
    parts.extend(environment.kernel.clone());
    parts.extend(environment.os.clone());
    Finding { what: "machine".to_owned(), state: State::Works, detail: parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::{Candidates, available};
    use crate::environment::Tree;
    use crate::environment::fixture::Fixture;

    fn find<'a>(findings: &'a [Finding], what: &str) -> Vec<&'a Finding> {
        findings.iter().filter(|finding| finding.what == what).collect()
    }

    #[test]
    fn a_virtual_machine_without_counters_is_told_so() {
        let fixture = Fixture::new(&[
            ("proc/cpuinfo", "processor : 0\nmodel name : EPYC\nflags : hypervisor constant_tsc nonstop_tsc\n"),
            ("proc/meminfo", "MemTotal: 24684092 kB\n"),
            ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock\n"),
        ]);
        let environment = Environment::begin(&fixture.tree(), Vec::new(), true);
        let counters = [
            ("perf", Err(Unavailable::NoHardware { errno: "ENOENT", virtual_machine: true })),
            ("cntvct", Err(Unavailable::Architecture { needs: "aarch64", here: "x86_64" })),
        ];
        let findings = examine(&environment, &counters);
        let perf = find(&findings, "counter perf")[0];
        assert_eq!(perf.state, State::Missing);
        assert!(perf.detail.contains("no hardware performance counter"), "{}", perf.detail);
        assert!(find(&findings, "counter cntvct").is_empty());
        let machine = find(&findings, "machine");
        assert!(machine[0].detail.starts_with("EPYC, 24 GiB"), "{}", machine[0].detail);
        assert!(machine.iter().any(|one| one.state == State::Caution && one.detail.contains("virtual machine (KVM)")));
    }

    #[test]
    fn this_machine_is_examined() {
        let environment = Environment::begin(&Tree::host(), Vec::new(), true);
        let findings = examine(&environment, &available());
        let clock = find(&findings, "counter clock")[0];
        assert!(clock.state == State::Works && clock.detail.starts_with("ns"), "{}", clock.detail);
        // `auto` takes none but what is listed as working.
        let auto = Candidates::of_host(&Tree::host()).open("auto").unwrap().info.name;
        assert_eq!(find(&findings, &format!("counter {auto}"))[0].state, State::Works);
    }
}
