//! A first manifest for a folder of C: what its files and the symbols in their objects tell.

use super::{Api, GuestError, failed, read};
use crate::files::Scratch;
use crate::process::{Program, Terms};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What was found in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// The name of the folder, as a KEM's.
    pub name: String,
    /// The interface of its operations.
    pub api: Api,
    /// What its operations and macros begin with.
    pub prefix: String,
    /// The header with the lengths, where the interface has one.
    pub header: Option<String>,
    /// The name of `randombytes` after macros, where it has another.
    pub random: Option<String>,
    /// The sources, relative to the folder.
    pub sources: Vec<String>,
    /// Folders with headers, relative to it.
    pub includes: Vec<String>,
    /// Symmetric functions: each symbol with what is known of functions of its name.
    pub functions: Vec<(String, &'static Known)>,
    /// Sources that were left out, and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// A function that libraries for post-quantum schemes have under this name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The name, perhaps behind a prefix that ends in `_`.
    pub name: &'static str,
    family: &'static str,
    bytes: Option<u32>,
    role: &'static str,
    like: Option<&'static str>,
}

const fn known(
    name: &'static str,
    family: &'static str,
    bytes: Option<u32>,
    role: &'static str,
    like: Option<&'static str>,
) -> Known {
    Known { name, family, bytes, role, like }
}

/// Of PQClean, mupq and pq-crystals (`fips202.h`, `sha2.h`), and of NGCC's support files. The roles are those that they have in most
/// schemes.
const KNOWN: [Known; 14] = [
    known("shake128_absorb", "absorb", None, "matrix", None),
    known("shake128_absorb_once", "absorb", None, "matrix", None),
    known("shake128_squeezeblocks", "squeezeblocks", Some(168), "matrix", None),
    known("shake128", "xof", None, "matrix", Some("shake")),
    known("shake256_absorb", "absorb", None, "noise", None),
    known("shake256_squeezeblocks", "squeezeblocks", Some(136), "noise", None),
    known("shake256", "xof", None, "noise", Some("shake")),
    known("sha3_256", "hash", Some(32), "h", Some("shake")),
    known("sha3_512", "hash", Some(64), "g", Some("shake")),
    known("sha256", "hash", Some(32), "h", None),
    known("sha512", "hash", Some(64), "g", None),
    known("pseudoXOF", "xof-bits", None, "matrix", Some("placeholder")),
    known("pseudohash", "hash-bits", None, "g", Some("placeholder")),
    known("sm3hash", "hash-bits", None, "h", None),
];
/// NGCC's generator.
const GENERATOR: Known = known("get_random_number", "generator-bits", None, "entropy", None);

/// Operations by which an interface is known.
const NIST: &str = "crypto_kem_keypair";
const NGCC: &str = "kem_keygen";
/// The macro with the length of a public key.
const LENGTH: &str = "CRYPTO_PUBLICKEYBYTES";
/// Sources that are another's part: of programs around a KEM, not of it.
const AROUND: [&str; 6] = ["randombytes.c", "rng.c", "nistseedexpander.c", "KAT_KEM.c", "PQCgenKAT_kem.c", "kat.c"];
/// Folders that hold programs around a KEM.
const FOLDERS_AROUND: [&str; 6] = ["test", "tests", "bench", "examples", "nistkat", "doc"];
/// Files that are looked at, at the most.
const MOST_FILES: usize = 2_000;
/// A source may compile for so long.
const LIMIT: Duration = Duration::from_secs(120);

