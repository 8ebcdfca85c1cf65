//! Running another program to its end, or to the user's patience.

use super::ElsewhereError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::unregister;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What another program wrote, and how it ended.
pub(super) struct Outcome {
    pub(super) stdout: Vec<u8>,
    /// Exit status, or 128 and the number of the signal that ended it.
    pub(super) status: i32,
}

/// While this lives, signals to end the program do not end it: what was begun is cleaned up first.
pub(super) struct Interrupts {
    seen: Arc<AtomicBool>,
    registered: Vec<signal_hook::SigId>,
}

impl Interrupts {
    pub(super) fn held() -> Self {
        let seen = Arc::new(AtomicBool::new(false));
        // A signal that cannot be held ends the program as ever.
        let hold = |signal| flag::register(signal, Arc::clone(&seen)).ok();
        let registered = [SIGINT, SIGTERM, SIGHUP].into_iter().filter_map(hold).collect();
        Self { seen, registered }
    }

    fn seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}

/// How to run a program.
pub(super) struct Run<'a> {
    /// Its name in messages.
    pub(super) name: &'a str,
    /// What to do where it is missing.
    pub(super) help: &'static str,
    /// What is being done, and how long it may take; however long where there is no limit.
    pub(super) step: &'static str,
    pub(super) limit: Option<Duration>,
    /// Where to, in messages.
    pub(super) place: &'a str,
}

/// How long to wait for last words after the end.
const SILENCE: Duration = Duration::from_millis(500);
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

impl Run<'_> {
    /// Runs `command` with `input` on its standard input. What it writes to standard error is given to `errors`, a line at a time.
    pub(super) fn run(
        &self,
        command: &mut Command,
        input: Vec<u8>,
        interrupts: Option<&Interrupts>,
        errors: &mut dyn FnMut(&str),
    ) -> Result<Outcome, ElsewhereError> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ElsewhereError::Missing { program: self.name.to_owned(), help: self.help },
            _ => self.system(source),
        })?;
        // All three at once: each end would wait for the other to read.
        let feed = child.stdin.take().map(|mut stdin| {
            // One that ends early says why by itself.
            thread::spawn(move || drop(stdin.write_all(&input)))
        });
        let stdout = collect(child.stdout.take());
        let lines = lines(child.stderr.take());
        let began = Instant::now();
        let status = loop {
            while let Ok(line) = lines.try_recv() {
                errors(&line);
            }
            if let Some(status) = child.try_wait().map_err(|source| self.system(source))? {
                break status;
            }
            if interrupts.is_some_and(Interrupts::seen) {
                self.stop(&mut child)?;
                return Err(ElsewhereError::Interrupted(self.place.to_owned()));
            }
            if let Some(limit) = self.limit.filter(|limit| began.elapsed() > *limit) {
                self.stop(&mut child)?;
                let (place, step, seconds) = (self.place.to_owned(), self.step, limit.as_secs());
                return Err(ElsewhereError::Endless { place, step, seconds });
            }
            thread::sleep(LOOK);
        };
        // A connection that ssh keeps open in the background may hold standard error open as well.
        while let Ok(line) = lines.recv_timeout(SILENCE) {
            errors(&line);
        }
        drop(feed.map(thread::JoinHandle::join));
        let stdout = stdout.join().unwrap_or_else(|_| Err(io::Error::other("its output was not read")));
        let stdout = stdout.map_err(|source| self.system(source))?;
        if interrupts.is_some_and(Interrupts::seen) {
            return Err(ElsewhereError::Interrupted(self.place.to_owned()));
        }
        let signal = || 128 + status.signal().unwrap_or_default();
        Ok(Outcome { stdout, status: status.code().unwrap_or_else(signal) })
    }

    fn stop(&self, child: &mut Child) -> Result<(), ElsewhereError> {
        child.kill().and_then(|()| child.wait().map(drop)).map_err(|source| self.system(source))
    }

    fn system(&self, source: io::Error) -> ElsewhereError {
        ElsewhereError::System { program: self.name.to_owned(), source }
    }
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

    fn shell(script: &str, limit: Option<Duration>, input: &[u8]) -> Result<(Outcome, String), ElsewhereError> {
        let run = Run { name: "sh", help: "", step: "a test", limit, place: "here" };
        let mut errors = String::new();
        let outcome = run.run(Command::new("sh").args(["-c", script]), input.to_vec(), None, &mut |line| {
            errors += line;
        })?;
        Ok((outcome, errors))
    }

    #[test]
    fn input_goes_in_and_both_outputs_and_the_status_come_back() {
        // More than a pipe holds, everywhere.
        let (outcome, errors) =
            shell("head -c 200000 /dev/zero >&2; cat; exit 7", None, &[b'x'; 200_000]).expect("ends");
        assert_eq!((outcome.stdout.len(), errors.len(), outcome.status), (200_000, 200_000, 7));
    }

    #[test]
    fn a_signal_is_a_status() {
        assert_eq!(shell("kill -9 $$", None, b"").expect("ends").0.status, 128 + 9);
    }

    #[test]
    fn a_program_that_reads_nothing_is_not_waited_for() {
        assert_eq!(shell("exit 3", None, &[0; 1 << 20]).expect("ends").0.status, 3);
    }

    #[test]
    fn what_does_not_end_is_stopped() {
        let error = shell("exec sleep 60", Some(Duration::from_millis(50)), b"").err().expect("does not end");
        assert_eq!(error.to_string(), "here: a test did not end within 0 s");
    }
}
