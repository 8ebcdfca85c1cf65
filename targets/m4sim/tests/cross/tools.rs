//! The foreign tools that these tests need: whether they are there, and what to do when they are not.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// A tool of Debian's, by the name of its command.
#[derive(Clone, Copy)]
pub(crate) struct Tool(pub(crate) &'static str);

pub(crate) const QEMU: Tool = Tool("qemu-system-arm");
pub(crate) const GCC: Tool = Tool("arm-none-eabi-gcc");
pub(crate) const OBJCOPY: Tool = Tool("arm-none-eabi-objcopy");
pub(crate) const OBJDUMP: Tool = Tool("arm-none-eabi-objdump");

/// Whether all `tools` are there. If not, says which one is missing, past the test harness's capture; with
/// `KEMPROF_REQUIRE_CROSS` set it panics instead.
pub(crate) fn present(tools: &[Tool]) -> bool {
    let missing = tools.iter().find(|tool| {
        Command::new(tool.0).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    });
    missing.is_none_or(|tool| skip(&format!("no {}", tool.0)))
}

/// Reports a test as skipped, for want of what `targets/setup` installs; returns false.
pub(crate) fn skip(why: &str) -> bool {
    let line = format!("skipped: {why} (run targets/setup)");
    let required = std::env::var_os("KEMPROF_REQUIRE_CROSS").is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!required, "{line}; KEMPROF_REQUIRE_CROSS is set");
    say(&line);
    false
}

/// Prints a line that is seen also when the test passes: only what the macros print is captured.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A file under this package's `tests` folder.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// A place for a file that a test makes, its folder being created. Names are to be unique to the test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cross").join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder for what tests make");
    path
}

/// Runs a command to its end and returns its output.
///
/// # Panics
/// When it fails, with what it printed.
pub(crate) fn succeed(command: &mut Command) -> Vec<u8> {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Compiles `sources` with `flags` to `elf`, unless it is newer than they and what they `include`.
pub(crate) fn compile(elf: &Path, sources: &[PathBuf], include: &[PathBuf], flags: &[&str]) {
    let made = modified(elf);
    let newest = sources.iter().chain(include).filter_map(|path| modified(path)).max();
    if made.is_some() && made > newest {
        return;
    }
    // Made beside and renamed, so that an interrupted test leaves no half of a program behind.
    let part = elf.with_extension("part");
    succeed(Command::new(GCC.0).args(flags).args(sources).args(["-lm", "-o"]).arg(&part));
    std::fs::rename(&part, elf).expect("the compiled program");
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}
