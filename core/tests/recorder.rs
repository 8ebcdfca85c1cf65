//! The probe and the recorder, with a counter that counts its own readings: every figure is known beforehand.

use kemprof_core::probe::{Call, Output};
use kemprof_core::recorder::{Key, LANE_SHARES, NODES, Node, calibrate, empty_interval};
use kemprof_core::symmetric::{Batch, Form, Function};
use kemprof_core::{Any, Counter, NoProbe, Phase, Probe, Profiled, Recorder, Role, Suite, Symmetric};
use std::cell::Cell;
use std::rc::Rc;

/// Ticks that each reading takes.
const STEP: u64 = 10;

#[derive(Clone, Debug, Default)]
struct Readings(u64);

impl Counter for Readings {
    fn read(&mut self) -> u64 {
        self.0 += STEP;
        self.0
    }
}

type Watched = Profiled<Suite<Any>, Recorder<Readings>>;

fn watched() -> Watched {
    Profiled::new(Suite::of(Any::Placeholder, b"seed"), Recorder::new(Readings::default()))
}

/// The only phase of this kind.
fn phase(watched: &Watched, phase: Phase) -> Node {
    let mut found = watched.probe.nodes().iter().filter(|node| node.key == Key::Phase(phase));
    let node = *found.next().expect("the phase was recorded");
    assert!(found.next().is_none(), "{phase} was recorded in two places");
    node
}

/// Rows of calls, as (role, bytes in, bytes out, calls, ticks).
fn calls(watched: &Watched) -> Vec<(Role, u32, u32, u64, u64)> {
    let row = |node: &Node| match node.key {
        Key::Call(key) => Some((key.role, key.in_bytes, key.out_bytes, node.calls, node.ticks)),
        Key::Root | Key::Phase(_) => None,
    };
    watched.probe.nodes().iter().filter_map(row).collect()
}

#[test]
fn time_is_counted_where_it_is_spent() {
    let mut watched = watched();
    watched.phase(Phase::Keygen, |watched| {
        watched.xof(Role::Noise, &[b"a", b"bc"], &mut [0; 40]);
        watched.phase(Phase::Ntt, |_| ());
        watched.xof(Role::Noise, &[b"abc"], &mut [0; 40]);
        watched.hash(Role::H, &[b"abc"], &mut [0; 32]);
        watched.entropy(&mut [0; 16]);
    });
    // Readings: phase, call, call, phase, phase, three calls of two, phase.
    assert_eq!(phase(&watched, Phase::Keygen).ticks, 11 * STEP);
    assert_eq!(phase(&watched, Phase::Ntt).ticks, STEP);
    let expected = [(Role::Noise, 3, 40, 2, 2 * STEP), (Role::H, 3, 32, 1, STEP), (Role::Entropy, 0, 16, 1, STEP)];
    assert_eq!(calls(&watched), expected);
    let noise = watched.probe.nodes().iter().find(|node| matches!(node.key, Key::Call(_))).expect("calls");
    assert_eq!((noise.min, noise.max, noise.used_bits, noise.permutations), (STEP, STEP, 640, 4));
    assert_eq!(noise.function.expect("is known").name, "pseudoXOF");
    assert_eq!(noise.interval_shares, 2 * LANE_SHARES);
}

#[test]
fn a_call_is_recorded_under_its_phase() {
    let mut watched = watched();
    for _ in 0..3 {
        watched.phase(Phase::Enc, |watched| {
            watched.phase(Phase::Encrypt, |watched| watched.xof(Role::Noise, &[b"x"], &mut [0; 8]));
            watched.xof(Role::Noise, &[b"x"], &mut [0; 8]);
        });
    }
    assert_eq!(calls(&watched), [(Role::Noise, 1, 8, 3, 3 * STEP); 2]);
    let nodes = watched.probe.nodes();
    let parents: Vec<Key> =
        nodes.iter().filter(|node| matches!(node.key, Key::Call(_))).map(|node| nodes[node.parent()].key).collect();
    assert!(parents.contains(&Key::Phase(Phase::Enc)) && parents.contains(&Key::Phase(Phase::Encrypt)));
    assert_eq!(phase(&watched, Phase::Enc).calls, 3);
}

#[test]
fn lanes_of_a_batch_share_its_ticks_and_nothing_is_lost() {
    let mut watched = watched();
    let suffixes = [[0], [1], [2]];
    watched.phase(Phase::Keygen, |watched| {
        watched.xof_batch(Role::Noise, &Batch::new(b"seed", &suffixes), &mut [0; 3 * 32]);
    });
    assert_eq!(calls(&watched), [(Role::Noise, 5, 32, 3, STEP)]);
    let node = watched.probe.nodes().last().expect("a row");
    assert_eq!((node.min, node.max, node.lanes), (STEP / 3, STEP - 2 * (STEP / 3), 3));
    assert_eq!((node.interval_shares, node.call_shares), (LANE_SHARES, LANE_SHARES));
}

