//! Linux on AArch64, emulated here by QEMU: one program in user mode, or a machine with a kernel of its own.

use super::RemoteError;
use super::program::{self, Linkage};
use crate::files::Scratch;
use crate::guest::Package;
use crate::platform::worker::{Worker, this_program};
use crate::process::{Program, Terms};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What emulates a processor of AArch64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Emulator {
    /// A machine with a kernel, whose performance monitor counts instructions.
    #[default]
    System,
    /// One program, over the kernel of this machine. Nothing is counted.
    User,
}

/// The emulators.
const SYSTEM: Program<'_> = Program { name: "qemu-system-aarch64", help: "run targets/setup" };
const USER: Program<'_> = Program { name: "qemu-aarch64-static", help: "run targets/setup" };

impl Emulator {
    /// Both.
    pub const ALL: [Self; 2] = [Self::System, Self::User];

    /// The name, on the command line and in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => crate::environment::QEMU_SYSTEM,
            Self::User => crate::environment::QEMU_USER,
        }
    }

    /// This program for AArch64, on a processor of this model, with a KEM from outside where there is one.
    pub(super) fn start(self, cpu_model: &str, guest: Option<&Package>) -> Result<Worker, RemoteError> {
        match self {
            Self::User => start_program(cpu_model),
            Self::System => start_machine(cpu_model, guest),
        }
    }
}

fn start_program(cpu_model: &str) -> Result<Worker, RemoteError> {
    // Before minutes of building.
    USER.version()?;
    let libraries = library("libc.so.6")?;
    let root = libraries.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut command = Command::new(USER.name);
    command
        .args(["-cpu", cpu_model, "-L"])
        .arg(root)
        .arg(program::build("aarch64", Linkage::Dynamic)?)
        .args(this_program());
    Ok(Worker::start(format!("kemprof under {}", USER.name), USER, &mut command, None)?)
}

/// The variable of the environment that names another kernel than the one that `targets/setup` brings.
const KERNEL: &str = "KEMPROF_KERNEL";

/// The kernel that the machine runs.
fn kernel() -> Result<PathBuf, RemoteError> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let brought = || {
        let caches = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        caches.unwrap_or_default().join("kemprof/linux-aarch64/vmlinuz")
    };
    let path = variable(KERNEL).unwrap_or_else(brought);
    if path.is_file() { Ok(path) } else { Err(RemoteError::NoKernel { path }) }
}

/// How the machine is made. `-icount shift=0` makes time and the performance monitor count instructions, one a nanosecond, so that a
/// run is the same each time; `sleep=off` passes over the time in which nothing runs.
const MACHINE: [&str; 16] = [
    "-machine",
    "virt,gic-version=3",
    "-smp",
    "1",
    "-m",
    "512",
    "-icount",
    "shift=0,sleep=off",
    "-nic",
    "none",
    "-display",
    "none",
    "-monitor",
    "none",
    "-serial",
    "stdio",
];

/// Lets programs read the performance monitor's registers: a reading without a system call is shorter.
const USER_ACCESS: &str = "sysctl.kernel.perf_user_access";
/// The variable of the environment with more words of the kernel's command line, such as `sysctl.kernel.perf_event_paranoid=3`, and
/// `kemprof.uid=1000` to be an ordinary user there.
const VARIABLE: &str = "KEMPROF_MACHINE";

/// How long the machine may take until its first program runs. It takes 2 s on an idle one.
const BOOT: Duration = Duration::from_secs(120);