/// Looks at a folder.
///
/// # Errors
/// When it cannot be read, has no KEM of a known interface, or has none that compiles.
pub fn survey(folder: &Path) -> Result<Survey, GuestError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|path| Ok((path.clone(), String::from_utf8_lossy(&read(&path)?).into_owned())))
        .collect::<Result<_, GuestError>>()?;
    let relative = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let headers = || texts.iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "h"));
    let mut includes: Vec<String> =
        headers().filter_map(|(path, _)| path.parent().map(&relative)).filter(|folder| !folder.is_empty()).collect();
    includes.dedup();
    let random = headers().find_map(|(_, text)| {
        let (_, rest) = text.split_once("#define randombytes")?;
        rest.split_whitespace().next().filter(|name| name.ends_with("randombytes")).map(str::to_owned)
    });
    let mut left_out = Vec::new();
    let mut sources = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "c")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match () {
            () if AROUND.iter().any(|around| *around == name) => {
                left_out.push((relative(path), "what it gives, kemprof gives"));
            }
            () if has_main(text) => left_out.push((relative(path), "it has a main function")),
            () => sources.push(path.clone()),
        }
    }
    let Objects { sources, defined, called, broken } = compiled(folder, &includes, &sources)?;
    left_out.extend(broken.iter().map(|path| (relative(path), "it does not compile by itself")));
    let operation = |name: &str| best(defined.iter(), name);
    let (api, prefix) = match (operation(NGCC), operation(NIST)) {
        (Some(_), _) => (Api::Ngcc, String::new()),
        (None, Some(symbol)) => {
            (Api::Nist, symbol.trim_end_matches("keypair").trim_end_matches("crypto_kem_").to_owned())
        }
        (None, None) => {
            let name = folder.display().to_string();
            return Err(GuestError::NoKem { folder: name, operations: format!("{NGCC} nor {NIST}") });
        }
    };
    let header =
        headers().find(|(_, text)| text.contains(&format!("{prefix}{LENGTH}"))).map(|(path, _)| relative(path));
    let mut functions: Vec<(String, &'static Known)> =
        KNOWN.iter().filter_map(|known| Some((best(called.intersection(&defined), known.name)?, known))).collect();
    // The operations' own file may hold it.
    let generator = operation(GENERATOR.name).filter(|_| api == Api::Ngcc);
    functions.extend(generator.map(|symbol| (symbol, &GENERATOR)));
    let absolute = folder.canonicalize().map_err(failed("find", folder))?;
    let name = absolute.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let sources = sources.iter().map(|path| relative(path)).collect();
    Ok(Survey { name, api, prefix, header, random, sources, includes, functions, left_out })
}

/// Whether a symbol is this function, perhaps behind a prefix.
fn is_named(symbol: &str, name: &str) -> bool {
    symbol.strip_suffix(name).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
}

/// Schemes that call a function of their own, with parameters of their own, after one of a library.
const SCHEMES: [&str; 4] = ["kyber_", "mlkem_", "dilithium_", "mldsa_"];

/// The symbol that is most likely this function: the one of exactly this name, else one of a library for it.
fn best<'a>(symbols: impl Iterator<Item = &'a String>, name: &str) -> Option<String> {
    let of_scheme = |symbol: &str| SCHEMES.iter().any(|scheme| symbol.trim_end_matches(name).ends_with(scheme));
    let named = symbols.filter(|symbol| is_named(symbol, name) && !of_scheme(symbol));
    named.min_by_key(|symbol| (symbol.as_str() != name, !symbol.contains("fips202"), symbol.len())).cloned()
}

fn has_main(text: &str) -> bool {
    text.contains("int main(") || text.contains("int main (") || text.contains("\nmain(")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), GuestError> {
    for entry in fs::read_dir(folder).map_err(failed("read", folder))?.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !name.starts_with('.') && !FOLDERS_AROUND.contains(&name.as_str()) => {
                collect(&path, files)?;
            }
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|kind| kind == "c" || kind == "h") => {
                files.push(path);
            }
            _ => {}
        }
        if files.len() > MOST_FILES {
            let message = std::io::Error::other("more than 2000 sources and headers: name the folder of one KEM");
            return Err(failed("look through", folder)(message));
        }
    }
    Ok(())
}

/// What compiling sources tells.
#[derive(Default)]
struct Objects {
    /// Those that compile.
    sources: Vec<PathBuf>,
    /// Functions that they define.
    defined: BTreeSet<String>,
    /// Functions that one of them calls of another.
    called: BTreeSet<String>,
    /// Those that do not.
    broken: Vec<PathBuf>,
}

