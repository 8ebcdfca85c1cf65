//! What commands write and read: names that do not meet, pipes and links, nothing stale, standard input, folders.

mod common;

use common::{emulated, fail, files, folder, json, kemprof, profile, run, succeed, utf8};
use kemprof::evidence;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A short profile into a folder.
fn keygen(out: &Path, extra: &[&str]) -> String {
    let args = ["keygen", "lwekem128", "--trials", "2", "--iterations", "2", "--out", utf8(out)];
    succeed(&[&args[..], extra].concat())
}

#[test]
fn records_that_say_nothing_about_each_other_do_not_replace_each_other() {
    let out = folder();
    let mut records = 0;
    for extra in [
        &[][..],
        &["--counter", "clock"],
        &["--counter", "none"],
        &["--seed", "00"],
        &["--seed", "01"],
        &["--sampling", "lazy"],
        &["--hash", "sm3"],
        &["--xof", "shake"],
    ] {
        let text = keygen(out.path(), extra);
        assert!(!text.contains("(replaced)") && !text.contains("removed"), "{extra:?}: {text}");
        records += 1;
        let names = files(out.path());
        assert_eq!(names.iter().filter(|name| name.ends_with(".json")).count(), records, "{extra:?}: {names:?}");
    }
    let before = files(out.path());
    let args = ["compare", "lwekem128", "--op", "keygen", "--hash", "placeholder,sm3", "--trials", "2"];
    let text = succeed(&[&args[..], &["--iterations", "1", "--out", utf8(out.path())]].concat());
    assert!(!text.contains("replaced"), "{text}");
    assert!(before.iter().all(|name| files(out.path()).contains(name)));
    let text = succeed(&[&args[..], &["--iterations", "1", "--out", utf8(out.path())]].concat());
    assert!(text.ends_with(" (10 of 10 files replaced)\n"), "{text}");
}

#[test]
fn the_same_run_again_replaces_all_that_it_wrote_and_says_so() {
    let out = folder();
    keygen(out.path(), &[]);
    let record = json(out.path());
    let text = keygen(out.path(), &[]);
    assert_eq!(text.matches(" (replaced)").count(), 3, "{text}");
    // Of another kind of profile, and of a run that had ticks to draw.
    let stale = record.with_extension("instructions.svg");
    fs::write(&stale, "<svg/>").expect("writable");
    let text = keygen(out.path(), &[]);
    assert!(text.contains(&format!("removed {} of an earlier run", stale.display())) && !stale.exists(), "{text}");
    assert_eq!(files(out.path()).len(), 3);
}

#[test]
fn json_alone_is_printed_and_nothing_is_written() {
    let work = folder();
    for args in [
        &["keygen", "lwekem128", "--trials", "1", "--iterations", "1", "--json"][..],
        &["compare", "lwekem128", "--op", "enc", "--hash", "sm3", "--trials", "1", "--iterations", "1", "--json"],
    ] {
        let output = kemprof().args(args).current_dir(work.path()).output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok());
        assert_eq!(files(work.path()), Vec::<String>::new(), "{args:?}");
        // With a folder, both.
        let output = kemprof().args(args).args(["--out", "here"]).current_dir(work.path()).output().expect("runs");
        assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok());
        assert_eq!(files(work.path()), ["here"]);
        fs::remove_dir_all(work.path().join("here")).expect("is there");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named_with_what_to_do() {
    // No one makes files there.
    let line = fail(1, &["keygen", "lwekem128", "--out", "/proc/self/out"]);
    assert!(line.contains("/proc/self/out") && line.contains("--out") && line.contains("--json"), "{line}");
}

/// What a shell says to a script in which `kemprof` is the command.
fn shell(script: &str) -> String {
    let program = env!("CARGO_BIN_EXE_kemprof");
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &format!("kemprof() {{ '{program}' \"$@\"; }}\n{script}")]).stdin(Stdio::null());
    let output = output.output().expect("bash runs");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("is text")
}

