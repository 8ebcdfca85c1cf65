//! Standard output, once per command and whole; and what may go to a terminal at all.

use super::Failure;
use crate::evidence::pretty;
use crate::progress;
use crate::render::layout::{self, FIXED_BLANK};
use crate::words;
use anyhow::Context;
use std::io::{ErrorKind, Write};

/// Prints a page with ANSI styles, which only a terminal gets to see (and not with `NO_COLOR`), in the width that there is. What
/// would steer a terminal is shown as its code.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let page = words::page(text);
    let page = layout::width().map_or(page.clone(), |width| layout::wrap(&page, width));
    print_whole(&page.replace(FIXED_BLANK, " "))
}

/// Prints text for another program, or that is laid out already. A reader that has gone away is no failure: it has what it wanted.
pub(crate) fn print_whole(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output").map_err(Failure::from)
        }
        _ => Ok(()),
    }
}

/// Prints a value as indented JSON. Characters that would steer a terminal are escaped, which is the same JSON.
pub(crate) fn print_json<T: serde::Serialize>(value: &T) -> Result<(), Failure> {
    let mut text = String::new();
    for c in pretty(value)?.chars() {
        if c == '\n' || !words::deceives(c) {
            text.push(c);
        } else {
            text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    print_whole(&(text + "\n"))
}

/// Writes a line, or lines, to standard error, broken at blanks where that is a terminal.
pub fn print_error(text: &str) {
    let page = words::page(text);
    let page = layout::error_width().map_or(page.clone(), |width| layout::wrap(&page, width));
    // Where even standard error is closed, the exit code has to say it.
    progress::suspended(|| drop(write!(anstream::stderr(), "{page}")));
}
