//! A KEM from outside: built, tried in a process of its own, and loaded.

use crate::cli::{Failure, usage};
use crate::guest::{self, GuestError, Manifest};
use crate::platform::worker::{Request, Sign, Worker, WorkerError};
use crate::progress;
use anyhow::anyhow;
use std::time::Duration;

/// How long building and trying may take.
const LIMIT: Duration = Duration::from_secs(180);

/// Builds the KEM of a manifest, tries it in a process of its own, and loads it; its name.
///
/// # Errors
/// A usage error in the manifest; what is wrong with the sources or with what they do.
pub(super) fn open(source: &str) -> Result<&'static str, Failure> {
    let name = Manifest::read(source).map_err(usage)?.name;
    if guest::loaded(&name).is_none() {
        let _waiting = progress::waiting(format!("building and trying {name}"));
        if let Some(flaw) = flaw(Worker::here()?, source, LIMIT)? {
            return Err(anyhow!("{name}: {flaw}; nothing was measured").into());
        }
    }
    match guest::open(source) {
        Err(error @ (GuestError::Manifest(_) | GuestError::Second { .. })) => Err(usage(error)),
        opened => Ok(opened?.name),
    }
}

/// What is wrong with a guest, as a process says that tries it, or as it ends.
fn flaw(mut worker: Worker, source: &str, limit: Duration) -> Result<Option<String>, WorkerError> {
    let mut operation = "loading".to_owned();
    let asked = worker.ask(&Request::Examine(source.to_owned()), Some(limit), &mut |sign| {
        if let Sign::Begins(begun) = sign {
            begun.clone_into(&mut operation);
        }
    });
    match asked {
        Err(WorkerError::Ended { status, .. }) if status > 128 => {
            Ok(Some(format!("CRASH: signal {} during {operation}", status - 128)))
        }
        Err(WorkerError::Late { seconds, .. }) => {
            Ok(Some(format!("TIMEOUT: {operation} did not end within {seconds} s")))
        }
        answer => answer,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::process::Program;
    use std::process::Command;

    /// What is wrong with a guest whose trial run does this.
    fn flaw_of(script: &str, limit: Duration) -> Option<String> {
        let program = Program { name: "sh", help: "" };
        let mut command = Command::new("sh");
        let worker = Worker::start("sh".to_owned(), program, command.args(["-c", script]), None).expect("starts");
        flaw(worker, "some.toml", limit).expect("has an answer")
    }

    #[test]
    fn a_trial_run_that_dies_or_hangs_names_the_operation() {
        if crate::environment::emulated() {
            return;
        }
        let said = r#"read line; echo '{"Begins":"keygen"}'; echo '{"Begins":"enc"}'; echo >&2 'its own words';"#;
        assert_eq!(flaw_of(&format!("{said} kill -11 $$"), LIMIT), Some("CRASH: signal 11 during enc".to_owned()));
        let late = flaw_of(&format!("{said} exec sleep 60"), Duration::from_millis(300));
        assert_eq!(late, Some("TIMEOUT: enc did not end within 0 s".to_owned()));
        assert_eq!(flaw_of("kill -6 $$", LIMIT), Some("CRASH: signal 6 during loading".to_owned()));
        assert_eq!(flaw_of(r#"read line; echo '{"Answer":null}'"#, LIMIT), None);
    }
}
