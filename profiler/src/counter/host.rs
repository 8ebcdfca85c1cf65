use super::{Candidate, Candidates, Clock, CounterInfo, HostCounter, Unavailable, Unit};
use super::{EventGroup, EventsError};
use crate::environment::{QEMU_SYSTEM, System, Tree, VALGRIND};
use std::env::consts;

/// How long a counter's rate is measured, in ns: with an error of some 30 ns at either end, 5 parts in a million.
const RATE_SPAN_NS: u64 = 12_000_000;

impl Candidates {
    /// The counters that `kemprof` knows, where `tree` tells what the machine can do.
    #[must_use]
    pub fn of_host(tree: &Tree) -> Self {
        let emulator = System::here(tree).emulator;
        let real = |candidate: Candidate| candidate.unless_emulated(emulator.as_deref());
        // An emulated performance monitor that counts instructions counts nothing else: a cycle is an instruction there.
        let counts = if emulator.as_deref() == Some(QEMU_SYSTEM) && counts_instructions() {
            Counts::Instructions
        } else {
            Counts::AsNamed
        };
        let monitored = |candidate: Candidate| match counts {
            Counts::Instructions => candidate,
            Counts::AsNamed => real(candidate),
        };
        let instructions = perf(
            tree,
            "instructions",
            Unit::Instructions,
            "instructions retired in user mode, from the kernel's perf events",
            counts,
        );
        let cycles =
            perf(tree, "perf", Unit::Cycles, "core cycles in user mode, from the kernel's perf events", counts);
        let monitors = match counts {
            Counts::AsNamed => [perf_user(tree, counts), cycles, instructions.by_name_only()],
            // A reading from a register is begun again where the kernel was at work meanwhile, so that some runs differ.
            Counts::Instructions => [perf_user(tree, counts).by_name_only(), cycles.by_name_only(), instructions],
        };
        let timers = [
            tsc(tree, "tsc", "the time stamp counter, at a fixed rate that is not the core's"),
            tsc(tree, "tsc-fenced", "the time stamp counter, read when all earlier instructions have finished")
                .by_name_only(),
            Candidate::new("cntvct", open_cntvct),
            Candidate::new("clock", || {
                let info = CounterInfo::new("clock", Unit::Ns, "the system's monotonic clock");
                Ok((HostCounter::Clock(Clock::new()), info.at_rate(1_000_000_000, "a nanosecond by definition")))
            }),
        ];
        // Valgrind counts what it emulates.
        let callgrind = Candidate::new("callgrind", open_callgrind).by_name_only();
        let callgrind = if emulator.as_deref() == Some(VALGRIND) { callgrind } else { real(callgrind) };
        Self::new(monitors.into_iter().map(monitored).chain(timers.into_iter().map(real)).chain([callgrind]).collect())
    }
}

/// What a performance monitor counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counts {
    /// What its events are named after.
    AsNamed,
    /// Instructions, whatever the event: the same on every run.
    Instructions,
}

impl Counts {
    /// A counter of this kind as it is.
    fn info(self, name: &str, unit: Unit, description: &str) -> CounterInfo {
        match self {
            Self::AsNamed => CounterInfo::new(name, unit, description),
            Self::Instructions => CounterInfo {
                resolution: Some(1),
                ..CounterInfo::new(
                    name,
                    Unit::Instructions,
                    "instructions in user mode, counted one by one by an emulated performance monitor, the same on every run",
                )
            },
        }
    }
}

/// Whether the performance monitor counts instructions: QEMU's does where all that it counts is instructions (`-icount`).
#[cfg(target_os = "linux")]
fn counts_instructions() -> bool {
    // Who may not count has to be told that, and not that there is nothing to count.
    super::Perf::open(super::Event::Instructions)
        .map_or_else(|error| error.kind() == std::io::ErrorKind::PermissionDenied, |_| true)
}

