//! What a program is made of, as one digest.

use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// SHA-256, in hexadecimal, of `words` and of every file that is one of `inputs` or inside one, by name (from `top`) and content.
///
/// # Errors
/// The file or folder that cannot be read.
pub(super) fn digest(top: &Path, inputs: &[&str], words: &[String]) -> Result<String, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    for input in inputs {
        collect(&top.join(input), &mut files)?;
    }
    files.sort();
    let mut hasher = Sha256::new();
    let mut add = |bytes: &[u8]| {
        // With its length, so that no two sequences of parts are alike.
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    words.iter().for_each(|word| add(word.as_bytes()));
    for file in files {
        let content = fs::read(&file).map_err(|error| (file.clone(), error))?;
        let name = file.strip_prefix(top).unwrap_or(&file);
        add(name.as_os_str().as_encoded_bytes());
        add(&content);
    }
    Ok(hex::encode(hasher.finalize()))
}

/// Hidden files of editors are no sources; `.cargo` is one. Build output is in none of the folders that are inputs, so a folder
/// named `target` is a module like others.
fn is_source(name: &str) -> bool {
    !name.starts_with('.') || name == ".cargo"
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error| (path.to_owned(), error);
    if !path.metadata().map_err(failed)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in path.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if is_source(&entry.file_name().to_string_lossy()) {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(top: &Path, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        digest(top, &["lock", "src"], &words).expect("can be read")
    }

    #[test]
    fn every_source_and_word_counts_and_nothing_else() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let top = folder.path();
        let write = |name: &str, text: &str| {
            let path = top.join(name);
            fs::create_dir_all(path.parent().expect("is in a folder")).expect("can be made");
            fs::write(path, text).expect("can be written");
        };
        write("lock", "1");
        write("src/a.rs", "a");
        write("src/.cargo/config.toml", "[build]");
        let first = of(top, &["x"]);
        assert_eq!(first, of(top, &["x"]));
        assert_ne!(first, of(top, &["y"]));
        for ignored in ["other", "src/.a.rs.swp"] {
            write(ignored, "anything");
        }
        assert_eq!(first, of(top, &["x"]));
        for (name, text) in [
            ("lock", "2"),
            ("src/a.rs", "b"),
            ("src/.cargo/config.toml", ""),
            ("src/deep/b.rs", ""),
            ("src/target/mod.rs", ""),
        ] {
            let before = of(top, &["x"]);
            write(name, text);
            assert_ne!(before, of(top, &["x"]), "{name}");
        }
    }

    #[test]
    fn a_missing_input_is_named() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let (path, _) = digest(folder.path(), &["gone"], &[]).expect_err("is not there");
        assert!(path.ends_with("gone"));
    }
}
