use super::{Form, Function, Role};

/// A symmetric call as it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function that runs.
    pub function: Function,
    /// How its output is asked for.
    pub form: Form,
    /// What the scheme uses it for.
    pub role: Role,
    /// Which function of its own a scheme from outside calls, from 1; 0 for that of a backend.
    pub own: u8,
    /// Bytes of input, of each lane.
    pub in_bytes: usize,
    /// Bytes of them with which the messages of all lanes begin; 0 for a call that is no batch.
    pub prefix_bytes: usize,
    /// Messages that run together as one call.
    pub lanes: usize,
}

/// What is known of one lane of a call when it has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Output {
    /// Bytes that the function put out.
    pub out_bytes: usize,
    /// Bits of them that the scheme consumed.
    pub used_bits: u32,
    /// Permutations (or compressions) that it ran.
    pub permutations: u64,
}