#[cfg(not(target_os = "linux"))]
fn counts_instructions() -> bool {
    false
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn perf_user(tree: &Tree, counts: Counts) -> Candidate {
    use super::PerfUser;
    let paranoid = tree.number("proc/sys/kernel/perf_event_paranoid");
    let virtual_machine = tree.has_cpu_flag("hypervisor");
    Candidate::new("perf-user", move || {
        let counter = PerfUser::open(|error| Unavailable::from_perf(error, paranoid, virtual_machine))?;
        let description = "core cycles in user mode, read from the processor's register without a system call";
        let counter = if counts == Counts::Instructions { counter.exact() } else { counter };
        Ok((HostCounter::PerfUser(counter), counts.info("perf-user", Unit::Cycles, description)))
    })
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn perf_user(_tree: &Tree, _counts: Counts) -> Candidate {
    let needs = "Linux on x86_64 or aarch64";
    Candidate::new("perf-user", move || Err(Unavailable::System { needs, here: consts::OS }))
}

#[cfg(target_os = "linux")]
fn perf(tree: &Tree, name: &'static str, unit: Unit, description: &'static str, counts: Counts) -> Candidate {
    use super::{Event, Perf};
    let paranoid = tree.number("proc/sys/kernel/perf_event_paranoid");
    let virtual_machine = tree.has_cpu_flag("hypervisor");
    let event = if unit == Unit::Instructions { Event::Instructions } else { Event::Cycles };
    Candidate::new(name, move || {
        let counter = Perf::open(event).map_err(|error| Unavailable::from_perf(&error, paranoid, virtual_machine))?;
        let counter = if counts == Counts::Instructions { counter.exact() } else { counter };
        Ok((HostCounter::Perf(counter), counts.info(name, unit, description)))
    })
}

#[cfg(not(target_os = "linux"))]
fn perf(_tree: &Tree, name: &'static str, _unit: Unit, _description: &'static str, _counts: Counts) -> Candidate {
    Candidate::new(name, || Err(Unavailable::System { needs: "Linux", here: consts::OS }))
}

#[cfg(target_arch = "x86_64")]
fn tsc(tree: &Tree, name: &'static str, description: &'static str) -> Candidate {
    use super::{Tsc, TscFenced, rate_against, trial::survives};
    use kemprof_core::Counter;
    let missing = ["constant_tsc", "nonstop_tsc"].into_iter().find(|flag| !tree.has_cpu_flag(flag));
    Candidate::new(name, move || {
        if let Some(missing) = missing {
            return Err(Unavailable::NotInvariant { missing });
        }
        // A process may be forbidden to read it: prctl(PR_SET_TSC).
        survives(|| {
            Tsc.read();
        })?;
        let hz = rate_against(&mut TscFenced, &mut Clock::new(), RATE_SPAN_NS)
            .ok_or_else(|| Unavailable::Failed { operation: "measuring its rate", message: "no clock".to_owned() })?;
        let counter = if name == "tsc" { HostCounter::Tsc(Tsc) } else { HostCounter::TscFenced(TscFenced) };
        let info = CounterInfo::new(name, Unit::Ticks, description);
        Ok((counter, info.at_rate(hz, "measured against the monotonic clock")))
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn tsc(_tree: &Tree, name: &'static str, _description: &'static str) -> Candidate {
    Candidate::new(name, || Err(Unavailable::Architecture { needs: "x86_64", here: consts::ARCH }))
}

#[cfg(target_arch = "aarch64")]
fn open_cntvct() -> Result<(HostCounter, CounterInfo), Unavailable> {
    use super::{Cntvct, rate_against, trial::survives};
    use crate::environment::timer_hz;
    use kemprof_core::Counter;
    survives(|| {
        let _ = (Cntvct.read(), timer_hz());
    })?;
    let (hz, source) = match timer_hz() {
        // Firmware that leaves the register empty or at a placeholder of a few Hz.
        0..1_000_000 => {
            let hz = rate_against(&mut Cntvct, &mut Clock::new(), RATE_SPAN_NS).ok_or_else(|| Unavailable::Failed {
                operation: "measuring its rate",
                message: "no clock".to_owned(),
            })?;
            (hz, "measured against the monotonic clock")
        }
        hz => (hz, "stated by cntfrq_el0"),
    };
    let info = CounterInfo::new("cntvct", Unit::Ticks, "the virtual timer, at a fixed rate that is not the core's");
    Ok((HostCounter::Cntvct(Cntvct), info.at_rate(hz, source)))
}

#[cfg(not(target_arch = "aarch64"))]
fn open_cntvct() -> Result<(HostCounter, CounterInfo), Unavailable> {
    Err(Unavailable::Architecture { needs: "aarch64", here: consts::ARCH })
}

/// Opens these events as one group, for the calling thread in user mode.
///
/// # Errors
/// See [`EventsError`].
#[cfg(target_os = "linux")]
pub fn open_events(names: &[String]) -> Result<Box<dyn EventGroup>, EventsError> {
    let tree = Tree::host();
    let paranoid = tree.number("proc/sys/kernel/perf_event_paranoid");
    let virtual_machine = tree.has_cpu_flag("hypervisor");
    let events = super::Events::open(names, |error| Unavailable::from_perf(error, paranoid, virtual_machine))?;
    Ok(Box::new(events))
}

/// There are none on this system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn open_events(names: &[String]) -> Result<Box<dyn EventGroup>, EventsError> {
    let (name, reason) = (names.join(", "), Unavailable::System { needs: "Linux", here: consts::OS });
    Err(EventsError::Unavailable { name, reason })
}

/// Events that can be counted here, each by itself.
#[cfg(target_os = "linux")]
#[must_use]
pub fn available_events() -> Vec<&'static str> {
    super::Events::known().into_iter().filter(|&name| open_events(&[name.to_owned()]).is_ok()).collect()
}

/// There are none on this system.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn available_events() -> Vec<&'static str> {
    Vec::new()
}

fn open_callgrind() -> Result<(HostCounter, CounterInfo), Unavailable> {
    let counter = super::Callgrind::open()?;
    Ok((HostCounter::Callgrind(counter), CounterInfo::of_callgrind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::Counter;

    /// Whether an emulator runs this test, where no counter of the machine works.
    fn emulated() -> bool {
        System::here(&Tree::host()).emulator.is_some()
    }

    #[test]
    fn under_an_emulator_nothing_counts() {
        let open: fn() -> Result<(HostCounter, CounterInfo), Unavailable> =
            || Ok((HostCounter::Clock(Clock::new()), CounterInfo::new("x", Unit::Ns, "")));
        let of = |emulator| Candidates::new(vec![Candidate::new("x", open).unless_emulated(emulator)]).open("x");
        assert!(of(None).is_ok());
        let refused = of(Some("qemu-user")).unwrap_err().to_string();
        assert!(refused.contains("qemu-user runs this program"), "{refused}");
    }

    #[test]
    fn auto_finds_a_counter_that_moves() {
        if emulated() {
            return;
        }
        let mut opened = crate::counter::open("auto").unwrap();
        assert!(opened.counter.counts() && opened.info.resolution > Some(0));
        let start = opened.counter.read();
        let sum: u64 = std::hint::black_box((0..10_000_u64).map(std::hint::black_box).sum());
        assert!(opened.counter.read() > start, "after adding up to {sum}");
    }

    #[test]
    fn the_clock_works_on_every_machine_and_counts_nanoseconds() {
        if emulated() {
            return;
        }
        let clock = crate::counter::open("clock").unwrap();
        assert_eq!((clock.info.unit, clock.info.hz), (Unit::Ns, Some(1_000_000_000)));
    }

    #[test]
    fn every_counter_works_or_says_why() {
        for (name, result) in crate::counter::available() {
            match result {
                Ok(info) => assert!(info.name == name && info.resolution.is_some(), "{info:?}"),
                Err(reason) => assert!(!reason.to_string().is_empty(), "{name}"),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_time_stamp_counter_that_is_not_invariant_is_refused() {
        let tree = Tree::at(std::path::Path::new("/nonexistent"));
        let refused = Candidates::of_host(&tree).open("tsc").unwrap_err().to_string();
        assert!(refused.contains("no `constant_tsc`"), "{refused}");
    }
}
