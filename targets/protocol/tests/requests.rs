//! Every request reads back as it is written, and nothing else is a request.

use kemprof_core::symmetric::{Form, Shape};
use kemprof_core::{Any, Role, Sampling, kem};
use kemprof_protocol::{
    Backends, Clock, Command, FunctionCall, MAX_REQUEST, MAX_SEED, Operation, Profile, Randomness, Record, Request,
    Subject, from_slot, slot,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn backends() -> impl Strategy<Value = Backends> {
    let any = || select(Any::ALL.to_vec());
    (any(), any(), any(), any()).prop_map(|(xof, prf, hash, drng)| Backends { xof, prf, hash, drng })
}

fn subject() -> impl Strategy<Value = Subject> {
    let samplings = select(vec![Sampling::Eager, Sampling::Lazy]);
    (select(kem::INSTANCES.to_vec()), backends(), samplings).prop_map(|(instance, backends, sampling)| Subject {
        instance,
        backends,
        sampling,
    })
}

fn bytes() -> impl Strategy<Value = arrayvec::ArrayVec<u8, MAX_SEED>> {
    vec(any::<u8>(), 0..=MAX_SEED).prop_map(|bytes| bytes.into_iter().collect())
}

fn command() -> impl Strategy<Value = Command> {
    let profile = (subject(), select(Operation::ALL.to_vec()), bytes(), any::<[u32; 3]>()).prop_map(
        |(subject, operation, seed, [trials, iterations, warmups])| {
            Command::Profile(Profile { subject, operation, seed, trials, iterations, warmups })
        },
    );
    let record = (subject(), bytes(), any::<bool>()).prop_map(|(subject, bytes, seeded)| {
        let randomness = if seeded { Randomness::Seed(bytes) } else { Randomness::Draws(bytes) };
        Command::Record(Record { subject, randomness })
    });
    let forms = select(vec![Form::Fixed(32), Form::Fixed(64), Form::Extendable, Form::Generator]);
    let function = (backends(), select(Role::ALL.to_vec()), forms, any::<[u16; 4]>(), any::<[u32; 2]>()).prop_map(
        |(backends, role, form, lengths, [samples, iterations])| {
            let [in_bytes, prefix_bytes, lanes, out_bytes] = lengths.map(usize::from);
            let shape = Shape { role, form, in_bytes, prefix_bytes, lanes, out_bytes };
            Command::Function(FunctionCall { backends, shape, samples, iterations })
        },
    );
    prop_oneof![profile, record, function, Just(Command::Counter), Just(Command::Stack)]
}

fn request() -> impl Strategy<Value = Request> {
    (select(Clock::ALL.to_vec()), command()).prop_map(|(clock, command)| Request { clock, command })
}

proptest! {
    #[test]
    fn requests_read_back(request in request()) {
        let line = request.to_string();
        prop_assert_eq!(line.parse::<Request>(), Ok(request.clone()));
        let after_a_name = format!("firmware.elf {line}");
        prop_assert_eq!(after_a_name.parse::<Request>(), Ok(request.clone()));
        let slot = slot(&request).expect("fits");
        prop_assert_eq!(from_slot(&slot), Some(Ok(line.as_str())));
    }

    #[test]
    fn what_schemes_need_is_short_enough(subject in subject(), bytes in vec(any::<u8>(), MAX_SEED)) {
        let randomness = Randomness::Draws(bytes.into_iter().collect());
        let command = Command::Record(Record { subject, randomness });
        let line = Request { clock: Clock::ZeroWait, command }.to_string();
        prop_assert!(line.len() + "firmware.elf ".len() < MAX_REQUEST, "{} bytes", line.len());
    }

    #[test]
    fn a_cut_request_is_none(request in request(), cut in any::<prop::sample::Index>()) {
        let line = request.to_string();
        let read = line[..cut.index(line.len())].parse::<Request>();
        // A number or a row of digits that is cut may still be one.
        prop_assert!(read.is_err() || read.is_ok_and(|other| other != request));
    }
}

#[test]
fn errors_say_what_belongs_where() {
    let message = |line: &str| line.parse::<Request>().expect_err("is no request").to_string();
    assert_eq!(message(""), "expected kemprof/1, found nothing more");
    assert_eq!(message("firmware.elf"), "expected kemprof/1, found \"firmware.elf\"");
    assert_eq!(message("kemprof/2 zero-wait counter"), "expected kemprof/1, found \"kemprof/2\"");
    assert_eq!(message("kemprof/1 fast counter"), "expected zero-wait, default or full, found \"fast\"");
    assert_eq!(
        message("kemprof/1 full count"),
        "expected profile, record, function, counter or stack, found \"count\""
    );
    assert_eq!(message("kemprof/1 full counter now"), "expected nothing more, found \"now\"");
    assert_eq!(message("kemprof/1 full counter "), "expected nothing more, found \"\"");
    assert_eq!(message("kemprof/1 full record ml-kem"), "expected an instance, found \"ml-kem\"");
    let record = "kemprof/1 full record ml-kem-512 suite=shake,shake,shake,shake sampling=lazy ";
    for wrong in ["seed=0", "seed=0g", "seed=AA", "sed=00", "00", &format!("draws={}", "00".repeat(MAX_SEED + 1))] {
        assert!(message(&format!("{record}{wrong}")).starts_with("expected seed= or draws=, found "));
    }
    assert_eq!(
        message("kemprof/1 full record ml-kem-512 suite=shake,shake,shake sampling=lazy seed=00"),
        "expected suite=, found \"suite=shake,shake,shake\""
    );
}

#[test]
fn an_empty_slot_holds_no_request() {
    assert_eq!(from_slot(&[0; MAX_REQUEST]), None);
    assert!(from_slot(&[0xff; MAX_REQUEST]).expect("is not empty").is_err(), "flash that was erased is no text");
}
