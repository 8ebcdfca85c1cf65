use super::error::KatError;
use super::format::{Format, Value};
use super::gate::{Verdict, known_answer};
use super::manifest::{Manifest, published_suite};
use super::parse::{Parsed, parse};
use super::parse_error::{ParseError, Problem};
use super::record::{Record, generate, require_instance};
use super::remark::Remark;
use super::text;
use crate::runner::{self, SuiteSpec};
use kemprof_core::{Sampling, kem};
use serde::{Serialize, Serializer};
use std::fmt;
use std::fs::File;
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
    /// `PASS` when every value is right, else `FAIL`.
    pub verdict: &'static str,
    /// SHA-256 of the file's canonical form.
    pub digest: String,
    /// What was accepted although published files are otherwise.
    pub remarks: Vec<Remark>,
    /// Every value that is wrong; none for a file that passes.
    pub mismatches: Vec<Mismatch>,
    /// How the file stands to the published one.
    pub identity: Identity,
}

/// How a file stands to the published file of its instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// The same bytes.
    Bytes,
    /// The same canonical form.
    CanonicalForm,
    /// The same values for the records that it has, written differently.
    Values,
    /// Other values.
    Differs,
    /// Nothing is published in this format for these backends.
    Unpublished,
}

/// A value that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mismatch {
    /// The record.
    pub count: usize,
    /// The field.
    pub field: &'static str,
    /// The line of the file, from 1.
    pub line: usize,
    /// The first hexadecimal digit that is wrong, from 1.
    pub digit: usize,
    /// The digits of the value.
    pub digits: usize,
    /// The right digit.
    pub expected: char,
    /// The digit in the file.
    pub got: char,
    /// How many digits of the value are wrong.
    pub wrong: usize,
}

impl CheckReport {
    /// Whether every value is right.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl fmt::Display for CheckReport {
    /// The verdict in one line; remarks and further mismatches are for the caller to list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instance, format, backend, records, verdict, identity, .. } = self;
        let plural = if *records == 1 { "" } else { "s" };
        match self.mismatches.as_slice() {
            [] => write!(f, "{verdict}: {records} record{plural} of {instance} over {backend} ({format}); {identity}"),
            [first] => write!(f, "{verdict}: {first}"),
            all if all.len() == records * Value::ALL.len() => write!(
                f,
                "{verdict}: every value is wrong; the file is not of {instance} over {backend}: choose its backends with \
                 --hash, or name another instance"
            ),
            all @ [first, ..] => write!(f, "{verdict}: {first}; {} values are wrong in all", all.len()),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "byte for byte the published file",
            Self::CanonicalForm => "the published file in canonical form, though not byte for byte",
            Self::Values => "the published values, though written differently or not all of them",
            Self::Differs => "not the published file",
            Self::Unpublished => "no file is published for these backends in this format",
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, field, line, digit, digits, expected, got, wrong } = self;
        let plural = if *wrong == 1 { "" } else { "s" };
        write!(f, "count {count}, {field} (line {line}): digit {digit} of {digits} is {got}, expected {expected}; ")?;
        write!(f, "{wrong} wrong digit{plural}")
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
    let unreadable = |source| KatError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(KatError::TooLong { path: path.to_owned(), limit: MAX_FILE });
    }
    check_bytes(&bytes, instance, spec, sampling)
        .map_err(|source| KatError::InFile { path: path.to_owned(), source: Box::new(source) })
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
    let (parsed, spec) = (parse(bytes)?, spec.into());
    let instance = match instance {
        Some(instance) => instance,
        None => guess(&parsed, spec, sampling)?,
    };
    let spec = &suite_for(instance, spec)?;
    if let verdict @ Verdict::Fail(_) = known_answer(instance, spec, sampling)? {
        return Err(KatError::OwnAnswersWrong(verdict.to_string()));
    }
    let records = generate(instance, parsed.format, spec, sampling, parsed.records.len())?;
    let mismatches = compare(&parsed, &records)?;
    let manifest = Manifest::of(instance)?;
    let published = manifest.format == parsed.format && manifest.applies_to(spec);
    let digest = text::digest(bytes);
    let identity = match (published, digest == manifest.sha256) {
        (false, _) => Identity::Unpublished,
        (true, true) if text::write(parsed.format, &records).as_bytes() == bytes => Identity::Bytes,
        (true, true) => Identity::CanonicalForm,
        (true, false) if mismatches.is_empty() => Identity::Values,
        (true, false) => Identity::Differs,
    };
    let (has, of) = (parsed.records.len(), manifest.records);
    let mut remarks = parsed.remarks;
    if published && has != of {
        remarks.insert(if has < of { Remark::Fewer { records: has, of } } else { Remark::More { records: has, of } });
    }
    Ok(CheckReport {
        instance: instance.to_owned(),
        format: parsed.format,
        backend: *spec,
        records: has,
        verdict: if mismatches.is_empty() { "PASS" } else { "FAIL" },
        digest,
        remarks: remarks.into_iter().collect(),
        mismatches,
        identity,
    })
}

