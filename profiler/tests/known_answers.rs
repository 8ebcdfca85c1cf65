//! Known answers of the instances, and files of them as other toolchains write them.

use kemprof::evidence::Sizes;
use kemprof::files;
use kemprof::kat::{
    self, CheckReport, Format, Identity, KatError, KatRow, Manifest, Verdict, check_bytes, check_file, file_text,
    generate, known_answer, run, write,
};
use kemprof::runner::{SuiteSpec, sizes};
use kemprof_core::kem::INSTANCES;
use kemprof_core::kem::mlkem::MlKem512;
use kemprof_core::{Any, Kem, Sampling};
use std::fs;

const SAMPLINGS: [Sampling; 2] = [Sampling::Eager, Sampling::Lazy];
const LWEKEM: &str = "lwekem128";

fn spec(text: &str) -> SuiteSpec {
    text.parse().expect("is a choice of backends")
}

fn file() -> String {
    file_text(LWEKEM, &SuiteSpec::default(), Sampling::Lazy, None).expect("lwekem128 runs")
}

fn check(text: &str, instance: Option<&str>) -> Result<CheckReport, KatError> {
    check_bytes(text.as_bytes(), instance, &SuiteSpec::default(), Sampling::Lazy)
}

fn passes(text: &str) -> CheckReport {
    let report = check(text, Some(LWEKEM)).expect("is a file of known answers");
    assert!(report.passed(), "{report}");
    report
}

/// Every single backend of this build.
fn backends() -> Vec<SuiteSpec> {
    Any::ALL.iter().map(|&backend| SuiteSpec::of(backend)).collect()
}

#[test]
fn every_instance_reproduces_what_is_published_and_nothing_else_claims_to() {
    for row in run(INSTANCES, &backends(), &SAMPLINGS).expect("every instance has a manifest") {
        let KatRow { instance, backend, verdict, digest, .. } = &row;
        let manifest = Manifest::of(instance).expect("has a manifest");
        let published = manifest.backends.contains(backend);
        assert_eq!(*verdict, if published { "PASS" } else { "NOT-APPLICABLE" }, "{row:?}");
        assert_eq!(*digest == Some(manifest.sha256), published, "{row:?}");
    }
}

#[test]
fn manifests_know_the_sizes_of_their_instances() {
    for instance in INSTANCES {
        let Sizes { pk, sk, ct, ss } = Manifest::of(instance).expect("has a manifest").sizes;
        assert_eq!(sizes(instance).expect("is an instance"), Sizes { pk, sk, ct, ss }, "{instance}");
    }
}

#[test]
fn files_have_the_published_length() {
    for instance in INSTANCES {
        let manifest = Manifest::of(instance).expect("has a manifest");
        let text = file_text(instance, &SuiteSpec::default(), Sampling::Lazy, None).expect("runs");
        assert_eq!(text.len(), manifest.bytes, "{instance}");
    }
}

#[test]
fn eager_and_lazy_give_the_same_answers_over_every_backend() {
    for pair in run(INSTANCES, &backends(), &SAMPLINGS).expect("every instance has a manifest").chunks(2) {
        assert_eq!([&pair[0].sampling, &pair[1].sampling], ["eager", "lazy"]);
        assert_eq!(pair[0].digest, pair[1].digest, "{}", pair[0].instance);
    }
}

#[test]
fn mixed_backends_are_checked_for_consistency_and_say_so() {
    let mixed = spec("placeholder+xof=shake");
    let verdict = known_answer(LWEKEM, &mixed, Sampling::Lazy).expect("has a manifest");
    assert_eq!(verdict.to_string(), "NOT-APPLICABLE: backend placeholder+xof=shake has no published vectors");
    assert!(matches!(verdict, Verdict::NotApplicable { .. }));
}

#[test]
fn an_unknown_instance_is_refused_with_those_that_there_are() {
    for error in [
        known_answer("frodo", &SuiteSpec::default(), Sampling::Lazy).map(|_| ()),
        run(&["lwekem128", "frodo"], &[SuiteSpec::default()], &SAMPLINGS).map(|_| ()),
        file_text("frodo", &SuiteSpec::default(), Sampling::Lazy, None).map(|_| ()),
        check(&file(), Some("frodo")).map(|_| ()),
        check_bytes(file().as_bytes(), Some("frodo"), None, Sampling::Lazy).map(|_| ()),
    ] {
        let message = error.expect_err("is no instance").to_string();
        assert!(message.starts_with("unknown instance \"frodo\"; known: lwekem128, "), "{message}");
    }
}

