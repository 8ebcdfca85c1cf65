//! What a machine can measure, what is missing, and what would help.

mod tools;

pub use tools::installs;

use crate::counter::{self, ALLOW_EVENTS, CounterInfo, Unavailable};
use crate::environment::{Environment, Tree, current_core, warnings};
use serde::{Deserialize, Serialize};
use std::env;
use std::ffi::OsStr;
use tools::tools;

/// Whether something can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What: `counter tsc`, `machine`.
    pub what: String,
    /// Whether it can be used.
    pub state: State,
    /// What was found, or why not.
    pub detail: String,
    /// The command that would help.
    pub fix: Option<String>,
}

impl Finding {
    fn new(what: &str, state: State, detail: String) -> Self {
        Self { what: what.to_owned(), state, detail, fix: None }
    }
}

/// Counters, by name: what each is, or why it does not work here.
type Counters<'a> = [(&'a str, Result<CounterInfo, Unavailable>)];

/// A heading, and what this machine can measure.
#[must_use]
pub fn this_machine() -> (String, Vec<Finding>) {
    let tree = Tree::host();
    // Whether a run stays on its core is the run's affair: `kemprof keygen` pins itself.
    let environment = Environment::begin(&tree, Vec::new(), true);
    let path = env::var_os("PATH");
    let findings = examine(&environment, &counter::available(), &counter::available_events(), &tree, path.as_deref());
    (format!("{} on core {}", environment.kemprof, current_core()), findings)
}

/// Lists what this machine can measure, what is missing, and what would help: counters first, then the kernel's settings for
/// them, the machine, and programs that measure more. `events` are those that can be counted; `tree` is where the kernel tells of
/// itself, `path` the variable `PATH`.
fn examine(
    environment: &Environment,
    counters: &Counters<'_>,
    events: &[&str],
    tree: &Tree,
    path: Option<&OsStr>,
) -> Vec<Finding> {
    let mut findings = grouped(counters);
    findings.push(match events {
        [] => Finding::new("events", State::Missing, "the kernel counts none for this program".to_owned()),
        events => Finding::new("events", State::Works, format!("--events can count {}", events.join(", "))),
    });
    findings.extend(settings(tree));
    findings.push(machine(environment));
    let caution = |detail| Finding::new("machine", State::Caution, detail);
    findings.extend(warnings(environment).into_iter().map(caution));
    findings.extend(tools(path));
    findings
}

/// Counters in their order, and those that are missing for one reason together.
fn grouped(counters: &Counters<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (name, result) in counters {
        let Some(finding) = counter(name, result) else { continue };
        match findings.last_mut().filter(|last| last.state == State::Missing && last.detail == finding.detail) {
            Some(last) => last.what = format!("{}, {name}", last.what.replacen("counter ", "counters ", 1)),
            None => findings.push(finding),
        }
    }
    findings
}

fn counter(name: &str, result: &Result<CounterInfo, Unavailable>) -> Option<Finding> {
    let what = format!("counter {name}");
    Some(match result {
        Ok(info) => {
            let resolution = info.resolution.unwrap_or_default();
            let step = if resolution == 1 { String::new() } else { format!(", in steps of {resolution}") };
            let detail = format!("{}{step}; {}", info.unit_in_words(), info.description);
            Finding { what, state: State::Works, detail, fix: None }
        }
        // What belongs to another kind of machine is not missing from this one.
        Err(Unavailable::Architecture { .. } | Unavailable::System { .. }) => return None,
        Err(reason) => {
            Finding { what, state: State::Missing, detail: reason.to_string(), fix: reason.fix().map(str::to_owned) }
        }
    })
}

/// Settings of the kernel that decide who may count.
fn settings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(level) = tree.number::<i32>("proc/sys/kernel/perf_event_paranoid") {
        let what = "setting kernel.perf_event_paranoid";
        findings.push(match level {
            ..=2 => Finding::new(what, State::Works, format!("{level}: programs may count their own user-mode code")),
            _ => Finding {
                fix: Some(ALLOW_EVENTS.to_owned()),
                ..Finding::new(what, State::Missing, format!("{level}: programs may count nothing"))
            },
        });
    }
    let registers = [
        (
            "setting kernel.perf_user_access",
            "proc/sys/kernel/perf_user_access",
            "sudo sysctl kernel.perf_user_access=1",
        ),
        ("setting rdpmc", "sys/devices/cpu/rdpmc", "echo 1 | sudo tee /sys/devices/cpu/rdpmc"),
    ];
    for (what, path, fix) in registers {
        findings.extend(tree.number::<i32>(path).map(|value| match value {
            0 => Finding {
                fix: Some(fix.to_owned()),
                ..Finding::new(what, State::Missing, "0: counters are read by system calls only".to_owned())
            },
            value => Finding::new(what, State::Works, format!("{value}: programs may read their counters' registers")),
        }));
    }
    findings
}

