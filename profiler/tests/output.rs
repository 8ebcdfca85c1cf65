//! Output that cannot be written is a failure of every command; a reader that went away is none.

#![cfg(target_os = "linux")]

mod common;

use common::{files, profile, utf8};
use std::fs::File;
use std::process::{Command, Stdio};

/// The exit code with standard output on `stdout`, and what was said on standard error.
fn onto(args: &[&str], stdout: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kemprof"));
    let output = command.args(args).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).output().expect("runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("a full device").into()
}

fn without_reader() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

#[test]
fn a_full_device_fails_every_command_in_one_line() {
    let (_, out) = profile("keygen", "lwekem128", &[]);
    let name = files(out.path()).into_iter().find(|name| name.ends_with(".json")).expect("was written");
    let file = out.path().join(name);
    let (file, folder) = (utf8(&file), utf8(out.path()));
    let short = ["--trials", "2", "--iterations", "1", "--out", folder];
    let profile = [&["enc", "lwekem128"][..], &short].concat();
    let all = [&["all", "lwekem128", "--json"][..], &short].concat();
    let compare = [&["compare", "lwekem128", "--op", "enc", "--hash", "sm3"][..], &short].concat();
    let commands: [&[&str]; 16] = [
        &["--help"],
        &["--version"],
        &["compare", "--help"],
        &["list"],
        &["list", "--json"],
        &["doctor"],
        &["kat", "lwekem128"],
        &["show", file],
        &["verify", file],
        &["whatif", file, "--speed", "xof=2"],
        &["diff", file, file],
        &["flamegraph", file],
        &["bench-hash", "--backend", "free", "--length", "64", "--quick", "--json"],
        &profile,
        &all,
        &compare,
    ];
    for args in commands {
        let (code, said) = onto(args, full());
        assert_eq!(code, Some(1), "{args:?}: {said}");
        assert!(said.starts_with("kemprof: cannot write to standard output: "), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
        let (code, said) = onto(args, without_reader());
        assert_eq!((code, said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_file_on_a_full_device_is_named() {
    let (code, said) = onto(&["kat", "lwekem128", "--write", "/dev/full"], Stdio::null());
    assert!(code == Some(1) && said.contains("/dev/full") && said.lines().count() == 1, "{said}");
}

#[test]
fn the_exit_code_does_not_need_standard_error() {
    for (args, expected) in [(&["list"][..], 0), (&["show", "/nowhere"], 1), (&["keygen", "nothing"], 2), (&[], 2)] {
        for stderr in [full(), without_reader()] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_kemprof"));
            let status = command.args(args).stdout(Stdio::null()).stderr(stderr).status().expect("runs");
            assert_eq!(status.code(), Some(expected), "{args:?}");
        }
    }
}