#[test]
fn a_stream_is_one_call_a_lane_however_often_it_is_squeezed() {
    let mut watched = watched();
    let suffixes = [[0], [1]];
    let mut outputs = [[0; 96]; 2];
    watched.phase(Phase::SampleMatrix, |watched| {
        let mut first = [0; 2 * 64];
        let mut stream = watched.open(Role::Matrix, &Batch::new(b"seed", &suffixes), &mut first);
        watched.squeeze(&mut stream, 1, &mut outputs[1][64..]);
        outputs[0][..64].copy_from_slice(&first[..64]);
        outputs[1][..64].copy_from_slice(&first[64..]);
        watched.close(&mut stream, &[500, 700]);
    });
    let expected = [(Role::Matrix, 5, 64, 1, STEP), (Role::Matrix, 5, 96, 1, STEP)];
    assert_eq!(calls(&watched), expected);
    let used: Vec<u64> = watched.probe.nodes().iter().skip(2).map(|node| node.used_bits).collect();
    assert_eq!(used, [500, 700]);
    let mut whole = [0; 96];
    Suite::of(Any::Placeholder, b"").xof(Role::Matrix, &[b"seed", &[1]], &mut whole);
    assert_eq!(outputs[1], whole, "watching changes nothing");
}

#[test]
fn every_row_is_found_again_in_whatever_order() {
    let mut watched = watched();
    // Rows that differ in one thing each, under two parents, visited forwards and backwards.
    let visit = |watched: &mut Watched, bytes: usize| {
        watched.xof(Role::Noise, &[], &mut vec![0; bytes]);
        watched.xof(Role::Matrix, &[], &mut vec![0; bytes]);
        watched.xof(Role::Noise, &[&[0]], &mut vec![0; bytes]);
        watched.xof(Role::Noise, &[], &mut vec![0; bytes << 8]);
    };
    let lengths = 1..14;
    let rows = 4 * lengths.len();
    let again = [3, 2];
    for times in again {
        watched
            .phase(Phase::Keygen, |watched| (0..times).for_each(|_| lengths.clone().for_each(|n| visit(watched, n))));
        watched.phase(Phase::Encrypt, |watched| {
            (0..times).for_each(|_| lengths.clone().rev().for_each(|n| visit(watched, n)));
        });
    }
    assert_eq!(watched.probe.lost(), 0);
    let nodes = watched.probe.nodes();
    assert_eq!(nodes.len(), 1 + 2 * (1 + rows));
    for parent in [Phase::Keygen, Phase::Encrypt] {
        let row = nodes.iter().position(|node| node.key == Key::Phase(parent)).expect("was recorded");
        let children: Vec<&Node> = nodes.iter().filter(|node| node.parent() == row && node.key != Key::Root).collect();
        assert_eq!(children.len(), rows);
        for (index, child) in children.iter().enumerate() {
            assert_eq!(child.calls, again.iter().sum::<u64>(), "{:?}", child.key);
            assert!(children[..index].iter().all(|other| other.key != child.key), "{:?} twice", child.key);
        }
    }
}

#[test]
fn counts_are_forgotten_and_rows_are_not() {
    let mut watched = watched();
    let run = |watched: &mut Watched| {
        watched.phase(Phase::Keygen, |watched| {
            watched.hash(Role::H, &[b"abc"], &mut [0; 32]);
            watched.phase(Phase::Ntt, |_| ());
        });
    };
    let rows = |watched: &Watched| format!("{:?}", watched.probe.nodes());
    run(&mut watched);
    let once = rows(&watched);
    run(&mut watched);
    assert_ne!(rows(&watched), once);
    watched.probe.forget_counts();
    assert_eq!(watched.probe.nodes().len(), 4);
    assert!(watched.probe.nodes().iter().all(|node| (node.calls, node.ticks, node.permutations) == (0, 0, 0)));
    run(&mut watched);
    assert_eq!(rows(&watched), once);
}

#[test]
fn a_full_table_says_so_and_keeps_its_balance() {
    let mut watched = watched();
    watched.phase(Phase::Keygen, |watched| {
        for bytes in 0..2 * NODES {
            watched.xof(Role::Noise, &[], &mut vec![0; bytes]);
        }
        // No room for another phase either: its end must not end the one around it.
        watched.phase(Phase::Ntt, |watched| watched.xof(Role::Noise, &[], &mut [0; 1]));
        watched.xof(Role::Noise, &[], &mut [0; 2]);
    });
    assert_eq!(watched.probe.nodes().len(), NODES);
    assert_eq!(watched.probe.lost(), (NODES + 2) as u64 + 1);
    assert_eq!(phase(&watched, Phase::Keygen).calls, 1);
    watched.probe.reset();
    assert_eq!((watched.probe.nodes().len(), watched.probe.lost()), (1, 0));
}

