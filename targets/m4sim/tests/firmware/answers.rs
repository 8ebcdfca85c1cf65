//! The other commands, requests that are refused, and faults.

use crate::image::{Board, finish, firmware, machine, request, run, run_on};
use kemprof_core::symmetric::{Form, Shape};
use kemprof_core::{Any, Role};
use kemprof_protocol::{
    Answer, AnswerError, Backends, Clock, Command, FunctionCall, MAX_REQUEST, REQUEST_SYMBOL, decode, slot,
};
use m4sim::{Config, CycleCounter, Image, Machine};

#[test]
fn stacks_of_known_depth_are_measured_to_the_word() {
    let Some(answer) = run(&Command::Stack) else { return };
    let Ok(Answer::Stack(_, stack)) = answer else { panic!("{answer:?}") };
    assert!(stack.depths.len() >= 5);
    for (asked, found) in stack.depths {
        assert_eq!(asked, found);
    }
}

#[test]
fn a_counter_that_counts_is_believed() {
    let Some(answer) = run(&Command::Counter) else { return };
    let Ok(Answer::Counter(head, counter)) = answer else { panic!("{answer:?}") };
    assert_eq!(head.counter, Ok(()));
    let per_iteration = |timed: &kemprof_protocol::CounterLoop| f64::from(timed.ticks) / f64::from(timed.iterations);
    // On the simulator a taken branch refills in two cycles: 1 + 1 + 2 an iteration.
    assert!(counter.loops.iter().all(|timed| (per_iteration(timed) - 4.0).abs() < 0.1), "{:?}", counter.loops);
}

#[test]
fn a_counter_that_does_not_count_is_not() {
    for (cycle_counter, reason) in
        [(CycleCounter::Stands, "does not move"), (CycleCounter::Absent, "has no cycle counter")]
    {
        let config = Config { cycle_counter, ..Config::default() };
        let command = Command::Profile(crate::profiles::profile(
            "ml-kem-512",
            kemprof_protocol::Operation::Keygen,
            kemprof_core::Sampling::Lazy,
        ));
        let Some(answer) = run_on(Board::Mps2An386, Clock::ZeroWait, &command, config) else { return };
        let (head, answer) = crate::profiles::measured(answer.expect("is an answer"));
        assert!(head.counter.expect_err("is unavailable").contains(reason));
        assert!(answer.trials.iter().chain(&answer.probed).all(|trial| trial.ticks.is_none()));
        assert!(answer.wraps.is_none());
        assert!(answer.nodes.iter().all(|node| node.ticks == 0 && node.max == 0));
        assert!(answer.nodes.iter().map(|node| node.permutations).sum::<u64>() > 0, "calls are counted all the same");
    }
}

const CALL: Shape =
    Shape { role: Role::Matrix, form: Form::Extendable, in_bytes: 34, prefix_bytes: 32, lanes: 1, out_bytes: 504 };

fn call(shape: Shape) -> FunctionCall {
    FunctionCall { backends: Backends::of(Any::Shake), shape, samples: 3, iterations: 5 }
}

#[test]
fn functions_are_timed_alone() {
    let entropy = Shape { role: Role::Entropy, form: Form::Generator, in_bytes: 0, prefix_bytes: 0, ..CALL };
    let fixed = Shape { role: Role::G, form: Form::Fixed(64), prefix_bytes: 0, out_bytes: 64, ..CALL };
    let long = Shape { role: Role::H, form: Form::Fixed(32), in_bytes: 16_384, out_bytes: 32, ..fixed };
    let noise = Shape { role: Role::Noise, in_bytes: 33, prefix_bytes: 0, out_bytes: 128, ..CALL };
    for call in [CALL, entropy, fixed, long, noise].map(call) {
        let Some(answer) = run(&Command::Function(call)) else { return };
        let Ok(Answer::Function(_, timed)) = answer else { panic!("{call:?}: {answer:?}") };
        let (empty, reading) = timed.empty.expect("the counter counts");
        assert!((1.0..100.0).contains(&empty) && (1..100).contains(&reading), "{empty} {reading}");
        for sample in &timed.samples {
            let (Some(ticks), Some(inside)) = (sample.ticks, sample.inside) else { panic!("{sample:?}") };
            assert_eq!((sample.calls, sample.intervals), (5, 5), "{call:?}");
            // A permutation takes thousands of cycles; what is around the calls little of that.
            assert!(inside > 5 * 1000 && ticks > inside / 2 && ticks < inside + 5 * 1500, "{call:?}: {sample:?}");
        }
        assert_eq!(timed.samples[1], timed.samples[2], "nothing on the simulator is random");
    }
}

