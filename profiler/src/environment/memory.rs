use super::Tree;
use std::io;
use thiserror::Error;

/// Memory of this process that is in RAM, in bytes.
///
/// It is read from `/proc/self/status`: `ru_maxrss` of `getrusage` starts at what the parent had when it forked, and so
/// says more of the parent than of a small child (Linux, `fs/exec.c`: `setmax_mm_hiwater_rss`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resident {
    /// Now.
    pub now: u64,
    /// The most at any time since the program began, or since [`forget_peak`].
    pub peak: u64,
}

/// What is in RAM. None where the system does not tell.
#[must_use]
pub fn resident(tree: &Tree) -> Option<Resident> {
    let bytes = |field| kibibytes(&tree.field("proc/self/status", field)?);
    Some(Resident { now: bytes("VmRSS")?, peak: bytes("VmHWM")? })
}

/// The bytes of a value such as `1740 kB`, which the kernel writes for kibibytes.
pub(super) fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Starts the peak of [`resident`] anew from what is in RAM now.
///
/// # Errors
/// Where the system does not let it.
pub fn forget_peak(tree: &Tree) -> io::Result<()> {
    // 5 resets the high-water mark (proc_pid_clear_refs(5)).
    tree.write("proc/self/clear_refs", "5")
}

/// What the program that is running occupies as soon as it is loaded: the sizes in memory of its loadable segments. None where it
/// is not an ELF file, or cannot be read.
#[must_use]
pub fn loaded(tree: &Tree) -> Option<u64> {
    loaded_bytes(&tree.beginning("proc/self/exe", HEADERS)?).ok()
}

/// Bytes of a program's file in which its headers are: linkers put the table of segments right behind the first one.
const HEADERS: u64 = 1 << 16;

/// Why a file's loadable segments are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
enum ElfError {
    /// It is not an ELF file.
    #[error("not an ELF file")]
    NotElf,
    /// It is of a byte order that no target of ours has.
    #[error("an ELF file of a big-endian machine")]
    BigEndian,
    /// It ends before its tables do.
    #[error("the ELF file is cut short")]
    Truncated,
}

/// What a program occupies as soon as it is loaded, code, constants and variables: the sizes in memory of all loadable
/// segments of the ELF file `bytes`, of 32 or 64 bits (System V ABI, chapter 5, program header).
///
/// # Errors
/// [`ElfError`].
fn loaded_bytes(bytes: &[u8]) -> Result<u64, ElfError> {
    const LOAD: u64 = 1;
    let [0x7f, b'E', b'L', b'F', class @ (1 | 2), order, ..] = *bytes else { return Err(ElfError::NotElf) };
    if order != 1 {
        return Err(ElfError::BigEndian);
    }
    // Places of: the table's offset, the size and number of its entries, and an entry's size in memory.
    let (word, table, entry_size, entries, in_memory) =
        if class == 2 { (8, 0x20, 0x36, 0x38, 0x28) } else { (4, 0x1c, 0x2a, 0x2c, 0x14) };
    let (table, entry_size) = (number(bytes, table, word)?, number(bytes, entry_size, 2)?);
    let mut total: u64 = 0;
    for index in 0..number(bytes, entries, 2)? {
        let entry = index.checked_mul(entry_size).and_then(|offset| offset.checked_add(table));
        let entry = entry.and_then(|entry| usize::try_from(entry).ok()).ok_or(ElfError::Truncated)?;
        if number(bytes, entry, 4)? == LOAD {
            let size = number(bytes, entry.checked_add(in_memory).ok_or(ElfError::Truncated)?, word)?;
            total = total.saturating_add(size);
        }
    }
    Ok(total)
}

/// The little-endian number of `length` bytes at `offset`.
fn number(bytes: &[u8], offset: usize, length: usize) -> Result<u64, ElfError> {
    let end = offset.checked_add(length).ok_or(ElfError::Truncated)?;
    let field = bytes.get(offset..end).ok_or(ElfError::Truncated)?;
    Ok(field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;

    #[test]
    fn what_is_resident_is_read() {
        let fixture = Fixture::new(&[("proc/self/status", "Name: x\nVmHWM:\t    1740 kB\nVmRSS:\t    1700 kB\n")]);
        assert_eq!(resident(&fixture.tree()), Some(Resident { now: 1700 * 1024, peak: 1740 * 1024 }));
        assert_eq!(resident(&Fixture::new(&[]).tree()), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_of_this_process_is_seen_and_forgotten() {
        let tree = Tree::host();
        let Some(before) = resident(&tree) else {
            eprintln!("skipped: the system does not tell");
            return;
        };
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let with = resident(&tree).unwrap();
        assert!(with.peak >= before.now + (60 << 20), "{before:?} {with:?}");
        drop(block);
        if let Err(error) = forget_peak(&tree) {
            eprintln!("skipped: the peak cannot be reset: {error}");
            return;
        }
        let after = resident(&tree).unwrap();
        assert!(after.peak + (30 << 20) <= with.peak, "{with:?} {after:?}");
    }

    /// An ELF header of `class` (1 or 2), and a table of segments of type and size in memory behind it.
    fn elf(class: u8, segments: &[(u32, u64)]) -> Vec<u8> {
        let (header, entry): (usize, usize) = if class == 2 { (64, 56) } else { (52, 32) };
        let mut bytes = vec![0; header + entry * segments.len()];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
        let (table, size, count, memory) = if class == 2 { (0x20, 0x36, 0x38, 0x28) } else { (0x1c, 0x2a, 0x2c, 0x14) };
        bytes[table] = header as u8;
        bytes[size] = entry as u8;
        bytes[count] = segments.len() as u8;
        for (index, &(kind, in_memory)) in segments.iter().enumerate() {
            let at = header + index * entry;
            bytes[at..at + 4].copy_from_slice(&kind.to_le_bytes());
            bytes[at + memory..at + memory + 4].copy_from_slice(&(in_memory as u32).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn loadable_segments_add_up() {
        for class in [1, 2] {
            assert_eq!(loaded_bytes(&elf(class, &[(1, 1000), (6, 77), (1, 70_000)])), Ok(71_000));
            assert_eq!(loaded_bytes(&elf(class, &[])), Ok(0));
        }
    }

    #[test]
    fn what_is_no_whole_elf_file_is_refused() {
        let whole = elf(2, &[(1, 1000)]);
        assert_eq!(loaded_bytes(b"#!/bin/sh\n"), Err(ElfError::NotElf));
        assert_eq!(loaded_bytes(&[]), Err(ElfError::NotElf));
        for length in 6..whole.len() - 15 {
            assert_eq!(loaded_bytes(&whole[..length]), Err(ElfError::Truncated), "{length}");
        }
        let mut big = whole.clone();
        big[5] = 2;
        assert_eq!(loaded_bytes(&big), Err(ElfError::BigEndian));
        let mut far = whole;
        far[0x20..0x28].fill(0xff);
        assert_eq!(loaded_bytes(&far), Err(ElfError::Truncated));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_program_is_larger_than_a_page() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let size = loaded(&Tree::host()).unwrap();
        assert_eq!(loaded_bytes(&program), Ok(size));
        assert!(size > 4096 && size < 1 << 30, "{size}");
    }
}
