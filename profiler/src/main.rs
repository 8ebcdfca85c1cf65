//! The `kemprof` command: a thin shell around the library.

use kemprof::cli::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    match kemprof::cli::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            match &failure {
                Failure::Help(text) => anstream::eprint!("{text}"),
                Failure::Usage(_) | Failure::Failed(_) => anstream::eprintln!("kemprof: {failure}"),
            }
            failure.exit_code()
        }
    }
}
