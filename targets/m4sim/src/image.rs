//! Images: ELF files as linked for a board.

use object::elf::{
    EM_ARM, ET_EXEC, FileHeader32, PF_X, PT_LOAD, SHT_ARM_ATTRIBUTES, STT_FUNC, STT_NOTYPE, STT_OBJECT, Tag_File,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, FileKind};

use crate::bus::Map;
use crate::error::ImageError;
use crate::symbols::Symbols;

// Tags of build attributes (Addenda to the ABI for the Arm Architecture, 3.3.5), and values of theirs.
const CPU_ARCH: u64 = 6;
const CPU_ARCH_PROFILE: u64 = 7;
/// Tags of text: names of the processor; and compatibility, a number and a text. Above, odd tags have text.
const CPU_NAMES: [u64; 2] = [4, 5];
const COMPATIBILITY: u64 = 32;

/// A part of the image with its load address.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) address: u32,
    pub(crate) bytes: Vec<u8>,
}

/// A program: bytes with addresses, and the names of its code.
#[derive(Clone, Debug)]
pub struct Image {
    pub(crate) segments: Vec<Segment>,
    pub(crate) symbols: Symbols,
    /// Ends of the segments at their run addresses: data in RAM reaches up to one of them.
    pub(crate) ends: Vec<u32>,
}

fn not_elf(error: impl std::fmt::Display) -> ImageError {
    ImageError::NotElf(error.to_string())
}

impl Image {
    /// Reads a linked ELF image for 32-bit little-endian Arm.
    ///
    /// # Errors
    /// When the bytes are not such a file; the error tells what they are instead.
    pub fn from_elf(bytes: &[u8]) -> Result<Self, ImageError> {
        match FileKind::parse(bytes).map_err(|_| ImageError::NotElf("no ELF header".to_owned()))? {
            FileKind::Elf32 => {}
            FileKind::Elf64 => return Err(ImageError::WrongMachine { found: "a 64-bit machine".to_owned() }),
            _ => return Err(ImageError::NotElf("another kind of object file".to_owned())),
        }
        let header = FileHeader32::<Endianness>::parse(bytes).map_err(not_elf)?;
        let endian = header.endian().map_err(not_elf)?;
        if header.e_machine(endian) != EM_ARM || endian != Endianness::Little {
            let order = if endian == Endianness::Little { "little" } else { "big" };
            let found = format!("ELF machine {}, {order}-endian", header.e_machine(endian));
            return Err(ImageError::WrongMachine { found });
        }
        if header.e_type(endian) != ET_EXEC {
            return Err(ImageError::NotExecutable(header.e_type(endian).to_string()));
        }
        if let Some(found) = other_architecture(header, endian, bytes)? {
            return Err(ImageError::WrongArchitecture { found });
        }
        let (mut segments, mut ends, mut code) = (Vec::new(), Vec::new(), Vec::new());
        for segment in header.program_headers(endian, bytes).map_err(not_elf)? {
            if segment.p_type(endian) != PT_LOAD {
                continue;
            }
            let data = segment.data(endian, bytes).map_err(|()| not_elf("a segment lies outside the file"))?;
            let run = segment.p_vaddr(endian);
            ends.push(run.saturating_add(segment.p_memsz(endian)));
            if segment.p_flags(endian) & PF_X != 0 {
                code.push(run..run.saturating_add(segment.p_memsz(endian)));
            }
            segments.push(Segment { address: segment.p_paddr(endian), bytes: data.to_vec() });
        }
        let symbols = symbols(header, endian, bytes, |address| code.iter().any(|range| range.contains(&address)))?;
        Ok(Image { segments, symbols, ends })
    }

    /// An image of parts given as load address and bytes, without symbols.
    pub fn from_parts(parts: impl IntoIterator<Item = (u32, Vec<u8>)>) -> Self {
        let segments: Vec<Segment> = parts.into_iter().map(|(address, bytes)| Segment { address, bytes }).collect();
        let ends = segments.iter().map(|s| s.address.saturating_add(s.bytes.len() as u32)).collect();
        Image { segments, symbols: Symbols::default(), ends }
    }

    /// The names of its code.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Where free RAM begins: behind the image's own data.
    pub(crate) fn data_end(&self, ram: u32, ram_end: u32) -> u32 {
        let inside = self.ends.iter().copied().filter(|end| (ram..=ram_end).contains(end));
        inside.max().unwrap_or(ram).next_multiple_of(8)
    }

