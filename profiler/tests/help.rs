//! What `--help`, completions and manual pages show.

mod common;

use common::{files, folder, kemprof, succeed, utf8};
use std::fs;

const COMMANDS: [&str; 13] = [
    "keygen",
    "enc",
    "dec",
    "all",
    "compare",
    "kat",
    "flamegraph",
    "whatif",
    "diff",
    "bench-hash",
    "show",
    "verify",
    "man",
];

fn help(command: &str, columns: &str) -> String {
    let output = kemprof().args([command, "--help"]).env("COLUMNS", columns).output().expect("runs");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("is UTF-8")
}

#[test]
fn options_stand_in_groups() {
    let text = help("keygen", "100");
    let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word:?} in\n{text}"));
    let order = [
        "What to run:",
        "--hash",
        "--sampling",
        "How to measure:",
        "--trials",
        "--counter",
        "Target:",
        "--board",
        "Output:",
        "--out",
        "--json",
    ];
    assert!(order.map(place).is_sorted(), "{text}");
    for command in ["compare", "kat", "bench-hash"] {
        assert!(help(command, "100").contains("\nWhat to run:\n"), "{command}");
    }
}

/// Lines end once, at the width that there is: no line is longer, and none but the last of a paragraph could take the next word.
#[test]
fn help_fits_the_terminal_and_closing_texts_are_broken_once() {
    for columns in [60_usize, 80, 100] {
        for command in COMMANDS {
            let text = help(command, &columns.to_string());
            for line in text.lines().map(str::trim_end).filter(|line| line.trim_start().contains(' ')) {
                let long = line.chars().count();
                let command_line = line.trim_start().starts_with("kemprof ") || line.contains('/');
                assert!(long <= columns || command_line, "{command} at {columns}: {long}: {line}");
            }
        }
        let text = help("diff", &columns.to_string());
        let start = text.find("Both files are of one instance").expect("has a closing text");
        let paragraph: Vec<&str> = text[start..].lines().take_while(|line| !line.starts_with("  change")).collect();
        for pair in paragraph.windows(2) {
            let next = pair[1].split(' ').next().expect("a word");
            assert!(pair[0].chars().count() + 1 + next.chars().count() > columns, "{columns}: {paragraph:?}");
        }
    }
}

#[test]
fn shells_and_manual_pages_know_every_command() {
    for (shell, word) in [
        ("bash", "_kemprof()"),
        ("zsh", "#compdef kemprof"),
        ("fish", "complete -c kemprof"),
        ("powershell", "kemprof"),
        ("elvish", "kemprof"),
    ] {
        let script = succeed(&["completions", shell]);
        assert!(script.contains(word) && COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    let page = succeed(&["man"]);
    assert!(page.contains(".TH kemprof 1") && page.contains("kemprof\\-keygen"), "{page}");
    let out = folder();
    let text = succeed(&["man", "--out", utf8(out.path())]);
    let pages = files(out.path());
    assert!(text.contains(&format!("wrote {} pages", pages.len())), "{text}");
    for command in COMMANDS {
        assert!(pages.contains(&format!("kemprof-{command}.1")), "{pages:?}");
    }
    let keygen = fs::read_to_string(out.path().join("kemprof-keygen.1")).expect("was written");
    assert!(keygen.contains("HOW TO MEASURE") && keygen.contains("How to read the table"), "{keygen}");
    assert!(!pages.iter().any(|page| page.contains("child") || page.contains("trials")), "{pages:?}");
}
