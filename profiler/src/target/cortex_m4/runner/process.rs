use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why another program gave no answer.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// It is not installed.
    #[error("{program} is not installed; {help}")]
    Missing {
        /// The program.
        program: &'static str,
        /// Where to get it.
        help: &'static str,
    },
    /// It does not start, or its output cannot be read.
    #[error("{program}: {source}")]
    System {
        /// The program.
        program: &'static str,
        /// The system's words.
        source: io::Error,
    },
    /// It does not end.
    #[error("{program} did not end within {seconds} s and was stopped")]
    Endless {
        /// The program.
        program: &'static str,
        /// How long it was waited for.
        seconds: u64,
    },
    /// It failed by itself, before the firmware said anything.
    #[error("{program} failed: {reason}")]
    Failed {
        /// The program.
        program: &'static str,
        /// The last that it said.
        reason: String,
    },
}

/// Another program, with what to say where it is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

/// What another program wrote, and its exit status.
pub(super) struct Outcome {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) status: i32,
}

/// Between two looks whether it has ended.
const STEP: Duration = Duration::from_millis(5);

impl Program {
    /// Runs it to its end, which has to come within `limit`.
    pub(super) fn run(self, command: &mut Command, limit: Duration) -> Result<Outcome, ProcessError> {
        let system = |source| ProcessError::System { program: self.name, source };
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ProcessError::Missing { program: self.name, help: self.help },
            _ => system(source),
        })?;
        // Both are read while it runs: it would wait for a full pipe to be emptied.
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(system)? {
                break status;
            }
            if began.elapsed() > limit {
                // It may have ended just now.
                child.kill().and_then(|()| child.wait().map(drop)).map_err(system)?;
                return Err(ProcessError::Endless { program: self.name, seconds: limit.as_secs() });
            }
            thread::sleep(STEP);
        };
        let collect = |reader: thread::JoinHandle<io::Result<Vec<u8>>>| {
            reader.join().unwrap_or_else(|_| Err(io::Error::other("its output was not read"))).map_err(system)
        };
        // A signal has no code.
        Ok(Outcome { stdout: collect(stdout)?, stderr: collect(stderr)?, status: status.code().unwrap_or(-1) })
    }

    /// The first line of what it says its version is.
    pub(super) fn version(self) -> Result<String, ProcessError> {
        let outcome = self.run(Command::new(self.name).arg("--version"), Duration::from_secs(30))?;
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        Ok(text.lines().next().unwrap_or(self.name).trim().to_owned())
    }

    /// Its own failure: what it said last.
    pub(super) fn failure(self, outcome: &Outcome) -> ProcessError {
        let text = String::from_utf8_lossy(&outcome.stderr);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        let reason = last.map_or_else(|| format!("exit status {}, without a word", outcome.status), str::to_owned);
        ProcessError::Failed { program: self.name, reason }
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Environment, Tree};

    fn shell(script: &str, limit: Duration) -> Result<Outcome, ProcessError> {
        Program { name: "sh", help: "" }.run(Command::new("sh").args(["-c", script]), limit)
    }

    #[test]
    fn both_outputs_and_the_status_come_back() {
        // More than a pipe holds, on both.
        let script = "head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2; exit 7";
        let outcome = shell(script, Duration::from_secs(60)).expect("ends");
        assert_eq!((outcome.stdout.len(), outcome.stderr.len(), outcome.status), (200_000, 200_000, 7));
    }

    #[test]
    fn what_does_not_end_is_stopped() {
        let error = shell("exec sleep 60", Duration::from_millis(50)).err().expect("does not end").to_string();
        assert!(error.contains("was stopped"), "{error}");
    }

    #[test]
    fn what_is_missing_is_named_with_its_source() {
        // QEMU in user mode does not tell the one who starts a program that it is not there.
        if !Environment::begin(&Tree::host(), Vec::new(), false).is_real() {
            eprintln!("skipped: an emulator runs this test");
            return;
        }
        let program = Program { name: "no-such-program", help: "look elsewhere" };
        let error = program.version().expect_err("is missing").to_string();
        assert_eq!(error, "no-such-program is not installed; look elsewhere");
    }
}
