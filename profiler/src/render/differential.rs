//! Differential flamegraphs: one record's picture, coloured by what changed since another. Inferno merges the stacks.

use super::flamegraph::FlamegraphError;
use super::folded::{self, FoldError};
use super::frames::Frame;
use super::palette;
use super::picture::{self, Surroundings};
use super::units;
use crate::analysis::diff::{Incomparable, Pair, comparable};
use crate::analysis::parts::{Piece, pieces, scale};
use crate::evidence::{CallRow, Evidence};
use inferno::differential;
use std::collections::BTreeSet;
use std::io;
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

/// Draws `after`, red where it spends more time than `before` and blue where less, all that is inside counted in. Both are ticks of
/// one operation without probes, so that neither numbers of operations nor probes matter; percentages are of what was before, as in
/// [`diff`](crate::analysis::diff::diff). Symmetric calls are compared by role, whatever function serves it.
///
/// # Errors
/// When the records are of different things, one has no ticks, or the picture is not well-formed.
pub fn differential(before: &Evidence, after: &Evidence) -> Result<Differential, DifferentialError> {
    comparable(before, after)?;
    // The refusals of a plain flamegraph: no ticks, no calls.
    folded::lines(before)?;
    folded::lines(after)?;
    let sides = Sides { before: stacks(before, [before, after]), after: stacks(after, [before, after]) };
    let least = sides.total().before.into_iter().chain(sides.total().after).fold(f64::INFINITY, f64::min);
    let parts = if least < COARSE { PARTS } else { 1.0 };
    let root = format!("{} {}", after.instance, after.operation);
    let [was, mut tree] = [&sides.before, &sides.after].map(|side| tree(side, &root, parts));
    let folded = merged(&was, &tree).map_err(FlamegraphError::from)?;
    sides.paint(&mut tree, &mut Vec::new(), &after.counter.unit);
    let around = Surroundings {
        title: &title(before, after),
        subtitle: &after.place(),
        notes: &notes(&sides, &after.counter.unit),
        legend: &palette::changes().collect::<Vec<_>>(),
        unit: &after.counter.unit,
        factor: 1.0 / parts,
    };
    Ok(Differential { folded, svg: picture::svg(&tree, &around)? })
}

/// Ticks of one operation by frames without the root, in the order in which the record has them.
type Stacks = Vec<(Vec<String>, f64)>;

/// Both records.
struct Sides {
    before: Stacks,
    after: Stacks,
}

impl Sides {
    /// What both have in stacks for which this holds.
    fn sum(&self, holds: impl Fn(&[String]) -> bool) -> Pair {
        let sum = |side: &Stacks| side.iter().filter(|(path, _)| holds(path)).map(|(_, ticks)| ticks).sum();
        Pair { before: Some(sum(&self.before)), after: Some(sum(&self.after)) }
    }

    fn total(&self) -> Pair {
        self.sum(|_| true)
    }

    /// Colours frames by how they changed, and says it on them.
    fn paint(&self, frame: &mut Frame, path: &mut Vec<String>, unit: &str) {
        let all = self.sum(|stack| stack.starts_with(path));
        frame.color = palette::change(all.change());
        frame.tip.push(format!("{}, {}", change(&all, unit), self.of_total(&all)));
        if !frame.above.is_empty() {
            let own = self.sum(|stack| stack == path.as_slice());
            frame.tip.push(format!("itself: {}, {}", change(&own, unit), self.of_total(&own)));
        }
        for above in &mut frame.above {
            path.push(above.name.clone());
            self.paint(above, path, unit);
            path.pop();
        }
        // On the label too, last: until here the name is that of the stacks.
        frame.name += &format!("  {}", in_words(&all));
    }

    /// A change as a share of the whole operation before.
    fn of_total(&self, pair: &Pair) -> String {
        let growth = pair.after.zip(pair.before).map(|(after, before)| after - before);
        let share = growth.zip(self.total().before).map(|(growth, total)| growth / total);
        format!("{} of the operation before", share.map_or_else(|| "unknown".to_owned(), units::change))
    }
}

/// Frames of one record, in parts of a tick.
fn tree(side: &Stacks, root: &str, parts: f64) -> Frame {
    let mut tree = Frame::new(root, palette::OPERATION);
    for (path, ticks) in side {
        let frame = path.iter().fold(&mut tree, |frame, name| frame.child(name, palette::OPERATION));
        frame.own = (ticks * parts).round().max(0.0) as u64;
    }
    tree
}

/// Folded stacks with what they took before and after.
fn merged(before: &Frame, after: &Frame) -> io::Result<String> {
    let [before, after] = [before, after].map(|tree| tree.folded().join("\n"));
    let mut merged = Vec::new();
    differential::from_readers(differential::Options::default(), before.as_bytes(), after.as_bytes(), &mut merged)?;
    let merged = String::from_utf8_lossy(&merged);
    let lines: BTreeSet<&str> = merged.lines().collect();
    Ok(lines.into_iter().map(|line| format!("{line}\n")).collect())
}

fn in_words(pair: &Pair) -> String {
    match pair.before {
        Some(before) if before > 0.0 => pair.change().map_or_else(String::new, units::change),
        _ => "new".to_owned(),
    }
}

/// `1.20 k ticks before, 600 after: -50.0 %`.
fn change(pair: &Pair, unit: &str) -> String {
    let [before, after] = [pair.before, pair.after].map(|ticks| units::count(ticks.unwrap_or_default()));
    format!("{before} {unit} before, {after} after: {}", in_words(pair))
}

