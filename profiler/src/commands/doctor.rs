use super::settings;
use crate::cli::{DoctorArgs, Failure, output};
use crate::environment::Build;
use crate::platform::doctor::{self, Finding, State};
use crate::platform::{Emulator, HostSettings, Remote, TargetName, cortex_m4};
use crate::progress;
use crate::render::grid::{Align, Grid};
use anstyle::{AnsiColor, Style};

/// Says what a target can measure from this machine, what is missing, and what would help.
///
/// # Errors
/// When the target is not reached; when standard output cannot be written to.
pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    let (head, findings) = match Remote::of(&args.target, Emulator::default(), None, HostSettings::default()) {
        Some(mut remote) => {
            let _waiting = progress::waiting(format!("asking {}", args.target));
            remote.doctor().map_err(settings::failure)?
        }
        None if args.target == TargetName::CortexM4 => {
            (format!("{} for --target {}", Build::this().version(), args.target), cortex_m4::examine())
        }
        None => {
            let (head, mut findings) = doctor::this_machine();
            findings.push(cortex_m4::examine_firmware());
            (head, findings)
        }
    };
    if args.json {
        return output::print_json(&findings);
    }
    output::print(&page(&head, &findings))
}

fn page(head: &str, findings: &[Finding]) -> String {
    let mut grid = Grid::new(&[Align::Left, Align::Left]);
    for finding in findings {
        let (word, style) = match finding.state {
            State::Works => ("works", AnsiColor::Green.on_default()),
            State::Caution => ("caution", AnsiColor::Yellow.on_default()),
            State::Missing => ("missing", AnsiColor::Red.on_default()),
        };
        grid.row(style, [word]);
        grid.cell(Style::new(), &format!("{}: {}", finding.what, finding.detail));
        if let Some(fix) = &finding.fix {
            grid.row(Style::new(), [""]);
            grid.cell(Style::new().bold(), &format!("  → {fix}"));
        }
    }
    let bold = Style::new().bold();
    format!("{bold}{head}{bold:#}\n{}", grid.render("  "))
}
