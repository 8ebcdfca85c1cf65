//! The C that stands between a guest and kemprof: its operations under names of ours, and a wrapper of each symmetric function.

use super::manifest::{Api, Family, FunctionEntry, Manifest};
use kemprof_core::symmetric::Form;
use std::fmt::Write as _;

/// A function's type and, as expressions over its parameters, where its input and output are and how long, in bits.
#[derive(Debug)]
pub(super) struct Signature {
    returns: String,
    parameters: Vec<String>,
    names: Vec<String>,
    input: [String; 2],
    output: [String; 2],
}

impl Signature {
    pub(super) fn of(function: &FunctionEntry) -> Self {
        let bytes = function.bytes.unwrap_or_default();
        let fixed = |returns: &str, parameters: &[&str], input: [&str; 2], output: [&str; 2]| Self {
            returns: returns.to_owned(),
            names: (0..parameters.len()).map(|index| ["a", "b", "c", "d"][index].to_owned()).collect(),
            parameters: parameters.iter().map(|&text| text.to_owned()).collect(),
            input: input.map(str::to_owned),
            output: output.map(str::to_owned),
        };
        const NONE: [&str; 2] = ["0", "0"];
        match function.family {
            Family::Xof => fixed(
                "void",
                &["unsigned char *a", "size_t b", "const unsigned char *c", "size_t d"],
                ["c", "8ull * d"],
                ["a", "8ull * b"],
            ),
            Family::Hash => fixed(
                "void",
                &["unsigned char *a", "const unsigned char *b", "size_t c"],
                ["b", "8ull * c"],
                ["a", &(8 * bytes).to_string()],
            ),
            Family::XofBits => fixed(
                "int",
                &["unsigned long long a", "const unsigned char *b", "unsigned long long c", "unsigned char *d"],
                ["b", "c"],
                ["d", "a"],
            ),
            Family::HashBits => fixed(
                "int",
                &["int a", "const unsigned char *b", "unsigned long long c", "unsigned char *d"],
                ["b", "c"],
                ["d", "a"],
            ),
            Family::Absorb => {
                fixed("void", &["void *a", "const unsigned char *b", "size_t c"], ["0", "8ull * c"], NONE)
            }
            Family::Squeezeblocks => fixed(
                "void",
                &["unsigned char *a", "size_t b", "void *c"],
                NONE,
                ["0", &format!("{}ull * b", 8 * bytes)],
            ),
            Family::Permutation => fixed("void", &["void *a"], NONE, NONE),
            Family::GeneratorBits => {
                fixed("int", &["void *a", "unsigned char *b", "unsigned long long c"], NONE, ["0", "c"])
            }
            Family::Custom => Self::custom(function),
        }
    }

    fn custom(function: &FunctionEntry) -> Self {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = |parameter: &String| {
            parameter.rsplit(|c| !is_name(c)).find(|word| !word.is_empty()).unwrap_or("").to_owned()
        };
        let bits = |text: &Option<String>| ["0".to_owned(), text.clone().unwrap_or_else(|| "0".to_owned())];
        Self {
            returns: function.returns.clone().unwrap_or_else(|| "void".to_owned()),
            names: function.parameters.iter().map(name).collect(),
            parameters: function.parameters.clone(),
            input: bits(&function.in_bits),
            output: bits(&function.out_bits),
        }
    }

    fn declared(&self, name: &str) -> String {
        let parameters = if self.parameters.is_empty() { "void".to_owned() } else { self.parameters.join(", ") };
        format!("{} {name}({parameters})", self.returns)
    }
}

/// Whether one call is all of a function's work, or the function is a generator: then another may take its place, or need not.
pub(super) fn is_whole(function: &FunctionEntry) -> bool {
    let whole = [Family::Xof, Family::Hash, Family::XofBits, Family::HashBits];
    whole.contains(&function.family) || function.role == "entropy"
}

/// How a family asks for output.
pub(super) fn form(function: &FunctionEntry) -> Form {
    match function.family {
        Family::Hash => Form::Fixed(function.bytes.unwrap_or_default() as usize),
        Family::HashBits => Form::Fixed(0),
        Family::GeneratorBits => Form::Generator,
        _ => Form::Extendable,
    }
}

/// A header that every source includes first: the compiler keeps these functions whole, also those of the same file, and optimises the
/// rest as before. Functions of a type that the manifest does not name are left out.
pub(super) fn forced_header(manifest: &Manifest) -> String {
    let mut text = "#ifndef __ASSEMBLER__\n#include <stddef.h>\n#include <stdint.h>\n".to_owned();
    for function in &manifest.functions {
        let named = !matches!(
            function.family,
            Family::Absorb | Family::Squeezeblocks | Family::Permutation | Family::GeneratorBits
        );
        if named && function.is_static {
            let declared = Signature::of(function).declared(&function.symbol);
            let _ = writeln!(text, "static {declared} __attribute__((noinline, noclone, used));");
        }
    }
    text + "#endif\n"
}

