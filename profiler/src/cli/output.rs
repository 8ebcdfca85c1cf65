//! Standard output, once per command and whole.

use super::Failure;
use anyhow::Context;
use std::io::{ErrorKind, Write};

/// Prints text with ANSI styles, which only a terminal gets to see (and not with `NO_COLOR`). A reader that has gone away
/// is no failure: it has what it wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output").map_err(Failure::from)
        }
        _ => Ok(()),
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json<T: serde::Serialize>(value: &T) -> Result<(), Failure> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}
