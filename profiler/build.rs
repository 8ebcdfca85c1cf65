//! Tells the program how it was built: compiler, target, profile and revision, for the evidence's `environment`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=../core/src");
    tell("COMPILER", &compiler());
    for (name, variable) in
        [("TARGET", "TARGET"), ("PROFILE", "PROFILE"), ("TARGET_FEATURES", "CARGO_CFG_TARGET_FEATURE")]
    {
        tell(name, &env::var(variable).unwrap_or_default());
    }
    tell("REVISION", &revision().unwrap_or_default());
}

fn tell(name: &str, value: &str) {
    println!("cargo:rustc-env=KEMPROF_{name}={value}");
}

/// The first line of `rustc --version`.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    output(Command::new(rustc).arg("--version")).unwrap_or_else(|| "rustc, version unknown".to_owned())
}

/// The commit that was built, with `-dirty` where tracked files differ from it. None outside of a checkout of this project,
/// e.g. from a source archive, even inside another project's checkout.
fn revision() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.canonicalize().ok()?;
    let top = PathBuf::from(git(&root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root {
        return None;
    }
    // Each commit, checkout and reset appends to the log of HEAD, wherever a worktree keeps it.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&root, &["rev-parse", "--git-path", file]) {
            let path = root.join(path);
            if path.exists() {
                println!("cargo:rerun-if-changed={}", path.display());
            }
        }
    }
    let commit = git(&root, &["rev-parse", "--short=12", "HEAD"])?;
    let clean = git(&root, &["status", "--porcelain", "--untracked-files=no"]).is_none();
    Some(if clean { commit } else { format!("{commit}-dirty") })
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    output(Command::new("git").arg("-C").arg(root).args(arguments))
}

/// What a command says on its first line; none where it fails or says nothing.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}
