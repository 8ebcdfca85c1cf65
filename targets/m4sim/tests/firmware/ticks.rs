//! What the firmware counts is what the simulator counts.

use crate::image::{Board, finish, machine, request};
use crate::profiles::{measured, profile};
use kemprof_core::Sampling;
use kemprof_core::recorder::Key;
use kemprof_protocol::{Clock, Command, Operation, Profile, ProfileAnswer, Trial, decode};
use m4sim::{Config, Event, Limits, Machine};
use std::collections::BTreeSet;

/// What the simulator counted, in cycles.
#[derive(Default)]
struct Simulated {
    /// Each trial without probes.
    plain: Vec<u64>,
    /// Each with them.
    probed: Vec<u64>,
    /// All phases of those, from when the recorder has entered one until it is about to leave it.
    phases: u64,
}

/// The answer, and what the simulator says of the same trials.
fn both(profile: &Profile) -> Option<(ProfileAnswer, Simulated)> {
    let command = Command::Profile(profile.clone());
    let mut machine = machine(Board::Mps2An386, Clock::ZeroWait, &command, Config::default())?;
    let [begin, end, probed_begin, probed_end] =
        ["kemprof_trial_begin", "kemprof_trial_end", "kemprof_probed_begin", "kemprof_probed_end"]
            .map(|mark| machine.hook_symbol(mark).expect("the firmware marks its trials"));
    let [enter, exit] = ["enter", "exit"].map(|name| recorder(&mut machine, name));
    let (mut simulated, mut began, mut probed) = (Simulated::default(), 0, false);
    // Where calls of `enter` return to, and since when phases are open.
    let (mut returns, mut open) = (BTreeSet::new(), Vec::new());
    while simulated.probed.len() < profile.trials as usize {
        let Event::Hook { address } = machine.run(Limits::default()).unwrap_or_else(|fault| panic!("{fault}")) else {
            panic!("the firmware ends before its trials");
        };
        let now = machine.counters().cycles;
        if address == begin || address == probed_begin {
            (began, probed) = (now, address == probed_begin);
        } else if address == end {
            simulated.plain.push(now - began);
        } else if address == probed_end {
            simulated.probed.push(now - began);
            probed = false;
        } else if !probed {
            // The probe is calibrated.
        } else if address == enter {
            let back = machine.registers().r[LR] & !1;
            if returns.insert(back) {
                machine.hook(back);
            }
        } else if address == exit {
            simulated.phases += now - open.pop().expect("a phase is open");
        } else {
            open.push(now);
        }
    }
    let (output, _) = finish(&mut machine);
    let answer = decode(&output, &request(Clock::ZeroWait, &command)).unwrap_or_else(|error| panic!("{error}"));
    Some((measured(answer).1, simulated))
}

/// The link register.
const LR: usize = 14;

/// Hooks a function of the recorder.
fn recorder(machine: &mut Machine, function: &str) -> u32 {
    let is_it =
        |name: &str| name.contains("recorder::Recorder<") && name.ends_with(&format!("probe::Probe>::{function}"));
    let address =
        machine.symbols().iter().find(|symbol| is_it(&symbol.name)).expect("the recorder's is not inlined").address;
    machine.hook(address);
    address
}

/// What the probe cost in all trials with probes, by the firmware's own calibration: what evidence states, and subtracts.
fn probe_cost(answer: &ProfileAnswer) -> f64 {
    answer.nodes.iter().map(|node| node.cost_inside() + node.cost_outside()).sum()
}

/// The recorder's ticks of all phases, less what evidence subtracts of each: the probe's cost inside of it.
fn phases(answer: &ProfileAnswer) -> f64 {
    let phases = answer.nodes.iter().filter(|node| matches!(node.key, Key::Phase(_)));
    phases.map(|node| node.ticks as f64 - node.cost_inside()).sum()
}

/// Of the same interval, counted by the firmware and by the simulator.
const TOLERANCE: f64 = 1e-3;
/// Of trials with probes, their cost subtracted, against those without. The cost is calibrated on calls that do nothing; what is left is
/// how the compiler lays out a scheme around its calls, which is not the same with probes and without.
const TOLERANCE_OF_ANOTHER_RUN: f64 = 3e-3;

/// Cycles that the firmware counted, against those of the simulator, whose marks are around the readings.
fn assert_same(what: &str, counted: f64, simulated: f64) {
    let off = simulated / counted - 1.0;
    assert!((0.0..TOLERANCE).contains(&off), "{what}: counted {counted}, simulated {simulated}");
}

fn agrees(instance: &'static str, operation: Operation, sampling: Sampling) -> bool {
    let plan = Profile { trials: 2, warmups: 1, ..profile(instance, operation, sampling) };
    let Some((answer, simulated)) = both(&plan) else { return false };
    let what = format!("{instance} {} {}", operation.name(), sampling.name());
    let ticks = |trials: &[Trial]| -> Vec<u64> {
        trials.iter().map(|trial| trial.ticks.expect("the counter counts")).collect()
    };
    let (plain, probed) = (ticks(&answer.trials), ticks(&answer.probed));
    for (counted, simulated) in plain.iter().zip(&simulated.plain) {
        assert_same(&format!("{what} without probes"), *counted as f64, *simulated as f64);
    }
    for (counted, simulated) in probed.iter().zip(&simulated.probed) {
        assert_same(&format!("{what} with probes"), *counted as f64, *simulated as f64);
    }
    let phases = phases(&answer) / simulated.phases as f64 - 1.0;
    assert!(phases.abs() < TOLERANCE, "{what}: phases less the cost in them are {phases:+.5} off the simulator's");
    let sum = |trials: &[u64]| trials.iter().sum::<u64>() as f64;
    let off = (sum(&probed) - probe_cost(&answer)) / sum(&plain) - 1.0;
    assert!(off.abs() < TOLERANCE_OF_ANOTHER_RUN, "{what}: with probes, less their cost, {off:+.4} off those without");
    let Simulated { plain: simulated_plain, probed: simulated_probed, .. } = simulated;
    crate::tools::say(&format!(
        "{what}: without probes {plain:?}, simulated {simulated_plain:?}; with them {probed:?}, simulated {simulated_probed:?}; phases \
         {phases:+.6}; with probes less their cost {off:+.5}"
    ));
    true
}

#[test]
fn trials_take_what_the_simulator_says() {
    let cases = [
        ("ml-kem-512", Operation::Keygen, Sampling::Eager),
        ("ml-kem-768", Operation::Enc, Sampling::Lazy),
        ("ml-kem-1024", Operation::Dec, Sampling::Eager),
        ("kyber768", Operation::Dec, Sampling::Eager),
        ("lwekem128", Operation::Keygen, Sampling::Lazy),
        ("lwekem256", Operation::Enc, Sampling::Lazy),
        // Longer than SysTick's period, so it is interrupted.
        ("lwekem256", Operation::Keygen, Sampling::Eager),
    ];
    cases.into_iter().all(|(instance, operation, sampling)| agrees(instance, operation, sampling));
}
