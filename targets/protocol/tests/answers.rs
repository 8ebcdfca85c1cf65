//! Answers read back as they are written, and whatever is not exactly an answer is an error that says where.

use kemprof_core::recorder::{CallKey, Counter, Key, Node, Recorder};
use kemprof_core::{Any, Phase, ProbeCost, Profiled, Role, Sampling, kem};
use kemprof_protocol::{
    Answer, AnswerError, Backends, Clock, ClockFacts, Command, CounterLoop, Digests, ErrorKind, Frame, Line, NodeLine,
    Operation, Profile, Randomness, Record, Request, StackUse, Subject, TrialKind, decode,
};
use proptest::prelude::*;
use std::sync::LazyLock;

/// A counter that goes up by one with each reading.
#[derive(Default)]
struct Steps(u64);

impl Counter for Steps {
    fn read(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

const SEED: [u8; 3] = [1, 2, 3];

fn profile() -> Request {
    let subject = Subject { instance: "ml-kem-512", backends: Backends::of(Any::Shake), sampling: Sampling::Lazy };
    let seed = SEED.into_iter().collect();
    let plan = Profile { subject, operation: Operation::Keygen, seed, trials: 2, iterations: 3, warmups: 1 };
    Request { clock: Clock::ZeroWait, command: Command::Profile(plan) }
}

/// The rows of a real key generation.
fn nodes() -> Vec<Node> {
    struct Run;
    impl kem::Visitor for Run {
        type Output = Vec<Node>;
        fn visit<K: kemprof_core::Kem>(self) -> Vec<Node> {
            let suite = Backends::of(Any::Shake).suite(&SEED);
            let mut profiled = Profiled::new(suite, Recorder::new(Steps::default()));
            let (mut public_key, mut secret_key) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
            K::keygen(&mut profiled, Sampling::Lazy, &mut public_key, &mut secret_key).expect("makes keys");
            let mut nodes = profiled.probe.nodes().to_vec();
            nodes.iter_mut().skip(1).for_each(|node| node.cost = COST);
            nodes
        }
    }
    kem::visit("ml-kem-512", Run).expect("is an instance")
}

const COST: ProbeCost =
    ProbeCost { interval_inside: 1.0 / 3.0, interval_outside: -2.5, call_outside: 0.0, lane_outside: 1e-38 };

fn head(request: &Request) -> Vec<Line<'_>> {
    vec![
        Line::Firmware("0.1.0"),
        Line::Compiler("rustc 1.95.0 (of a day)"),
        Line::Board("mps2-an386"),
        Line::Build { opt_level: "3", flags: "-Ca=b -Cc" },
        Line::Code { backend: "shake", code: "armv7em" },
        Line::Clock(ClockFacts { setting: Clock::ZeroWait, hz: 25_000_000, wait_states: 0 }),
        Line::Counter(Ok(())),
        Line::request(&request.command),
    ]
}

fn lines<'a>(request: &'a Request, nodes: &'a [Node]) -> Vec<Line<'a>> {
    let trial = |kind, ticks| Line::Trial { kind, operations: 3, ticks: Some(ticks) };
    let mut lines = head(request);
    for ticks in [100, u64::MAX] {
        lines.extend([trial(TrialKind::Plain, ticks), trial(TrialKind::Probed, ticks / 2)]);
    }
    lines.push(Line::Nodes(nodes.len()));
    lines.extend(nodes.iter().map(|node| Line::Node(NodeLine::from(node))));
    lines.extend([Line::Lost(0), Line::Stack(StackUse { peak: 9000, free: 40_000 }), Line::Wraps(Some(Ok(())))]);
    lines
}

fn write(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    let mut frame = Frame::begin(&mut text).expect("a line");
    lines.iter().for_each(|line| frame.line(line).expect("a line"));
    frame.end().expect("a line");
    text
}

static MESSAGE: LazyLock<String> = LazyLock::new(|| write(&lines(&profile(), &nodes())));

fn refused(lines: &[Line<'_>]) -> AnswerError {
    decode(write(lines).as_bytes(), &profile()).expect_err("is no answer")
}

#[test]
fn a_profile_reads_back() {
    let nodes = nodes();
    let answer = decode(MESSAGE.as_bytes(), &profile()).expect("is an answer");
    let Answer::Profile(head, answer) = answer else { panic!("not a profile: {answer:?}") };
    assert_eq!((head.board.as_str(), head.counter, head.clock.hz), ("mps2-an386", Ok(()), 25_000_000));
    assert_eq!(head.compiler, "rustc 1.95.0 (of a day)");
    assert_eq!((head.opt_level.as_str(), head.flags), ("3", vec!["-Ca=b".to_owned(), "-Cc".to_owned()]));
    assert_eq!(head.code.into_iter().collect::<Vec<_>>(), [("shake".to_owned(), "armv7em".to_owned())]);
    assert_eq!(answer.trials.iter().map(|trial| trial.ticks).collect::<Vec<_>>(), [Some(100), Some(u64::MAX)]);
    assert_eq!(answer.probed[0].ticks, Some(50));
    assert_eq!((answer.lost, answer.stack.peak, answer.wraps), (0, 9000, Some(Ok(()))));
    assert_eq!(answer.nodes.len(), nodes.len());
    assert!(nodes.iter().any(|node| matches!(node.key, Key::Call(_)) && node.used_bits > 0));
    for (got, want) in answer.nodes.iter().zip(&nodes).skip(1) {
        assert_eq!((got.key, got.parent(), got.function), (want.key, want.parent(), want.function));
        assert_eq!((got.calls, got.ticks, got.min, got.max), (want.calls, want.ticks, want.min, want.max));
        assert_eq!((got.used_bits, got.permutations, got.lanes), (want.used_bits, want.permutations, want.lanes));
        assert_eq!((got.interval_shares, got.call_shares), (want.interval_shares, want.call_shares));
        assert_eq!(got.cost, COST);
    }
}

#[test]
fn a_record_reads_back() {
    let subject = Subject { instance: "kyber512", backends: Backends::of(Any::Shake), sampling: Sampling::Eager };
    let command = Command::Record(Record { subject, randomness: Randomness::Draws([7; 96].into()) });
    let request = Request { clock: Clock::ZeroWait, command };
    let digests = Digests { pk: [1; 32], sk: [2; 32], ct: [3; 32], ss: [4; 32], all: [0xab; 32] };
    let mut lines = head(&request);
    lines.push(Line::Digests(digests));
    let answer = decode(write(&lines).as_bytes(), &request).expect("is an answer");
    assert!(matches!(answer, Answer::Record(_, record) if record.digests == digests));
}

#[test]
fn tests_of_the_machine_read_back() {
    let counter = Request { clock: Clock::ZeroWait, command: Command::Counter };
    let timed = CounterLoop { iterations: 100, least: 200, ticks: 397 };
    let lines = [head(&counter), vec![Line::Loop(timed); 2]].concat();
    let answer = decode(write(&lines).as_bytes(), &counter).expect("is an answer");
    assert!(matches!(answer, Answer::Counter(_, counter) if counter.loops == [timed; 2]));
    let stack = Request { clock: Clock::ZeroWait, command: Command::Stack };
    let lines = [head(&stack), vec![Line::Depth { asked: 64, found: 72 }]].concat();
    let answer = decode(write(&lines).as_bytes(), &stack).expect("is an answer");
    assert!(matches!(answer, Answer::Stack(_, stack) if stack.depths == [(64, 72)]));
}

#[test]
fn every_truncation_is_an_error() {
    for length in 0..MESSAGE.len() {
        let error = decode(&MESSAGE.as_bytes()[..length], &profile()).expect_err("is cut");
        match length {
            0 => assert_eq!(error, AnswerError::Nothing),
            _ => assert!(matches!(error, AnswerError::Cut { .. }), "{length}: {error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn every_change_of_a_byte_is_an_error(at in 0..MESSAGE.len(), byte in any::<u8>()) {
        let mut message = MESSAGE.clone().into_bytes();
        prop_assume!(message[at] != byte);
        message[at] = byte;
        prop_assert!(decode(&message, &profile()).is_err());
    }

    #[test]
    fn noise_is_an_error(noise in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&noise, &profile()).is_err());
    }
}

#[test]
fn lines_that_are_lost_doubled_or_swapped_are_errors() {
    let (request, nodes) = (profile(), nodes());
    let right = lines(&request, &nodes);
    for at in 0..right.len() {
        let mut without = right.clone();
        without.remove(at);
        let mut doubled = right.clone();
        doubled.insert(at, right[at]);
        for wrong in [without, doubled] {
            let error = refused(&wrong);
            assert!(matches!(error, AnswerError::Order { .. } | AnswerError::Contradiction { .. }), "{at}: {error}");
        }
        let mut swapped = right.clone();
        swapped.swap(at, (at + 1) % right.len());
        let same_kind = right[at].word() == right[(at + 1) % right.len()].word();
        // Rows of two siblings may trade places; nothing else may.
        assert!(same_kind || matches!(refused(&swapped), AnswerError::Order { .. }), "{at}");
    }
}

#[test]
fn raw_lines_that_come_twice_are_counted() {
    let text: String = MESSAGE.lines().flat_map(|line| [line, "\n"]).collect();
    assert_eq!(text, *MESSAGE);
    let third = MESSAGE.lines().nth(2).expect("a line");
    let doubled = MESSAGE.replacen(third, &format!("{third}\n{third}"), 1);
    let error = decode(doubled.as_bytes(), &profile()).expect_err("has a line twice");
    assert!(matches!(error, AnswerError::Lines { said, found } if found == said as usize + 1), "{error}");
}

#[test]
fn a_garbled_line_is_named() {
    let garbled = MESSAGE.replacen("trial plain", "trial plaim", 1);
    let place = 1 + MESSAGE.lines().position(|line| line.starts_with("trial")).expect("a trial");
    let error = decode(garbled.as_bytes(), &profile()).expect_err("is garbled");
    assert!(matches!(error, AnswerError::Checksum { suspect: Some(line), .. } if line == place), "{error}");
    let foreign = MESSAGE.replacen("trial plain", "trial\tplain", 1);
    let error = decode(foreign.as_bytes(), &profile()).expect_err("is garbled");
    assert_eq!(error, AnswerError::Byte { line: place, column: 6, byte: b'\t' });
}

/// A message of these lines, whatever they are, with the right number and checksum.
fn framed(lines: &str) -> String {
    let body = format!("kemprof-answer/2\n{lines}");
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(body.as_bytes());
    format!("{body}end lines={} crc={crc:08x}\n", body.lines().count())
}

#[test]
fn what_no_firmware_writes_is_an_error_at_its_line() {
    let body = MESSAGE.split_once('\n').expect("lines").1.rsplit_once("end ").expect("a last line").0;
    assert_eq!(framed(body), *MESSAGE);
    let message = |from: &str, to: &str| {
        assert!(body.contains(from), "{from}");
        decode(framed(&body.replacen(from, to, 1)).as_bytes(), &profile()).expect_err("is no answer").to_string()
    };
    assert_eq!(
        message("lost 0\n", "lost 0\nfound 7\n").split_once(": ").expect("a place").1,
        "expected a line of an answer, found \"found\""
    );
    assert!(
        message("hz=25000000", "hz=025000000").ends_with("line 7 of the answer: expected hz=, found \"hz=025000000\"")
    );
    assert!(message("hz=25000000", "hz=5000000000").contains("line 7"));
    assert!(message("operations=3", "operation=3").contains("expected operations="));
    assert!(message("operations=3", "operations=4").contains("other operations than were asked for"));
    assert!(message("ticks=100", "ticks=none").contains("no ticks of one that does"));
    assert!(message("counter ok", "counter unavailable it stands").contains("a counter that does not count"));
    assert!(message("setting=zero-wait", "setting=full").contains("not set as was asked"));
    assert!(message("keygen", "enc").contains("asked was \"profile ml-kem-512 keygen"));
    assert!(message("function=shake128", "function=shake129").contains("a function that these backends do not have"));
    assert!(message("parent=1 ", "parent=99 ").contains("no tree"));
    assert!(message("parent=1 ", "parent=128 ").contains("expected parent="));
    assert!(message("inside=3eaa", "inside=7f80").contains("expected inside="));
    let long = message("compiler rustc", &format!("compiler {}", "r".repeat(600)));
    assert!(long.contains("line 3 of the answer has ") && long.contains("at most 512 are possible"), "{long}");
    let long = message("compiler rustc", &format!("compiler {}", "r".repeat(450)));
    assert!(long.contains("line 3 of the answer is not written as it should be"), "{long}");
    let after = decode(format!("{}x", *MESSAGE).as_bytes(), &profile()).expect_err("goes on");
    assert!(matches!(after, AnswerError::Surplus { bytes: 1, .. }));
    let other = decode(b"kemprof-answer/1\n", &profile()).expect_err("is of another version");
    assert!(matches!(other, AnswerError::Magic { .. }));
}

#[test]
fn an_error_of_the_firmware_is_told_with_its_board() {
    let request = profile();
    let mut lines = head(&request);
    lines.push(Line::Error(ErrorKind::Panic, "index\nout of bounds"));
    let error = refused(&lines);
    assert_eq!(error.to_string(), "the firmware for mps2-an386 says: panic: index?out of bounds");
    lines.drain(..head(&request).len());
    assert!(matches!(refused(&lines), AnswerError::Device { board: None, .. }));
    lines.push(Line::Lost(0));
    assert!(matches!(refused(&lines), AnswerError::Order { expected: "end", .. }));
}

/// The recorder never has more to say than a line holds.
#[test]
fn the_longest_row_fits_a_line() {
    let key = CallKey {
        own: 0,
        role: Role::Entropy,
        form: kemprof_core::symmetric::Form::Generator,
        in_bytes: u32::MAX,
        out_bytes: u32::MAX,
    };
    let function = Backends::of(Any::TurboShake).suite(&[]).xof;
    let function = kemprof_core::Backend::function(&function, key.form, Role::Matrix);
    let mut node = Node::under(127, Key::Call(key));
    node.function = Some(function);
    for value in [&mut node.calls, &mut node.ticks, &mut node.max, &mut node.used_bits, &mut node.permutations] {
        *value = u64::MAX;
    }
    (node.interval_shares, node.call_shares, node.lanes) = (u64::MAX, u64::MAX, u32::MAX);
    write(&[Line::Node(NodeLine::from(&node))]);
    write(&[Line::Node(NodeLine::from(&Node::under(127, Key::Phase(Phase::EncodeMessage))))]);
}
