//! Records of known answers: every instance makes on the microcontroller what it makes here.

use crate::image::run;
use crate::scheme::{digests, published};
use kemprof_core::{Sampling, kem};
use kemprof_protocol::{Answer, AnswerError, Backends, Command, Digests, Randomness, Record, Subject};

fn made(record: &Record) -> Option<Result<Digests, AnswerError>> {
    let answer = run(&Command::Record(record.clone()))?;
    Some(answer.map(|answer| match answer {
        Answer::Record(_, record) => record.digests,
        other => panic!("not a record: {other:?}"),
    }))
}

/// Whether there was anything to compare with.
fn same(record: &Record) -> bool {
    let Some(made) = made(record) else { return false };
    assert_eq!(made, Ok(digests(record)), "{record:?}");
    true
}

#[test]
fn all_instances_make_the_same_from_a_seed() {
    for &instance in kem::INSTANCES {
        let randomness = Randomness::Seed((0..64).collect());
        if !same(&Record { subject: published(instance, Sampling::Lazy), randomness }) {
            return;
        }
    }
}

#[test]
fn instances_make_the_same_from_bytes_that_the_host_chose() {
    for instance in ["ml-kem-512", "ml-kem-768", "ml-kem-1024", "kyber512", "kyber768", "kyber1024"] {
        let randomness = Randomness::Draws((100..196).collect());
        if !same(&Record { subject: published(instance, Sampling::Eager), randomness }) {
            return;
        }
    }
}

#[test]
fn every_backend_serves_on_the_microcontroller() {
    for &backend in kemprof_core::Any::ALL {
        // Hosts may have backends that are too large for a microcontroller.
        if kemprof_core::Backend::name(&backend) == "blake3" {
            continue;
        }
        for (instance, sampling) in [("lwekem128", Sampling::Lazy), ("ml-kem-512", Sampling::Eager)] {
            let subject = Subject { instance, backends: Backends::of(backend), sampling };
            if !same(&Record { subject, randomness: Randomness::Seed([7; 32].into_iter().collect()) }) {
                return;
            }
        }
    }
}

#[test]
fn too_few_and_too_many_random_bytes_are_refused() {
    for given in [95, 96 - 32, 0] {
        let randomness = Randomness::Draws((0..given).collect());
        let record = Record { subject: published("ml-kem-512", Sampling::Eager), randomness };
        let Some(made) = made(&record) else { return };
        let text = made.expect_err("is refused").to_string();
        assert!(text.contains(&format!("ml-kem-512 draws 96 random bytes, {given} were given")), "{text}");
    }
}
