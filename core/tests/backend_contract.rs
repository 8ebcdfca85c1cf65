//! What every backend must keep, whatever functions it offers: the plain ways and the fast ways to the same output agree.

use kemprof_core::symmetric::{Batch, Form, MAX_BATCH_MESSAGE, MAX_LANES, Role};
use kemprof_core::{Any, Backend, Drng, Reader};

const FORMS: [Form; 3] = [Form::Fixed(32), Form::Fixed(64), Form::Extendable];

/// Output lengths about the boundaries that squeezing may have: digests, rates, groups of either.
const OUT_BYTES: [usize; 13] = [1, 31, 32, 33, 64, 128, 136, 168, 192, 255, 256, 504, 800];

/// Roles that a scheme asks extendable output for; matrix and noise often go different ways inside.
const XOF_ROLES: [Role; 4] = [Role::Matrix, Role::Noise, Role::G, Role::J];

/// A message that is different for every `seed`.
fn message(seed: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i as u8).wrapping_mul(151).wrapping_add(seed.wrapping_mul(31)) ^ (i >> 8) as u8).collect()
}

fn xof(backend: Any, role: Role, input: &[&[u8]], bytes: usize) -> Vec<u8> {
    let mut out = vec![0xa5; bytes];
    backend.xof(role, input, &mut out);
    out
}

fn hash(backend: Any, role: Role, input: &[&[u8]], bytes: usize) -> Vec<u8> {
    let mut out = vec![0xa5; bytes];
    backend.hash(role, input, &mut out);
    out
}

fn read(reader: &mut impl Reader, bytes: usize) -> Vec<u8> {
    let mut out = vec![0xa5; bytes];
    reader.read(&mut out);
    out
}

/// Prefixes and suffixes as schemes have them, and around block boundaries.
const PREFIX_BYTES: [usize; 13] = [0, 1, 16, 31, 32, 47, 48, 55, 60, 62, 63, 64, 92];

fn for_each_batch<const SUFFIX: usize>(mut check: impl FnMut(&Batch<'_>, &[Vec<u8>])) {
    let suffixes: [[u8; SUFFIX]; MAX_LANES] =
        core::array::from_fn(|lane| core::array::from_fn(|i| (lane * 7 + i) as u8));
    for prefix_bytes in PREFIX_BYTES {
        let prefix = message(3, prefix_bytes);
        let messages: Vec<_> = suffixes.iter().map(|suffix| [&prefix[..], suffix].concat()).collect();
        for lanes in 1..=MAX_LANES {
            check(&Batch::new(&prefix, &suffixes[..lanes]), &messages[..lanes]);
        }
    }
}

#[test]
fn self_tests_pass() {
    for backend in Any::ALL {
        assert_eq!(backend.self_test(), Ok(()));
    }
}

#[test]
fn names_are_sensible() {
    let printable = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';');
    for &backend in Any::ALL {
        assert!(printable(backend.name()), "{backend:?}");
        assert_eq!(Any::by_name(backend.name()), Some(backend));
        assert!(printable(backend.drng(&[0; 48]).name()), "{backend:?}");
        for role in Role::ALL {
            let functions = FORMS.map(|form| backend.function(form, role));
            for function in functions.into_iter().chain([backend.drng(&[0; 48]).function()]) {
                assert!(printable(function.name) && printable(function.permutation), "{backend:?}: {function:?}");
                assert!(function.absorb_rate > 0 && function.squeeze_rate > 0, "{backend:?}: {function:?}");
            }
        }
    }
}

#[test]
fn lanes_and_blocks_are_within_bounds() {
    for backend in Any::ALL {
        for role in Role::ALL {
            assert!((1..=MAX_LANES).contains(&backend.lanes(role)), "{backend:?} {role}");
            assert!(backend.squeeze_block(role) >= 1, "{backend:?} {role}");
        }
    }
}

