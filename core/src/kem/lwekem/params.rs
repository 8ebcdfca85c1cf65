//! The parameters of the three instances, and what follows from them.

/// The parameters of an instance. `N` coefficients and `L` polynomials are part of its type.
pub trait Params {
    /// The name on the command line and in evidence.
    const NAME: &'static str;
    /// The prime modulus q; 2·N divides q - 1.
    const Q: u16;
    /// Bits of a packed coefficient of keys.
    const LOG_Q: usize;
    /// Bits of a packed coefficient of the ciphertext's vector u.
    const LOG_P: usize;
    /// Bits of a packed coefficient of the ciphertext's polynomial v.
    const LOG_T: usize;
    /// The parameter of the centred binomial distribution: coefficients are from -ETA to ETA.
    const ETA: usize;
    /// Bytes of seeds, messages and shared secrets.
    const SEED: usize;
    /// The smaller step of the message code.
    const BETA: u16;
    /// A primitive 2·N-th root of unity modulo q.
    const PSI: u16;
}

/// Rudraksh2, the NGCC candidate kem-34: a KEM over module learning with errors, with vectors of `L` polynomials of `N`
/// coefficients.
#[derive(Clone, Copy, Debug)]
pub struct Lwekem<const N: usize, const L: usize>;

/// The instance with 16-byte secrets.
pub type Lwekem128 = Lwekem<64, 9>;
/// The instance with 32-byte secrets.
pub type Lwekem256 = Lwekem<128, 9>;
/// The instance with 64-byte secrets.
pub type Lwekem512 = Lwekem<256, 8>;

impl Params for Lwekem128 {
    const NAME: &'static str = "lwekem128";
    const Q: u16 = 3329;
    const LOG_Q: usize = 12;
    const LOG_P: usize = 12;
    const LOG_T: usize = 6;
    const ETA: usize = 2;
    const SEED: usize = 16;
    const BETA: u16 = 220;
    const PSI: u16 = 33;
}

impl Params for Lwekem256 {
    const NAME: &'static str = "lwekem256";
    const Q: u16 = 3329;
    const LOG_Q: usize = 12;
    const LOG_P: usize = 11;
    const LOG_T: usize = 9;
    const ETA: usize = 1;
    const SEED: usize = 32;
    const BETA: u16 = 220;
    const PSI: u16 = 17;
}

impl Params for Lwekem512 {
    const NAME: &'static str = "lwekem512";
    const Q: u16 = 7681;
    const LOG_Q: usize = 13;
    const LOG_P: usize = 13;
    const LOG_T: usize = 7;
    const ETA: usize = 2;
    const SEED: usize = 64;
    const BETA: u16 = 510;
    const PSI: u16 = 62;
}

/// The longest seed of an instance, in bytes.
pub(super) const MAX_SEED: usize = 64;
/// The widest packed coefficient of an instance, in bits.
pub(super) const MAX_LOG_Q: usize = 13;

/// `base`^`exponent` modulo `q`.
pub(super) const fn power(base: u32, mut exponent: u32, q: u32) -> u32 {
    let (mut base, mut result) = (base % q, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % q;
        }
        base = base * base % q;
        exponent >>= 1;
    }
    result
}

/// The inverse of `value` modulo the prime `q` (Fermat).
pub(super) const fn inverse(value: u32, q: u32) -> u32 {
    power(value, q - 2, q)
}

impl<const N: usize, const L: usize> Lwekem<N, L>
where
    Self: Params,
{
    /// What every instance must fulfil; evaluated at compile time.
    pub(super) const VALID: () = {
        let q = Self::Q as u32;
        assert!(power(Self::PSI as u32, N as u32, q) == q - 1, "psi is a primitive 2·N-th root of unity");
        assert!(Self::SEED <= MAX_SEED && Self::LOG_Q <= MAX_LOG_Q && Self::LOG_P <= Self::LOG_Q);
        assert!(q < 1 << Self::LOG_Q && 2 * q > 1 << Self::LOG_Q, "packed coefficients waste less than a bit");
        assert!(N == 4 * Self::SEED, "a message has four bits for every pair of coefficients");
        assert!(L * Self::LOG_P + Self::LOG_T <= L * 16, "two bytes for each coefficient of u leave room for v");
        assert!(L * L <= 256 && N.is_multiple_of(16));
        let largest_sum = L as u64 * (1 << (2 * Self::LOG_Q));
        assert!(largest_sum < 1 << 30, "sums of products, and what is subtracted from them, fit in 32 bits");
        assert!((largest_sum >> 16) + q as u64 / 2 < 1 << 15, "and their 2^16th in 16");
    };
}
