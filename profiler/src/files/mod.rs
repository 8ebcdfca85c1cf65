//! Files: read from where the user says, and written whole or not at all. Every command writes with [`write()`].

mod scratch;

pub use scratch::{Scratch, ScratchFile};

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file was not written. Nothing is left of it.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Whether something was there before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrote {
    /// A file that was not there.
    New,
    /// A file in place of another.
    Replaced,
    /// To a device, a pipe or an open file.
    Stream,
}

/// Where a path leads, links followed.
enum Destination {
    /// A name of a regular file, or a free one.
    File(PathBuf),
    /// What is written to as it is.
    Stream(PathBuf),
}

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Links that one name may lead over, as many as the kernel follows (path_resolution(7)).
const LINKS: usize = 40;

/// Whether a path stands for standard input.
#[must_use]
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Opens a file to read; `-` is standard input.
///
/// # Errors
/// What the system says.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard_input(path) {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path)?))
}

/// A file to read, as messages name it.
#[must_use]
pub fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Writes a file, whole or not at all: to a temporary file beside it, which then takes its name. A link stays one, also one to a name
/// that is free, and what it leads to is written. A device, a pipe or an open file (`/dev/fd/3`) is written to as it is; a reader of
/// it that has gone away is no failure, because it has what it wanted.
///
/// # Errors
/// When the folder cannot be made or the file not written.
pub fn write(path: &Path, text: &[u8]) -> Result<Wrote, WriteError> {
    let write = || match destination(path)? {
        Destination::File(path) => {
            let before = path.exists();
            let mut file = ScratchFile::beside(&path)?;
            file.write_all(text)?;
            file.persist(&path)?;
            Ok(if before { Wrote::Replaced } else { Wrote::New })
        }
        Destination::Stream(path) => match to_stream(&path, text) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(Wrote::Stream),
        },
    };
    write().map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Sees that a file can be written later, and makes nothing.
///
/// # Errors
/// When it cannot.
pub fn check(path: &Path) -> Result<(), WriteError> {
    match destination(path) {
        Ok(Destination::Stream(_)) => Ok(()),
        Ok(Destination::File(file)) => check_folder(&folder_of(&file)),
        Err(source) => Err(WriteError { path: path.to_owned(), source }),
    }
}

/// Sees that files can be written to `folder`, and makes nothing: where it is not there, that it can be made.
///
/// # Errors
/// When they cannot.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    let there = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new(""));
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    // It has no name, so that nothing is left of it.
    tempfile::tempfile_in(there).map(drop).map_err(|source| WriteError { path: folder.to_owned(), source })
}

/// The folder that a file is in, by a name that can be opened.
fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Follows links once, so that what is looked at is what is written.
fn destination(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = folder_of(&path);
        let Ok(folder) = folder.canonicalize() else { return Ok(Destination::File(path)) };
        if is_of_open_files(&folder) {
            return Ok(Destination::Stream(path));
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => {
                return match fs::metadata(&path) {
                    Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
                    Ok(found) if !found.is_file() => Ok(Destination::Stream(path)),
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                    _ => Ok(Destination::File(path)),
                };
            }
        }
    }
    Err(io::Error::other("too many links, one to the next"))
}

/// Whether the names in a folder are those of open files: links by name only, which lead to pipes and to files without a name.
fn is_of_open_files(folder: &Path) -> bool {
    folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd")
}

fn to_stream(path: &Path, text: &[u8]) -> io::Result<()> {
    let of_this_program = fs::canonicalize(folder_of(path)).is_ok_and(|folder| {
        folder == Path::new("/dev/fd") || folder == Path::new(&format!("/proc/{}/fd", std::process::id()))
    });
    // These two have a place to go on from, which a file that is opened again would not have.
    match path.file_name().and_then(|name| name.to_str()) {
        Some("1") if of_this_program => {
            let mut out = io::stdout().lock();
            out.write_all(text).and_then(|()| out.flush())
        }
        Some("2") if of_this_program => io::stderr().lock().write_all(text),
        _ => File::options().append(true).open(path)?.write_all(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    use std::process::Command;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("temporary folders can be made")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().expect("is there").map(|entry| entry.expect("readable").file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_new_or_replaced_and_nothing_is_beside_it() {
        let folder = folder();
        let path = folder.path().join("deep/er/file");
        assert_eq!(write(&path, b"one").expect("writable"), Wrote::New);
        assert_eq!(write(&path, b"two").expect("writable"), Wrote::Replaced);
        assert_eq!(fs::read(&path).expect("is there"), b"two");
        assert_eq!(names(&folder.path().join("deep/er")), ["file"]);
    }

    #[test]
    fn links_stay_links_and_what_they_lead_to_is_written() {
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("there")).expect("can be made");
        fs::write(path("there/file"), "old").expect("writable");
        // To a file, to a link to it, to a name that is free, and by a path from the link's own folder.
        for (link, target) in [("a", "there/file"), ("b", "a"), ("c", "there/free"), ("there/d", "../up")] {
            symlink(target, path(link)).expect("links can be made");
        }
        for (link, target) in [("a", "there/file"), ("b", "there/file"), ("c", "there/free"), ("there/d", "up")] {
            write(&path(link), link.as_bytes()).expect("writable");
            assert!(path(link).is_symlink(), "{link}");
            assert!(
                !path(target).is_symlink() && fs::read(path(target)).expect("is there") == link.as_bytes(),
                "{link}"
            );
        }
        symlink("loop", path("loop")).expect("links can be made");
        assert!(write(&path("loop"), b"").expect_err("leads nowhere").to_string().contains("too many links"));
    }

    #[test]
    fn a_pipe_is_written_to_and_stays() {
        let folder = folder();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
        symlink("pipe", &link).expect("links can be made");
        for path in [&pipe, &link] {
            let reader = Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().expect("starts");
            assert_eq!(write(path, b"through").expect("is read"), Wrote::Stream);
            assert_eq!(reader.wait_with_output().expect("ends").stdout, b"through");
        }
        assert!(fs::symlink_metadata(&pipe).expect("is there").file_type().is_fifo() && link.is_symlink());
        assert_eq!(names(folder.path()), ["link", "pipe"]);
    }

    #[test]
    fn an_open_file_is_written_to_as_it_is() {
        use std::os::fd::AsRawFd as _;
        let folder = folder();
        let path = folder.path().join("file");
        let mut open = File::options().create(true).append(true).open(&path).expect("can be made");
        open.write_all(b"first ").expect("writable");
        let name = format!("/dev/fd/{}", open.as_raw_fd());
        assert_eq!(write(Path::new(&name), b"second").expect("writable"), Wrote::Stream);
        assert_eq!(fs::read(&path).expect("is there"), b"first second");
        // Without a name it is still written to.
        fs::remove_file(&path).expect("is there");
        write(Path::new(&name), b"third").expect("writable");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_folder_or_a_file_in_the_way_is_an_error_and_stays() {
        let folder = folder();
        let file = folder.path().join("file");
        fs::write(&file, "mine").expect("writable");
        assert!(write(folder.path(), b"").expect_err("is a folder").to_string().contains("directory"));
        for path in [file.join("below"), file.join("deep/below")] {
            write(&path, b"").expect_err("is below a file");
            check(&path).expect_err("is below a file");
        }
        assert_eq!(fs::read(&file).expect("is there"), b"mine");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_check_makes_nothing() {
        let folder = folder();
        check_folder(&folder.path().join("new/deep")).expect("can be made");
        check(&folder.path().join("new/file")).expect("can be made");
        check(Path::new("/dev/null")).expect("is a device");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}
