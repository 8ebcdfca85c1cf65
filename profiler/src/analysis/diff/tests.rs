use super::super::parts::pieces;
use super::super::sample;
use super::*;
use crate::evidence::Operation;

/// The record with another XOF for the matrix: a third of its ticks, half of its permutations.
fn faster() -> Evidence {
    let mut after = sample::evidence();
    "shake".clone_into(&mut after.backends.xof);
    let matrix = &mut after.calls[0];
    "shake128".clone_into(&mut matrix.function);
    matrix.permutations = 2.0;
    change_ticks(&mut after, 0, 2000);
    after
}

/// Sets the ticks of a row of calls, and the trials to nine tenths of what the pieces come to.
fn change_ticks(evidence: &mut Evidence, call: usize, ticks: u64) {
    let row = &mut evidence.calls[call];
    row.ticks = Some(ticks);
    row.paths[0].ticks = Some(ticks);
    settle(evidence);
}

fn settle(evidence: &mut Evidence) {
    let total: u64 = pieces(evidence).iter().filter_map(|piece| piece.ticks).sum();
    evidence.profiled.ticks = Some(total);
    for (trial, thousandths) in evidence.trials.iter_mut().zip([90, 89, 93]) {
        trial.ticks = Some(total * thousandths / 1000);
    }
    sample::rederive(evidence);
}

fn compared(before: &Evidence, after: &Evidence) -> Diff {
    diff(before, after).expect("are comparable")
}

fn close(got: Option<f64>, want: f64) {
    let got = got.expect("there is a figure");
    assert!((got - want).abs() < 1e-9, "{got}, expected {want}");
}

fn row<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"))
}

#[test]
fn a_record_does_not_differ_from_itself() {
    let evidence = sample::evidence();
    let diff = compared(&evidence, &evidence);
    for row in diff.functions.iter().chain(&diff.phases).chain([&diff.total]) {
        assert_eq!((row.ticks.before, row.calls.before), (row.ticks.after, row.calls.after), "{row:?}");
        assert!(row.change.is_none_or(|change| change == 0.0) && row.of_total == Some(0.0), "{row:?}");
    }
    assert!(diff.notes.is_empty());
    assert_eq!(diff.regression(0.0), Ok(None));
}

#[test]
fn a_role_is_compared_whatever_function_serves_it() {
    let diff = compared(&sample::evidence(), &faster());
    let matrix = row(&diff.functions, "pseudoXOF → shake128");
    assert_eq!(matrix.role.as_deref(), Some("matrix"));
    close(matrix.ticks.before, 540.0);
    close(matrix.ticks.after, 180.0);
    close(matrix.change, -2.0 / 3.0);
    close(matrix.of_total, -360.0 / 900.0);
    let permutations = matrix.permutations.expect("a function has some");
    assert_eq!((permutations.before, permutations.after), (Some(80.0), Some(40.0)));
    // Noise is served by the same function as before.
    close(row(&diff.functions, "pseudoXOF").change, 0.0);
    close(diff.total.change, -0.4);
    close(diff.total.calls.after, 33.0);
    assert_eq!(diff.notes.len(), 1);
    assert!(
        diff.notes[0].starts_with("backends: xof=placeholder") || diff.notes[0].starts_with("backends: placeholder")
    );
}

#[test]
fn contributions_add_up_to_the_change_of_the_total() {
    let diff = compared(&sample::evidence(), &faster());
    let sum: f64 = diff.functions.iter().chain(&diff.phases).filter_map(|row| row.of_total).sum();
    close(diff.total.change, sum);
}

#[test]
fn numbers_of_operations_do_not_matter() {
    let before = sample::evidence();
    let mut after = before.clone();
    after.profiled.operations *= 3;
    for call in &mut after.calls {
        call.calls *= 3;
        call.ticks = call.ticks.map(|ticks| 3 * ticks);
        call.paths.iter_mut().for_each(|part| (part.calls, part.ticks) = (3 * part.calls, part.ticks.map(|t| 3 * t)));
    }
    for phase in &mut after.phases {
        (phase.calls, phase.self_ticks) = (3 * phase.calls, phase.self_ticks.map(|ticks| 3 * ticks));
    }
    after.profiled.ticks = after.profiled.ticks.map(|ticks| 3 * ticks);
    sample::rederive(&mut after);
    let diff = compared(&before, &after);
    for row in diff.functions.iter().chain(&diff.phases) {
        assert_eq!(row.calls.before, row.calls.after, "{row:?}");
        assert!(row.of_total.is_some_and(|change| change.abs() < 1e-9), "{row:?}");
    }
}

#[test]
fn phases_that_only_one_side_has_are_compared_with_nothing() {
    let before = sample::evidence();
    let mut after = before.clone();
    after.phases[4].path[1] = "compare".to_owned();
    let diff = compared(&before, &after);
    let (gone, new) = (row(&diff.phases, "enc/ntt"), row(&diff.phases, "enc/compare"));
    assert_eq!((gone.ticks.after, gone.change), (Some(0.0), Some(-1.0)));
    assert_eq!((new.ticks.before, new.change), (Some(0.0), None));
    close(new.of_total, 0.05);
}

