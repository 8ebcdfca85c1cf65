//! The `kemprof` command: a thin shell around the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    match kemprof::cli::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            anstream::eprintln!("kemprof: {failure}");
            failure.exit_code()
        }
    }
}
