//! Flamegraphs, by inferno.

use super::folded::{self, FoldError};
use super::palette::{self, Rgb};
use super::units;
use crate::evidence::Evidence;
use crate::kat::{Standing, standing};
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Options};
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum FlamegraphError {
    /// There is nothing to draw.
    #[error(transparent)]
    Nothing(#[from] FoldError),
    /// Inferno refused the stacks.
    #[error("the flamegraph could not be drawn: {0}")]
    Draw(#[from] std::io::Error),
    /// What came out is not XML.
    #[error("the flamegraph is not well-formed XML: {0}")]
    Malformed(#[from] roxmltree::Error),
}

fn color(of: Rgb) -> Color {
    Color { r: of.r, g: of.g, b: of.b }
}

/// The flamegraph of one run as SVG, checked to be well-formed.
///
/// # Errors
/// See [`FlamegraphError`].
pub fn svg(evidence: &Evidence) -> Result<String, FlamegraphError> {
    let lines = folded::lines(evidence)?;
    let name = format!("{} {}", evidence.instance, evidence.operation);
    of_lines(evidence, &name, &subtitle(evidence), &lines)
}

/// A flamegraph of stacks that are of `evidence`: its phases and calls have their colours.
pub(super) fn of_lines(
    evidence: &Evidence,
    title: &str,
    subtitle: &str,
    lines: &[String],
) -> Result<String, FlamegraphError> {
    let mut colors = PaletteMap::default();
    // Inferno's own frame around all stacks has no name.
    colors.insert("", color(palette::OPERATION));
    colors.insert(folded::frame(&format!("{} {}", evidence.instance, evidence.operation)), color(palette::OPERATION));
    for name in evidence.phases.iter().flat_map(|phase| phase.path.iter().skip(1)) {
        colors.insert(folded::frame(name), color(palette::PHASE));
    }
    for call in &evidence.calls {
        colors.insert(folded::frame(&call.frame()), color(palette::calls(call)));
    }
    let mut options = Options::default();
    options.title = folded::printable(title);
    options.subtitle = Some(folded::printable(subtitle));
    options.count_name = folded::printable(&evidence.counter.unit);
    options.name_type = "Phase or function:".to_owned();
    options.palette_map = Some(&mut colors);
    options.bgcolors = Some(BackgroundColor::Flat(color(palette::PAPER)));
    options.deterministic = true;
    options.min_width = 0.05;
    draw(&mut options, lines)
}

/// What the picture is of, with its unit.
fn subtitle(evidence: &Evidence) -> String {
    let mut parts = vec![evidence.suite()];
    if let Some(remark) = standing(&evidence.instance, &evidence.backends).and_then(Standing::remark) {
        parts.insert(1, remark.to_owned());
    }
    if let Some(share) = evidence.derived.hash_share {
        parts.push(format!("{} in hash functions", units::percent(share)));
    }
    if let Some(median) = evidence.derived.median {
        parts.push(format!("{} {} without probes", units::count(median), evidence.counter.unit));
    }
    parts.push(evidence.counts());
    parts.join(" · ")
}

/// Draws stacks and sees that what comes out is XML.
pub(super) fn draw(options: &mut Options<'_>, lines: &[String]) -> Result<String, FlamegraphError> {
    let mut svg = Vec::new();
    flamegraph::from_lines(options, lines.iter().map(String::as_str), &mut svg)?;
    let svg = String::from_utf8_lossy(&svg).into_owned();
    // Inferno's SVG declares a document type, as SVG 1.1 asks.
    let parsing = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(&svg, parsing)?;
    Ok(svg)
}
