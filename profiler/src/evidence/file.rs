use super::check::{Violation, violations};
use super::pretty::pretty;
use super::record::Evidence;
use crate::files::{self, WriteError};
use serde::Deserializer;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes of a file at the most: a thousand times what a usual record of all operations takes.
const MOST: u64 = 1 << 30;

/// Where a record is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// Which of an array.
    pub index: Option<usize>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&files::shown(&self.path))?;
        self.index.map_or(Ok(()), |index| write!(f, "[{index}]"))
    }
}

fn unreadable(path: &Path, source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::IsADirectory => {
            format!("{} is a folder; expected one .json file that a run wrote", files::shown(path))
        }
        _ => format!("cannot read {}: {source}", files::shown(path)),
    }
}

/// Why a file is no evidence.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("{}", unreadable(path, source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not JSON, or not of the record's shape.
    #[error("{} is not kemprof evidence: {source}", files::shown(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: NotEvidence,
    },
    /// It goes on for too long.
    #[error("{} is longer than {} MiB, which no evidence is", files::shown(path), MOST >> 20)]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// It is an array without records.
    #[error("{} holds no evidence: the array is empty", files::shown(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is a folder without records.
    #[error("{} holds no evidence: no file in it ends in .json", path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// It is an array of records where one is wanted.
    #[error(
        "{} is not kemprof evidence of one run, but an array: take one of the files that `kemprof all` writes with it",
        files::shown(path)
    )]
    Several {
        /// The file.
        path: PathBuf,
    },
    /// It breaks the contract.
    #[error("{record} does not hold together: {first}{}", more(*others))]
    Broken {
        /// The record.
        record: Source,
        /// The first violation.
        first: Box<Violation>,
        /// How many more there are.
        others: usize,
    },
}

/// Why a text is no evidence.
#[derive(Debug, Error)]
pub enum NotEvidence {
    /// It is of another kind altogether.
    #[error("it holds {0}; expected the .json file that a run wrote")]
    Other(&'static str),
    /// It ends too early.
    #[error("{0} (the file is cut short; run the profile again)")]
    Short(serde_json::Error),
    /// It is not JSON, or not of the record's shape.
    #[error(transparent)]
    Shape(serde_json::Error),
}

impl NotEvidence {
    /// What the parser says of a text that begins as JSON does.
    fn of(error: serde_json::Error) -> Self {
        if error.is_eof() { Self::Short(error) } else { Self::Shape(error) }
    }
}

/// What a text is that does not begin as JSON does.
fn kind(text: &str) -> &'static str {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let counted = first.rsplit_once(' ').is_some_and(|(_, count)| count.parse::<f64>().is_ok());
    match text.trim_start().chars().next() {
        None => "nothing",
        Some('<') => "a picture or a page",
        Some(_) if counted && text.contains(';') => "folded stacks",
        Some(_) if first.split_once(" = ").is_some() => "known answers (`kemprof kat --check` takes them)",
        Some(_) => "text that is not JSON",
    }
}

fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" (and {others} more; `kemprof verify` lists them)") }
}

/// The record as JSON text, with a final newline.
#[must_use]
pub fn to_json(evidence: &Evidence) -> String {
    // Every map key is a string and every number is finite or null, so this cannot fail.
    let mut text = pretty(evidence).expect("evidence is serialisable");
    text.push('\n');
    text
}

/// Parses a record without holding it against the contract.
///
/// # Errors
/// When the text is not JSON or not of the record's shape.
pub fn from_json(text: &str) -> Result<Evidence, NotEvidence> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(NotEvidence::Other(kind(text)));
    }
    serde_json::from_str(text).map_err(NotEvidence::of)
}

/// Reads a record and holds it against the contract.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path) -> Result<Evidence, ReadError> {
    let mut text = Text::open(path)?;
    if text.is_array {
        return Err(ReadError::Several { path: path.to_owned() });
    }
    let record = serde_json::from_reader(&mut text.source).map_err(|error| text.wrong(error))?;
    sound(&Source { path: path.to_owned(), index: None }, record)
}

/// Goes through records, one at a time: those of files, each one record or an array of them as `kemprof all --json` prints it, and of
/// all files that end in `.json` in folders. What cannot be read is a visit too, and the rest is read on.
pub fn for_each(paths: &[PathBuf], visit: &mut dyn FnMut(&Source, Result<Evidence, ReadError>)) {
    for path in paths {
        match files_of(path) {
            Ok(files) => files.iter().for_each(|file| in_file(file, visit)),
            Err(error) => visit(&Source { path: path.clone(), index: None }, Err(error)),
        }
    }
}

