//! Differential flamegraphs: one record's picture, coloured by what changed since another.

use super::flamegraph::{FlamegraphError, draw};
use super::folded::{self, FoldError};
use super::units;
use crate::analysis::diff::{Incomparable, comparable};
use crate::analysis::parts::{Piece, pieces, scale};
use crate::evidence::Evidence;
use inferno::differential;
use inferno::flamegraph::Options;
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum DifferentialError {
    /// The records are of different things.
    #[error(transparent)]
    Incomparable(#[from] Incomparable),
    /// There is nothing to draw, or it could not be drawn.
    #[error(transparent)]
    Flamegraph(#[from] FlamegraphError),
}

impl From<FoldError> for DifferentialError {
    fn from(error: FoldError) -> Self {
        Self::Flamegraph(error.into())
    }
}

/// A picture and the stacks that it was made of: frames, then ticks before and after.
#[derive(Clone, Debug)]
pub struct Differential {
    /// The folded stacks, each line with two numbers.
    pub folded: String,
    /// The picture.
    pub svg: String,
}

/// Ticks per operation from which whole ticks are fine enough; below, parts of them are drawn.
const COARSE: f64 = 100_000.0;
/// Parts of a tick that are drawn then.
const PARTS: f64 = 1000.0;

const PAPER: Color = Color { r: 250, g: 250, b: 250 };
const FRAME: Color = Color { r: 222, g: 224, b: 228 };

/// Draws `after`, red where it spends more of its own time than `before` and blue where less. Both are ticks of one operation
/// without probes, so that neither numbers of operations nor probes matter. Symmetric calls are compared by role, whatever
/// function serves it.
///
/// # Errors
/// When the records are of different things, one has no ticks, or the picture is not well-formed.
pub fn differential(before: &Evidence, after: &Evidence) -> Result<Differential, DifferentialError> {
    comparable(before, after)?;
    // The refusals of a plain flamegraph: no ticks, no calls.
    folded::lines(before)?;
    folded::lines(after)?;
    let leaves = leaves(before, after);
    let sides = [stacks(before, &leaves), stacks(after, &leaves)];
    let total = |side: &Stacks| side.values().sum::<f64>();
    let parts = if sides.iter().map(total).fold(f64::INFINITY, f64::min) < COARSE { PARTS } else { 1.0 };
    let text = |side: &Stacks| -> String {
        side.iter().map(|(stack, ticks)| format!("{stack} {:.0}\n", ticks * parts)).collect()
    };
    let [first, second] = sides.each_ref().map(text);
    let mut merged = Vec::new();
    differential::from_readers(differential::Options::default(), first.as_bytes(), second.as_bytes(), &mut merged)
        .map_err(FlamegraphError::from)?;
    let merged = String::from_utf8_lossy(&merged);
    let lines: BTreeSet<&str> = merged.lines().collect();
    let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    let mut colors = PaletteMap::default();
    // Inferno's own frame around all stacks, which has no time of its own.
    colors.insert("all", FRAME);
    let mut options = Options::default();
    options.title = folded::printable(&title(before, after));
    options.subtitle = Some(folded::printable(&subtitle(after, &sides)));
    options.count_name = folded::printable(&unit(after, parts));
    options.name_type = "Phase or role:".to_owned();
    options.palette_map = Some(&mut colors);
    options.bgcolors = Some(BackgroundColor::Flat(PAPER));
    options.deterministic = true;
    options.min_width = 0.05;
    let svg = draw(&mut options, &lines)?;
    Ok(Differential { folded: lines.join("\n") + "\n", svg })
}

/// What a number in the picture is.
fn unit(evidence: &Evidence, parts: f64) -> String {
    let unit = &evidence.counter.unit;
    if parts > 1.0 { format!("thousandths of {unit} per operation") } else { format!("{unit} per operation") }
}

/// Ticks of one operation by stack.
type Stacks = BTreeMap<String, f64>;

/// The frame of each role: the function where both records use the same, else both.
type Leaves = BTreeMap<String, String>;

fn leaves(before: &Evidence, after: &Evidence) -> Leaves {
    let functions = |evidence: &Evidence, role: &str| -> String {
        let names: BTreeSet<&str> =
            evidence.calls.iter().filter(|call| call.role == role).map(|call| call.function.as_str()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(" and ") }
    };
    let roles: BTreeSet<&String> = before.calls.iter().chain(&after.calls).map(|call| &call.role).collect();
    let leaf = |role: &String| {
        let (mine, theirs) = (functions(before, role), functions(after, role));
        let leaf = if mine == theirs { format!("{mine} {role}") } else { format!("{role}: {mine} → {theirs}") };
        (role.clone(), folded::frame(&leaf))
    };
    roles.into_iter().map(leaf).collect()
}

fn stacks(evidence: &Evidence, leaves: &Leaves) -> Stacks {
    let scale = scale(evidence).unwrap_or_default();
    let root = folded::frame(&format!("{} {}", evidence.instance, evidence.operation));
    let mut stacks = Stacks::new();
    for Piece { path, call, ticks, .. } in pieces(evidence) {
        // The outermost phase is the operation, which the root frame already names.
        let phases = path.iter().skip(1).map(|name| folded::frame(name));
        let leaf = call.and_then(|call| leaves.get(&call.role)).cloned();
        let stack = phases.chain(leaf).fold(root.clone(), |stack, next| stack + ";" + &next);
        // A phase without time of its own has its line too: what has none is drawn in no colour of change.
        *stacks.entry(stack).or_default() += ticks.unwrap_or_default() as f64 * scale;
    }
    stacks
}

/// What was run before, and after.
fn title(before: &Evidence, after: &Evidence) -> String {
    let side = Evidence::suite;
    format!("{} {}: before {}, after {}", after.instance, after.operation, side(before), side(after))
}

/// What widths and colours say, in which unit, and what cannot be seen.
fn subtitle(evidence: &Evidence, [before, after]: &[Stacks; 2]) -> String {
    let total = |side: &Stacks| units::count(side.values().sum());
    let unit = &evidence.counter.unit;
    let mut parts = vec![
        format!("widths: after, {unit} per operation ({} before, {} after)", total(before), total(after)),
        "red: more own time than before, blue: less".to_owned(),
    ];
    let gone = |stack: &String| after.get(stack).is_none_or(|&ticks| ticks < 0.5);
    let gone: f64 = before.iter().filter(|(stack, _)| gone(stack)).map(|(_, ticks)| ticks).sum();
    if gone >= 1.0 {
        parts.push(format!("not drawn, gone: {}", units::count(gone)));
    }
    parts.push(evidence.counts());
    parts.join(" · ")
}
