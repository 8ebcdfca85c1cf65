//! Costs of hash functions for the terminal.

use super::grid::{Align, Grid};
use super::units;
use crate::analysis::hash_cost::{HashCost, HashRecord, Origin, Side};
use crate::evidence::processor;
use crate::words::plural;
use anstyle::Style;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();

/// Schemes that are named in a line; of more, their number is.
const NAMED: usize = 2;

/// The table, with ANSI styles; `unit` says what ticks are.
#[must_use]
pub fn report(record: &HashRecord, unit: &str) -> String {
    let HashRecord { rows, left_out, counter, warnings, target, environment, .. } = record;
    let place = processor(target, counter, environment);
    let mut out = format!(
        "{BOLD}bench-hash{BOLD:#}   {place}, counter {}: {unit}; medians of {}\n\n",
        counter.name,
        samples(rows)
    );
    out.push_str(&grid(rows).render("  "));
    out.push('\n');
    if *left_out > 0 {
        out.push_str(&format!(
            "{} of {} calls; --all times the others too, --instance, --function and --length choose.\n",
            rows.len(),
            rows.len() + left_out
        ));
    }
    out.extend(warnings.iter().map(|warning| format!("{DIM}warning: {warning}{DIM:#}\n")));
    out
}

/// How many samples each figure is of, and whether they were quiet.
fn samples(costs: &[HashCost]) -> String {
    let least = costs.iter().map(|cost| cost.samples).min().unwrap_or_default();
    let most = costs.iter().map(|cost| cost.samples).max().unwrap_or_default();
    let number = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let shared = |cost: &&HashCost| cost.quiet_samples.is_some_and(|quiet| quiet < cost.samples);
    match (costs.iter().filter(shared).count(), costs.iter().any(|cost| cost.quiet_samples.is_some())) {
        (0, true) => plural(number, "quiet sample"),
        (0, false) => plural(number, "sample"),
        (rows, _) => {
            format!(
                "{}, in {rows} of {} rows with a neighbour on the physical core",
                plural(number, "sample"),
                costs.len()
            )
        }
    }
}

fn grid(costs: &[HashCost]) -> Grid {
    use Align::{Left, Right};
    let mut grid = Grid::new(&[Left, Left, Left, Right, Right, Right, Right, Right, Left, Right, Right, Left])
        .giving_way(&["for", "permutations", "per perm.", "of", "per byte", "lanes"]);
    let headings = [
        "backend",
        "function",
        "role",
        "bytes in",
        "out",
        "lanes",
        "per call",
        "per byte",
        "of",
        "permutations",
        "per perm.",
        "for",
    ];
    grid.row(BOLD, headings);
    for cost in costs {
        grid.row(PLAIN, cells(cost));
    }
    grid
}

fn cells(cost: &HashCost) -> [String; 12] {
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.2}"));
    let side = match cost.per_byte_of {
        Side::Input => "in",
        Side::Output => "out",
    };
    [
        cost.backend.to_owned(),
        cost.function.to_owned(),
        cost.role.to_owned(),
        cost.in_bytes.to_string(),
        cost.out_bytes.to_string(),
        cost.lanes.to_string(),
        units::count(cost.per_call),
        rate(cost.per_byte),
        side.to_owned(),
        units::calls(cost.permutations),
        cost.per_permutation.map_or("-".to_owned(), units::count),
        users(cost),
    ]
}

fn users(cost: &HashCost) -> String {
    match (cost.origin, cost.used_by.len()) {
        (Origin::Guide, _) => "guide".to_owned(),
        (Origin::Schemes, number) if number > NAMED => {
            format!("{} and {} more", cost.used_by[..NAMED].join(", "), number - NAMED)
        }
        (Origin::Schemes, _) => cost.used_by.join(", "),
    }
}
