//! The options that say where core runs.

use crate::target::TargetName;
use clap::Args;

/// Where core runs.
#[derive(Clone, Debug, Args)]
pub struct TargetArgs {
    /// Where it runs: host is this machine, in this process. `kemprof list` shows all.
    #[arg(long, value_name = "TARGET", default_value_t = TargetName::Host)]
    pub target: TargetName,
}
