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
