use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A target by the name that it has on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TargetName {
    /// This machine, in this process.
    #[default]
    Host,
    /// A Cortex-M4: simulated, emulated, or on a board.
    CortexM4,
}

/// No target has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown target {_0:?}; known: {}", TargetName::ALL.map(TargetName::name).join(", "))]
pub struct UnknownTarget(String);

impl TargetName {
    /// Every target.
    pub const ALL: [Self; 2] = [Self::Host, Self::CortexM4];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::CortexM4 => "cortex-m4",
        }
    }

    /// What it is, in words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Host => "this machine, in this process",
            Self::CortexM4 => {
                "a Cortex-M4 in core cycles: simulated (--runner m4sim), emulated without cycles (qemu), or a board (probe-rs)"
            }
        }
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TargetName {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|target| target.name() == name).ok_or_else(|| UnknownTarget(name.to_owned()))
    }
}
