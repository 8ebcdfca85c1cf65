//! What the firmware counts is what the simulator counts.

use crate::image::{Board, finish, machine, request};
use crate::profiles::{measured, profile};
use kemprof_core::recorder::{Key, LANE_SHARES};
use kemprof_core::{ProbeCost, Sampling};
use kemprof_protocol::{Clock, Command, Operation, Profile, ProfileAnswer, decode};
use m4sim::{Config, Event, Limits};

/// The answer, and the simulator's cycles of each trial without probes.
fn both(profile: &Profile) -> Option<(ProfileAnswer, Vec<u64>)> {
    let command = Command::Profile(profile.clone());
    let mut machine = machine(Board::Mps2An386, Clock::ZeroWait, &command, Config::default())?;
    let [begin, end] = ["kemprof_trial_begin", "kemprof_trial_end"]
        .map(|mark| machine.hook_symbol(mark).expect("the firmware marks its trials"));
    let (mut trials, mut began) = (Vec::new(), 0);
    while trials.len() < profile.trials as usize {
        match machine.run(Limits::default()).unwrap_or_else(|fault| panic!("{fault}")) {
            Event::Hook { address } if address == begin => began = machine.counters().cycles,
            Event::Hook { address } if address == end => trials.push(machine.counters().cycles - began),
            event => panic!("the firmware ends before its trials: {event:?}"),
        }
    }
    let (output, _) = finish(&mut machine);
    let answer = decode(&output, &request(Clock::ZeroWait, &command)).unwrap_or_else(|error| panic!("{error}"));
    Some((measured(answer).1, trials))
}

/// What the probe cost in all trials with probes, by the firmware's own calibration.
fn probe_cost(answer: &ProfileAnswer) -> f64 {
    let cost: ProbeCost = answer.cost.expect("the counter counts");
    let of = |node: &kemprof_core::recorder::Node| match node.key {
        Key::Root => 0.0,
        Key::Phase(_) => (cost.phase_inside + cost.phase_outside) * node.calls as f64,
        Key::Call(_) => {
            let intervals = node.interval_shares as f64 / LANE_SHARES as f64;
            let calls = node.call_shares as f64 / LANE_SHARES as f64;
            (cost.interval_inside + cost.interval_outside) * intervals + cost.call_outside * calls
        }
    };
    answer.nodes.iter().map(of).sum()
}

/// Of trials without probes: a thousandth.
const TOLERANCE: f64 = 1e-3;
/// Of trials with probes, their cost subtracted. It is calibrated on calls that do nothing, by the same code; what is left is how
/// the compiler lays out a scheme around its calls.
const TOLERANCE_WITH_PROBES: f64 = 5e-3;

fn agrees(instance: &'static str, operation: Operation, sampling: Sampling) -> bool {
    let plan = Profile { trials: 2, ..profile(instance, operation, sampling) };
    let Some((answer, simulated)) = both(&plan) else { return false };
    let what = format!("{instance} {} {}", operation.name(), sampling.name());
    let counted: Vec<u64> = answer.trials.iter().map(|trial| trial.ticks.expect("the counter counts")).collect();
    for (counted, simulated) in counted.iter().zip(&simulated) {
        let off = *simulated as f64 / *counted as f64 - 1.0;
        // The marks are around the readings.
        assert!((0.0..TOLERANCE).contains(&off), "{what}: counted {counted}, simulated {simulated}");
    }
    let probed: u64 = answer.probed.iter().map(|trial| trial.ticks.expect("the counter counts")).sum();
    let off = (probed as f64 - probe_cost(&answer)) / simulated.iter().sum::<u64>() as f64 - 1.0;
    assert!(off.abs() < TOLERANCE_WITH_PROBES, "{what}: with probes, their cost subtracted, {off:+.4} off");
    crate::tools::say(&format!("{what}: simulated {simulated:?}, counted {counted:?}; with probes {off:+.5}"));
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
