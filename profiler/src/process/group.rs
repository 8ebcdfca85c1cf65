use super::ending::{AtEnd, Undo};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// A process group for a program and all that it starts. It ends with this, and with this program however that ends.
///
/// Its leader is a shell that waits for the end of a pipe whose other end only this program has. When this program is gone, even by
/// SIGKILL, the pipe ends, and the shell stops the group with itself in it. A signal at the parent's death (`PR_SET_PDEATHSIG`)
/// would reach the program alone, and not the compilers that a build has started.
#[derive(Debug)]
pub(super) struct Group {
    keeper: Child,
    id: Pid,
    _at_end: AtEnd,
}

/// What the leader runs. Programs get time to remove what they made, and are then stopped.
const KEEPER: &str = "trap '' HUP INT TERM; read _; kill -s TERM 0; sleep 1; kill -s KILL 0";

impl Group {
    /// A group without a program.
    pub(super) fn begin() -> io::Result<Self> {
        let ((keeper, id), at_end) = AtEnd::begin(|| {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", KEEPER]).process_group(0);
            let keeper = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            let id = Pid::from_child(&keeper);
            Ok(((keeper, id), Undo::Stop(id)))
        })?;
        Ok(Self { keeper, id, _at_end: at_end })
    }

    /// Starts a program in the group.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        command.process_group(self.id.as_raw_nonzero().get()).spawn()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The leader is in it until it is waited for, so that the number is of no other group.
        let _ = kill_process_group(self.id, Signal::KILL);
        let _ = self.keeper.wait();
    }
}
