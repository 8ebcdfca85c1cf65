use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// Whether two byte strings of one length are equal, in time that depends on the length alone.
///
/// `subtle` compares slices byte by byte behind a barrier each, which costs more than the rest of a decapsulation's
/// comparison together; here the differences are gathered first and `subtle` judges the sum of them.
pub(in crate::kem) fn ct_eq(left: &[u8], right: &[u8]) -> Choice {
    assert_eq!(left.len(), right.len(), "lengths are the scheme's own");
    let difference = left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right));
    // The compiler must not see that a first difference already decides.
    core::hint::black_box(difference).ct_eq(&0)
}

/// Overwrites `to` with `from`, of one length, if `choice` says so, in the same time if not.
pub(in crate::kem) fn ct_assign(choice: Choice, to: &mut [u8], from: &[u8]) {
    assert_eq!(to.len(), from.len(), "lengths are the scheme's own");
    for (to, from) in to.iter_mut().zip(from) {
        to.conditional_assign(from, choice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_anywhere_makes_a_difference() {
        let left: [u8; 100] = core::array::from_fn(|i| i as u8);
        assert!(bool::from(ct_eq(&left, &left)));
        for bit in 0..8 * left.len() {
            let mut right = left;
            right[bit / 8] ^= 1 << (bit % 8);
            assert!(!bool::from(ct_eq(&left, &right)));
        }
        assert!(bool::from(ct_eq(&[], &[])));
    }

    #[test]
    fn assigns_all_or_nothing() {
        let mut to = [1, 2, 3];
        ct_assign(Choice::from(0), &mut to, &[4, 5, 6]);
        assert_eq!(to, [1, 2, 3]);
        ct_assign(Choice::from(1), &mut to, &[4, 5, 6]);
        assert_eq!(to, [4, 5, 6]);
    }
}
