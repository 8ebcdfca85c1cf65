//! The command line: options to typed settings, and nothing else.

mod args;
mod compare;
pub(crate) mod diagnostics;
mod failure;
mod help;
pub(crate) mod output;
mod target;
mod tools;

pub use args::{
    Cli, Command, CompletionsArgs, DoctorArgs, FlamegraphArgs, InitArgs, KatArgs, ListArgs, ManArgs, OutArgs,
    ProfileArgs, SamplingArg, ShowArgs, SuiteArgs, VerifyArgs,
};
pub use compare::{CompareArgs, OperationArg};
pub use failure::{Failure, usage};
pub use help::command;
pub use output::print_error;
pub use target::{ProfileKind, Runner, TargetArgs};
pub use tools::{BenchHashArgs, DiffArgs, WhatIfArgs};