fn compiled(folder: &Path, includes: &[String], sources: &[PathBuf]) -> Result<Objects, GuestError> {
    const COMPILER: Program<'_> = Program { name: "cc", help: "install a C compiler" };
    let scratch = Scratch::folder().map_err(failed("make a folder for", folder))?;
    let object = scratch.path().join("object.o");
    let mut objects = Objects::default();
    for source in sources {
        let mut command = Command::new(COMPILER.name);
        command.args(["-c", "-w", "-O1", "-I"]).arg(folder);
        for include in includes {
            command.arg("-I").arg(folder.join(include));
        }
        command.arg(source).arg("-o").arg(&object);
        let terms = Terms { limit: Some(LIMIT), ..Terms::default() };
        if COMPILER.run(&mut command, terms, &mut |_| ())?.status != 0 {
            objects.broken.push(source.clone());
            continue;
        }
        objects.sources.push(source.clone());
        let bytes = read(&object)?;
        let Ok(file) = object::File::parse(&*bytes) else { continue };
        for symbol in file.symbols().filter(ObjectSymbol::is_global) {
            let Ok(name) = symbol.name().map(str::to_owned) else { continue };
            if symbol.is_undefined() {
                objects.called.insert(name);
            } else if symbol.is_definition() {
                objects.defined.insert(name);
            }
        }
    }
    Ok(objects)
}

impl Survey {
    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> String {
        let list = |items: &[String]| items.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(", ");
        let api = if self.api == Api::Ngcc { "ngcc" } else { "nist" };
        let mut text =
            format!("# Written by `kemprof init`. See docs/own-kem.md.\nname = {:?}\napi = {api:?}\n", self.name);
        let lines = [("prefix", Some(&self.prefix).filter(|prefix| !prefix.is_empty()))];
        let of_nist = [("header", self.header.as_ref()), ("random", self.random.as_ref())];
        let of_nist = of_nist.into_iter().filter(|_| self.api == Api::Nist);
        for (key, value) in lines.into_iter().chain(of_nist).filter_map(|(key, value)| Some((key, value?))) {
            let _ = writeln!(text, "{key} = {value:?}");
        }
        let _ = writeln!(text, "sources = [{}]", list(&self.sources));
        let _ = writeln!(text, "includes = [{}]\nflags = [\"-O3\"]", list(&self.includes));
        if !self.functions.is_empty() {
            text += "\n# Roles are guessed: matrix, noise, g, h, j, kdf, entropy or other.\n";
        }
        for (symbol, Known { family, bytes, role, like, .. }) in &self.functions {
            let _ = write!(text, "[[functions]]\nsymbol = {symbol:?}\nfamily = {family:?}\n");
            let _ = bytes.map(|bytes| writeln!(text, "bytes = {bytes}"));
            let _ = writeln!(text, "role = {role:?}");
            let _ = like.map(|like| writeln!(text, "like = {like:?}"));
            text.push('\n');
        }
        text.trim_end().to_owned() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_in_an_underscore() {
        assert!(is_named("shake128", "shake128") && is_named("pqcrystals_fips202_ref_shake128", "shake128"));
        assert!(!is_named("myshake128", "shake128") && !is_named("shake128_absorb", "shake128"));
    }

    #[test]
    fn a_librarys_function_is_not_taken_for_a_schemes_of_a_longer_name() {
        let of = |symbols: &[&str]| {
            let symbols: Vec<String> = symbols.iter().map(|&symbol| symbol.to_owned()).collect();
            best(symbols.iter(), "shake128_absorb")
        };
        assert_eq!(of(&["X_kyber_shake128_absorb", "shake128_absorb"]).as_deref(), Some("shake128_absorb"));
        let namespaced = "pqcrystals_kyber_fips202_ref_shake128_absorb";
        assert_eq!(of(&["pqcrystals_kyber768_ref_kyber_shake128_absorb", namespaced]).as_deref(), Some(namespaced));
        assert_eq!(of(&["X_kyber_shake128_absorb"]), None);
    }
}
