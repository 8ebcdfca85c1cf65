use core::fmt;

/// Declares [`Phase`] once: the variants, their names and (with `tracing`) a span callsite for each.
macro_rules! phases {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A phase of a scheme, as a span on the probe. The first three are whole operations.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Phase { $($(#[$doc])* $variant,)* }

        impl Phase {
            /// Every phase, in the order in which tables list them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in evidence, stacks and spans.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// A new `tracing` span of this name.
            #[cfg(feature = "tracing")]
            pub(crate) fn span(self) -> tracing::Span {
                match self { $(Self::$variant => tracing::info_span!(target: "kemprof::phase", $name),)* }
            }
        }
    };
}

phases! {
    /// Key generation.
    Keygen = "keygen",
    /// Encapsulation.
    Enc = "enc",
    /// Decapsulation.
    Dec = "dec",
    /// Decryption inside decapsulation.
    Decrypt = "decrypt",
    /// Encryption: of encapsulation, and again in decapsulation.
    Encrypt = "encrypt",
    /// Checks of keys and ciphertexts (FIPS 203, section 7).
    Validate = "validate",
    /// The public matrix, by rejection sampling.
    SampleMatrix = "sample_matrix",
    /// Noise and secrets, by a centred binomial distribution.
    SampleNoise = "sample_noise",
    /// Transforms into the NTT domain.
    Ntt = "ntt",
    /// Transforms out of the NTT domain.
    InverseNtt = "intt",
    /// Products of matrix and vector or of vectors in the NTT domain, and additions to them.
    Matvec = "matvec",
    /// The message code: bits to coefficients.
    EncodeMessage = "encode_message",
    /// The message code: coefficients to bits.
    DecodeMessage = "decode_message",
    /// Compression and packing of polynomials to bytes.
    Encode = "encode",
    /// Unpacking and decompression of bytes to polynomials.
    Decode = "decode",
    /// Comparison of ciphertexts and selection of the key, in constant time.
    Compare = "compare",
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
