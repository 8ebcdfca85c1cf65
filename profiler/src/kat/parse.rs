use super::format::{self, Format, Value};
use super::lines::{self, Field, Fields};
use super::parse_error::{ParseError, Problem, quote};
use super::remark::Remark;
use std::collections::BTreeSet;

/// Records of a file at the most: hundred times as many as published files have.
pub const MAX_RECORDS: usize = 1000;

/// A file of known answers as it was read: its structure is right, and its values may be anything.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) format: Format,
    pub(super) records: Vec<ParsedRecord>,
    pub(super) remarks: BTreeSet<Remark>,
}

/// One record of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ParsedRecord {
    /// In the order of [`Value::ALL`].
    pub(super) values: [ParsedValue; Value::ALL.len()],
}

/// One value of a record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ParsedValue {
    /// The line that it stands on.
    pub(super) line: usize,
    pub(super) bytes: Vec<u8>,
}

/// Reads a file of either format.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let Fields { fields, empty_after, end, mut remarks } = lines::fields(bytes)?;
    let first = fields.first().ok_or(ParseError { line: 1, problem: Problem::Empty })?;
    let format = detect(first).map_err(|problem| ParseError { line: first.line, problem })?;
    let layout = format.layout();
    let mut records = Vec::new();
    for (count, fields) in fields.chunks(layout.len()).enumerate() {
        if count == MAX_RECORDS {
            return Err(ParseError { line: fields[0].line, problem: Problem::TooManyRecords });
        }
        records.push(Reader { format, count, remarks: &mut remarks }.record(fields, end)?);
    }
    if !empty_lines_are_as_published(format, &fields, empty_after) {
        remarks.insert(Remark::EmptyLines);
    }
    Ok(Parsed { format, records, remarks })
}

/// The format whose records begin with this field.
fn detect(first: &Field<'_>) -> Result<Format, Problem> {
    let format = Format::ALL.into_iter().find(|format| format.layout()[0].1 == first.name);
    format.ok_or_else(|| Problem::UnknownFormat { got: quote(first.name) })
}

fn empty_lines_are_as_published(format: Format, fields: &[Field<'_>], empty_after: usize) -> bool {
    let width = format.layout().len();
    let between = fields.iter().enumerate().all(|(i, field)| {
        let published = usize::from(i > 0 && i % width == 0);
        field.empty_before == published
    });
    between && empty_after == usize::from(format == Format::Ngcc)
}

/// Reads the fields of one record.
struct Reader<'a> {
    format: Format,
    count: usize,
    remarks: &'a mut BTreeSet<Remark>,
}

impl Reader<'_> {
    fn record(&mut self, fields: &[Field<'_>], end: usize) -> Result<ParsedRecord, ParseError> {
        let layout = self.format.layout();
        let mut record = ParsedRecord::default();
        let mut announced = None;
        for (place, &(field, name)) in layout.iter().enumerate() {
            let Some(&Field { line, name: got, value: text, .. }) = fields.get(place) else {
                return Err(ParseError {
                    line: end,
                    problem: Problem::Truncated { count: self.count, expected: name },
                });
            };
            let at = |problem| ParseError { line, problem };
            if got != name {
                return Err(at(self.misplaced(place, got)));
            }
            match field {
                format::Field::Count => self.check_count(name, text).map_err(at)?,
                format::Field::Length(_) => announced = Some(number(name, text).map_err(at)?),
                format::Field::Value(value) => {
                    let bytes = self.hexadecimal(name, text, announced.take()).map_err(at)?;
                    record.values[value as usize] = ParsedValue { line, bytes };
                }
            }
        }
        Ok(record)
    }

    /// Why `got` may not stand where the layout has its field number `place`.
    fn misplaced(&self, place: usize, got: &str) -> Problem {
        let layout = self.format.layout();
        let (count, expected) = (self.count, layout[place].1);
        match layout.iter().position(|&(_, name)| name == got) {
            None => Problem::UnknownField { got: quote(got), expected },
            // The first field begins the next record, unless it stands twice in a row.
            Some(other) if other > place || (other == 0 && place > 1) => {
                Problem::MissingField { count, expected, got: layout[other].1 }
            }
            Some(other) => Problem::RepeatedField { count, name: layout[other].1, expected },
        }
    }

    fn check_count(&self, name: &'static str, text: &str) -> Result<(), Problem> {
        let (expected, got) = (self.count, number(name, text)?);
        if got == expected { Ok(()) } else { Err(Problem::WrongCount { name, expected, got }) }
    }

    /// The bytes of a value, of the length that was announced, if any was.
    fn hexadecimal(&mut self, name: &'static str, text: &str, announced: Option<usize>) -> Result<Vec<u8>, Problem> {
        let count = self.count;
        if let Some((index, got)) = text.chars().enumerate().find(|(_, digit)| !digit.is_ascii_hexdigit()) {
            return Err(Problem::NotADigit { count, name, digit: index + 1, got });
        }
        let bytes = hex::decode(text).map_err(|_| Problem::OddDigits { count, name, digits: text.len() })?;
        if let Some(expected) = announced.filter(|&expected| expected != bytes.len()) {
            return Err(Problem::LengthDisagrees { count, name, expected, got: bytes.len() });
        }
        if text.contains(|digit: char| digit.is_ascii_lowercase()) {
            self.remarks.insert(Remark::LowerCase);
        }
        Ok(bytes)
    }
}

