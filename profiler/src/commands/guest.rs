//! A KEM from outside: built, tried in a process of its own, and loaded.

use super::child::{Asked, Request, Task, ask_and_hear, this_program};
use crate::cli::{Failure, usage};
use crate::evidence::{Operation, Plan};
use crate::guest::{self, GuestError, Manifest};
use crate::progress;
use crate::runner::{Job, SuiteSpec};
use anyhow::{Context, anyhow};
use std::io::Write;
use std::process::Command;
use std::time::Duration;

/// With what a line on standard error begins that says which operation begins.
const BEGINS: &str = "begins ";
/// How long building and trying may take.
const LIMIT: Duration = Duration::from_secs(180);

/// What is wrong with the guest of this process, if anything is. Every operation is said on standard error as it begins.
pub(super) fn examine() -> Option<String> {
    let mut last = "";
    let begins = |operation| {
        if last != operation {
            last = operation;
            let _ = writeln!(std::io::stderr(), "{BEGINS}{operation}");
        }
    };
    guest::examine(begins).err().map(|flaw| flaw.to_string())
}

/// Builds the KEM of a manifest, tries it in a process of its own, and loads it; its name.
///
/// # Errors
/// A usage error in the manifest; what is wrong with the sources or with what they do.
pub(super) fn open(source: &str) -> Result<&'static str, Failure> {
    let name = Manifest::read(source).map_err(usage)?.name;
    if guest::loaded(&name).is_none() {
        let _waiting = progress::waiting(format!("building and trying {name}"));
        let job = Job {
            instance: source.to_owned(),
            operation: Operation::Keygen,
            spec: SuiteSpec::OWN,
            sampling: Default::default(),
            seed: Vec::new(),
            plan: Plan::default(),
        };
        if let Some(flaw) = flaw(&mut this_program()?, &Request::of(&job, Task::Examine), LIMIT)? {
            return Err(anyhow!("{name}: {flaw}; nothing was measured").into());
        }
    }
    match guest::open(source) {
        Err(error @ (GuestError::Manifest(_) | GuestError::Second { .. })) => Err(usage(error)),
        opened => Ok(opened?.name),
    }
}

/// What is wrong with a guest, as a process says that tries it, or as it ends.
fn flaw(command: &mut Command, request: &Request, limit: Duration) -> anyhow::Result<Option<String>> {
    let mut operation = "loading".to_owned();
    let asked = ask_and_hear(command, request, limit, &mut |line| {
        let begun = line.trim_end().strip_prefix(BEGINS);
        begun.is_some_and(|begun| {
            begun.clone_into(&mut operation);
            true
        })
    });
    match asked {
        Ok(text) => serde_json::from_str(&text).context("what the trial run printed is no answer"),
        Err(Asked::Signal(signal, _)) => Ok(Some(format!("CRASH: signal {signal} during {operation}"))),
        Err(Asked::Late) => Ok(Some(format!("TIMEOUT: {operation} did not end within {} s", limit.as_secs()))),
        Err(Asked::Failed(error)) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What is wrong with a guest whose trial run does this.
    fn flaw_of(script: &str, limit: Duration) -> Option<String> {
        let job = Job {
            instance: "lwekem128".to_owned(),
            operation: Operation::Keygen,
            spec: SuiteSpec::default(),
            sampling: Default::default(),
            seed: Vec::new(),
            plan: Plan::default(),
        };
        let request = Request::of(&job, Task::Examine);
        flaw(Command::new("sh").args(["-c", script]), &request, limit).expect("has an answer")
    }

    #[test]
    fn a_trial_run_that_dies_or_hangs_names_the_operation() {
        if crate::environment::emulated() {
            return;
        }
        let said = "cat >/dev/null; echo >&2 begins keygen; echo >&2 begins enc; echo >&2 'its own words';";
        assert_eq!(flaw_of(&format!("{said} kill -11 $$"), LIMIT), Some("CRASH: signal 11 during enc".to_owned()));
        let late = flaw_of(&format!("{said} exec sleep 60"), Duration::from_millis(300));
        assert_eq!(late, Some("TIMEOUT: enc did not end within 0 s".to_owned()));
        assert_eq!(flaw_of("kill -6 $$", LIMIT), Some("CRASH: signal 6 during loading".to_owned()));
        assert_eq!(flaw_of("cat >/dev/null; echo null", LIMIT), None);
    }
}