#[test]
fn permutations_grow_with_the_work() {
    for backend in Any::ALL {
        for (form, role) in FORMS.into_iter().zip([Role::H, Role::G, Role::Matrix]) {
            let bytes = |fallback| if let Form::Fixed(bytes) = form { bytes } else { fallback };
            let least = backend.permutations(form, role, 0, bytes(1));
            let more_in = backend.permutations(form, role, 10_000, bytes(1));
            assert!(least <= more_in && more_in < 10_000, "{backend:?} {form:?}: {least}, {more_in}");
            let more_out = backend.permutations(form, role, 0, bytes(10_000));
            assert!(least <= more_out && more_out < 10_000, "{backend:?} {form:?}: {least}, {more_out}");
        }
        for prefix_bytes in 0..MAX_BATCH_MESSAGE {
            let each = backend.permutations(Form::Extendable, Role::Noise, prefix_bytes + 1, 0);
            assert!(backend.shared_permutations(Role::Noise, prefix_bytes) <= each, "{backend:?} {prefix_bytes}");
        }
    }
}

#[test]
fn parts_of_the_input_do_not_matter() {
    for &backend in Any::ALL {
        for bytes in (0..=150).chain([800, 1568, 1760, 3392]) {
            let input = message(1, bytes);
            let [third, half] = [bytes / 3, bytes / 2];
            let parts: [&[u8]; 4] = [&input[..third], &[], &input[third..half], &input[half..]];
            for form in [32, 64] {
                let whole = hash(backend, Role::G, &[&input], form);
                assert_eq!(hash(backend, Role::G, &parts, form), whole, "{backend:?}: hash of {bytes}");
            }
            for role in XOF_ROLES {
                let whole = xof(backend, role, &[&input], 100);
                assert_eq!(xof(backend, role, &parts, 100), whole, "{backend:?} {role}: xof of {bytes}");
            }
        }
    }
}

#[test]
fn shorter_output_is_a_prefix_of_longer() {
    for &backend in Any::ALL {
        for role in XOF_ROLES {
            for input in [16, 17, 32, 33, 35, 64, 65, 67, 1000].map(|bytes| message(2, bytes)) {
                let longest = xof(backend, role, &[&input], 4000);
                for bytes in (0..300).chain([512, 768, 1536, 3328]) {
                    assert_eq!(xof(backend, role, &[&input], bytes), longest[..bytes], "{backend:?} {role}: {bytes}");
                }
            }
        }
    }
}

#[test]
fn readers_give_the_output_in_any_split() {
    for &backend in Any::ALL {
        for role in XOF_ROLES {
            let input = message(4, 35);
            let whole = xof(backend, role, &[&input], 600);
            for first in 0..300 {
                let mut reader = backend.reader(role, &[&input[..9], &input[9..]]);
                let pieces = [first, 0, 1, 32, (7 * first) % 65].map(|bytes| read(&mut reader, bytes)).concat();
                assert_eq!(pieces, whole[..pieces.len()], "{backend:?} {role}: {first} first");
            }
            let mut reader = backend.reader(role, &[&input]);
            let bytewise: Vec<_> = (0..whole.len()).flat_map(|_| read(&mut reader, 1)).collect();
            assert_eq!(bytewise, whole, "{backend:?} {role}: byte by byte");
        }
    }
}

#[test]
fn a_batch_is_its_messages_one_by_one() {
    for &backend in Any::ALL {
        for role in [Role::Matrix, Role::Noise] {
            let check = |batch: &Batch<'_>, messages: &[Vec<u8>]| {
                for bytes in OUT_BYTES {
                    let mut out = vec![0xa5; messages.len() * bytes];
                    backend.xof_batch(role, batch, &mut out);
                    let want: Vec<_> =
                        messages.iter().flat_map(|message| xof(backend, role, &[message], bytes)).collect();
                    assert!(out == want, "{backend:?} {role}: {} × {} → {bytes}", messages.len(), messages[0].len());
                }
            };
            for_each_batch::<1>(check);
            for_each_batch::<3>(check);
        }
    }
}