/// The frame of symmetric calls: the function and role where both records use the same, else the role with all functions of both.
fn leaf(call: &CallRow, records: [&Evidence; 2]) -> String {
    let role = &call.role;
    let [before, after] = records.map(|evidence| {
        let serving = evidence.calls.iter().filter(|call| call.role == *role);
        serving.map(|call| call.function.as_str()).collect::<BTreeSet<_>>()
    });
    if before == after {
        return format!("{} {role}", call.function);
    }
    let [before, after] = [before, after].map(|names| {
        if names.is_empty() { "nothing".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(" and ") }
    });
    format!("{role}: {before} → {after}")
}

fn stacks(evidence: &Evidence, records: [&Evidence; 2]) -> Stacks {
    let scale = scale(evidence).unwrap_or_default();
    let mut stacks = Stacks::new();
    for Piece { path, call, ticks, .. } in pieces(evidence) {
        // The outermost phase is the operation, which the root frame already names.
        let names = path.iter().skip(1).cloned().chain(call.map(|call| leaf(call, records)));
        let stack: Vec<String> = names.map(|name| folded::frame(&name)).collect();
        let ticks = ticks.unwrap_or_default() as f64 * scale;
        match stacks.iter_mut().find(|(other, _)| *other == stack) {
            Some((_, sum)) => *sum += ticks,
            // A phase without time of its own has its place too.
            None => stacks.push((stack, ticks)),
        }
    }
    stacks
}

/// What was run before, and after.
fn title(before: &Evidence, after: &Evidence) -> String {
    let side = Evidence::suite;
    format!("{} {}: before {}, after {}", after.instance, after.operation, side(before), side(after))
}

/// What widths and colours say, and what cannot be seen.
fn notes(sides: &Sides, unit: &str) -> String {
    let mut notes = format!(
        "widths: after · {} · colours: the change of a frame with all that stands on it, relative to before",
        change(&sides.total(), &format!("{unit} per operation"))
    );
    let gone = |stack: &[String]| !sides.after.iter().any(|(other, ticks)| other == stack && *ticks >= 0.5);
    if let Some(gone) = sides.sum(gone).before.filter(|&gone| gone >= 1.0) {
        notes += &format!("\nnot drawn, gone: {} {unit}", units::count(gone));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::diff::diff;
    use crate::analysis::fixture::{call, record};

    fn sides() -> [Evidence; 2] {
        let one = |matrix, noise, ntt| {
            let calls = [call("shake128", "matrix", 8, 8, matrix), call("shake256", "noise", 8, 8, noise)];
            record(&calls, &[(&["keygen"], 100), (&["keygen", "ntt"], ntt)])
        };
        [one(600, 100, 200), one(150, 250, 201)]
    }

    /// The tip and the colour of each frame.
    fn frames(svg: &str) -> Vec<(String, String)> {
        let parsing = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(svg, parsing).expect("is XML");
        let frames = document.descendants().filter(|node| node.has_tag_name("g"));
        let of = |node: roxmltree::Node<'_, '_>| {
            let fill = node.children().find(|child| child.has_tag_name("rect"))?.attribute("fill")?;
            Some((node.first_element_child()?.text()?.to_owned(), fill.to_owned()))
        };
        frames.filter_map(of).collect()
    }

    #[test]
    fn frames_say_the_percentages_of_diff_and_have_their_colours() {
        let [before, after] = sides();
        let picture = differential(&before, &after).expect("is drawn");
        let rows = diff(&before, &after).expect("is compared");
        let frames = frames(&picture.svg);
        for row in rows.functions.iter().chain(rows.phases.iter().filter(|row| row.name == "keygen/ntt")) {
            let name = row.role.as_ref().map_or("ntt".to_owned(), |role| format!("{} {role}", row.name));
            let (tip, fill) = frames.iter().find(|(tip, _)| tip.starts_with(&name)).expect("has a frame");
            let [change, of_total] =
                [row.change, row.of_total].map(|fraction| units::change(fraction.expect("is known")));
            assert!(tip.starts_with(&format!("{name}  {change} (")), "{tip}");
            assert!(tip.contains(&format!("after: {change}, {of_total} of the operation before")), "{tip}");
            assert_eq!(*fill, palette::change(row.change).to_string());
        }
        let (tip, _) = frames.iter().find(|(tip, _)| tip.starts_with("lwekem256 keygen  -29.9 % (")).expect("is there");
        assert!(tip.contains("itself: 100 ticks before, 100 after: 0.0 %, 0.0 % of the operation before"), "{tip}");
        // The scale of colours is drawn, and where it was measured.
        for (words, color) in palette::changes() {
            assert!(picture.svg.contains(&format!("fill=\"{color}\"><title>{words}</title>")), "{words}");
        }
        assert!(picture.svg.contains("a-target, tsc at 1000 MHz"), "{}", picture.svg);
    }

    #[test]
    fn what_is_new_or_gone_is_said() {
        let [before, mut after] = sides();
        "g".clone_into(&mut after.calls[1].role);
        let picture = differential(&before, &after).expect("is drawn");
        let frames = frames(&picture.svg);
        assert!(frames.iter().any(|(tip, _)| tip.starts_with("g: nothing → shake256  new (")), "{frames:?}");
        assert!(picture.svg.contains("not drawn, gone: 100"), "{}", picture.svg);
    }
}
