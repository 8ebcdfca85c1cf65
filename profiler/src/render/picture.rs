//! Frames as a picture. Inferno draws them; what it has no word for is added to its SVG: a colour and tips for each frame, which it
//! knows by names alone, and notes and a legend below.

use super::folded::{FoldError, printable};
use super::frames::Frame;
use super::palette::{FAINT_INK, INK, PAPER, Rgb, ink_on};
use super::svg::{Font, Svg, escaped};
use inferno::flamegraph::color::{BackgroundColor, Color, StrokeColor};
use inferno::flamegraph::{self, Options, TextTruncateDirection};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// As wide as inferno draws before a browser has told it otherwise, and the room it leaves at the sides.
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const NOTE: Font = Font { size: 12.0, bold: false, ink: FAINT_INK };
/// Frames that are narrower than this, in percent of the picture, are not drawn.
const NARROWEST: f64 = 0.02;
/// Of inferno's own attributes: where a frame begins and how wide it is, in counts.
const INFERNO: &str = "http://github.com/jonhoo/inferno";

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

/// What stands around the frames.
pub(super) struct Surroundings<'a> {
    pub(super) title: &'a str,
    /// The processor and the counter.
    pub(super) subtitle: &'a str,
    /// What else there is to say, line by line.
    pub(super) notes: &'a str,
    /// What colours stand for.
    pub(super) legend: &'a [(&'a str, Rgb)],
    /// What is counted, and how much of it for one operation is 1 of the frames' numbers.
    pub(super) unit: &'a str,
    pub(super) factor: f64,
}

/// The picture, checked to be well-formed XML.
///
/// # Errors
/// When there is nothing in the frames, or what came out is not XML.
pub(super) fn svg(root: &Frame, around: &Surroundings<'_>) -> Result<String, FlamegraphError> {
    let mut options = Options::default();
    options.title = printable(around.title);
    options.subtitle = Some(printable(around.subtitle));
    options.name_type = "Frame:".to_owned();
    options.count_name = format!("{} an operation", printable(around.unit));
    options.factor = around.factor;
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.stroke_color = StrokeColor::Color(color(PAPER));
    options.bgcolors = Some(BackgroundColor::Flat(color(PAPER)));
    options.uicolor = color(INK);
    options.deterministic = true;
    options.min_width = NARROWEST;
    // As a chart, which takes stacks from the last on, frames keep their order instead of being sorted by name.
    options.flame_chart = true;
    let lines = root.folded();
    let mut drawn = Vec::new();
    flamegraph::from_lines(&mut options, lines.iter().rev().map(String::as_str), &mut drawn)?;
    let svg = completed(&String::from_utf8_lossy(&drawn), root, around, options.frame_height)?;
    parse(&svg)?;
    Ok(svg)
}

fn color(of: Rgb) -> Color {
    Color { r: of.r, g: of.g, b: of.b }
}

fn parse(svg: &str) -> Result<Document<'_>, roxmltree::Error> {
    // Inferno's SVG declares a document type, as SVG 1.1 asks.
    Document::parse_with_options(svg, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() })
}

/// What to put in which place of a text.
type Edits = Vec<(Range<usize>, String)>;

/// Inferno's SVG with what it lacks.
fn completed(drawn: &str, root: &Frame, around: &Surroundings<'_>, step: usize) -> Result<String, roxmltree::Error> {
    let document = parse(drawn)?;
    // Inferno's own frame around all stacks, the lowest, is the operation's again.
    let mut frames = BTreeMap::from([((0, 0), root)]);
    place(root, (1, 0), &mut frames);
    let rect = |group: Node<'_, '_>| -> Option<(usize, u64)> {
        let rect = group.children().find(|child| child.has_tag_name("rect"))?;
        Some((rect.attribute("y")?.parse().ok()?, rect.attribute((INFERNO, "x"))?.parse().ok()?))
    };
    let groups = document.descendants().filter_map(|group| Some((group, rect(group)?)));
    let groups: Vec<_> = groups.filter(|(group, _)| group.has_tag_name("g")).collect();
    let lowest = groups.iter().map(|(_, (y, _))| *y).max().unwrap_or_default();
    let mut edits = Edits::new();
    for (group, (y, x)) in groups {
        if let Some(frame) = frames.get(&((lowest - y) / step, x)) {
            dress(group, frame, &mut edits);
        }
    }
    extend(&document, around, &mut edits);
    edits.sort_by_key(|(range, _)| range.start);
    let mut svg = drawn.to_owned();
    for (range, text) in edits.iter().rev() {
        svg.replace_range(range.clone(), text);
    }
    Ok(svg)
}

/// Each frame by how many are below it, and where it begins.
fn place<'a>(frame: &'a Frame, (below, mut x): (usize, u64), frames: &mut BTreeMap<(usize, u64), &'a Frame>) {
    if frame.total() == 0 {
        return;
    }
    frames.insert((below, x), frame);
    x += frame.own;
    for above in &frame.above {
        place(above, (below + 1, x), frames);
        x += above.total();
    }
}

fn set(node: Node<'_, '_>, name: &str, value: String, edits: &mut Edits) {
    edits.extend(node.attribute_node(name).map(|attribute| (attribute.range_value(), value)));
}

/// Gives a frame its colour, a label that can be read on it, and its tips.
fn dress(group: Node<'_, '_>, frame: &Frame, edits: &mut Edits) {
    for child in group.children() {
        let at = child.range().start + "<text".len();
        match (child.tag_name().name(), child.first_child()) {
            // Inferno's script takes the last parenthesis off for the label: tips stand inside it.
            ("title", Some(text)) => {
                let end = text.range().end - 1;
                edits.push((end..end, frame.tip.iter().map(|tip| format!(";\n{}", escaped(tip))).collect()));
            }
            ("rect", _) => set(child, "fill", frame.color.to_string(), edits),
            ("text", _) => edits.push((at..at, format!(" fill=\"{}\"", ink_on(frame.color)))),
            _ => {}
        }
    }
}

