use arrayvec::ArrayString;
use core::fmt;
use core::str::FromStr;
use thiserror::Error;

/// Bytes of an [`Excerpt`] at the most.
const EXCERPT: usize = 40;

/// The beginning of a text, for messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt(ArrayString<EXCERPT>);

impl Excerpt {
    /// As much of `text` as fits.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut excerpt = ArrayString::new();
        text.chars().take_while(|character| excerpt.try_push(*character).is_ok()).for_each(drop);
        Self(excerpt)
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_str(), f)
    }
}

/// A word that is not what belongs in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum WordError {
    /// The text ends too early.
    #[error("expected {expected}, found nothing more")]
    Missing {
        /// What belongs there.
        expected: &'static str,
    },
    /// Another word is there.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: Excerpt,
    },
    /// The text goes on after its end.
    #[error("expected nothing more, found {found:?}")]
    Surplus {
        /// What is there.
        found: Excerpt,
    },
}

impl WordError {
    pub(crate) fn unexpected(expected: &'static str, found: &str) -> Self {
        Self::Unexpected { expected, found: Excerpt::of(found) }
    }
}

/// The words of a line, with one space between two.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: Option<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { rest: Some(text) }
    }

    /// The next word, which is `expected`.
    pub(crate) fn word(&mut self, expected: &'static str) -> Result<&'a str, WordError> {
        let rest = self.rest.filter(|rest| !rest.is_empty()).ok_or(WordError::Missing { expected })?;
        let (word, rest) = match rest.split_once(' ') {
            Some((word, rest)) => (word, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        Ok(word)
    }

    /// The next word as what `find` makes of it.
    pub(crate) fn named<T>(
        &mut self,
        expected: &'static str,
        find: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, WordError> {
        let word = self.word(expected)?;
        find(word).ok_or_else(|| WordError::unexpected(expected, word))
    }

    /// The value of the next word, `KEY=VALUE`, as what `find` makes of it. `key` ends with `=`.
    pub(crate) fn field<T>(
        &mut self,
        key: &'static str,
        find: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, WordError> {
        self.named(key, |word| word.strip_prefix(key).and_then(find))
    }

    /// The number that is the value of the next word.
    pub(crate) fn number<T: FromStr>(&mut self, key: &'static str) -> Result<T, WordError> {
        self.field(key, number)
    }

    /// Everything that is left, which may be nothing.
    pub(crate) fn text(&mut self) -> &'a str {
        self.rest.take().unwrap_or_default()
    }

    /// Fails unless nothing is left.
    pub(crate) fn end(self) -> Result<(), WordError> {
        match self.rest {
            None => Ok(()),
            Some(rest) => Err(WordError::Surplus { found: Excerpt::of(rest) }),
        }
    }
}

/// A decimal number as this protocol writes it.
pub(crate) fn number<T: FromStr>(text: &str) -> Option<T> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = text == "0" || !text.starts_with('0');
    if digits && canonical { text.parse().ok() } else { None }
}
