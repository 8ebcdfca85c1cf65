//! A file from elsewhere against what its seeds give here: read into one form, then compared value by value.

use super::draws::Noted;
use super::error::KatError;
use super::file::{self, AnswerFile, FileRecord, FileValue};
use super::format::{Format, Value};
use super::gate::{Verdict, known_answer};
use super::manifest::{Manifest, Published, published_suite};
use super::nist::AesCtrDrbg;
use super::record::{self, Randomness, Record, require_instance};
use super::run::{Question, answer};
use super::text;
use crate::files;
use crate::guest;
use crate::runner::{self, SuiteSpec};
use crate::words::plural;
use kemprof_core::{Drng, Sampling, kem};
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// Bytes of a file at the most: above a thousand records of the longest instance.
const MAX_FILE: u64 = 64 << 20;

/// What comparing a file from elsewhere came to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CheckReport {
    /// The instance that the file was compared with.
    pub instance: String,
    /// The format of the file.
    pub format: Format,
    /// The backends that it was compared with.
    #[serde(serialize_with = "as_text")]
    pub backend: SuiteSpec,
    /// Records in the file, all of which were compared.
    pub records: usize,
    /// `PASS` when every value follows from its record's seed, else `FAIL`.
    pub verdict: &'static str,
    /// SHA-256 of the file as published files are laid out and spelled.
    pub digest: String,
    /// What differs, in the order of the file; nothing for a file that passes.
    pub differences: Vec<Difference>,
    /// How the file stands to the published ones.
    pub identity: Identity,
    /// The published file that it is, if it is one.
    pub published: Option<Published>,
}

/// How a file stands to the published files of its instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// The same bytes as one of them.
    Bytes,
    /// One of them, laid out or spelled differently.
    Layout,
    /// Right values of the published seeds, but no published choice of records or fields.
    PublishedSeeds,
    /// Right values of other seeds.
    OtherSeeds,
    /// Other values.
    Differs,
    /// Nothing is published in this format for these backends.
    Unpublished,
    /// The instance is a KEM from outside, whose files are not known.
    OfGuest,
}

/// Something that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The record.
    pub count: usize,
    /// The field.
    pub field: &'static str,
    /// The line of the file, from 1.
    pub line: usize,
    /// What of it differs.
    pub what: String,
}

impl CheckReport {
    /// Whether every value is right.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.differences.is_empty()
    }

    /// Whether none of the values that follow from a seed is right, though all have their lengths.
    fn nothing_is_right(&self) -> bool {
        let wrong = |name: &str| {
            let of = |difference: &&Difference| difference.field == name && difference.what.starts_with(DIGIT);
            self.differences.iter().filter(of).count()
        };
        let values = &Value::ALL[1..];
        values.iter().all(|&value| wrong(self.format.value_name(value)) == self.records)
    }
}

impl fmt::Display for CheckReport {
    /// The verdict in one line, with what differs first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instance, format, backend, records, verdict, identity, published, .. } = self;
        let records = plural(records, "record");
        match self.differences.as_slice() {
            [] => {
                write!(f, "{verdict}: {records} of {instance} over {backend} ({format}); ")?;
                match (identity, published) {
                    (Identity::Bytes, Some(published)) => write!(f, "byte for byte {published}"),
                    (Identity::Layout, Some(published)) => write!(f, "{published}, laid out or spelled differently"),
                    _ => write!(f, "{identity}"),
                }
            }
            _ if self.nothing_is_right() => write!(
                f,
                "{verdict}: no value follows from its seed; the file is not of {instance} over {backend}: choose its \
                 backends with --hash, or name another instance"
            ),
            [first] => write!(f, "{verdict}: {first}"),
            all @ [first, ..] => write!(f, "{verdict}: {first}; {} differences in all", all.len()),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "byte for byte a published file",
            Self::Layout => "a published file, laid out or spelled differently",
            Self::PublishedSeeds => "seeds of the published file, but not its records and fields",
            Self::OtherSeeds => "other seeds than the published file's",
            Self::Differs => "not the published file",
            Self::OfGuest => "every value follows from its record's seed",
            Self::Unpublished => "no file is published for these backends in this format",
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, field, line, what } = self;
        write!(f, "count {count}, {field} (line {line}): {what}")
    }
}

fn as_text<S: Serializer>(spec: &SuiteSpec, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(spec)
}

