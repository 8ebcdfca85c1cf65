//! Files of known answers, read into one form: how they are laid out and spelled does not matter after this.

use super::format::{self, Format, Value};
use super::text;
use crate::words::plural;
use thiserror::Error;

/// Records of a file at the most: ten times as many as published files have.
pub const MAX_RECORDS: usize = 1000;

/// A file of known answers. Its values may be anything.
#[derive(Debug)]
pub(super) struct AnswerFile {
    pub(super) format: Format,
    pub(super) records: Vec<FileRecord>,
    /// The fields in their order, as published files spell them.
    pub(super) normal: String,
}

/// One record of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileRecord {
    /// Its number, and the line of that.
    pub(super) count: usize,
    pub(super) line: usize,
    fields: Vec<FileValue>,
}

/// One value of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileValue {
    pub(super) value: Value,
    /// The line that it stands on.
    pub(super) line: usize,
    pub(super) bytes: Vec<u8>,
}

/// Why a file is none of known answers. Lines and digits count from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {problem}")]
pub struct FileError {
    /// The line; of a file that ends too early, the one after the last.
    pub line: usize,
    /// What is wrong with it, what was expected, and what to do.
    pub problem: String,
}

impl FileRecord {
    /// The value of a field, if it has it.
    pub(super) fn get(&self, value: Value) -> Option<&FileValue> {
        self.fields.iter().find(|field| field.value == value)
    }

    /// Its values, in the order of the file.
    pub(super) fn values(&self) -> &[FileValue] {
        &self.fields
    }
}

/// Reads a file of either format. A byte order mark, CR LF, blanks, empty lines, comments and lower case do not count.
///
/// # Errors
/// The first line that is none of known answers.
pub(super) fn read(bytes: &[u8]) -> Result<AnswerFile, FileError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader: Option<Reader> = None;
    let mut last = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let at = |problem| FileError { line: index + 1, problem };
        let line = printable(line.strip_suffix(b"\r").unwrap_or(line)).map_err(at)?.trim();
        if line.is_empty() {
            continue;
        }
        last = index + 1;
        if line.starts_with('#') {
            continue;
        }
        let field = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let (name, value) = field
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| at(format!("expected NAME = VALUE, got {:?}{}", quote(line), json_hint(line))))?;
        let reader = match &mut reader {
            Some(reader) => reader,
            None => reader.insert(Reader::of(name).map_err(at)?),
        };
        reader.field(index + 1, name, value).map_err(at)?;
    }
    let end = FileError {
        line: last + 1,
        problem: "the file has no records; expected lines such as \"Count = 0\"".to_owned(),
    };
    reader.ok_or(end)?.finish().map_err(|problem| FileError { line: last + 1, problem })
}

/// Reads field after field.
struct Reader {
    file: AnswerFile,
    /// The length in bytes that was announced for a value.
    announced: Option<(Value, usize)>,
}

impl Reader {
    /// For the format whose records begin with a field of this name.
    fn of(name: &str) -> Result<Self, String> {
        let format = Format::ALL.into_iter().find(|format| format.layout()[0].1 == name);
        let unknown =
            || format!("the file begins with {:?}, expected \"Count\" (NGCC) or \"count\" (NIST)", quote(name));
        let format = format.ok_or_else(unknown)?;
        Ok(Self { file: AnswerFile { format, records: Vec::new(), normal: String::new() }, announced: None })
    }

    fn field(&mut self, line: usize, name: &str, text: &str) -> Result<(), String> {
        let format = self.file.format;
        let known = format.fields().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let &(field, name) = known.ok_or_else(|| {
            let names: Vec<&str> = format.fields().map(|(_, name)| *name).collect();
            format!("unknown field {:?}; expected one of {}", quote(name), names.join(", "))
        })?;
        if field == format::Field::Count {
            return self.begin(line, name, text);
        }
        let Some(record) = self.file.records.last_mut() else { return Err("expected a count first".to_owned()) };
        match field {
            format::Field::Count => {}
            format::Field::Length(value) => self.announced = Some((value, number(name, text)?)),
            format::Field::Value(value) => {
                let place = format!("{name} of record {}", record.count);
                if record.get(value).is_some() {
                    return Err(format!("{place} is given again: remove one of the two"));
                }
                let bytes = hexadecimal(&place, text)?;
                if let Some((of, length)) =
                    self.announced.take().filter(|&(of, length)| of != value || length != bytes.len())
                {
                    let of = format.value_name(of);
                    return Err(format!(
                        "{place} has {}, but {of}_Len before it says {length}; is the line cut?",
                        plural(bytes.len(), "byte")
                    ));
                }
                record.fields.push(FileValue { value, line, bytes });
            }
        }
        self.file.normal += &format!("{name} = {}\n", text.to_ascii_uppercase());
        Ok(())
    }

