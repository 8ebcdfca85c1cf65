//! A KEM from outside: built, tried in a process of its own, and loaded.

use super::settings::{self, MeasuringOptions};
use crate::cli::{Failure, TargetArgs, usage};
use crate::guest::{self, GuestError, Machine, Manifest, Package};
use crate::platform::worker::{Request, Sign, Worker, WorkerError};
use crate::progress;
use anyhow::anyhow;
use std::time::Duration;

/// How long building and trying may take.
const LIMIT: Duration = Duration::from_secs(180);

/// Builds the KEM of a manifest for where it is to run, tries it in a process of its own there, and loads it, if that is here; its name.
///
/// # Errors
/// A usage error in the manifest; what is wrong with the sources or with what they do.
pub(super) fn open(source: &str, target: &TargetArgs) -> Result<&'static str, Failure> {
    let name = Manifest::read(source).map_err(usage)?.name;
    if let Some(guest) = guest::loaded(&name) {
        return Ok(guest.name);
    }
    let waiting = progress::waiting(format!("building {name}"));
    let remote = settings::remote(target, &MeasuringOptions::default(), &[])?;
    let machine = if remote.is_some() { Machine::Aarch64 } else { Machine::This };
    let package = guest::build(source, machine).map_err(|error| match error {
        GuestError::Manifest(_) => usage(error),
        error => error.into(),
    })?;
    drop(waiting);
    let (worker, there) = match &remote {
        Some(remote) => remote.worker_for(&package).map_err(settings::failure)?,
        None => (Worker::here()?, package.clone()),
    };
    let _waiting = progress::waiting(format!("trying {name}"));
    if let Some(flaw) = flaw(worker, there, LIMIT)? {
        return Err(anyhow!("{name}: {flaw}; nothing was measured").into());
    }
    match guest::adopt(package, remote.is_none()) {
        Err(error @ GuestError::Second { .. }) => Err(usage(error)),
        adopted => Ok(adopted?.name),
    }
}

/// What is wrong with a guest, as a process says that tries it, or as it ends.
fn flaw(mut worker: Worker, package: Package, limit: Duration) -> Result<Option<String>, WorkerError> {
    let mut operation = "loading".to_owned();
    let asked = worker.ask(&Request::Examine(package), Some(limit), &mut |sign| {
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
    use crate::guest::Api;
    use crate::process::Program;
    use std::process::Command;

    /// What is wrong with a guest whose trial run does this.
    fn flaw_of(script: &str, limit: Duration) -> Option<String> {
        let program = Program { name: "sh", help: "" };
        let mut command = Command::new("sh");
        let worker = Worker::start("sh".to_owned(), program, command.args(["-c", script]), None).expect("starts");
        let package = Package {
            name: String::new(),
            source: String::new(),
            inputs: String::new(),
            compiler: String::new(),
            flags: Vec::new(),
            api: Api::Nist,
            functions: Vec::new(),
            object: "guest.so".into(),
        };
        flaw(worker, package, limit).expect("has an answer")
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
