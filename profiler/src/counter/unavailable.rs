use crate::words::plural;
use serde::Serialize;
use std::io;
use thiserror::Error;

/// Why a counter has no figure to give. The text says what would help, where something would.
#[derive(Clone, PartialEq, Eq, Debug, Error, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Unavailable {
    /// The counter belongs to another architecture.
    #[error("it belongs to {needs}, and this is {here}")]
    Architecture {
        /// The architecture that has it.
        needs: &'static str,
        /// The architecture of this build.
        here: &'static str,
    },
    /// The counter belongs to another operating system.
    #[error("it belongs to {needs}, and this is {here}")]
    System {
        /// The system that has it.
        needs: &'static str,
        /// The system of this build.
        here: &'static str,
    },
    /// The kernel does not let this process count.
    #[error("the kernel refuses it ({errno}): {}", refusal(*paranoid))]
    Refused {
        /// The error's name: `EACCES` or `EPERM`.
        errno: &'static str,
        /// The value of `kernel.perf_event_paranoid`, where it can be read.
        paranoid: Option<i32>,
    },
    /// No performance monitoring unit is there to count with.
    #[error("there is no hardware performance counter here ({errno}){}", if *virtual_machine { ": this is a virtual machine, and its host shows it none" } else { "; is this a virtual machine?" })]
    NoHardware {
        /// The error's name: `ENOENT`, `ENODEV` or `EOPNOTSUPP`.
        errno: &'static str,
        /// Whether the processor says that it is virtual.
        virtual_machine: bool,
    },
    /// The kernel was built without the system call, or a sandbox hides it.
    #[error("the system has no call for it (ENOSYS): a kernel without perf events, an emulator or a sandbox")]
    NoSystemCall,
    /// Someone else holds the hardware counters for themselves.
    #[error("another program holds the hardware counters (EBUSY)")]
    Busy,
    /// The system refused for a reason of its own.
    #[error("{operation} failed: {message}")]
    Failed {
        /// What was tried.
        operation: &'static str,
        /// The system's words.
        message: String,
    },
    /// The counter was opened but the kernel never gave it a hardware register.
    #[error(
        "the kernel found no free hardware register for it in {enabled_ns} ns; others use them (`{FREE_REGISTER}` frees one)"
    )]
    NeverScheduled {
        /// How long it waited, in ns.
        enabled_ns: u64,
    },
    /// The time stamp counter stops or changes its rate with the core.
    #[error(
        "the time stamp counter does not run at a constant rate through sleep and frequency changes (no `{missing}`)"
    )]
    NotInvariant {
        /// The CPU flag that is absent.
        missing: &'static str,
    },
    /// The counter showed one value all the time.
    #[error("it does not move: it read {value} {} while the core worked", plural(reads, "time"))]
    DidNotMove {
        /// The value.
        value: u64,
        /// How often it was read.
        reads: usize,
    },
    /// The counter showed a smaller value after a larger one.
    #[error("it went backwards: it read {to} after {from}")]
    WentBackwards {
        /// The larger value, which came first.
        from: u64,
        /// The smaller value that followed.
        to: u64,
    },
    /// The kernel counts, but does not let this process read the register.
    #[error("{why}; `{ALLOW_REGISTERS}` allows it")]
    NoUserAccess {
        /// What its page says.
        why: String,
    },
    /// Reading the counter ends the program that tries it.
    #[error("reading it is forbidden here: a trial process was ended by signal {signal}")]
    Trapped {
        /// The signal that ended the trial process, e.g. 4 (SIGILL) or 11 (SIGSEGV).
        signal: i32,
    },
    /// The counter works in programs that valgrind runs, which this one is not.
    #[error(
        "it counts in a program that valgrind runs; `kemprof` starts itself again under it where `--counter callgrind` is asked for"
    )]
    NotUnderValgrind,
    /// Time passes as an emulator has it.
    #[error("{emulator} runs this program, in a time of its own: run kemprof on the machine itself")]
    Emulated {
        /// What runs the program in place of a processor.
        emulator: String,
    },
    /// A counter that was asked not to count.
    #[error("it was asked not to count time")]
    NotWanted,
}

