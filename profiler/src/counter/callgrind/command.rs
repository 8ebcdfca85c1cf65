use super::OUTPUT;
use crate::environment::Origin;
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use thiserror::Error;

/// The program that counts.
const PROGRAM: &str = "valgrind";

/// The package of this name has it on every distribution.
const INSTALL: &str = "install it (Debian and Ubuntu: sudo apt-get install valgrind)";

/// Variables of the environment that a program under callgrind keeps: what decides how it prints, and what it needs to be
/// found and loaded. Of the others not even the length is kept, because it moves the stack, and with it how the C library
/// copies memory: the counts would depend on who asks.
const KEPT: [&str; 11] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VALGRIND_LIB",
    "TERM",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "RUST_LOG",
    Origin::VARIABLE,
];

/// Why a program was not run under callgrind.
#[derive(Debug, Error)]
pub enum ValgrindError {
    /// There is no valgrind.
    #[error("counter callgrind needs valgrind, and there is none in PATH; {INSTALL}")]
    Missing,
    /// It does not run.
    #[error("cannot run {PROGRAM}: {0}")]
    Unusable(#[source] io::Error),
    /// It ended by itself, before the program did.
    #[error("{PROGRAM} failed: {0}")]
    Failed(String),
}

/// A valgrind that works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valgrind {
    /// What it calls itself: `valgrind-3.19.0`.
    pub version: String,
}

impl Valgrind {
    /// The one in `PATH`.
    ///
    /// # Errors
    /// [`ValgrindError::Missing`], or why it does not run.
    pub fn find() -> Result<Self, ValgrindError> {
        let output = Command::new(PROGRAM).arg("--version").output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ValgrindError::Missing,
            _ => ValgrindError::Unusable(error),
        })?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() && version.starts_with(PROGRAM) {
            Ok(Self { version })
        } else {
            Err(ValgrindError::Failed(format!("`{PROGRAM} --version` says {version:?}, {}", output.status)))
        }
    }

    /// Runs this program again, with these arguments (without its name), so that [`Callgrind`](super::Callgrind) works in it.
    /// It has this one's input and output.
    ///
    /// # Errors
    /// [`ValgrindError`] where it did not come to run; how it ended is for the caller to judge.
    pub fn run_this_program(&self, arguments: &[String]) -> Result<ExitStatus, ValgrindError> {
        let folder = tempfile::tempdir().map_err(ValgrindError::Unusable)?;
        let (output, log) = (folder.path().join("output"), folder.path().join("log"));
        let option = |name: &str, path: &PathBuf| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let status = Command::new(PROGRAM)
            .args(["-q", "--tool=callgrind", "--instr-atstart=no", "--combine-dumps=yes"])
            .arg(option("--callgrind-out-file=", &output))
            .arg(option("--log-file=", &log))
            .arg(env::current_exe().map_err(ValgrindError::Unusable)?)
            .args(arguments)
            .env_clear()
            .envs(KEPT.into_iter().filter_map(|name| Some((name, env::var_os(name)?))))
            .env(OUTPUT, &output)
            .status()
            .map_err(ValgrindError::Unusable)?;
        // Asked to be quiet, it says nothing unless something is wrong, with itself or with how the program ended.
        let log = fs::read_to_string(&log).unwrap_or_default();
        match log.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) if !status.success() => Err(ValgrindError::Failed(format!("{status}: {line}"))),
            _ => Ok(status),
        }
    }
}
