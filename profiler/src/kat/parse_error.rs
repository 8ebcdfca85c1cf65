use super::parse::MAX_RECORDS;
use thiserror::Error;

/// The beginning of strange text, short enough for one line.
pub(super) fn quote(text: &str) -> String {
    const CHARACTERS: usize = 32;
    text.chars().take(CHARACTERS).collect()
}

/// A line that keeps a file from being read as known answers. Lines, records' digits and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// The line; of a file that ends too early, the one after the last.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line, what it should be, and what to do.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// The file has no fields.
    #[error("the file has no records; expected lines such as \"Count = 0\"")]
    Empty,
    /// A byte that is no printable ASCII character.
    #[error("column {column} has byte 0x{byte:02x}, expected text; is this a file of known answers?")]
    NotText {
        /// The column.
        column: usize,
        /// The byte.
        byte: u8,
    },
    /// A line without `=`, or with nothing before it.
    #[error("expected NAME = VALUE, got {got:?}")]
    NotAField {
        /// How the line begins.
        got: String,
    },
    /// The first field is that of no format.
    #[error("the file begins with {got:?}, expected \"Count\" (NGCC) or \"count\" (NIST)")]
    UnknownFormat {
        /// The first name.
        got: String,
    },
    /// A name that the format does not have.
    #[error("unknown field {got:?}; expected {expected}: remove the line, or correct its name")]
    UnknownField {
        /// The name.
        got: String,
        /// The field that belongs here.
        expected: &'static str,
    },
    /// Another field stands where this one belongs.
    #[error("field {expected} of record {count} is missing: expected it here, got {got}")]
    MissingField {
        /// The record.
        count: usize,
        /// The field that belongs here.
        expected: &'static str,
        /// The field that stands here.
        got: &'static str,
    },
    /// A record has a field twice.
    #[error("field {name} of record {count} is given again, expected {expected}: remove one of the two")]
    RepeatedField {
        /// The record.
        count: usize,
        /// The field.
        name: &'static str,
        /// The field that belongs here.
        expected: &'static str,
    },
    /// The file ends inside a record.
    #[error("the file ends inside record {count}: expected {expected}; is it truncated?")]
    Truncated {
        /// The record.
        count: usize,
        /// The field that belongs here.
        expected: &'static str,
    },
    /// A field that is no decimal number.
    #[error("{name} is {got:?}, expected a decimal number without sign or leading zeros")]
    NotANumber {
        /// The field.
        name: &'static str,
        /// Its value.
        got: String,
    },
    /// A record out of order.
    #[error("{name} is {got}, expected {expected}: records count up from 0, each once")]
    WrongCount {
        /// The field.
        name: &'static str,
        /// The number of this record.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// A character that is no hexadecimal digit.
    #[error("digit {digit} of {name} of record {count} is {got:?}, expected 0 to 9 or A to F")]
    NotADigit {
        /// The record.
        count: usize,
        /// The field.
        name: &'static str,
        /// The position in the value.
        digit: usize,
        /// The character.
        got: char,
    },
    /// Half a byte.
    #[error(
        "{name} of record {count} has {digits} hexadecimal digits, expected an even number: one is missing or too many"
    )]
    OddDigits {
        /// The record.
        count: usize,
        /// The field.
        name: &'static str,
        /// The number of digits.
        digits: usize,
    },
    /// A value is not as long as the length before it says.
    #[error("{name} of record {count} has {got} bytes, but the length before it says {expected}; is the line cut?")]
    LengthDisagrees {
        /// The record.
        count: usize,
        /// The field.
        name: &'static str,
        /// The length given, in bytes.
        expected: usize,
        /// The length found, in bytes.
        got: usize,
    },
    /// A value is not as long as the instance has it.
    #[error("{name} of record {count} has {got} bytes, expected {expected}; is this a file of another instance?")]
    WrongLength {
        /// The record.
        count: usize,
        /// The field.
        name: &'static str,
        /// The instance's length in bytes.
        expected: usize,
        /// The length found, in bytes.
        got: usize,
    },
    /// More records than are worth comparing.
    #[error("the file has more than {MAX_RECORDS} records; compare a part of it")]
    TooManyRecords,
}