/// The suite that was asked for, or else one that reproduces the instance's published answers.
fn suite_for(instance: &str, spec: Option<&SuiteSpec>) -> Result<SuiteSpec, KatError> {
    require_instance(instance)?;
    spec.copied().map_or_else(|| Ok(published_suite(instance)?), Ok)
}

/// The instance whose lengths the file has; of several, the one to whose values it is nearest.
fn guess(parsed: &Parsed, spec: Option<&SuiteSpec>, sampling: Sampling) -> Result<&'static str, KatError> {
    let length = |value: Value| parsed.records[0].values[value as usize].bytes.len();
    let [pk, sk, ct, ss] = [Value::PublicKey, Value::SecretKey, Value::Ciphertext, Value::SharedSecret].map(length);
    let fits = |instance: &&&'static str| {
        runner::sizes(instance).is_ok_and(|sizes| [sizes.pk, sizes.sk, sizes.ct, sizes.ss] == [pk, sk, ct, ss])
    };
    let candidates: Vec<&'static str> = kem::INSTANCES.iter().filter(fits).copied().collect();
    match candidates.as_slice() {
        [] => Err(KatError::NoInstanceFits { pk, sk, ct, ss }),
        [only] => Ok(only),
        several => nearest(several, parsed, spec, sampling),
    }
}

fn nearest(
    candidates: &[&'static str],
    parsed: &Parsed,
    spec: Option<&SuiteSpec>,
    sampling: Sampling,
) -> Result<&'static str, KatError> {
    let mut distances = Vec::new();
    for &instance in candidates {
        let first = generate(instance, parsed.format, &suite_for(instance, spec)?, sampling, 1)?;
        distances.push((compare(parsed, &first)?.len(), instance));
    }
    distances.sort_unstable();
    match distances.as_slice() {
        [(best, instance), (next, _), ..] if best < next => Ok(instance),
        _ => Err(KatError::SeveralInstancesFit(candidates.to_vec())),
    }
}

/// Every value of the file that is not as in `expected`, record by record; what one has more than the other is left out.
fn compare(parsed: &Parsed, expected: &[Record]) -> Result<Vec<Mismatch>, ParseError> {
    let mut mismatches = Vec::new();
    for (count, (got, expected)) in parsed.records.iter().zip(expected).enumerate() {
        for value in Value::ALL {
            let (field, expected, got) =
                (parsed.format.value_name(value), expected.value(value), &got.values[value as usize]);
            if got.bytes.len() != expected.len() {
                let (expected, got_bytes) = (expected.len(), got.bytes.len());
                let problem = Problem::WrongLength { count, name: field, expected, got: got_bytes };
                return Err(ParseError { line: got.line, problem });
            }
            mismatches.extend(mismatch(count, field, got.line, expected, &got.bytes));
        }
    }
    Ok(mismatches)
}

