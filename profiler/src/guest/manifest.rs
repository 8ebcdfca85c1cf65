use kemprof_core::{Any, Role};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// What a manifest says. Paths are relative to its folder, and stay in it.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The KEM's name in tables and records.
    pub name: String,
    /// The interface of its operations.
    pub api: Api,
    /// What its functions and macros begin with.
    pub prefix: String,
    /// The header with the lengths (`nist`).
    pub header: String,
    /// The name under which it calls `randombytes` (`nist`).
    pub random: String,
    /// The sources.
    pub sources: Vec<PathBuf>,
    /// Folders with headers.
    pub includes: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Options of the compiler.
    pub flags: Vec<String>,
    /// The compiler.
    pub compiler: String,
    /// The symmetric functions.
    pub functions: Vec<FunctionEntry>,
    /// The folder that all of it is in.
    pub folder: PathBuf,
    /// The text itself.
    pub text: String,
}

/// The interface of a guest's operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// `crypto_kem_keypair`, `crypto_kem_enc`, `crypto_kem_dec`, macros for the lengths, and `randombytes`: NIST, SUPERCOP, PQClean, mupq.
    #[serde(alias = "supercop", alias = "pqclean", alias = "mupq")]
    Nist,
    /// `kem_keygen`, `kem_enc`, `kem_dec` with lengths through pointers, and a generator of the submission's own: NGCC.
    Ngcc,
}

/// A symmetric function of a guest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionEntry {
    /// Its name in C.
    pub symbol: String,
    /// What its parameters are.
    pub family: Family,
    /// What the KEM uses it for: matrix, noise, h, g, j, kdf, entropy or other.
    #[serde(default = "other")]
    pub role: String,
    /// Bytes of output (`hash`), or of a block (`squeezeblocks`).
    pub bytes: Option<u64>,
    /// The backend that has the same function: its permutations are known then.
    pub like: Option<String>,
    /// Whether it is a static function of a source.
    #[serde(default, rename = "static")]
    pub is_static: bool,
    /// The type of what it returns (`custom`).
    pub returns: Option<String>,
    /// The declarations of its parameters (`custom`).
    #[serde(default)]
    pub parameters: Vec<String>,
    /// C expressions over the parameters (`custom`): lengths in bits.
    pub in_bits: Option<String>,
    /// The same of the output.
    pub out_bits: Option<String>,
}

fn other() -> String {
    "other".to_owned()
}

/// What the parameters of a symmetric function are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// `(out, out_bytes, in, in_bytes)`
    Xof,
    /// `(out, in, in_bytes)`, whose output has `bytes` bytes.
    Hash,
    /// `(out_bits, in, in_bits, out)`: `pseudoXOF`.
    XofBits,
    /// `(out_bits, in, in_bits, out)` with an `int` first: `sm3hash`, `pseudohash`.
    HashBits,
    /// `(state, in, in_bytes)`
    Absorb,
    /// `(out, blocks, state)`, of `bytes` bytes a block.
    Squeezeblocks,
    /// `(state)`
    Permutation,
    /// `(context, out, out_bits)`: `get_random_number`.
    GeneratorBits,
    /// As `returns` and `parameters` say.
    Custom,
}

/// What is wrong with a manifest.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not TOML of this shape.
    #[error("{}: line {line}, column {column}: {said}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong there.
        said: String,
    },
    /// What it says makes no sense.
    #[error("{}: {said}", path.display())]
    Sense {
        /// The file.
        path: PathBuf,
        /// What does not, and what was expected.
        said: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    api: Api,
    #[serde(default)]
    prefix: String,
    #[serde(default = "header")]
    header: String,
    #[serde(default = "random")]
    random: String,
    sources: Vec<String>,
    #[serde(default)]
    includes: Vec<String>,
    #[serde(flatten)]
    build: Build,
    #[serde(default)]
    builds: std::collections::BTreeMap<String, Build>,
    #[serde(default)]
    functions: Vec<FunctionEntry>,
}

/// What differs between builds of the same sources.
#[derive(Default, Deserialize)]
struct Build {
    compiler: Option<String>,
    flags: Option<Vec<String>>,
    defines: Option<Vec<String>>,
}

fn header() -> String {
    "api.h".to_owned()
}

fn random() -> String {
    "randombytes".to_owned()
}

const NAME_LENGTH: std::ops::RangeInclusive<usize> = 1..=40;

impl Manifest {
    /// Reads the manifest at a path, for the build whose name is behind `#`, if one is.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(source: &str) -> Result<Self, ManifestError> {
        let (path, build) = source.split_once('#').map_or((source, None), |(path, build)| (path, Some(build)));
        let path = Path::new(path);
        let unreadable = |source| ManifestError::Unreadable { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let folder = path.canonicalize().map_err(unreadable)?;
        let folder = folder.parent().unwrap_or(&folder).to_owned();
        let file: File = toml::from_str(&text).map_err(|error| syntax(path, &text, &error))?;
        Self::of(file, build, folder, text).map_err(|said| ManifestError::Sense { path: path.to_owned(), said })
    }