fn start_machine(cpu_model: &str, guest: Option<&Package>) -> Result<Worker, RemoteError> {
    SYSTEM.version()?;
    let kernel = kernel()?;
    let read = |path: PathBuf| fs::read(&path).map_err(|source| RemoteError::Program { path, source });
    let mut files = vec![(INIT.to_owned(), read(program::build("aarch64", Linkage::Dynamic)?)?)];
    for name in LIBRARIES {
        files.push((format!("lib/{name}"), read(library(name)?)?));
    }
    if let Some(guest) = guest {
        files.push((GUEST.trim_start_matches('/').to_owned(), read(guest.object.clone())?));
    }
    let folder = Scratch::folder().map_err(RemoteError::Temporary)?;
    let initial = folder.path().join("files");
    fs::write(&initial, archive(&files)).map_err(RemoteError::Temporary)?;
    let mut command = Command::new(SYSTEM.name);
    command
        .args(MACHINE)
        .args(["-no-reboot", "-cpu", cpu_model])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(initial);
    // What follows the dashes is what the first program is given.
    // Where things lie in memory decides how they are copied: everything lies where it lay the last time.
    let settings = env::var(VARIABLE).unwrap_or_default();
    let words = this_program().join(" ");
    command.arg("-append").arg(format!("rdinit=/init quiet panic=-1 norandmaps {USER_ACCESS}=1 {settings} -- {words}"));
    let worker = Worker::start(format!("kemprof under {}", SYSTEM.name), SYSTEM, &mut command, Some(Box::new(folder)))?;
    Ok(worker.on_a_machine(BOOT)?)
}

/// The name of this program on the machine, and where its libraries and a KEM from outside are.
const INIT: &str = "init";
const LIBRARIES: [&str; 4] = ["ld-linux-aarch64.so.1", "libc.so.6", "libgcc_s.so.1", "libm.so.6"];
pub(super) const GUEST: &str = "/guest.so";

/// The compiler, which knows where libraries for AArch64 are.
const COMPILER: Program<'_> = Program { name: "aarch64-linux-gnu-gcc", help: "run targets/setup" };
/// What it may take to say so.
const SHORT: Duration = Duration::from_secs(30);

/// Where a library for AArch64 is.
fn library(name: &str) -> Result<PathBuf, RemoteError> {
    let terms = Terms { limit: Some(SHORT), ..Terms::default() };
    let mut command = Command::new(COMPILER.name);
    let ended = COMPILER.run(command.arg(format!("-print-file-name={name}")), terms, &mut |_| ())?;
    let path = PathBuf::from(String::from_utf8_lossy(&ended.stdout).trim());
    path.canonicalize().map_err(|source| RemoteError::Program { path, source })
}

/// The machine's files, and empty folders for what it mounts. The format is cpio's `newc` (Linux,
/// Documentation/driver-api/early-userspace/buffer-format.rst).
fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    const FOLDER: u32 = 0o040_755;
    const PROGRAM: u32 = 0o100_755;
    let folders = ["dev", "etc", "lib", "proc", "sys", "tmp"].map(|name| (name, FOLDER, &[][..]));
    let files = files.iter().map(|(name, bytes)| (name.as_str(), PROGRAM, bytes.as_slice()));
    let mut archive = Vec::new();
    for (number, (name, mode, bytes)) in
        folders.into_iter().chain(files).chain([("TRAILER!!!", 0, &[][..])]).enumerate()
    {
        // Inode, mode, owner, group, links, time, size, device twice, its own twice, length of the name, checksum.
        let (size, name_size) = (bytes.len() as u32, name.len() as u32 + 1);
        let fields = [number as u32 + 1, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        archive.extend_from_slice(b"070701");
        fields.iter().for_each(|field| archive.extend_from_slice(format!("{field:08x}").as_bytes()));
        archive.extend_from_slice(name.as_bytes());
        archive.push(0);
        align(&mut archive);
        archive.extend_from_slice(bytes);
        align(&mut archive);
    }
    archive
}

fn align(archive: &mut Vec<u8>) {
    archive.resize(archive.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_has_each_file_at_a_multiple_of_four() {
        let archive = archive(&[("init".to_owned(), b"\x7fELF!".to_vec())]);
        let text = String::from_utf8_lossy(&archive);
        let starts: Vec<usize> = text.match_indices("070701").map(|(at, _)| at).collect();
        assert_eq!((starts.len(), starts.iter().all(|at| at % 4 == 0), archive.len() % 4), (8, true, 0));
        let init = &text[starts[6]..starts[7]];
        assert!(init.contains("000081ed") && init.contains("init\0") && init.contains("\x7fELF!"), "{init:?}");
        assert!(text.contains("TRAILER!!!\0"));
    }
}
