//! The command line: options to typed settings, and nothing else.

mod args;
mod compare;
mod diagnostics;
mod elsewhere;
mod failure;
pub(crate) mod output;
mod target;
mod tools;

pub use args::{
    Cli, Command, DoctorArgs, FlamegraphArgs, KatArgs, ListArgs, OutArgs, ProfileArgs, SamplingArg, ShowArgs,
    SuiteArgs, VerifyArgs,
};
pub use compare::{CompareArgs, OperationArg};
pub use failure::{Failure, usage};
pub use target::{ProfileKind, TargetArgs};
pub use tools::{BenchHashArgs, DiffArgs, WhatIfArgs};

use crate::commands;
use crate::counter::Callgrind;
use crate::environment::Origin;
use crate::evidence::Operation;
use clap::Parser;
use std::ffi::OsString;

/// The counter that needs another program around this one.
const CALLGRIND: &str = "callgrind";

/// Runs the command line `args`, whose first is the program's own name.
///
/// # Errors
/// A [`Failure`], which knows its exit code. Asking for help or the version is none.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let command: Vec<String> = args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let cli = match Cli::try_parse_from(&command) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(Failure::from_clap(&error)),
        Err(help) => return output::print(&help.render().ansi().to_string()),
    };
    diagnostics::init(cli.verbose)?;
    if let Some((target, destinations)) = elsewhere::destinations(&cli.command)? {
        return commands::elsewhere(&target, destinations, &command);
    }
    if cli.command.counter() == Some(CALLGRIND) && !Callgrind::is_around() {
        return commands::under_callgrind(&command);
    }
    // What evidence quotes is what the user typed, wherever that was.
    let origin = Origin::of_process().map_err(|error| usage(format_args!("{} is wrong: {error}", Origin::VARIABLE)))?;
    let command = origin.map_or(command, |origin| origin.command);
    match cli.command {
        Command::Keygen(args) => commands::profile(&[Operation::Keygen], &args, &command),
        Command::Enc(args) => commands::profile(&[Operation::Enc], &args, &command),
        Command::Dec(args) => commands::profile(&[Operation::Dec], &args, &command),
        Command::All(args) => commands::profile(&Operation::ALL, &args, &command),
        Command::Compare(args) => commands::compare(&args, &command),
        Command::Kat(args) => commands::kat(&args, &command),
        Command::Flamegraph(args) => commands::flamegraph(&args),
        Command::Whatif(args) => commands::whatif(&args),
        Command::Diff(args) => commands::diff(&args),
        Command::BenchHash(args) => commands::bench_hash(&args, &command),
        Command::Show(args) => commands::show(&args),
        Command::Verify(args) => commands::verify(&args),
        Command::Doctor(args) => commands::doctor(&args),
        Command::List(args) => commands::list(&args),
        Command::Trials => commands::trials(),
    }
}
