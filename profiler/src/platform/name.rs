use super::remote::{HostError, SshHost};
use crate::names::{self, UnknownName};
use std::env;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A target by the name that it has on the command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum TargetName {
    /// This machine, in this process.
    #[default]
    Host,
    /// A Cortex-M4: simulated, emulated, or on a board.
    CortexM4,
    /// Linux on AArch64, emulated; on such a machine, this machine.
    Aarch64,
    /// Linux on another machine.
    Ssh(SshHost),
}

/// No target has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownTarget {
    /// None that there is.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// No machine.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// What a name begins with that is followed by a machine's.
const SSH: &str = "ssh:";

impl TargetName {
    /// The names of every target, with what it is in words.
    pub const KNOWN: [(&str, &str); 4] = [
        ("host", "this machine, in this process"),
        (
            "cortex-m4",
            "a Cortex-M4 in core cycles: simulated (--runner m4sim), emulated without cycles (qemu), or a board (probe-rs)",
        ),
        ("aarch64", "Linux on AArch64 under QEMU: calls and known answers, no times; on such a machine, the machine"),
        ("ssh:HOST", "Linux on another machine, aarch64 or x86_64: kemprof is copied there, runs, and is removed"),
    ];

    /// Whether commands run in this process, be it for the host or for a target that this process drives.
    #[must_use]
    pub fn is_here(&self) -> bool {
        match self {
            Self::Host | Self::CortexM4 => true,
            Self::Aarch64 => env::consts::ARCH == "aarch64",
            Self::Ssh(_) => false,
        }
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.pad("host"),
            Self::CortexM4 => f.pad("cortex-m4"),
            Self::Aarch64 => f.pad("aarch64"),
            Self::Ssh(host) => f.pad(&format!("{SSH}{host}")),
        }
    }
}

impl FromStr for TargetName {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if let Some(host) = name.strip_prefix(SSH) {
            return Ok(Self::Ssh(host.parse()?));
        }
        match names::find("target", name, &Self::KNOWN.map(|(name, _)| name))? {
            "host" => Ok(Self::Host),
            "cortex-m4" => Ok(Self::CortexM4),
            "aarch64" => Ok(Self::Aarch64),
            _ => Ok(Self::Ssh("".parse()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in ["host", "cortex-m4", "aarch64", "ssh:me@pi"] {
            assert_eq!(name.parse::<TargetName>().expect(name).to_string(), name);
        }
        let error = "vax".parse::<TargetName>().expect_err("is unknown").to_string();
        assert_eq!(error, "unknown target \"vax\"; known: host, cortex-m4, aarch64, ssh:HOST");
        let error = "ssh:-v".parse::<TargetName>().expect_err("is an option").to_string();
        assert!(error.starts_with("ssh:-v names no machine"), "{error}");
    }
}
