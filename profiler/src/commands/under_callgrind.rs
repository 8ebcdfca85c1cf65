use crate::cli::{Failure, usage};
use crate::counter::{Valgrind, ValgrindError};

/// Runs the command line again under valgrind, where its counter works. What it prints and writes is its own.
///
/// # Errors
/// Where there is no valgrind, or the command failed there.
pub fn under_callgrind(command: &[String]) -> Result<(), Failure> {
    let valgrind = Valgrind::find().map_err(|error| match error {
        ValgrindError::Emulated(_) => usage(error),
        _ => error.into(),
    })?;
    let status = valgrind.run_this_program(command.get(1..).unwrap_or_default())?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Ended(u8::try_from(code).unwrap_or(1))),
        // The shell's word for a program that a signal ended is 128 and more; here it is a failure like others.
        None => Err(anyhow::anyhow!("the command was ended under valgrind: {status}").into()),
    }
}