fn mismatch(count: usize, field: &'static str, line: usize, expected: &[u8], got: &[u8]) -> Option<Mismatch> {
    let (expected, got) = (hex::encode_upper(expected), hex::encode_upper(got));
    let mut wrong = expected.chars().zip(got.chars()).enumerate().filter(|(_, (expected, got))| expected != got);
    let (index, (expected_digit, got_digit)) = wrong.next()?;
    Some(Mismatch {
        count,
        field,
        line,
        digit: index + 1,
        digits: expected.len(),
        expected: expected_digit,
        got: got_digit,
        wrong: 1 + wrong.count(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tiny;
    use super::*;

    const RECORDS: usize = 3;

    fn compared(bytes: &[u8], format: Format) -> Result<Vec<Mismatch>, ParseError> {
        compare(&parse(bytes)?, &tiny::records(format, RECORDS))
    }

    #[test]
    fn a_wrong_digit_is_named_with_count_field_line_and_place() {
        let records = tiny::records(Format::Ngcc, RECORDS);
        let text = text::write(Format::Ngcc, &records);
        let secret = hex::encode_upper(records[2].value(Value::SharedSecret));
        let digit = secret.chars().nth(4).expect("has five digits");
        let other = if digit == '7' { '8' } else { '7' };
        let wrong = format!("{}{other}{}", &secret[..4], &secret[5..]);
        let mismatches = compared(text.replace(&secret, &wrong).as_bytes(), Format::Ngcc).expect("is read");
        let [mismatch] = mismatches.as_slice() else { panic!("one field is wrong: {mismatches:?}") };
        assert_eq!(
            mismatch.to_string(),
            format!("count 2, SS (line 35): digit 5 of 16 is {other}, expected {digit}; 1 wrong digit")
        );
    }

    /// Every hexadecimal digit of every value, replaced by every other: the file fails, and the report names the place.
    #[test]
    fn every_single_wrong_digit_is_detected_and_placed() {
        for format in Format::ALL {
            let text = text::write(format, &tiny::records(format, RECORDS));
            let expected = tiny::records(format, RECORDS);
            let mut file = text.clone().into_bytes();
            let mut start = 0;
            for (number, line) in text.lines().enumerate() {
                let value =
                    line.find(" = ").map(|at| at + 3).filter(|_| !line.contains("_Len") && !line.contains("ount"));
                for column in value.map_or(0..0, |value| value..line.len()) {
                    let (at, right) = (start + column, line.as_bytes()[column]);
                    for digit in b"0123456789ABCDEF".iter().copied().filter(|&digit| digit != right) {
                        file[at] = digit;
                        let found = compare(&parse(&file).expect("is read"), &expected).expect("has its lengths");
                        let [Mismatch { line: at_line, digit: place, got, wrong: 1, .. }] = found[..] else {
                            panic!("line {number}, column {column}: {found:?}")
                        };
                        let here = (number + 1, column + 1 - value.unwrap_or_default(), char::from(digit));
                        assert_eq!((at_line, place, got), here);
                    }
                    file[at] = right;
                }
                start += line.len() + 1;
            }
        }
    }

    /// Any byte of the file replaced by any other of a choice: it passes only when it says the same.
    #[test]
    fn a_changed_byte_passes_only_where_it_says_the_same() {
        let text = text::write(Format::Ngcc, &tiny::records(Format::Ngcc, RECORDS));
        let expected = tiny::records(Format::Ngcc, RECORDS);
        let says = |bytes: &[u8]| -> String {
            let lines = bytes.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).to_uppercase());
            lines
                .map(|line| line.split_whitespace().collect::<String>() + ";")
                .filter(|line| line != ";" && !line.starts_with('#'))
                .collect()
        };
        let meaning = says(text.as_bytes());
        let mut file = text.clone().into_bytes();
        for at in 0..file.len() {
            let right = file[at];
            for byte in *b"09afAFgG= \t\r\n#-\x00\xff" {
                file[at] = byte;
                let passes = parse(&file).is_ok_and(|parsed| compare(&parsed, &expected).is_ok_and(|m| m.is_empty()));
                assert!(!passes || says(&file) == meaning, "byte {at} replaced by {byte:#x}");
            }
            file[at] = right;
        }
    }

    #[test]
    fn a_value_of_another_length_is_refused_with_both_lengths() {
        let text =
            text::write(Format::NistKat, &tiny::records(Format::NistKat, RECORDS)).replacen("ct = ", "ct = 00", 1);
        let error = compared(text.as_bytes(), Format::NistKat).expect_err("is longer");
        let problem = Problem::WrongLength { count: 0, name: "ct", expected: 16, got: 17 };
        assert_eq!(error, ParseError { line: 5, problem });
    }

    #[test]
    fn fewer_records_are_compared_as_far_as_they_go() {
        let text = text::write(Format::Ngcc, &tiny::records(Format::Ngcc, 1));
        assert_eq!(compared(text.as_bytes(), Format::Ngcc), Ok(Vec::new()));
    }
}
