//! What callgrind writes, as far as it is needed here.

/// The instructions of the last part of callgrind's output, with which `text` ends; none where the part is not whole.
///
/// A part ends with a line `totals: ` and one number for each event, of which instructions are the first (valgrind's manual,
/// "Callgrind Format Specification"). Only that line is looked at: this runs under valgrind, slowly.
pub(super) fn instructions(text: &[u8]) -> Option<u64> {
    let text = text.strip_suffix(b"\n")?.trim_ascii_end();
    let line = text.iter().rposition(|&byte| byte == b'\n').map_or(text, |end| &text[end + 1..]);
    let counts = std::str::from_utf8(line.strip_prefix(b"totals:")?).ok()?;
    counts.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &str = "part: 2\n\ndesc: Trigger: Client Request\n\npositions: line\nevents: Ir\nsummary: 587\n\n\
                        fn=(28) free\n3350 2\n-4 1\n\ntotals: 587\n";

    #[test]
    fn the_last_part_counts() {
        assert_eq!(instructions(PART.as_bytes()), Some(587));
        assert_eq!(instructions([PART, "\ntotals: 12\n\n"].concat().as_bytes()), Some(12));
        assert_eq!(instructions(b"totals: 5 7 9\n"), Some(5), "instructions come first, whatever else is counted");
    }

    #[test]
    fn what_is_cut_or_foreign_has_no_count() {
        for text in [
            "",
            "summary: 587\n",
            "totals:\n",
            "totals: many\n",
            "totals: -1\n",
            "totals: 58",
            &PART[..PART.len() - 14],
        ] {
            assert_eq!(instructions(text.as_bytes()), None, "{text:?}");
        }
    }
}
