//! Cycles of single functions: folded stacks, the flamegraph, and the hottest for the terminal.

use super::flamegraph::{self, FlamegraphError};
use super::folded::frame;
use super::grid::{Align, Grid};
use super::units;
use crate::analysis::instructions::{Instructions, Stack};
use crate::evidence::Evidence;
use anstyle::Style;

/// Functions that are listed.
const LISTED: usize = 12;
/// Characters of a function's name at the most.
const NAME: usize = 56;

/// Folded stacks: the operation, its phases, the functions inside the innermost, and cycles. They are of all operations together.
#[must_use]
pub fn lines(evidence: &Evidence, instructions: &Instructions) -> Vec<String> {
    let root = frame(&format!("{} {}", evidence.instance, evidence.operation));
    let line = |stack: &Stack| {
        // The outermost phase is the operation, which the root frame already names.
        let phases = stack.phases.iter().skip(1).map(|name| frame(name));
        let functions = stack.functions.iter().map(|name| frame(name));
        let path = phases.chain(functions).fold(root.clone(), |path, next| path + ";" + &next);
        format!("{path} {}", stack.cycles)
    };
    instructions.stacks.iter().filter(|stack| stack.cycles > 0).map(line).collect()
}

/// The flamegraph of the same, as SVG that was checked to be well-formed.
///
/// # Errors
/// See [`FlamegraphError`].
pub fn svg(evidence: &Evidence, instructions: &Instructions) -> Result<String, FlamegraphError> {
    let name = format!("{} {}, instruction by instruction", evidence.instance, evidence.operation);
    let subtitle = format!(
        "{} · every instruction charged to its function, {} cycles an operation · {}",
        evidence.suite(),
        units::count(per_operation(instructions.total(), instructions)),
        evidence.counts()
    );
    flamegraph::of_lines(evidence, &name, &subtitle, &lines(evidence, instructions))
}

/// The functions with the most cycles of their own.
#[must_use]
pub fn report(instructions: &Instructions) -> String {
    let bold = Style::new().bold();
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Right, Align::Right, Align::Left, Align::Right]);
    grid.row(bold, ["function, by instructions", "mostly in", "own cycles", "share", "hottest line", "of it"]);
    let total = instructions.total();
    for row in instructions.functions().into_iter().take(LISTED) {
        let share = row.own as f64 / total.max(1) as f64;
        let own = units::count(per_operation(row.own, instructions));
        let hot = instructions.lines.get(&row.name);
        let line = hot.map(|hot| hot.line.clone()).unwrap_or_default();
        let of_it = hot.map(|hot| units::percent(hot.cycles as f64 / row.own.max(1) as f64)).unwrap_or_default();
        let cells = [shortened(&row.name), row.phase.to_owned(), own, units::percent(share), line, of_it];
        grid.row(Style::new(), cells);
    }
    let all = units::count(per_operation(total, instructions));
    grid.row(bold, ["total".to_owned(), String::new(), all, units::percent(1.0)]);
    let probe = units::count(per_operation(instructions.probe, instructions));
    format!(
        "{}\nThe probe that told the phases apart took {probe} cycles more, which are left out.\n",
        grid.render("  ")
    )
}

fn per_operation(cycles: u64, instructions: &Instructions) -> f64 {
    cycles as f64 / instructions.operations.max(1) as f64
}

/// The end of a name that is too long, which tells more than its beginning.
fn shortened(name: &str) -> String {
    match name.char_indices().nth_back(NAME - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &name[start..]),
        _ => name.to_owned(),
    }
}
