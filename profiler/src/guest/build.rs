//! From sources to a shared object, kept under the digest of all that it was made of.

use super::glue::{forced_header, glue};
use super::manifest::Manifest;
use super::rename::{Found, is_inlined, rename};
use super::{GuestError, Machine, Package, failed, read};
use crate::cross;
use crate::files::{Scratch, ScratchFile};
use crate::process::{Ended, Program, Terms};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A source may compile for so long.
const LIMIT: Duration = Duration::from_secs(300);
/// A caller must not know of a static function which registers and how much of the stack's alignment it leaves alone: a wrapper stands
/// between them that does not.
const BETWEEN: [&str; 2] = ["-fno-ipa-ra", "-fno-ipa-stack-alignment"];
/// Headers that a digest is of at the most.
const MOST_FILES: usize = 20_000;
/// Digits of a digest in a name: 64 bits.
const DIGITS: usize = 16;

/// Compilers for this machine, and what takes their place for AArch64.
const NATIVE: [&str; 2] = ["cc", "gcc"];
const FOR_AARCH64: &str = "aarch64-linux-gnu-gcc";

/// Builds the guest of this manifest for a machine, unless that was done before.
///
/// # Errors
/// [`GuestError`].
pub fn build(source: &str, machine: Machine) -> Result<Package, GuestError> {
    let mut manifest = Manifest::read(source)?;
    if machine == Machine::Aarch64 && NATIVE.contains(&manifest.compiler.as_str()) {
        FOR_AARCH64.clone_into(&mut manifest.compiler);
    }
    let manifest = &manifest;
    let help = match machine {
        Machine::Aarch64 => "run targets/setup",
        Machine::This => "install a C compiler, or set compiler = \"NAME\" in the manifest",
    };
    let program = Program { name: &manifest.compiler, help };
    let compiler = program.version()?;
    let inputs = digest(manifest, &compiler)?;
    let folder =
        cross::kept_in().map_err(|error| GuestError::Load { name: manifest.name.clone(), said: error.to_string() })?;
    let object = folder.join(format!("guest-{}-{}.so", manifest.name, &inputs[..DIGITS]));
    if !object.exists() {
        let scratch = Scratch::folder().map_err(failed("make a folder for", &object))?;
        let made = Builder { manifest, program, folder: scratch.path() }.run()?;
        let mut kept = ScratchFile::beside(&object).map_err(failed("write", &object))?;
        kept.write_all(&read(&made)?).map_err(failed("write", &object))?;
        kept.persist(&object).map_err(failed("write", &object))?;
    }
    Ok(Package {
        name: manifest.name.clone(),
        source: source.to_owned(),
        inputs,
        compiler,
        flags: manifest.flags.clone(),
        api: manifest.api,
        functions: manifest.functions.clone(),
        object,
    })
}

/// SHA-256 of the manifest, the compiler, our own glue, and every source and header in the manifest's folder.
fn digest(manifest: &Manifest, compiler: &str) -> Result<String, GuestError> {
    let mut files = manifest.sources.clone();
    headers(&manifest.folder, &mut files)?;
    files.sort();
    files.dedup();
    let mut digest = Sha256::new();
    let ours = format!("{} {}", env!("CARGO_PKG_VERSION"), BETWEEN.join(" "));
    for text in [manifest.name.as_str(), &manifest.text, compiler, &ours, &glue(manifest), &forced_header(manifest)] {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    for file in files {
        let name = file.strip_prefix(&manifest.folder).unwrap_or(&file).to_string_lossy().into_owned();
        let bytes = read(&file)?;
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name);
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    }
    Ok(hex::encode(digest.finalize()))
}

/// Adds all files below a folder that a source may include.
fn headers(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), GuestError> {
    for entry in fs::read_dir(folder).map_err(failed("read", folder))?.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            headers(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|kind| ["h", "inc", "c", "s", "S", "macros"].iter().any(|known| kind == *known))
        {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            let message = std::io::Error::other("more than 20000 sources and headers: put the manifest nearer to them");
            return Err(failed("look through", folder)(message));
        }
    }
    Ok(())
}

struct Builder<'a> {
    manifest: &'a Manifest,
    program: Program<'a>,
    folder: &'a Path,
}

