//! Linux on AArch64, emulated here by QEMU: one program in user mode, or a machine with a kernel of its own.

use super::{RemoteError, program};
use crate::cross;
use crate::files::Scratch;
use crate::platform::worker::{Worker, this_program};
use crate::process::Program;
use std::fs;
use std::path::Path;
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

    /// This program for AArch64, on a processor of this model.
    pub(super) fn start(self, cpu_model: &str) -> Result<Worker, RemoteError> {
        match self {
            Self::User => start_program(cpu_model),
            Self::System => start_machine(cpu_model),
        }
    }
}

fn start_program(cpu_model: &str) -> Result<Worker, RemoteError> {
    // Before minutes of building.
    USER.version()?;
    let mut command = Command::new(USER.name);
    command.args(["-cpu", cpu_model]).arg(program::build("aarch64")?).args(this_program());
    Ok(Worker::start(format!("kemprof under {}", USER.name), USER, &mut command, None)?)
}

/// The kernel that `targets/setup` brings, beside the programs that are kept.
const KERNEL: &str = "linux-aarch64/vmlinuz";

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

/// How long the machine may take until its first program runs. It takes 2 s on an idle one.
const BOOT: Duration = Duration::from_secs(120);

fn start_machine(cpu_model: &str) -> Result<Worker, RemoteError> {
    SYSTEM.version()?;
    let kernel = cross::kept_in()?.join(KERNEL);
    if !kernel.is_file() {
        return Err(RemoteError::NoKernel { path: kernel });
    }
    let path = program::build("aarch64")?;
    let bytes = fs::read(&path).map_err(|source| RemoteError::Program { path, source })?;
    let folder = Scratch::folder().map_err(RemoteError::Temporary)?;
    let files = folder.path().join("files");
    fs::write(&files, archive(&bytes)).map_err(RemoteError::Temporary)?;
    let mut command = Command::new(SYSTEM.name);
    command.args(MACHINE).args(["-no-reboot", "-cpu", cpu_model]).arg("-kernel").arg(kernel).arg("-initrd").arg(files);
    // What follows the dashes is what the first program is given.
    command.arg("-append").arg(format!("rdinit=/init quiet panic=-1 -- {}", this_program().join(" ")));
    let worker = Worker::start(format!("kemprof under {}", SYSTEM.name), SYSTEM, &mut command, Some(Box::new(folder)))?;
    Ok(worker.on_a_machine(BOOT)?)
}

/// The machine's files: `program` as the first one that the kernel starts, and empty folders for what it mounts. The format is cpio's
/// `newc` (Linux, Documentation/driver-api/early-userspace/buffer-format.rst).
fn archive(program: &[u8]) -> Vec<u8> {
    const FOLDER: u32 = 0o040_755;
    const PROGRAM: u32 = 0o100_755;
    let mut archive = Vec::new();
    let files: [(&str, u32, &[u8]); 7] = [
        ("dev", FOLDER, &[]),
        ("proc", FOLDER, &[]),
        ("sys", FOLDER, &[]),
        ("tmp", FOLDER, &[]),
        ("etc", FOLDER, &[]),
        ("init", PROGRAM, program),
        ("TRAILER!!!", 0, &[]),
    ];
    for (number, (name, mode, bytes)) in files.iter().enumerate() {
        // Inode, mode, owner, group, links, time, size, device twice, its own twice, length of the name, checksum.
        let (size, name_size) = (bytes.len() as u32, name.len() as u32 + 1);
        let fields = [number as u32 + 1, *mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
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

/// Whether the kernel that the machine runs is there.
#[must_use]
pub fn has_kernel() -> bool {
    cross::kept_in().is_ok_and(|folder| Path::is_file(&folder.join(KERNEL)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_has_each_file_at_a_multiple_of_four() {
        let archive = archive(b"\x7fELF!");
        let text = String::from_utf8_lossy(&archive);
        let starts: Vec<usize> = text.match_indices("070701").map(|(at, _)| at).collect();
        assert_eq!((starts.len(), starts.iter().all(|at| at % 4 == 0), archive.len() % 4), (7, true, 0));
        let init = &text[starts[5]..starts[6]];
        assert!(init.contains("000081ed") && init.contains("init\0") && init.contains("\x7fELF!"), "{init:?}");
        assert!(text.contains("TRAILER!!!\0"));
    }
}
