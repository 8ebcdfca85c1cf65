//! `kemprof diff` and `kemprof flamegraph --diff` as their user sees them. Ticks of a test are noise, so verdicts are tested
//! on files whose ticks were changed by hand.

mod common;

use common::{fail, files, folder, json, profile, run, succeed, utf8};
use kemprof::evidence::{self, Derived, Evidence};
use kemprof::render::palette;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A record, and a folder with it as `before.json`.
fn before() -> (Evidence, PathBuf, TempDir) {
    let (mut records, _) = profile("keygen", "lwekem128", &[]);
    let folder = folder();
    let path = folder.path().join("before.json");
    let mut record = records.remove(0);
    // Verdicts are of ticks that mean something, which an emulator's do not.
    record.counter.meaningful = true;
    std::fs::write(&path, evidence::to_json(&record)).expect("is written");
    (record, path, folder)
}

/// A longer profile over these functions, sampled lazily: its file and folder.
fn other(hash: &str) -> (PathBuf, TempDir) {
    let out = folder();
    let args = ["keygen", "lwekem128", "--trials", "3", "--iterations", "5", "--sampling", "lazy", "--hash", hash];
    succeed(&[&args[..], &["--out", utf8(out.path())]].concat());
    let name = files(out.path()).into_iter().find(|name| name.ends_with(".json")).expect("was written");
    (out.path().join(name), out)
}

/// Writes the record, its derived figures made to follow.
fn write(path: &Path, mut record: Evidence) -> PathBuf {
    let hz = record.counter.hz;
    for trial in record.trials.iter_mut().chain(&mut record.profiled.trials) {
        trial.seconds = trial.ticks.zip(hz).map(|(ticks, hz)| ticks as f64 / hz as f64).or(trial.seconds);
    }
    record.derived = Derived::of(&record.trials, &record.profiled, &record.calls, &record.phases);
    std::fs::write(path, evidence::to_json(&record)).expect("is written");
    path.to_owned()
}

/// The record with as many ticks in every part of it, so that none is too narrow to be drawn, and nothing that disturbed it.
fn even(mut record: Evidence) -> Evidence {
    forget_trials(&mut record);
    record.steadiness = Default::default();
    const TICKS: i64 = 1_000_000;
    for call in &mut record.calls {
        call.paths.iter_mut().for_each(|part| part.ticks = Some(TICKS));
        call.ticks = call.paths.iter().map(|part| part.ticks).sum();
    }
    record.phases.iter_mut().for_each(|phase| phase.self_ticks = Some(TICKS));
    settle(record)
}

/// Leaves out what is known of rows in each trial: they are made by hand.
fn forget_trials(record: &mut Evidence) {
    record.profiled.intervals_over = None;
    for call in &mut record.calls {
        (call.interval, call.probe_ticks) = (None, None);
        call.paths.iter_mut().for_each(|part| part.trial_ticks.clear());
    }
    for phase in &mut record.phases {
        (phase.interval, phase.probe_ticks) = (None, None);
        phase.trial_ticks.clear();
    }
}

/// Makes totals and trials follow from the parts.
fn settle(mut record: Evidence) -> Evidence {
    let parts = record.calls.iter().map(|call| call.ticks).chain(record.phases.iter().map(|phase| phase.self_ticks));
    let total: i64 = parts.map(|ticks| ticks.expect("ticks")).sum();
    let total = total.unsigned_abs();
    record.profiled.ticks = Some(total);
    record.profiled.raw_ticks = Some(total);
    for call in &mut record.calls {
        let mean = call.ticks.map(|ticks| ticks / call.calls as i64);
        (call.min, call.max) = (mean, mean);
    }
    let whole = record.clone();
    for phase in &mut record.phases {
        let own = whole.phases.iter().map(|other| (&other.path, other.self_ticks));
        let calls = whole.calls.iter().flat_map(|call| &call.paths).map(|part| (&part.path, part.ticks));
        phase.ticks = own.chain(calls).filter(|(path, _)| path.starts_with(&phase.path)).map(|(_, ticks)| ticks).sum();
    }
    let operations = record.profiled.operations;
    let trials = record.trials.iter_mut().chain(&mut record.profiled.trials);
    trials.for_each(|trial| trial.ticks = Some(total * trial.operations / operations));
    record
}

/// Every tick of the record times `factor`.
fn slower(mut record: Evidence, factor: u64) -> Evidence {
    forget_trials(&mut record);
    let times = |ticks: &mut Option<i64>| *ticks = ticks.map(|ticks| factor as i64 * ticks);
    let whole = |ticks: &mut Option<u64>| *ticks = ticks.map(|ticks| factor * ticks);
    for call in &mut record.calls {
        [&mut call.ticks, &mut call.min, &mut call.max].into_iter().for_each(times);
        call.paths.iter_mut().for_each(|part| times(&mut part.ticks));
    }
    record.phases.iter_mut().for_each(|phase| [&mut phase.ticks, &mut phase.self_ticks].into_iter().for_each(times));
    record.trials.iter_mut().chain(&mut record.profiled.trials).for_each(|trial| whole(&mut trial.ticks));
    [&mut record.profiled.ticks, &mut record.profiled.raw_ticks].into_iter().for_each(whole);
    record
}