/// Compares a file from elsewhere with what `instance` over `spec` gives; without an instance, with the one that the
/// lengths in the file are of, and without a suite, over the functions that the instance's published answers are over.
///
/// # Errors
/// When the file cannot be read or is not one of known answers; wrong values are in the report.
pub fn check_file<'a>(
    path: &Path,
    instance: Option<&str>,
    spec: impl Into<Option<&'a SuiteSpec>>,
    sampling: Sampling,
) -> Result<CheckReport, KatError> {
    check_bytes(&read_limited(path)?, instance, spec, sampling)
        .map_err(|source| KatError::InFile { path: path.to_owned(), source: Box::new(source) })
}

/// A file, unless it is far longer than known answers are.
pub(super) fn read_limited(path: &Path) -> Result<Vec<u8>, KatError> {
    let unreadable = |source| KatError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    files::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(KatError::TooLong { path: path.to_owned(), limit: MAX_FILE });
    }
    Ok(bytes)
}

/// [`check_file`] of a file that is already in memory.
///
/// # Errors
/// When it is not one of known answers; wrong values are in the report.
pub fn check_bytes<'a>(
    bytes: &[u8],
    instance: Option<&str>,
    spec: impl Into<Option<&'a SuiteSpec>>,
    sampling: Sampling,
) -> Result<CheckReport, KatError> {
    let (file, spec) = (file::read(bytes)?, spec.into());
    let instance = match instance {
        Some(instance) => instance,
        None => guess(&file, spec, sampling)?,
    };
    let is_guest = guest::loaded(instance).is_some();
    let spec = if is_guest { spec.copied().unwrap_or(SuiteSpec::OWN) } else { suite_for(instance, spec)? };
    if !is_guest && let verdict @ Verdict::Fail(_) = known_answer(instance, &spec, sampling)? {
        return Err(KatError::OwnAnswersWrong(verdict.to_string()));
    }
    let subject = Subject { instance, format: file.format, spec: &spec, sampling };
    let mut differences = out_of_order(&file);
    for record in &file.records {
        differences.extend(subject.differences(record)?);
    }
    differences.sort_by_key(|difference| difference.line);
    let (identity, published) = subject.identity(&file, bytes, differences.is_empty())?;
    Ok(CheckReport {
        instance: instance.to_owned(),
        format: file.format,
        backend: spec,
        records: file.records.len(),
        verdict: if differences.is_empty() { "PASS" } else { "FAIL" },
        digest: file.digest(),
        differences,
        identity,
        published,
    })
}

/// The suite that was asked for, or else one that reproduces the instance's published answers.
fn suite_for(instance: &str, spec: Option<&SuiteSpec>) -> Result<SuiteSpec, KatError> {
    require_instance(instance)?;
    spec.copied().map_or_else(|| Ok(published_suite(instance)?), Ok)
}

/// The instance whose lengths the file has; of several, the one to whose values its first record is nearest.
fn guess(file: &AnswerFile, spec: Option<&SuiteSpec>, sampling: Sampling) -> Result<&'static str, KatError> {
    let length = |value| file.records[0].get(value).map_or(0, |field| field.bytes.len());
    let [pk, sk, ct, ss] = [Value::PublicKey, Value::SecretKey, Value::Ciphertext, Value::SharedSecret].map(length);
    let fits = |instance: &&&'static str| {
        runner::sizes(instance).is_ok_and(|sizes| [sizes.pk, sizes.sk, sizes.ct, sizes.ss] == [pk, sk, ct, ss])
    };
    let candidates: Vec<&'static str> = kem::INSTANCES.iter().filter(fits).copied().collect();
    let mut distances = Vec::new();
    for &instance in &candidates {
        let subject = Subject { instance, format: file.format, spec: &suite_for(instance, spec)?, sampling };
        distances.push((subject.differences(&file.records[0])?.len(), instance));
    }
    distances.sort_unstable();
    match distances.as_slice() {
        [] => Err(KatError::NoInstanceFits { pk, sk, ct, ss }),
        [(_, only)] => Ok(only),
        [(best, instance), (next, _), ..] if best < next => Ok(instance),
        _ => Err(KatError::SeveralInstancesFit(candidates)),
    }
}

/// Records that are missing, repeated or not in their place.
fn out_of_order(file: &AnswerFile) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut expected = 0;
    for (index, FileRecord { count, line, .. }) in file.records.iter().enumerate() {
        let before = file.records[..index].iter().find(|record| record.count == *count);
        let what = if let Some(FileRecord { line, .. }) = before {
            format!("record {count} is there twice, on line {line} before")
        } else if *count < expected {
            format!("record {count} is not in its place: records count up from 0")
        } else if *count > expected {
            let skipped = expected..*count;
            expected = count + 1;
            match file.records[index..].iter().find(|record| skipped.contains(&record.count)) {
                Some(later) => {
                    format!("record {} is not in its place: it comes later, on line {}", later.count, later.line)
                }
                None if skipped.len() == 1 => format!("record {} is missing before this one", skipped.start),
                None => format!("records {} to {} are missing before this one", skipped.start, count - 1),
            }
        } else {
            expected += 1;
            continue;
        };
        differences.push(Difference { count: *count, field: file.format.layout()[0].1, line: *line, what });
    }
    differences
}

