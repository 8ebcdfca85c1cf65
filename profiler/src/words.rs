//! Words of messages and headings.

/// A number with its noun, which takes an s where it is not one: `1 trial`, `2 trials`.
#[must_use]
pub fn plural(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|number| plural(number, "trial")), ["0 trials", "1 trial", "2 trials"]);
    }
}
