//! How deep a stack went: what is below it is painted before, and the lowest word that is another colour afterwards tells.

/// The colour. No address, small number or text looks like it.
pub const PAINT: u32 = 0xc5a1_7e0b;

/// Words at the lower end of the stack that no run may touch: below them are other data.
pub const GUARD_WORDS: usize = 16;

/// The lowest of `words` (in ascending order of address) that is not painted any more; their number when all are.
#[must_use]
pub fn lowest(words: impl IntoIterator<Item = u32>) -> usize {
    words.into_iter().take_while(|word| *word == PAINT).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_word_counts() {
        assert_eq!(lowest([PAINT; 4]), 4);
        assert_eq!(lowest([PAINT, PAINT, 1, PAINT]), 2);
        assert_eq!(lowest([0, PAINT]), 0);
        assert_eq!(lowest([]), 0);
    }
}