    fn of(mut file: File, build: Option<&str>, folder: PathBuf, text: String) -> Result<Self, String> {
        let known: Vec<String> = file.builds.keys().cloned().collect();
        let chosen = match build {
            None => Build::default(),
            Some(name) => file.builds.remove(name).ok_or_else(|| match known.is_empty() {
                true => format!("there is no build {name:?}: [builds.{name}] is missing"),
                false => format!("there is no build {name:?}; there are {}", known.join(", ")),
            })?,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !NAME_LENGTH.contains(&file.name.len()) || !file.name.chars().all(is_name) {
            return Err(format!("name = {:?}: expected 1 to 40 letters, digits, -, _ or .", file.name));
        }
        if kemprof_core::kem::INSTANCES.contains(&file.name.as_str()) {
            return Err(format!("name = {:?} is that of a built-in instance; choose another", file.name));
        }
        for symbol in [&file.prefix, &file.random].into_iter().chain(file.functions.iter().map(|f| &f.symbol)) {
            if !symbol.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(format!("{symbol:?} is no name in C"));
            }
        }
        file.functions.iter().try_for_each(check_function)?;
        let name = match build {
            Some(build) => format!("{}-{build}", file.name),
            None => file.name,
        };
        Ok(Self {
            name,
            api: file.api,
            prefix: file.prefix,
            header: file.header,
            random: file.random,
            sources: sources(&folder, &file.sources)?,
            includes: file.includes.iter().map(|path| inside(&folder, path)).collect::<Result<_, _>>()?,
            defines: chosen.defines.or(file.build.defines).unwrap_or_default(),
            flags: chosen.flags.or(file.build.flags).unwrap_or_else(|| vec!["-O2".to_owned()]),
            compiler: chosen.compiler.or(file.build.compiler).unwrap_or_else(|| "cc".to_owned()),
            functions: file.functions,
            folder,
            text,
        })
    }
}

fn syntax(path: &Path, text: &str, error: &toml::de::Error) -> ManifestError {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = at - before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1) + 1;
    let said = error.message().lines().next().unwrap_or_default().to_owned();
    ManifestError::Syntax { path: path.to_owned(), line, column, said }
}

fn check_function(function: &FunctionEntry) -> Result<(), String> {
    let FunctionEntry { symbol, family, role, bytes, like, .. } = function;
    let known = || Role::ALL.into_iter().chain([Role::Other]).map(Role::name);
    if !known().any(|known| known == role) {
        return Err(format!("role = {role:?} of {symbol}: expected one of {}", known().collect::<Vec<_>>().join(", ")));
    }
    if let Some(like) = like.as_ref().filter(|like| Any::by_name(like).is_none()) {
        return Err(format!("like = {like:?} of {symbol}: no such backend; `kemprof list` shows them"));
    }
    match family {
        Family::Hash | Family::Squeezeblocks if !bytes.is_some_and(|bytes| (1..=1 << 20).contains(&bytes)) => {
            Err(format!("{symbol} needs bytes = N: of its output, or of a block"))
        }
        Family::Custom if function.returns.is_none() => {
            Err(format!("{symbol} needs returns = \"TYPE\" and parameters = [\"TYPE NAME\", ...]"))
        }
        _ => Ok(()),
    }
}

/// A path of the manifest, if it stays in its folder.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, String> {
    let whole = folder.join(path).canonicalize().map_err(|error| format!("{path}: {error}"))?;
    match whole.starts_with(folder) {
        true => Ok(whole),
        false => Err(format!("{path} is outside of the manifest's folder: move the manifest above all sources")),
    }
}

/// The files that these names mean, of which `*` in the last part stands for any text.
fn sources(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for name in names {
        let Some((before, after)) = name.split_once('*') else {
            found.push(inside(folder, name)?);
            continue;
        };
        let (place, start) = before.rsplit_once('/').unwrap_or((".", before));
        let place = inside(folder, place)?;
        let entries = fs::read_dir(&place).map_err(|error| format!("{name}: {error}"))?;
        let files = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut files: Vec<String> = files
            .filter(|file| file.len() >= start.len() + after.len() && file.starts_with(start) && file.ends_with(after))
            .collect();
        files.sort();
        if files.is_empty() {
            return Err(format!("sources: {name} means no file"));
        }
        found.extend(files.into_iter().map(|file| place.join(file)));
    }
    let foreign = |path: &&PathBuf| !path.extension().is_some_and(|kind| kind == "c" || kind == "s" || kind == "S");
    if let Some(path) = found.iter().find(foreign) {
        return Err(format!("{} is neither C nor assembly (.c, .s, .S); C++ is not supported", path.display()));
    }
    match found.is_empty() {
        true => Err("sources = [] names no file".to_owned()),
        false => Ok(found),
    }
}
