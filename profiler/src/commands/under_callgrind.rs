use crate::cli::{Failure, usage};
use crate::counter::Valgrind;
use crate::environment::{Environment, Tree};

/// Runs the command line again under valgrind, where its counter works. What it prints and writes is its own.
///
/// # Errors
/// Where there is no valgrind, or the command failed there.
pub fn under_callgrind(command: &[String]) -> Result<(), Failure> {
    let machine = Environment::begin(&Tree::host(), Vec::new(), true);
    if let Some(emulator) = machine.system.emulator {
        return Err(usage(format_args!(
            "--counter callgrind needs the machine itself, and {emulator} runs this program"
        )));
    }
    let status = Valgrind::find()?.run_this_program(command.get(1..).unwrap_or_default())?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Ended(u8::try_from(code).unwrap_or(1))),
        // The shell's word for a program that a signal ended is 128 and more; here it is a failure like others.
        None => Err(anyhow::anyhow!("the command was ended under valgrind: {status}").into()),
    }
}
