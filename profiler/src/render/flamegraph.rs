//! Flamegraphs, by inferno.

use super::folded::{self, FoldError};
use super::units;
use crate::evidence::Evidence;
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

/// Symmetric functions are warm, the rest of the scheme is cool: the share shows at a glance.
mod palette {
    use super::Color;

    pub(super) const PAPER: Color = Color { r: 250, g: 250, b: 250 };
    pub(super) const OPERATION: Color = Color { r: 196, g: 200, b: 208 };
    pub(super) const PHASE: Color = Color { r: 132, g: 170, b: 214 };
    pub(super) const GENERATOR: Color = Color { r: 214, g: 180, b: 96 };
    pub(super) const OTHER_HASH: Color = Color { r: 240, g: 150, b: 110 };
    pub(super) const BY_ROLE: [(&str, Color); 5] = [
        ("matrix", Color { r: 226, g: 74, b: 51 }),
        ("noise", Color { r: 240, g: 128, b: 60 }),
        ("h", Color { r: 246, g: 168, b: 92 }),
        ("g", Color { r: 250, g: 190, b: 110 }),
        ("j", Color { r: 236, g: 148, b: 134 }),
    ];
}

/// The flamegraph of one run as SVG, checked to be well-formed.
///
/// # Errors
/// See [`FlamegraphError`].
pub fn svg(evidence: &Evidence) -> Result<String, FlamegraphError> {
    let lines = folded::lines(evidence)?;
    let mut colors = PaletteMap::default();
    // Inferno's own frame around all stacks.
    colors.insert("all", palette::OPERATION);
    colors.insert(folded::frame(&format!("{} {}", evidence.instance, evidence.operation)), palette::OPERATION);
    for name in evidence.phases.iter().flat_map(|phase| phase.path.iter().skip(1)) {
        colors.insert(folded::frame(name), palette::PHASE);
    }
    for call in &evidence.calls {
        let by_role = palette::BY_ROLE.iter().find(|(role, _)| *role == call.role).map(|(_, color)| *color);
        let color = if call.is_generator() { palette::GENERATOR } else { by_role.unwrap_or(palette::OTHER_HASH) };
        colors.insert(folded::frame(&call.frame()), color);
    }
    let mut options = Options::default();
    options.title = folded::printable(&format!("{} {}", evidence.instance, evidence.operation));
    options.subtitle = Some(folded::printable(&subtitle(evidence)));
    options.count_name = folded::printable(&evidence.counter.unit);
    options.name_type = "Phase or function:".to_owned();
    options.palette_map = Some(&mut colors);
    options.bgcolors = Some(BackgroundColor::Flat(palette::PAPER));
    options.deterministic = true;
    options.min_width = 0.05;
    draw(&mut options, &lines)
}

/// What the picture is of, with its unit.
fn subtitle(evidence: &Evidence) -> String {
    let mut parts = vec![evidence.suite(), evidence.sampling.clone(), evidence.target.clone()];
    if let Some(share) = evidence.derived.hash_share {
        parts.push(format!("{} in hash functions", units::percent(share)));
    }
    if let Some(median) = evidence.derived.median {
        parts.push(format!("{} {} per operation without probes", units::count(median), evidence.counter.unit));
    }
    parts.push(format!("counter {}", evidence.counter.describe()));
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
