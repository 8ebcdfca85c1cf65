//! Linux on AArch64, emulated here.

use super::step::Step;
use super::{Answer, ElsewhereError, Files, Place, Request, program};
use crate::files::Scratch;
use crate::process::Program;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The emulator.
const QEMU: Program<'_> = Program { name: "qemu-aarch64-static", help: "run targets/setup" };

/// This program for AArch64, under QEMU in user mode.
#[derive(Debug, Default)]
pub struct Emulated;

impl Place for Emulated {
    fn run(&mut self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Answer, ElsewhereError> {
        let place = format!("under {}", QEMU.name);
        // Before minutes of building.
        QEMU.version()?;
        let program = program::build("aarch64")?;
        let folder = Scratch::folder().map_err(ElsewhereError::Temporary)?;
        for name in request.folders {
            fs::create_dir(folder.path().join(name)).map_err(ElsewhereError::Temporary)?;
        }
        let mut command = Command::new(QEMU.name);
        command.arg(&program).args(request.arguments).current_dir(folder.path());
        command.envs(request.environment.iter().map(|(name, value)| (name, value)));
        let step = Step { program: QEMU, what: "a run", limit: None, place: &place };
        let ended = step.run(&mut command, Vec::new(), errors)?;
        let files = files(folder.path(), request.folders).map_err(ElsewhereError::Temporary)?;
        Answer::of(ended, files, &place)
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
