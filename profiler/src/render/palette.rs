//! The colours of all pictures: symmetric functions are warm, the rest of the scheme is cool, so the share shows at a glance.

use crate::evidence::CallRow;
use std::fmt;

/// A colour, which prints as CSS writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rgb {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

const fn rgb(r: u8, g: u8, b: u8) -> Rgb {
    Rgb { r, g, b }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

/// Behind everything.
pub const PAPER: Rgb = rgb(250, 250, 250);
/// Text.
pub const INK: Rgb = rgb(34, 38, 46);
/// Text on dark colours.
const PALE_INK: Rgb = rgb(255, 255, 255);
/// Text of less weight.
pub const FAINT_INK: Rgb = rgb(98, 104, 116);
/// Lines of a scale.
pub const RULE: Rgb = rgb(222, 225, 230);
/// A whole operation.
pub const OPERATION: Rgb = rgb(196, 200, 208);
/// Output that is thrown away.
pub const UNUSED: Rgb = rgb(224, 226, 231);
/// Phases of the scheme.
pub const PHASE: Rgb = rgb(138, 194, 237);
/// Functions of the scheme.
pub const FUNCTION: Rgb = rgb(197, 232, 248);
/// Symmetric functions whose role is not known.
pub const SYMMETRIC: Rgb = rgb(201, 138, 97);
/// The generator of random bytes.
pub const GENERATOR: Rgb = rgb(245, 234, 166);

/// Roles besides [`GENERATOR`]'s. Any two of them may stand side by side, so that each has a luminance of its own.
const BY_ROLE: [(&str, Rgb); 6] = [
    ("matrix", rgb(173, 3, 20)),
    ("noise", rgb(222, 116, 2)),
    ("g", rgb(255, 199, 143)),
    ("h", rgb(208, 78, 118)),
    ("j", rgb(241, 136, 127)),
    ("kdf", rgb(140, 91, 92)),
];

/// Changes, from the greatest fall to the greatest growth: blue falls, red grows, and what is darker has grown more.
const CHANGES: [(f64, Rgb, &str); 7] = [
    (0.5, rgb(197, 232, 248), "half or less"),
    (0.9, rgb(142, 210, 248), "-50 to -10 %"),
    (0.99, rgb(101, 188, 241), "-10 to -1 %"),
    (1.01, rgb(156, 156, 156), "within 1 %"),
    (1.1, rgb(201, 109, 83), "+1 to +10 %"),
    (2.0, rgb(194, 57, 45), "+10 to +100 %"),
    (f64::INFINITY, rgb(173, 3, 20), "more than twice"),
];
/// What was not there before.
const NEW: (Rgb, &str) = (rgb(129, 1, 22), "new");

/// The colour of a change by so large a fraction of what was before; `None` where nothing was.
#[must_use]
pub fn change(fraction: Option<f64>) -> Rgb {
    let Some(fraction) = fraction else { return NEW.0 };
    CHANGES.iter().find(|(most, ..)| 1.0 + fraction <= *most).map_or(NEW.0, |(_, color, _)| *color)
}

/// The colours of changes with what each stands for.
pub fn changes() -> impl Iterator<Item = (&'static str, Rgb)> {
    CHANGES.iter().map(|&(_, color, words)| (words, color)).chain([(NEW.1, NEW.0)])
}

/// The colour of text on `fill`: the one that contrasts more.
#[must_use]
pub fn ink_on(fill: Rgb) -> Rgb {
    if luminance(fill) < 0.22 { PALE_INK } else { INK }
}

/// Relative luminance from 0 to 1 (WCAG 2.1, "relative luminance"; IEC 61966-2-1 for the transfer function).
fn luminance(color: Rgb) -> f64 {
    let [r, g, b] = linear(color);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The light of each primary, from 0 to 1.
fn linear(color: Rgb) -> [f64; 3] {
    [color.r, color.g, color.b].map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

/// The colour of a symmetric function's role.
#[must_use]
pub fn role(name: &str) -> Rgb {
    match BY_ROLE.iter().find(|(role, _)| *role == name) {
        Some(&(_, color)) => color,
        None if name == kemprof_core::Role::Entropy.name() => GENERATOR,
        None => SYMMETRIC,
    }
}

/// The colour of symmetric calls.
#[must_use]
pub fn calls(row: &CallRow) -> Rgb {
    if row.is_generator() { GENERATOR } else { role(&row.role) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_written_as_css_has_them() {
        assert_eq!(rgb(226, 74, 5).to_string(), "#e24a05");
    }

    /// What eyes that lack a kind of cone see (Machado, Oliveira and Fernandes 2009, severity 1), after those that lack none.
    const EYES: [(&str, [[f64; 3]; 3]); 4] = [
        ("trichromat", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanope",
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        ),
        (
            "deuteranope",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        ),
        (
            "tritanope",
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        ),
    ];

    /// Lightness, and how red and yellow, of light of the primaries (CIE 1976 L*a*b* under D65).
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let root = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
        let y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
        let z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn seen(color: Rgb, eye: &[[f64; 3]; 3]) -> [f64; 3] {
        let light = linear(color);
        lab(eye.map(|row| row.iter().zip(light).map(|(part, light)| part * light).sum::<f64>().clamp(0.0, 1.0)))
    }

    /// The least distance in lightness alone, and the least of all eyes in colour, of any two.
    fn apart(colors: &[(&str, Rgb)]) -> (f64, f64) {
        let (mut lightness, mut distance) = (f64::INFINITY, f64::INFINITY);
        for (index, (_, one)) in colors.iter().enumerate() {
            for (_, other) in &colors[index + 1..] {
                for (_, eye) in &EYES {
                    let (one, other) = (seen(*one, eye), seen(*other, eye));
                    let squares = one.iter().zip(other).map(|(a, b)| (a - b).powi(2));
                    distance = distance.min(squares.sum::<f64>().sqrt());
                }
                lightness = lightness.min((seen(*one, &EYES[0].1)[0] - seen(*other, &EYES[0].1)[0]).abs());
            }
        }
        (lightness, distance)
    }

    #[test]
    fn roles_stay_apart_in_grey_and_for_every_eye() {
        let mut colors = kemprof_core::Role::ALL.map(|named| (named.name(), role(named.name()))).to_vec();
        colors.push(("the scheme itself", PHASE));
        let (lightness, distance) = apart(&colors);
        assert!(lightness > 7.0 && distance > 7.0, "{lightness} {distance}");
        // As they follow each other in a bar or a stack, they are further apart.
        for (pair, least) in colors.windows(2).map(|pair| (pair, 13.0)) {
            assert!(apart(pair).0 > least, "{pair:?} {:?}", apart(pair));
        }
    }

    #[test]
    fn changes_stay_apart_and_grow_darker() {
        let colors: Vec<(&str, Rgb)> = changes().collect();
        let (lightness, distance) = apart(&colors);
        assert!(lightness > 7.0 && distance > 7.0, "{lightness} {distance}");
        assert!(colors.windows(2).all(|pair| luminance(pair[0].1) > luminance(pair[1].1)), "{colors:?}");
    }

    #[test]
    fn what_lies_on_each_other_stays_apart() {
        for below in ["matrix", "noise"].map(role) {
            for above in [UNUSED, OPERATION, PHASE] {
                assert!(apart(&[("", below), ("", above)]).0 > 13.0, "{below} {above}");
            }
        }
        for [below, above] in [[OPERATION, FUNCTION], [PHASE, FUNCTION], [FUNCTION, SYMMETRIC], [PAPER, UNUSED]] {
            assert!(apart(&[("", below), ("", above)]).0 > 7.0, "{below} {above}");
        }
    }

    #[test]
    fn text_is_read_on_every_colour() {
        let all = kemprof_core::Role::ALL.map(|named| role(named.name())).into_iter();
        let all = all.chain(changes().map(|(_, color)| color));
        for fill in all.chain([OPERATION, UNUSED, PHASE, FUNCTION, SYMMETRIC]) {
            let (one, other) = (luminance(fill) + 0.05, luminance(ink_on(fill)) + 0.05);
            // WCAG 2.1 asks for 3 of large text and graphics, 4.5 of other text.
            assert!(one.max(other) / one.min(other) > 4.0, "{fill}: {}", one.max(other) / one.min(other));
        }
    }

    #[test]
    fn changes_have_the_colour_that_the_scale_says() {
        let words = |fraction: Option<f64>| changes().find(|(_, color)| *color == change(fraction)).expect("is one").0;
        let shown = [-0.8, -0.5, -0.2, -0.02, -0.001, 0.0, 0.005, 0.05, 0.5, 1.5].map(|fraction| words(Some(fraction)));
        assert_eq!(
            shown,
            [
                "half or less",
                "half or less",
                "-50 to -10 %",
                "-10 to -1 %",
                "within 1 %",
                "within 1 %",
                "within 1 %",
                "+1 to +10 %",
                "+10 to +100 %",
                "more than twice"
            ]
        );
        assert_eq!(words(None), "new");
    }
}
