//! A stream that does not fill its polynomial: the counter in its message goes up and sampling goes on with the next stream.

use crate::run::{decapsulate, encapsulate, instances, keygen, with};
use kemprof_core::backend::{Backend, Placeholder, Reader, SelfTestError};
use kemprof_core::kem::Visitor;
use kemprof_core::probe::{Call, Output, Probe};
use kemprof_core::symmetric::{Form, Function};
use kemprof_core::{Kem, Profiled, Role, Sampling, Suite};

/// The placeholder functions, except that some streams of the matrix run dry: after `fresh` bytes all candidates are
/// rejected.
#[derive(Clone, Copy, Debug)]
struct Dry {
    fresh: usize,
    lanes: usize,
    block: usize,
}

struct DryReader {
    inner: <Placeholder as Backend>::Reader,
    fresh: usize,
}

impl Reader for DryReader {
    fn read(&mut self, out: &mut [u8]) {
        let fresh = self.fresh.min(out.len());
        self.inner.read(&mut out[..fresh]);
        out[fresh..].fill(0xff);
        self.fresh -= fresh;
    }
}

impl Backend for Dry {
    type Reader = DryReader;
    type Drng = <Placeholder as Backend>::Drng;

    fn name(&self) -> &'static str {
        "dry"
    }

    fn description(&self) -> &'static str {
        "the placeholder functions with streams that end"
    }

    fn function(&self, form: Form, role: Role) -> Function {
        Placeholder.function(form, role)
    }

    fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
        Placeholder.permutations(form, role, in_bytes, out_bytes)
    }

    fn self_test(&self) -> Result<(), SelfTestError> {
        Placeholder.self_test()
    }

    fn drng(&self, seed: &[u8]) -> Self::Drng {
        Placeholder.drng(seed)
    }

    fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        Placeholder.hash(role, input, out);
    }

    fn reader(&self, role: Role, input: &[&[u8]]) -> DryReader {
        let message = input.concat();
        let [.., i, j, counter] = message[..] else { panic!("a message ends in two indices and a counter") };
        // Entries of one diagonal stop after `fresh` bytes, of another after a second helping, the rest never.
        let dry = match (i + 2 * j) % 5 {
            0 => counter < 1,
            1 => counter < 2,
            _ => false,
        };
        DryReader { inner: Placeholder.reader(role, input), fresh: if dry { self.fresh } else { usize::MAX } }
    }

    fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
        if role == Role::Matrix {
            self.reader(role, input).read(out);
        } else {
            Placeholder.xof(role, input, out);
        }
    }

    fn lanes(&self, role: Role) -> usize {
        if role == Role::Matrix { self.lanes } else { 1 }
    }

    fn squeeze_block(&self, _role: Role) -> usize {
        self.block
    }
}

/// Keeps the bytes out and the bits used of every lane of the matrix.
#[derive(Default)]
struct MatrixCalls(Vec<Output>);

impl Probe for MatrixCalls {
    type Open = ();

    fn open(&mut self, _call: &Call) {}

    fn close(&mut self, (): (), call: &Call, outputs: &[Output]) {
        if call.role == Role::Matrix {
            self.0.extend_from_slice(outputs);
        }
    }
}

struct Sampled {
    dry: Dry,
    sampling: Sampling,
}

impl Visitor for Sampled {
    /// All that came out, and the matrix calls of key generation.
    type Output = (Vec<u8>, Vec<Output>);

    fn visit<K: Kem>(self) -> Self::Output {
        let mut sym = Profiled::new(Suite::of(self.dry, b"overflow"), MatrixCalls::default());
        let (public_key, secret_key) = keygen::<K>(&mut sym, self.sampling);
        let calls = core::mem::take(&mut sym.probe.0);
        let (ciphertext, secret) = encapsulate::<K>(&mut sym, self.sampling, &public_key);
        assert_eq!(decapsulate::<K>(&mut sym, self.sampling, &secret_key, &ciphertext), secret, "{}", K::name());
        ([public_key, secret_key, ciphertext, secret].concat(), calls)
    }
}

#[test]
fn dry_streams_are_followed_by_those_of_the_next_counter() {
    for instance in instances() {
        for fresh in [0, 1, 50, 100] {
            let eager = Dry { fresh, lanes: 1, block: 32 };
            let (expected, calls) = with(instance, Sampled { dry: eager, sampling: Sampling::Eager });
            let limit = calls[0].out_bytes;
            let dried = calls.iter().filter(|call| call.used_bits as usize == 8 * limit).count();
            let side = if instance == "lwekem512" { 8 } else { 9 };
            let on_diagonal = |d| (0..side * side).filter(|k| (k / side + 2 * (k % side)) % 5 == d).count();
            let [once, twice] = [0, 1].map(on_diagonal);
            assert_eq!(calls.len(), side * side + dried, "{instance}: one more call for each that ran dry");
            // Two helpings of 100 bytes may fill a small polynomial.
            let least = once + if fresh < 100 { 2 * twice } else { twice };
            assert!((least..=once + 2 * twice).contains(&dried), "{instance}: {dried} ran dry");
            let used = |calls: &[Output]| {
                let mut used: Vec<_> = calls.iter().map(|call| call.used_bits).collect();
                used.sort_unstable();
                used
            };
            for (lanes, block) in [(1, 32), (8, 32), (3, 1), (1, 5), (2, 8), (8, 31), (4, 168), (1, 256), (8, 5000)] {
                for sampling in [Sampling::Eager, Sampling::Lazy] {
                    let dry = Dry { fresh, lanes, block };
                    let (got, sampled) = with(instance, Sampled { dry, sampling });
                    assert!(got == expected, "{instance}, {dry:?}, {}", sampling.name());
                    assert_eq!(used(&sampled), used(&calls), "{instance}, {dry:?}, {}", sampling.name());
                    assert!(sampled.iter().all(|call| call.out_bytes <= limit));
                }
            }
        }
    }
}
