use super::super::parts::pieces;
use super::super::sample;
use super::*;
use crate::evidence::{Operation, PhaseRow, Trial};
use serde::Deserialize;
use std::collections::BTreeMap;

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
fn change_ticks(evidence: &mut Evidence, call: usize, ticks: i64) {
    let row = &mut evidence.calls[call];
    row.ticks = Some(ticks);
    row.paths[0].ticks = Some(ticks);
    settle(evidence);
}

/// Derives everything from rows and trials as they are.
fn settled(evidence: &mut Evidence) {
    let total: i64 = pieces(evidence).iter().filter_map(|piece| piece.ticks).sum();
    evidence.profiled.ticks = Some(total.unsigned_abs());
    sample::rederive(evidence);
}

fn settle(evidence: &mut Evidence) {
    let total: i64 = pieces(evidence).iter().filter_map(|piece| piece.ticks).sum();
    let total = total.unsigned_abs();
    evidence.profiled.ticks = Some(total);
    for (trial, thousandths) in evidence.trials.iter_mut().zip([90, 89, 93]) {
        trial.ticks = Some(total * thousandths / 1000);
    }
    sample::rederive(evidence);
}

fn compared(before: &Evidence, after: &Evidence) -> Diff {
    diff(before, after).expect("are comparable")
}

/// What the gate says grew.
fn regression(diff: &Diff, limit: f64) -> Result<Option<Growth>, NoGate> {
    diff.gate(limit).map(|verdict| verdict.regression)
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
    assert_eq!(regression(&diff, 0.0), Ok(None));
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
        (|e| e.target = "aarch64-unknown-linux-gnu".to_owned(), "target is x86_64 Linux before and AArch64"),
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
    for part in ["sampling: eager before, lazy after", "99 × 1 operation", "processor: one before, two after"] {
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
        assert_eq!(regression(&diff, 5.0), Err(NoGate::NoTicks));
        assert_eq!(diff.mean, Pair { before: None, after: None });
    }
}

#[test]
fn ticks_that_mean_nothing_pass_no_gate() {
    let mut emulated = sample::evidence();
    emulated.counter.meaningful = false;
    let diff = compared(&emulated, &emulated);
    assert_eq!(regression(&diff, 5.0), Err(NoGate::NotMeaningful));
    assert!(diff.notes.iter().any(|note| note.contains("ticks mean nothing")));
}

#[test]
fn the_gate_names_the_total_first() {
    let before = sample::evidence();
    let mut after = before.clone();
    change_ticks(&mut after, 0, 7000);
    let diff = compared(&before, &after);
    // 600 became 700 of 1000.
    let found = regression(&diff, 9.9).expect("decides").expect("grew by ten percent");
    assert_eq!((found.what.as_str(), found.others), ("total", 1));
    let line = found.to_string();
    assert_eq!(
        line,
        "total grew by 10.0 % (900 to 990 ticks per operation), more than the 9.9 % allowed; so did 1 other part"
    );
    let found = regression(&diff, 12.0).expect("decides").expect("the matrix grew by a sixth");
    assert_eq!((found.what.as_str(), found.others), ("pseudoXOF for matrix", 0));
    assert_eq!(regression(&diff, 20.0), Ok(None));
    assert_eq!(regression(&compared(&after, &before), 0.0), Ok(None));
}

#[test]
fn small_parts_may_grow_as_they_like() {
    let before = sample::evidence();
    let mut after = before.clone();
    // The generator: 20 of 1000, now 40.
    change_ticks(&mut after, 4, 400);
    assert_eq!(regression(&compared(&before, &after), 10.0), Ok(None));
    // Now 80, which is more than a twentieth.
    change_ticks(&mut after, 4, 800);
    let regression = regression(&compared(&before, &after), 10.0).expect("decides").expect("grew fourfold");
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
    let regression = regression(&compared(&before, &after), 50.0).expect("decides").expect("is new");
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
    assert_eq!(notes[0], "wait states: 0 before, 5 after", "{notes:?}");
    // Ticks of another rate are of another length.
    after.counter.unit = "ticks".to_owned();
    before.counter.unit = "ticks".to_owned();
    assert!(diff(&before, &after).is_err());
}