#[test]
fn calls_that_no_scheme_makes_are_refused() {
    let cases = [
        (call(Shape { out_bytes: 0, ..CALL }), "no output"),
        (FunctionCall { iterations: 0, ..call(CALL) }, "no calls"),
        (call(Shape { role: Role::Entropy, ..CALL }), "entropy is from the generator"),
        (call(Shape { form: Form::Generator, ..CALL }), "the generator is for entropy"),
        (call(Shape { form: Form::Fixed(32), ..CALL }), "only extendable output comes in batches"),
        (call(Shape { form: Form::Fixed(32), prefix_bytes: 0, ..CALL }), "one length of output"),
        (call(Shape { lanes: 2, ..CALL }), "more messages at once than the functions take"),
        (call(Shape { lanes: 8, role: Role::Noise, ..CALL }), "more messages at once than the functions take"),
        (call(Shape { lanes: 9, ..CALL }), "more messages at once than the functions take"),
        (call(Shape { in_bytes: 97, ..CALL }), "messages of a batch are short"),
        (call(Shape { in_bytes: 32, ..CALL }), "go on behind their prefix"),
        (FunctionCall { samples: 65, ..call(CALL) }, "at most 64 fit"),
        (call(Shape { out_bytes: 65_536, ..CALL }), "65536 bytes of memory"),
    ];
    for (call, reason) in cases {
        let Some(answer) = run(&Command::Function(call)) else { return };
        let text = answer.expect_err("is refused").to_string();
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn a_request_that_is_none_is_refused() {
    for line in ["", "firmware", "firmware kemprof/1 full", "firmware kemprof/2 full counter"] {
        let Some(mut machine) = machine(Board::Mps2An386, Clock::ZeroWait, &Command::Counter, Config::default()) else {
            return;
        };
        machine.set_command_line(line);
        let (output, status) = finish(&mut machine);
        let error = decode(&output, &request(Clock::ZeroWait, &Command::Counter)).expect_err("is refused");
        assert!(matches!(error, AnswerError::Device { .. }), "{line:?}: {error}");
        assert_eq!(status, 1);
    }
}

/// As where the debugger has no command line to give.
#[test]
fn a_request_in_the_image_counts() {
    let Some(elf) = firmware(Board::Mps2An386) else { return };
    let mut bytes = std::fs::read(elf).expect("the firmware");
    let image = Image::from_elf(&bytes).expect("an image");
    let request = request(Clock::Full, &Command::Stack);
    let place = slot_in(&bytes);
    bytes[place..place + MAX_REQUEST].copy_from_slice(&slot(&request).expect("fits"));
    let patched = Image::from_elf(&bytes).expect("an image");
    for (image, answers) in [(image, false), (patched, true)] {
        let mut machine = Machine::new(&image, Config { keep_output: true, ..Config::default() }).expect("fits");
        let (output, _) = finish(&mut machine);
        assert_eq!(decode(&output, &request).is_ok(), answers);
    }
}

/// Where the slot is in the file.
fn slot_in(elf: &[u8]) -> usize {
    use object::{Object, ObjectSection, ObjectSymbol};
    let file = object::File::parse(elf).expect("is ELF");
    let symbol = file.symbol_by_name(REQUEST_SYMBOL).expect("the firmware has a slot");
    assert_eq!(symbol.size(), MAX_REQUEST as u64);
    let section = file.section_by_index(symbol.section_index().expect("is in a section")).expect("a section");
    let (start, _) = section.file_range().expect("is in the file");
    (start + symbol.address() - section.address()) as usize
}