/// What a file is held against.
struct Subject<'a> {
    instance: &'a str,
    format: Format,
    spec: &'a SuiteSpec,
    sampling: Sampling,
}

impl Subject<'_> {
    fn record(&self, randomness: Randomness) -> Result<Record, KatError> {
        Ok(record::from(self.instance, self.format, self.spec, self.sampling, &[randomness])?.remove(0))
    }

    /// Every value of a record that is not what its seed, or the random bytes in it, give.
    fn differences(&self, record: &FileRecord) -> Result<Vec<Difference>, KatError> {
        let seed = record.get(Value::Seed);
        if let Some(seed) = seed.filter(|seed| seed.bytes.len() != self.format.seed_bytes()) {
            return Ok(vec![self.difference(record, seed, length(self.format.seed_bytes(), seed.bytes.len()))]);
        }
        let drawn: Option<Vec<&FileValue>> =
            [Value::D, Value::Z, Value::Message].into_iter().map(|value| record.get(value)).collect();
        let Some(drawn) = drawn else {
            let seed = seed.map(|seed| seed.bytes.clone()).unwrap_or_default();
            let mut found = self.compared(record, &self.record(Randomness::Seed(seed.clone()))?)?;
            // A wrong digit in the seed itself changes every value: then they are those of the published one.
            let published = record::seeds(self.format, self.spec, record.count.min(file::MAX_RECORDS) + 1).pop();
            if let Some(published) = published.filter(|published| !found.is_empty() && *published != seed) {
                let of_published = self.compared(record, &self.record(Randomness::Seed(published))?)?;
                if of_published.len() < found.len() {
                    found = of_published;
                }
            }
            return Ok(found);
        };
        if let Some(wrong) = drawn.iter().find(|field| field.bytes.len() != DRAW) {
            return Ok(vec![self.difference(record, wrong, length(DRAW, wrong.bytes.len()))]);
        }
        let draws = drawn.iter().flat_map(|field| field.bytes.clone()).collect();
        let mut found = self.compared(record, &self.record(Randomness::Draws(draws))?)?;
        if let Some(seed) = seed.filter(|seed| !self.gives(&seed.bytes, &drawn)) {
            found.push(self.difference(record, seed, "it does not give d, z and msg".to_owned()));
        }
        Ok(found)
    }

    /// Whether a seed gives these d, z and m: drawn as this scheme does, or one by one in either order.
    fn gives(&self, seed: &[u8], drawn: &[&FileValue]) -> bool {
        let [d, z, m] = [0, 1, 2].map(|index| drawn[index].bytes.as_slice());
        let own = self.record(Randomness::Seed(seed.to_vec()));
        let own = own.is_ok_and(|own| {
            [(Value::D, d), (Value::Z, z), (Value::Message, m)].iter().all(|&(value, bytes)| own.value(value) == bytes)
        });
        let Ok(entropy) = seed.try_into() else { return false };
        let (mut drng, draws) = Noted::new(AesCtrDrbg::instantiate(entropy));
        (0..3).for_each(|_| drng.generate(&mut [0; DRAW]));
        let draws = draws.take();
        own || draws == [d, z, m].concat() || draws == [z, d, m].concat()
    }

    /// Every value of a record that is not as in `expected`.
    fn compared(&self, record: &FileRecord, expected: &Record) -> Result<Vec<Difference>, KatError> {
        let mut found = Vec::new();
        for field in record.values() {
            let right = match field.value {
                Value::Seed if expected.value(Value::Seed).is_empty() => continue,
                Value::RejectedCiphertext => continue,
                Value::RejectionSecret => {
                    let ciphertext = record.get(Value::RejectedCiphertext).map(|field| field.bytes.as_slice());
                    let question =
                        Question::Decapsulate(expected.value(Value::SecretKey), ciphertext.unwrap_or_default());
                    match answer(self.instance, self.spec, self.sampling, question)? {
                        Ok(mut secret) => secret.remove(0),
                        Err(refusal) => {
                            found.push(self.difference(record, field, format!("ct_n is no ciphertext: {refusal}")));
                            continue;
                        }
                    }
                }
                value => expected.value(value).to_vec(),
            };
            let what = if right.len() == field.bytes.len() {
                digits(&right, &field.bytes)
            } else {
                Some(length(right.len(), field.bytes.len()))
            };
            found.extend(what.map(|what| self.difference(record, field, what)));
        }
        Ok(found)
    }

    fn difference(&self, record: &FileRecord, field: &FileValue, what: String) -> Difference {
        Difference { count: record.count, field: self.format.value_name(field.value), line: field.line, what }
    }

    fn identity(
        &self,
        file: &AnswerFile,
        bytes: &[u8],
        right: bool,
    ) -> Result<(Identity, Option<Published>), KatError> {
        if guest::loaded(self.instance).is_some() {
            return Ok((Identity::OfGuest, None));
        }
        let manifest = Manifest::of(self.instance)?;
        if manifest.format != self.format || !manifest.applies_to(self.spec) {
            return Ok((Identity::Unpublished, None));
        }
        let digest = file.digest();
        if let Some(published) = manifest.published().into_iter().find(|published| published.sha256 == digest) {
            let written = record::generate(self.instance, self.format, self.spec, self.sampling, published.records)?;
            let same = text::write(self.format, &written).as_bytes() == bytes;
            return Ok((if same { Identity::Bytes } else { Identity::Layout }, Some(published)));
        }
        let seeds = record::seeds(self.format, self.spec, file.records.len());
        let own = file.records.iter().map(|record| record.get(Value::Seed).map(|seed| &seed.bytes));
        let identity = match right {
            false => Identity::Differs,
            true if own.zip(&seeds).all(|(own, seed)| own == Some(seed)) => Identity::PublishedSeeds,
            true => Identity::OtherSeeds,
        };
        Ok((identity, None))
    }
}

