use crate::line::ErrorKind;
use crate::words::WordError;
use alloc::string::String;
use thiserror::Error;

/// Why there is no answer in what the firmware sent.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Nothing came.
    #[error("the firmware sent nothing")]
    Nothing,
    /// The first line is not that of an answer.
    #[error(
        "line 1 of the answer is not {expected:?} but {found:?}: the firmware speaks another version, or something else spoke"
    )]
    Magic {
        /// What the line should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A byte is not one that answers are made of.
    #[error("line {line} of the answer has the byte {byte:#04x} at column {column}: it is garbled")]
    Byte {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// The byte.
        byte: u8,
    },
    /// The last line is missing.
    #[error("the answer is cut: it ends after line {line} without the last line")]
    Cut {
        /// Lines that came, the unfinished one included.
        line: usize,
    },
    /// Something follows the last line.
    #[error("{bytes} bytes follow the last line of the answer, line {line}")]
    Surplus {
        /// The last line.
        line: usize,
        /// What follows it.
        bytes: usize,
    },
    /// A line is longer than any should be.
    #[error("line {line} of the answer has {bytes} bytes, at most {limit} are possible")]
    TooLong {
        /// Counted from 1.
        line: usize,
        /// Its length, with the line feed.
        bytes: usize,
        /// The most possible.
        limit: usize,
    },
    /// The last line counts other lines than came.
    #[error("the answer has {found} lines before the last one, which says {said}: lines were lost or came twice")]
    Lines {
        /// What the last line says.
        said: u32,
        /// What came.
        found: usize,
    },
    /// The checksum is wrong.
    #[error("the checksum of the answer is {computed:08x}, its last line says {said:08x}: it is garbled{}", place(*.suspect))]
    Checksum {
        /// What the last line says.
        said: u32,
        /// That of what came.
        computed: u32,
        /// The first line that cannot be read, if one cannot.
        suspect: Option<usize>,
    },
    /// A line cannot be read.
    #[error("line {line} of the answer: {source}")]
    Word {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        source: WordError,
    },
    /// A line can be read, but this is not how it is written.
    #[error("line {line} of the answer is not written as it should be: {found:?}, not {expected:?}")]
    Spelling {
        /// Counted from 1.
        line: usize,
        /// How it should be.
        expected: String,
        /// How it is.
        found: String,
    },
    /// A line stands where another belongs.
    #[error("line {line} of the answer should begin with {expected:?}, not with {found:?}")]
    Order {
        /// Counted from 1.
        line: usize,
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The answer is to another request.
    #[error("line {line} of the answer: it answers {found:?}, asked was {expected:?}")]
    OtherRequest {
        /// Counted from 1.
        line: usize,
        /// What was asked.
        expected: String,
        /// What is answered.
        found: String,
    },
    /// Values contradict each other or the request.
    #[error("line {line} of the answer: {what}")]
    Contradiction {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The firmware says that something went wrong.
    #[error("the firmware{} says: {}: {text}", on(.board.as_deref()), kind.name())]
    Device {
        /// The board that it was built for, where it said so.
        board: Option<String>,
        /// What went wrong.
        kind: ErrorKind,
        /// Its words.
        text: String,
    },
}

fn place(suspect: Option<usize>) -> String {
    suspect.map_or_else(String::new, |line| alloc::format!(", probably in line {line}"))
}

fn on(board: Option<&str>) -> String {
    board.map_or_else(String::new, |board| alloc::format!(" for {board}"))
}
