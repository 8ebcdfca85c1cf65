use core::fmt;

/// What a scheme uses a symmetric function for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Role {
    /// Expansion of the public matrix from its seed.
    Matrix,
    /// Noise and secret polynomials from a seed and a nonce (the PRF).
    Noise,
    /// The hash of the encapsulation key (H of FIPS 203, section 4.1).
    H,
    /// Derivation of several seeds or of key and coins at once (G of FIPS 203, section 4.1).
    G,
    /// The key of implicit rejection (J of FIPS 203, section 4.1).
    J,
    /// The last step to the shared secret where a scheme has one (Kyber round 3).
    Kdf,
    /// Random bytes drawn from the deterministic random number generator.
    Entropy,
    /// Whatever a scheme from outside does not say.
    Other,
}

impl Role {
    /// Every role that a backend serves, in the order in which tables list them.
    pub const ALL: [Self; 7] = [Self::Matrix, Self::Noise, Self::G, Self::H, Self::J, Self::Kdf, Self::Entropy];

    /// The name in evidence and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::Noise => "noise",
            Self::H => "h",
            Self::G => "g",
            Self::J => "j",
            Self::Kdf => "kdf",
            Self::Entropy => "entropy",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
