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
/// Text of less weight.
pub const FAINT_INK: Rgb = rgb(98, 104, 116);
/// Lines of a scale.
pub const RULE: Rgb = rgb(222, 225, 230);
/// A whole operation.
pub const OPERATION: Rgb = rgb(196, 200, 208);
/// Phases of the scheme.
pub const PHASE: Rgb = rgb(132, 170, 214);
/// The generator of random bytes.
pub const GENERATOR: Rgb = rgb(214, 180, 96);

const OTHER_ROLE: Rgb = rgb(240, 150, 110);
const BY_ROLE: [(&str, Rgb); 5] = [
    ("matrix", rgb(226, 74, 51)),
    ("noise", rgb(240, 128, 60)),
    ("h", rgb(246, 168, 92)),
    ("g", rgb(250, 190, 110)),
    ("j", rgb(236, 148, 134)),
];

/// The colour of a symmetric function's role.
#[must_use]
pub fn role(name: &str) -> Rgb {
    match BY_ROLE.iter().find(|(role, _)| *role == name) {
        Some(&(_, color)) => color,
        None if name == kemprof_core::Role::Entropy.name() => GENERATOR,
        None => OTHER_ROLE,
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

    #[test]
    fn what_stands_side_by_side_can_be_told_apart() {
        let mut seen = vec![PHASE];
        for role in kemprof_core::Role::ALL.map(|named| role(named.name())) {
            assert!(!seen.contains(&role), "{role}");
            seen.push(role);
        }
    }
}
