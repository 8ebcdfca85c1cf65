//! One record of known answers: a key pair, an encapsulation to it, and a decapsulation that must agree.

use crate::arena::Arena;
use crate::bench::Bench;
use crate::fail::Failure;
use crate::functions::Functions;
use crate::stack;
use arrayvec::ArrayVec;
use kemprof_m4::draws::{Draws, Source};
use kemprof_protocol::{Digests, Operation, Randomness, Record};
use sha2::{Digest, Sha256};

/// Bytes of a shared secret at the most.
const MAX_SECRET: usize = 64;

/// The command `record`.
#[inline(never)]
pub(crate) fn make(record: &Record, arena: Arena) -> Result<Digests, Failure> {
    let Record { subject, randomness } = record;
    let mut bench = Bench::new(*subject, arena, 1)?;
    let mut suite = match randomness {
        Randomness::Seed(seed) => Functions::new(&subject.backends, seed),
        Randomness::Draws(draws) => Functions::with(&subject.backends, Source::Draws(Draws::new(draws.clone()))),
    };
    let (result, used) = stack::measure(|_| exchange(&mut bench, &mut suite));
    let secret = result?;
    used?;
    let values = bench.values(0);
    if secret[..] != *values.shared_secret {
        return Err(Failure::Disagreement { instance: subject.instance });
    }
    if let Source::Draws(draws) = suite.source() {
        let (drawn, given) = draws.account();
        if drawn != given {
            return Err(Failure::Draws { instance: subject.instance, drawn, given });
        }
    }
    Ok(digests([values.public_key, values.secret_key, values.ciphertext, values.shared_secret]))
}

/// Runs all three operations; the secret of the encapsulation. That of the decapsulation stays in its place.
fn exchange(bench: &mut Bench, suite: &mut Functions) -> Result<ArrayVec<u8, MAX_SECRET>, Failure> {
    bench.run(Operation::Keygen, suite, 0)?;
    bench.run(Operation::Enc, suite, 0)?;
    let place = bench.values(0).shared_secret;
    let secret = ArrayVec::try_from(&*place).expect("no scheme has a longer secret");
    place.fill(0);
    bench.run(Operation::Dec, suite, 0)?;
    Ok(secret)
}

fn digests(values: [&[u8]; 4]) -> Digests {
    let [pk, sk, ct, ss] = values.map(|value| Sha256::digest(value).into());
    let mut all = Sha256::new();
    values.iter().for_each(|value| all.update(value));
    Digests { pk, sk, ct, ss, all: all.finalize().into() }
}