    fn begin(&mut self, line: usize, name: &str, text: &str) -> Result<(), String> {
        self.end()?;
        if self.file.records.len() == MAX_RECORDS {
            return Err(format!("the file has more than {MAX_RECORDS} records; compare a part of it"));
        }
        let count = number(name, text)?;
        self.file.normal += &format!("{name} = {count}\n");
        self.file.records.push(FileRecord { count, line, fields: Vec::new() });
        Ok(())
    }

    /// The record that is being read has all that it must have.
    fn end(&self) -> Result<(), String> {
        let (Some(record), format) = (self.file.records.last(), self.file.format) else { return Ok(()) };
        let missing = |value: &Value| record.get(*value).is_none();
        let drawn = || [Value::D, Value::Z, Value::Message].iter().all(|value| !missing(value));
        let absent = Value::ALL.into_iter().filter(missing).find(|value| *value != Value::Seed || !drawn());
        let one_of_two =
            [Value::RejectedCiphertext, Value::RejectionSecret].into_iter().filter(missing).collect::<Vec<_>>();
        let absent = absent.or((one_of_two.len() == 1).then(|| one_of_two[0]));
        match absent {
            None => Ok(()),
            Some(value) => {
                Err(format!("record {} has no {}; is the file truncated?", record.count, format.value_name(value)))
            }
        }
    }

    fn finish(self) -> Result<AnswerFile, String> {
        self.end()?;
        Ok(self.file)
    }
}

impl AnswerFile {
    /// SHA-256 of the file as published files are laid out and spelled, in lower-case hexadecimal.
    pub(super) fn digest(&self) -> String {
        text::digest(self.normal.as_bytes())
    }
}

/// The line as text: printable ASCII and tabs.
fn printable(line: &[u8]) -> Result<&str, String> {
    let strange = line.iter().position(|&byte| !(byte == b'\t' || byte == b' ' || byte.is_ascii_graphic()));
    match (strange, str::from_utf8(line)) {
        (None, Ok(text)) => Ok(text),
        (strange, _) => {
            let index = strange.unwrap_or_default();
            Err(format!(
                "column {} has byte 0x{:02x}, expected text; is this a file of known answers?",
                index + 1,
                line[index]
            ))
        }
    }
}

/// The beginning of strange text, short enough for one line.
fn quote(text: &str) -> String {
    text.chars().take(32).collect()
}

/// A decimal number as the formats write it.
fn number(name: &str, text: &str) -> Result<usize, String> {
    let parsed = text.parse::<usize>().ok().filter(|number| number.to_string() == text);
    parsed
        .ok_or_else(|| format!("{name} is {:?}, expected a decimal number without sign or leading zeros", quote(text)))
}

fn hexadecimal(place: &str, text: &str) -> Result<Vec<u8>, String> {
    if let Some((index, got)) = text.chars().enumerate().find(|(_, digit)| !digit.is_ascii_hexdigit()) {
        return Err(format!("digit {} of {place} is {got:?}, expected 0 to 9 or A to F", index + 1));
    }
    hex::decode(text).map_err(|_| {
        format!("{place} has {} hexadecimal digits, expected an even number: one is missing or too many", text.len())
    })
}