#[test]
fn the_cost_of_the_probe_is_what_its_readings_take() {
    let mut watched = watched();
    let suffixes = [[0], [1], [2]];
    watched.phase(Phase::Keygen, |watched| {
        watched.hash(Role::H, &[b"abc"], &mut [0; 32]);
        watched.xof_batch(Role::Noise, &Batch::new(b"seed", &suffixes), &mut [0; 3 * 32]);
        let mut stream = watched.open(Role::Matrix, &Batch::new(b"seed", &suffixes), &mut [0; 3 * 64]);
        watched.squeeze(&mut stream, 1, &mut [0; 64]);
        watched.close(&mut stream, &[512, 1024, 512]);
    });
    let rows = |watched: &Watched| -> Vec<_> {
        watched.probe.nodes().iter().map(|node| (node.key, node.calls, node.ticks, node.min, node.used_bits)).collect()
    };
    let before = rows(&watched);
    calibrate(&mut watched);
    assert_eq!(rows(&watched), before, "what was recorded stays");
    let step = STEP as f32;
    for node in &watched.probe.nodes()[1..] {
        // The reading that ends all rounds is shared out over them.
        let shared = |cost: f32, readings: f32| (cost - readings * step).abs() <= step / 100.0;
        assert_eq!(node.cost.interval_inside, step, "{:?}", node.key);
        assert!(shared(node.cost.call_outside, 1.0) && shared(node.cost.lane_outside, 0.0), "{node:?}");
        let again = if node.interval_shares > node.call_shares { 1.0 } else { 0.0 };
        assert!(shared(node.cost.interval_outside, again), "{node:?}");
    }
    // The stream of three lanes was squeezed twice: two thirds of an interval are inside of the two shorter ones.
    let short = watched
        .probe
        .nodes()
        .iter()
        .find(|node| matches!(node.key, Key::Call(key) if key.out_bytes == 64))
        .expect("a row");
    assert!((short.cost_inside() - f64::from(2.0 * 2.0 / 3.0 * step)).abs() < 1e-3, "{short:?}");
    assert_eq!(empty_interval(Suite::of(Any::Placeholder, b""), Readings::default()), f64::from(step));
}

/// A call of a function of a scheme's own.
fn own_call(number: u8) -> Call {
    let function = Function { name: "theirs", permutation: "call", absorb_rate: 1, squeeze_rate: 1 };
    let (form, role) = (Form::Extendable, Role::Other);
    Call { function, form, role, own: number, in_bytes: 3, prefix_bytes: 0, lanes: 1 }
}

#[test]
fn functions_of_a_schemes_own_are_rows_of_their_own() {
    let mut watched = watched();
    watched.phase(Phase::Keygen, |watched| {
        for number in [1, 2, 1] {
            watched.foreign_begins(&own_call(number));
            watched.foreign_ends(Output { out_bytes: 7, used_bits: 56, permutations: 5 });
        }
    });
    // One step between the two readings of each call.
    assert_eq!(calls(&watched), [(Role::Other, 3, 7, 2, 2 * STEP), (Role::Other, 3, 7, 1, STEP)]);
    let node = watched.probe.nodes()[2];
    assert_eq!(
        (node.function.map(|function| function.name), node.permutations, node.used_bits),
        (Some("theirs"), 10, 112)
    );
    calibrate(&mut watched);
    let (cost, step) = (watched.probe.nodes()[2].cost, STEP as f32);
    // The reading that ends all rounds is shared out over them.
    assert!(cost.interval_inside == step && (cost.call_outside - step).abs() <= step / 100.0, "{cost:?}");
}

/// What such a function draws is random, and part of its call.
#[test]
fn randomness_inside_of_a_schemes_own_function_is_part_of_its_call() {
    let (mut inside, mut plain) = ([0; 16], [0; 16]);
    let mut watched = watched();
    watched.phase(Phase::Keygen, |watched| {
        watched.foreign_begins(&own_call(1));
        watched.entropy(&mut inside);
        watched.foreign_ends(Output::default());
    });
    Suite::of(Any::Placeholder, b"seed").entropy(&mut plain);
    assert_eq!((inside, calls(&watched).len()), (plain, 1));
}

