//! From bytes to the lines between the first and the last, whose number and checksum are right.

use crate::ANSWER_MAGIC;
use crate::answer_error::AnswerError;
use crate::frame::{CRC, End, MAX_LINE};
use crate::line::Line;
use crate::words::{WordError, Words};
use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The lines of an answer between the first and the last, each as it is written.
pub(crate) fn lines(bytes: &[u8]) -> Result<Vec<&str>, AnswerError> {
    let text = printable(bytes)?;
    if text.is_empty() {
        return Err(AnswerError::Nothing);
    }
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let number = lines.len() + 1;
        let bytes = line.len() + 1;
        if number == 1 && line != ANSWER_MAGIC {
            return Err(AnswerError::Magic { expected: ANSWER_MAGIC, found: line.to_owned() });
        }
        if bytes > MAX_LINE {
            return Err(AnswerError::TooLong { line: number, bytes, limit: MAX_LINE });
        }
        rest = after;
        lines.push(line);
        if line.starts_with("end ") {
            let end = end(line).map_err(|source| AnswerError::Word { line: number, source })?;
            let before = text.len() - rest.len() - bytes;
            check(&lines, &text.as_bytes()[..before], &end)?;
            if !rest.is_empty() {
                return Err(AnswerError::Surplus { line: number, bytes: rest.len() });
            }
            return Ok(lines[1..number - 1].to_vec());
        }
    }
    Err(AnswerError::Cut { line: lines.len() + usize::from(!rest.is_empty()) })
}

fn printable(bytes: &[u8]) -> Result<&str, AnswerError> {
    let foreign = bytes.iter().position(|byte| !matches!(byte, b' '..=b'~' | b'\n'));
    if let Some(at) = foreign {
        let before = &bytes[..at];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        return Err(AnswerError::Byte { line, column, byte: bytes[at] });
    }
    Ok(core::str::from_utf8(bytes).expect("printable ASCII is UTF-8"))
}

fn end(line: &str) -> Result<End, WordError> {
    let mut words = Words::new(line);
    words.word("end")?;
    let crc = |text: &str| crate::hex::array(text).map(u32::from_be_bytes);
    let end = End { lines: words.number("lines=")?, crc: words.field("crc=", crc)? };
    words.end()?;
    Ok(end)
}

/// Holds the last line against those before it.
fn check(lines: &[&str], before: &[u8], end: &End) -> Result<(), AnswerError> {
    let found = lines.len() - 1;
    if usize::try_from(end.lines) != Ok(found) {
        return Err(AnswerError::Lines { said: end.lines, found });
    }
    let computed = CRC.checksum(before);
    if computed != end.crc {
        let suspect = lines[1..found].iter().position(|line| parse(0, line).is_err()).map(|at| at + 2);
        return Err(AnswerError::Checksum { said: end.crc, computed, suspect });
    }
    Ok(())
}

/// Reads line `number`, which must be written as this protocol writes it.
pub(crate) fn parse(number: usize, text: &str) -> Result<Line<'_>, AnswerError> {
    let line = Line::parse(text).map_err(|source| AnswerError::Word { line: number, source })?;
    let expected = line.to_string();
    if expected != text {
        return Err(AnswerError::Spelling { line: number, expected, found: text.to_owned() });
    }
    Ok(line)
}
