//! A flamegraph: frames that stand on each other, as wide as what they took. Folded stacks and pictures are made of the same frames.

use super::folded::{frame, printable};
use super::palette::{FAINT_INK, INK, Rgb};
use super::svg::{FRAME_HEIGHT, Font, Svg};

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 12.0;
/// Frames that are narrower than this, in pixels, are not drawn.
const NARROWEST: f64 = 0.2;
const TITLE: Font = Font { size: 17.0, bold: true, ink: INK };
const SUBTITLE: Font = Font { size: 12.0, bold: false, ink: FAINT_INK };

/// A frame with those that stand on it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Frame {
    /// What it is, as folded stacks have it.
    pub(super) name: String,
    /// What is written on it besides.
    pub(super) remark: String,
    pub(super) color: Rgb,
    /// What there is to say of it besides how long it took, line by line.
    pub(super) tip: Vec<String>,
    /// What it took without those that stand on it.
    pub(super) own: u64,
    pub(super) above: Vec<Self>,
}

impl Frame {
    /// A frame of this name, in which nothing was spent yet.
    pub(super) fn new(name: &str, color: Rgb) -> Self {
        Self { name: frame(name), remark: String::new(), color, tip: Vec::new(), own: 0, above: Vec::new() }
    }

    /// What it took with those that stand on it.
    pub(super) fn total(&self) -> u64 {
        self.own + self.above.iter().map(Self::total).sum::<u64>()
    }

    /// The frame of this name that stands on it: the one that is there, or else a new one.
    pub(super) fn child(&mut self, name: &str, color: Rgb) -> &mut Self {
        let new = Self::new(name, color);
        let place = self.above.iter().position(|frame| frame.name == new.name).unwrap_or(self.above.len());
        if place == self.above.len() {
            self.above.push(new);
        }
        &mut self.above[place]
    }

    /// Folded stacks: one line for each frame that took something itself. They sum to the total.
    pub(super) fn folded(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.fold(&self.name, &mut lines);
        lines
    }

    fn fold(&self, stack: &str, lines: &mut Vec<String>) {
        if self.own > 0 {
            lines.push(format!("{stack} {}", self.own));
        }
        for frame in &self.above {
            frame.fold(&format!("{stack};{}", frame.name), lines);
        }
    }

    fn height(&self, narrowest: f64) -> usize {
        let drawn = self.above.iter().filter(|frame| frame.total() as f64 >= narrowest);
        1 + drawn.map(|frame| frame.height(narrowest)).max().unwrap_or_default()
    }
}

/// What stands around the frames.
pub(super) struct Surroundings<'a> {
    pub(super) title: &'a str,
    pub(super) subtitle: &'a str,
    /// What colours stand for.
    pub(super) legend: &'a [(&'a str, Rgb)],
    /// What a frame took, for its tip.
    pub(super) took: &'a dyn Fn(&Frame) -> String,
}

/// The picture, checked to be well-formed XML.
pub(super) fn svg(root: &Frame, around: &Surroundings<'_>) -> Result<String, roxmltree::Error> {
    let mut svg = Svg::default();
    let inside = WIDTH - 2.0 * MARGIN;
    let y = svg.paragraph((MARGIN, 28.0), inside, TITLE, around.title);
    let y = svg.paragraph((MARGIN, y), inside, SUBTITLE, around.subtitle);
    // Room at the right for what can be clicked.
    let top = svg.legend((MARGIN, y - 4.0), inside - 150.0, around.legend) + 10.0;
    let scale = inside / root.total().max(1) as f64;
    let bottom = top + FRAME_HEIGHT * root.height(NARROWEST / scale) as f64;
    svg.begin_frames();
    draw(&mut svg, root, (MARGIN, bottom - FRAME_HEIGHT), scale, around.took);
    svg.end_frames((WIDTH - MARGIN, top - 13.0));
    svg.finish((WIDTH, bottom + MARGIN), &printable(around.title))
}

fn draw(svg: &mut Svg, frame: &Frame, (x, y): (f64, f64), scale: f64, took: &dyn Fn(&Frame) -> String) {
    let width = frame.total() as f64 * scale;
    if width < NARROWEST {
        return;
    }
    let tip = [vec![frame.name.clone(), took(frame)], frame.tip.clone()].concat();
    let label = format!("{}{}", frame.name, frame.remark);
    svg.frame((x, y), width, frame.color, (&label, &tip.join("\n")));
    let mut x = x;
    for above in &frame.above {
        draw(svg, above, (x, y - FRAME_HEIGHT), scale, took);
        x += above.total() as f64 * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::PHASE;
    use super::*;

    fn tower() -> Frame {
        let mut root = Frame::new("enc", PHASE);
        root.own = 10;
        root.child("matrix", PHASE).own = 60;
        root.child("matrix", PHASE).child("used 7", PHASE).own = 30;
        root
    }

    #[test]
    fn folded_stacks_sum_to_the_width_of_the_root() {
        let root = tower();
        assert_eq!(root.folded(), ["enc 10", "enc;matrix 60", "enc;matrix;used_7 30"]);
        assert_eq!((root.total(), root.above[0].total()), (100, 90));
    }

    #[test]
    fn frames_stand_on_each_other_as_wide_as_what_they_took() {
        let took = |frame: &Frame| format!("{} ticks", frame.total());
        let around = Surroundings { title: "a title", subtitle: "", legend: &[("phase", PHASE)], took: &took };
        let picture = svg(&tower(), &around).expect("is XML");
        let document = roxmltree::Document::parse(&picture).expect("is XML");
        let frames: Vec<_> = document.descendants().filter(|node| node.attribute("data-w").is_some()).collect();
        let number =
            |index: usize, name: &str| frames[index].attribute(name).expect("is there").parse::<f64>().expect("");
        let all = number(0, "data-w");
        assert!((number(1, "data-w") / all - 0.9).abs() < 1e-5 && (number(2, "data-w") / all - 0.3).abs() < 1e-5);
        assert_eq!(number(0, "data-x"), number(2, "data-x"));
        let tips: Vec<&str> = frames.iter().filter_map(|frame| frame.first_element_child()?.text()).collect();
        assert_eq!(tips, ["enc\n100 ticks", "matrix\n90 ticks", "used_7\n30 ticks"]);
    }
}
