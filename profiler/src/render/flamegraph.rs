//! The flamegraph of one record: phases, the symmetric calls in them, and what these are made of.

use super::folded::FoldError;
use super::frames::Frame;
use super::palette::{self, Rgb};
pub use super::picture::FlamegraphError;
use super::picture::{self, Surroundings};
use super::units;
use crate::evidence::{CallRow, Evidence, PathTicks};
use crate::kat::{Standing, standing};
use crate::words::plural;
use kemprof_core::Role;

/// The flamegraph of one run as SVG, checked to be well-formed.
///
/// # Errors
/// See [`FlamegraphError`].
pub fn svg(evidence: &Evidence) -> Result<String, FlamegraphError> {
    let root = frames(evidence)?;
    picture::svg(
        &root,
        &Surroundings {
            title: &format!("{}, {}", root.name, evidence.suite()),
            subtitle: &evidence.place(),
            notes: &notes(evidence, &root),
            legend: &legend(evidence, &root),
            unit: &evidence.counter.unit,
            factor: 1.0 / evidence.profiled.operations.max(1) as f64,
        },
    )
}

/// What the colours of these frames stand for.
pub(super) fn legend(evidence: &Evidence, root: &Frame) -> Vec<(&'static str, Rgb)> {
    fn has(frame: &Frame, color: Rgb) -> bool {
        frame.color == color || frame.above.iter().any(|frame| has(frame, color))
    }
    let roles = Role::ALL.map(|role| (role.name(), palette::role(role.name())));
    let others = [
        ("symmetric function, several roles", palette::SYMMETRIC),
        ("thrown away", palette::UNUSED),
        ("phase of the scheme", palette::PHASE),
        ("function of the scheme", palette::FUNCTION),
    ];
    let served = |name: &str| evidence.calls.iter().any(|call| call.role == name);
    let roles = roles.into_iter().filter(|(name, _)| served(name));
    roles.chain(others).filter(|(_, color)| has(root, *color)).collect()
}

/// What the picture does not show.
fn notes(evidence: &Evidence, root: &Frame) -> String {
    let unit = &evidence.counter.unit;
    let mut parts = Vec::new();
    parts.extend(standing(&evidence.instance, &evidence.backends).and_then(Standing::remark).map(str::to_owned));
    for (share, name) in [(evidence.derived.hash_share, "hash"), (evidence.derived.symmetric_share, "symmetric")] {
        parts.extend(share.map(|share| format!("{name} share {}", units::percent(share))));
    }
    parts.extend(evidence.derived.median.map(|median| format!("{} {unit} without probes", units::count(median))));
    let mut notes = parts.join(" · ");
    let below = evidence.profiled.ticks.map_or(0.0, |ticks| ticks as f64 - root.total() as f64);
    if below < 0.0 {
        let each = units::count(below / evidence.profiled.operations.max(1) as f64);
        notes += &format!("\nparts below zero are not drawn: {each} {unit} an operation");
    }
    notes
}

/// The frames of a record: its phases in the order in which they began, on each the calls in it, on these what they are made of.
/// They sum to its profiled ticks, and to more where parts are below zero.
///
/// # Errors
/// See [`FoldError`].
pub(super) fn frames(evidence: &Evidence) -> Result<Frame, FoldError> {
    let name = format!("{} {}", evidence.instance, evidence.operation);
    if evidence.calls.is_empty() {
        return Err(FoldError::NoCalls(name));
    }
    let no_ticks = || FoldError::NoTicks {
        run: name.clone(),
        counter: evidence.counter.name.clone(),
        reason: evidence.counter.unavailable.clone().unwrap_or_else(|| "no reason given".to_owned()),
    };
    let operations = evidence.profiled.operations;
    let mut root = Frame::new(&name, palette::OPERATION);
    for phase in &evidence.phases {
        let frame = at(&mut root, &phase.path);
        frame.own = drawn(phase.self_ticks.ok_or_else(no_ticks)?);
        frame.tip.push(format!("entered {} an operation", plural(per(phase.calls, operations), "time")));
    }
    for call in &evidence.calls {
        for part in &call.paths {
            let ticks = drawn(part.ticks.ok_or_else(no_ticks)?);
            at(&mut root, &part.path).above.push(of_calls(call, part, ticks, operations));
        }
    }
    if root.total() == 0 { Err(FoldError::NoCalls(name)) } else { Ok(root) }
}

/// The frame of a phase. The outermost is the operation, which the root already names.
fn at<'a>(root: &'a mut Frame, path: &[String]) -> &'a mut Frame {
    path.iter().skip(1).fold(root, |frame, name| frame.child(name, palette::PHASE))
}

/// Ticks as a width: what the probe's cost took below zero has none.
fn drawn(ticks: impl TryInto<u64>) -> u64 {
    ticks.try_into().unwrap_or_default()
}

fn per(count: u64, operations: u64) -> String {
    units::calls(count as f64 / operations.max(1) as f64)
}

