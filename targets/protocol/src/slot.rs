use crate::request::{MAX_REQUEST, Request};
use arrayvec::ArrayString;
use core::fmt::{self, Write};

/// What the bytes of [`REQUEST_SYMBOL`](crate::REQUEST_SYMBOL) are to hold: the request, and zeros behind it.
///
/// # Errors
/// When the request is longer than [`MAX_REQUEST`], which none is that a scheme needs.
pub fn slot(request: &Request) -> Result<[u8; MAX_REQUEST], fmt::Error> {
    let mut text = ArrayString::<MAX_REQUEST>::new();
    write!(text, "{request}")?;
    let mut slot = [0; MAX_REQUEST];
    slot[..text.len()].copy_from_slice(text.as_bytes());
    Ok(slot)
}

/// The text in a slot, or that it is none; `None` when the slot is empty.
#[must_use]
pub fn from_slot(slot: &[u8; MAX_REQUEST]) -> Option<Result<&str, core::str::Utf8Error>> {
    let end = slot.iter().position(|byte| *byte == 0).unwrap_or(slot.len());
    (end > 0).then(|| core::str::from_utf8(&slot[..end]))
}
