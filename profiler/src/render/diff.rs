//! Comparisons of two records for the terminal.

use super::grid::{Align, Grid};
use super::units;
use crate::analysis::diff::{Diff, Pair, Row, Side};
use crate::evidence::variant;
use anstyle::{AnsiColor, Style};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// Growth or fall that shows in colour.
const NOTABLE: f64 = 0.02;
/// Shown for a figure that could not be had.
const NONE: &str = "-";

/// What changed, function by function and phase by phase, with ANSI styles.
#[must_use]
pub fn report(diff: &Diff) -> String {
    let mut out = format!("{BOLD}{} {}{BOLD:#}", diff.instance, diff.operation);
    // What holds for both stands in the heading.
    let same_place = diff.before.place == diff.after.place;
    if same_place {
        out.push_str(&format!("   {}", diff.before.place));
    }
    for (name, side) in [("before", &diff.before), ("after ", &diff.after)] {
        let Side { backends, sampling, place } = side;
        out.push_str(&format!("\n  {name}  {}", variant(backends, sampling)));
        if !same_place {
            out.push_str(&format!("   {place}"));
        }
    }
    out.push_str("\n\n");
    if !diff.notes.is_empty() {
        out.extend(diff.notes.iter().map(|note| format!("  {YELLOW}{note}{YELLOW:#}\n")));
        out.push('\n');
    }
    out.push_str(&grid(diff).render("  "));
    if let Pair { before: Some(before), after: Some(after) } = diff.mean {
        let change = diff.mean.change().map_or(NONE.to_owned(), units::change);
        out.push_str(&format!(
            "\nmean without probes: {} to {} {} per operation, {change}.\n",
            units::count(before),
            units::count(after),
            diff.unit
        ));
    }
    if rows(diff).any(Row::may_be_noise) {
        out.push_str(&format!(
            "{DIM}a change in brackets may be noise: nine in ten trials of both records lie as far apart.{DIM:#}\n"
        ));
    }
    out
}

fn rows(diff: &Diff) -> impl Iterator<Item = &Row> {
    diff.functions.iter().chain(&diff.phases).chain([&diff.total])
}

fn grid(diff: &Diff) -> Grid {
    use Align::{Left, Right};
    let mut grid = Grid::new(&[Left, Left, Right, Right, Right, Right, Right, Right]).giving_way(&[
        "permutations",
        "calls",
        "of the total",
        "role",
    ]);
    let unit = &diff.unit;
    let headings =
        ["part", "role", "calls", "permutations", &format!("{unit} before"), "after", "change", "of the total"];
    grid.row(BOLD, headings.map(str::to_owned));
    let mut push = |row: &Row, style: Style| {
        grid.row(style, cells(row));
        let notable = row.of_total.filter(|of_total| of_total.abs() >= NOTABLE);
        if let Some(of_total) = notable {
            let color = if of_total > 0.0 { AnsiColor::Red } else { AnsiColor::Green };
            grid.restyle_last(color.on_default());
        }
    };
    diff.functions.iter().for_each(|row| push(row, PLAIN));
    diff.phases.iter().for_each(|row| push(row, PLAIN));
    push(&diff.total, BOLD);
    grid
}

fn cells(row: &Row) -> [String; 8] {
    let count = |figure: Option<f64>| figure.map_or(NONE.to_owned(), units::count);
    let change = |figure: Option<f64>| {
        let shown = figure.map_or(NONE.to_owned(), units::change);
        if figure.is_some() && row.may_be_noise() { format!("({shown})") } else { shown }
    };
    [
        row.name.clone(),
        row.role.clone().unwrap_or_default(),
        counts(&row.calls),
        row.permutations.as_ref().map(counts).unwrap_or_default(),
        count(row.ticks.before),
        count(row.ticks.after),
        change(row.change),
        change(row.of_total),
    ]
}

/// `81`, or `81 → 99` where the number changed.
fn counts(pair: &Pair) -> String {
    let [before, after] = [pair.before, pair.after].map(|figure| figure.map_or(NONE.to_owned(), units::calls));
    if before == after { before } else { format!("{before} → {after}") }
}