/// The file itself, or those of a folder by their names.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
    let entries: Vec<PathBuf> =
        fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()).map_err(unreadable)?;
    let is_json = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "json") && !file.is_dir();
    let mut files: Vec<PathBuf> = entries.into_iter().filter(is_json).collect();
    files.sort();
    if files.is_empty() { Err(ReadError::EmptyFolder { path: path.to_owned() }) } else { Ok(files) }
}

fn in_file(path: &Path, visit: &mut dyn FnMut(&Source, Result<Evidence, ReadError>)) {
    let source = |index| Source { path: path.to_owned(), index };
    let read = Text::open(path).and_then(|mut text| {
        if !text.is_array {
            let record = serde_json::from_reader(&mut text.source).map_err(|error| text.wrong(error))?;
            visit(&source(None), Ok(record));
            return Ok(());
        }
        let mut array = serde_json::Deserializer::from_reader(&mut text.source);
        let records = Records(&mut |index, record| visit(&source(Some(index)), Ok(record)));
        let count = records.deserialize(&mut array).and_then(|count| array.end().map(|()| count));
        match count.map_err(|error| text.wrong(error))? {
            0 => Err(ReadError::Empty { path: path.to_owned() }),
            _ => Ok(()),
        }
    });
    if let Err(error) = read {
        visit(&source(None), Err(error));
    }
}

/// The records of an array, of which one at a time is in memory. It gives how many there were.
struct Records<'a>(&'a mut dyn FnMut(usize, Evidence));

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of evidence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(record) = records.next_element()? {
            (self.0)(count, record);
            count += 1;
        }
        Ok(count)
    }
}

/// A file that may be evidence, read as far as to see that. Of the rest no more is in memory than what is read at once.
struct Text<'a> {
    path: &'a Path,
    is_array: bool,
    source: BufReader<Take<Box<dyn Read>>>,
}

/// Bytes that are read at once.
const AT_ONCE: usize = 1 << 16;

impl<'a> Text<'a> {
    fn open(path: &'a Path) -> Result<Self, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
        // Of a file it is known without reading that much of it.
        if path.metadata().is_ok_and(|file| file.len() > MOST) {
            return Err(ReadError::TooLong { path: path.to_owned() });
        }
        let source = files::open(path).map_err(unreadable)?.take(MOST + 1);
        let mut text = Self { path, is_array: false, source: BufReader::with_capacity(AT_ONCE, source) };
        loop {
            let part = text.source.fill_buf().map_err(unreadable)?;
            match part.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None if !part.is_empty() => {
                    let read = part.len();
                    text.source.consume(read);
                }
                Some(b'{') => return Ok(text),
                Some(b'[') => return Ok(Self { is_array: true, ..text }),
                // What does not begin as JSON is not read to its end: a device may have none.
                None | Some(_) => {
                    let source = NotEvidence::Other(kind(&String::from_utf8_lossy(part)));
                    return Err(ReadError::Malformed { path: path.to_owned(), source });
                }
            }
        }
    }

    /// Why it is no evidence, where the parser says this.
    fn wrong(&self, error: serde_json::Error) -> ReadError {
        let path = self.path.to_owned();
        if self.source.get_ref().limit() == 0 {
            return ReadError::TooLong { path };
        }
        if error.is_io() {
            return ReadError::Unreadable { path, source: error.into() };
        }
        ReadError::Malformed { path, source: NotEvidence::of(error) }
    }
}

/// Holds a record against the contract.
///
/// # Errors
/// [`ReadError::Broken`].
pub fn sound(record: &Source, evidence: Evidence) -> Result<Evidence, ReadError> {
    let mut found = violations(&evidence).into_iter();
    match found.next() {
        None => Ok(evidence),
        Some(first) => {
            let (record, first) = (record.clone(), Box::new(first));
            Err(ReadError::Broken { record, first, others: found.count() })
        }
    }
}

/// Endings of what is drawn of evidence, beside it.
const DRAWN: [&str; 4] = ["folded", "svg", "instructions.folded", "instructions.svg"];

/// Removes what was drawn of evidence of this name, `stem.json`, and says what it was. Links stay: what they lead to is the user's.
///
/// # Errors
/// When a file is there and cannot be removed.
pub fn remove_drawn(stem: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let paths = DRAWN.map(|ending| with_ending(stem, ending)).into_iter();
    let there = paths.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
    there
        .map(|path| fs::remove_file(&path).map(|()| path.clone()).map_err(|source| WriteError { path, source }))
        .collect()
}

/// `stem.ending`, whatever dots the stem has.
#[must_use]
pub fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
