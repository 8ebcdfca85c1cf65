//! Linux on another machine, reached with the system's `ssh`.
//!
//! One connection a step: what the machine is and a folder there, the program into it, the worker, the folder away. What a shell over
//! there is given names nothing but what was checked.

use super::{NO_CONNECTION, RemoteError, program};
use crate::platform::worker::{Worker, this_program};
use crate::process::{AtEnd, ProcessError, Program, Terms, Undo, last_words};
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
/// For a step that takes a machine no time.
const SHORT: Duration = Duration::from_secs(60);
/// For a step that moves megabytes.
const LONG: Duration = Duration::from_secs(600);

/// What the machine is, and a folder of our own there, whose name needs no quotes.
const BEGIN: &str = "case ${TMPDIR:-.} in [!/]*|*[!A-Za-z0-9/._+-]*) TMPDIR=/tmp ;; esac
uname -sm && umask 077 && mktemp -d \"$TMPDIR/kemprof.XXXXXXXXXX\"
";

/// A worker on `host`.
pub(super) fn start(host: &SshHost) -> Result<Worker, RemoteError> {
    let program = env::var(VARIABLE).ok().filter(|program| !program.is_empty());
    let ssh = Ssh { host: host.clone(), program: program.unwrap_or_else(|| "ssh".to_owned()) };
    let (machine, held) = ssh.begin()?;
    info!(host = %host, machine, "connected");
    let path = program::build(&machine, program::Linkage::Static)?;
    let bytes = fs::read(&path).map_err(|source| RemoteError::Program { path, source })?;
    held.folder.upload(bytes)?;
    let mut command = ssh.command(&held.folder.run());
    Ok(Worker::start(format!("kemprof {}", ssh.place()), ssh.as_program(), &mut command, Some(Box::new(held)))?)
}

/// How another machine is reached.
#[derive(Clone, Debug)]
struct Ssh {
    host: SshHost,
    program: String,
}

impl Ssh {
    fn place(&self) -> String {
        format!("on {}", self.host)
    }

    fn as_program(&self) -> Program<'_> {
        let help = "install OpenSSH's client, or name another with KEMPROF_SSH";
        Program { name: &self.program, help }
    }

    /// A connection in which `command` runs.
    fn command(&self, command: &str) -> Command {
        let mut ssh = Command::new(&self.program);
        ssh.args(OPTIONS).arg("--").arg(&self.host.0).arg(command);
        ssh
    }

    /// One connection, which has to succeed: what `command`, which is given `input`, writes there.
    fn demand(
        &self,
        (step, limit): (&'static str, Duration),
        command: &str,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut said = String::new();
        let terms = Terms { input, limit: Some(limit) };
        let ended = self.as_program().run(&mut self.command(command), terms, &mut |line| said += line);
        let ended = ended.map_err(|error| match error {
            ProcessError::Endless { seconds, .. } => RemoteError::Endless { place: self.place(), step, seconds },
            error => error.into(),
        })?;
        match ended.status {
            0 => Ok(ended.stdout),
            NO_CONNECTION => Err(RemoteError::NoConnection {
                place: self.host.to_string(),
                reason: last_words(&said, NO_CONNECTION),
            }),
            status => Err(RemoteError::Step { place: self.place(), step, reason: last_words(&said, status) }),
        }
    }

    /// What the machine is, and the folder there.
    fn begin(&self) -> Result<(String, Held), RemoteError> {
        let what = ("looking at the machine", SHORT);
        let answer = self.demand(what, "sh", BEGIN.into())?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let mut lines = answer.lines();
        let (machine, path) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._+-".contains(c);
        if !path.starts_with('/') || !path.contains("/kemprof.") || !path.chars().all(plain) || lines.next().is_some() {
            let what = format!("{:?} where the machine's name and a folder were expected", first(&answer));
            return Err(RemoteError::Garbled { place: self.host.to_string(), what });
        }
        let folder = Held::new(Folder { ssh: self.clone(), path: path.to_owned() })?;
        match machine.split_once(' ') {
            Some(("Linux", machine)) if program::runs_on(machine) => Ok((machine.to_owned(), folder)),
            _ => {
                let place = self.host.to_string();
                Err(RemoteError::UnknownMachine { place, machine: machine.to_owned() })
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
    fn new(folder: Folder) -> Result<Self, RemoteError> {
        let left = folder.clone();
        let begin = || Ok(((), Undo::Run(Box::new(move || left.remove()))));
        let ((), at_end) = AtEnd::begin(begin).map_err(RemoteError::Temporary)?;
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
        if let Err(error) = self.ssh.demand(("cleaning up", SHORT), "sh", script.into()) {
            warn!("{path} is left {}: {error}", self.ssh.place());
        }
    }

    fn upload(&self, program: Vec<u8>) -> Result<(), RemoteError> {
        let path = &self.path;
        let command = format!("cat > {path}/kemprof && chmod 700 {path}/kemprof");
        self.ssh.demand(("copying kemprof there", LONG), &command, program).map(drop)
    }

    /// What runs the worker. Its number is written down for [`remove`](Self::remove): it does not end with the connection. The shell
    /// waits for it, because ssh does not tell a program that a signal ended from a connection that is lost; what it runs in the
    /// background has nothing to read unless it is told what.
    fn run(&self) -> String {
        let (path, words) = (&self.path, this_program().join(" "));
        format!(
            "sh -c 'cd {path} && exec 3<&0 && {{ ./kemprof {words} <&3 3<&- & echo $! >pid; exec 3<&-; wait $!; }}'"
        )
    }
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
}
