//! What single functions take: folded stacks, the flamegraph, and the hottest for the terminal.

use super::flamegraph::{self, FlamegraphError};
use super::frames::Frame;
use super::grid::{Align, Grid};
use super::palette::{self, Rgb};
use super::picture::{self, Surroundings};
use super::units;
use crate::analysis::instructions::{Instructions, Stack};
use crate::evidence::{CallRow, Evidence};
use anstyle::Style;
use std::borrow::Cow;

/// Functions that are listed.
const LISTED: usize = 12;
/// Characters of a function's name at the most.
const NAME: usize = 56;

/// Folded stacks: the operation, its phases, the functions inside the innermost, and what they took. They are of all operations
/// together.
#[must_use]
pub fn lines(evidence: &Evidence, instructions: &Instructions) -> Vec<String> {
    frames(evidence, instructions).folded()
}

/// The flamegraph of the same, as SVG that was checked to be well-formed.
///
/// # Errors
/// See [`FlamegraphError`].
pub fn svg(evidence: &Evidence, instructions: &Instructions) -> Result<String, FlamegraphError> {
    let root = frames(evidence, instructions);
    let Instructions { unit, counter, .. } = instructions;
    let each = units::count(per_operation(instructions.total(), instructions));
    picture::svg(
        &root,
        &Surroundings {
            title: &format!("{}, {}, by instruction", root.name, evidence.suite()),
            subtitle: &format!("{}, {counter}", evidence.processor()),
            notes: &format!("every instruction charged to its function, {each} {unit} an operation"),
            legend: &flamegraph::legend(evidence, &root),
            unit,
            factor: per_operation(1, instructions),
        },
    )
}

fn frames(evidence: &Evidence, instructions: &Instructions) -> Frame {
    let mut root = Frame::new(&format!("{} {}", evidence.instance, evidence.operation), palette::OPERATION);
    for Stack { phases, functions, own } in &instructions.stacks {
        // The outermost phase is the operation, which the root frame already names.
        let phase = phases.iter().skip(1).fold(&mut root, |frame, name| frame.child(name, palette::PHASE));
        let first = functions.iter().position(|name| is_symmetric(name)).unwrap_or(functions.len());
        let color = |index| if index < first { palette::FUNCTION } else { symmetric(evidence, phases) };
        let last = functions.iter().enumerate().fold(phase, |frame, (index, name)| frame.child(name, color(index)));
        last.own += own;
    }
    root
}

/// Whether a function, and with it all that it calls, is part of a symmetric one.
fn is_symmetric(name: &str) -> bool {
    const PARTS: [&str; 7] = ["backend::", "symmetric::Symmetric", "keccak::", "sha3::", "sm3::", "blake3", "ascon::"];
    PARTS.iter().any(|part| name.contains(part))
}

/// The colour of symmetric functions in a phase: their role's, where they have one role there.
fn symmetric(evidence: &Evidence, phases: &[Cow<'static, str>]) -> Rgb {
    let in_phase = |call: &&CallRow| call.paths.iter().any(|part| part.path == phases);
    let mut colors = evidence.calls.iter().filter(in_phase).map(palette::calls);
    let first = colors.next().unwrap_or(palette::SYMMETRIC);
    if colors.all(|color| color == first) { first } else { palette::SYMMETRIC }
}

/// The functions that take most themselves.
#[must_use]
pub fn report(instructions: &Instructions) -> String {
    let bold = Style::new().bold();
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Right, Align::Right, Align::Left, Align::Right])
        .giving_way(&["of it", "hottest line", "mostly in"]);
    let Instructions { unit, counter, .. } = instructions;
    let own = format!("own {unit}");
    grid.row(bold, ["function, by instructions", "mostly in", &own, "share", "hottest line", "of it"]);
    let total = instructions.total();
    for row in instructions.functions().into_iter().take(LISTED) {
        let share = row.own as f64 / total.max(1) as f64;
        let own = units::count(per_operation(row.own, instructions));
        let hot = instructions.lines.get(&row.name);
        let line = hot.map(|hot| hot.line.clone()).unwrap_or_default();
        let of_it = hot.map(|hot| units::percent(hot.own as f64 / row.own.max(1) as f64)).unwrap_or_default();
        let cells = [shortened(&row.name), row.phase.to_string(), own, units::percent(share), line, of_it];
        grid.row(Style::new(), cells);
    }
    let all = units::count(per_operation(total, instructions));
    grid.row(bold, ["total".to_owned(), String::new(), all, units::percent(1.0)]);
    let probe = units::count(per_operation(instructions.probe, instructions));
    format!(
        "{}\nCounted by {counter}, of one operation. The probe that told the phases apart took {probe} {unit} more, which are left out.\n",
        grid.render("  ")
    )
}

fn per_operation(count: u64, instructions: &Instructions) -> f64 {
    count as f64 / instructions.operations.max(1) as f64
}

/// The end of a name that is too long, which tells more than its beginning.
fn shortened(name: &str) -> String {
    match name.char_indices().nth_back(NAME - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &name[start..]),
        _ => name.to_owned(),
    }
}
