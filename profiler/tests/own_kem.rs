//! A KEM in C, through its manifest: every command on the example, and what is wrong with others by its name.
#![cfg(target_os = "linux")]

mod common;

use common::{calls, emulated, emulator_is_there, fail, files, folder, json, profile, succeed, utf8};
use kemprof::evidence::{self, Evidence};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../targets/guest/example")
}

fn manifest(name: &str) -> String {
    utf8(&example().join(name)).to_owned()
}

/// Whether the example can be built here. Without a C compiler it cannot, and under an emulator no other process is started.
fn can_be_built() -> bool {
    if emulated() {
        return false;
    }
    std::process::Command::new("cc").arg("--version").output().expect("there is a C compiler (run targets/setup)");
    true
}

#[test]
fn calls_and_lengths_of_the_example_are_those_of_its_source() {
    if !can_be_built() {
        return;
    }
    for (file, generator) in [("toy.toml", "drng"), ("toy-ngcc.toml", "get_random_number")] {
        let (records, out) = profile("all", &manifest(file), &["--processes", "1"]);
        let [keygen, enc, dec] = records.as_slice() else { panic!("three operations") };
        for record in &records {
            assert_eq!(evidence::violations(record), []);
            assert!(record.kat.starts_with("NOT-APPLICABLE: ") && record.kat_digest.is_none(), "{}", record.kat);
            assert!(record.guest.as_ref().is_some_and(|guest| guest.flags == ["-std=c99", "-O2"]));
            assert_eq!((record.sizes.pk, record.sizes.sk, record.sizes.ct, record.sizes.ss), (1056, 2080, 1152, 32));
        }
        // 64 rows of the matrix, and a small one for each secret and error.
        assert_eq!([keygen, enc, dec].map(|record| calls(record, "toy_shake128", "matrix")), [66, 67, 0]);
        assert_eq!([keygen, enc, dec].map(|record| calls(record, "toy_sha3_256", "kdf")), [0, 1, 1]);
        assert_eq!([keygen, enc, dec].map(|record| calls(record, generator, "entropy")), [1, 1, 0]);
        let row = keygen.calls.iter().find(|row| row.out_bits == 1024).expect("rows of 64 words");
        // SHAKE128 absorbs 33 bytes and puts out 128 in one permutation.
        assert_eq!((row.in_bits, row.permutations, row.permutation.as_str()), (264, 1.0, "keccak-f[1600]"));
        for file in fs::read_dir(out.path()).expect("is there") {
            let name = file.expect("is readable").file_name().into_string().expect("text");
            assert!(name.starts_with("toy") && name.contains("-own"), "{name}");
        }
    }
}

#[test]
fn records_of_a_guest_go_through_every_command() {
    if !can_be_built() {
        return;
    }
    let out = folder();
    let args = ["--trials", "5", "--iterations", "2", "--processes", "2", "--out", utf8(out.path())];
    let text = succeed(&[&["keygen", &manifest("toy.toml")][..], &args].concat());
    assert!(text.starts_with("toy keygen   own+drng=placeholder   ") && text.contains("toy_shake128"), "{text}");
    let record = json(out.path());
    for command in [&["verify"][..], &["show"], &["flamegraph"], &["whatif", "--speed", "toy_shake128=2"]] {
        succeed(&[command, &[utf8(&record)]].concat());
    }
    succeed(&["diff", utf8(&record), utf8(&record)]);
    let read: Evidence = evidence::read(&record).expect("is a record");
    // A record of another source is another record.
    let mut forged = read;
    forged.guest = None;
    assert!(!evidence::violations(&forged).is_empty(), "no instance has this name");
}

