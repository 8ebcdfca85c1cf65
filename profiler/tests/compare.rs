//! `kemprof compare` as its user sees it.

mod common;

use common::{calls, fail, files, folder, run, succeed, utf8};
use kemprof::evidence::{self, Evidence};
use serde_json::Value;
use std::path::Path;

/// A short comparison with these options: what it prints.
fn compare(instance: &str, out: &Path, extra: &[&str]) -> String {
    let mut args = vec!["compare", instance, "--trials", "3", "--iterations", "1", "--out", utf8(out)];
    args.extend(extra);
    succeed(&args)
}

fn rows(instance: &str, out: &Path, extra: &[&str]) -> Vec<Value> {
    let text = compare(instance, out, &[extra, &["--json"]].concat());
    serde_json::from_str(&text).expect("rows of JSON")
}

fn texts<'a>(rows: &'a [Value], field: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[field].as_str().unwrap_or_else(|| panic!("no {field} in {row}"))).collect()
}

fn record(out: &Path, name: &str) -> Evidence {
    evidence::read(&out.join(format!("{name}-compare.json"))).expect("was written")
}

#[test]
fn the_table_has_a_line_for_each_variant_and_says_the_ceiling() {
    let out = folder();
    let text = compare("lwekem128", out.path(), &["--op", "keygen", "--hash", "placeholder,free,sm3@lazy,shake"]);
    let line = |name: &str| {
        let mut lines = text.lines().filter(|line| line.trim_start().starts_with(&format!("{name} ")));
        lines.next().unwrap_or_else(|| panic!("no line of {name} in\n{text}"))
    };
    assert!(text.starts_with("lwekem128 keygen   3 trials of each"), "{text}");
    assert!(line("placeholder").contains("1.00 ×     1.00 ×"), "{text}");
    assert!(line("placeholder").ends_with("known answers PASS"), "{text}");
    assert!(line("sm3@lazy").ends_with("known answers PASS"), "{text}");
    assert!(line("shake").ends_with("not as submitted"), "{text}");
    assert!(line("free").ends_with("fast, not a hash"), "{text}");
    let place = |name: &str| text.find(line(name)).expect("is there");
    assert!(place("placeholder") < place("sm3@lazy") && place("shake") < place("free"), "{text}");
    assert!(text.contains("measured ") && text.contains("predicted "), "{text}");
    assert!(text.lines().any(|line| line.starts_with("  ceiling of placeholder: ")), "{text}");
    assert!(!text.contains('\u{1b}'), "escape codes where there is no terminal:\n{text}");
    let variants = ["free", "placeholder", "shake", "sm3@lazy"];
    let mut names: Vec<String> = variants
        .iter()
        .flat_map(|variant| {
            ["folded", "json", "svg"].map(|ending| format!("lwekem128-keygen-{variant}-compare.{ending}"))
        })
        .collect();
    names.push("lwekem128-keygen-compare.svg".to_owned());
    names.sort();
    assert_eq!(files(out.path()), names);
    assert!(text.contains("lwekem128-keygen-compare.svg"), "{text}");
}