/// On a counter that every message moves, the cost of a call goes by how many it has.
#[test]
fn the_cost_of_a_batch_goes_by_its_messages() {
    let mut watched = Profiled::new(Told(Rc::default()), Recorder::new(Work::default()));
    watched.probe.counter().0.clone_from(&watched.inner.0);
    let suffixes = [[0], [1], [2], [3]];
    watched.phase(Phase::Keygen, |watched| {
        watched.xof_batch(Role::Noise, &Batch::new(b"seed", &suffixes), &mut [0; 4 * 32]);
        watched.hash(Role::H, &[b"abc"], &mut [0; 32]);
    });
    calibrate(&mut watched);
    for (node, lanes) in watched.probe.nodes()[2..].iter().zip([4.0, 1.0]) {
        let expected = f64::from(FUNCTION) + lanes * f64::from(PERMUTATIONS);
        assert!((node.cost_outside() - expected).abs() < 0.1, "{node:?}: {} is not {expected}", node.cost_outside());
    }
}

/// Ticks that it takes to name a function, and to count the permutations of one message.
const FUNCTION: u8 = 40;
const PERMUTATIONS: u8 = 100;

/// A counter that stands still between what moves it.
#[derive(Clone, Debug, Default)]
struct Work(Rc<Cell<u64>>);

impl Counter for Work {
    fn read(&mut self) -> u64 {
        self.0.get()
    }
}

/// Functions that take no time, of which what the probe asks does.
struct Told(Rc<Cell<u64>>);

impl Told {
    fn take(&self, ticks: u8) {
        self.0.set(self.0.get() + u64::from(ticks));
    }
}

impl Symmetric for Told {
    type Stream = ();

    fn phase<R>(&mut self, _phase: Phase, body: impl FnOnce(&mut Self) -> R) -> R {
        body(self)
    }

    fn entropy(&mut self, _out: &mut [u8]) {}
    fn hash(&mut self, _role: Role, _input: &[&[u8]], _out: &mut [u8]) {}
    fn xof(&mut self, _role: Role, _input: &[&[u8]], _out: &mut [u8]) {}
    fn xof_batch(&mut self, _role: Role, _batch: &Batch<'_>, _out: &mut [u8]) {}
    fn open(&mut self, _role: Role, _batch: &Batch<'_>, _first: &mut [u8]) {}
    fn squeeze(&mut self, (): &mut (), _lane: usize, _out: &mut [u8]) {}
    fn close(&mut self, (): &mut (), _used_bits: &[u32]) {}

    fn lanes(&self, _role: Role) -> usize {
        4
    }

    fn squeeze_block(&self, _role: Role) -> usize {
        64
    }

    fn function(&self, _form: Form, _role: Role) -> Function {
        self.take(FUNCTION);
        Suite::of(Any::Placeholder, b"").function(Form::Extendable, Role::Noise)
    }

    fn permutations(&self, _form: Form, _role: Role, _in_bytes: usize, _out_bytes: usize) -> u64 {
        self.take(PERMUTATIONS);
        1
    }
}

/// Bytes of the suite's own streams.
const STREAM: usize = size_of::<<Suite<Any> as Symmetric>::Stream>();

#[test]
fn no_probe_is_nothing() {
    // Streams are moved about: with any probe they are no larger than without.
    assert_eq!(size_of::<<Profiled<Suite<Any>, NoProbe> as Symmetric>::Stream>(), STREAM);
    assert_eq!(size_of::<<Watched as Symmetric>::Stream>(), STREAM);
    const { assert!(!NoProbe::ENABLED) };
    let mut plain = Suite::of(Any::Shake, b"seed");
    let mut profiled = Profiled::new(plain.clone(), NoProbe);
    let (mut a, mut b) = ([0; 100], [0; 100]);
    plain.entropy(&mut a);
    profiled.phase(Phase::Keygen, |profiled| profiled.entropy(&mut b));
    assert_eq!(a, b);
    assert_eq!(plain.function(Form::Extendable, Role::Matrix), profiled.function(Form::Extendable, Role::Matrix));
}

#[test]
#[should_panic(expected = "a call ends before another begins")]
fn calls_do_not_nest() {
    let mut watched = watched();
    let _open = watched.open(Role::Matrix, &Batch::new(b"seed", &[[0]]), &mut [0; 64]);
    watched.xof(Role::Noise, &[], &mut [0; 32]);
}

#[test]
fn two_probes_see_the_same() {
    let pair = (Recorder::new(Readings::default()), Recorder::new(Readings::default()));
    let mut profiled = Profiled::new(Suite::of(Any::Sm3, b"seed"), pair);
    profiled.phase(Phase::Dec, |profiled| {
        profiled.xof(Role::J, &[b"ct"], &mut [0; 32]);
        profiled.phase(Phase::Compare, |_| ());
    });
    let keys = |recorder: &Recorder<Readings>| -> Vec<Key> { recorder.nodes().iter().map(|node| node.key).collect() };
    assert_eq!(keys(&profiled.probe.0), keys(&profiled.probe.1));
    assert_eq!(keys(&profiled.probe.0).len(), 4);
}
