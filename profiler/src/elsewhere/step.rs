use super::ElsewhereError;
use crate::process::{Ended, ProcessError, Program, Terms};
use std::process::Command;
use std::time::Duration;

/// One thing that a program does somewhere else.
pub(super) struct Step<'a> {
    pub(super) program: Program<'a>,
    /// What is being done, and how long it may take.
    pub(super) what: &'static str,
    pub(super) limit: Option<Duration>,
    /// Where to, in messages.
    pub(super) place: &'a str,
}

impl Step<'_> {
    /// Runs `command` with `input`. What it writes to standard error is given to `errors`, a line at a time.
    pub(super) fn run(
        &self,
        command: &mut Command,
        input: Vec<u8>,
        errors: &mut dyn FnMut(&str),
    ) -> Result<Ended, ElsewhereError> {
        let terms = Terms { input, limit: self.limit };
        self.program.run(command, terms, errors).map_err(|error| match error {
            ProcessError::Endless { seconds, .. } => {
                ElsewhereError::Endless { place: self.place.to_owned(), step: self.what, seconds }
            }
            error => error.into(),
        })
    }
}