#[test]
fn the_published_file_is_recognised_whichever_instance_it_is_of() {
    for instance in INSTANCES {
        let manifest = Manifest::of(instance).expect("has a manifest");
        let published = spec(&manifest.backends[0]);
        let text = file_text(instance, &published, Sampling::Lazy, None).expect("runs");
        let report = check_bytes(text.as_bytes(), None, None, Sampling::Lazy).expect("is a file");
        assert_eq!((report.instance.as_str(), report.identity), (*instance, Identity::Bytes));
        assert_eq!((report.backend, report.verdict), (published, "PASS"));
        assert_eq!((report.differences.as_slice(), report.records), (&[][..], manifest.records));
        assert_eq!(report.digest, manifest.sha256);
    }
}

#[test]
fn layout_and_spelling_do_not_count() {
    let text = file();
    let lower = |line: &str| match line.split_once(" = ") {
        Some((name, value)) => format!("{name} = {}\n", value.to_lowercase()),
        None => format!("{line}\n"),
    };
    for other in [
        text.replace('\n', "\r\n"),
        text.replace("\n\n", "\n"),
        text.trim_end().to_owned(),
        text.replace('\n', " \t\n"),
        format!("# lwekem128\n\n{text}"),
        text.lines().map(lower).collect(),
    ] {
        let report = passes(&other);
        assert_eq!((report.identity, report.published.map(|file| file.records)), (Identity::Layout, Some(10)));
    }
}

#[test]
fn fewer_and_more_records_are_of_the_published_seeds() {
    let text = file();
    let first = passes(&text[..text.find("Count = 1\n").expect("has record 1")]);
    assert_eq!((first.records, first.identity, &first.published), (1, Identity::PublishedSeeds, &None));
    let records = generate(LWEKEM, Format::Ngcc, &SuiteSpec::default(), Sampling::Lazy, 12).expect("lwekem128 runs");
    let more = passes(&write(Format::Ngcc, &records));
    assert_eq!((more.records, more.identity), (12, Identity::PublishedSeeds));
}

/// NIST's files have 100 records, collections of implementations the first one.
#[test]
fn both_published_lengths_are_known() {
    for instance in INSTANCES.iter().filter(|name| !name.starts_with("lwekem")) {
        for records in [1, 100] {
            let text = file_text(instance, &spec("shake"), Sampling::Lazy, records).expect("runs");
            let report = check_bytes(text.as_bytes(), None, None, Sampling::Lazy).expect("is a file");
            assert_eq!((report.instance.as_str(), report.identity), (*instance, Identity::Bytes));
            assert_eq!(report.published.expect("is published").records, records);
        }
    }
}

#[test]
fn one_wrong_digit_fails_and_is_named() {
    let text = file();
    let secret = text.find("SK = ").expect("has a secret key") + "SK = ".len() + 99;
    let digit = text.as_bytes()[secret] as char;
    let other = if digit == '0' { '1' } else { '0' };
    let wrong = format!("{}{other}{}", &text[..secret], &text[secret + 1..]);
    let report = check(&wrong, None).expect("is a file of known answers");
    assert_eq!((report.passed(), report.identity), (false, Identity::Differs));
    let place = format!("digit 100 of 3552 is {other}, expected {digit}; 1 wrong digit");
    assert_eq!(report.to_string(), format!("FAIL: count 0, SK (line 7): {place}"));

    let last = wrong.trim_end().len() - 1;
    let twice = format!("{}{}", &wrong[..last], if wrong.as_bytes()[last] == b'0' { '1' } else { '0' });
    let report = check(&twice, None).expect("is a file of known answers");
    let fields: Vec<_> = report.differences.iter().map(|difference| (difference.count, difference.field)).collect();
    assert_eq!(fields, [(0, "SK"), (9, "SS")]);
    assert!(report.to_string().ends_with("; 2 differences in all"), "{report}");
}

#[test]
fn a_file_over_other_functions_fails_in_every_field() {
    let text = file_text(LWEKEM, &spec("shake"), Sampling::Lazy, None).expect("lwekem128 runs");
    let report = check(&text, None).expect("is a file of known answers");
    assert_eq!(report.differences.len(), 10 * 4);
    let said = report.to_string();
    assert!(
        said.starts_with("FAIL: no value follows from its seed; the file is not of lwekem128 over placeholder"),
        "{said}"
    );
    let report = check_bytes(text.as_bytes(), None, &spec("shake"), Sampling::Lazy).expect("is a file");
    assert_eq!((report.passed(), report.identity), (true, Identity::Unpublished));
}

