use super::OUTPUT;
use crate::environment::{Environment, Origin, Tree};
use crate::process::last_words;
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

/// How many callers of a function callgrind tells apart: more than a scheme has around any.
const CALLERS: u32 = 60;

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
    #[error("callgrind needs valgrind, and there is none in PATH; {INSTALL}")]
    Missing,
    /// An emulator runs this program, and valgrind would watch that.
    #[error("callgrind needs the machine itself, and {_0} runs this program")]
    Emulated(String),
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
        let emulator = Environment::begin(&Tree::host(), Vec::new(), true).system.emulator;
        // What valgrind runs may start another, which runs on the machine itself.
        if let Some(emulator) = emulator.filter(|name| name != PROGRAM) {
            return Err(ValgrindError::Emulated(emulator));
        }
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
        let files = Files::new()?;
        let status = files.command(&["--instr-atstart=no"], arguments)?.status().map_err(ValgrindError::Unusable)?;
        files.complain(status).map_or(Ok(status), Err)
    }

    /// Runs this program again, with these arguments (without its name), under [`Boundaries`](super::Boundaries), and returns what it
    /// printed and what callgrind wrote of its functions.
    ///
    /// # Errors
    /// [`ValgrindError`] where it did not come to its end.
    pub fn follow_this_program(&self, arguments: &[String]) -> Result<(String, String), ValgrindError> {
        let files = Files::new()?;
        let callers = format!("--separate-callers={CALLERS}");
        let options = ["--instr-atstart=no", "--demangle=no", "--compress-strings=no", "--compress-pos=no", &callers];
        let output = files.command(&options, arguments)?.output().map_err(ValgrindError::Unusable)?;
        if !output.status.success() {
            let said = last_words(&String::from_utf8_lossy(&output.stderr), output.status.code().unwrap_or_default());
            let failed = ValgrindError::Failed(format!("{}: {said}", output.status));
            return Err(files.complain(output.status).unwrap_or(failed));
        }
        let costs = fs::read(&files.output).map_err(ValgrindError::Unusable)?;
        Ok([output.stdout, costs].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).into())
    }
}

/// What callgrind writes to, which is gone with this.
struct Files {
    _folder: tempfile::TempDir,
    output: PathBuf,
    log: PathBuf,
}

impl Files {
    fn new() -> Result<Self, ValgrindError> {
        let folder = tempfile::tempdir().map_err(ValgrindError::Unusable)?;
        let (output, log) = (folder.path().join("output"), folder.path().join("log"));
        Ok(Self { _folder: folder, output, log })
    }

    /// This program under callgrind with these options.
    fn command(&self, options: &[&str], arguments: &[String]) -> Result<Command, ValgrindError> {
        let option = |name: &str, path: &PathBuf| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let mut command = Command::new(PROGRAM);
        command
            .args(["-q", "--tool=callgrind", "--combine-dumps=yes"])
            .args(options)
            .arg(option("--callgrind-out-file=", &self.output))
            .arg(option("--log-file=", &self.log))
            .arg(env::current_exe().map_err(ValgrindError::Unusable)?)
            .args(arguments)
            .env_clear()
            .envs(KEPT.into_iter().filter_map(|name| Some((name, env::var_os(name)?))))
            .env(OUTPUT, &self.output);
        Ok(command)
    }

    /// Asked to be quiet, valgrind says nothing unless something is wrong, with itself or with how the program ended.
    fn complain(&self, status: ExitStatus) -> Option<ValgrindError> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let line = log.lines().rfind(|line| !line.trim().is_empty()).filter(|_| !status.success())?;
        Some(ValgrindError::Failed(format!("{status}: {line}")))
    }
}
