use super::format::Format;
use super::manifest::Manifest;
use crate::evidence::Backends;

/// What a scheme over some symmetric functions is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The scheme that is published: over its own functions, by whatever code.
    Published,
    /// A standard's scheme over functions that the standard does not have.
    NotStandard,
    /// A submission over functions that it was not submitted with.
    NotAsSubmitted,
}

impl Standing {
    /// What has to stand beside the scheme's name wherever that is printed; nothing for the published scheme.
    #[must_use]
    pub const fn remark(self) -> Option<&'static str> {
        match self {
            Self::Published => None,
            Self::NotStandard => Some("not standard"),
            Self::NotAsSubmitted => Some("not as submitted"),
        }
    }
}

/// What `instance` over these functions is called. The generator does not count: any may serve a scheme. `None` for an instance of
/// which nothing is published here.
#[must_use]
pub fn standing(instance: &str, backends: &Backends) -> Option<Standing> {
    let manifest = Manifest::of(instance).ok()?;
    let own = |name: &String| manifest.backends.contains(name);
    Some(match manifest.format {
        _ if [&backends.xof, &backends.prf, &backends.hash].into_iter().all(own) => Standing::Published,
        Format::Ngcc => Standing::NotAsSubmitted,
        Format::NistKat => Standing::NotStandard,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(instance: &str, xof: &str, rest: &str) -> Option<Standing> {
        let (xof, rest) = (xof.to_owned(), rest.to_owned());
        standing(instance, &Backends { xof, prf: rest.clone(), hash: rest, drng: "any".to_owned(), generator: None })
    }

    #[test]
    fn a_scheme_is_standard_over_its_own_functions_alone() {
        for instance in ["ml-kem-512", "ml-kem-768", "ml-kem-1024", "kyber512", "kyber768", "kyber1024"] {
            assert_eq!(over(instance, "shake", "shake"), Some(Standing::Published));
            for other in ["placeholder", "sm3", "turboshake", "ascon", "blake3", "free", "from elsewhere"] {
                assert_eq!(over(instance, other, other), Some(Standing::NotStandard));
                assert_eq!(over(instance, other, "shake"), Some(Standing::NotStandard));
                assert_eq!(over(instance, "shake", other), Some(Standing::NotStandard));
            }
        }
    }

    #[test]
    fn a_submission_is_itself_whoever_computes_its_functions() {
        for instance in ["lwekem128", "lwekem256", "lwekem512"] {
            assert_eq!(over(instance, "placeholder", "sm3"), Some(Standing::Published));
            assert_eq!(over(instance, "shake", "sm3"), Some(Standing::NotAsSubmitted));
        }
        assert_eq!(over("from elsewhere", "shake", "shake"), None);
        assert_eq!(Standing::Published.remark(), None);
    }
}
