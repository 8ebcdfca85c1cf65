//! What a terminal gets: tables and prose in its width, and nothing that steers it.

mod common;

use common::{folder, kemprof, profile, run, succeed, utf8};
use std::fs;
use std::io::Write as _;
use std::process::Command;

const WIDTHS: [usize; 4] = [60, 80, 120, 200];

/// What the command prints in so many columns.
fn printed(args: &[&str], columns: usize) -> String {
    let output = kemprof().args(args).env("COLUMNS", columns.to_string()).output().expect("runs");
    String::from_utf8(output.stdout).expect("is UTF-8")
}

/// No line is longer than the width but one that is a single word.
fn fits(text: &str, columns: usize, what: &[&str]) {
    for line in text.lines() {
        let one_word = line.split_whitespace().count() == 1;
        assert!(line.chars().count() <= columns || one_word, "{what:?} at {columns}: {line:?}\n{text}");
        assert!(!line.contains('\u{a0}'), "{line}");
    }
}

#[test]
fn every_table_fits_and_no_number_is_broken() {
    let (_, out) = profile("all", "lwekem256", &[]);
    let path = |name: &str| out.path().join(name).to_str().expect("is UTF-8").to_owned();
    let [keygen, enc] = ["keygen", "enc"].map(|name| path(&format!("lwekem256-{name}-placeholder.json")));
    let comparison = ["compare", "lwekem128", "--op", "keygen", "--hash", "placeholder+xof=turboshake@lazy,shake"];
    let short = ["--trials", "1", "--iterations", "1", "--out", utf8(out.path())];
    let comparison = [&comparison[..], &short].concat();
    for columns in WIDTHS {
        for args in [
            &["show", &keygen][..],
            &["show", &enc],
            &["diff", &keygen, &keygen],
            &["whatif", &keygen, "--speed", "matrix=2", "--speed", "noise=inf"],
            &["kat", "lwekem128", "--hash", "shake,sm3"],
            &["list"],
            &["doctor"],
            &comparison,
        ] {
            let text = printed(args, columns);
            assert!(text.lines().count() > 3, "{args:?}: {text}");
            fits(&text, columns, args);
        }
        // Every row keeps its name and share, however narrow it is.
        let shown = printed(&["show", &keygen], columns);
        for name in ["pseudoXOF", "noise", "symmetric", "drng", "sample_matrix", "matvec", "total", "100.0 %"] {
            assert!(shown.contains(name), "{name} at {columns}:\n{shown}");
        }
        // Bars go first.
        assert_eq!(shown.contains('█'), columns >= 120, "{columns}:\n{shown}");
    }
    // A pipe has no width.
    let piped = succeed(&["show", &keygen]);
    assert!(piped.contains('█') && piped.contains("permutations"), "{piped}");
    assert!(piped.lines().any(|line| line.chars().count() > 110), "{piped}");
}

#[test]
fn nothing_from_files_or_arguments_steers_a_terminal() {
    let out = folder();
    let steers = "x\u{202e}\u{1b}[2Jy\u{9b}8m";
    let path = out.path().join(steers);
    fs::write(&path, "count = \u{1b}]0;title\u{7}\n").expect("writable");
    for args in [
        &["show", utf8(&path)][..],
        &["verify", utf8(&path)],
        &["kat", "--check", utf8(&path)],
        &["kat", "--acvp", utf8(&path)],
        &["kat", steers],
        &["keygen", "lwekem128", "--hash", steers],
        &["diff", utf8(&path), utf8(&path)],
    ] {
        let (code, stdout, stderr) = run(args);
        assert!(code != 0 && stderr.lines().count() == 1, "{args:?}: {stderr}");
        let steering = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!stdout.chars().chain(stderr.chars()).any(steering), "{args:?}: {stderr:?}");
    }
    // JSON says the same text in escapes.
    let (_, before) = profile("keygen", "lwekem128", &[]);
    let file = before.path().join("lwekem128-keygen-placeholder.json");
    let target = before.path().join("a\u{202e}b");
    let text = succeed(&["flamegraph", utf8(&file), "--out", utf8(&target), "--json"]);
    let written: Vec<String> = serde_json::from_str(&text).expect("JSON");
    assert!(text.contains("\\u202e") && !text.contains('\u{202e}'), "{text}");
    assert!(written.iter().all(|path| fs::exists(path).is_ok_and(|there| there)), "{written:?}");
}

/// What a terminal of so many columns gets, of standard output and error together; nothing where there is no `script`.
fn on_terminal(args: &[&str], columns: usize) -> Option<String> {
    let words = args.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let program = env!("CARGO_BIN_EXE_kemprof");
    let line = format!("stty cols {columns} rows 24; '{program}' {words}");
    let output =
        Command::new("script").args(["-qec", &line, "/dev/null"]).env_remove("COLUMNS").env("TERM", "xterm").output();
    match output {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            let _ = writeln!(std::io::stderr(), "skipped: no script, which makes a terminal");
            None
        }
    }
}

#[test]
fn a_terminal_sees_that_something_goes_on_and_no_bar_is_full_before_it_begins() {
    let out = folder();
    let args = ["keygen", "lwekem256", "--trials", "60", "--out", utf8(out.path())];
    let Some(text) = on_terminal(&args, 80) else { return };
    let drawn: Vec<&str> = text.split(['\r', '\n']).collect();
    assert!(text.contains("known answers of lwekem256"), "{text:?}");
    let bars: Vec<&&str> = drawn.iter().filter(|line| line.contains(" of 60")).collect();
    assert!(bars.first().is_some_and(|bar| !bar.contains("60 of 60") && bar.chars().count() <= 90), "{bars:?}");
    assert!(!text.contains("0 of 0"), "{text:?}");
    // Standard output and error of a pipe have nothing of it.
    let (_, stdout, stderr) = run(&args);
    assert!(!stdout.contains("known answers of") && stderr.is_empty(), "{stderr}");
}
