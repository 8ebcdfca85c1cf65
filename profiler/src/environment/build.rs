use serde::{Deserialize, Serialize};

/// How this program was built.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Build {
    /// The target triple.
    pub target: String,
    /// `debug` or `release`: what the profile inherits from.
    pub profile: String,
    /// Of the KEMs and their functions: `0` to `3`, `s` or `z`.
    pub opt_level: String,
    /// Whether overflow checks and assertions of debugging are compiled in.
    pub debug_assertions: bool,
    /// Features of the processor that all code may use without asking.
    pub target_features: Vec<String>,
    /// Flags that were given to the compiler beyond the profile's.
    pub flags: Vec<String>,
    /// The commit, with `-dirty` where sources differed from it; none when built outside of a checkout.
    pub revision: Option<String>,
}

impl Build {
    /// The build that is running.
    #[must_use]
    pub fn this() -> Self {
        let list = |text: &str, separator| {
            text.split(separator).filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let revision = env!("KEMPROF_REVISION");
        Self {
            target: env!("KEMPROF_TARGET").to_owned(),
            profile: env!("KEMPROF_PROFILE").to_owned(),
            opt_level: kemprof_core::OPT_LEVEL.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            target_features: list(env!("KEMPROF_TARGET_FEATURES"), ','),
            flags: list(kemprof_core::FLAGS, ' '),
            revision: (!revision.is_empty()).then(|| revision.to_owned()),
        }
    }

    /// The compiler and its version.
    #[must_use]
    pub const fn compiler() -> &'static str {
        env!("KEMPROF_COMPILER")
    }

    /// The version of `kemprof`, with the commit where it is known: `0.1.0 (9713a0b85f10)`.
    #[must_use]
    pub fn version(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        self.revision.as_ref().map_or_else(|| version.to_owned(), |revision| format!("{version} ({revision})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_knows_itself() {
        let build = Build::this();
        assert!(Build::compiler().starts_with("rustc "), "{}", Build::compiler());
        assert!(build.target.starts_with(std::env::consts::ARCH), "{}", build.target);
        assert!(["0", "1", "2", "3", "s", "z"].contains(&build.opt_level.as_str()), "{}", build.opt_level);
        assert!(build.version().starts_with(env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn a_build_outside_of_a_checkout_has_its_version_alone() {
        let build = Build { revision: None, ..Build::this() };
        assert_eq!(build.version(), env!("CARGO_PKG_VERSION"));
    }
}
