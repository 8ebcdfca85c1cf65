use super::Environment;
use super::processor::{BOOST, NO_TURBO};

/// Programs that want to run, on average over a minute, above which others are taking the core's time.
const BUSY: f64 = 1.0;

/// What makes figures from this machine unsteady or wrong, and what to do about it, the worst first.
#[must_use]
pub fn warnings(environment: &Environment) -> Vec<String> {
    let system = &environment.system;
    if let Some(emulator) = &system.emulator {
        // What disturbs times is no matter where there are none.
        return vec![format!(
            "{emulator} runs this program: calls, bits and known answers are real, times are not; run it on the machine itself"
        )];
    }
    let mut found = Vec::new();
    if environment.build.debug_assertions || matches!(environment.build.opt_level.as_str(), "0" | "1") {
        found.push("this is a debug build: use `cargo run --release`".to_owned());
    }
    if let Some(hypervisor) = &system.hypervisor {
        let make = if hypervisor == "unknown" { String::new() } else { format!(" ({hypervisor})") };
        found.push(format!(
            "this is a virtual machine{make}: neighbours on the same physical core can make the same code up to twice as slow; \
             compare only what ran interleaved, or count instructions"
        ));
    }
    core_warnings(environment, &mut found);
    frequency_warnings(environment, &mut found);
    if let Some([load, ..]) = system.load_average
        && load > BUSY
    {
        found.push(format!("other programs are running (load {load:.2}): stop them, or wait"));
    }
    found
}

fn core_warnings(environment: &Environment, found: &mut Vec<String>) {
    let processor = &environment.processor;
    if !processor.pinned && processor.cores_online.is_some_and(|cores| cores > 1) {
        let kinds = if processor.core_kind.is_some() { ", of different kinds" } else { "" };
        found
            .push(format!("the program may move between cores{kinds}: keep it on one with `--cpu {}`", processor.core));
    }
    if processor.core_kind.as_deref() == Some("efficiency") {
        found.push("this is an efficiency core: choose a performance core with `--cpu`".to_owned());
    }
    if !processor.siblings.is_empty() && processor.smt != Some(false) {
        let siblings: Vec<_> = processor.siblings.iter().map(usize::to_string).collect();
        found.push(format!(
            "core {} shares its hardware with core {}: keep that one idle, or `echo off | sudo tee \
             /sys/devices/system/cpu/smt/control`",
            processor.core,
            siblings.join(", ")
        ));
    }
}

fn frequency_warnings(environment: &Environment, found: &mut Vec<String>) {
    let processor = &environment.processor;
    if let Some(governor) = &processor.governor
        && governor != "performance"
    {
        found.push(format!(
            "the frequency follows the load (governor {governor}): `echo performance | sudo tee \
             /sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor`",
            processor.core
        ));
    }
    if processor.boost == Some(true) {
        // The record does not say which of the two switches it was: Intel's driver alone has its own.
        let intel = environment.cpu_model.as_ref().is_some_and(|model| model.contains("Intel"));
        let (value, switch) = if intel { (1, NO_TURBO) } else { (0, BOOST) };
        found.push(format!(
            "the frequency depends on temperature (boost is on): `echo {value} | sudo tee /{switch}` fixes it"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;
    use crate::environment::{Build, Processor, System};

    fn steady() -> Environment {
        let tree = Fixture::new(&[]).tree();
        let build = Build { debug_assertions: false, opt_level: "3".to_owned(), ..Build::this() };
        let processor = Processor {
            cores_online: Some(8),
            pinned: true,
            smt: Some(false),
            governor: Some("performance".to_owned()),
            boost: Some(false),
            ..Processor::default()
        };
        let system = System { load_average: Some([0.9, 3.0, 3.0]), ..System::default() };
        Environment { build, processor, system, ..Environment::begin(&tree, Vec::new(), true) }
    }

    /// The only warning after `change` to a steady machine.
    fn only(change: impl FnOnce(&mut Environment)) -> String {
        let mut environment = steady();
        change(&mut environment);
        let mut found = warnings(&environment);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a_steady_machine_gets_none() {
        assert_eq!(warnings(&steady()), Vec::<String>::new());
    }

    #[test]
    fn each_cause_is_named_with_what_to_do() {
        let text = only(|e| e.system.emulator = Some("qemu-user".to_owned()));
        assert!(text.contains("qemu-user") && text.contains("times are not"), "{text}");
        let text = only(|e| e.build.opt_level = "0".to_owned());
        assert!(text.contains("cargo run --release"), "{text}");
        let text = only(|e| e.build.debug_assertions = true);
        assert!(text.contains("debug build"), "{text}");
        let text = only(|e| e.system.hypervisor = Some("KVM".to_owned()));
        assert!(text.contains("virtual machine (KVM)") && text.contains("interleaved"), "{text}");
        let text = only(|e| e.system.hypervisor = Some("unknown".to_owned()));
        assert!(text.starts_with("this is a virtual machine:"), "{text}");
        let text = only(|e| e.processor.pinned = false);
        assert!(text.contains("`--cpu 0`"), "{text}");
        let text = only(|e| e.processor.core_kind = Some("efficiency".to_owned()));
        assert!(text.contains("performance core"), "{text}");
        let text = only(|e| (e.processor.siblings, e.processor.smt) = (vec![4], Some(true)));
        assert!(text.contains("with core 4") && text.contains("smt/control"), "{text}");
        let text = only(|e| e.processor.governor = Some("schedutil".to_owned()));
        assert!(text.contains("schedutil") && text.contains("echo performance"), "{text}");
        let text = only(|e| e.system.load_average = Some([2.5, 0.0, 0.0]));
        assert!(text.contains("load 2.50"), "{text}");
    }

    #[test]
    fn boost_is_switched_off_where_the_maker_put_the_switch() {
        let boosted = |model: &str| only(|e| (e.processor.boost, e.cpu_model) = (Some(true), Some(model.to_owned())));
        let (intel, amd) = (boosted("Intel(R) Core(TM) i7"), boosted("AMD Ryzen"));
        assert!(intel.contains("echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"), "{intel}");
        assert!(amd.contains("echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"), "{amd}");
    }

    #[test]
    fn under_an_emulator_nothing_else_matters() {
        let text = only(|e| {
            e.processor.pinned = false;
            e.system.load_average = Some([9.0, 9.0, 9.0]);
            e.system.emulator = Some("valgrind".to_owned());
        });
        assert!(text.contains("valgrind"), "{text}");
    }
}