/// The wrappers, and the operations.
pub(super) fn glue(manifest: &Manifest) -> String {
    // What the KEM prints is for standard error: standard output is for what kemprof prints.
    let mut text = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#ifdef __GLIBC__\n\
                    __attribute__((constructor)) static void kemprof_stdout(void) { stdout = stderr; }\n#endif\n"
        .to_owned();
    if manifest.api == Api::Nist {
        let _ = writeln!(text, "#include \"{}\"", manifest.header);
    }
    text += "struct kemprof_hooks {\n    int (*begins)(unsigned, const void *, unsigned long long, void *, unsigned long long);\n    \
             void (*ends)(void);\n    void (*random)(void *, size_t);\n} kemprof_hooks;\n";
    for (index, function) in manifest.functions.iter().enumerate() {
        wrapper(&mut text, index + 1, function);
    }
    text += IDLE;
    text + &operations(manifest)
}

/// So many calls of a function that does nothing, as a wrapper makes them: what they take is the wrapper's own cost.
const IDLE: &str = "
static __attribute__((noinline)) void kemprof_nothing(void) { __asm__ volatile(\"\"); }
static __attribute__((noinline)) void kemprof_wrapped(void) {
    if (kemprof_hooks.begins(1, 0, 0, 0, 0)) return;
    kemprof_nothing();
    kemprof_hooks.ends();
}
void kemprof_idle(unsigned long long times) { while (times--) kemprof_wrapped(); }
";

fn wrapper(text: &mut String, number: usize, function: &FunctionEntry) {
    let signature = Signature::of(function);
    let Signature { returns, names, input: [input, in_bits], output: [output, out_bits], .. } = &signature;
    let (real, wrap) = (format!("__real_{}", function.symbol), format!("__wrap_{}", function.symbol));
    let (keep, give, made) = match returns.as_str() {
        "void" => (String::new(), "", "return;".to_owned()),
        other => (format!("{other} result = "), "    return result;\n", format!("return ({other})0;")),
    };
    let _ = write!(
        text,
        "{};\n{} {{\n    if (kemprof_hooks.begins({number}, (const void *)({input}), {in_bits}, (void *)({output}), {out_bits})) {made}\n    \
         {keep}{real}({});\n    kemprof_hooks.ends();\n{give}}}\n",
        signature.declared(&real),
        signature.declared(&wrap),
        names.join(", "),
    );
}

fn operations(manifest: &Manifest) -> String {
    let Manifest { prefix, random, .. } = manifest;
    match manifest.api {
        Api::Nist => format!(
            "void kemprof_lengths(unsigned long long *lengths) {{\n    lengths[0] = {prefix}CRYPTO_PUBLICKEYBYTES;\n    \
             lengths[1] = {prefix}CRYPTO_SECRETKEYBYTES;\n    lengths[2] = {prefix}CRYPTO_CIPHERTEXTBYTES;\n    \
             lengths[3] = {prefix}CRYPTO_BYTES;\n}}\n\
             int kemprof_keygen(unsigned char *pk, unsigned char *sk) {{ return {prefix}crypto_kem_keypair(pk, sk); }}\n\
             int kemprof_enc(unsigned char *ct, unsigned char *ss, unsigned char *pk) {{ return {prefix}crypto_kem_enc(ct, ss, pk); }}\n\
             int kemprof_dec(unsigned char *ss, unsigned char *ct, unsigned char *sk) {{ return {prefix}crypto_kem_dec(ss, ct, sk); }}\n\
             void kemprof_seed(const unsigned char *seed, size_t bytes) {{ (void)seed; (void)bytes; }}\n\
             #undef {random}\n\
             int {random}(unsigned char *out, size_t bytes) {{ kemprof_hooks.random(out, bytes); return 0; }}\n"
        ),
        Api::Ngcc => NGCC.to_owned(),
    }
}

/// Lengths that a candidate does not write stay as they were: they are told by its functions.
const NGCC: &str = "
typedef unsigned long long ull;
ull kem_get_pk_len_bytes(void); ull kem_get_sk_len_bytes(void); ull kem_get_ct_len_bytes(void); ull kem_get_ss_len_bytes(void);
int kem_keygen(unsigned char *, ull *, unsigned char *, ull *);
int kem_enc(unsigned char *, ull, unsigned char *, ull *, unsigned char *, ull *);
int kem_dec(unsigned char *, ull, unsigned char *, ull, unsigned char *, ull *);
extern unsigned char drng_algorithm[];
int init_random_number(void *, const unsigned char *, ull);
void kemprof_lengths(ull *lengths) {
    lengths[0] = kem_get_pk_len_bytes(); lengths[1] = kem_get_sk_len_bytes();
    lengths[2] = kem_get_ct_len_bytes(); lengths[3] = kem_get_ss_len_bytes();
}
int kemprof_keygen(unsigned char *pk, unsigned char *sk) {
    ull a = kem_get_pk_len_bytes(), b = kem_get_sk_len_bytes();
    return kem_keygen(pk, &a, sk, &b);
}
int kemprof_enc(unsigned char *ct, unsigned char *ss, unsigned char *pk) {
    ull a = kem_get_ss_len_bytes(), b = kem_get_ct_len_bytes();
    return kem_enc(pk, kem_get_pk_len_bytes(), ss, &a, ct, &b);
}
int kemprof_dec(unsigned char *ss, unsigned char *ct, unsigned char *sk) {
    ull a = kem_get_ss_len_bytes();
    return kem_dec(sk, kem_get_sk_len_bytes(), ct, kem_get_ct_len_bytes(), ss, &a);
}
void kemprof_seed(const unsigned char *seed, size_t bytes) { init_random_number(&drng_algorithm, seed, bytes); }
";
