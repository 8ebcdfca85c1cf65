use serde::{Serialize, Serializer};
use std::fmt;

/// A way in which a file differs from the published form without a value being wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Remark {
    /// It begins with a byte order mark.
    ByteOrderMark,
    /// Lines end in CR LF.
    CrLf,
    /// The last line has no end.
    NoFinalNewline,
    /// Empty lines are missing, or there are more.
    EmptyLines,
    /// Blanks at the ends of lines.
    TrailingBlanks,
    /// Blanks before a name, or not one blank on each side of `=`.
    Spacing,
    /// Hexadecimal digits in lower case.
    LowerCase,
    /// Lines that begin with `#`.
    Comments,
    /// It has fewer records than the published file.
    Fewer {
        /// Records in this file.
        records: usize,
        /// Records in the published file.
        of: usize,
    },
    /// It has more records than the published file; all were compared.
    More {
        /// Records in this file.
        records: usize,
        /// Records in the published file.
        of: usize,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("a byte order mark"),
            Self::CrLf => f.write_str("CR LF line ends"),
            Self::NoFinalNewline => f.write_str("no final newline"),
            Self::EmptyLines => f.write_str("empty lines other than published"),
            Self::TrailingBlanks => f.write_str("blanks at line ends"),
            Self::Spacing => f.write_str("other spacing around names and values"),
            Self::LowerCase => f.write_str("lower-case hexadecimal"),
            Self::Comments => f.write_str("comment lines"),
            Self::Fewer { records, of } => write!(f, "{records} of {of} records"),
            Self::More { records, of } => write!(f, "{records} records where the published file has {of}"),
        }
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