impl Builder<'_> {
    fn run(&self) -> Result<PathBuf, GuestError> {
        let manifest = self.manifest;
        let header = self.write("kemprof_first.h", &forced_header(manifest))?;
        let symbols: Vec<&str> = manifest.functions.iter().map(|function| function.symbol.as_str()).collect();
        let mut found = vec![Found::default(); symbols.len()];
        let mut objects = Vec::new();
        for (number, source) in manifest.sources.iter().enumerate() {
            let (text, inlined) = self.assembly(number, source, &header, &symbols)?;
            let (text, here) = rename(&text, &symbols);
            for ((all, here), inlined) in found.iter_mut().zip(here).zip(inlined) {
                *all = all.or(Found { inlined, ..here });
            }
            let renamed = self.write(&format!("{number}.wrapped.s"), &text)?;
            objects.push(self.object(&renamed, source)?);
        }
        self.check(&found)?;
        let text = self.write("kemprof_glue.c", &glue(manifest))?;
        objects.push(self.object(&text, &text)?);
        self.link(&objects)
    }

    /// A source as assembly, and which symbols the compiler put into their callers.
    fn assembly(
        &self,
        number: usize,
        source: &Path,
        header: &Path,
        symbols: &[&str],
    ) -> Result<(String, Vec<bool>), GuestError> {
        let text = |path: &Path| Ok::<_, GuestError>(String::from_utf8_lossy(&read(path)?).into_owned());
        let mut command = self.command();
        match source.extension().and_then(|kind| kind.to_str()) {
            Some("s") => return Ok((text(source)?, vec![false; symbols.len()])),
            // Assembly that is preprocessed becomes assembly by preprocessing alone.
            Some("S") => command.arg("-E"),
            _ => command.args(["-S", "-fopt-info-inline-optimized"]),
        };
        let assembly = self.folder.join(format!("{number}.s"));
        let said = self.compile(command.arg("-include").arg(header).arg(source).arg("-o").arg(&assembly), source)?;
        let inlined = |symbol: &&str| said.iter().any(|line| is_inlined(symbol, line));
        Ok((text(&assembly)?, symbols.iter().map(inlined).collect()))
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, GuestError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(failed("write", &path))?;
        Ok(path)
    }

    /// The compiler with all options but those of link-time optimisation, which would see through the wrappers.
    fn command(&self) -> Command {
        let manifest = self.manifest;
        let mut command = Command::new(&manifest.compiler);
        command.current_dir(&manifest.folder).args(["-fPIC", "-w"]);
        command.args(BETWEEN);
        command.args(manifest.flags.iter().filter(|flag| !flag.starts_with("-flto")));
        command.args(manifest.defines.iter().map(|define| format!("-D{define}")));
        // The glue lies elsewhere, and includes the header with the lengths.
        command.arg("-I").arg(&manifest.folder);
        for folder in &manifest.includes {
            command.arg("-I").arg(folder);
        }
        command
    }

    fn object(&self, source: &Path, origin: &Path) -> Result<PathBuf, GuestError> {
        let object = source.with_extension("o");
        self.compile(self.command().arg("-c").arg(source).arg("-o").arg(&object), origin)?;
        Ok(object)
    }

    /// Compiles, and gives what the compiler says of it.
    fn compile(&self, command: &mut Command, source: &Path) -> Result<Vec<String>, GuestError> {
        self.run_compiler(command)?.map_err(|said| GuestError::Compile { path: source.to_owned(), said })
    }

    fn link(&self, objects: &[PathBuf]) -> Result<PathBuf, GuestError> {
        let made = self.folder.join("guest.so");
        let mut command = Command::new(&self.manifest.compiler);
        command.args(["-shared", "-Wl,-z,defs", "-o"]).arg(&made).args(objects).arg("-lm");
        let linked = self.run_compiler(&mut command)?;
        linked.map_err(|said| {
            // A macro may have given it another name.
            let random = said.rsplit_once('`').and_then(|(_, name)| name.split_once('\'')).map(|(name, _)| name);
            let hint = random.filter(|name| name.ends_with("randombytes"));
            let hint = hint.map(|name| format!("; say random = \"{name}\" in the manifest")).unwrap_or_default();
            GuestError::Link { name: self.manifest.name.clone(), said: said + &hint }
        })?;
        Ok(made)
    }

    /// What a compiler says; of one that fails, its first error.
    fn run_compiler(&self, command: &mut Command) -> Result<Result<Vec<String>, String>, GuestError> {
        let mut lines = Vec::new();
        let terms = Terms { limit: Some(LIMIT), ..Terms::default() };
        let Ended { status, .. } = self.program.run(command, terms, &mut |line| lines.push(line.trim().to_owned()))?;
        if status == 0 {
            return Ok(Ok(lines));
        }
        let telling = ["error", "undefined", "multiple definition"];
        let first = lines.iter().find(|line| telling.iter().any(|word| line.contains(word))).or(lines.first());
        Ok(Err(first.cloned().unwrap_or_else(|| format!("exit status {status}"))))
    }

    /// Every function must have been found whole.
    fn check(&self, found: &[Found]) -> Result<(), GuestError> {
        for (function, found) in self.manifest.functions.iter().zip(found) {
            let hint = match found {
                Found { cloned: true, .. } => {
                    ": the compiler made a copy of it with other parameters; add the flags -fno-ipa-cp and -fno-ipa-sra"
                }
                Found { inlined: true, .. } => {
                    ": the compiler put it into a caller; add the flag -fno-inline, or list that caller instead"
                }
                Found { defined: true, .. } => continue,
                _ if function.is_static => ": it is misspelt, in no source, or never called",
                _ => ": it is misspelt, in no source, or static (then say static = true)",
            };
            let (name, symbol) = (self.manifest.name.clone(), function.symbol.clone());
            return Err(GuestError::NotCaught { name, symbol, hint: hint.to_owned() });
        }
        Ok(())
    }
}