#[test]
fn streams_of_a_batch_continue_after_their_first_output() {
    for &backend in Any::ALL {
        for role in [Role::Matrix, Role::Noise] {
            for_each_batch::<2>(|batch, messages| {
                for first in OUT_BYTES {
                    let mut out = vec![0xa5; messages.len() * first];
                    let mut readers = Vec::new();
                    backend.readers(role, batch, &mut out, |reader| readers.push(reader));
                    assert_eq!(readers.len(), batch.lanes(), "{backend:?} {role}");
                    // Lanes are read in turns: none may disturb another.
                    let mut outputs: Vec<_> = out.chunks_exact(first).map(<[u8]>::to_vec).collect();
                    for more in [1, 40, 256] {
                        for (lane, output) in outputs.iter_mut().enumerate().rev() {
                            output.extend(read(&mut readers[lane], more));
                        }
                    }
                    for (output, message) in outputs.iter().zip(messages) {
                        let want = xof(backend, role, &[message], output.len());
                        assert!(
                            *output == want,
                            "{backend:?} {role}: {} × {}, {first} first",
                            messages.len(),
                            message.len()
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn every_byte_of_input_counts() {
    for &backend in Any::ALL {
        let mut input = message(5, 67);
        let [plain_hash, plain_xof] =
            [hash(backend, Role::H, &[&input], 32), xof(backend, Role::Matrix, &[&input], 32)];
        for i in 0..input.len() {
            input[i] ^= 1;
            assert_ne!(hash(backend, Role::H, &[&input], 32), plain_hash, "{backend:?}: byte {i}");
            assert_ne!(xof(backend, Role::Matrix, &[&input], 32), plain_xof, "{backend:?}: byte {i}");
            input[i] ^= 1;
        }
    }
}

#[test]
fn generators_are_deterministic_by_request() {
    for &backend in Any::ALL {
        let seed = message(6, 48);
        let mut generators = [backend.drng(&seed), backend.drng(&seed)];
        let mut seen = Vec::new();
        for bytes in [32, 1, 64, 100, 32, 32] {
            let [first, second] = generators.each_mut().map(|generator| {
                let mut out = vec![0; bytes];
                generator.generate(&mut out);
                out
            });
            assert_eq!(first, second, "{backend:?}: {bytes}");
            assert!(bytes < 32 || !seen.contains(&first), "{backend:?}: a request repeats");
            seen.push(first);
        }
        let mut other = vec![0; 32];
        backend.drng(&message(7, 48)).generate(&mut other);
        assert!(!seen.contains(&other), "{backend:?}: another seed gives the same");
    }
}

/// Backends whose functions are the same, so that their outputs and known answers are.
const SAME_FUNCTIONS: [[&str; 2]; 1] = [["placeholder", "sm3"]];

#[test]
fn backends_agree_exactly_when_their_functions_are_the_same() {
    let input = message(8, 35);
    for (i, &a) in Any::ALL.iter().enumerate() {
        for &b in &Any::ALL[i + 1..] {
            let same = SAME_FUNCTIONS.iter().any(|names| names.contains(&a.name()) && names.contains(&b.name()));
            for bytes in [32, 64] {
                let outputs = [a, b].map(|backend| hash(backend, Role::G, &[&input], bytes));
                assert_eq!(outputs[0] == outputs[1], same, "{a:?} and {b:?}: hash");
            }
            for role in XOF_ROLES {
                let outputs = [a, b].map(|backend| xof(backend, role, &[&input], 1000));
                assert_eq!(outputs[0] == outputs[1], same, "{a:?} and {b:?}: xof");
            }
            let outputs = [a, b].map(|backend| {
                let mut out = [0; 64];
                backend.drng(&input).generate(&mut out);
                out
            });
            assert_eq!(outputs[0] == outputs[1], same, "{a:?} and {b:?}: generator");
        }
    }
}
