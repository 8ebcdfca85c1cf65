//! The `kemprof` command: a thin shell around the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Where that is refused, signals end the program as ever, and may leave something behind.
    let _ = kemprof::process::watch_signals();
    match kemprof::commands::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.complain();
            failure.exit_code()
        }
    }
}