    /// Checks that every segment fits the memory of a map.
    pub(crate) fn outside(segment: &Segment, map: Map) -> ImageError {
        let start = u64::from(segment.address);
        ImageError::OutsideMemory { start, end: start + segment.bytes.len() as u64, map: map.name() }
    }
}

/// The architecture that the build attributes of an image name, where a Cortex-M4 does not run it: Armv7E-M runs Armv6-M,
/// Armv7-M, and Thumb code that says nothing of a profile.
fn other_architecture(
    header: &FileHeader32<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> Result<Option<&'static str>, ImageError> {
    let (mut architecture, mut profile) = (0, 0);
    for section in header.sections(endian, bytes).map_err(not_elf)?.iter() {
        if section.sh_type(endian) != SHT_ARM_ATTRIBUTES {
            continue;
        }
        let mut vendors = section.attributes(endian, bytes).and_then(|found| found.subsections()).map_err(not_elf)?;
        while let Some(vendor) = vendors.next().map_err(not_elf)? {
            let mut scopes = vendor.subsubsections();
            while let Some(scope) = scopes.next().map_err(not_elf)? {
                if vendor.vendor() != b"aeabi" || scope.tag() != Tag_File {
                    continue;
                }
                let mut attributes = scope.attributes();
                while let Some(tag) = attributes.read_tag().map_err(not_elf)? {
                    let has_text = CPU_NAMES.contains(&tag) || tag == COMPATIBILITY || tag > 32 && tag % 2 == 1;
                    if !has_text || tag == COMPATIBILITY {
                        let value = attributes.read_integer().map_err(not_elf)?;
                        match tag {
                            CPU_ARCH => architecture = value,
                            CPU_ARCH_PROFILE => profile = value,
                            _ => {}
                        }
                    }
                    if has_text {
                        attributes.read_string().map_err(not_elf)?;
                    }
                }
            }
        }
    }
    Ok(match (architecture, u8::try_from(profile)) {
        (14 | 22, _) => Some("Armv8-A or later"),
        (15, _) => Some("Armv8-R"),
        (16, _) => Some("Armv8-M Baseline"),
        (17, _) => Some("Armv8-M Mainline"),
        (21, _) => Some("Armv8.1-M Mainline"),
        (18..=20 | 23.., _) => Some("an architecture after Armv7"),
        (_, Ok(b'A')) => Some("Armv7-A"),
        (_, Ok(b'R')) => Some("Armv7-R"),
        (_, Ok(b'S')) => Some("Armv7-A or Armv7-R"),
        _ => None,
    })
}

/// Functions, data objects, and labels of assembly code: symbols without a type in executable segments, unless they are mapping
/// symbols (`$t`, `$d`; ELF for the Arm Architecture, 5.5.5) or local labels.
fn symbols(
    header: &FileHeader32<Endianness>,
    endian: Endianness,
    bytes: &[u8],
    is_code: impl Fn(u32) -> bool,
) -> Result<Symbols, ImageError> {
    let sections = header.sections(endian, bytes).map_err(not_elf)?;
    let table = sections.symbols(endian, bytes, object::elf::SHT_SYMTAB).map_err(not_elf)?;
    let (mut found, mut objects) = (Vec::new(), Vec::new());
    for symbol in table.iter() {
        let name = symbol.name(endian, table.strings()).map_err(not_elf)?;
        let name = String::from_utf8_lossy(name).into_owned();
        if symbol.st_type() == STT_OBJECT && in_section(symbol, endian) {
            objects.push((symbol.st_value(endian), symbol.st_size(endian), name));
            continue;
        }
        let address = symbol.st_value(endian) & !1;
        let wanted = match symbol.st_type() {
            STT_FUNC => true,
            STT_NOTYPE => symbol.st_bind() == object::elf::STB_GLOBAL && is_code(address) && in_section(symbol, endian),
            _ => false,
        };
        if wanted && !name.is_empty() && !name.starts_with('$') && symbol.st_shndx(endian) != object::elf::SHN_UNDEF {
            found.push((address, symbol.st_size(endian), name));
        }
    }
    let executable = |address: u32| {
        sections.iter().any(|s| {
            s.sh_flags(endian) & object::elf::SHF_EXECINSTR != 0
                && address.wrapping_sub(s.sh_addr(endian)) < s.sh_size(endian)
        })
    };
    found.retain(|(address, ..)| executable(*address));
    Ok(Symbols::new(found, objects))
}

/// Whether a symbol belongs to a section rather than being an absolute value.
fn in_section(symbol: &object::elf::Sym32<Endianness>, endian: Endianness) -> bool {
    symbol.st_shndx(endian) < object::elf::SHN_LORESERVE
}
