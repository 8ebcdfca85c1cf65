//! Under QEMU, which has no cycle counter: everything but figures of time.

use crate::image::emulate;
use crate::profiles::{measured, profile};
use crate::scheme::{calls, digests, published, rows};
use kemprof_core::{Sampling, kem};
use kemprof_protocol::{Answer, Command, Operation, Randomness, Record};

#[test]
fn records_are_right() {
    for &instance in kem::INSTANCES {
        let randomness = Randomness::Seed((0..64).collect());
        let record = Record { subject: published(instance, Sampling::Lazy), randomness };
        let Some(answer) = emulate(&Command::Record(record.clone())) else { return };
        let Ok(Answer::Record(_, made)) = answer else { panic!("{instance}: {answer:?}") };
        assert_eq!(made.digests, digests(&record), "{instance}");
    }
}

#[test]
fn calls_are_counted_and_nothing_is_timed() {
    let profile = profile("ml-kem-768", Operation::Dec, Sampling::Eager);
    let Some(answer) = emulate(&Command::Profile(profile.clone())) else { return };
    let (head, answer) = measured(answer.expect("is an answer"));
    let reason = head.counter.expect_err("there is no counter");
    assert!(reason.contains("DEMCR") || reason.contains("CYCCNT"), "{reason}");
    assert!(answer.trials.iter().chain(&answer.probed).all(|trial| trial.ticks.is_none()));
    assert_eq!(calls(&answer.nodes), calls(&rows(&profile)));
}

#[test]
fn stacks_of_known_depth_are_measured_to_the_word() {
    let Some(answer) = emulate(&Command::Stack) else { return };
    let Ok(Answer::Stack(_, stack)) = answer else { panic!("{answer:?}") };
    assert!(stack.depths.iter().all(|(asked, found)| asked == found), "{:?}", stack.depths);
}
