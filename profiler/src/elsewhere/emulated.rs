//! Linux on AArch64, emulated here.

use super::child::{Interrupts, Run};
use super::{Answer, ElsewhereError, Files, Place, Request, program};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The emulator.
const QEMU: &str = "qemu-aarch64-static";
/// What evidence calls it.
pub const RUNNER: &str = "qemu-user";

/// This program for AArch64, under QEMU in user mode.
#[derive(Debug, Default)]
pub struct Emulated;

impl Place for Emulated {
    fn run(&mut self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Answer, ElsewhereError> {
        let place = format!("under {QEMU}");
        let steps = Run { name: QEMU, help: "run targets/setup", step: "a run", limit: None, place: &place };
        // Before minutes of building.
        steps.run(Command::new(QEMU).arg("--version"), Vec::new(), None, &mut |_| ())?;
        let program = program::build("aarch64")?;
        let interrupts = Interrupts::held();
        let folder = tempfile::tempdir().map_err(ElsewhereError::Temporary)?;
        for name in request.folders {
            fs::create_dir(folder.path().join(name)).map_err(ElsewhereError::Temporary)?;
        }
        let mut command = Command::new(QEMU);
        command.arg(&program).args(request.arguments).current_dir(folder.path());
        command.envs(request.environment.iter().map(|(name, value)| (name, value)));
        let outcome = steps.run(&mut command, Vec::new(), Some(&interrupts), errors)?;
        let files = files(folder.path(), request.folders).map_err(ElsewhereError::Temporary)?;
        Answer::of(outcome, files, &place)
    }
}

fn files(top: &Path, folders: &[String]) -> std::io::Result<Files> {
    let mut files = Files::new();
    for folder in folders {
        for entry in fs::read_dir(top.join(folder))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert((folder.clone(), name), fs::read_to_string(&path)?);
        }
    }
    Ok(files)
}