/// Measured from the trials of the records alone, predicted from the first's shares and the functions' speedups.
#[test]
fn every_figure_of_a_row_follows_from_the_evidence() {
    let out = folder();
    let rows =
        rows("lwekem128", out.path(), &["--hash", "placeholder,shake,placeholder+xof=shake@lazy", "--op", "all"]);
    assert_eq!(rows.len(), 3 * 4);
    for operation in rows.chunks(4) {
        let name = operation[0]["operation"].as_str().expect("is named");
        let base = record(out.path(), &format!("lwekem128-{name}-placeholder"));
        for (row, file) in operation.iter().zip(["placeholder", "shake", "placeholder+xof=shake@lazy", "free@lazy"]) {
            let evidence = record(out.path(), &format!("lwekem128-{name}-{file}"));
            assert_eq!(evidence::violations(&evidence), []);
            assert_eq!(row["mean"].as_f64(), evidence.derived.mean);
            assert_eq!(row["hash_share"].as_f64(), evidence.derived.hash_share);
            assert_eq!(row["symmetric_share"].as_f64(), evidence.derived.symmetric_share);
            // The generator is symmetric too; decapsulation does not call it. What is left of it after the probe's cost may be nothing.
            let generator = || evidence.calls.iter().filter(|call| call.is_generator());
            assert_eq!(generator().count() > 0, name != "dec", "{name}");
            let ticks: i64 = generator().filter_map(|call| call.ticks).sum();
            let shares = evidence.derived.symmetric_share.zip(evidence.derived.hash_share);
            let more = shares.map_or(0.0, |(symmetric, hash)| symmetric - hash);
            assert!((more - ticks as f64 / evidence.profiled.ticks.expect("counts") as f64).abs() < 1e-9, "{name}");
            assert_eq!(row["backends"], serde_json::to_value(&evidence.backends).expect("is JSON"));
            assert_eq!(row["counter"]["name"], evidence.counter.name.as_str());
            let measured = row["speedup_measured"].as_f64().expect("a counter works everywhere");
            let mut ratios: Vec<f64> = base
                .trials
                .iter()
                .zip(&evidence.trials)
                .map(|(base, other)| base.ticks.expect("ticks") as f64 / other.ticks.expect("ticks") as f64)
                .collect();
            ratios.sort_by(f64::total_cmp);
            assert!((measured - ratios[1]).abs() < 1e-9 * measured, "{measured} {ratios:?}");
            let predicted = row["speedup_predicted"].as_f64().expect("is predicted");
            assert!((predicted - amdahl(&base, row)).abs() < 1e-6 * predicted, "{row}");
            let apart = (predicted / measured - 1.0).abs() > 0.1;
            assert_eq!(row["explanation"].is_string(), apart, "{row}");
        }
        assert_eq!(
            (operation[0]["speedup_measured"].as_f64(), operation[0]["speedup_predicted"].as_f64()),
            (Some(1.0), Some(1.0))
        );
    }
}

#[test]
fn the_ceiling_is_nothing_and_whatif_says_the_same() {
    let out = folder();
    let rows = rows("lwekem128", out.path(), &["--hash", "placeholder", "--op", "keygen"]);
    assert_eq!(texts(&rows, "variant"), ["placeholder", "free"]);
    for (row, name) in rows.iter().zip(["placeholder", "free"]) {
        let file = out.path().join(format!("lwekem128-keygen-{name}-compare.json"));
        let predicted = succeed(&[
            "whatif",
            utf8(&file),
            "--speed",
            "xof=inf",
            "--speed",
            "prf=inf",
            "--speed",
            "hash=inf",
            "--json",
        ]);
        let predicted: Value = serde_json::from_str(&predicted).expect("JSON");
        assert_eq!(row["ceiling"], predicted["without_symmetric"]);
        let [ceiling, speedup] =
            [&row["ceiling"]["hash"], &predicted["speedup"]].map(|gain| gain.as_f64().expect("a gain"));
        assert!((ceiling / speedup - 1.0).abs() < 1e-9, "{ceiling} and {speedup}");
        assert!(row["ceiling"]["symmetric"].as_f64() > Some(ceiling), "{row}");
        assert_eq!(row["ceiling"]["hash_share"], row["hash_share"]);
    }
    let file = out.path().join("lwekem128-keygen-placeholder-compare.json");
    let [base, free] = [0, 1].map(|row: usize| rows[row]["median"].as_f64().expect("ticks"));
    let ceiling = rows[0]["ceiling"]["hash"].as_f64().expect("a gain");
    assert!(free > base / ceiling, "free is not nothing: {free} of {base}, ceiling {ceiling}");
    let text = succeed(&["whatif", utf8(&file), "--speed", "xof=4"]);
    let line = text.lines().last().expect("a line");
    assert!(line.starts_with("ceiling of placeholder: ") && line.contains(" × without hashing (hash share "), "{text}");
    assert!(line.contains(" × without the generator too (symmetric share "), "{text}");
}

/// What remains of the first's time when each share is divided by the speedup of the function that takes its place.
fn amdahl(base: &Evidence, row: &Value) -> f64 {
    let total = base.profiled.ticks.expect("ticks") as f64;
    let functions = row["functions"].as_array().expect("functions");
    let calls = base.calls.iter().map(|call| {
        let alike = |function: &&Value| function["role"] == call.role.as_str() && function["in_bits"] == call.in_bits;
        let function = functions.iter().find(alike).expect("every function is timed alone");
        call.ticks.expect("ticks") as f64 / function["speedup"].as_f64().expect("is timed")
    });
    let own = base.phases.iter().map(|phase| phase.self_ticks.expect("ticks") as f64);
    total / calls.chain(own).sum::<f64>()
}

