//! Profiles: the calls are those of this machine, function by function, for every instance and operation.

use crate::image::run;
use crate::scheme::{calls, published, rows};
use kemprof_core::recorder::Key;
use kemprof_core::{Sampling, kem};
use kemprof_protocol::{Answer, Command, Head, Operation, Profile, ProfileAnswer};

/// RAM of the smallest board.
const RAM: u32 = 128 << 10;

pub(crate) fn profile(instance: &'static str, operation: Operation, sampling: Sampling) -> Profile {
    let seed = (0..48).collect();
    Profile { subject: published(instance, sampling), operation, seed, trials: 1, iterations: 1, warmups: 0 }
}

pub(crate) fn measured(answer: Answer) -> (Head, ProfileAnswer) {
    match answer {
        Answer::Profile(head, profile) => (head, profile),
        other => panic!("not a profile: {other:?}"),
    }
}

#[test]
fn calls_are_those_of_this_machine() {
    for &instance in kem::INSTANCES {
        for operation in Operation::ALL {
            for sampling in [Sampling::Eager, Sampling::Lazy] {
                let profile = profile(instance, operation, sampling);
                let Some(answer) = run(&Command::Profile(profile.clone())) else { return };
                let what = format!("{instance} {} {}", operation.name(), sampling.name());
                let (head, answer) = measured(answer.unwrap_or_else(|error| panic!("{what}: {error}")));
                assert_eq!(head.counter, Ok(()));
                assert_eq!(calls(&answer.nodes), calls(&rows(&profile)), "{what}");
                assert_eq!((answer.lost, &answer.wraps), (0, &Some(Ok(()))));
                let used = answer.stack;
                assert!(used.peak > 4096 && used.peak + used.free < RAM, "{what}: {used:?}");
            }
        }
    }
}

#[test]
fn the_plan_is_followed() {
    let plan =
        Profile { trials: 3, iterations: 20, warmups: 2, ..profile("ml-kem-512", Operation::Dec, Sampling::Lazy) };
    let Some(answer) = run(&Command::Profile(plan)) else { return };
    let (_, answer) = measured(answer.expect("is an answer"));
    assert_eq!(answer.trials.len(), 3);
    let operations: u64 =
        answer.nodes.iter().filter(|node| node.key == Key::Phase(Operation::Dec.phase())).map(|node| node.calls).sum();
    assert_eq!(operations, 3 * 20);
    // Nothing on the simulator is random, so trials without probes are alike but for alignment of what SysTick interrupts.
    let ticks: Vec<u64> = answer.trials.iter().filter_map(|trial| trial.ticks).collect();
    assert!(ticks.iter().all(|other| other.abs_diff(ticks[0]) < 200), "{ticks:?}");
}

#[test]
fn more_trials_than_fit_are_refused() {
    let plan = Profile { trials: 65, ..profile("ml-kem-512", Operation::Keygen, Sampling::Lazy) };
    let Some(answer) = run(&Command::Profile(plan)) else { return };
    assert!(answer.expect_err("is refused").to_string().contains("at most 64 fit"));
}