/// Kyber and ML-KEM have the same lengths, so only the values tell them apart.
#[test]
fn instances_of_the_same_lengths_are_told_apart_as_long_as_the_values_do() {
    let text = file_text("kyber512", &spec("shake"), Sampling::Lazy, None).expect("kyber512 runs");
    let check = |text: &str, functions| check_bytes(text.as_bytes(), None, &spec(functions), Sampling::Lazy);
    let report = check(&text, "shake").expect("is told apart");
    assert_eq!((report.instance.as_str(), report.identity), ("kyber512", Identity::Bytes));
    let (rest, digit) = text.trim_end().split_at(text.trim_end().len() - 1);
    let wrong = format!("{rest}{}\n", if digit == "0" { '1' } else { '0' });
    let report = check(&wrong, "shake").expect("is told apart");
    assert_eq!((report.instance.as_str(), report.differences.len()), ("kyber512", 1));
    match check(&text, "placeholder") {
        Err(error @ KatError::SeveralInstancesFit(_)) => {
            assert!(error.to_string().contains("kyber512") && error.to_string().contains("ml-kem-512"), "{error}");
        }
        other => panic!("expected that the file may be of either, got {other:?}"),
    }
}

/// A record that is computed from its own seed is right whatever sequence that is of.
#[test]
fn records_of_other_seeds_pass_and_a_wrong_seed_is_named() {
    let own = |functions: &str, instance: &str| {
        let text = file_text(instance, &spec(functions), Sampling::Lazy, 3).expect("runs");
        let records: Vec<&str> = text.split("\n\n").filter(|record| !record.is_empty()).collect();
        // The published records, one number later: each is right, none stands where it is published.
        let number = |(count, record): (usize, &&str)| {
            let (_, values) = record.split_once('\n').expect("begins with its number");
            format!("{} = {count}\n{values}\n\n", if functions == "shake" { "count" } else { "Count" })
        };
        records[1..].iter().enumerate().map(number).collect::<String>()
    };
    for (functions, instance) in [("placeholder", LWEKEM), ("shake", "ml-kem-512")] {
        let report = check_bytes(own(functions, instance).as_bytes(), None, None, Sampling::Lazy).expect("is a file");
        assert_eq!((report.verdict, report.identity), ("PASS", Identity::OtherSeeds), "{report}");
        assert!(report.to_string().ends_with("other seeds than the published file's"), "{report}");
    }
    let text = file();
    let at = text.find("Seed = ").expect("has a seed") + "Seed = ".len();
    let (right, wrong) = (&text[at..=at], if &text[at..=at] == "0" { "1" } else { "0" });
    let broken = format!("{}{wrong}{}", &text[..at], &text[at + 1..]);
    let report = check(&broken, Some(LWEKEM)).expect("is a file of known answers");
    let place = format!("digit 1 of 128 is {wrong}, expected {right}; 1 wrong digit");
    assert_eq!(report.to_string(), format!("FAIL: count 0, Seed (line 3): {place}"));
}

