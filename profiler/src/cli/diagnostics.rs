//! Diagnostics on standard error, through `tracing`.

use super::{Failure, print_error};
use anyhow::anyhow;
use std::io::{IsTerminal, Write};
use tracing_subscriber::filter::LevelFilter;

/// Standard error, to which nothing goes that steers a terminal. Events come whole.
struct Clean;

impl Write for Clean {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        print_error(&String::from_utf8_lossy(event));
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Listens at the level of `-v` (warnings without, then info, debug, trace), or at that of `RUST_LOG`.
pub(crate) fn init(verbose: u8) -> Result<(), Failure> {
    let levels = [LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG, LevelFilter::TRACE];
    let level = match std::env::var("RUST_LOG") {
        Ok(name) if !name.is_empty() => name
            .parse()
            .map_err(|_| anyhow!("RUST_LOG={name:?} is no level: expected off, error, warn, info, debug or trace"))?,
        _ => levels[usize::from(verbose.min(3))],
    };
    let ansi = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // A second command in one process keeps the first one's listener.
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(|| Clean)
        .with_ansi(ansi)
        .log_internal_errors(false)
        .try_init();
    Ok(())
}
