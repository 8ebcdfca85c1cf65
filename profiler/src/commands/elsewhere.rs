use crate::cli::{Failure, output, print_error};
use crate::elsewhere::{Destination, Emulated, Handover, Place, Ssh};
use crate::environment::{Origin, QEMU_USER};
use crate::progress;
use crate::render::layout;
use crate::target::TargetName;
use crate::words;

/// Runs the command line `command` where `target` says, and brings what it writes to `destinations` there.
///
/// # Errors
/// When it cannot run there; when it fails there, which it has then said itself.
pub fn elsewhere(target: &TargetName, destinations: Vec<Destination>, command: &[String]) -> Result<(), Failure> {
    let mut origin = Origin { command: command.to_vec(), ..Origin::default() };
    let mut place: Box<dyn Place> = match target {
        TargetName::Ssh(host) => {
            origin.remote = Some(target.to_string());
            Box::new(Ssh::to(host.clone()))
        }
        TargetName::Aarch64 | TargetName::Host | TargetName::CortexM4 => {
            origin.emulator = Some(QEMU_USER.to_owned());
            Box::new(Emulated)
        }
    };
    let handover = Handover::new(command, "--target", destinations, origin);
    // A program that writes to a pipe uses no colours of its own accord.
    let colours = match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => None,
        _ => Some(("CLICOLOR_FORCE", "1".to_owned())),
    };
    let columns = layout::width().map(|columns| ("COLUMNS", columns.to_string()));
    let display: Vec<_> = colours.into_iter().chain(columns).collect();
    let waiting = progress::waiting(format!("running on {target}"));
    let (text, status) = handover.run(place.as_mut(), &display, &mut print_error)?;
    drop(waiting);
    output::print_whole(&words::page(&text))?;
    if status == 0 { Ok(()) } else { Err(Failure::Ended(status)) }
}