#[test]
fn a_file_does_not_differ_from_itself() {
    let (_, file, _folder) = before();
    let diff: Value = serde_json::from_str(&succeed(&["diff", utf8(&file), utf8(&file), "--json"])).expect("JSON");
    assert_eq!(diff["total"]["change"], 0.0);
    assert_eq!(diff["notes"], serde_json::json!([]));
    let rows = diff["functions"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["name"] == "pseudoXOF" && row["role"] == "matrix"), "{rows:?}");
    succeed(&["diff", utf8(&file), utf8(&file), "--fail-above", "0"]);
}

#[test]
fn other_backends_and_sampling_are_compared_and_said() {
    let (_, file, _folder) = before();
    let (after, _out) = other("shake");
    let text = succeed(&["diff", utf8(&file), utf8(&after)]);
    for part in [
        "lwekem128 keygen",
        "before  placeholder\n",
        "after   shake@lazy\n",
        "pseudoXOF → shake128",
        "keygen/sample_matrix",
        "of the total",
        "  backends: placeholder before, shake after",
        "  sampling: eager before, lazy after",
        "  plan: 2 × 2 operations before, 3 × 5 operations after",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let diff: Value = serde_json::from_str(&succeed(&["diff", utf8(&file), utf8(&after), "--json"])).expect("JSON");
    let parts = ["functions", "phases"].into_iter().flat_map(|kind| diff[kind].as_array().expect("rows"));
    let sum: f64 = parts.map(|row| row["of_total"].as_f64().expect("ticks on both sides")).sum();
    let total = diff["total"]["change"].as_f64().expect("ticks on both sides");
    assert!((sum - total).abs() < 1e-9, "parts add up to {sum}, the total is {total}");
}

#[test]
fn the_gate_fails_with_one_line_that_says_which() {
    let (record, _, folder) = before();
    // Trials that are all alike: whatever changes is no noise.
    let record = even(record);
    let file = write(&folder.path().join("even.json"), record.clone());
    let slow = write(&folder.path().join("slow.json"), settle(slower(record, 2)));
    let (file, slow) = (utf8(&file), utf8(&slow));
    let (code, text, line) = run(&["diff", file, slow, "--fail-above", "99"]);
    assert_eq!((code, line.lines().count()), (1, 1), "{line}");
    assert!(line.starts_with("kemprof: total grew by 100.0 % ("), "{line}");
    assert!(line.contains("ticks per operation), more than the 99 % allowed; so did "), "{line}");
    assert!(text.contains("+100.0 %"), "{text}");
    succeed(&["diff", file, slow, "--fail-above", "101"]);
    succeed(&["diff", slow, file, "--fail-above", "0"]);
    // Without a limit, growth is no failure.
    succeed(&["diff", file, slow]);
    let (code, text, _) = run(&["diff", file, slow, "--fail-above", "5", "--json"]);
    let diff: Value = serde_json::from_str(&text).expect("JSON alone on standard output");
    assert_eq!((code, &diff["total"]["change"]), (1, &1.0.into()));
}

#[test]
fn records_of_different_things_are_refused_in_words() {
    let (_, file, folder) = before();
    let others = [
        ("enc", "lwekem128", &[][..], "operation is keygen before and enc after"),
        ("keygen", "lwekem256", &[], "instance is lwekem128 before and lwekem256 after"),
        ("keygen", "lwekem128", &["--counter", "clock"], "clock after"),
    ];
    for (operation, instance, options, expected) in others {
        let (_, out) = profile(operation, instance, options);
        let name = files(out.path()).into_iter().find(|name| name.ends_with(".json")).expect("was written");
        let other = out.path().join(name);
        for args in [
            &["diff", utf8(&file), utf8(&other)][..],
            &["diff", utf8(&file), utf8(&other), "--fail-above", "5", "--json"],
            &["flamegraph", "--diff", utf8(&file), utf8(&other)],
        ] {
            let line = fail(2, args);
            assert!(line.contains("cannot be compared") && line.contains(expected), "{line}");
        }
    }
    assert_eq!(files(folder.path()), ["before.json"]);
}

#[test]
fn without_ticks_only_calls_are_compared() {
    let (_, out) = profile("keygen", "lwekem128", &["--counter", "none"]);
    let file = json(out.path());
    let text = succeed(&["diff", utf8(&file), utf8(&file)]);
    assert!(text.contains("only calls and permutations are compared"), "{text}");
    let diff: Value = serde_json::from_str(&succeed(&["diff", utf8(&file), utf8(&file), "--json"])).expect("JSON");
    assert_eq!((&diff["total"]["ticks"]["before"], &diff["total"]["change"]), (&Value::Null, &Value::Null));
    assert!(diff["total"]["permutations"]["after"].as_f64().is_some_and(|count| count > 0.0));
    let line = fail(2, &["diff", utf8(&file), utf8(&file), "--fail-above", "5"]);
    assert!(line.contains("--fail-above needs ticks"), "{line}");
    let line = fail(1, &["flamegraph", "--diff", utf8(&file), utf8(&file)]);
    assert!(line.contains("no ticks to draw"), "{line}");
}

#[test]
fn limits_and_files_that_make_no_sense_are_one_line() {
    let (_, file, folder) = before();
    let file = utf8(&file);
    for limit in ["-1", "nan", "inf"] {
        let line = fail(2, &["diff", file, file, "--fail-above", limit]);
        assert!(line.contains("is no limit: expected percent"), "{line}");
    }
    assert!(fail(2, &["diff", file, file, "--fail-above", "much"]).contains("--fail-above"));
    assert!(fail(2, &["diff", file]).contains("AFTER"));
    // Whatever is wrong with a file, exit code 1 is a regression's alone.
    let absent = folder.path().join("absent.json");
    let (text, cut) = (folder.path().join("text.json"), folder.path().join("cut.json"));
    std::fs::write(&text, "no record").expect("is written");
    let whole = std::fs::read(file).expect("was written");
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("is written");
    for wrong in [&absent, &text, &cut, &folder.path().to_owned()] {
        for args in [["diff", file, utf8(wrong)], ["diff", utf8(wrong), file]] {
            let line = fail(2, &[&args[..], &["--fail-above", "5"]].concat());
            assert!(line.contains(utf8(wrong)), "{line}");
        }
    }
    for wrong in [&["flamegraph", "--diff", file][..], &["flamegraph", "--diff", file, file, file]] {
        assert!(fail(2, wrong).contains("--diff compares two files"), "{wrong:?}");
    }
}

/// The tip and the colour of every frame of the picture.
fn frames(svg: &str) -> Vec<(String, String)> {
    let parsing = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(svg, parsing).expect("is XML");
    let frames = document.descendants().filter(|node| node.has_tag_name("g"));
    let of = |group: roxmltree::Node<'_, '_>| {
        let child = |tag: &str| group.children().find(|node| node.has_tag_name(tag));
        let title = child("title")?.text()?.to_owned();
        Some((title, child("rect")?.attribute("fill")?.to_owned()))
    };
    frames.filter_map(of).collect()
}

#[test]
fn the_picture_is_red_where_time_grew_and_blue_where_it_fell() {
    let (record, _, folder) = before();
    let mut after = even(record);
    let file = write(&folder.path().join("before.json"), after.clone());
    // The matrix takes half, noise twice; everything else stays.
    for call in &mut after.calls {
        let scale = |ticks: &mut Option<i64>, role: &str| {
            *ticks = ticks.map(|ticks| if role == "matrix" { ticks / 2 } else { 2 * ticks });
        };
        if ["matrix", "noise"].contains(&call.role.as_str()) {
            call.paths.iter_mut().for_each(|part| scale(&mut part.ticks, &call.role));
            call.ticks = call.paths.iter().map(|part| part.ticks).sum();
        }
    }
    let after = write(&folder.path().join("after.json"), settle(after));
    let pictures = folder.path().join("pictures");
    let text = succeed(&["flamegraph", "--diff", utf8(&file), utf8(&after), "--out", utf8(&pictures)]);
    assert!(text.contains("before-to-after.svg"), "{text}");
    assert_eq!(files(&pictures), ["before-to-after.folded", "before-to-after.svg"]);
    let svg = std::fs::read_to_string(pictures.join("before-to-after.svg")).expect("was written");
    for part in ["before placeholder, after placeholder", "widths: after · ", "half or less", "more than twice"] {
        assert!(svg.contains(part), "no {part:?} in the picture");
    }
    let frames = frames(&svg);
    let frame = |name: &str| {
        let found = frames.iter().find(|(tip, _)| tip.starts_with(name));
        found.unwrap_or_else(|| panic!("no frame {name:?} in {frames:?}"))
    };
    // The same percentages as the table's.
    for (name, color) in
        [("pseudoXOF matrix  ", palette::change(Some(-0.5))), ("pseudoXOF noise  ", palette::change(Some(1.0)))]
    {
        let (tip, fill) = frame(name);
        assert_eq!(*fill, color.to_string(), "{tip}");
    }
    assert!(frame("pseudoXOF matrix  ").0.contains(" after: -50.0 %"), "{frames:?}");
}

#[test]
fn a_picture_of_other_functions_and_more_operations_compares_roles() {
    let (_, file, _folder) = before();
    let (after, out) = other("sm3+xof=shake");
    let text = succeed(&["flamegraph", "--diff", utf8(&file), utf8(&after), "--json"]);
    let written: Vec<String> = serde_json::from_str(&text).expect("JSON");
    // Beside the second file.
    assert!(written.iter().all(|path| Path::new(path).parent() == Some(out.path())), "{written:?}");
    // Frames may be too narrow to be drawn, but not to be written down.
    let folded = std::fs::read_to_string(&written[0]).expect("was written");
    assert!(folded.contains(";matrix: pseudoXOF → shake128 ") && folded.contains(";pseudoXOF noise "), "{folded}");
    assert!(
        folded.lines().all(|line| line.rsplitn(3, ' ').take(2).all(|number| number.parse::<u64>().is_ok())),
        "{folded}"
    );
}
