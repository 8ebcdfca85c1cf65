//! Evidence as folded stacks: one line a stack, frames joined by `;`, then a blank and the ticks spent in the last frame
//! itself. Flamegraph tools of every kind read it.

use super::flamegraph;
use crate::evidence::Evidence;
use crate::words::deceives;
use thiserror::Error;

/// Why there is nothing to draw.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FoldError {
    /// The counter gave no ticks.
    #[error("{run} has no ticks to draw: counter {counter} is unavailable ({reason})")]
    NoTicks {
        /// The run.
        run: String,
        /// The counter.
        counter: String,
        /// Why.
        reason: String,
    },
    /// No symmetric call was recorded.
    #[error("{0} has no symmetric calls: there is nothing to draw")]
    NoCalls(String),
}

/// Text that can stand in any of the formats: without what [steers a terminal](deceives) or reorders it, and what XML 1.0 (section 2.2)
/// has no place for.
#[must_use]
pub fn printable(text: &str) -> String {
    let barred = |c| deceives(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.trim().chars().map(|c| if barred(c) { '_' } else { c }).collect()
}

/// A name as a frame: without what the format gives a meaning to (`;`, line ends, a number after the last blank), and
/// never empty.
#[must_use]
pub fn frame(name: &str) -> String {
    let mut frame = printable(name).replace(';', ":");
    if let Some(blank) = frame.rfind(char::is_whitespace) {
        let number = frame[blank..].trim_start();
        if number.chars().all(|c| c.is_ascii_digit() || c == '.') {
            let width = frame[blank..].chars().next().map_or(1, char::len_utf8);
            frame.replace_range(blank..blank + width, "_");
        }
    }
    if frame.is_empty() { "(unnamed)".to_owned() } else { frame }
}

/// The stacks of a record, as its flamegraph has them. Their numbers sum to its profiled ticks.
///
/// # Errors
/// See [`FoldError`].
pub fn lines(evidence: &Evidence) -> Result<Vec<String>, FoldError> {
    Ok(flamegraph::frames(evidence)?.folded())
}

impl crate::evidence::CallRow {
    /// The name of the calls as a frame: `pseudoXOF matrix (280 to 12288 bits)`.
    #[must_use]
    pub fn frame(&self) -> String {
        if self.is_generator() {
            format!("{} ({} bits)", self.function, self.out_bits)
        } else {
            format!("{} {} ({} to {} bits)", self.function, self.role, self.in_bits, self.out_bits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_keep_the_format_readable() {
        assert_eq!(frame("matvec"), "matvec");
        assert_eq!(frame("a;b"), "a:b");
        assert_eq!(frame("shake 128"), "shake_128");
        assert_eq!(frame("shake 1.5"), "shake_1.5");
        assert_eq!(frame("shake  128"), "shake _128");
        assert_eq!(frame("shake\u{2003}128"), "shake_128");
        assert_eq!(frame("line\nbreak\t7"), "line_break_7");
        assert_eq!(frame("  "), "(unnamed)");
        assert_eq!(frame(""), "(unnamed)");
        assert_eq!(frame("12"), "12");
    }
}
