//! Other programs, run to their end or to a limit; and an end of this one that leaves none of them behind.

mod dialogue;
mod ending;
mod error;
mod group;

pub use dialogue::{Dialogue, Heard};
pub use ending::watch_signals;
pub(crate) use ending::{AtEnd, Undo};
pub use error::ProcessError;

use group::Group;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A program, with what to say where it is missing.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name, as it is started and in messages.
    pub name: &'a str,
    /// Where to get it.
    pub help: &'static str,
}

/// How to run a program.
#[derive(Debug, Default)]
pub struct Terms {
    /// What it reads from standard input.
    pub input: Vec<u8>,
    /// How long it may take; however long where there is no limit.
    pub limit: Option<Duration>,
}

/// What another program wrote, and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// All that it wrote to standard output.
    pub stdout: Vec<u8>,
    /// Exit status, or 128 and the number of the signal that ended it.
    pub status: i32,
}

/// How long to wait for last words after the end.
const SILENCE: Duration = Duration::from_millis(500);
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// What a program may take to say its version.
const VERSION: Duration = Duration::from_secs(30);

impl Program<'_> {
    /// Runs `command`, which starts this program. What it writes to standard error is given to `errors`, a line at a time. What it
    /// started itself ends with it.
    ///
    /// # Errors
    /// When it does not start, or is stopped because of the terms. Its own failure is a status.
    pub fn run(
        &self,
        command: &mut Command,
        terms: Terms,
        errors: &mut dyn FnMut(&str),
    ) -> Result<Ended, ProcessError> {
        let Terms { input, limit } = terms;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = self.start(command)?;
        // All three at once: each end would wait for the other to read.
        let feed = child.stdin.take().map(|mut stdin| {
            // One that ends early says why by itself.
            thread::spawn(move || drop(stdin.write_all(&input)))
        });
        let stdout = collect(child.stdout.take());
        let lines = lines(child.stderr.take());
        let mut pass_on = || {
            while let Ok(line) = lines.try_recv() {
                errors(&line);
            }
        };
        let status = self.wait(&mut child, group, limit, &mut pass_on)?;
        // A connection that ssh keeps open in the background may hold standard error open as well.
        while let Ok(line) = lines.recv_timeout(SILENCE) {
            errors(&line);
        }
        drop(feed.map(thread::JoinHandle::join));
        let stdout = stdout.join().unwrap_or_else(|_| Err(io::Error::other("its output was not read")));
        let stdout = stdout.map_err(|source| self.system(source))?;
        let signal = || 128 + status.signal().unwrap_or_default();
        Ok(Ended { stdout, status: status.code().unwrap_or_else(signal) })
    }

    /// The first line of what it says its version is.
    ///
    /// # Errors
    /// When it does not start.
    pub fn version(&self) -> Result<String, ProcessError> {
        let terms = Terms { limit: Some(VERSION), ..Terms::default() };
        let ended = self.run(Command::new(self.name).arg("--version"), terms, &mut |_| ())?;
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        Ok(text.lines().next().unwrap_or(self.name).trim().to_owned())
    }

    /// An error of the system that this program met.
    #[must_use]
    pub fn system(&self, source: io::Error) -> ProcessError {
        ProcessError::System { program: self.name.to_owned(), source }
    }

    fn start(&self, command: &mut Command) -> Result<(Child, Group), ProcessError> {
        let group = Group::begin().map_err(|source| self.system(source))?;
        match group.spawn(command) {
            Ok(child) => Ok((child, group)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ProcessError::Missing { program: self.name.to_owned(), help: self.help })
            }
            Err(error) => Err(self.system(error)),
        }
    }

    /// Waits for the end, or for the limit and makes one. Nothing of the group is left then.
    fn wait(
        &self,
        child: &mut Child,
        group: Group,
        limit: Option<Duration>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<ExitStatus, ProcessError> {
        let began = Instant::now();
        loop {
            meanwhile();
            if let Some(status) = child.try_wait().map_err(|source| self.system(source))? {
                return Ok(status);
            }
            if let Some(limit) = limit.filter(|limit| began.elapsed() > *limit) {
                drop(group);
                child.wait().map_err(|source| self.system(source))?;
                return Err(ProcessError::Endless { program: self.name.to_owned(), seconds: limit.as_secs() });
            }
            thread::sleep(LOOK);
        }
    }
}