#[test]
fn pipes_and_open_files_are_written_to_and_stay() {
    if emulated() {
        return;
    }
    let work = folder();
    let path = |name: &str| work.path().join(name).display().to_string();
    let answers = path("answers");
    shell(&format!("kemprof kat lwekem128 --write '{answers}'"));
    let lines = fs::read_to_string(&answers).expect("was written").lines().count();
    // A process, its standard output as a pipe and as a file with something in it, and another open file.
    let count = |script: String| shell(&script).trim().parse::<usize>().expect("a number");
    assert_eq!(count("kemprof kat lwekem128 --write >(wc -l) | cat".to_owned()), lines);
    assert_eq!(count("kemprof kat lwekem128 --write /dev/fd/1 | wc -l".to_owned()), lines);
    let file = path("file");
    shell(&format!("(echo first; kemprof kat lwekem128 --write /dev/fd/1; echo last) > '{file}'"));
    let text = fs::read_to_string(&file).expect("was written");
    assert!(text.starts_with("first\n") && text.ends_with("\nlast\n") && text.lines().count() == lines + 2);
    shell(&format!("kemprof kat lwekem128 --write /dev/fd/7 7>'{file}'"));
    assert_eq!(fs::read_to_string(&file).expect("is there"), fs::read_to_string(&answers).expect("is there"));
    // A trace, to a pipe that has a name.
    let trace = format!(
        "mkfifo '{pipe}'; cat '{pipe}' > '{file}' & kemprof keygen lwekem128 --trials 1 --json --trace '{pipe}' > /dev/null; wait",
        pipe = path("pipe"),
    );
    shell(&trace);
    assert!(fs::read_to_string(&file).expect("was written").contains("traceEvents"));
    // A link to a name that is free.
    std::os::unix::fs::symlink("free", path("link")).expect("links can be made");
    shell(&format!("kemprof kat lwekem128 --write '{}'", path("link")));
    assert!(Path::new(&path("link")).is_symlink() && Path::new(&path("free")).is_file());
    assert_eq!(files(work.path()), ["answers", "file", "free", "link", "pipe"]);
}

#[test]
fn standard_input_is_read() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let record = json(out.path());
    let text = fs::read(&record).expect("was written");
    let said = |args: &[&str], input: &[u8]| {
        let output = kemprof().args(args).write_stdin(input).current_dir(out.path()).output().expect("runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), stderr)
    };
    let good = |args: &[&str]| {
        let (code, stdout, stderr) = said(args, &text);
        assert_eq!(code, Some(0), "{args:?}: {stderr}");
        stdout
    };
    assert_eq!(good(&["show", "-"]), succeed(&["show", utf8(&record)]));
    assert_eq!(good(&["verify", "-"]), "PASS  standard input\n");
    assert_eq!(good(&["whatif", "-", "--speed", "xof=2"]), succeed(&["whatif", utf8(&record), "--speed", "xof=2"]));
    assert!(good(&["diff", "-", utf8(&record)]).contains("lwekem128"));
    // Its pictures have the name that the record would have.
    let svg = record.with_extension("svg");
    fs::remove_file(&svg).expect("was drawn");
    good(&["flamegraph", "-"]);
    assert!(svg.is_file());
    for input in [&b""[..], b"{}", b"no"] {
        let (code, _, stderr) = said(&["show", "-"], input);
        assert!(code == Some(1) && stderr.contains("standard input is not kemprof evidence"), "{stderr}");
    }
    let answers = succeed(&["kat", "lwekem128", "--write", "/dev/fd/1"]);
    let (code, stdout, stderr) = said(&["kat", "--check", "-"], answers.as_bytes());
    assert!(code == Some(0) && stdout.starts_with("PASS"), "{stdout}{stderr}");
    let (code, _, stderr) = said(&["kat", "--check", "-"], b"no");
    assert!(code == Some(1) && stderr.contains("standard input"), "{stderr}");
}

