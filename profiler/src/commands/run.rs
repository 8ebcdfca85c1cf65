//! From a command line to its command.

use super::{
    bench_hash, child, compare, completions, diff, doctor, elsewhere, flamegraph, follow, kat, list, man, profile,
    schema, show, under_callgrind, verify, whatif,
};
use crate::cli::elsewhere::destinations;
use crate::cli::{self, CALLGRIND, Cli, Command, Failure, diagnostics, output, usage};
use crate::counter::Callgrind;
use crate::environment::Origin;
use crate::evidence::Operation;
use crate::guest;
use crate::target::TargetName;
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
        && *target != TargetName::Host
    {
        return Err(usage(format_args!(
            "{name} is a manifest, whose KEM runs on this machine, not on --target {target}"
        )));
    }
    if let Some((target, written)) = destinations(&cli.command)? {
        return elsewhere(&target, written, &command);
    }
    if cli.command.counter().is_some_and(|name| name.eq_ignore_ascii_case(CALLGRIND)) && !Callgrind::is_around() {
        return under_callgrind(&command);
    }
    // What evidence quotes is what the user typed, wherever that was.
    let origin = Origin::of_process().map_err(|error| usage(format_args!("{} is wrong: {error}", Origin::VARIABLE)))?;
    let command = origin.map_or(command, |origin| origin.command);
    match cli.command {
        Command::Keygen(args) => profile(&[Operation::Keygen], &args, &command),
        Command::Enc(args) => profile(&[Operation::Enc], &args, &command),
        Command::Dec(args) => profile(&[Operation::Dec], &args, &command),
        Command::All(args) => profile(&Operation::ALL, &args, &command),
        Command::Compare(args) => compare(&args, &command),
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
        Command::Child => child(),
        Command::Follow(args) => follow(&args),
    }
}
