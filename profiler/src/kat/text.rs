use super::format::{Field, Format, Value};
use super::record::Record;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The file of `records`, as it is published: upper-case hexadecimal, one `\n` after each line; in the NGCC's format an
/// empty line after each record, in NIST's an empty line between records.
#[must_use]
pub fn write(format: Format, records: &[Record]) -> String {
    let mut text = String::new();
    for (count, record) in records.iter().enumerate() {
        if count > 0 && format == Format::NistKat {
            text.push('\n');
        }
        for &(field, name) in format.layout() {
            let written = match field {
                Field::Count => writeln!(text, "{name} = {count}"),
                Field::Length(value) => writeln!(text, "{name} = {}", record.value(value).len()),
                Field::Value(value) => writeln!(text, "{name} = {}", hex::encode_upper(record.value(value))),
            };
            written.expect("a string takes what is written");
        }
        if format == Format::Ngcc {
            text.push('\n');
        }
    }
    text
}

/// Bytes of the file of `records` records whose values have these lengths.
pub(super) fn file_bytes(format: Format, records: usize, length: impl Fn(Value) -> usize) -> usize {
    let line = |name: &str, value: usize| name.len() + " = ".len() + value + "\n".len();
    let digits = |number: usize| number.to_string().len();
    let record = |count: usize| -> usize {
        let fields = format.layout().iter().map(|&(field, name)| match field {
            Field::Count => line(name, digits(count)),
            Field::Length(value) => line(name, digits(length(value))),
            Field::Value(value) => line(name, 2 * length(value)),
        });
        fields.sum()
    };
    let empty_lines = match format {
        Format::Ngcc => records,
        Format::NistKat => records.saturating_sub(1),
    };
    (0..records).map(record).sum::<usize>() + empty_lines
}

/// The canonical form: blanks at the ends of lines stripped, empty lines dropped, every line ended by one `\n`.
#[must_use]
pub fn canonical(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    lines.flat_map(|line| line.iter().chain(b"\n")).copied().collect()
}

/// SHA-256 of the canonical form, in lower-case hexadecimal: what is published of a known-answer file.
#[must_use]
pub fn digest(text: &[u8]) -> String {
    hex::encode(Sha256::digest(canonical(text)))
}

#[cfg(test)]
mod tests {
    use super::super::tiny;
    use super::*;

    #[test]
    fn the_ngcc_file_has_an_empty_line_after_each_record() {
        let text = write(Format::Ngcc, &tiny::records(Format::Ngcc, 2));
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines[..2], ["Count = 0", "Seed_Len = 64"]);
        assert_eq!((lines[11], lines[12], lines[23], lines[24]), ("", "Count = 1", "", ""));
        assert_eq!(lines.len(), 25);
        assert!(lines[2].strip_prefix("Seed = ").is_some_and(|hex| hex.len() == 128 && hex == hex.to_uppercase()));
    }

    #[test]
    fn the_nist_text_has_empty_lines_between_records_only() {
        let text = write(Format::NistKat, &tiny::records(Format::NistKat, 2));
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!((lines[0], lines[6], lines[7], lines[13]), ("count = 0", "", "count = 1", ""));
        assert_eq!(lines.len(), 14);
    }

    #[test]
    fn the_length_of_a_file_is_known_before_it_is_written() {
        for format in Format::ALL {
            for count in [0, 1, 2, 11] {
                let records = tiny::records(format, count);
                let length = |value| records.first().map_or(0, |record: &Record| record.value(value).len());
                assert_eq!(file_bytes(format, count, length), write(format, &records).len());
            }
        }
    }

    #[test]
    fn line_ends_blanks_and_empty_lines_do_not_change_the_canonical_form() {
        assert_eq!(canonical(b"a = 1\r\n\r\n  b = 2 \t\n\nc = 3"), b"a = 1\n  b = 2\nc = 3\n");
        assert_eq!(canonical(b""), b"");
        assert_ne!(digest(b"a = 1"), digest(b"a = 2"));
        assert_eq!(digest(b"abc"), digest(b"abc \r\n\n"));
    }

    /// FIPS 180-4 example, with a line end: SHA-256 of "abc\n", recomputed by an independent implementation.
    #[test]
    fn the_digest_is_sha_256() {
        assert_eq!(digest(b"abc"), "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb");
    }
}
