use arrayvec::ArrayVec;
use core::fmt;

/// Bytes in lower-case hexadecimal.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// At most `N` bytes from lower-case hexadecimal.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<ArrayVec<u8, N>> {
    let mut bytes = ArrayVec::new();
    let (pairs, rest) = text.as_bytes().as_chunks();
    for &[high, low] in pairs {
        bytes.try_push(digit(high)? << 4 | digit(low)?).ok()?;
    }
    rest.is_empty().then_some(bytes)
}

/// Exactly `N` bytes.
pub(crate) fn array<const N: usize>(text: &str) -> Option<[u8; N]> {
    bytes::<N>(text)?.into_inner().ok()
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}