/// A decimal number as the format writes it.
fn number(name: &'static str, text: &str) -> Result<usize, Problem> {
    let parsed = text.parse::<usize>().ok().filter(|number| number.to_string() == text);
    parsed.ok_or_else(|| Problem::NotANumber { name, got: quote(text) })
}

#[cfg(test)]
mod tests {
    use super::super::{text, tiny};
    use super::*;

    fn ngcc() -> String {
        text::write(Format::Ngcc, &tiny::records(Format::Ngcc, 3))
    }

    /// The file with the first occurrence of `from` in record 1 replaced.
    fn broken(from: &str, to: &str) -> String {
        let text = ngcc();
        let start = text.find("Count = 1").expect("has record 1");
        let (head, tail) = text.split_at(start);
        assert!(tail.contains(from), "{from:?}");
        head.to_owned() + &tail.replacen(from, to, 1)
    }

    fn problem(text: &str) -> (usize, Problem) {
        let error = parse(text.as_bytes()).expect_err("is not a file of known answers");
        (error.line, error.problem)
    }

    fn line_of(count: usize, field: usize) -> usize {
        count * (Format::Ngcc.layout().len() + 1) + field + 1
    }

    #[test]
    fn what_is_written_is_read_without_remarks() {
        for format in Format::ALL {
            let records = tiny::records(format, 3);
            let parsed = parse(text::write(format, &records).as_bytes()).expect("is read");
            assert_eq!((parsed.format, parsed.remarks), (format, BTreeSet::new()));
            for (record, expected) in parsed.records.iter().zip(&records) {
                assert!(Value::ALL.iter().all(|&value| record.values[value as usize].bytes == expected.value(value)));
            }
            assert_eq!(parsed.records.len(), 3);
        }
        assert_eq!(parse(ngcc().as_bytes()).expect("is read").records[1].values[1].line, line_of(1, 4));
    }

    #[test]
    fn layout_is_free_and_remarked() {
        let remarks = |text: &str| parse(text.as_bytes()).expect("is read").remarks.into_iter().collect::<Vec<_>>();
        let text = ngcc();
        assert_eq!(remarks(&text.replace("\n\n", "\n")), [Remark::EmptyLines]);
        assert_eq!(remarks(&text.replace('\n', "\n\n")), [Remark::EmptyLines]);
        assert_eq!(remarks(&format!("\n{text}")), [Remark::EmptyLines]);
        assert_eq!(remarks(&text.replace('\n', "\r\n")), [Remark::CrLf]);
        assert_eq!(remarks(text.trim_end()), [Remark::NoFinalNewline, Remark::EmptyLines]);
        let lower: String = text
            .lines()
            .map(|line| match line.split_once(" = ") {
                Some((name, value)) => format!("{name} = {}\n", value.to_lowercase()),
                None => "\n".to_owned(),
            })
            .collect();
        assert_eq!(remarks(&lower), [Remark::LowerCase]);
    }

    #[test]
    fn wrong_fields_are_named_with_their_lines() {
        let (count, expected) = (1, "PK");
        assert_eq!(
            problem(&broken("PK = ", "QK = ")),
            (line_of(1, 4), Problem::UnknownField { got: "QK".to_owned(), expected })
        );
        let text = broken("PK_Len = 8\n", "PK_Len = 8\nPK_Len = 8\n");
        assert_eq!(problem(&text), (line_of(1, 4), Problem::RepeatedField { count, name: "PK_Len", expected }));
        let text = broken("Count = 1\n", "Count = 1\nCount = 1\n");
        let repeated = Problem::RepeatedField { count, name: "Count", expected: "Seed_Len" };
        assert_eq!(problem(&text), (line_of(1, 1), repeated));
        let text = broken("PK_Len = 8\n", "");
        let missing = Problem::MissingField { count, expected: "PK_Len", got: "PK" };
        assert_eq!(problem(&text), (line_of(1, 3), missing));
        let text = ngcc();
        let secret = text.lines().nth(line_of(1, 10) - 1).expect("has a shared secret");
        let missing = Problem::MissingField { count, expected: "SS", got: "Count" };
        assert_eq!(problem(&text.replacen(secret, "", 1)), (line_of(2, 0), missing));
        let missing = Problem::MissingField { count, expected: "Count", got: "Seed_Len" };
        assert_eq!(problem(&broken("Count = 1\n", "")), (line_of(1, 1) - 1, missing));
    }

