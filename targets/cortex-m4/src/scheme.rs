//! A KEM whose name is known only with the request: its sizes and its operations, behind pointers. So everything around the
//! operations is in the image once, not once for each KEM.

use crate::functions::{Functions, Probed};
use kemprof_core::kem::{Error, Visitor};
use kemprof_core::{Kem, Sampling, Symmetric, kem};
use kemprof_protocol::Operation;

/// Keys, ciphertext and shared secret that an operation reads and writes, each of its length.
pub(crate) struct Values<'a> {
    pub(crate) public_key: &'a mut [u8],
    pub(crate) secret_key: &'a mut [u8],
    pub(crate) ciphertext: &'a mut [u8],
    pub(crate) shared_secret: &'a mut [u8],
}

/// The operations over one kind of symmetric functions.
type Operate<S> = fn(Operation, &mut S, Sampling, Values<'_>) -> Result<(), Error>;

/// A KEM. Lengths are in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    pub(crate) public_key: usize,
    pub(crate) secret_key: usize,
    pub(crate) ciphertext: usize,
    pub(crate) shared_secret: usize,
    pub(crate) plain: Operate<Functions>,
    pub(crate) probed: Operate<Probed>,
}

impl Scheme {
    /// The KEM of this name.
    ///
    /// # Panics
    /// When there is none: requests name one that there is.
    pub(crate) fn named(instance: &str) -> Self {
        kem::visit(instance, Find).expect("a request names an instance")
    }
}

struct Find;

impl Visitor for Find {
    type Output = Scheme;

    fn visit<K: Kem>(self) -> Scheme {
        Scheme {
            name: K::name(),
            public_key: K::lengths().public_key,
            secret_key: K::lengths().secret_key,
            ciphertext: K::lengths().ciphertext,
            shared_secret: K::lengths().shared_secret,
            plain: operate::<K, Functions>,
            probed: operate::<K, Probed>,
        }
    }
}

/// Each operation has a frame of its own: together they would take the stack of all three.
fn operate<K: Kem, S: Symmetric>(
    operation: Operation,
    sym: &mut S,
    sampling: Sampling,
    values: Values<'_>,
) -> Result<(), Error> {
    match operation {
        Operation::Keygen => keygen::<K, S>(sym, sampling, values),
        Operation::Enc => encapsulate::<K, S>(sym, sampling, values),
        Operation::Dec => decapsulate::<K, S>(sym, sampling, values),
    }
}

#[inline(never)]
fn keygen<K: Kem, S: Symmetric>(sym: &mut S, sampling: Sampling, values: Values<'_>) -> Result<(), Error> {
    K::keygen(sym, sampling, values.public_key, values.secret_key)
}

#[inline(never)]
fn encapsulate<K: Kem, S: Symmetric>(sym: &mut S, sampling: Sampling, values: Values<'_>) -> Result<(), Error> {
    K::encapsulate(sym, sampling, values.public_key, values.ciphertext, values.shared_secret)
}

#[inline(never)]
fn decapsulate<K: Kem, S: Symmetric>(sym: &mut S, sampling: Sampling, values: Values<'_>) -> Result<(), Error> {
    K::decapsulate(sym, sampling, values.secret_key, values.ciphertext, values.shared_secret)
}