#[test]
fn roles_can_be_varied_one_by_one() {
    let out = folder();
    let rows = rows(
        "lwekem256",
        out.path(),
        &["--hash", "placeholder,placeholder+xof=shake,placeholder+drng=shake", "--op", "enc"],
    );
    assert_eq!(texts(&rows, "variant"), ["placeholder", "placeholder+xof=shake", "placeholder+drng=shake", "free"]);
    let function = |row: &Value, role: &str| {
        let functions = row["functions"].as_array().expect("functions");
        functions.iter().find(|function| function["role"] == role).expect("the role is there")["fn"].clone()
    };
    let by_role = |row: &Value| ["matrix", "noise", "g", "h"].map(|role| function(row, role));
    assert_eq!(by_role(&rows[0]), ["pseudoXOF"; 4]);
    assert_eq!(by_role(&rows[1]), ["shake128", "pseudoXOF", "pseudoXOF", "pseudoXOF"]);
    // Two variants of the same functions but the generator are two files.
    let other = record(out.path(), "lwekem256-enc-placeholder+drng=shake");
    assert_eq!(other.backends.drng, "shake256-drng");
    assert_eq!(calls(&record(out.path(), "lwekem256-enc-placeholder"), "pseudoXOF", ""), 102);
}

#[test]
fn variants_sample_as_they_say_or_as_all_do() {
    let out = folder();
    let rows = rows("lwekem128", out.path(), &["--op", "dec", "--hash", "sm3,shake@eager", "--sampling", "lazy"]);
    assert_eq!(texts(&rows, "variant"), ["sm3@lazy", "shake", "free@lazy"]);
    assert_eq!(texts(&rows, "sampling"), ["lazy", "eager", "lazy"]);
}

#[test]
fn the_first_is_the_base_whatever_it_is() {
    let out = folder();
    let rows = rows("lwekem128", out.path(), &["--op", "dec", "--hash", "free,shake"]);
    assert_eq!(texts(&rows, "variant"), ["free", "shake"]);
    assert_eq!((rows[0]["free"].as_bool(), rows[1]["free"].as_bool()), (Some(true), Some(false)));
    assert_eq!(rows[0]["speedup_predicted"], 1.0);
}

#[test]
fn without_a_counter_there_are_no_speedups_and_a_reason() {
    let out = folder();
    let options = ["--op", "keygen", "--hash", "placeholder,shake", "--counter", "none"];
    let rows = rows("lwekem128", out.path(), &options);
    for row in &rows {
        for field in ["mean", "median", "hash_share", "speedup_measured", "speedup_predicted"] {
            assert!(row[field].is_null(), "{field} of {row}");
        }
        assert!(row["counter"]["unavailable"].is_string(), "{row}");
        let why = row["explanation"].as_str().expect("says why");
        assert_eq!(why, "no speedups: counter none is unavailable (no counter was asked for)");
    }
    assert!(files(out.path()).iter().all(|name| name.ends_with(".json")), "there is nothing to draw");
    let text = compare("lwekem128", out.path(), &options);
    assert_eq!(text.matches("no speedups: counter none is unavailable").count(), 1, "{text}");
    assert!(!text.contains('×'), "{text}");
}

