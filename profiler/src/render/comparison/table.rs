//! The comparison for the terminal: one table per operation.

use super::row::{Panel, Row};
use crate::render::grid::{Align, Grid};
use crate::render::{units, whatif};
use crate::words::plural;
use anstyle::{AnsiColor, Style};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const DIFFERS: Style = AnsiColor::Yellow.on_default();

/// Shown for a figure that could not be had.
const NONE: &str = "-";

/// How to read the last columns.
pub const LEGEND: &str = "\
shares     of the operation with probes, in hash functions, and in all symmetric functions: these and the generator
measured   how many times faster than the first, without probes: the median of ratios of trials that ran side by side
predicted  by Amdahl's law from the first's profile and what each function costs alone; the scheme's own work unchanged
";

/// The table of one operation, with ANSI styles.
#[must_use]
pub fn report(panel: &Panel) -> String {
    let rows = &panel.rows;
    let (first, place) = (&rows[0], panel.variants[0].evidence.place());
    let name = format!("{} {}", first.instance, first.operation);
    let mut out =
        format!("{BOLD}{name}{BOLD:#}   {} of each, side by side   {place}\n\n", plural(first.trials, "trial"));
    out.push_str(&grid(rows).without_empty(NONE).render("  "));
    if let Some(ceiling) = &first.ceiling {
        out.push_str(&format!("\n  {}\n", whatif::ceiling(&first.variant, ceiling)));
    }
    out + &explanations(rows)
}

/// What there is to say of rows, a line for each reason.
fn explanations(rows: &[Row]) -> String {
    let mut out = String::new();
    let mut said = Vec::new();
    for row in rows {
        let Some(explanation) = &row.explanation else { continue };
        if row.speedup_measured.is_some() {
            out.push_str(&format!("\n  {} {}:\n", row.variant, explanation.what));
            out.extend(explanation.reasons.iter().map(|reason| format!("    {reason}\n")));
        } else if !said.contains(&explanation) {
            // What holds for all, as a counter that is not there, is said once.
            out.push_str(&format!("\n  {explanation}\n"));
            said.push(explanation);
        }
    }
    out
}

fn grid(rows: &[Row]) -> Grid {
    use Align::{Left, Right};
    let mut grid = Grid::new(&[Left, Right, Right, Right, Right, Right, Right, Right, Left]).giving_way(&[
        "off by",
        "time",
        "symmetric share",
        "hash share",
        "",
        "predicted",
    ]);
    let unit = &rows[0].counter.unit;
    grid.row(BOLD, ["variant", unit, "time", "hash share", "symmetric share", "measured", "predicted", "off by", ""]);
    for (index, row) in rows.iter().enumerate() {
        let shown = |value: Option<f64>, show: fn(f64) -> String| value.map_or(NONE.to_owned(), show);
        let difference =
            row.speedup_predicted.zip(row.speedup_measured).map(|(predicted, measured)| predicted / measured - 1.0);
        // Rounded first: nothing has no sign.
        let difference =
            difference.filter(|_| index > 0).map(|difference| format!("{:+.0} %", (100.0 * difference).round() + 0.0));
        let published = row.kat == "PASS";
        let remark = row.remark().unwrap_or(if published { "known answers PASS" } else { "" });
        let cells = [
            row.variant.clone(),
            shown(row.median, units::count),
            shown(row.seconds_per_operation, units::seconds),
            shown(row.hash_share, units::percent),
            shown(row.symmetric_share, units::percent),
            shown(row.speedup_measured, units::times),
            shown(row.speedup_predicted, units::times),
            difference.unwrap_or_default(),
        ];
        let differs = row.explanation.is_some() && row.speedup_predicted.is_some();
        grid.row(if row.free { DIM } else { PLAIN }, cells);
        if differs {
            grid.restyle_last(DIFFERS);
        }
        grid.cell(DIM, remark);
    }
    grid
}
