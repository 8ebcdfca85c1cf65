//! A guest is tried before it is measured, in a process that may crash: do its operations agree, stay in their buffers, and depend on
//! nothing but the seed?

use super::library::GuestKem;
use crate::runner::SuiteSpec;
use kemprof_core::kem::{Error, Lengths};
use kemprof_core::{Any, Kem, Sampling, Suite};
use std::fmt;
use std::time::{Duration, Instant};

/// Key pairs that are tried, each with one encapsulation; fewer of a slow KEM.
const ROUNDS: u32 = 100;
/// After so long, no further one is tried.
const LONG: Duration = Duration::from_secs(15);
/// Bytes on either side of a buffer that must stay as they are.
const MARGIN: usize = 4096;
const MARK: u8 = 0xa5;

/// What is wrong with a guest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Decapsulation does not give the secret of encapsulation.
    Mismatch {
        /// In which round, from 1.
        round: u32,
    },
    /// An operation writes beside a buffer.
    Overflow {
        /// The operation.
        operation: &'static str,
        /// The buffer.
        buffer: &'static str,
        /// How many bytes too far.
        bytes: usize,
        /// Whether behind its end rather than before its beginning.
        behind: bool,
    },
    /// Two runs with one seed differ.
    Nondeterministic {
        /// In what.
        buffer: &'static str,
    },
    /// An operation refuses its own keys or ciphertext.
    Refused {
        /// The operation.
        operation: &'static str,
        /// How.
        error: Error,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch { round } => write!(
                f,
                "MISMATCH: decapsulation gives another secret than encapsulation (key pair {round} of {ROUNDS})"
            ),
            Self::Overflow { operation, buffer, bytes, behind } => {
                let (bytes, place) = (crate::words::plural(*bytes, "byte"), if *behind { "behind" } else { "before" });
                write!(f, "OVERFLOW: {operation} writes {bytes} {place} the {buffer}")
            }
            Self::Nondeterministic { buffer } => write!(
                f,
                "NONDETERMINISTIC: the {buffer} differs between two runs with one seed: it depends on something else than the generator"
            ),
            Self::Refused { operation, error } => write!(f, "REFUSED: {operation} fails: {error}"),
        }
    }
}

/// A buffer with margins.
struct Guarded {
    name: &'static str,
    bytes: Vec<u8>,
}

impl Guarded {
    fn new(name: &'static str, length: usize) -> Self {
        Self { name, bytes: vec![MARK; length + 2 * MARGIN] }
    }

    fn inner(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - MARGIN;
        &mut self.bytes[MARGIN..end]
    }

    fn check(&self, operation: &'static str) -> Result<(), Flaw> {
        let (before, rest) = self.bytes.split_at(MARGIN);
        let behind = &rest[rest.len() - MARGIN..];
        let overflow = |bytes, behind| Flaw::Overflow { operation, buffer: self.name, bytes, behind };
        if let Some(first) = before.iter().position(|&byte| byte != MARK) {
            return Err(overflow(MARGIN - first, false));
        }
        behind.iter().rposition(|&byte| byte != MARK).map_or(Ok(()), |last| Err(overflow(last + 1, true)))
    }
}

/// The buffers of one run: public key, secret key, ciphertext, and the secrets of both sides.
struct Buffers([Guarded; 5]);

impl Buffers {
    fn new(lengths: Lengths) -> Self {
        Self([
            Guarded::new("public key", lengths.public_key),
            Guarded::new("secret key", lengths.secret_key),
            Guarded::new("ciphertext", lengths.ciphertext),
            Guarded::new("shared secret", lengths.shared_secret),
            Guarded::new("shared secret", lengths.shared_secret),
        ])
    }

    /// The three operations; `begins` hears of each.
    fn round(&mut self, sym: &mut Suite<Any>, begins: &mut dyn FnMut(&'static str)) -> Result<(), Flaw> {
        let [pk, sk, ct, sent, received] = &mut self.0;
        let refused = |operation| move |error| Flaw::Refused { operation, error };
        begins("keygen");
        GuestKem::keygen(sym, Sampling::Eager, pk.inner(), sk.inner()).map_err(refused("keygen"))?;
        begins("enc");
        GuestKem::encapsulate(sym, Sampling::Eager, pk.inner(), ct.inner(), sent.inner()).map_err(refused("enc"))?;
        begins("dec");
        GuestKem::decapsulate(sym, Sampling::Eager, sk.inner(), ct.inner(), received.inner())
            .map_err(refused("dec"))?;
        for (operation, buffers) in [("keygen", &self.0[..2]), ("enc", &self.0[2..4]), ("dec", &self.0[4..])] {
            buffers.iter().try_for_each(|buffer| buffer.check(operation))?;
        }
        Ok(())
    }
}

/// What is wrong with one run of the guest over these functions, if anything is.
#[must_use]
pub fn disagrees(mut sym: Suite<Any>) -> Option<Flaw> {
    let mut buffers = Buffers::new(GuestKem::lengths());
    if let Err(flaw) = buffers.round(&mut sym, &mut |_| ()) {
        return Some(flaw);
    }
    let [.., sent, received] = &mut buffers.0;
    (sent.inner() != received.inner()).then_some(Flaw::Mismatch { round: 1 })
}

/// Tries the guest of this process. `begins` hears of each operation, so that a crash has a name.
///
/// # Errors
/// The first [`Flaw`].
pub fn examine(mut begins: impl FnMut(&'static str)) -> Result<(), Flaw> {
    let lengths = GuestKem::lengths();
    let fresh = || {
        GuestKem::seed(&[7; 48]);
        SuiteSpec::OWN.build(&[7; 48])
    };
    let mut first: Option<Buffers> = None;
    for _ in 0..2 {
        let (mut sym, mut buffers) = (fresh(), Buffers::new(lengths));
        buffers.round(&mut sym, &mut begins)?;
        if let Some(first) = &first {
            let differs = first.0.iter().zip(&buffers.0).find(|(one, other)| one.bytes != other.bytes);
            if let Some((buffer, _)) = differs {
                return Err(Flaw::Nondeterministic { buffer: buffer.name });
            }
        }
        first = Some(buffers);
    }
    let (mut sym, mut buffers) = (fresh(), Buffers::new(lengths));
    let began = Instant::now();
    for round in (1..=ROUNDS).take_while(|_| began.elapsed() < LONG) {
        buffers.round(&mut sym, &mut begins)?;
        let [.., sent, received] = &mut buffers.0;
        if sent.inner() != received.inner() {
            return Err(Flaw::Mismatch { round });
        }
    }
    Ok(())
}
