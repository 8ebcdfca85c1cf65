use crate::cli::{DoctorArgs, Failure, output};
use crate::counter;
use crate::environment::{Build, Environment, Finding, State, Tree, current_core, examine};
use crate::render::grid::{Align, Grid};
use crate::target::{TargetName, cortex_m4};
use anstyle::{AnsiColor, Style};
use std::env;

/// Says what a target can measure from this machine, what is missing, and what would help.
///
/// # Errors
/// When standard output cannot be written to.
pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    let (head, findings) = match args.target {
        TargetName::CortexM4 => {
            (format!("{} for --target {}", Build::this().version(), args.target), cortex_m4::examine())
        }
        // Command lines for elsewhere are not run here.
        TargetName::Host | TargetName::Aarch64 | TargetName::Ssh(_) => this_machine(),
    };
    if args.json {
        return output::print_json(&findings);
    }
    output::print(&page(&head, &findings))
}

/// The heading and the findings for this machine.
fn this_machine() -> (String, Vec<Finding>) {
    let tree = Tree::host();
    // Whether a run stays on its core is the run's affair: `kemprof keygen` pins itself.
    let environment = Environment::begin(&tree, Vec::new(), true);
    let path = env::var_os("PATH");
    let mut findings =
        examine(&environment, &counter::available(), &counter::available_events(), &tree, path.as_deref());
    findings.push(cortex_m4::examine_firmware());
    (format!("{} on core {}", environment.kemprof, current_core()), findings)
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
