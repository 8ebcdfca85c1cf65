use super::CrossError;
use std::env;
use std::path::{Path, PathBuf};

/// The variable of the environment that says where the sources are, if not where `kemprof` was built from them.
pub const SOURCE_VARIABLE: &str = "KEMPROF_SOURCE";

/// The sources of this project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceTree(PathBuf);

impl SourceTree {
    /// The sources that [`SOURCE_VARIABLE`] names, else those that this program was built from.
    ///
    /// # Errors
    /// When they are not there.
    pub fn find() -> Result<Self, CrossError> {
        match env::var_os(SOURCE_VARIABLE).filter(|value| !value.is_empty()) {
            Some(path) => Self::at(PathBuf::from(path), true),
            None => {
                Self::at(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/")).to_owned(), false)
            }
        }
    }

    fn at(path: PathBuf, named: bool) -> Result<Self, CrossError> {
        if path.join("targets/cross-cargo").is_file() {
            // Cargo is started there, so that a relative path would be taken twice.
            let path = path.canonicalize().unwrap_or(path);
            return Ok(Self(path));
        }
        Err(CrossError::NoSources { path, named })
    }

    /// The top folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_are_where_this_was_built() {
        let tree = SourceTree::at(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), false).expect("are there");
        assert!(tree.path().join("core/Cargo.toml").is_file());
    }

    #[test]
    fn sources_that_are_gone_are_named_with_what_to_do() {
        let message = |named| SourceTree::at(PathBuf::from("/nowhere"), named).expect_err("are gone").to_string();
        assert!(
            message(false).contains("/nowhere") && message(false).contains("set KEMPROF_SOURCE"),
            "{}",
            message(false)
        );
        assert!(message(true).starts_with("KEMPROF_SOURCE is /nowhere"), "{}", message(true));
    }
}
