//! Which command lines run elsewhere, and what they write.

use super::{Command, Failure, OutArgs, ProfileArgs, TargetArgs, usage};
use crate::elsewhere::Destination;
use crate::target::TargetName;
use std::path::Path;

/// Where the command line runs, if not in this process, and what it writes to.
pub(crate) fn destinations(command: &Command) -> Result<Option<(TargetName, Vec<Destination>)>, Failure> {
    let file = |option, path: &Path| Destination { option, path: path.to_owned(), is_folder: false };
    let folder = |out: &OutArgs, json: bool| {
        let destination = |path: &Path| Destination { option: "--out", path: path.to_owned(), is_folder: true };
        Ok::<_, Failure>(out.folder(json)?.map(destination))
    };
    let (target, destinations) = match command {
        Command::Keygen(args) | Command::Enc(args) | Command::Dec(args) | Command::All(args) => {
            let trace = args.trace.as_deref().map(|path| file("--trace", path));
            (chosen(&args.target)?, folder(&args.out, args.json)?.into_iter().chain(trace).collect())
        }
        Command::Compare(args) => (chosen(&args.target)?, folder(&args.out, args.json)?.into_iter().collect()),
        Command::Kat(args) => {
            let target = chosen(&args.target)?;
            let compares = args.check.as_ref().map(|_| "--check").or((!args.acvp.is_empty()).then_some("--acvp"));
            if let Some(option) = compares.filter(|_| !target.is_here()) {
                return Err(usage(format_args!("{option} compares files here, not with --target {target}")));
            }
            (target, args.write.as_deref().map(|path| file("--write", path)).into_iter().collect())
        }
        Command::BenchHash(args) => (chosen(&args.target)?, folder(&args.out, args.json)?.into_iter().collect()),
        Command::Doctor(args) => (args.target.clone(), Vec::new()),
        Command::List(args) => (args.target.clone(), Vec::new()),
        Command::Flamegraph(_)
        | Command::Whatif(_)
        | Command::Diff(_)
        | Command::Show(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Verify(_)
        | Command::Schema
        | Command::Child
        | Command::Follow(_) => {
            return Ok(None);
        }
    };
    if target.is_here() {
        return Ok(None);
    }
    if target == TargetName::Aarch64
        && let Some(option) = of_real_machines(command)
    {
        return Err(usage(format_args!(
            "{option} is for real machines, not for --target {target}, where time means nothing"
        )));
    }
    if let (TargetName::Ssh(_), Some(ProfileArgs { code_size: true, .. })) = (&target, command.profile()) {
        return Err(usage(format_args!(
            "--code-size builds from the sources, which are here, not with --target {target}"
        )));
    }
    Ok(Some((target, destinations)))
}

/// An option that starts this program again in a way that an emulator does not do, where it is given.
fn of_real_machines(command: &Command) -> Option<&'static str> {
    let again = command.profile().and_then(|args| {
        let processes = args.processes.filter(|&processes| processes > 1).map(|_| "--processes");
        processes.or_else(|| args.profile.map(|_| "--profile instructions"))
    });
    let callgrind = command.counter().is_some_and(|name| name.eq_ignore_ascii_case(super::CALLGRIND));
    again.or_else(|| callgrind.then_some("--counter callgrind"))
}

fn chosen(args: &TargetArgs) -> Result<TargetName, Failure> {
    match args.firmware_option() {
        Some(option) if !args.target.is_here() => Err(usage(format_args!(
            "{option} is for --target {}, not for --target {}",
            TargetName::CortexM4,
            args.target
        ))),
        _ => Ok(args.target.clone()),
    }
}