#[test]
fn every_record_has_its_verdict_table_and_picture_and_a_bad_one_fails_at_the_end() {
    let (records, out) = profile("all", "lwekem128", &[]);
    let work = folder();
    let path = |name: &str| work.path().join(name);
    fs::write(path("a.json"), serde_json::to_string(&records).expect("JSON")).expect("writable");
    let mut forged = records[0].clone();
    forged.derived.mean = Some(1.0);
    fs::write(path("b.json"), serde_json::to_string(&forged).expect("JSON")).expect("writable");
    fs::write(path("c.json"), "no").expect("writable");
    fs::write(path("d.txt"), "no").expect("writable");
    let absent = path("absent.json");
    let inputs = [utf8(out.path()), utf8(&absent), utf8(work.path())];
    let (code, verdicts, line) = run(&[&["verify"], &inputs[..]].concat());
    let words: Vec<&str> = verdicts.lines().filter(|line| !line.starts_with(' ')).map(|line| &line[..4]).collect();
    assert_eq!(words, ["PASS", "PASS", "PASS", "FAIL", "PASS", "PASS", "PASS", "FAIL", "FAIL"], "{verdicts}");
    assert!(code == 1 && line.contains("3 of 9 records do not hold together"), "{line}");
    assert!(verdicts.contains("a.json[2]") && verdicts.contains("cannot read"), "{verdicts}");
    let (code, tables, lines) = run(&[&["show"], &inputs[..]].concat());
    assert_eq!((code, tables.matches("known answers PASS").count(), lines.lines().count()), (1, 6, 3), "{lines}");
    let pictures = folder();
    let (code, _, lines) =
        run(&["flamegraph", utf8(&path("a.json")), utf8(&path("c.json")), "--out", utf8(pictures.path())]);
    assert_eq!((code, files(pictures.path()).len(), lines.lines().count()), (1, 6, 1), "{lines}");
    let empty = folder();
    assert!(fail(1, &["verify", utf8(empty.path())]).contains("no file in it ends in .json"));
    succeed(&["verify", utf8(out.path())]);
}

#[test]
fn an_array_is_read_one_record_at_a_time() {
    let (records, _out) = profile("keygen", "lwekem128", &[]);
    let record = serde_json::to_string(&records[0]).expect("JSON");
    let work = folder();
    let pipe = work.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let (seen, visited) = mpsc::channel();
    let writer = thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut pipe = fs::File::options().write(true).open(pipe).expect("is read");
            pipe.write_all(format!("[{record}").as_bytes()).expect("is read");
            // Whoever reads to the end before it looks at the first record waits for a second one that does not come.
            let first = visited.recv_timeout(Duration::from_secs(60));
            pipe.write_all(format!(",{record}]").as_bytes()).expect("is read");
            first.is_ok()
        }
    });
    let mut count = 0;
    evidence::for_each(&[pipe], &mut |_, record| {
        assert_eq!(evidence::violations(&record.expect("is evidence")), []);
        count += 1;
        let _ = seen.send(());
    });
    assert!(writer.join().expect("writes") && count == 2);
}

#[test]
fn a_record_with_more_rows_than_a_recorder_holds_is_not_looked_at_row_by_row() {
    let (records, _out) = profile("keygen", "lwekem128", &[]);
    let mut forged = records[0].clone();
    let phase = forged.phases[0].clone();
    forged.phases.resize(100_000, phase);
    let found = evidence::violations(&forged);
    assert_eq!((found.len(), found[0].field.as_str()), (1, "calls# with phases#"));
}

#[test]
fn what_is_too_much_is_not_read() {
    let work = folder();
    for endless in ["/dev/zero", "/dev/urandom"] {
        assert!(fail(1, &["verify", endless]).contains(endless));
    }
    let file = work.path().join("long.json");
    let long = fs::File::create(&file).expect("can be made");
    fs::write(&file, "[\"").expect("writable");
    long.set_len((1 << 30) + 1).expect("takes no room");
    let line = fail(1, &["verify", utf8(&file)]);
    assert!(line.contains("longer than 1024 MiB"), "{line}");
}
