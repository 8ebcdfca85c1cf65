//! From a command line to its command.

use super::{
    bench_hash, compare, completions, diff, doctor, flamegraph, init, kat, list, man, profile, schema, show, verify,
    whatif,
};
use crate::cli::{self, Cli, Command, Failure, diagnostics, output, usage};
use crate::evidence::Operation;
use crate::guest;
use crate::platform::{TargetName, worker};
use anyhow::Context;
use clap::FromArgMatches;
use std::ffi::OsString;

/// Runs the command line `args`, whose first is the program's own name.
///
/// # Errors
/// A [`Failure`], which knows its exit code. Asking for help or the version is none.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let command: Vec<String> = args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let parsed = cli::command().try_get_matches_from(&command);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(Failure::from_clap(&error)),
        Err(help) => return output::print_whole(&help.render().ansi().to_string()),
    };
    diagnostics::init(cli.verbose)?;
    if let Some((name, target)) = cli.command.subject()
        && guest::is_manifest(name)
        && !matches!(target, TargetName::Host | TargetName::Aarch64)
    {
        return Err(usage(format_args!(
            "{name} is a manifest, whose KEM runs on this machine and with --target aarch64, not on --target {target}"
        )));
    }
    match cli.command {
        Command::Keygen(args) => profile(&[Operation::Keygen], &args, &command),
        Command::Enc(args) => profile(&[Operation::Enc], &args, &command),
        Command::Dec(args) => profile(&[Operation::Dec], &args, &command),
        Command::All(args) => profile(&Operation::ALL, &args, &command),
        Command::Compare(args) => compare(&args, &command),
        Command::Init(args) => init(&args),
        Command::Kat(args) => kat(&args, &command),
        Command::Flamegraph(args) => flamegraph(&args),
        Command::Whatif(args) => whatif(&args),
        Command::Diff(args) => diff(&args),
        Command::BenchHash(args) => bench_hash(&args, &command),
        Command::Show(args) => show(&args),
        Command::Verify(args) => verify(&args),
        Command::Schema => schema(),
        Command::Doctor(args) => doctor(&args),
        Command::List(args) => list(&args),
        Command::Completions(args) => completions(&args),
        Command::Man(args) => man(&args),
        Command::Worker => Ok(worker::serve().context("cannot talk to the kemprof that started this one")?),
    }
}
