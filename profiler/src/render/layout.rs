//! Text in the width that there is.

use std::sync::OnceLock;

/// Columns of standard output: as the variable COLUMNS says, else the terminal's. What goes to a pipe or a file has no limit.
#[must_use]
pub fn width() -> Option<usize> {
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    *WIDTH.get_or_init(|| {
        let said =
            std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()).filter(|&columns| columns > 0);
        said.or_else(|| terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0)))
    })
}

/// Columns of standard error, where it is a terminal.
#[must_use]
pub fn error_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0))
}

/// The columns that a text takes: styles take none.
#[must_use]
pub fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(|part| part.chars().count()).sum()
}

/// Breaks lines that are longer than `width` at blanks. What continues a line stands below its first word, two columns further in.
/// A word that is longer than a line stays whole.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| wrap_line(line, width, None)).collect()
}

/// The same for one line, which is continued in column `hanging`.
#[must_use]
pub fn wrap_line(line: &str, width: usize, hanging: impl Into<Option<usize>>) -> String {
    if columns(line.trim_end()) <= width {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let hanging = hanging.into().unwrap_or(indent + 2).min(width / 2);
    let mut out = line[..indent].to_owned();
    let mut at = indent;
    let mut begun = false;
    for word in words(&line[indent..]) {
        let word = word.as_str();
        let long = columns(word.trim_end());
        if begun && long > 0 && at + long > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(hanging));
            at = hanging;
        }
        begun = begun || long > 0;
        out.push_str(word);
        at += columns(word.trim_end_matches('\n'));
    }
    out
}

/// Words with the blanks that follow them. A number and its unit are one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_inclusive(' ') {
        let plain = anstream::adapter::strip_str(word).to_string();
        let is_unit = UNITS.contains(&plain.trim_end().trim_end_matches([',', ';', '.', ':', ')']));
        let number = |before: &&mut String| {
            let before = anstream::adapter::strip_str(before).to_string();
            before.ends_with(' ') && before.trim_end().ends_with(|end: char| end.is_ascii_digit())
        };
        match words.last_mut().filter(|before| is_unit && number(before)) {
            Some(before) => before.push_str(word),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// What stands after numbers.
const UNITS: [&str; 14] = ["k", "M", "G", "%", "×", "ns", "µs", "ms", "s", "KiB", "MiB", "Hz", "MHz", "GHz"];

/// A blank at which no line is broken, until it is printed as one.
pub const FIXED_BLANK: char = '\u{a0}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_once_at_blanks() {
        assert_eq!(wrap("one two three\nfour\n", 8), "one two\n  three\nfour\n");
        assert_eq!(wrap("  one two three\n", 9), "  one two\n    three\n");
        assert_eq!(wrap("short\n", 8), "short\n");
        assert_eq!(wrap("a averylongwordindeed b\n", 8), "a\n  averylongwordindeed\n  b\n");
        assert_eq!(wrap_line("key  one two three", 12, 5), "key  one two\n     three");
    }

    #[test]
    fn numbers_keep_their_units() {
        assert_eq!(wrap("takes about 1.47 M, twice\n", 17), "takes about\n  1.47 M, twice\n");
        assert_eq!(wrap("takes 99 % of it\n", 9), "takes\n  99 % of\n  it\n");
    }

    #[test]
    fn styles_take_no_columns() {
        let styled = "\u{1b}[1mone\u{1b}[0m two";
        assert_eq!((columns(styled), wrap(styled, 7)), (7, styled.to_owned()));
    }
}