/// The calls of a row in one phase; on them their permutations, and on these what became of the output.
fn of_calls(call: &CallRow, part: &PathTicks, ticks: u64, operations: u64) -> Frame {
    let color = palette::calls(call);
    let mut frame = Frame::new(&call.frame(), color);
    let each = units::count(ticks as f64 / part.calls.max(1) as f64);
    frame.tip.push(format!("{} an operation, each {each}", plural(per(part.calls, operations), "call")));
    let mut top = &mut frame;
    if call.permutations > 0.0 {
        let count = part.calls as f64 * call.permutations;
        let each_operation = units::calls(count / operations.max(1) as f64);
        top = top.child(&format!("{} ×{each_operation}", call.permutation), color);
        top.tip.push(format!(
            "{} a call, {each_operation} an operation, each {}",
            units::calls(call.permutations),
            units::count(ticks as f64 / count)
        ));
        top.tip.push("counted, not timed: what calls do around permutations is in it".to_owned());
    }
    let used = if call.out_bits == 0 { 1.0 } else { call.used_bits / call.out_bits as f64 };
    let kept = (ticks as f64 * used).round() as u64;
    if kept >= ticks {
        top.own = ticks;
        return frame;
    }
    for (name, color, share, ticks) in
        [("used", color, used, kept), ("thrown away", palette::UNUSED, 1.0 - used, ticks - kept)]
    {
        let piece = top.child(name, color);
        piece.own = ticks;
        let bits = units::calls((share * call.out_bits as f64).round());
        piece.tip.push(format!("{bits} of {} bits of output a call, {}", call.out_bits, units::percent(share)));
        piece.tip.push("split in proportion to the output, not measured".to_owned());
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{call, record};

    /// The frame at the end of these names.
    fn find<'a>(root: &'a Frame, names: &[&str]) -> &'a Frame {
        names.iter().fold(root, |frame, name| {
            let found = frame.above.iter().find(|frame| frame.name == *name);
            found.unwrap_or_else(|| panic!("no {name:?} on {frame:?}"))
        })
    }

    #[test]
    fn calls_are_split_into_permutations_and_what_becomes_of_the_output() {
        let mut matrix = call("shake128", "matrix", 280, 1000, 900);
        (matrix.used_bits, matrix.permutations) = (250.0, 3.0);
        "keccak-f[1600]".clone_into(&mut matrix.permutation);
        let mut evidence = record(&[matrix, call("sha3_256", "h", 256, 256, 60)], &[(&["keygen"], 40)]);
        evidence.profiled.operations = 5;
        let root = frames(&evidence).expect("has ticks");
        assert_eq!(root.total(), 1000);
        // Ten calls in five operations.
        let calls = find(&root, &["shake128 matrix (280 to 1000 bits)"]);
        assert_eq!((calls.total(), calls.own), (900, 0));
        assert_eq!(calls.tip, ["2 calls an operation, each 90"]);
        let permutations = find(calls, &["keccak-f[1600] ×6"]);
        assert_eq!(permutations.tip[0], "3 a call, 6 an operation, each 30");
        assert!(permutations.tip[1].contains("not timed"), "{permutations:?}");
        let [used, thrown] = ["used", "thrown away"].map(|name| find(permutations, &[name]));
        assert_eq!((used.own, thrown.own), (225, 675));
        assert_eq!(
            thrown.tip,
            ["750 of 1000 bits of output a call, 75.0 %", "split in proportion to the output, not measured"]
        );
        // Where all of the output is used there is nothing to split.
        assert!(find(&root, &["sha3_256 h (256 to 256 bits)", "a-permutation ×2"]).above.is_empty());
        let folded: u64 = root
            .folded()
            .iter()
            .map(|line| line.rsplit(' ').next().and_then(|ticks| ticks.parse::<u64>().ok()).expect("ticks"))
            .sum();
        assert_eq!(folded, 1000);
    }

    #[test]
    fn tips_are_of_one_operation_and_the_place_stands_on_the_picture() {
        let mut evidence = record(&[call("h", "h", 8, 8, 500)], &[(&["keygen"], 200), (&["keygen", "ntt"], 300)]);
        (evidence.profiled.operations, evidence.phases[1].calls) = (10, 30);
        evidence.environment = serde_json::json!({ "cpu_model": "A Processor" });
        let svg = svg(&evidence).expect("is drawn");
        assert!(
            svg.contains("<title>ntt (30 ticks an operation, 30.00%;\nentered 3 times an operation)</title>"),
            "{svg}"
        );
        assert!(svg.contains("A Processor, a-target, tsc at 1000 MHz (ticks,"), "{svg}");
    }

    #[test]
    fn what_is_below_zero_has_no_width_and_is_said() {
        assert_eq!((drawn(-7_i64), drawn(7_i64), drawn(7_u64)), (0, 7, 7));
        let mut evidence = record(&[call("h", "h", 8, 8, 500)], &[(&["keygen"], 200)]);
        assert!(!svg(&evidence).expect("is drawn").contains("below zero"));
        evidence.profiled.ticks = evidence.profiled.ticks.map(|ticks| ticks - 50);
        let picture = svg(&evidence).expect("is drawn");
        assert!(picture.contains("parts below zero are not drawn: -50 ticks an operation"), "{picture}");
    }
}
