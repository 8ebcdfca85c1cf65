use super::OUTPUT;
use crate::environment::{Environment, Tree};
use crate::files::Scratch;
use crate::process::{ProcessError, Program, Terms, last_words};
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use thiserror::Error;

/// The program that counts. The package of this name has it on every distribution.
const PROGRAM: Program<'_> =
    Program { name: "valgrind", help: "install it (Debian and Ubuntu: sudo apt-get install valgrind)" };

/// How many callers of a function callgrind tells apart: more than a scheme has around any.
const CALLERS: u32 = 60;

/// Variables of the environment that a program under callgrind keeps: what decides how it prints, and what it needs to be
/// found and loaded. Of the others not even the length is kept, because it moves the stack, and with it how the C library
/// copies memory: the counts would depend on who asks.
const KEPT: [&str; 10] = [
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
];

/// Why a program was not run under callgrind.
#[derive(Debug, Error)]
pub enum ValgrindError {
    /// There is no valgrind.
    #[error("callgrind needs valgrind, and there is none in PATH; {}", PROGRAM.help)]
    Missing,
    /// An emulator runs this program, and valgrind would watch that.
    #[error("callgrind needs the machine itself, and {_0} runs this program")]
    Emulated(String),
    /// It does not run.
    #[error(transparent)]
    Unusable(ProcessError),
    /// There is no room for what it writes.
    #[error("cannot use a temporary folder: {0}")]
    Temporary(#[source] io::Error),
    /// It ended by itself, before the program did.
    #[error("valgrind failed: {0}")]
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
        if let Some(emulator) = emulator.filter(|name| name != PROGRAM.name) {
            return Err(ValgrindError::Emulated(emulator));
        }
        match PROGRAM.version() {
            Ok(version) if version.starts_with(PROGRAM.name) => Ok(Self { version }),
            Ok(version) => Err(ValgrindError::Failed(format!("`{} --version` says {version:?}", PROGRAM.name))),
            Err(ProcessError::Missing { .. }) => Err(ValgrindError::Missing),
            Err(error) => Err(ValgrindError::Unusable(error)),
        }
    }

    /// This program again, with these arguments (without its name), so that [`Callgrind`](super::Callgrind) works in it; and what
    /// callgrind writes to, which must be there as long as it runs.
    ///
    /// # Errors
    /// [`ValgrindError::Temporary`].
    pub fn this_program(&self, arguments: &[&str]) -> Result<(Command, ValgrindFiles), ValgrindError> {
        let files = ValgrindFiles::new()?;
        Ok((files.command(&["--instr-atstart=no"], arguments)?, files))
    }

    /// Runs this program again, with these arguments (without its name) and this to read, under [`Boundaries`](super::Boundaries), and
    /// returns what it printed and what callgrind wrote of its functions.
    ///
    /// # Errors
    /// [`ValgrindError`] where it did not come to its end.
    pub fn follow_this_program(&self, arguments: &[&str], input: Vec<u8>) -> Result<(String, String), ValgrindError> {
        let files = ValgrindFiles::new()?;
        let callers = format!("--separate-callers={CALLERS}");
        let options = ["--instr-atstart=no", "--demangle=no", "--compress-strings=no", "--compress-pos=no", &callers];
        let mut said = String::new();
        let mut valgrind = files.command(&options, arguments)?;
        let ended = PROGRAM.run(&mut valgrind, Terms { input, limit: None }, &mut |line| said += line);
        let ended = ended.map_err(ValgrindError::Unusable)?;
        if ended.status != 0 {
            let said = files.complaint().unwrap_or_else(|| last_words(&said, ended.status));
            return Err(ValgrindError::Failed(format!("exit status {}: {said}", ended.status)));
        }
        let costs = fs::read(&files.output).map_err(ValgrindError::Temporary)?;
        Ok([ended.stdout, costs].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).into())
    }
}

/// What callgrind writes to, which is gone with this.
#[derive(Debug)]
pub struct ValgrindFiles {
    _folder: Scratch,
    output: PathBuf,
    log: PathBuf,
}

impl ValgrindFiles {
    fn new() -> Result<Self, ValgrindError> {
        let folder = Scratch::folder().map_err(ValgrindError::Temporary)?;
        let (output, log) = (folder.path().join("output"), folder.path().join("log"));
        Ok(Self { _folder: folder, output, log })
    }

    /// This program under callgrind with these options.
    fn command(&self, options: &[&str], arguments: &[&str]) -> Result<Command, ValgrindError> {
        let option = |name: &str, path: &PathBuf| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let program = env::current_exe().map_err(|error| ValgrindError::Unusable(PROGRAM.system(error)))?;
        let mut command = Command::new(PROGRAM.name);
        // A debugger has nothing to ask; the pipes for it would be left behind by a valgrind that is stopped.
        command
            .args(["-q", "--tool=callgrind", "--vgdb=no", "--combine-dumps=yes"])
            .args(options)
            .arg(option("--callgrind-out-file=", &self.output))
            .arg(option("--log-file=", &self.log))
            .arg(program)
            .args(arguments)
            .env_clear()
            .envs(KEPT.into_iter().filter_map(|name| Some((name, env::var_os(name)?))))
            .env(OUTPUT, &self.output);
        Ok(command)
    }

    /// What valgrind says of a failure of its own, or of how the program ended. Asked to be quiet, it says nothing else.
    pub(crate) fn complaint(&self) -> Option<String> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
    }
}