/// What to do with a file of another kind.
fn json_hint(line: &str) -> &'static str {
    match line.trim_start().starts_with(['{', '[']) {
        true => ": this looks like JSON; ACVP's is for `kemprof kat --acvp`, a record for `kemprof verify`",
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tiny;
    use super::*;

    fn ngcc() -> String {
        text::write(Format::Ngcc, &tiny::records(Format::Ngcc, 3))
    }

    /// The file with the first occurrence of `from` in record 1 replaced.
    fn broken(from: &str, to: &str) -> String {
        let text = ngcc();
        let (head, tail) = text.split_at(text.find("Count = 1").expect("has record 1"));
        assert!(tail.contains(from), "{from:?}");
        head.to_owned() + &tail.replacen(from, to, 1)
    }

    fn error(text: impl AsRef<[u8]>) -> String {
        read(text.as_ref()).expect_err("is not a file of known answers").to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        for format in Format::ALL {
            let records = tiny::records(format, 3);
            let text = text::write(format, &records);
            let file = read(text.as_bytes()).expect("is read");
            assert_eq!((file.format, file.records.len()), (format, 3));
            for (count, (record, expected)) in file.records.iter().zip(&records).enumerate() {
                assert_eq!(record.count, count);
                assert_eq!(record.values().len(), Value::ALL.len());
                assert!(record.values().iter().all(|field| field.bytes == expected.value(field.value)));
            }
            assert_eq!(file.digest(), text::digest(text.as_bytes()));
        }
        assert_eq!(
            read(ngcc().as_bytes()).expect("is read").records[1].get(Value::PublicKey).expect("has it").line,
            17
        );
    }

    #[test]
    fn layout_and_spelling_do_not_count() {
        let text = ngcc();
        let published = read(text.as_bytes()).expect("is read");
        let lower = |line: &str| match line.split_once(" = ") {
            Some((name, value)) => format!("  {name}={}\t\r\n", value.to_lowercase()),
            None => "\n".to_owned(),
        };
        for other in [
            text.replace("\n\n", "\n"),
            text.replace('\n', "\n\n"),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            format!("\u{feff}# a comment\n\n{text}"),
            text.lines().map(lower).collect(),
            text.replace("SS_Len", "ss_len").replace("Seed =", "SEED ="),
        ] {
            assert_eq!(read(other.as_bytes()).expect("is read").digest(), published.digest(), "{other}");
        }
    }

    #[test]
    fn fields_may_stand_in_any_order_and_nist_files_may_have_more_of_them() {
        let text = "count = 7\nss = 01\nz = 02\nct_n = 03\nsk = 04\nd = 05\nct = 06\nss_n = 07\npk = 08\nmsg = 09\n";
        let file = read(text.as_bytes()).expect("needs no seed");
        let bytes = |value| file.records[0].get(value).map(|field| field.bytes[0]);
        assert_eq!(bytes(Value::Message), Some(9));
        assert_eq!(
            (bytes(Value::RejectedCiphertext), bytes(Value::RejectionSecret), bytes(Value::Seed)),
            (Some(3), Some(7), None)
        );
        assert_eq!(error(text.replace("ss_n = 07\n", "")), "line 10: record 7 has no ss_n; is the file truncated?");
        assert_eq!(error(text.replace("d = 05\n", "")), "line 10: record 7 has no seed; is the file truncated?");
        assert!(
            error(broken("Count = 1\n", "Count = 1\nmsg = 00\n"))
                .contains("unknown field \"msg\"; expected one of Count, ")
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            (broken("PK = ", "QK = "), "line 17: unknown field \"QK\"; expected one of Count, Seed_Len, "),
            (broken("PK_Len = 8\n", "PK_Len = 8\nPK = 0000000000000000\n"), "line 18: PK of record 1 is given again"),
            (broken("Count = 1", "Count = one"), "line 13: Count is \"one\", expected a decimal number"),
            (broken("Count = 1", "Count = 01"), "line 13: Count is \"01\", expected a decimal number"),
            (broken("Count = 1", "Count = 99999999999999999999"), "line 13: Count is \"99999999999999999999\""),
            (broken("CT = ", "CT = F"), "line 21: CT of record 1 has 33 hexadecimal digits, expected an even number"),
            (
                broken("CT = ", "CT = 00"),
                "line 21: CT of record 1 has 17 bytes, but CT_Len before it says 16; is the line cut?",
            ),
            (broken("CT_Len = 16", "CT_Len = 15"), "CT of record 1 has 16 bytes, but CT_Len before it says 15"),
            (broken("CT = ", "CT = AG"), "line 21: digit 2 of CT of record 1 is 'G', expected 0 to 9 or A to F"),
            (broken("CT = ", "CT = A "), "digit 2 of CT of record 1 is ' '"),
            (
                ngcc().lines().take(5).map(|line| format!("{line}\n")).collect(),
                "line 6: record 0 has no SK; is the file truncated?",
            ),
            (String::new(), "line 1: the file has no records; expected lines such as \"Count = 0\""),
            ("\n\r\n \n# nothing\n".to_owned(), "line 5: the file has no records"),
            (
                "tcId = 1\n".to_owned(),
                "line 1: the file begins with \"tcId\", expected \"Count\" (NGCC) or \"count\" (NIST)",
            ),
            (
                "{\"vsId\": 42}".to_owned(),
                "line 1: expected NAME = VALUE, got \"{\\\"vsId\\\": 42}\": this looks like JSON; ACVP's is for `kemprof kat --acvp`, a record for `kemprof verify`",
            ),
            ("= 1\n".to_owned(), "line 1: expected NAME = VALUE, got \"= 1\""),
            ("a = é\n".to_owned(), "line 1: column 5 has byte 0xc3, expected text; is this a file of known answers?"),
            ("a\rb = 1\n".to_owned(), "line 1: column 2 has byte 0x0d"),
        ] {
            let got = error(&text);
            assert!(got.contains(expected), "{got}, expected {expected}");
        }
        let long = error(format!("{} = 1\n", "x".repeat(5000)));
        assert!(long.contains(&format!("\"{}\"", "x".repeat(32))), "{long}");
        let record = |count| format!("count = {count}\nseed = 00\npk = 00\nsk = 00\nct = 00\nss = 00\n");
        let many = error((0..=MAX_RECORDS).map(record).collect::<String>());
        assert!(many.starts_with("line 6001: the file has more than 1000 records"), "{many}");
    }

    /// Cut anywhere, the file has whole records, or it is refused with a line that it has.
    #[test]
    fn a_truncated_file_is_whole_records_or_refused() {
        let text = ngcc();
        let whole = read(text.as_bytes()).expect("is read").records;
        for end in 0..text.len() {
            match read(&text.as_bytes()[..end]) {
                Ok(file) => assert_eq!(file.records, whole[..file.records.len()]),
                Err(FileError { line, .. }) => assert!((1..=text[..end].lines().count() + 1).contains(&line), "{end}"),
            }
        }
    }
}