#[test]
fn both_places_are_named_and_what_changes_the_code_comes_first() {
    let (mut before, mut after) = (sample::evidence(), sample::evidence());
    for (record, wait_states, flags) in [(&mut before, 0, "-Ctarget-cpu=native"), (&mut after, 5, "")] {
        (record.counter.name, record.counter.unit) = ("dwt".to_owned(), "cycles".to_owned());
        let flags: Vec<&str> = flags.split_whitespace().collect();
        record.environment =
            serde_json::json!({ "wait_states": wait_states, "build": { "opt_level": wait_states, "flags": flags } });
    }
    before.code = Some(BTreeMap::from([("xof".to_owned(), "avx2".to_owned())]));
    after.code = Some(BTreeMap::from([("xof".to_owned(), "portable".to_owned())]));
    after.plan.trials = 99;
    "lazy".clone_into(&mut after.sampling);
    let diff = compared(&before, &after);
    assert!(diff.before.place.contains("0 wait states") && diff.after.place.contains("5 wait states"), "{diff:?}");
    let first = [
        "wait states: 0 before, 5 after",
        "opt-level: 0 before, 5 after",
        "compiler flags: -Ctarget-cpu=native before, none after",
        "code: xof avx2 before, xof portable after",
        "sampling: eager before, lazy after",
    ];
    assert_eq!(diff.notes[..5], first, "{:?}", diff.notes);
}

/// A record of several runs of the same code, taken while other programs had the machine's two cores as well.
#[derive(Deserialize)]
struct Noisy {
    /// Trials that count although others disturbed them.
    counted: u32,
    /// Ticks per operation of trials without probes, by process.
    trials: Vec<Vec<u64>>,
    /// The same with probes.
    probed: Vec<Vec<u64>>,
    /// Function and role, or phase and nothing; ticks.
    parts: Vec<(String, String, u64)>,
}

impl Noisy {
    fn record(&self) -> Evidence {
        let trials = |processes: &[Vec<u64>]| -> Vec<Trial> {
            let of = |(process, ticks): (u32, &Vec<u64>)| -> Vec<Trial> {
                ticks.iter().map(|&ticks| Trial { process, ..Trial::new(1, Some(ticks), None) }).collect()
            };
            (0..).zip(processes).flat_map(of).collect()
        };
        let mut record = sample::evidence();
        let model = record.calls[0].clone();
        (record.trials, record.profiled.trials) = (trials(&self.trials), trials(&self.probed));
        (record.steadiness.counted, record.steadiness.interrupted_beyond) = (self.counted, Some(2.5));
        record.profiled.ticks = Some(self.parts.iter().map(|part| part.2).sum::<u64>());
        let (calls, phases): (Vec<_>, Vec<_>) = self.parts.iter().partition(|part| !part.1.is_empty());
        let call = |(function, role, ticks): &(String, String, u64)| {
            let mut row = model.clone();
            (row.function, row.role, row.ticks) = (function.clone(), role.clone(), Some(*ticks as i64));
            row.paths[0].ticks = row.ticks;
            row
        };
        record.calls = calls.into_iter().map(call).collect();
        let phase = |(path, _, ticks): &(String, String, u64)| {
            let path = path.split('/').map(str::to_owned).collect();
            let ticks = Some(*ticks as i64);
            PhaseRow { path, ticks, self_ticks: ticks, ..record.phases[0].clone() }
        };
        record.phases = phases.into_iter().map(phase).collect();
        sample::rederive(&mut record);
        record
    }

