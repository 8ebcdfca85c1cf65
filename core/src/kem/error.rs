use core::fmt;

/// A buffer of a KEM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The encapsulation key.
    PublicKey,
    /// The decapsulation key.
    SecretKey,
    /// The ciphertext.
    Ciphertext,
    /// The shared secret.
    SharedSecret,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PublicKey => "public key",
            Self::SecretKey => "secret key",
            Self::Ciphertext => "ciphertext",
            Self::SharedSecret => "shared secret",
        })
    }
}

/// Why a KEM refused its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// A buffer is not of its length.
    Length {
        /// Which one.
        part: Part,
        /// The instance's length in bytes.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// The encapsulation key has a coefficient that is not below the modulus (FIPS 203, section 7.2).
    NotReduced,
    /// The hash in the decapsulation key is not that of the encapsulation key in it (FIPS 203, section 7.3).
    KeyHash,
    /// A KEM from outside returned this instead of 0.
    Refused(i32),
}

impl Error {
    /// Checks the length of a buffer.
    ///
    /// # Errors
    /// When `got` is not `expected`.
    pub const fn check_length(part: Part, expected: usize, got: usize) -> Result<(), Self> {
        if got == expected { Ok(()) } else { Err(Self::Length { part, expected, got }) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { part, expected, got } => write!(f, "the {part} has {got} bytes, expected {expected}"),
            Self::NotReduced => f.write_str("the public key has a coefficient that is not below the modulus"),
            Self::Refused(code) => write!(f, "it returned {code}, expected 0"),
            Self::KeyHash => f.write_str("the secret key does not hold the hash of its public key"),
        }
    }
}

impl core::error::Error for Error {}
