//! Words of messages and headings.

use std::fmt::Display;

/// A number as it is shown, with its noun: `1 trial`, `2 trials`, `1 process`, `2.4 calls`.
#[must_use]
pub fn plural(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = match (number.as_str(), noun.ends_with('s')) {
        ("1", _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {noun}{ending}")
}

/// The form of a verb that goes with a number: `was` or `were`.
#[must_use]
pub fn either<'a>(number: impl Display, one: &'a str, several: &'a str) -> &'a str {
    if number.to_string() == "1" { one } else { several }
}

/// A target triple in the words of headings: `Cortex-M4`, `x86_64 Linux`. One that is not known stays as it is.
#[must_use]
pub fn target(triple: &str) -> String {
    let mut parts = triple.split('-');
    let architecture = match parts.next().unwrap_or_default() {
        "thumbv7em" => return "Cortex-M4".to_owned(),
        "aarch64" => "AArch64",
        other => other,
    };
    let system = ["linux", "darwin", "windows"].into_iter().zip(["Linux", "macOS", "Windows"]);
    let system = system.filter(|(name, _)| parts.clone().any(|part| part == *name)).map(|(_, word)| word).next();
    system.map_or(triple.to_owned(), |system| format!("{architecture} {system}"))
}

/// Whether a character steers a terminal, hides, or reorders what stands beside it.
#[must_use]
pub fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text from elsewhere as it may be shown in a line: what [deceives] is written as its code, `\u{202e}`.
#[must_use]
pub fn shown(text: &str) -> String {
    text.chars().map(|c| if deceives(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// A page as it may go to a terminal: lines and the styles that this program uses stay, all else is [shown].
#[must_use]
pub fn page(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(deceives) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let style = STYLES.iter().find(|style| after.starts_with(**style));
        let kept = style.copied().or(after.starts_with('\n').then_some("\n"));
        let length = kept.map_or_else(|| after.chars().next().map_or(0, char::len_utf8), str::len);
        match kept {
            Some(kept) => out.push_str(kept),
            None => out.push_str(&shown(&after[..length])),
        }
        rest = &after[length..];
    }
    out + rest
}

/// Bold, dim, italic, underlined, colours, and their end.
const STYLES: [&str; 11] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[3m",
    "\u{1b}[4m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[34m",
    "\u{1b}[35m",
    "\u{1b}[36m",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|number| plural(number, "trial")), ["0 trials", "1 trial", "2 trials"]);
        assert_eq!(["1", "1.5"].map(|number| plural(number, "process")), ["1 process", "1.5 processes"]);
        assert_eq!([1, 3].map(|number| either(number, "was", "were")), ["was", "were"]);
    }

    #[test]
    fn nothing_steers_a_terminal_but_our_own_styles() {
        assert_eq!(shown("a\u{202e}b\u{1b}[2J\n\u{9b}"), "a\\u{202e}b\\u{1b}[2J\\u{a}\\u{9b}");
        assert_eq!(shown("µ × → █ é"), "µ × → █ é");
        assert_eq!(page("\u{1b}[1mbold\u{1b}[0m\nnext"), "\u{1b}[1mbold\u{1b}[0m\nnext");
        assert_eq!(page("\u{1b}]0;title\u{7}\u{1b}[8mhidden\r"), "\\u{1b}]0;title\\u{7}\\u{1b}[8mhidden\\u{d}");
    }

    #[test]
    fn targets_are_named_in_words() {
        for (triple, words) in [
            ("thumbv7em-none-eabihf", "Cortex-M4"),
            ("x86_64-unknown-linux-gnu", "x86_64 Linux"),
            ("aarch64-unknown-linux-musl", "AArch64 Linux"),
            ("aarch64-apple-darwin", "AArch64 macOS"),
            ("a-target", "a-target"),
        ] {
            assert_eq!(target(triple), words);
        }
    }
}
