//! The `kemprof` command: a thin shell around the library.

use kemprof::cli::Failure;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match kemprof::commands::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even standard error is closed, the exit code has to say it.
            match &failure {
                Failure::Ended(_) => {}
                Failure::Help(text) => drop(write!(anstream::stderr(), "{text}")),
                Failure::Usage(_) | Failure::Failed(_) => drop(writeln!(anstream::stderr(), "kemprof: {failure}")),
            }
            failure.exit_code()
        }
    }
}
