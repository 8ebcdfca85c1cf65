//! How firmware is built when it is needed: with a stand-in for the script that starts the toolchain.

use crate::common::{folder, utf8};
use crate::support::{can_build, failure, firmware};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The sources that go into the firmware.
const SOURCES: [&str; 10] = [
    "Cargo.toml",
    "core/Cargo.toml",
    "core/build.rs",
    "core/src/lib.rs",
    "targets/protocol/Cargo.toml",
    "targets/protocol/src/lib.rs",
    "targets/cortex-m4/Cargo.toml",
    "targets/cortex-m4/Cargo.lock",
    "targets/cortex-m4/build.rs",
    "targets/cortex-m4/src/main.rs",
];

/// A tree of sources with a script in place of `targets/cross-cargo`.
struct Tree(TempDir);

impl Tree {
    fn new(script: &str) -> Self {
        let tree = Self(folder());
        for source in SOURCES.iter().chain(&["targets/cross-env.sh"]) {
            tree.write(source, "one");
        }
        tree.write("targets/cross-cargo", &format!("#!/bin/sh\n{script}"));
        let script = tree.path("targets/cross-cargo");
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("is ours");
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("is in a folder")).expect("can be made");
        fs::write(path, text).expect("can be written");
    }

    /// `kemprof` with these sources and a cache of their own.
    fn kemprof(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("kemprof"));
        command.env("KEMPROF_SOURCE", self.0.path()).env("KEMPROF_CACHE", self.path("cache"));
        command.args(["kat", "kyber512", "--sampling", "lazy", "--target", "cortex-m4"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn fails(&self) -> String {
        failure(1, &mut assert_cmd::Command::from_std(self.kemprof()))
    }

    fn builds(&self) -> usize {
        fs::read_to_string(self.path("log")).map_or(0, |log| log.lines().count())
    }
}

#[test]
fn a_missing_toolchain_is_one_line_that_names_the_setup() {
    let tree = Tree::new("echo 'no Rust library' >&2; exit 1\n");
    let line = tree.fails();
    assert!(
        line.contains("no Rust toolchain for thumbv7em-none-eabihf") && line.contains("run targets/setup"),
        "{line}"
    );
}

#[test]
fn sources_that_are_gone_are_one_line_that_says_what_helps() {
    let tree = Tree::new("");
    fs::remove_file(tree.path("targets/cross-cargo")).expect("is there");
    let line = tree.fails();
    assert!(line.contains("KEMPROF_SOURCE is ") && line.contains("--image"), "{line}");
}

#[test]
fn an_error_of_the_compiler_is_one_line_with_its_reason() {
    let script = r#"[ "$2" = -Vv ] && { echo "cargo 1"; exit; }
printf 'warning: a thing\nerror: expected one of these\n  --> here\nerror: could not compile\n' >&2; exit 101
"#;
    let line = Tree::new(script).fails();
    assert!(line.contains("building kemprof-m4 for thumbv7em-none-eabihf failed: expected one of these"), "{line}");
}

#[test]
fn two_processes_build_once_and_a_change_builds_again() {
    if !can_build() {
        return;
    }
    // "Compiles" by copying the real firmware, slowly enough for another process to ask meanwhile.
    let script = format!(
        r#"top=$(dirname "$0")/..
[ "$2" = -Vv ] && {{ echo "cargo 1"; exit; }}
echo "$KEMPROF_BOARD" >>"$top/log"
while [ $# -gt 0 ]; do [ "$1" = --target-dir ] && folder=$2; shift; done
sleep 0.5
mkdir -p "$folder/thumbv7em-none-eabihf/release"
cp '{}' "$folder/thumbv7em-none-eabihf/release/kemprof-m4"
"#,
        utf8(&firmware())
    );
    let tree = Tree::new(&script);
    let both = [tree.kemprof(), tree.kemprof()].map(|mut command| command.spawn().expect("starts"));
    for child in both {
        let output = child.wait_with_output().expect("ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.starts_with("building kemprof-m4 for Cortex-M4, once; it is kept for the next time"), "{said}");
        assert!(said.contains("\nbuilt kemprof-m4 for Cortex-M4 in "), "{said}");
    }
    assert_eq!(tree.builds(), 1);
    let again = |tree: &Tree| assert!(tree.kemprof().status().expect("runs").success());
    again(&tree);
    assert_eq!(tree.builds(), 1);
    for (changed, source) in SOURCES.iter().enumerate() {
        tree.write(source, "two");
        again(&tree);
        assert_eq!(tree.builds(), 2 + changed, "{source}");
    }
    tree.write("targets/cortex-m4/README.md", "no source");
    again(&tree);
    assert_eq!(tree.builds(), 1 + SOURCES.len());
    assert_eq!(fs::read_to_string(tree.path("log")).expect("is there").lines().next(), Some("mps2-an386"));
    assert!(Path::new(&tree.path("cache")).is_dir());
}
