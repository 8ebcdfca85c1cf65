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