/// Fields of files with more than the published ones: what is drawn, and an implicit rejection.
#[test]
fn extra_fields_pass_or_fail_with_the_others() {
    let published = &generate("ml-kem-512", Format::NistKat, &spec("shake"), Sampling::Lazy, 1).expect("runs")[0];
    let hex = |value| hex::encode(published.value(value));
    let mut rejected = published.value(kat::Value::Ciphertext).to_vec();
    rejected[7] ^= 1;
    let mut secret = [0; 32];
    let (sk, suite) = (published.value(kat::Value::SecretKey), &mut spec("shake").build(&[]));
    MlKem512::decapsulate(suite, Sampling::Lazy, sk, &rejected, &mut secret).expect("rejects implicitly");
    let text = format!(
        "count = 0\nz = {}\nd = {}\nmsg = {}\nseed = {}\npk = {}\nsk = {}\nct_n = {}\nss_n = {}\nct = {}\nss = {}\n",
        hex(kat::Value::Z),
        hex(kat::Value::D),
        hex(kat::Value::Message),
        hex(kat::Value::Seed),
        hex(kat::Value::PublicKey),
        hex(kat::Value::SecretKey),
        hex::encode(&rejected),
        hex::encode(secret),
        hex(kat::Value::Ciphertext),
        hex(kat::Value::SharedSecret),
    );
    let check = |text: &str| check_bytes(text.as_bytes(), Some("ml-kem-512"), None, Sampling::Lazy).expect("is a file");
    let report = check(&text);
    assert_eq!((report.verdict, report.identity), ("PASS", Identity::PublishedSeeds), "{report}");
    let without_seed: String =
        text.lines().filter(|line| !line.starts_with("seed")).map(|line| format!("{line}\n")).collect();
    assert!(check(&without_seed).passed(), "{}", check(&without_seed));
    for (line, name) in
        text.lines().enumerate().skip(1).map(|(line, text)| (line, text.split(' ').next().expect("a name")))
    {
        let start = text.find(&format!("\n{name} = ")).expect("has it") + name.len() + 4;
        let digit = if &text[start..=start] == "0" { "1" } else { "0" };
        let report = check(&format!("{}{digit}{}", &text[..start], &text[start + 1..]));
        assert_eq!(report.verdict, "FAIL", "{name}");
        let named = |field: &str| report.differences.iter().any(|difference| difference.field == field);
        // What is drawn changes what follows from it, and a rejected ciphertext its secret.
        let expected = match name {
            "z" => "sk",
            "d" => "pk",
            "msg" => "ct",
            "ct_n" => "ss_n",
            name => name,
        };
        assert!(named(expected), "line {line}, {name}: {report}");
    }
}

#[test]
fn a_file_of_another_instance_fails() {
    let text = file_text("lwekem256", &SuiteSpec::default(), Sampling::Lazy, None).expect("lwekem256 runs");
    let report = check(&text, Some(LWEKEM)).expect("is a file of known answers");
    let first = "FAIL: count 0, PK (line 5): 1760 bytes, expected 880; is this a file of another instance?";
    assert!(report.to_string().starts_with(first), "{report}");
    let longer = file().replacen("SS_Len = 16", "SS_Len = 17", 1).replacen("SS = ", "SS = 00", 1);
    assert!(matches!(check(&longer, None), Err(KatError::NoInstanceFits { ss: 17, .. })));
}

#[test]
fn files_are_written_whole_and_checked_from_disk() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("deep").join("lwekem128.rsp");
    let spec = SuiteSpec::default();
    let text = file_text(LWEKEM, &spec, Sampling::Lazy, None).expect("runs");
    files::write(&path, text.as_bytes()).expect("is written");
    assert_eq!(fs::read_to_string(&path).expect("is there"), file());
    let report = check_file(&path, None, &spec, Sampling::Eager).expect("is a file of known answers");
    assert_eq!(report.identity, Identity::Bytes);

    let blocked = path.join("below a file");
    let error = files::write(&blocked, text.as_bytes()).expect_err("cannot be written").to_string();
    assert!(error.contains("below a file"), "{error}");
    let names: Vec<_> = fs::read_dir(folder.path().join("deep")).expect("is a folder").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn errors_name_the_file_and_the_line() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("theirs.rsp");
    fs::write(&path, file().replacen("PK = ", "PK = A", 1)).expect("is written");
    let message =
        |path| check_file(path, None, &SuiteSpec::default(), Sampling::Lazy).expect_err("is refused").to_string();
    assert!(message(&path).ends_with(
        "theirs.rsp: line 5: PK of record 0 has 1761 hexadecimal digits, expected an even number: one is missing or too many"
    ), "{}", message(&path));
    let absent = folder.path().join("absent.rsp");
    assert!(message(&absent).starts_with("cannot read "), "{}", message(&absent));
    assert!(message(folder.path()).starts_with("cannot read "), "{}", message(folder.path()));
}

#[test]
fn rows_and_reports_serialise() {
    let rows = run(&[LWEKEM], &[SuiteSpec::default()], &[Sampling::Lazy]).expect("has a manifest");
    let row = serde_json::to_value(&rows[0]).expect("is serialisable");
    for (field, value) in [("instance", LWEKEM), ("backend", "placeholder"), ("sampling", "lazy"), ("verdict", "PASS")]
    {
        assert_eq!(row[field], value);
    }
    assert_eq!(row["digest"], row["expected"]);
    let report = serde_json::to_value(passes(&file().replace('\n', "\r\n"))).expect("is serialisable");
    assert_eq!(report["identity"], "layout");
    assert_eq!(report["backend"], "placeholder");
    assert_eq!(report["published"]["records"], 10);
}