    /// The same code but for the operation being so many percent longer.
    fn slower(&self, percent: u64) -> Self {
        let longer = |ticks: u64| ticks * (100 + percent) / 100;
        let all = |trials: &[Vec<u64>]| trials.iter().map(|one| one.iter().map(|&t| longer(t)).collect()).collect();
        let parts = self.parts.iter().map(|(name, role, ticks)| (name.clone(), role.clone(), longer(*ticks))).collect();
        Self { counted: self.counted, trials: all(&self.trials), probed: all(&self.probed), parts }
    }
}

fn noise() -> BTreeMap<String, Vec<Noisy>> {
    serde_json::from_str(include_str!("noise.json")).expect("recorded noise")
}

#[test]
fn records_of_the_same_code_pass_on_a_loaded_machine() {
    let mut beyond_the_limit = 0;
    for (run, records) in noise() {
        let records: Vec<Evidence> = records.iter().map(Noisy::record).collect();
        for (index, before) in records.iter().enumerate() {
            for after in records.iter().skip(index + 1).chain(&records[..index]) {
                let diff = compared(before, after);
                let verdict = diff.gate(5.0).expect("decides");
                assert_eq!(verdict.regression, None, "{run}");
                beyond_the_limit += usize::from(verdict.noise.is_some());
            }
        }
    }
    // By the limit alone, many of these 168 pairs would be regressions.
    assert!(beyond_the_limit >= 60, "{beyond_the_limit}");
}

#[test]
fn what_is_slower_beyond_the_noise_is_found() {
    let noise = noise();
    let records = &noise["ml-kem-512 keygen"];
    for (before, after) in records.iter().zip(records.iter().skip(1)) {
        let (before, after) = (before.record(), after.slower(60).record());
        let found = regression(&compared(&before, &after), 5.0).expect("decides").expect("is slower");
        assert_eq!(found.what, "total");
    }
}

#[test]
fn a_part_is_judged_by_its_own_trials() {
    // Nine trials of one operation that lie 40 % apart, while the generator always takes the same.
    let record = |generator: i64| {
        let mut record = sample::evidence();
        let rest = |trial: i64| 9000 + 500 * (trial % 9);
        record.profiled.trials =
            (0..9).map(|trial| Trial::new(1, Some((rest(trial) + generator).unsigned_abs()), None)).collect();
        record.profiled.operations = 9;
        (record.calls, record.phases) = (record.calls.split_off(4), record.phases.split_off(4));
        record.calls.truncate(1);
        record.phases.truncate(1);
        let (call, phase) = (&mut record.calls[0], &mut record.phases[0]);
        (call.calls, call.ticks) = (9, Some(9 * generator));
        (call.paths[0].ticks, call.paths[0].trial_ticks) = (call.ticks, vec![generator; 9]);
        phase.trial_ticks = (0..9).map(rest).collect();
        phase.self_ticks = Some(phase.trial_ticks.iter().sum());
        record.trials = record.profiled.trials.clone();
        settled(&mut record);
        record
    };
    let diff = compared(&record(400), &record(100));
    let generator = &diff.functions[0];
    assert!(generator.change.is_some_and(|change| change < -0.7), "{generator:?}");
    assert!(!generator.may_be_noise() && diff.total.may_be_noise(), "{diff:?}");
}

#[test]
fn without_noise_any_growth_beyond_the_limit_is_a_regression() {
    // Exact counts: every trial is the same.
    let exact = |matrix| {
        let mut record = sample::evidence();
        change_ticks(&mut record, 0, matrix);
        let median = record.trials[0].ticks;
        record.trials.iter_mut().for_each(|trial| trial.ticks = median);
        sample::rederive(&mut record);
        record
    };
    let diff = compared(&exact(6000), &exact(6020));
    let found = regression(&diff, 0.1).expect("decides").expect("grew by a fifth of a percent");
    assert_eq!(found.what, "total");
    assert!(!diff.total.may_be_noise());
    assert_eq!(regression(&diff, 1.0), Ok(None));
}
