//! Linux on another machine, reached with the system's `ssh`.
//!
//! One connection a step: what the machine is and a folder there, the program into it, the run, its files back, the folder away.
//! Scripts go in by standard input and name nothing but what was checked, so that the login shell over there has nothing to
//! misunderstand.

use super::step::Step;
use super::{Answer, ElsewhereError, Files, Place, Request, archive, program};
use crate::process::{AtEnd, Ended, Program, Undo, last_words};
use std::env;
use std::fmt;
use std::fs;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;
use tracing::{info, warn};

/// A machine as `ssh` knows it: `host`, `user@host`, or a name in the user's configuration, which says ports and keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SshHost(String);

/// It is no name of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("ssh:{_0} names no machine: expected ssh:HOST, ssh:USER@HOST or a name in ~/.ssh/config")]
pub struct HostError(String);

impl FromStr for SshHost {
    type Err = HostError;

    fn from_str(host: &str) -> Result<Self, HostError> {
        let strange = |c: char| c.is_whitespace() || c.is_control();
        // What begins with a hyphen would be an option of ssh.
        if host.is_empty() || host.starts_with('-') || host.contains("@-") || host.chars().any(strange) {
            return Err(HostError(host.to_owned()));
        }
        Ok(Self(host.to_owned()))
    }
}

impl fmt::Display for SshHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The variable of the environment that names another program in place of `ssh`.
const VARIABLE: &str = "KEMPROF_SSH";
/// No questions, and no waiting for a machine that does not answer. Everything else is the user's configuration.
const OPTIONS: [&str; 8] =
    ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"];
/// The exit status of ssh when it is ssh that failed.
const NO_CONNECTION: i32 = 255;
/// For a step that takes a machine no time.
const SHORT: Duration = Duration::from_secs(60);
/// For a step that moves megabytes.
const LONG: Duration = Duration::from_secs(600);

/// What the machine is, and a folder of our own there, whose name needs no quotes.
const BEGIN: &str = "case ${TMPDIR:-.} in [!/]*|*[!A-Za-z0-9/._+-]*) TMPDIR=/tmp ;; esac
uname -sm && umask 077 && mktemp -d \"$TMPDIR/kemprof.XXXXXXXXXX\"
";

/// This program on another machine.
#[derive(Clone, Debug)]
pub struct Ssh {
    host: SshHost,
    program: String,
}

impl Ssh {
    /// On `host`, with the program that `KEMPROF_SSH` names or `ssh`.
    #[must_use]
    pub fn to(host: SshHost) -> Self {
        let program = env::var(VARIABLE).ok().filter(|program| !program.is_empty());
        Self { host, program: program.unwrap_or_else(|| "ssh".to_owned()) }
    }

    fn place(&self) -> String {
        format!("on {}", self.host)
    }

