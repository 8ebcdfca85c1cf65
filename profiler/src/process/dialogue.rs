//! A program that is talked to while it runs: lines go in, lines come out.

use super::group::Group;
use super::{LOOK, ProcessError, Program, SILENCE};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a line at the most: a record is some hundred kilobytes, and what another program sends is not kept in memory without end.
const MOST_BYTES: u64 = 256 << 20;
/// What a program may take to end once it has nothing more to read.
const GRACE: Duration = Duration::from_secs(2);

/// What a program does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// It writes this line to standard output.
    Output(String),
    /// It writes this line to standard error.
    Error(String),
    /// Nothing, until the time was over.
    Late,
    /// It ends with this exit status, or with 128 and the number of a signal.
    Ended(i32),
}

/// A program that runs, and all that it started: they end with this.
#[derive(Debug)]
pub struct Dialogue {
    child: Child,
    group: Option<Group>,
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Heard>,
}

impl Program<'_> {
    /// Starts `command`, which starts this program, to talk to it.
    ///
    /// # Errors
    /// When it does not start.
    pub fn talk(&self, command: &mut Command) -> Result<Dialogue, ProcessError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = self.start(command)?;
        let (send, lines) = mpsc::channel();
        pass_on(child.stdout.take(), send.clone(), Heard::Output);
        pass_on(child.stderr.take(), send, Heard::Error);
        let (input, texts) = mpsc::channel::<Vec<u8>>();
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read is not waited for; one that has ended says why by itself.
            thread::spawn(move || texts.iter().try_for_each(|text| stdin.write_all(&text)));
        }
        Ok(Dialogue { child, group: Some(group), input: Some(input), lines })
    }
}

impl Dialogue {
    /// Gives the program a line, without its end, to read.
    pub fn say(&self, line: &str) {
        if let Some(input) = &self.input {
            drop(input.send(format!("{line}\n").into_bytes()));
        }
    }

    /// What the program does next, until `deadline`.
    pub fn hear(&mut self, deadline: Option<Instant>) -> Heard {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return line,
                Err(RecvTimeoutError::Disconnected) => {
                    // It may close its output long before it ends.
                    if let Some(status) = self.status() {
                        return Heard::Ended(status);
                    }
                    thread::sleep(LOOK);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = self.status() {
                        // What is still in its pipes comes first. Another program may hold them open.
                        return self.lines.recv_timeout(SILENCE).unwrap_or(Heard::Ended(status));
                    }
                }
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Heard::Late;
            }
        }
    }

    fn status(&mut self) -> Option<i32> {
        let code = |status: ExitStatus| status.code().unwrap_or(128 + status.signal().unwrap_or_default());
        self.child.try_wait().ok().flatten().map(code)
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.input = None;
        let began = Instant::now();
        while self.status().is_none() && began.elapsed() < GRACE {
            thread::sleep(LOOK);
        }
        self.group = None;
        let _ = self.child.wait();
    }
}

fn pass_on(pipe: Option<impl Read + Send + 'static>, send: Sender<Heard>, heard: fn(String) -> Heard) {
    thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut line = Vec::new();
            match (&mut pipe).take(MOST_BYTES).read_until(b'\n', &mut line) {
                Ok(1..) => {}
                Ok(0) | Err(_) => return,
            }
            let text = String::from_utf8_lossy(&line);
            if send.send(heard(text.trim_end_matches(['\n', '\r']).to_owned())).is_err() {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::emulated;

    fn shell(script: &str) -> Dialogue {
        let program = Program { name: "sh", help: "" };
        program.talk(Command::new("sh").args(["-c", script])).expect("starts")
    }

    #[test]
    fn lines_go_in_and_come_out_until_the_end() {
        if emulated() {
            return;
        }
        let mut dialogue = shell("read a; echo got $a; read b; echo $b >&2; kill -9 $$");
        dialogue.say("one");
        assert_eq!(dialogue.hear(None), Heard::Output("got one".to_owned()));
        dialogue.say("two");
        assert_eq!(dialogue.hear(None), Heard::Error("two".to_owned()));
        assert_eq!(dialogue.hear(None), Heard::Ended(128 + 9));
    }

    #[test]
    fn one_that_says_nothing_is_late_and_ends_with_the_dialogue() {
        if emulated() {
            return;
        }
        let began = Instant::now();
        let mut dialogue = shell("exec sleep 600");
        // More than a pipe holds.
        dialogue.say(&"x".repeat(1 << 20));
        assert_eq!(dialogue.hear(Some(Instant::now() + Duration::from_millis(50))), Heard::Late);
        drop(dialogue);
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_pipe_that_another_program_holds_open_is_not_waited_for() {
        if emulated() {
            return;
        }
        let mut dialogue = shell("sleep 600 & echo last; exit 3");
        assert_eq!(dialogue.hear(None), Heard::Output("last".to_owned()));
        assert_eq!(dialogue.hear(None), Heard::Ended(3));
    }
}
