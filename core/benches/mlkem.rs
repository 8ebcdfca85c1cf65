//! ML-KEM over the standard functions against the `ml-kem` crate, both from bytes to bytes, samples interleaved.
//!
//! `cargo bench -p kemprof-core --bench mlkem`

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use kemprof_core::kem::mlkem::{MlKem512, MlKem768, MlKem1024};
use kemprof_core::{Any, Kem, Sampling, Suite};
use ml_kem::kem::{Decapsulate, KeyExport};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Samples of each.
const ROUNDS: usize = 2001;
/// Operations of one sample: reading the clock should not show.
const BATCH: u32 = 4;

/// Times per operation.
struct Samples(Vec<Duration>);

impl Samples {
    /// The shortest and the median, in microseconds.
    fn summary(&mut self) -> (f64, f64) {
        self.0.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        (micros(self.0[0]), micros(self.0[self.0.len() / 2]))
    }
}

fn sample<R>(samples: &mut Samples, mut operation: impl FnMut() -> R) {
    let start = Instant::now();
    for _ in 0..BATCH {
        black_box(operation());
    }
    samples.0.push(start.elapsed() / BATCH);
}

/// Takes samples of both by turns, and prints a line.
fn compare<A, B>(what: &str, rounds: usize, mut ours: impl FnMut() -> A, mut theirs: impl FnMut() -> B) {
    let (mut our_samples, mut their_samples) = (Samples(Vec::new()), Samples(Vec::new()));
    for _ in 0..rounds {
        sample(&mut our_samples, &mut ours);
        sample(&mut their_samples, &mut theirs);
    }
    let ((our_min, our_median), (their_min, their_median)) = (our_samples.summary(), their_samples.summary());
    let ratio = their_median / our_median;
    println!("{what:<35} {our_min:>8.2} {our_median:>8.2} {their_min:>10.2} {their_median:>8.2} {ratio:>8.2}");
}

macro_rules! compare {
    ($instance:ident, $rounds:expr) => {{
        type Theirs = ml_kem::DecapsulationKey<ml_kem::$instance>;
        let sym = &mut Suite::of(Any::Shake, b"benchmark");
        let (mut public, mut secret) = ([0; $instance::PUBLIC_KEY], [0; $instance::SECRET_KEY]);
        let (mut ciphertext, mut shared) = ([0; $instance::CIPHERTEXT], [0; 32]);
        let seed = [7; 64];
        let name = |operation| format!("{} {operation}", $instance::NAME);
        compare(
            &name("keygen"),
            $rounds,
            || $instance::keygen(sym, Sampling::Lazy, &mut public, &mut secret),
            || {
                let key = Theirs::from_seed(black_box(seed).into());
                (key.encapsulation_key().to_bytes(), expanded(&key))
            },
        );
        let key = Theirs::from_seed(seed.into());
        let (their_public, their_secret) = (key.encapsulation_key().to_bytes(), expanded(&key));
        compare(
            &name("enc"),
            $rounds,
            || $instance::encapsulate(sym, Sampling::Lazy, &public, &mut ciphertext, &mut shared),
            || {
                let key = ml_kem::EncapsulationKey::<ml_kem::$instance>::new(&their_public).expect("the key is right");
                key.encapsulate_deterministic(&black_box([9; 32]).into())
            },
        );
        let (their_ciphertext, _) = key.encapsulation_key().encapsulate_deterministic(&[9; 32].into());
        #[expect(deprecated, reason = "the expanded key is what FIPS 203 defines")]
        compare(
            &name("dec"),
            $rounds,
            || $instance::decapsulate(sym, Sampling::Lazy, &secret, &ciphertext, &mut shared),
            || {
                let key = Theirs::from_expanded(&their_secret).expect("the key is right");
                key.decapsulate(&their_ciphertext)
            },
        );
        compare(
            &name("dec, key parsed before"),
            $rounds,
            || $instance::decapsulate_unchecked(sym, Sampling::Lazy, &secret, &ciphertext, &mut shared),
            || key.decapsulate(&their_ciphertext),
        );
    }};
}

#[expect(deprecated, reason = "the expanded key is what FIPS 203 defines")]
fn expanded<K: ml_kem::ExpandedKeyEncoding>(key: &K) -> ml_kem::array::Array<u8, K::EncodedSize> {
    key.to_expanded_bytes()
}

fn main() {
    // `cargo test --benches` runs this too, where one short round shows that it still works.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { ROUNDS } else { 1 };
    println!("microseconds an operation, {rounds} samples of {BATCH} each, by turns");
    println!("{:<35} {:>8} {:>8} {:>10} {:>8} {:>8}", "", "min", "median", "ml-kem min", "median", "ratio");
    compare!(MlKem512, rounds);
    compare!(MlKem768, rounds);
    compare!(MlKem1024, rounds);
}
