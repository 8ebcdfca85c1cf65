use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The files in which Linux tells of itself, under a root: `/`, or a copy of another machine's for tests.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// This machine's.
    #[must_use]
    pub fn host() -> Self {
        Self::at(Path::new("/"))
    }

    /// That under `root`.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The text of the file at `path` (from the root, without its slash), without blanks and NULs around it. None where
    /// it cannot be read or is empty.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The number that is all of the file's text.
    #[must_use]
    pub fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// The numbers of a list such as `0-3,6`.
    #[must_use]
    pub fn list(&self, path: &str) -> Option<Vec<usize>> {
        parse_list(&self.text(path)?)
    }

    /// At most the first `length` bytes of the file at `path`. None where it cannot be read.
    #[must_use]
    pub fn beginning(&self, path: &str, length: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(self.root.join(path)).ok()?.take(length).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Writes `text` to a file that is there, as to a switch of the kernel.
    ///
    /// # Errors
    /// Where it is not there or cannot be written.
    pub fn write(&self, path: &str, text: &str) -> io::Result<()> {
        fs::OpenOptions::new().write(true).open(self.root.join(path))?.write_all(text.as_bytes())
    }

    /// Whether something is there.
    #[must_use]
    pub fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Names in a directory, sorted; none where it cannot be read.
    #[must_use]
    pub fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(path)) else { return Vec::new() };
        let mut names: Vec<_> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The first value of `name` in a file of `name : value` lines.
    #[must_use]
    pub fn field(&self, path: &str, name: &str) -> Option<String> {
        let text = self.text(path)?;
        let value = text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim())
        })?;
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// Whether the processor has this flag in `/proc/cpuinfo` (x86).
    #[must_use]
    pub fn has_cpu_flag(&self, flag: &str) -> bool {
        self.field("proc/cpuinfo", "flags").is_some_and(|flags| flags.split_whitespace().any(|one| one == flag))
    }
}

fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_ranges_and_single_numbers() {
        assert_eq!(parse_list("0-3,6"), Some(vec![0, 1, 2, 3, 6]));
        assert_eq!(parse_list("5"), Some(vec![5]));
        assert_eq!(parse_list("a-b"), None);
    }

    #[test]
    fn switches_are_written_and_never_made() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::at(dir.path());
        fs::write(dir.path().join("switch"), "").unwrap();
        tree.write("switch", "567").unwrap();
        assert_eq!((tree.number("switch"), tree.beginning("switch", 2)), (Some(567), Some(b"56".to_vec())));
        assert!(tree.write("absent", "5").is_err() && !tree.exists("absent"));
    }

    #[test]
    fn what_is_not_there_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::at(dir.path());
        fs::write(dir.path().join("empty"), "\n").unwrap();
        fs::write(dir.path().join("fields"), "flags\t\t: fpu vme\nflags : other\nnone:\n").unwrap();
        assert_eq!((tree.text("absent"), tree.text("empty"), tree.number::<i32>("fields")), (None, None, None));
        assert_eq!(tree.field("fields", "flags").as_deref(), Some("fpu vme"));
        assert_eq!(tree.field("fields", "none"), None);
        assert_eq!(tree.names("absent"), Vec::<String>::new());
    }
}
