//! Predictions for the terminal.

use super::grid::{Align, Grid};
use super::units;
use crate::analysis::amdahl::Ceiling;
use crate::analysis::whatif::{PartPrediction, Prediction};
use crate::evidence::Evidence;
use anstyle::{AnsiColor, Style};

const BOLD: Style = Style::new().bold();
const PLAIN: Style = Style::new();

/// How often, or that there is no limit.
fn times(factor: Option<f64>) -> String {
    factor.map_or("no limit".to_owned(), |factor| format!("{factor:.2} ×"))
}

/// What an operation would take, part by part, with ANSI styles.
#[must_use]
pub fn report(evidence: &Evidence, prediction: &Prediction) -> String {
    use Align::{Left, Right};
    let Prediction { parts, before, after, speedup, .. } = prediction;
    let unit = &prediction.unit;
    let mut out = format!(
        "{BOLD}{} {}, if parts were faster{BOLD:#}   {}   {}\n\n",
        prediction.instance,
        prediction.operation,
        evidence.suite(),
        evidence.place()
    );
    let mut grid = Grid::new(&[Left, Right, Right, Right, Right, Right]).giving_way(&["share now"]);
    let headings =
        ["part", "share now", "speed", &format!("{unit} now"), &format!("{unit} then"), "ceiling"].map(str::to_owned);
    grid.row(BOLD, headings);
    for part in parts {
        grid.row(PLAIN, row(part));
    }
    let total = [units::percent(1.0), String::new(), units::count(*before), units::count(*after)];
    grid.row(BOLD, ["total".to_owned()].into_iter().chain(total).chain([times(prediction.ceiling)]));
    grid.restyle_last(AnsiColor::Green.on_default().bold());
    out.push_str(&grid.render("  "));
    out.push_str(&format!("\n{BOLD}{} as fast{BOLD:#}: ", times(*speedup)));
    out.push_str(&format!(
        "{} to {} {unit} per operation, of the median without probes.\n",
        units::count(*before),
        units::count(*after)
    ));
    let share = prediction.hash_share_after.map_or("nothing is left".to_owned(), units::percent);
    out.push_str(&format!(
        "share of the hash functions: {} now, {share} then.\n",
        units::percent(prediction.hash_share_before)
    ));
    out.push_str("a part's ceiling is what the whole would gain if the part cost nothing.\n");
    out.push_str(&ceiling(&evidence.suite(), &prediction.without_symmetric));
    out.push('\n');
    out
}

/// What other symmetric functions can give at most to an operation over `functions`.
#[must_use]
pub fn ceiling(functions: &str, ceiling: &Ceiling) -> String {
    let gain = |gain: Option<f64>| gain.map_or("no limit".to_owned(), units::times);
    format!(
        "ceiling of {functions}: {} without hashing (hash share {}), {} without the generator too (symmetric share {})",
        gain(ceiling.hash),
        units::percent(ceiling.hash_share),
        gain(ceiling.symmetric),
        units::percent(ceiling.symmetric_share)
    )
}

fn row(part: &PartPrediction) -> [String; 6] {
    let name = part.key.clone().unwrap_or_else(|| "the rest".to_owned());
    let speed = match part.speed {
        None => "no cost".to_owned(),
        Some(factor) => format!("{factor} ×"),
    };
    let (before, after) = (units::count(part.before), units::count(part.after));
    let ceiling = part.key.as_ref().map(|_| times(part.ceiling)).unwrap_or_default();
    let speed = if part.key.is_none() { String::new() } else { speed };
    [name, units::percent(part.share), speed, before, after, ceiling]
}
