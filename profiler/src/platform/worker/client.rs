use super::{COMMAND, READY, Reply, Request};
use crate::cli::print_error;
use crate::environment::Origin;
use crate::process::{Dialogue, Heard, ProcessError, Program};
use serde::de::DeserializeOwned;
use std::any::Any;
use std::env;
use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};
use thiserror::Error;
use tracing::level_filters::LevelFilter;

/// Why a worker gave no answer.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// It says why.
    #[error("{message}")]
    Refused {
        /// Its words.
        message: String,
        /// Whether the request is wrong.
        usage: bool,
    },
    /// It ended first.
    #[error("{}", ended(worker, *status, said))]
    Ended {
        /// Which.
        worker: String,
        /// Its exit status, or 128 and the number of a signal.
        status: i32,
        /// What it said last.
        said: Option<String>,
    },
    /// It took too long, and was stopped.
    #[error("{worker} did not end within {seconds} s and was stopped")]
    Late {
        /// Which.
        worker: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// What it says is not what a worker says.
    #[error("{worker} sent back {what}; nothing was written")]
    Garbled {
        /// Which.
        worker: String,
        /// What is wrong with it.
        what: String,
    },
    /// It does not start.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

fn ended(worker: &str, status: i32, said: &Option<String>) -> String {
    let said = said.as_ref().map(|said| format!("{said}: ")).unwrap_or_default();
    format!("{said}{worker} was stopped (exit status {status}); nothing was written")
}

/// What a worker says before its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign<'a> {
    /// So many of so many steps are done.
    Progress(u64, u64),
    /// An operation begins.
    Begins(&'a str),
}

/// A worker that runs.
pub(crate) struct Worker {
    /// In messages.
    name: String,
    dialogue: Dialogue,
    /// What it wrote to standard error last, which is passed on when more comes: what a program says last may be why it ended.
    held: Option<String>,
    /// Whether all that a machine says comes on one line to here: what is no reply is said besides.
    console: bool,
    /// The signal that ended the first program of its machine, and the machine with it.
    signal: Option<i32>,
    /// What must be there as long as it runs.
    _keep: Option<Box<dyn Any>>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Worker {
    /// Starts `command`, which starts `program`, as the worker of this name. `keep` goes when the worker has ended.
    pub(crate) fn start(
        name: String,
        program: Program<'_>,
        command: &mut Command,
        keep: Option<Box<dyn Any>>,
    ) -> Result<Self, ProcessError> {
        Ok(Self { name, dialogue: program.talk(command)?, held: None, console: false, signal: None, _keep: keep })
    }

    /// The same on a machine of its own, once that is ready to read. Its replies come where everything comes that the machine says.
    pub(crate) fn on_a_machine(mut self, limit: Duration) -> Result<Self, WorkerError> {
        self.console = true;
        let deadline = Some(Instant::now() + limit);
        loop {
            match self.dialogue.hear(deadline) {
                Heard::Output(line) if line == READY => return Ok(self),
                Heard::Output(line) | Heard::Error(line) => self.pass_on(Some(line)),
                Heard::Late => return Err(WorkerError::Late { worker: self.name.clone(), seconds: limit.as_secs() }),
                Heard::Ended(status) => return Err(self.ended(status)),
            }
        }
    }

    /// This program, on this machine.
    pub(crate) fn here() -> Result<Self, ProcessError> {
        let program = Program { name: "kemprof", help: "it was there a moment ago" };
        let mut command = Command::new(env::current_exe().map_err(|error| program.system(error))?);
        Self::start("kemprof".to_owned(), program, command.args(this_program()), None)
    }

    /// Tells the worker how it came to its machine.
    pub(crate) fn declare(&mut self, origin: Origin) -> Result<(), WorkerError> {
        self.ask(&Request::Declare(origin), None, &mut |_| ())
    }

    /// Has the worker do something, and gives its answer. `hear` hears of how far it is.
    pub(crate) fn ask<T: DeserializeOwned>(
        &mut self,
        request: &Request,
        limit: Option<Duration>,
        hear: &mut dyn FnMut(Sign<'_>),
    ) -> Result<T, WorkerError> {
        let line = serde_json::to_string(request).map_err(|error| self.garbled(format!("no request: {error}")))?;
        self.dialogue.say(&line);
        let deadline = limit.map(|limit| Instant::now() + limit);
        loop {
            match self.dialogue.hear(deadline) {
                Heard::Error(line) => self.pass_on(Some(line)),
                Heard::Late => {
                    let seconds = limit.unwrap_or_default().as_secs();
                    return Err(WorkerError::Late { worker: self.name.clone(), seconds });
                }
                Heard::Ended(status) => return Err(self.ended(status)),
                Heard::Output(line) if self.console && !line.starts_with('{') => {
                    self.signal = self.signal.or(killed(&line));
                    // What the kernel says begins with the time.
                    if !line.starts_with('[') {
                        self.pass_on(Some(line));
                    }
                }
                Heard::Output(line) => match serde_json::from_str(&line) {
                    Ok(Reply::Progress(done, all)) => hear(Sign::Progress(done, all)),
                    Ok(Reply::Begins(operation)) => hear(Sign::Begins(&operation)),
                    Ok(Reply::Refused { message, usage }) => {
                        self.pass_on(None);
                        return Err(WorkerError::Refused { message, usage });
                    }
                    Ok(Reply::Answer(answer)) => {
                        self.pass_on(None);
                        return Ok(answer);
                    }
                    Err(error) => return Err(self.garbled(format!("{:?}, which is no answer: {error}", short(&line)))),
                },
            }
        }
    }

    /// Lets the worker end by itself.
    fn end(&self) {
        if let Ok(line) = serde_json::to_string(&Request::End) {
            self.dialogue.say(&line);
        }
    }

    fn ended(&mut self, status: i32) -> WorkerError {
        let said = self.held.take().map(|said| said.trim_start_matches("kemprof: ").to_owned());
        let status = self.signal.map_or(status, |signal| 128 + signal);
        WorkerError::Ended { worker: self.name.clone(), status, said }
    }

    fn garbled(&self, what: String) -> WorkerError {
        WorkerError::Garbled { worker: self.name.clone(), what }
    }

    fn pass_on(&mut self, next: Option<String>) {
        if let Some(line) = std::mem::replace(&mut self.held, next) {
            print_error(&format!("{line}\n"));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A machine does not end when there is nothing more to read.
        self.end();
    }
}

/// The signal that ended a machine's first program, where the kernel says so in this line: `Attempted to kill init! exitcode=0x0000000b`.
fn killed(line: &str) -> Option<i32> {
    let (_, code) = line.split_once("exitcode=0x")?;
    // As wait(2) has it.
    let code = i32::from_str_radix(code.trim(), 16).ok()?;
    Some(code & 0x7f).filter(|signal| *signal != 0)
}

/// Characters of a wrong answer that are shown.
const SHOWN: usize = 60;

fn short(line: &str) -> String {
    line.chars().take(SHOWN).collect()
}

/// The arguments with which this program is a worker that says as much as this process.
pub(crate) fn this_program() -> &'static [&'static str] {
    match LevelFilter::current() {
        LevelFilter::INFO => &["-v", COMMAND],
        LevelFilter::DEBUG | LevelFilter::TRACE => &["-vv", COMMAND],
        _ => &[COMMAND],
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::environment::emulated;

    /// What comes of a worker that does this, and how many steps it told of.
    fn outcome(script: &str, limit: Option<Duration>) -> (Result<String, WorkerError>, Vec<u64>) {
        let program = Program { name: "sh", help: "" };
        let mut command = Command::new("sh");
        let mut worker =
            Worker::start("worker".to_owned(), program, command.args(["-c", script]), None).expect("starts");
        let mut steps = Vec::new();
        let answer = worker.ask(&Request::Backends, limit, &mut |sign| {
            if let Sign::Progress(done, _) = sign {
                steps.push(done);
            }
        });
        (answer, steps)
    }

    #[test]
    fn steps_come_before_the_answer() {
        if emulated() {
            return;
        }
        let (answer, steps) = outcome(
            r#"read line; echo '{"Progress":[3,80]}'; echo '{"Progress":[9,80]}'; echo '{"Answer":"it"}'"#,
            None,
        );
        assert_eq!((answer.expect("is one").as_str(), steps), ("it", vec![3, 9]));
    }

    #[test]
    fn a_worker_without_an_answer_is_one_line_that_says_why() {
        if emulated() {
            return;
        }
        let error = |script, limit| outcome(script, limit).0.expect_err("has none").to_string();
        let refusal = r#"read line; echo '{"Refused":{"message":"cannot stay on core 1","usage":false}}'"#;
        assert_eq!(error(refusal, None), "cannot stay on core 1");
        // It may not even read.
        assert_eq!(error("kill -9 $$", None), "worker was stopped (exit status 137); nothing was written");
        let line = error("echo first >&2; echo 'kemprof: the last' >&2; exit 1", None);
        assert_eq!(line, "the last: worker was stopped (exit status 1); nothing was written");
        let line = error("exec sleep 60", Some(Duration::from_millis(50)));
        assert_eq!(line, "worker did not end within 0 s and was stopped");
        let line = error("echo 'Welcome to board!'; cat", None);
        assert!(line.starts_with("worker sent back \"Welcome to board!\", which is no answer"), "{line}");
    }
}