/// Makes the picture taller by notes and the legend.
fn extend(document: &Document<'_>, around: &Surroundings<'_>, edits: &mut Edits) {
    let mut below = Svg::default();
    let inside = WIDTH - 2.0 * MARGIN;
    let y = below.paragraph((MARGIN, NOTE.size), inside, NOTE, around.notes);
    let more = below.legend((MARGIN, y - 4.0), inside, around.legend) + MARGIN;
    let svg = document.root_element();
    let height: f64 = svg.attribute("height").and_then(|height| height.parse().ok()).unwrap_or_default();
    let paper = svg.children().find(|child| child.has_tag_name("rect"));
    let higher = format!("{:.0}", height + more);
    set(svg, "viewBox", format!("0 0 {WIDTH:.0} {higher}"), edits);
    for node in [Some(svg), paper].into_iter().flatten() {
        set(node, "height", higher.clone(), edits);
    }
    let end = svg.range().end - "</svg>".len();
    edits.push((end..end, below.part((WIDTH, more), height)));
}

#[cfg(test)]
mod tests {
    use super::super::palette::{GENERATOR, PHASE, role};
    use super::*;
    use proptest::prelude::*;

    const AROUND: Surroundings<'_> = Surroundings {
        title: "a title",
        subtitle: "a processor",
        notes: "a note",
        legend: &[("phase", PHASE)],
        unit: "ticks",
        factor: 0.1,
    };

    /// Two frames of one name, on others.
    fn tower() -> Frame {
        let mut root = Frame::new("enc", PHASE);
        root.own = 100;
        for (name, color, own) in [("z", GENERATOR, 600), ("nothing", PHASE, 0), ("a", role("matrix"), 300)] {
            let frame = root.child(name, PHASE).child("used", color);
            frame.own = own;
            frame.tip = vec![format!("on {name}"), "a < b".to_owned()];
        }
        root
    }

    #[test]
    fn frames_keep_their_order_and_have_colours_and_tips_of_their_own() {
        let picture = svg(&tower(), &AROUND).expect("is drawn");
        let document = parse(&picture).expect("is XML");
        let frames = document.descendants().filter(|node| node.has_tag_name("g")).map(|group| {
            let child = |name| group.children().find(|child| child.has_tag_name(name)).expect("is there");
            let fills = ["rect", "text"].map(|name| child(name).attribute("fill").expect("one"));
            (child("title").text().expect("a tip").to_owned(), fills.map(str::to_owned))
        });
        let frame = |tip: &str, color: Rgb| (tip.to_owned(), [color, ink_on(color)].map(|color| color.to_string()));
        let expected = [
            frame("z (60 ticks an operation, 60.00%)", PHASE),
            frame("used (60 ticks an operation, 60.00%;\non z;\na < b)", GENERATOR),
            frame("all (100 ticks an operation, 100%)", PHASE),
            frame("enc (100 ticks an operation, 100.00%)", PHASE),
            frame("a (30 ticks an operation, 30.00%)", PHASE),
            frame("used (30 ticks an operation, 30.00%;\non a;\na < b)", role("matrix")),
        ];
        assert_eq!(frames.collect::<Vec<_>>(), expected);
        // Between frames there is an edge.
        assert!(picture.contains("#frames > g > rect { stroke:rgb(250,250,250); stroke-width:1; }"), "{picture}");
    }

    #[test]
    fn notes_and_legend_stand_below_on_paper() {
        let picture = svg(&tower(), &AROUND).expect("is drawn");
        let document = parse(&picture).expect("is XML");
        let whole = document.root_element();
        let below = whole.last_element_child().expect("is there");
        let number = |node: Node<'_, '_>, name| node.attribute(name).expect("one").parse::<f64>().expect("a number");
        let height = number(whole, "height");
        assert_eq!(number(below, "y") + number(below, "height"), height);
        assert_eq!(whole.attribute("viewBox"), Some(&*format!("0 0 1200 {height}")));
        let paper = whole.children().find(|child| child.has_tag_name("rect")).expect("is there");
        assert_eq!(number(paper, "height"), height);
        let words = below.children().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
        assert_eq!(words.collect::<Vec<_>>(), ["a note", "phase"]);
        assert!(picture.contains(">a title</text>") && picture.contains(">a processor</text>"), "{picture}");
    }

    #[test]
    fn labels_keep_their_beginning() {
        let mut root = Frame::new("enc", PHASE);
        root.own = 900;
        root.child("pseudoXOF matrix (280 to 12288 bits)", PHASE).own = 100;
        let picture = svg(&root, &AROUND).expect("is drawn");
        assert!(picture.contains(">pseudoXOF matr..</text>"), "{picture}");
        assert!(picture.contains("var truncate_text_right = true;"), "{picture}");
    }

    #[test]
    fn frames_of_nothing_are_refused() {
        assert!(matches!(svg(&Frame::new("enc", PHASE), &AROUND), Err(FlamegraphError::Draw(_))));
    }

    proptest! {
        #[test]
        fn any_text_is_well_formed(text in any::<String>()) {
            let mut root = Frame::new("enc", PHASE);
            let frame = root.child(&text, PHASE);
            (frame.own, frame.tip) = (7, vec![text.clone()]);
            let around = Surroundings { title: &text, subtitle: &text, notes: &text, legend: &[(&text, PHASE)], unit: &text, ..AROUND };
            prop_assert!(svg(&root, &around).is_ok());
        }
    }
}