/// Why a program failed: the last line that says something of what it wrote to standard error, else its exit status.
#[must_use]
pub fn last_words(errors: &str, status: i32) -> String {
    let line = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
    line.map_or_else(|| format!("exit status {status}, without a word"), str::to_owned)
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

/// The pipe's lines, each with its end: a newline, or the return to the line's beginning that progress has.
fn lines(pipe: Option<impl Read + Send + 'static>) -> std::sync::mpsc::Receiver<String> {
    let (send, receive) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let mut line = Vec::new();
        for byte in io::BufReader::new(pipe).bytes().map_while(Result::ok) {
            line.push(byte);
            if matches!(byte, b'\n' | b'\r') {
                drop(send.send(String::from_utf8_lossy(&line).into_owned()));
                line.clear();
            }
        }
        if !line.is_empty() {
            drop(send.send(String::from_utf8_lossy(&line).into_owned()));
        }
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::emulated;

    fn shell(script: &str, limit: Option<Duration>, input: &[u8]) -> Result<(Ended, String), ProcessError> {
        let mut errors = String::new();
        let terms = Terms { input: input.to_vec(), limit };
        let program = Program { name: "sh", help: "" };
        let ended = program.run(Command::new("sh").args(["-c", script]), terms, &mut |line| errors += line)?;
        Ok((ended, errors))
    }

    #[test]
    fn input_goes_in_and_both_outputs_and_the_status_come_back() {
        if emulated() {
            return;
        }
        // More than a pipe holds, everywhere.
        let (ended, errors) = shell("head -c 200000 /dev/zero >&2; cat; exit 7", None, &[b'x'; 200_000]).expect("ends");
        assert_eq!((ended.stdout.len(), errors.len(), ended.status), (200_000, 200_000, 7));
    }

    #[test]
    fn a_signal_is_a_status() {
        if emulated() {
            return;
        }
        assert_eq!(shell("kill -9 $$", None, b"").expect("ends").0.status, 128 + 9);
    }

    #[test]
    fn a_program_that_reads_nothing_is_not_waited_for() {
        if emulated() {
            return;
        }
        assert_eq!(shell("exit 3", None, &[0; 1 << 20]).expect("ends").0.status, 3);
    }

    #[test]
    fn what_does_not_end_is_stopped() {
        if emulated() {
            return;
        }
        let error = shell("exec sleep 60", Some(Duration::from_millis(50)), b"").expect_err("does not end");
        assert_eq!(error.to_string(), "sh did not end within 0 s and was stopped");
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        if emulated() {
            return;
        }
        let (ended, _) = shell("sleep 600 >/dev/null 2>&1 & echo $!", None, b"").expect("ends");
        assert!(is_gone(&ended.stdout), "it runs on");
        let began = Instant::now();
        // It holds the output open, and is not waited for.
        shell("sleep 600 & sleep 600 & exit 0", None, b"").expect("ends");
        shell("sleep 600 & sleep 600", Some(Duration::from_millis(50)), b"").expect_err("does not end");
        assert!(began.elapsed() < Duration::from_secs(60), "ten minutes were waited for");
    }

    /// Whether no process has the number in this text, once what ends it has had time.
    fn is_gone(number: &[u8]) -> bool {
        let number: i32 = String::from_utf8_lossy(number).trim().parse().expect("a number");
        let process = rustix::process::Pid::from_raw(number).expect("of a process");
        let began = Instant::now();
        while rustix::process::test_kill_process(process).is_ok() {
            // Where nothing adopts processes, one that has ended stays as a name.
            let state = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            if state.contains(") Z ") {
                return true;
            }
            if began.elapsed() > Duration::from_secs(10) {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    #[test]
    fn the_last_line_that_says_something_is_the_reason() {
        assert_eq!(last_words("first\n the reason \n\n", 3), "the reason");
        assert_eq!(last_words("\n", 3), "exit status 3, without a word");
    }

    #[test]
    fn what_is_missing_is_named_with_its_source() {
        if emulated() {
            return;
        }
        let program = Program { name: "no-such-program", help: "look elsewhere" };
        let error = program.version().expect_err("is missing").to_string();
        assert_eq!(error, "no-such-program is not installed; look elsewhere");
    }
}
