//! The files that come back over a connection, as one archive.

use super::Files;
use std::io::Read;
use std::path::Component;

/// Bytes of all files together at the most: evidence is some hundred kilobytes, and what another machine sends is not kept in memory
/// without end.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes of a block of an archive.
const BLOCK: usize = 512;

/// The files of an archive, which must all be in one of these folders. Errors say what is wrong with it.
pub(super) fn read(archive: &[u8], folders: &[String]) -> Result<Files, String> {
    let broken = |error: std::io::Error| format!("an archive that cannot be read ({error})");
    let mut files = Files::new();
    let mut room = MOST_BYTES;
    let mut entries = tar::Archive::new(archive);
    for entry in entries.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let path = entry.path().map_err(broken)?.into_owned();
        let strange = || format!("a file that kemprof does not make ({})", path.display());
        if !entry.header().entry_type().is_file() {
            return Err(strange());
        }
        let parts: Option<Vec<&str>> = path
            .components()
            .map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let Some([folder, name]) = parts.as_deref() else { return Err(strange()) };
        if !folders.iter().any(|known| known == folder) {
            return Err(strange());
        }
        room = room.checked_sub(entry.size()).ok_or_else(|| format!("more than {MOST_BYTES} bytes of files"))?;
        let mut text = String::new();
        entry.read_to_string(&mut text).map_err(broken)?;
        files.insert(((*folder).to_owned(), (*name).to_owned()), text);
    }
    // An archive is whole blocks and ends in two of zeros, which texts do not; one that was cut short does not.
    if !archive.len().is_multiple_of(BLOCK) || !archive.ends_with(&[0; 2 * BLOCK]) {
        return Err("an archive that was cut short".to_owned());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tar::{Builder, EntryType, Header};

    fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (path, kind, text) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_size(text.len() as u64);
            // As a hostile program would: `set_path` refuses `..`.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            if *kind == EntryType::Symlink {
                header.set_link_name("/etc/passwd").expect("fits");
            }
            header.set_cksum();
            builder.append(&header, text.as_bytes()).expect("memory does not fail");
        }
        builder.into_inner().expect("memory does not fail")
    }

    fn out() -> Vec<String> {
        vec!["out".to_owned()]
    }

    #[test]
    fn files_in_known_folders_are_read() {
        let bytes = archive(&[
            ("out/", EntryType::Directory, ""),
            ("out/a.json", EntryType::Regular, "{}"),
            ("out/b c.svg", EntryType::Regular, "<svg/>"),
        ]);
        let files = read(&bytes, &out()).expect("is an archive");
        let key = |name: &str| ("out".to_owned(), name.to_owned());
        assert_eq!(files, Files::from([(key("a.json"), "{}".to_owned()), (key("b c.svg"), "<svg/>".to_owned())]));
    }

    #[test]
    fn anything_else_is_refused_whole() {
        for (path, kind) in [
            ("../x", EntryType::Regular),
            ("out/../x", EntryType::Regular),
            ("/out/x", EntryType::Regular),
            ("x", EntryType::Regular),
            ("out/deep/x", EntryType::Regular),
            ("other/x", EntryType::Regular),
            ("out/x", EntryType::Symlink),
            ("out/x", EntryType::Link),
        ] {
            let bytes = archive(&[("out/a.json", EntryType::Regular, "{}"), (path, kind, "")]);
            let error = read(&bytes, &out()).expect_err(path);
            assert!(error.starts_with("a file that kemprof does not make"), "{path}: {error}");
        }
    }

    #[test]
    fn a_cut_or_changed_archive_is_refused() {
        let whole = archive(&[("out/a.json", EntryType::Regular, &"x".repeat(700))]);
        for length in [0, 100, 512, 700, 1024, 1536, whole.len() - 1] {
            assert!(read(&whole[..length], &out()).is_err(), "{length} of {}", whole.len());
        }
        let mut changed = whole;
        changed[0] ^= 1;
        assert!(read(&changed, &out()).is_err());
        assert!(read(b"Welcome to the machine\n", &out()).is_err());
    }
}
