use super::parse_error::{ParseError, Problem, quote};
use super::remark::Remark;
use std::collections::BTreeSet;

/// A line that says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<'a> {
    /// The number of the line in the file, from 1.
    pub(super) line: usize,
    /// Empty lines between the field before and this one.
    pub(super) empty_before: usize,
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// The fields of a file and how it is laid out.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub(super) fields: Vec<Field<'a>>,
    /// Empty lines after the last field.
    pub(super) empty_after: usize,
    /// The number of the line after the last.
    pub(super) end: usize,
    pub(super) remarks: BTreeSet<Remark>,
}

/// Splits a file into fields, with a remark for all that is other than published but harmless.
pub(super) fn fields(bytes: &[u8]) -> Result<Fields<'_>, ParseError> {
    let mut file = Fields::default();
    let text = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            file.remarks.insert(Remark::ByteOrderMark);
            rest
        }
        None => bytes,
    };
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    if body.len() == text.len() {
        file.remarks.insert(Remark::NoFinalNewline);
    }
    file.end = 1;
    for line in body.split(|&byte| byte == b'\n') {
        let number = file.end;
        file.end += 1;
        file.line(number, line).map_err(|problem| ParseError { line: number, problem })?;
    }
    Ok(file)
}

impl<'a> Fields<'a> {
    fn line(&mut self, number: usize, line: &'a [u8]) -> Result<(), Problem> {
        let line = match line.strip_suffix(b"\r") {
            Some(line) => {
                self.remarks.insert(Remark::CrLf);
                line
            }
            None => line,
        };
        let line = printable(line)?;
        let text = line.trim_end();
        if text.len() < line.len() {
            self.remarks.insert(Remark::TrailingBlanks);
        }
        if text.is_empty() {
            self.empty_after += 1;
        } else if text.trim_start().starts_with('#') {
            self.remarks.insert(Remark::Comments);
        } else {
            let (name, value) = self.split(text)?;
            self.fields.push(Field { line: number, empty_before: self.empty_after, name, value });
            self.empty_after = 0;
        }
        Ok(())
    }

    fn split(&mut self, text: &'a str) -> Result<(&'a str, &'a str), Problem> {
        let not_a_field = || Problem::NotAField { got: quote(text) };
        let (left, right) = text.split_once('=').ok_or_else(not_a_field)?;
        let (name, value) = (left.trim(), right.trim());
        if name.is_empty() {
            return Err(not_a_field());
        }
        // An empty value has lost the blank after `=` with the other blanks at the end of the line.
        let blank_after = value.is_empty() || right.strip_prefix(' ') == Some(value);
        if left.strip_suffix(' ') != Some(name) || !blank_after {
            self.remarks.insert(Remark::Spacing);
        }
        Ok((name, value))
    }
}

/// The line as text: printable ASCII and tabs.
fn printable(line: &[u8]) -> Result<&str, Problem> {
    let strange = line.iter().position(|&byte| !(byte == b'\t' || byte == b' ' || byte.is_ascii_graphic()));
    match (strange, str::from_utf8(line)) {
        (None, Ok(text)) => Ok(text),
        (strange, _) => {
            let index = strange.unwrap_or_default();
            Err(Problem::NotText { column: index + 1, byte: line[index] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(text: &[u8]) -> Vec<Remark> {
        fields(text).expect("is text").remarks.into_iter().collect()
    }

    fn problem(text: &[u8]) -> (usize, Problem) {
        let error = fields(text).expect_err("is not text");
        (error.line, error.problem)
    }

    #[test]
    fn fields_know_their_lines_and_the_empty_lines_before_them() {
        let file = fields(b"a = 1\n\n\nb = 2\n\n").expect("is text");
        let b = Field { line: 4, empty_before: 2, name: "b", value: "2" };
        assert_eq!((file.fields[1], file.empty_after, file.end), (b, 1, 6));
        assert_eq!(file.remarks, BTreeSet::new());
    }

    #[test]
    fn harmless_differences_are_remarked() {
        assert_eq!(remarks(b"a = 1\nb = 2"), [Remark::NoFinalNewline]);
        assert_eq!(remarks(b"a = 1\r\nb = 2\r\n"), [Remark::CrLf]);
        assert_eq!(remarks(b"a = 1 \t\n"), [Remark::TrailingBlanks]);
        assert_eq!(remarks(b"a = 1\n \n"), [Remark::TrailingBlanks]);
        assert_eq!(remarks(b"\xef\xbb\xbfa = 1\n"), [Remark::ByteOrderMark]);
        assert_eq!(remarks(b"# Kyber512\na = 1\n"), [Remark::Comments]);
        for spacing in ["a= 1\n", "a =1\n", " a = 1\n", "a  = 1\n", "a =  1\n", "a\t=\t1\n"] {
            assert_eq!(remarks(spacing.as_bytes()), [Remark::Spacing], "{spacing:?}");
        }
        assert_eq!(remarks(b"a =\n"), []);
    }

    #[test]
    fn other_bytes_are_named_with_their_place() {
        assert_eq!(problem(b"a = 1\nb = \xff\n"), (2, Problem::NotText { column: 5, byte: 0xff }));
        assert_eq!(problem(b"\x00"), (1, Problem::NotText { column: 1, byte: 0 }));
        assert_eq!(problem("a = é\n".as_bytes()), (1, Problem::NotText { column: 5, byte: 0xc3 }));
        assert_eq!(problem(b"a\rb = 1\n"), (1, Problem::NotText { column: 2, byte: b'\r' }));
        assert_eq!(problem(b"hello\n"), (1, Problem::NotAField { got: "hello".to_owned() }));
        assert_eq!(problem(b"= 1\n"), (1, Problem::NotAField { got: "= 1".to_owned() }));
    }
}
