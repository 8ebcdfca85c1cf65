use super::{CrossError, Product};
use crate::evidence::Sections;
use object::Endianness;
use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader as _};
use std::fs;
use std::io;

/// A program of one KEM over one choice of symmetric functions, and nothing else. What it occupies is what the algorithm does.
#[derive(Clone, Copy, Debug)]
pub struct Footprint<'a> {
    /// The target triple.
    pub triple: &'a str,
    /// The KEM.
    pub instance: &'a str,
    /// The backend of the matrix.
    pub xof: &'a str,
    /// That of noise.
    pub prf: &'a str,
    /// That of the hashes.
    pub hash: &'a str,
    /// The one whose generator it is.
    pub drng: &'a str,
    /// How the matrix is expanded: `eager` or `lazy`.
    pub sampling: &'a str,
}

const INPUTS: &[&str] = &[
    "Cargo.toml",
    "core/Cargo.toml",
    "core/build.rs",
    "core/src",
    "targets/footprint/Cargo.toml",
    "targets/footprint/Cargo.lock",
    "targets/footprint/build.rs",
    "targets/footprint/src",
    "targets/cross-cargo",
    "targets/cross-env.sh",
];

/// The backend that not every build has.
const OPTIONAL: &str = "blake3";

impl Footprint<'_> {
    /// Builds the program, where it is not there yet, and measures its sections.
    ///
    /// # Errors
    /// When it cannot be built or read.
    pub fn sections(&self) -> Result<Sections, CrossError> {
        let Self { triple, instance, xof, prf, hash, drng, sampling } = *self;
        let optional = [xof, prf, hash, drng].contains(&OPTIONAL);
        let features = if optional { vec!["--features".to_owned(), OPTIONAL.to_owned()] } else { Vec::new() };
        let product = Product {
            triple: triple.to_owned(),
            package: "targets/footprint",
            binary: "kemprof-footprint",
            arguments: features,
            environment: vec![
                ("KEMPROF_INSTANCE", instance.to_owned()),
                ("KEMPROF_XOF", xof.to_owned()),
                ("KEMPROF_PRF", prf.to_owned()),
                ("KEMPROF_HASH", hash.to_owned()),
                ("KEMPROF_DRNG", drng.to_owned()),
                ("KEMPROF_SAMPLING", sampling.to_owned()),
            ],
            inputs: INPUTS,
        };
        let path = product.build()?.path;
        let unreadable = |source| CrossError::Unreadable { path: path.clone(), source };
        let bytes = fs::read(&path).map_err(unreadable)?;
        let wrong = |error: object::Error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error.to_string()));
        of_elf(&bytes).map_err(wrong)
    }
}

/// The sections of an ELF file of 32 or 64 bits.
fn of_elf(bytes: &[u8]) -> object::Result<Sections> {
    match bytes.get(4) {
        Some(1) => of_class::<FileHeader32<Endianness>>(bytes),
        _ => of_class::<FileHeader64<Endianness>>(bytes),
    }
}

fn of_class<Header: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<Sections> {
    let header = Header::parse(bytes)?;
    let endian = header.endian()?;
    let table = header.sections(endian, bytes)?;
    let mut sections = Sections::default();
    for section in table.iter() {
        let name = table.section_name(endian, section)?;
        let size: u64 = section.sh_size(endian).into();
        // Anything else is for loaders and unwinders.
        match name {
            _ if name.starts_with(b".text") => sections.text += size,
            // The second is constant once its addresses are known.
            _ if name.starts_with(b".rodata") || name.starts_with(b".data.rel.ro") => sections.rodata += size,
            _ if name.starts_with(b".data") => sections.data += size,
            _ if name.starts_with(b".bss") => sections.bss += size,
            _ => {}
        }
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_programs_sections_are_found() {
        let program = fs::read(std::env::current_exe().expect("is known")).expect("can be read");
        let sections = of_elf(&program).expect("an ELF file");
        assert!(sections.text > 100_000 && sections.rodata > 10_000 && sections.total() < program.len() as u64 * 2);
        for bad in [&program[..50], b"#!/bin/sh", b""] {
            assert!(of_elf(bad).is_err());
        }
    }
}
