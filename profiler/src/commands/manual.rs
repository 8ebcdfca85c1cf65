use crate::cli::{self, CompletionsArgs, Failure, ManArgs, output};
use crate::files;
use clap_mangen::Man;

/// Prints what a shell needs to complete command lines.
///
/// # Errors
/// When standard output cannot be written to.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "kemprof", &mut script);
    output::print_whole(&String::from_utf8(script)?)
}

/// Prints the manual page, or writes it and one page for each command into a folder.
///
/// # Errors
/// A folder that cannot be written to.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let page = |command: clap::Command| -> Result<String, Failure> {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        Ok(String::from_utf8(page)?)
    };
    let mut whole = cli::command();
    whole.build();
    let Some(folder) = &args.out else { return output::print_whole(&page(whole)?) };
    let subcommands = whole.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    let mut pages = vec![("kemprof".to_owned(), whole.clone())];
    pages.extend(subcommands.map(|command| (format!("kemprof-{}", command.get_name()), command.clone())));
    let number = pages.len();
    for (name, command) in pages {
        files::write(&folder.join(format!("{name}.1")), page(command)?.as_bytes())?;
    }
    output::print(&format!("wrote {number} pages to {}\n", folder.display()))
}
