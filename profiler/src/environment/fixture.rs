use super::Tree;
use std::fs;
use tempfile::TempDir;

/// A machine that is only a few files.
pub(crate) struct Fixture(TempDir);

impl Fixture {
    /// A tree with these files: path from the root, and text.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            fixture.put(path, text);
        }
        fixture
    }

    /// Writes one more file.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::at(self.0.path())
    }
}
