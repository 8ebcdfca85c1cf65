//! A picture of rectangles, lines and text, as SVG.

use super::folded::printable;
use super::palette::{INK, PAPER, Rgb};

/// Where text stands relative to its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// How text looks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Font {
    /// Height in pixels.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Its colour.
    pub ink: Rgb,
}

/// A picture that grows. Lengths are in pixels, from the upper left corner.
#[derive(Clone, Debug, Default)]
pub struct Svg {
    body: String,
}

/// Of the words beside colours.
const LEGEND: Font = Font { size: 12.0, bold: false, ink: INK };
/// Side of a square of colour.
const SWATCH: f64 = 13.0;

/// What every reader of SVG has, the reader's own first.
const FAMILY: &str = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/// Text as XML has it.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

impl Svg {
    /// A filled rectangle that says `tip` when it is pointed at.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: Rgb, tip: &str) {
        self.body.push_str(&format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"><title>{}</title></rect>\n",
            escaped(tip)
        ));
    }

    /// Lines of text, each in as many as it takes, the first of which stands at `place`, and where the line after them would stand.
    pub fn paragraph(&mut self, (x, mut y): (f64, f64), width: f64, font: Font, text: &str) -> f64 {
        for line in text.lines().flat_map(|line| wrapped(line, font.size, width)) {
            self.text((x, y), Anchor::Start, font, &line);
            y += font.size * 1.4;
        }
        y
    }

    /// A swatch and a word for each colour, in as many lines as it takes, and how far down the last goes.
    pub fn legend(&mut self, (left, mut y): (f64, f64), width: f64, entries: &[(&str, Rgb)]) -> f64 {
        let mut x = left;
        for (name, color) in entries {
            let wide = SWATCH + 6.0 + width_of(name, LEGEND.size);
            if x > left && x + wide > left + width {
                (x, y) = (left, y + SWATCH + 7.0);
            }
            self.rectangle((x, y), (SWATCH, SWATCH), *color, name);
            self.text((x + SWATCH + 6.0, y + SWATCH - 2.0), Anchor::Start, LEGEND, name);
            x += wide + 16.0;
        }
        y + SWATCH
    }

    /// A line from one place to another.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), ink: Rgb) {
        self.body.push_str(&format!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{ink}\"/>\n"
        ));
    }

    /// One line of text, whose base line is at the place.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, font: Font, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        self.body.push_str(&format!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{}\"{weight} fill=\"{}\">{}</text>\n",
            font.size,
            font.ink,
            escaped(text)
        ));
    }

    /// The picture as a part of another, `top` from its upper edge. It is drawn smaller where that is narrower.
    pub(super) fn part(self, (width, height): (f64, f64), top: f64) -> String {
        format!(
            "<svg y=\"{top:.0}\" width=\"100%\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             preserveAspectRatio=\"xMinYMin\">\n{}</svg>",
            self.body
        )
    }

    /// The picture, checked to be well-formed XML.
    ///
    /// # Errors
    /// When it is not.
    pub fn finish(self, (width, height): (f64, f64), title: &str) -> Result<String, roxmltree::Error> {
        let (title, body) = (escaped(title), self.body);
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\" font-family=\"{FAMILY}\">\n\
             <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>\n{body}</svg>\n"
        );
        roxmltree::Document::parse(&svg)?;
        Ok(svg)
    }
}

/// A width that fits `text` at this size: sans-serif letters are about 0.6 of their height wide.
#[must_use]
pub fn width_of(text: &str, size: f64) -> f64 {
    0.6 * size * text.chars().count() as f64
}

/// Lines of text that are no wider than `width` at this size, unless a word alone is.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line, size) + width_of(word, size) + size <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FONT: Font = Font { size: 12.0, bold: true, ink: PAPER };

    #[test]
    fn shapes_and_text_stand_where_they_are_put() {
        let mut svg = Svg::default();
        svg.rectangle((1.0, 2.0), (3.0, 4.0), PAPER, "a tip");
        svg.line((0.0, 0.0), (5.0, 5.5), PAPER);
        svg.text((7.0, 8.0), Anchor::End, FONT, "a & b");
        let text = svg.finish((10.0, 20.0), "a picture").expect("is XML");
        let document = roxmltree::Document::parse(&text).expect("is XML");
        let find = |name: &str| {
            document.descendants().rfind(|node| node.has_tag_name(name)).unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(document.root_element().attribute("viewBox"), Some("0 0 10 20"));
        assert_eq!((find("rect").attribute("width"), find("rect").attribute("height")), (Some("3.00"), Some("4.00")));
        assert_eq!(find("rect").first_element_child().and_then(|title| title.text()), Some("a tip"));
        assert_eq!(find("line").attribute("y2"), Some("5.50"));
        assert_eq!((find("text").text(), find("text").attribute("text-anchor")), (Some("a & b"), Some("end")));
    }

    #[test]
    fn long_text_is_wrapped_at_words() {
        assert_eq!(wrapped("one two three", 10.0, 60.0), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensibilities", 10.0, 60.0), ["incomprehensibilities"]);
        assert!(wrapped("", 10.0, 60.0).is_empty());
    }

    #[test]
    fn a_legend_wraps() {
        let bottom = Svg::default().legend((0.0, 0.0), 100.0, &[("one colour", PAPER), ("another", PAPER)]);
        assert_eq!(bottom, 2.0 * SWATCH + 7.0);
    }

    proptest! {
        #[test]
        fn any_text_is_well_formed(text in any::<String>()) {
            let mut svg = Svg::default();
            svg.text((0.0, 0.0), Anchor::Start, FONT, &text);
            svg.rectangle((0.0, 0.0), (1.0, 1.0), PAPER, &text);
            prop_assert!(svg.finish((1.0, 1.0), &text).is_ok());
        }
    }
}
