//! A machine of which this program is the only one: the kernel starts it first, and it makes what other programs would have made.

use super::READY;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, mount};
use rustix::process::Uid;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::system::{RebootCommand, reboot};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustix::thread::set_thread_uid;
use std::fs;
use std::io::{self, Write};
use std::process;

/// What the kernel offers, and where programs look for it.
const MOUNTED: [(&str, &str); 4] = [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp")];
/// The serial line of QEMU's `virt` machine.
const LINE: &str = "/dev/ttyAMA0";

/// The machine of this process.
#[derive(Debug)]
pub(super) struct Machine(());

impl Machine {
    /// Makes the machine ready where this process is its first one, with the serial line in place of input and output; none elsewhere.
    pub(super) fn of_first_process() -> io::Result<Option<Self>> {
        if process::id() != 1 {
            return Ok(None);
        }
        for (kind, path) in MOUNTED {
            mount(kind, path, kind, MountFlags::empty(), None)?;
        }
        let line = rustix::fs::open(LINE, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let mut attributes = tcgetattr(&line)?;
        // Bytes go through as they are.
        attributes.make_raw();
        tcsetattr(&line, OptionalActions::Now, &attributes)?;
        dup2_stdin(&line)?;
        dup2_stdout(&line)?;
        dup2_stderr(&line)?;
        if let Some(user) = user(&fs::read_to_string("/proc/cmdline")?) {
            set_thread_uid(user)?;
        }
        // What comes before the line is opened is lost.
        writeln!(io::stdout(), "{READY}")?;
        Ok(Some(Self(())))
    }

    /// Ends the machine.
    pub(super) fn power_off(self) -> io::Result<()> {
        Ok(reboot(RebootCommand::PowerOff)?)
    }
}

/// The user that the kernel's command line names.
fn user(command_line: &str) -> Option<Uid> {
    let number = command_line.split_whitespace().find_map(|word| word.strip_prefix("kemprof.uid="))?;
    number.parse().ok().map(Uid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_that_of_the_command_line() {
        assert_eq!(user("quiet kemprof.uid=1000 -- worker\n"), Some(Uid::from_raw(1000)));
        assert_eq!(user("quiet -- worker"), None);
    }
}
