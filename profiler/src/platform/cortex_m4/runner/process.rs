//! A program that runs the firmware.

use super::super::M4Error;
use super::{Limit, RunnerName};
use crate::process::{ProcessError, Program, Terms, last_words};
use std::process::Command;

/// What the firmware said, and its exit status.
pub(super) type Said = (Vec<u8>, i32);

/// Runs `command` of this runner, which makes at least `hz` cycles a second, to the limit at most. It takes what it wrote from where `answer` says it begins. A failure before
/// that is the program's own.
pub(super) fn run(
    (runner, program): (RunnerName, Program<'_>),
    command: &mut Command,
    (limit, hz): (Limit, u64),
    answer: impl FnOnce(&[u8]) -> Option<usize>,
) -> Result<Said, M4Error> {
    let terms = Terms { limit: Some(limit.time(hz)), ..Terms::default() };
    let mut errors = String::new();
    let ended = program.run(command, terms, &mut |line| errors += line).map_err(|error| match error {
        ProcessError::Endless { seconds, .. } => limit.reached(runner, format!("{seconds} s")),
        error => error.into(),
    })?;
    match answer(&ended.stdout) {
        Some(start) => Ok((ended.stdout[start..].to_vec(), ended.status)),
        None if ended.status != 0 => {
            let reason = last_words(&errors, ended.status);
            Err(ProcessError::Failed { program: program.name.to_owned(), reason }.into())
        }
        None => Ok((ended.stdout, ended.status)),
    }
}
