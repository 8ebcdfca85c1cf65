//! Which line of the sources an instruction comes from, by the debug information of the image.

use crate::analysis::instructions::in_sources;
use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use object::Endianness;
use object::elf::FileHeader32;
use object::read::elf::{FileHeader as _, SectionHeader as _};

/// The lines of an image.
pub(super) struct Lines<'a>(Context<EndianSlice<'a, LittleEndian>>);

impl<'a> Lines<'a> {
    /// Reads an image; `None` where it has no debug information that can be read.
    pub(super) fn of(elf: &'a [u8]) -> Option<Self> {
        let dwarf = Dwarf::load(|section| Ok::<_, ()>(EndianSlice::new(data(elf, section), LittleEndian))).ok()?;
        Context::from_dwarf(dwarf).ok().map(Self)
    }

    /// The line of an address: `kem/mlkem/ntt.rs:87`.
    pub(super) fn line(&self, address: u32) -> Option<String> {
        let location = self.0.find_location(address.into()).ok()??;
        Some(format!("{}:{}", in_sources(location.file?), location.line?))
    }
}

/// A section's bytes; none where it is not there.
fn data(elf: &[u8], section: SectionId) -> &[u8] {
    let find = || {
        let header = FileHeader32::<Endianness>::parse(elf).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, elf).ok()?;
        let (_, found) = sections.section_by_name(endian, section.name().as_bytes())?;
        found.data(endian, elf).ok()
    };
    find().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_without_debug_information_has_no_lines() {
        assert!(Lines::of(b"no image").is_none_or(|lines| lines.line(0x100).is_none()));
    }
}
