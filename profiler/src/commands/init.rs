use super::written::Written;
use crate::cli::{Failure, InitArgs, output, usage};
use crate::guest::{self, GuestError, Survey};
use crate::progress;
use crate::words::plural;
use std::fmt::Write as _;

/// What the manifest of a folder is called.
const NAME: &str = "kemprof.toml";

/// Writes a first manifest for a folder of C, and says what is guessed in it.
///
/// # Errors
/// A folder without a KEM; a manifest that is there.
pub fn init(args: &InitArgs) -> Result<(), Failure> {
    let path = args.folder.join(NAME);
    if path.exists() {
        return Err(usage(format_args!("{} is there already; remove it, or edit it", path.display())));
    }
    let waiting = progress::waiting(format!("looking at {}", args.folder.display()));
    let survey = guest::survey(&args.folder).map_err(|error| match error {
        GuestError::File { .. } | GuestError::NoKem { .. } => usage(error),
        error => error.into(),
    })?;
    drop(waiting);
    let mut written = Written::default();
    written.add(path.clone(), &survey.manifest())?;
    let Survey { api, prefix, sources, functions, left_out, .. } = &survey;
    let mut text = written.to_string();
    let prefix = if prefix.is_empty() { String::new() } else { format!(", prefix {prefix}") };
    let _ = writeln!(text, "  interface   {}{prefix}", format!("{api:?}").to_lowercase());
    let _ = writeln!(text, "  sources     {}", plural(sources.len(), "file"));
    for (source, why) in left_out {
        let _ = writeln!(text, "  left out    {source}: {why}");
    }
    let names: Vec<&str> = functions.iter().map(|(symbol, _)| symbol.as_str()).collect();
    let _ = match names.as_slice() {
        [] => writeln!(text, "  functions   none of a known name: list the symmetric ones under [[functions]]"),
        _ => writeln!(text, "  functions   {} (roles are guessed; others are not seen)", names.join(", ")),
    };
    let _ = writeln!(text, "next: kemprof all {}", path.display());
    output::print(&text)
}