/// The command that lets programs count events.
pub const ALLOW_EVENTS: &str = "sudo sysctl kernel.perf_event_paranoid=2";
/// The command that lets programs read the registers of what they count (kernel documentation, arch/arm64/perf.rst;
/// arch/x86/events/core.c for rdpmc).
const ALLOW_REGISTERS: &str = if cfg!(target_arch = "aarch64") {
    "sudo sysctl kernel.perf_user_access=1"
} else {
    "echo 1 | sudo tee /sys/devices/cpu/rdpmc"
};
/// The command that gives back the register which the kernel's watchdog counts with.
const FREE_REGISTER: &str = "sudo sysctl kernel.nmi_watchdog=0";

fn refusal(paranoid: Option<i32>) -> String {
    // perf_event_paranoid: 2 allows a process to count its own user-mode code; Debian's and Android's kernels know 3 and
    // above, which allow nothing (kernel documentation, admin-guide/sysctl/kernel.rst).
    match paranoid {
        Some(level) if level > 2 => {
            format!("kernel.perf_event_paranoid is {level}; `{ALLOW_EVENTS}` allows it")
        }
        Some(level) => format!(
            "kernel.perf_event_paranoid is {level}, which would allow it, so a container's seccomp filter or a security \
             module forbids it; allow `perf_event_open` there"
        ),
        None => "kernel.perf_event_paranoid is not readable; a value of 2 or less would allow it".to_owned(),
    }
}

impl Unavailable {
    /// The command that would make the counter work, where there is one.
    #[must_use]
    pub fn fix(&self) -> Option<&'static str> {
        match self {
            Self::Refused { paranoid: Some(3..), .. } => Some(ALLOW_EVENTS),
            Self::NoUserAccess { .. } => Some(ALLOW_REGISTERS),
            Self::NeverScheduled { .. } => Some(FREE_REGISTER),
            _ => None,
        }
    }

    /// What an error of `perf_event_open` means.
    #[must_use]
    pub fn from_perf(error: &io::Error, paranoid: Option<i32>, virtual_machine: bool) -> Self {
        match error.raw_os_error() {
            Some(libc::EACCES) => Self::Refused { errno: "EACCES", paranoid },
            Some(libc::EPERM) => Self::Refused { errno: "EPERM", paranoid },
            Some(libc::ENOENT) => Self::NoHardware { errno: "ENOENT", virtual_machine },
            Some(libc::ENODEV) => Self::NoHardware { errno: "ENODEV", virtual_machine },
            Some(libc::EOPNOTSUPP) => Self::NoHardware { errno: "EOPNOTSUPP", virtual_machine },
            Some(libc::ENOSYS) => Self::NoSystemCall,
            Some(libc::EBUSY) => Self::Busy,
            _ => Self::Failed { operation: "perf_event_open", message: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perf(errno: i32, paranoid: Option<i32>) -> String {
        Unavailable::from_perf(&io::Error::from_raw_os_error(errno), paranoid, true).to_string()
    }

    #[test]
    fn a_refusal_names_the_setting_and_the_command() {
        let text = perf(libc::EACCES, Some(3));
        assert!(text.contains("EACCES") && text.contains("perf_event_paranoid is 3"), "{text}");
        assert!(text.contains("sudo sysctl kernel.perf_event_paranoid=2"), "{text}");
    }

    #[test]
    fn a_refusal_that_the_setting_does_not_explain_names_the_sandbox() {
        let text = perf(libc::EPERM, Some(1));
        assert!(text.contains("EPERM") && text.contains("seccomp") && !text.contains("sudo sysctl"), "{text}");
    }

    #[test]
    fn missing_hardware_and_missing_calls_are_told_apart() {
        assert!(perf(libc::ENOENT, None).contains("no hardware performance counter here (ENOENT): this is a virtual"));
        assert!(perf(libc::ENOSYS, None).contains("ENOSYS"));
        assert!(perf(libc::EBUSY, None).contains("EBUSY"));
        let other = perf(libc::EINVAL, None);
        assert!(other.starts_with("perf_event_open failed: ") && other.contains("Invalid"), "{other}");
    }

    #[test]
    fn evidence_carries_the_kind() {
        let value = serde_json::to_value(Unavailable::DidNotMove { value: 0, reads: 10 }).unwrap();
        assert_eq!(value, serde_json::json!({"kind": "did-not-move", "value": 0, "reads": 10}));
    }
}