    /// One connection: what `script` (or `command`, which is given `input`) writes there.
    fn step(
        &self,
        (what, limit): (&'static str, Option<Duration>),
        command: &str,
        input: Vec<u8>,
        errors: &mut dyn FnMut(&str),
    ) -> Result<Ended, ElsewhereError> {
        let help = "install OpenSSH's client, or name another with KEMPROF_SSH";
        let place = self.place();
        let program = Program { name: &self.program, help };
        let step = Step { program, what, limit, place: &place };
        let mut ssh = Command::new(&self.program);
        ssh.args(OPTIONS).arg("--").arg(&self.host.0).arg(command);
        step.run(&mut ssh, input, errors)
    }

    /// A step that has to succeed.
    fn demand(
        &self,
        what: (&'static str, Option<Duration>),
        command: &str,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, ElsewhereError> {
        let mut said = String::new();
        let outcome = self.step(what, command, input, &mut |line| said += line)?;
        match outcome.status {
            0 => Ok(outcome.stdout),
            NO_CONNECTION => Err(ElsewhereError::NoConnection {
                place: self.host.to_string(),
                reason: last_words(&said, NO_CONNECTION),
            }),
            status => {
                Err(ElsewhereError::Step { place: self.place(), step: what.0, reason: last_words(&said, status) })
            }
        }
    }

    /// What the machine is, and the folder there.
    fn begin(&self) -> Result<(String, Held), ElsewhereError> {
        let what = ("looking at the machine", Some(SHORT));
        let answer = self.demand(what, "sh", BEGIN.into())?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let mut lines = answer.lines();
        let (machine, path) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._+-".contains(c);
        if !path.starts_with('/') || !path.contains("/kemprof.") || !path.chars().all(plain) || lines.next().is_some() {
            let what = format!("{:?} where the machine's name and a folder were expected", first(&answer));
            return Err(ElsewhereError::Garbled { place: self.host.to_string(), what });
        }
        let folder = Held::new(Folder { ssh: self.clone(), path: path.to_owned() })?;
        match machine.split_once(' ') {
            Some(("Linux", machine)) if program::runs_on(machine) => Ok((machine.to_owned(), folder)),
            _ => {
                let place = self.host.to_string();
                Err(ElsewhereError::UnknownMachine { place, machine: machine.to_owned() })
            }
        }
    }
}

/// A folder on the other machine.
#[derive(Clone)]
struct Folder {
    ssh: Ssh,
    path: String,
}

/// A folder that goes when this does, or when a signal ends this program, with all that runs in it.
struct Held {
    folder: Folder,
    _at_end: AtEnd,
}

impl Held {
    fn new(folder: Folder) -> Result<Self, ElsewhereError> {
        let left = folder.clone();
        let begin = || Ok(((), Undo::Run(Box::new(move || left.remove()))));
        let ((), at_end) = AtEnd::begin(begin).map_err(ElsewhereError::Temporary)?;
        Ok(Self { folder, _at_end: at_end })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.folder.remove();
    }
}

impl Folder {
    /// Ends what runs there, and removes it.
    fn remove(&self) {
        let path = &self.path;
        let script = format!("[ ! -f {path}/pid ] || kill \"$(cat {path}/pid)\" 2>/dev/null\nrm -rf {path}\n");
        if let Err(error) = self.ssh.demand(("cleaning up", Some(SHORT)), "sh", script.into()) {
            warn!("{path} is left {}: {error}", self.ssh.place());
        }
    }

    fn upload(&self, program: Vec<u8>) -> Result<(), ElsewhereError> {
        let path = &self.path;
        let command = format!("cat > {path}/kemprof && chmod 700 {path}/kemprof");
        self.ssh.demand(("copying kemprof there", Some(LONG)), &command, program).map(drop)
    }

    /// Runs the program. Its number is written down for [`remove`](Self::remove): it does not end with the connection.
    fn run(&self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Ended, ElsewhereError> {
        // A line behind: what ssh says last of a lost connection is said once, in the error.
        let mut held = String::new();
        let mut pass = |line: &str| {
            errors(&std::mem::replace(&mut held, line.to_owned()));
        };
        let outcome = self.ssh.step(("a run", None), "sh", self.script(request).into(), &mut pass)?;
        if outcome.status == NO_CONNECTION {
            let reason = last_words(&held, NO_CONNECTION);
            return Err(ElsewhereError::NoConnection { place: self.ssh.host.to_string(), reason });
        }
        errors(&held);
        Ok(outcome)
    }

    fn script(&self, request: &Request<'_>) -> String {
        let words = request.arguments.iter().map(|word| quoted(word));
        let variables = request.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words: Vec<String> = variables.chain(["./kemprof".to_owned()]).chain(words).collect();
        let folders: String = request.folders.iter().map(|folder| format!("mkdir {folder} && ")).collect();
        let Self { path, .. } = self;
        // A list that is run in the background would not give its own exit status.
        format!(
            "cd {path} && {folders}cd . || exit 125\nenv {} </dev/null &\necho $! > pid\nwait $!\n",
            words.join(" ")
        )
    }

    fn fetch(&self, folders: &[String]) -> Result<Files, ElsewhereError> {
        if folders.is_empty() {
            return Ok(Files::new());
        }
        let command = format!("tar -C {} -cf - {}", self.path, folders.join(" "));
        let bytes = self.ssh.demand(("bringing files back", Some(LONG)), &command, Vec::new())?;
        let garbled = |what| ElsewhereError::Garbled { place: self.ssh.host.to_string(), what };
        archive::read(&bytes, folders).map_err(garbled)
    }
}

impl Place for Ssh {
    fn run(&mut self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Answer, ElsewhereError> {
        let (machine, held) = self.begin()?;
        let folder = &held.folder;
        info!(host = %self.host, machine, "connected");
        let path = program::build(&machine)?;
        let bytes = fs::read(&path).map_err(|source| ElsewhereError::Program { path, source })?;
        folder.upload(bytes)?;
        let outcome = folder.run(request, errors)?;
        let ended = Answer::of(outcome, Files::new(), &self.place())?;
        Ok(Answer { files: folder.fetch(request.folders)?, ..ended })
    }
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    // What cannot be quoted, a NUL, cannot be in an argument.
    shlex::try_quote(word).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_machines_are_no_options() {
        for good in ["pi", "me@pi.local", "10.0.0.7", "board-3"] {
            assert_eq!(good.parse::<SshHost>().expect(good).to_string(), good);
        }
        for bad in ["", "-oProxyCommand=x", "me@-x", "a b", "a\nb", "a\0b"] {
            let error = bad.parse::<SshHost>().expect_err(bad).to_string();
            assert!(error.contains("names no machine"), "{error}");
        }
    }

    #[test]
    fn a_shell_takes_words_as_they_are() {
        for word in ["plain", "", "two words", "it's", "\"$HOME\" `id` \\ * ; & | #!", "new\nline", "-x", "ä€"] {
            let script = format!("printf %s {}", quoted(word));
            let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{script}");
        }
    }
}
