/// How a function is asked for its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// Output of a length that the function fixes, in bytes (32 or 64).
    Fixed(usize),
    /// Output of any length.
    Extendable,
    /// Output of a generator that keeps state between calls.
    Generator,
}

/// A symmetric function as a backend provides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name in evidence and tables: `pseudoXOF`, `shake128`, `sha3_256`, `drng`, ...
    pub name: &'static str,
    /// What its work is counted in: `sm3-compression`, `keccak-f[1600]`, `keccak-p[1600,12]`, ...
    pub permutation: &'static str,
    /// Bytes that one permutation absorbs.
    pub absorb_rate: usize,
    /// Bytes that one permutation yields when squeezing.
    pub squeeze_rate: usize,
}