#[test]
fn a_first_manifest_comes_from_the_folder_and_runs() {
    if !can_be_built() {
        return;
    }
    let kem = Changed::new(&[]);
    let sources = kem.path("a folder");
    for (unused, part) in
        [("ngcc.c", "api = \"nist\"\nprefix = \"toy_\"\nheader = \"api.h\""), ("nist.c", "api = \"ngcc\"\nsources")]
    {
        let other = Changed::new(&[]);
        let sources = other.path("a folder");
        fs::remove_file(sources.join(unused)).expect("is there");
        fs::write(sources.join("bench.c"), "int main(void) { return 0; }").expect("can be written");
        let text = succeed(&["init", utf8(&sources)]);
        assert!(
            text.contains("toy_shake128") && text.contains("left out    bench.c: it has a main function"),
            "{text}"
        );
        let written = sources.join("kemprof.toml");
        let manifest = fs::read_to_string(&written).expect("is there");
        assert!(manifest.contains(part), "{manifest}");
        let (records, _) = profile("keygen", utf8(&written), &["--processes", "1"]);
        assert_eq!(calls(&records[0], "toy_shake128", "matrix"), 66);
        let line = fail(2, &["init", utf8(&sources)]);
        assert!(line.contains("kemprof.toml is there already"), "{line}");
    }
    fs::remove_file(sources.join("ngcc.c")).and_then(|()| fs::remove_file(sources.join("nist.c"))).expect("are there");
    let line = fail(2, &["init", utf8(&sources)]);
    assert!(line.contains("has no KEM of a known interface: neither kem_keygen nor crypto_kem_keypair"), "{line}");
    assert!(!sources.join("kemprof.toml").exists());
}

#[test]
fn a_named_build_has_its_own_flags() {
    if !can_be_built() {
        return;
    }
    let (records, _) = profile("dec", &(manifest("toy.toml") + "#fast"), &["--processes", "1"]);
    assert_eq!(records[0].instance, "toy-fast");
    assert!(records[0].guest.as_ref().is_some_and(|guest| guest.flags.contains(&"-O3".to_owned())));
    let line = fail(2, &["dec", &(manifest("toy.toml") + "#slow")]);
    assert!(line.contains("there is no build \"slow\"; there are fast"), "{line}");
}

/// A file, a text in it, and what takes its place.
type Change<'a> = (&'a str, &'a str, &'a str);

/// A copy of the example with changes.
struct Changed(TempDir);