    #[test]
    fn records_count_up_from_zero() {
        let wrong = |expected, got| Problem::WrongCount { name: "Count", expected, got };
        assert_eq!(problem(&broken("Count = 1", "Count = 0")), (line_of(1, 0), wrong(1, 0)));
        assert_eq!(problem(&broken("Count = 1", "Count = 2")), (line_of(1, 0), wrong(1, 2)));
        assert_eq!(problem(&broken("Count = 2", "Count = 1")), (line_of(2, 0), wrong(2, 1)));
        let second_half = &ngcc()[ngcc().find("Count = 1").expect("has record 1")..];
        assert_eq!(problem(second_half), (1, wrong(0, 1)));
        for got in ["", "one", "+1", "-1", "01", "1.0", "0x1", "99999999999999999999999"] {
            let text = broken("Count = 1", &format!("Count = {got}"));
            assert_eq!(problem(&text), (line_of(1, 0), Problem::NotANumber { name: "Count", got: got.to_owned() }));
        }
    }

    #[test]
    fn values_are_whole_bytes_of_the_announced_length() {
        let (count, name) = (1, "CT");
        let text = broken("CT = ", "CT = F");
        assert_eq!(problem(&text), (line_of(1, 8), Problem::OddDigits { count, name, digits: 33 }));
        let text = broken("CT = ", "CT = 00");
        assert_eq!(problem(&text), (line_of(1, 8), Problem::LengthDisagrees { count, name, expected: 16, got: 17 }));
        let text = broken("CT_Len = 16", "CT_Len = 15");
        assert_eq!(problem(&text), (line_of(1, 8), Problem::LengthDisagrees { count, name, expected: 15, got: 16 }));
        let text = broken("CT = ", "CT = AG");
        assert_eq!(problem(&text), (line_of(1, 8), Problem::NotADigit { count, name, digit: 2, got: 'G' }));
        let text = broken("CT = ", "CT = A ");
        assert_eq!(problem(&text), (line_of(1, 8), Problem::NotADigit { count, name, digit: 2, got: ' ' }));
    }

    #[test]
    fn what_is_no_file_of_known_answers_is_refused() {
        assert_eq!(problem(""), (1, Problem::Empty));
        assert_eq!(problem("\n\r\n \n# nothing\n"), (1, Problem::Empty));
        assert_eq!(problem("tcId = 1\n"), (1, Problem::UnknownFormat { got: "tcId".to_owned() }));
        assert_eq!(problem("{\"vsId\": 42}"), (1, Problem::NotAField { got: "{\"vsId\": 42}".to_owned() }));
        let long = format!("{} = 1\n", "x".repeat(5000));
        assert_eq!(problem(&long), (1, Problem::UnknownFormat { got: "x".repeat(32) }));
        let mut text = String::new();
        for count in 0..=MAX_RECORDS {
            text += &format!("count = {count}\nseed = 00\npk = 00\nsk = 00\nct = 00\nss = 00\n");
        }
        assert_eq!(problem(&text), (MAX_RECORDS * 6 + 1, Problem::TooManyRecords));
    }

    /// Cut anywhere, the file has whole records and its layout alone differs, or it is refused with a line that it has.
    #[test]
    fn a_truncated_file_is_whole_records_or_refused() {
        let text = ngcc();
        for end in 0..text.len() {
            let cut = &text[..end];
            match parse(cut.as_bytes()) {
                Ok(parsed) => {
                    let written = text::write(Format::Ngcc, &tiny::records(Format::Ngcc, parsed.records.len()));
                    assert_eq!(parsed.remarks.is_empty(), cut == written);
                    assert_eq!(cut.trim_end().lines().count(), line_of(parsed.records.len() - 1, 10));
                }
                Err(ParseError { line, .. }) => assert!((1..=cut.lines().count() + 1).contains(&line), "{end}"),
            }
        }
    }

    #[test]
    fn messages_have_the_line_the_expected_and_the_got() {
        let message = |text: &str| parse(text.as_bytes()).expect_err("is refused").to_string();
        assert_eq!(
            message(&broken("CT = ", "CT = F")),
            "line 21: CT of record 1 has 33 hexadecimal digits, expected an even number: one is missing or too many"
        );
        assert_eq!(
            message(&broken("Count = 1", "Count = 0")),
            "line 13: Count is 0, expected 1: records count up from 0, each once"
        );
        assert_eq!(
            message(ngcc().lines().take(5).map(|line| format!("{line}\n")).collect::<String>().as_str()),
            "line 6: the file ends inside record 0: expected SK_Len; is it truncated?"
        );
    }
}