#[test]
fn records_of_different_things_are_refused_in_words() {
    type Edit = fn(&mut Evidence);
    let cases: [(Edit, &str); 7] = [
        (
            |e| e.target = "aarch64-unknown-linux-gnu".to_owned(),
            "target is x86_64-unknown-linux-gnu before and aarch64",
        ),
        (|e| e.instance = "lwekem512".to_owned(), "instance is lwekem256 before and lwekem512 after"),
        (|e| e.operation = Operation::Dec, "operation is enc before and dec after"),
        (|e| e.counter.name = "perf".to_owned(), "counter is tsc before and perf after"),
        (|e| e.counter.unit = "cycles".to_owned(), "unit of the counter is ticks before and cycles after"),
        (|e| e.counter.hz = Some(2_500_000_000), "rate of the counter is 2445000000 Hz before and 2500000000 Hz after"),
        (|e| e.counter.hz = None, "no fixed rate after"),
    ];
    for (edit, expected) in cases {
        let mut other = sample::evidence();
        edit(&mut other);
        let message = diff(&sample::evidence(), &other).expect_err("differ").to_string();
        assert!(message.contains(expected) && message.starts_with("these records cannot be compared"), "{message}");
    }
    let mut other = sample::evidence();
    other.instance = "kyber512".to_owned();
    other.target = "elsewhere".to_owned();
    let message = diff(&sample::evidence(), &other).expect_err("differ").to_string();
    assert!(message.contains("instance is") && message.contains("; target is"), "{message}");
}

#[test]
fn a_rate_measured_again_and_what_is_said_do_not_refuse() {
    let mut other = sample::evidence();
    other.counter.hz = Some(2_445_000_000 + 24_000_000);
    "lazy".clone_into(&mut other.sampling);
    other.plan.trials = 99;
    other.environment = serde_json::json!({ "cpu_model": "two" });
    let notes = compared(&sample::evidence(), &other).notes.join("\n");
    for part in ["sampling: eager before, lazy after", "99 × 1 operations", "processor: one before, two after"] {
        assert!(notes.contains(part), "{notes}");
    }
}

#[test]
fn without_ticks_calls_are_compared_and_no_gate_decides() {
    let (before, after) = (sample::evidence(), sample::without_ticks());
    for (before, after) in [(&before, &after), (&after, &before), (&after, &after)] {
        let diff = compared(before, after);
        assert!(
            diff.functions.iter().chain(&diff.phases).chain([&diff.total]).all(|row| {
                (row.ticks.before, row.ticks.after, row.change, row.of_total) == (None, None, None, None)
            })
        );
        close(diff.total.calls.before, 33.0);
        assert!(diff.notes.iter().any(|note| note.contains("only calls and permutations")), "{:?}", diff.notes);
        assert_eq!(diff.regression(5.0), Err(NoGate::NoTicks));
        assert_eq!(diff.mean, Pair { before: None, after: None });
    }
}

#[test]
fn ticks_that_mean_nothing_pass_no_gate() {
    let mut emulated = sample::evidence();
    emulated.counter.meaningful = false;
    let diff = compared(&emulated, &emulated);
    assert_eq!(diff.regression(5.0), Err(NoGate::NotMeaningful));
    assert!(diff.notes.iter().any(|note| note.contains("ticks mean nothing")));
}

#[test]
fn the_gate_names_the_total_first() {
    let before = sample::evidence();
    let mut after = before.clone();
    change_ticks(&mut after, 0, 7000);
    let diff = compared(&before, &after);
    // 600 became 700 of 1000.
    let regression = diff.regression(9.9).expect("decides").expect("grew by ten percent");
    assert_eq!((regression.what.as_str(), regression.others), ("total", 1));
    let line = regression.to_string();
    assert_eq!(
        line,
        "total grew by 10.0 % (900 to 990 ticks per operation), more than the 9.9 % allowed; so did 1 other part"
    );
    let regression = diff.regression(12.0).expect("decides").expect("the matrix grew by a sixth");
    assert_eq!((regression.what.as_str(), regression.others), ("pseudoXOF for matrix", 0));
    assert_eq!(diff.regression(20.0), Ok(None));
    assert_eq!(compared(&after, &before).regression(0.0), Ok(None));
}

#[test]
fn small_parts_may_grow_as_they_like() {
    let before = sample::evidence();
    let mut after = before.clone();
    // The generator: 20 of 1000, now 40.
    change_ticks(&mut after, 4, 400);
    assert_eq!(compared(&before, &after).regression(10.0), Ok(None));
    // Now 80, which is more than a twentieth.
    change_ticks(&mut after, 4, 800);
    let regression = compared(&before, &after).regression(10.0).expect("decides").expect("grew fourfold");
    assert_eq!(regression.what, "drng for entropy");
}

#[test]
fn a_part_that_was_not_there_grows_from_nothing() {
    let mut before = sample::evidence();
    let after = sample::evidence();
    before.calls.remove(0);
    settle(&mut before);
    let mut after = after;
    after.trials = before.trials.clone();
    sample::rederive(&mut after);
    let regression = compared(&before, &after).regression(50.0).expect("decides").expect("is new");
    assert!(regression.to_string().starts_with("nothing → pseudoXOF for matrix grew from nothing"), "{regression}");
}

#[test]
fn cycles_compare_at_any_rate_and_wait_states_are_said() {
    let (mut before, mut after) = (sample::evidence(), sample::evidence());
    for (record, hz, wait_states) in [(&mut before, None, 0), (&mut after, Some(168_000_000), 5)] {
        (record.counter.name, record.counter.unit) = ("dwt".to_owned(), "cycles".to_owned());
        record.counter.hz = hz;
        record.environment = serde_json::json!({ "wait_states": wait_states });
    }
    let notes = compared(&before, &after).notes;
    assert!(notes.contains(&"wait states: 0 before, 5 after".to_owned()), "{notes:?}");
    // Ticks of another rate are of another length.
    after.counter.unit = "ticks".to_owned();
    before.counter.unit = "ticks".to_owned();
    assert!(diff(&before, &after).is_err());
}