impl Changed {
    fn new(changes: &[Change]) -> Self {
        let changed = Self(folder());
        // Blanks are no reason to fail.
        fs::create_dir(changed.path("a folder")).expect("can be made");
        for file in fs::read_dir(example()).expect("is there") {
            let file = file.expect("is readable");
            fs::copy(file.path(), changed.path("a folder").join(file.file_name())).expect("can be copied");
        }
        for (file, from, to) in changes {
            let path = changed.path("a folder").join(file);
            let text = fs::read_to_string(&path).expect("is text");
            assert!(text.contains(from), "{file} has no {from}");
            fs::write(path, text.replacen(from, to, 1)).expect("can be written");
        }
        changed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn manifest(&self) -> String {
        utf8(&self.path("a folder").join("toy.toml")).to_owned()
    }

    /// The line that a profile fails with.
    fn flaw(&self, code: i32) -> String {
        fail(code, &["keygen", &self.manifest()])
    }
}

const DEC: &str = "int toy_crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk) {\n";

#[test]
fn calls_are_seen_inside_one_file_of_static_functions_and_with_link_time_optimisation() {
    if !can_be_built() {
        return;
    }
    let one = Changed::new(&[
        ("keccak.h", "void toy_shake128", "static void toy_shake128"),
        ("keccak.c", "void toy_shake128", "static void toy_shake128"),
        ("toy.c", "#include \"keccak.h\"", "#include \"keccak.c\""),
        ("toy.toml", "\"keccak.c\", \"toy.c\"", "\"toy.c\""),
        ("toy.toml", "\"-O2\"", "\"-O3\", \"-flto\""),
        ("toy.toml", "family = \"xof\"", "family = \"xof\"\nstatic = true"),
    ]);
    let (records, _) = profile("keygen", &one.manifest(), &["--processes", "1"]);
    assert_eq!(calls(&records[0], "toy_shake128", "matrix"), 66);
}

#[test]
fn assembly_is_a_source_like_others() {
    if !can_be_built() {
        return;
    }
    for (name, define) in [("keccak.s", ""), ("keccak.S", "#define UNUSED 1\n")] {
        let changed = Changed::new(&[("toy.toml", "keccak.c", name)]);
        let path = changed.path("a folder").join(name);
        let mut compile = std::process::Command::new("cc");
        compile.args(["-S", "-O2", "-fPIC", "-o"]).arg(&path).arg(example().join("keccak.c"));
        assert!(compile.status().expect("there is a C compiler").success());
        let text = fs::read_to_string(&path).expect("is text");
        fs::write(&path, format!("{define}{text}")).expect("can be written");
        let (records, _) = profile("keygen", &changed.manifest(), &["--processes", "1"]);
        assert_eq!(calls(&records[0], "toy_shake128", "matrix"), 66, "{name}");
    }
}

/// A KEM prints what it likes, and standard output is JSON all the same.
#[test]
fn what_a_guest_prints_is_not_output() {
    if !can_be_built() {
        return;
    }
    let said = "#include <stdio.h>\n#include \"toy.h\"";
    let printing = Changed::new(&[
        ("nist.c", "#include \"toy.h\"", said),
        ("nist.c", DEC, &format!("{DEC}    puts(\"decapsulating\");\n")),
    ]);
    let (records, _) = profile("dec", &printing.manifest(), &["--processes", "2"]);
    assert_eq!(calls(&records[0], "toy_sha3_256", "kdf"), 1);
}

/// A function that draws randomness can be watched itself: then that is part of it.
#[test]
fn a_generator_around_randombytes_is_a_row_that_draws() {
    if !can_be_built() {
        return;
    }
    let drawing = Changed::new(&[
        (
            "nist.c",
            "static void random(",
            "void toy_draw(unsigned char *out, unsigned long long bytes);\nvoid toy_draw(",
        ),
        ("nist.c", "toy_keypair(pk, sk, random)", "toy_keypair(pk, sk, toy_draw)"),
        ("nist.c", "toy_encapsulate(ct, ss, pk, random)", "toy_encapsulate(ct, ss, pk, toy_draw)"),
        (
            "toy.toml",
            "[builds.fast]",
            "[[functions]]\nsymbol = \"toy_draw\"\nfamily = \"custom\"\nreturns = \"void\"\nparameters = [\"unsigned char *out\", \"unsigned long long bytes\"]\nout_bits = \"8 * bytes\"\nrole = \"entropy\"\n\n[builds.fast]",
        ),
        // Zeros would be no key.
        (
            "toy.c",
            "    random(seeds, sizeof seeds);",
            "    random(seeds, sizeof seeds);\n    if (!seeds[0] && !seeds[1] && !seeds[2]) return 9;",
        ),
    ]);
    let (records, _) = profile("keygen", &drawing.manifest(), &["--processes", "1"]);
    let entropy: Vec<_> = records[0].calls.iter().filter(|row| row.role == "entropy").collect();
    assert_eq!(
        entropy.iter().map(|row| (row.function.as_str(), row.out_bits)).collect::<Vec<_>>(),
        [("toy_draw", 512)]
    );
}

#[test]
fn a_record_of_other_sources_is_told_apart() {
    if !can_be_built() {
        return;
    }
    let out = folder();
    let record = |changed: &Changed, name: &str| {
        let folder = out.path().join(name);
        let args = ["--trials", "3", "--iterations", "1", "--processes", "1", "--out", utf8(&folder)];
        succeed(&[&["dec", &changed.manifest()][..], &args].concat());
        json(&folder)
    };
    let before = record(&Changed::new(&[]), "before");
    let after = record(&Changed::new(&[("toy.toml", "\"-O2\"", "\"-O1\"")]), "after");
    let text = succeed(&["diff", utf8(&before), utf8(&after)]);
    assert!(text.contains("sources: -std=c99 -O2 (") && text.contains("-std=c99 -O1 ("), "{text}");
}

#[test]
fn what_a_guest_does_wrong_has_a_name() {
    if !can_be_built() {
        return;
    }
    let cases: [(&[Change], &str); 7] = [
        (&[("nist.c", DEC, &format!("{DEC}    *(volatile int *)8 = 1;\n"))], "toy: CRASH: signal 11 during dec; "),
        (
            &[("toy.c", "    memcpy(pk, seeds, TOY_SEED);", "    memcpy(pk, seeds, TOY_SEED); pk[TOY_PUBLIC] = 0;")],
            "toy: OVERFLOW: keygen writes 1 byte behind the public key; ",
        ),
        (
            &[
                ("nist.c", DEC, &format!("static int times;\n{DEC}    if (++times % 50 == 0) {{ ss[0] ^= 1; }}\n")),
                (
                    "nist.c",
                    "return toy_decapsulate(ss, ct, sk);",
                    "int r = toy_decapsulate(ss, ct, sk); ss[0] ^= times % 50 == 0; return r;",
                ),
            ],
            "toy: MISMATCH: decapsulation gives another secret than encapsulation (key pair 48 of 100); ",
        ),
        (
            &[(
                "toy.c",
                "    random(seeds, sizeof seeds);",
                "    static int n; random(seeds, sizeof seeds); seeds[0] ^= n++;",
            )],
            "toy: NONDETERMINISTIC: the public key differs between two runs with one seed",
        ),
        (
            &[("nist.c", "return toy_keypair(pk, sk, random);", "return 7;")],
            "toy: REFUSED: keygen fails: it returned 7, expected 0; ",
        ),
        (
            // Its calls in keccak.c would not be seen.
            &[
                ("keccak.h", "void toy_shake128", "#pragma GCC visibility push(hidden)\nvoid toy_shake128"),
                ("toy.c", "#include \"keccak.h\"", "#include \"keccak.c\""),
                ("toy.toml", "\"keccak.c\", \"toy.c\"", "\"toy.c\""),
                ("toy.toml", "\"-O2\"", "\"-O3\", \"-finline-limit=100000\", \"-fno-semantic-interposition\""),
            ],
            "incomplete: toy has no function toy_shake128 whose calls can be seen: the compiler put it into a caller",
        ),
        (
            &[("toy.toml", "symbol = \"toy_shake128\"", "symbol = \"toy_shake129\"")],
            "incomplete: toy has no function toy_shake129 whose calls can be seen",
        ),
    ];
    for (changes, said) in cases {
        let line = Changed::new(changes).flaw(1);
        assert!(line.contains(said), "{line}");
    }
}

#[test]
fn what_a_manifest_says_wrong_is_named() {
    for (from, to, said) in [
        ("api = \"nist\"", "api = \"nest\"", "line 3, column 7: unknown variant `nest`"),
        (
            "role = \"matrix\"",
            "role = \"matrices\"",
            "role = \"matrices\" of toy_shake128: expected one of matrix, noise, ",
        ),
        ("\"nist.c\"]", "\"nist.cpp\"]", "nist.cpp"),
        ("\"nist.c\"]", "\"../nist.c\"]", "../nist.c"),
        ("like = \"shake\"", "like = \"shaker\"", "no such backend"),
        ("name = \"toy\"", "name = \"lwekem256\"", "is that of a built-in instance"),
        ("bytes = 32", "", "toy_sha3_256 needs bytes = N"),
        ("prefix = ", "prefixes = ", "unknown field `prefixes`"),
    ] {
        let line = Changed::new(&[("toy.toml", from, to)]).flaw(2);
        assert!(line.contains(said) && line.contains("toy.toml: "), "{line}");
    }
    let line = fail(2, &["keygen", "./nothing.toml"]);
    assert!(line.contains("cannot read ./nothing.toml: No such file"), "{line}");
}

#[test]
fn sources_that_do_not_compile_or_link_are_named() {
    if !can_be_built() {
        return;
    }
    let line = Changed::new(&[("toy.c", "return 0;", "return 0")]).flaw(1);
    assert!(line.contains("toy.c does not compile: ") && line.contains("error: expected"), "{line}");
    let line = Changed::new(&[("nist.c", "#include", "#define randombytes OTHER_randombytes\n#include")]).flaw(1);
    assert!(line.contains("say random = \"OTHER_randombytes\" in the manifest"), "{line}");
    let line = Changed::new(&[("toy.toml", "\"keccak.c\", ", "")]).flaw(1);
    assert!(line.contains("incomplete: toy has no function toy_shake128"), "{line}");
}

#[test]
fn what_guests_cannot_do_yet_is_refused_in_words() {
    let toy = manifest("toy.toml");
    for (args, said) in [
        (&["keygen", &toy, "--target", "cortex-m4"][..], "with --target aarch64, not on --target cortex-m4"),
        (&["keygen", &toy, "--target", "ssh:board"], "with --target aarch64, not on --target ssh:board"),
        (&["keygen", &toy, "--xof", "shake"], "takes one role from the KEM's own functions"),
        (&["keygen", &toy, "--sampling", "lazy"], "samples in its own way"),
        (&["keygen", "lwekem128", "--hash", "own"], "own is what a KEM in C brings"),
        (&["compare", &toy, "--target", "cortex-m4"], "with --target aarch64, not on --target cortex-m4"),
        (&["compare", &toy, "--hash", "own@lazy"], "samples in its own way"),
        (&["bench-hash", "--instance", &toy], "is a manifest"),
        (&["kat", &toy], "the known answers of its KEM are in a file of its own"),
        (&["kat", &toy, "--write", "x"], "the known answers of its KEM are in a file of its own"),
    ] {
        let line = fail(2, args);
        assert!(line.contains(said), "{line}");
    }
}

/// Writes known answers of the toy as NGCC's program does, with the toy's own generator.
const ANSWERS: &str = r#"
#include <stdio.h>
#include "toy.h"
typedef struct { unsigned char key[32]; unsigned long long counter; } DRNG_ctx;
extern DRNG_ctx drng_algorithm;
int init_random_number(DRNG_ctx *, const unsigned char *, unsigned long long);
int kem_keygen(unsigned char *, unsigned long long *, unsigned char *, unsigned long long *);
int kem_enc(unsigned char *, unsigned long long, unsigned char *, unsigned long long *, unsigned char *, unsigned long long *);
static unsigned char pk[TOY_PUBLIC], sk[TOY_SECRET], ct[TOY_CIPHERTEXT], ss[TOY_SHARED], seed[64];
static void value(const char *name, const unsigned char *bytes, unsigned long long length) {
    printf("%s_Len = %llu\n%s = ", name, length, name);
    while (length--) printf("%02X", *bytes++);
    printf("\n");
}
int main(void) {
    for (int count = 0; count < 3; count++) {
        unsigned long long a, b;
        for (int i = 0; i < 64; i++) seed[i] = (unsigned char)(7 * i + count);
        init_random_number(&drng_algorithm, seed, 64);
        kem_keygen(pk, &a, sk, &b);
        kem_enc(pk, TOY_PUBLIC, ss, &a, ct, &b);
        printf("Count = %d\n", count);
        value("Seed", seed, 64);
        value("PK", pk, TOY_PUBLIC);
        value("SK", sk, TOY_SECRET);
        value("CT", ct, TOY_CIPHERTEXT);
        value("SS", ss, TOY_SHARED);
        printf("\n");
    }
}
"#;

#[test]
fn a_guests_own_file_of_known_answers_is_checked_with_its_own_generator() {
    if !can_be_built() {
        return;
    }
    let out = folder();
    let at = |name: &str| utf8(&out.path().join(name)).to_owned();
    fs::write(at("answers.c"), ANSWERS).expect("can be written");
    let sources = ["keccak.c", "toy.c", "ngcc.c"].map(|name| utf8(&example().join(name)).to_owned());
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-I", utf8(&example()), "-o", &at("answers"), &at("answers.c")]).args(sources);
    assert!(compiler.status().expect("there is a compiler").success());
    let answers = std::process::Command::new(at("answers")).output().expect("runs").stdout;
    fs::write(at("toy.rsp"), &answers).expect("can be written");
    let text = succeed(&["kat", &manifest("toy-ngcc.toml"), "--check", &at("toy.rsp")]);
    assert!(text.starts_with("PASS: 3 records of toy-ngcc over own"), "{text}");
    // A wrong digit of a ciphertext is found.
    let mut wrong = String::from_utf8(answers).expect("text");
    let digit = wrong.find("CT = ").expect("is there") + 5;
    wrong.replace_range(digit..=digit, if wrong[digit..].starts_with('0') { "1" } else { "0" });
    fs::write(at("wrong.rsp"), wrong).expect("can be written");
    let line = fail(1, &["kat", &manifest("toy-ngcc.toml"), "--check", &at("wrong.rsp")]);
    assert!(line.contains("count 0, CT"), "{line}");
}

#[test]
fn on_aarch64_a_guest_makes_the_same_calls_in_instructions() {
    if !can_be_built() || !emulator_is_there() {
        return;
    }
    let rows = |record: &Evidence| {
        let row = |row: &evidence::CallRow| {
            (row.function.clone(), row.in_bits, row.out_bits, row.calls / record.profiled.operations)
        };
        record.calls.iter().map(row).collect::<Vec<_>>()
    };
    for file in ["toy.toml", "toy-ngcc.toml"] {
        let (here, _) = profile("all", &manifest(file), &["--processes", "1"]);
        let (there, _) = profile("all", &manifest(file), &["--target", "aarch64"]);
        for (here, there) in here.iter().zip(&there) {
            assert_eq!((there.runner.as_str(), there.counter.unit.as_str()), ("qemu-system", "instructions"));
            assert!(there.guest.as_ref().is_some_and(|guest| guest.compiler.contains("aarch64")), "{:?}", there.guest);
            assert_eq!(rows(there), rows(here), "{file}");
            assert!(there.profiled.ticks.is_some());
        }
    }
    let out = folder();
    let compared = ["compare", &manifest("toy.toml"), "--op", "keygen", "--hash", "own,sm3", "--target", "aarch64"];
    let text = succeed(&[&compared[..], &["--out", utf8(out.path())]].concat());
    assert!(text.contains("not as submitted") && text.contains("instructions"), "{text}");
    // Without a kernel of its own it is quicker, and nothing is counted.
    let (there, _) = profile("dec", &manifest("toy.toml"), &["--target", "aarch64", "--runner", "qemu-user"]);
    assert_eq!((there[0].runner.as_str(), there[0].profiled.ticks), ("qemu-user", None));
    // It is tried there, where a crash ends the machine.
    let crash = Changed::new(&[("nist.c", DEC, &format!("{DEC}    *(volatile int *)8 = 1;\n"))]);
    for runner in ["qemu-system", "qemu-user"] {
        let line = fail(1, &["dec", &crash.manifest(), "--target", "aarch64", "--runner", runner]);
        assert!(line.contains("toy: CRASH: signal 11 during dec; "), "{runner}: {line}");
    }
}

#[test]
fn other_functions_take_the_place_of_a_guests_own() {
    if !can_be_built() {
        return;
    }
    let toy = manifest("toy.toml");
    let out = folder();
    let args = ["--op", "enc", "--trials", "3", "--iterations", "2", "--json", "--out", utf8(out.path())];
    let text = succeed(&[&["compare", &toy, "--hash", "own,shake,sm3"][..], &args].concat());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).expect("rows");
    let variants: Vec<&str> = rows.iter().map(|row| row["variant"].as_str().expect("a name")).collect();
    assert_eq!(variants, ["own+drng=placeholder", "shake", "sm3", "free"]);
    let read = |file: &str| evidence::read(&out.path().join(file)).expect("was written");
    let (own, shake) = (read("toy-enc-own+drng=placeholder-compare.json"), read("toy-enc-shake-compare.json"));
    // The same calls with the same lengths and permutations: it is the same function.
    assert_eq!(calls(&own, "toy_shake128", "matrix"), calls(&shake, "shake128", "matrix"));
    assert_eq!((calls(&shake, "sha3_256", "kdf"), calls(&shake, "toy_sha3_256", "kdf")), (1, 0));
    assert!(shake.kat.contains("not as submitted"), "{}", shake.kat);
    let permutations = |record: &Evidence| -> f64 {
        let rows = record.calls.iter().filter(|row| !row.is_generator());
        rows.map(|row| row.permutations * row.calls as f64).sum::<f64>() / record.profiled.operations as f64
    };
    assert_eq!(permutations(&own), permutations(&shake));
    // A state is the KEM's own.
    let line = Changed::new(&[("toy.toml", "family = \"xof\"", "family = \"absorb\"")]);
    let line = fail(2, &["keygen", &line.manifest(), "--hash", "shake"]);
    assert!(line.contains("toy_shake128 of toy have a state of their own"), "{line}");
}

