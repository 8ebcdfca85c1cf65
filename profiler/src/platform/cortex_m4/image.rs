use super::M4Error;
use crate::cross::{Built, Product};
use kemprof_protocol::{ANSWER_MAGIC, MAX_REQUEST, REQUEST_SYMBOL, Request};
use object::Endianness;
use object::elf::{FileHeader32, PT_LOAD, SHT_SYMTAB};
use object::read::elf::{FileHeader as _, ProgramHeader as _, Sym as _};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The target triple of the firmware.
pub(super) const TRIPLE: &str = "thumbv7em-none-eabihf";

/// A firmware image, and what evidence says of it.
#[derive(Clone, Debug)]
pub(super) struct Firmware {
    pub(super) path: PathBuf,
    pub(super) image: m4sim::Image,
    /// SHA-256 of the file.
    pub(super) sha256: String,
    /// SHA-256 of what it was built from; none where it was built elsewhere.
    pub(super) inputs: Option<String>,
    bytes: Vec<u8>,
}

impl Firmware {
    /// The firmware for a board, built where it is not there yet.
    pub(super) fn build(product: &Product) -> Result<Self, M4Error> {
        let Built { path, inputs } = product.build()?;
        Ok(Self { inputs: Some(inputs), ..Self::read(&path)? })
    }

    /// An image built elsewhere.
    pub(super) fn read(path: &Path) -> Result<Self, M4Error> {
        let bytes = fs::read(path).map_err(|source| M4Error::Unreadable { path: path.to_owned(), source })?;
        let wrong = |source| M4Error::WrongImage { path: path.to_owned(), source };
        let image = m4sim::Image::from_elf(&bytes).map_err(wrong)?;
        if !is_ours(&bytes) {
            return Err(M4Error::NotOurs { path: path.to_owned() });
        }
        let sha256 = hex::encode(Sha256::digest(&bytes));
        Ok(Self { path: path.to_owned(), image, sha256, inputs: None, bytes })
    }

    /// The bytes of the image.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the image with a request in them, for a debugger that has no command line to give.
    pub(super) fn with_request(&self, request: &Request) -> Result<Vec<u8>, M4Error> {
        let slot = kemprof_protocol::slot(request).map_err(|_| M4Error::RequestTooLong)?;
        let place = slot_place(&self.bytes).ok_or_else(|| M4Error::NotOurs { path: self.path.clone() })?;
        let mut bytes = self.bytes.clone();
        let room = bytes.get_mut(place..place + MAX_REQUEST);
        room.ok_or_else(|| M4Error::NotOurs { path: self.path.clone() })?.copy_from_slice(&slot);
        Ok(bytes)
    }
}

/// Where in the file the room for a request is.
fn slot_place(elf: &[u8]) -> Option<usize> {
    let header = FileHeader32::<Endianness>::parse(elf).ok()?;
    let endian = header.endian().ok()?;
    let symbols = header.sections(endian, elf).ok()?.symbols(endian, elf, SHT_SYMTAB).ok()?;
    let named = |name: &[u8]| name == REQUEST_SYMBOL.as_bytes();
    let symbol = symbols.iter().find(|symbol| symbol.name(endian, symbols.strings()).is_ok_and(named))?;
    if symbol.st_size(endian) as usize != MAX_REQUEST {
        return None;
    }
    let address = symbol.st_value(endian);
    let mut segments = header.program_headers(endian, elf).ok()?.iter();
    segments.find_map(|segment| {
        let inside = address.checked_sub(segment.p_vaddr(endian))?;
        let fits = segment.p_type(endian) == PT_LOAD && inside < segment.p_filesz(endian);
        fits.then(|| (segment.p_offset(endian) + inside) as usize)
    })
}

/// Whether its loadable segments hold the words that the firmware's answers begin with.
fn is_ours(elf: &[u8]) -> bool {
    let magic = |data: &[u8]| data.windows(ANSWER_MAGIC.len()).any(|window| window == ANSWER_MAGIC.as_bytes());
    let holds = || {
        let header = FileHeader32::<Endianness>::parse(elf).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, elf).ok()?.iter();
        let mut loadable = segments.filter(|segment| segment.p_type(endian) == PT_LOAD);
        Some(loadable.any(|segment| segment.data(endian, elf).is_ok_and(magic)))
    };
    holds().unwrap_or(false)
}