/// Bytes of d, z and m.
const DRAW: usize = 32;

/// What the description of a wrong value begins with.
const DIGIT: &str = "digit";

fn length(expected: usize, got: usize) -> String {
    format!("{}, expected {expected}; is this a file of another instance?", plural(got, "byte"))
}

/// The first hexadecimal digit that is wrong, and how many are.
fn digits(expected: &[u8], got: &[u8]) -> Option<String> {
    let (expected, got) = (hex::encode_upper(expected), hex::encode_upper(got));
    let mut wrong = expected.chars().zip(got.chars()).enumerate().filter(|(_, (expected, got))| expected != got);
    let (index, (right, is)) = wrong.next()?;
    let wrong = plural(1 + wrong.count(), "wrong digit");
    Some(format!("{DIGIT} {} of {} is {is}, expected {right}; {wrong}", index + 1, expected.len()))
}

#[cfg(test)]
mod tests {
    use super::super::tiny;
    use super::*;

    const SUBJECT: Subject<'_> = Subject {
        instance: "tiny",
        format: Format::Ngcc,
        spec: &SuiteSpec::of(kemprof_core::Any::Placeholder),
        sampling: Sampling::Eager,
    };

    /// What differs from the records of [`tiny`] in a file.
    fn compared(file: &AnswerFile) -> Vec<Difference> {
        let expected = tiny::records(file.format, file.records.len());
        let subject = Subject { format: file.format, ..SUBJECT };
        let records = file.records.iter().zip(&expected);
        records.flat_map(|(record, expected)| subject.compared(record, expected).expect("has no rejection")).collect()
    }

    /// Every hexadecimal digit of every value, replaced by another: the file fails, and the report names the place.
    #[test]
    fn every_single_wrong_digit_is_detected_and_placed() {
        for format in Format::ALL {
            let text = text::write(format, &tiny::records(format, 3));
            let mut bytes = text.clone().into_bytes();
            let mut start = 0;
            for (number, line) in text.lines().enumerate() {
                let value =
                    line.find(" = ").map(|at| at + 3).filter(|_| !line.contains("_Len") && !line.contains("ount"));
                for column in value.map_or(0..0, |value| value..line.len()) {
                    let (at, right) = (start + column, line.as_bytes()[column]);
                    for digit in b"0123456789ABCDEF".iter().copied().filter(|&digit| digit != right) {
                        bytes[at] = digit;
                        let found = compared(&file::read(&bytes).expect("is read"));
                        let [Difference { line: at_line, what, .. }] = found.as_slice() else {
                            panic!("line {number}, column {column}: {found:?}")
                        };
                        assert_eq!(*at_line, number + 1);
                        let place = format!("digit {} of ", column + 1 - value.unwrap_or_default());
                        let digits =
                            format!(" is {}, expected {}; 1 wrong digit", char::from(digit), char::from(right));
                        assert!(what.starts_with(&place) && what.ends_with(&digits), "{what}");
                    }
                    bytes[at] = right;
                }
                start += line.len() + 1;
            }
        }
    }

    /// Any byte of the file replaced by any other of a choice: it passes only when it says the same. A length says nothing that
    /// its value does not say, so its line may be a comment.
    #[test]
    fn a_changed_byte_passes_only_where_it_says_the_same() {
        let text = text::write(Format::Ngcc, &tiny::records(Format::Ngcc, 3));
        let says = |bytes: &[u8]| -> String {
            let lines = bytes.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).to_uppercase());
            lines
                .map(|line| line.split_whitespace().collect::<String>() + ";")
                .filter(|line| line != ";" && !line.starts_with('#') && !line.contains("_LEN"))
                .collect()
        };
        let meaning = says(text.as_bytes());
        let mut bytes = text.clone().into_bytes();
        for at in 0..bytes.len() {
            let right = bytes[at];
            for byte in *b"09afAFgG= \t\r\n#-\x00\xff" {
                bytes[at] = byte;
                let passes =
                    file::read(&bytes).is_ok_and(|file| compared(&file).is_empty() && out_of_order(&file).is_empty());
                assert!(!passes || says(&bytes) == meaning, "byte {at} replaced by {byte:#x}");
            }
            bytes[at] = right;
        }
    }

    #[test]
    fn records_that_are_missing_repeated_or_reordered_are_named() {
        let records = text::write(Format::NistKat, &tiny::records(Format::NistKat, 4));
        let records: Vec<&str> = records.split("\n\n").collect();
        let order = |order: &[usize]| {
            let text: Vec<&str> = order.iter().map(|&count| records[count]).collect();
            let file = file::read(text.join("\n\n").as_bytes()).expect("is read");
            out_of_order(&file).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(order(&[0, 1, 2, 3]), [""; 0]);
        assert_eq!(order(&[0, 1]), [""; 0]);
        assert_eq!(order(&[0, 2, 3]), ["count 2, count (line 8): record 1 is missing before this one"]);
        assert_eq!(order(&[3]), ["count 3, count (line 1): records 0 to 2 are missing before this one"]);
        assert_eq!(order(&[0, 1, 1, 2]), ["count 1, count (line 15): record 1 is there twice, on line 8 before"]);
        assert_eq!(
            order(&[0, 2, 1, 3]),
            [
                "count 2, count (line 8): record 1 is not in its place: it comes later, on line 15",
                "count 1, count (line 15): record 1 is not in its place: records count up from 0"
            ]
        );
    }

    /// Generators of files with z and d draw z first, in requests of 32 bytes.
    #[test]
    fn a_seed_may_give_d_and_z_in_either_order_and_must_give_them() {
        let spec = SuiteSpec::of(kemprof_core::Any::Shake);
        let subject =
            Subject { instance: "ml-kem-512", format: Format::NistKat, spec: &spec, sampling: Sampling::Lazy };
        let mut drbg = AesCtrDrbg::instantiate(&[7; 48]);
        let [z, d, m] = [(); 3].map(|()| {
            let mut draw = [0; DRAW];
            drbg.generate(&mut draw);
            draw
        });
        let record = subject.record(Randomness::Draws([d, z, m].concat())).expect("runs");
        let values = [
            ("pk", Value::PublicKey),
            ("sk", Value::SecretKey),
            ("ct", Value::Ciphertext),
            ("ss", Value::SharedSecret),
        ];
        let values = values.map(|(name, value)| format!("{name} = {}\n", hex::encode(record.value(value)))).concat();
        let differences = |seed: [u8; 48]| {
            let [z, d, m, seed] = [&z[..], &d, &m, &seed].map(hex::encode);
            let text = format!("count = 0\nz = {z}\nd = {d}\nmsg = {m}\nseed = {seed}\n{values}");
            subject.differences(&file::read(text.as_bytes()).expect("is read").records[0]).expect("runs")
        };
        assert_eq!(differences([7; 48]), []);
        let other = differences([8; 48]);
        assert_eq!(
            (other.len(), other[0].to_string().as_str()),
            (1, "count 0, seed (line 5): it does not give d, z and msg")
        );
    }

    #[test]
    fn a_value_of_another_length_is_named_with_both() {
        let text = text::write(Format::NistKat, &tiny::records(Format::NistKat, 3)).replacen("ct = ", "ct = 00", 1);
        let found = compared(&file::read(text.as_bytes()).expect("is read"));
        assert_eq!(
            found[0].to_string(),
            "count 0, ct (line 5): 17 bytes, expected 16; is this a file of another instance?"
        );
    }
}