#[test]
fn instructions_of_a_guest_are_counted_exactly() {
    if !can_be_built() {
        return;
    }
    if std::process::Command::new("valgrind").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "skipped: no valgrind (run targets/setup)");
        return;
    }
    let counted = |more: &[&str]| {
        let args = [&["--counter", "callgrind"], more].concat();
        let (mut records, out) = profile("keygen", &manifest("toy.toml"), &args);
        (records.remove(0), out)
    };
    let ((once, out), (again, _)) = (counted(&["--profile", "instructions"]), counted(&[]));
    assert_eq!(once.counter.unit, "instructions");
    assert_eq!((&once.trials[0].ticks, &once.calls[0].ticks), (&again.trials[0].ticks, &again.calls[0].ticks));
    // The second look: callgrind charges every instruction to its function, whatever the wrappers say. What they take themselves, and
    // what they call of kemprof's, is left out of the whole.
    let folded = files(out.path()).into_iter().find(|name| name.ends_with(".instructions.folded")).expect("is written");
    let text = fs::read_to_string(out.path().join(folded)).expect("is text");
    let (mut function, mut all) = (0, 0);
    for line in text.lines() {
        let (stack, instructions) = line.rsplit_once(' ').expect("a stack and a number");
        let instructions: u64 = instructions.parse().expect("a number");
        let is_function = stack.contains("__real_toy_shake128");
        if is_function || !stack.contains("__wrap_") {
            all += instructions;
        }
        function += if is_function { instructions } else { 0 };
    }
    let (wrapped, seen) = (once.derived.hash_share.expect("counts"), function as f64 / all as f64);
    assert!(seen > 0.9 && (wrapped - seen).abs() < 0.01, "wrapping finds {wrapped}, callgrind {seen}");
}
