//! A program that runs the firmware.

use crate::process::{ProcessError, Program, Terms, last_words};
use std::process::Command;
use std::time::Duration;

/// What the firmware said, and its exit status.
pub(super) type Said = (Vec<u8>, i32);

/// Runs `command`, which has to end within `limit`, and takes what it wrote from where `answer` says it begins. A failure before
/// that is the program's own.
pub(super) fn run(
    program: Program<'_>,
    command: &mut Command,
    limit: Duration,
    answer: impl FnOnce(&[u8]) -> Option<usize>,
) -> Result<Said, ProcessError> {
    let terms = Terms { limit: Some(limit), ..Terms::default() };
    let mut errors = String::new();
    let ended = program.run(command, terms, &mut |line| errors += line)?;
    match answer(&ended.stdout) {
        Some(start) => Ok((ended.stdout[start..].to_vec(), ended.status)),
        None if ended.status != 0 => {
            let reason = last_words(&errors, ended.status);
            Err(ProcessError::Failed { program: program.name.to_owned(), reason })
        }
        None => Ok((ended.stdout, ended.status)),
    }
}
