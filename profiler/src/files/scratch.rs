//! Temporary files and folders. They go when they are dropped, and when a signal ends the program; those of a program that was killed
//! go when the next one makes some in the same place.

use crate::process::{AtEnd, Undo};
use rustix::process::{Pid, test_kill_process};
use std::env;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// A temporary folder of this program's own.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _owner: Option<File>,
    _at_end: AtEnd,
}

/// A temporary file that is to take a name.
#[derive(Debug)]
pub struct ScratchFile {
    file: NamedTempFile,
    /// Folders that were made for it, the deepest first: they go again if it cannot take its name.
    made: Vec<PathBuf>,
    _at_end: AtEnd,
}

/// What names of folders begin with, and those of files, which are hidden: they are among the user's. The number of the process and a
/// hyphen follow.
const PREFIXES: [&str; 2] = ["kemprof-", ".kemprof-"];

impl Scratch {
    /// A folder where the system has such folders.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder() -> io::Result<Self> {
        let parent = env::temp_dir();
        sweep(&parent);
        let (folder, at_end) = AtEnd::begin(|| {
            let folder = tempfile::Builder::new().prefix(&prefix(PREFIXES[0])).tempdir_in(&parent)?;
            let path = folder.path().to_owned();
            Ok((folder, Undo::Run(Box::new(move || drop(fs::remove_dir_all(path))))))
        })?;
        Ok(Self { _owner: File::open(folder.path()).ok().filter(own), folder, _at_end: at_end })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl ScratchFile {
    /// A file in the folder of `path`, which is made where it is not there. It has what permissions the user's other files have.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let folder = super::folder_of(path);
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made: Vec<PathBuf> = folder.ancestors().take_while(missing).map(Path::to_owned).collect();
        if made.is_empty() {
            sweep(&folder);
        }
        let (file, at_end) = AtEnd::begin(|| {
            let create = || {
                fs::create_dir_all(&folder)?;
                let mut builder = tempfile::Builder::new();
                // Evidence is made to be shared: what the process's umask allows, not the private mode of temporary files.
                builder.permissions(Permissions::from_mode(0o666));
                builder.prefix(&prefix(PREFIXES[1])).tempfile_in(&folder)
            };
            let file = create().inspect_err(|_| remove(&made))?;
            let (path, made) = (file.path().to_owned(), made.clone());
            let undo = move || {
                drop(fs::remove_file(path));
                remove(&made);
            };
            Ok((file, Undo::Run(Box::new(undo))))
        })?;
        own(file.as_file());
        Ok(Self { file, made, _at_end: at_end })
    }

    /// Writes to its end.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Makes it a program.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.as_file().set_permissions(permissions)
    }

    /// Gives it its name, in place of what has it.
    ///
    /// # Errors
    /// What the system says. Nothing is left of it then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        let Self { file, made, _at_end } = self;
        file.persist(path).map(drop).map_err(|error| {
            drop(error.file);
            remove(&made);
            error.error
        })
    }
}

fn prefix(prefix: &str) -> String {
    format!("{prefix}{}-", std::process::id())
}

/// Removes folders, of which the deepest comes first, unless something is in them.
fn remove(folders: &[PathBuf]) {
    folders.iter().for_each(|folder| drop(fs::remove_dir(folder)));
}

/// Says that this program uses a temporary file: a number of a process means nothing in another container.
fn own(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// Removes what programs left in a folder that were killed.
fn sweep(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let left =
            is_of_the_dead(&entry.file_name().to_string_lossy()) && File::open(&path).is_ok_and(|file| own(&file));
        if left && fs::remove_file(&path).is_err() {
            drop(fs::remove_dir_all(&path));
        }
    }
}

/// Whether a name is one of a temporary file of a process that is not there any more.
fn is_of_the_dead(name: &str) -> bool {
    let number = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)?.split_once('-')?.0.parse().ok());
    let process = number.filter(|number| *number > 0).and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) == Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a process that has ended.
    fn dead() -> u32 {
        let mut child = std::process::Command::new("true").spawn().expect("starts");
        child.wait().expect("ends");
        child.id()
    }

    #[test]
    fn a_temporary_file_goes_unless_it_takes_a_name() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let path = folder.path().join("new/file");
        drop(ScratchFile::beside(&path).expect("can be made"));
        assert!(fs::read_dir(folder.path().join("new")).expect("was made").next().is_none());
        let mut file = ScratchFile::beside(&path).expect("can be made");
        file.write_all(b"text").expect("writable");
        file.persist(&path).expect("can be named");
        assert_eq!(fs::read_dir(folder.path().join("new")).expect("was made").count(), 1);
    }

    #[test]
    fn what_a_killed_program_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let path = |name: &str| folder.path().join(name);
        let (dead, living) = (dead(), std::process::id());
        fs::create_dir(path(&format!("kemprof-{dead}-folder"))).expect("can be made");
        let (left, used) = (format!(".kemprof-{dead}-left"), format!(".kemprof-{dead}-used"));
        let kept = [used.clone(), format!(".kemprof-{living}-x"), ".kemprof-x".to_owned(), format!("{dead}-x")];
        kept.iter().chain([&left]).for_each(|name| fs::write(path(name), "").expect("writable"));
        // Of a process that has this number somewhere else.
        let user = File::open(path(&used)).expect("is there");
        user.lock().expect("can be locked");
        sweep(folder.path());
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .expect("is there")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let mut kept = kept.to_vec();
        kept.sort();
        assert_eq!(names, kept);
    }
}