fn machine(environment: &Environment) -> Finding {
    let processor = &environment.processor;
    let mut parts = vec![environment.cpu_model.clone().unwrap_or_else(|| "unknown processor".to_owned())];
    parts.extend(processor.cores_online.map(|cores| format!("{cores} logical cores")));
    parts.extend(environment.system.memory_bytes.map(|bytes| format!("{} GiB", (bytes + (1 << 29)) >> 30)));
    parts.extend(environment.kernel.clone());
    parts.extend(environment.os.clone());
    Finding::new("machine", State::Works, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::{Candidates, available, available_events};
    use crate::environment::fixture::Fixture;

    fn find<'a>(findings: &'a [Finding], what: &str) -> Vec<&'a Finding> {
        findings.iter().filter(|finding| finding.what == what).collect()
    }

    // Elsewhere /proc/cpuinfo has other keys, and a missing cntvct is no matter of the architecture.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_virtual_machine_without_counters_is_told_so() {
        let fixture = Fixture::new(&[
            ("proc/cpuinfo", "processor : 0\nmodel name : EPYC\nflags : hypervisor constant_tsc nonstop_tsc\n"),
            ("proc/meminfo", "MemTotal: 24684092 kB\n"),
            ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock\n"),
        ]);
        let environment = Environment::begin(&fixture.tree(), Vec::new(), true);
        let counters = [
            ("perf-user", Err(Unavailable::NoHardware { errno: "ENOENT", virtual_machine: true })),
            ("perf", Err(Unavailable::NoHardware { errno: "ENOENT", virtual_machine: true })),
            ("cntvct", Err(Unavailable::Architecture { needs: "aarch64", here: "x86_64" })),
        ];
        let findings = examine(&environment, &counters, &[], &fixture.tree(), None);
        let perf = find(&findings, "counters perf-user, perf")[0];
        assert_eq!(find(&findings, "events")[0].state, State::Missing);
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
        let findings = examine(&environment, &available(), &available_events(), &Tree::host(), None);
        if !environment.is_real() {
            assert!(findings.iter().all(|one| one.state != State::Works || !one.what.starts_with("counter")));
            return;
        }
        let clock = find(&findings, "counter clock")[0];
        assert!(clock.state == State::Works && clock.detail.starts_with("ns"), "{}", clock.detail);
        // `auto` takes none but what is listed as working.
        let auto = Candidates::of_host(&Tree::host()).open("auto").unwrap().info.name;
        assert_eq!(find(&findings, &format!("counter {auto}"))[0].state, State::Works);
    }
    #[test]
    fn what_is_forbidden_comes_with_the_command_that_allows_it() {
        let fixture = Fixture::new(&[
            ("proc/sys/kernel/perf_event_paranoid", "3\n"),
            ("proc/sys/kernel/perf_user_access", "0\n"),
            ("sys/devices/cpu/rdpmc", "1\n"),
        ]);
        let environment = Environment::begin(&fixture.tree(), Vec::new(), true);
        let counters = [("perf", Err(Unavailable::Refused { errno: "EACCES", paranoid: Some(3) }))];
        let findings = examine(&environment, &counters, &["task-clock"], &fixture.tree(), None);
        let fix = |what: &str| find(&findings, what)[0].fix.as_deref();
        for what in ["counter perf", "setting kernel.perf_event_paranoid"] {
            assert_eq!(fix(what), Some("sudo sysctl kernel.perf_event_paranoid=2"), "{what}");
        }
        assert_eq!(fix("setting kernel.perf_user_access"), Some("sudo sysctl kernel.perf_user_access=1"));
        assert_eq!((fix("setting rdpmc"), find(&findings, "setting rdpmc")[0].state), (None, State::Works));
        assert_eq!(find(&findings, "events")[0].detail, "--events can count task-clock");
    }
}