#[test]
fn the_chart_shows_every_variant_by_role() {
    let out = folder();
    compare("lwekem256", out.path(), &["--hash", "placeholder,shake@lazy"]);
    let text = std::fs::read_to_string(out.path().join("lwekem256-compare.svg")).expect("was written");
    let document = roxmltree::Document::parse(&text).expect("is XML");
    let written: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    for part in
        ["placeholder", "shake@lazy", "free@lazy", "not as submitted", "fast, not a hash", "keygen", "enc", "dec"]
    {
        assert!(written.contains(&part), "no {part:?} in {written:?}");
    }
    assert_eq!(written.iter().filter(|text| text.ends_with(" % symmetric")).count(), 3 * 3, "{written:?}");
    for role in ["matrix", "noise", "g", "h", "j", "entropy", "the scheme itself"] {
        assert!(written.contains(&role), "no {role:?} in the legend: {written:?}");
    }
    assert!(written.iter().any(|text| text.ends_with(" per operation, median without probes")), "{written:?}");
    let base = record(out.path(), "lwekem256-keygen-placeholder");
    // Processor and counter, once for all.
    assert!(written.concat().replace(' ', "").contains(&base.place().replace(' ', "")), "{written:?}");
    // The parts of the first bar are as long as its shares.
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).and_then(|text| text.parse().ok()).expect("a number")
    };
    let bars: Vec<_> = document
        .descendants()
        .filter(|node| {
            node.has_tag_name("rect")
                && node.first_element_child().and_then(|tip| tip.text()).is_some_and(|tip| tip.contains(": "))
        })
        .collect();
    let first: Vec<_> = bars.iter().take_while(|bar| number(bar, "y") == number(&bars[0], "y")).collect();
    let length: f64 = first.iter().map(|bar| number(bar, "width")).sum();
    let matrix: i64 =
        base.calls.iter().filter(|call| call.role == "matrix").map(|call| call.ticks.expect("ticks")).sum();
    let share = matrix as f64 / base.profiled.ticks.expect("ticks") as f64;
    assert!(
        (number(first[0], "width") / length - share).abs() < 0.001,
        "{} of {length}, expected {share}",
        number(first[0], "width")
    );
}

#[test]
fn standard_schemes_over_other_functions_are_called_not_standard_everywhere() {
    let out = folder();
    let text = compare("ml-kem-512", out.path(), &["--op", "enc", "--hash", "shake,ascon"]);
    let line = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).expect("a line").to_owned();
    assert!(line("shake").ends_with("known answers PASS"), "{text}");
    assert!(line("ascon").ends_with("not standard"), "{text}");
    let chart = std::fs::read_to_string(out.path().join("ml-kem-512-enc-compare.svg")).expect("was written");
    assert!(chart.contains(">not standard<"), "{chart}");
    let graph = |name: &str| {
        std::fs::read_to_string(out.path().join(format!("ml-kem-512-enc-{name}-compare.svg"))).expect("was written")
    };
    assert!(graph("ascon").contains("not standard") && !graph("shake").contains("not standard"));
    let show = |name: &str| succeed(&["show", utf8(&out.path().join(format!("ml-kem-512-enc-{name}-compare.json")))]);
    assert!(show("ascon").starts_with("ml-kem-512 enc   ascon (not standard)   "), "{}", show("ascon"));
    assert!(show("shake").starts_with("ml-kem-512 enc   shake   "), "{}", show("shake"));
    let (_, text, _) = run(&["kat", "ml-kem-512", "--hash", "ascon", "--sampling", "lazy"]);
    assert!(text.contains("ascon    not standard"), "{text}");
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let out = folder();
    let inside = out.path().join("results");
    for (args, expected) in [
        (&["compare", "lwekem255"][..], "unknown instance \"lwekem255\"; did you mean lwekem256? known: lwekem128"),
        (&["compare", "lwekem128", "--hash", "shake,md5"], "unknown backend \"md5\"; known: placeholder"),
        (&["compare", "lwekem128", "--hash", "shake,"], "unknown backend \"\""),
        (&["compare", "lwekem128", "--hash", "sm3,shake,sm3@eager"], "variant sm3 is given twice"),
        (&["compare", "lwekem128", "--hash", "shake@later"], "unknown sampling \"later\" in \"shake@later\""),
        (&["compare", "lwekem128", "--hash", "shake+mac=sm3"], "unknown part \"mac\""),
        (&["compare", "lwekem128", "--op", "sign"], "--op"),
        (&["compare", "lwekem128", "--counter", "sundial"], "sundial"),
        (&["compare", "lwekem128", "--seed", "0g"], "--seed \"0g\" is not hexadecimal"),
        (&["compare", "lwekem128", "--trials", "0"], "--trials"),
        (&["compare"], "INSTANCE"),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--out", utf8(&inside)]).collect();
        let line = fail(2, &args);
        assert!(line.contains(expected), "{args:?}: {line}");
        assert!(!inside.exists(), "{args:?} left files");
    }
    let file = out.path().join("a-file");
    std::fs::write(&file, "mine").expect("writable");
    assert!(fail(1, &["compare", "lwekem128", "--out", utf8(&file)]).contains("a-file"));
    assert!(succeed(&["compare", "--help"]).contains("How to read the table"));
}
