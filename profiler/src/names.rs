//! Names as people write them: in any case, with or without hyphens, underscores and blanks.

use thiserror::Error;

/// Similarity (Jaro) from which a name is taken for a misspelt one, as in clap.
const SIMILAR: f64 = 0.7;

/// No such thing has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown {kind} {name:?}; {}known: {}", meant.as_ref().map(|name| format!("did you mean {name}? ")).unwrap_or_default(), known.join(", "))]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    meant: Option<String>,
    known: Vec<String>,
}

/// The one of `known` that `name` means; `kind` is what they are, for the error.
///
/// # Errors
/// When none is meant; the error names the most similar one, and all.
pub fn find<'a>(kind: &'static str, name: &str, known: &[&'a str]) -> Result<&'a str, UnknownName> {
    let written = plain(name);
    if let Some(found) = known.iter().find(|known| plain(known) == written) {
        return Ok(found);
    }
    let similar = known.iter().map(|known| (strsim::jaro(&plain(known), &written), *known));
    let nearest = similar.filter(|(likeness, _)| *likeness > SIMILAR).max_by(|a, b| a.0.total_cmp(&b.0));
    Err(UnknownName {
        kind,
        name: name.to_owned(),
        meant: nearest.map(|(_, name)| name.to_owned()),
        known: known.iter().map(|&name| name.to_owned()).collect(),
    })
}

/// The one of `all` that `name` means, which `name_of` gives.
///
/// # Errors
/// As [`find`].
pub fn choose<T: Copy>(
    kind: &'static str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let known: Vec<&str> = all.iter().map(|&one| name_of(one)).collect();
    let name = find(kind, name, &known)?;
    Ok(*all.iter().find(|&&one| name_of(one) == name).unwrap_or_else(|| unreachable!("{name} is one of them")))
}

/// What a name is compared by.
fn plain(name: &str) -> String {
    let separates = |c: char| matches!(c, '-' | '_' | ' ');
    name.trim().chars().filter(|&c| !separates(c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kemprof_core::kem::INSTANCES;

    #[test]
    fn names_are_found_however_they_are_written() {
        for (written, name) in [
            ("ML-KEM-768", "ml-kem-768"),
            ("mlkem768", "ml-kem-768"),
            ("ML_KEM_1024", "ml-kem-1024"),
            ("kyber-768", "kyber768"),
            ("Kyber 512", "kyber512"),
            ("LWEKEM256", "lwekem256"),
        ] {
            assert_eq!(find("instance", written, INSTANCES), Ok(name), "{written}");
        }
    }

    #[test]
    fn no_two_instances_are_written_alike() {
        for name in INSTANCES {
            assert_eq!(find("instance", name, INSTANCES), Ok(*name));
        }
    }

    #[test]
    fn a_misspelt_name_gets_the_nearest_one() {
        let message = |name| find("instance", name, &["lwekem128", "ml-kem-768"]).expect_err(name).to_string();
        assert_eq!(message("frodo"), "unknown instance \"frodo\"; known: lwekem128, ml-kem-768");
        assert_eq!(
            message("mlkem-786"),
            "unknown instance \"mlkem-786\"; did you mean ml-kem-768? known: lwekem128, ml-kem-768"
        );
        assert!(message("lwekm128").contains("did you mean lwekem128?"));
        assert!(message("").starts_with("unknown instance \"\"; known"));
    }
}
