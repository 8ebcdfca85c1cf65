//! Values of a few bits each as bytes: ByteEncode and ByteDecode of FIPS 203, section 4.2.1.

/// Values that are packed together: eight values of D bits are D whole bytes.
const GROUP: usize = 8;

/// Packs values below 2^D, least significant bits first, D from 1 to 16. Eight values become D bytes.
#[inline(always)]
pub(in crate::kem) fn pack<const D: usize>(values: &[u16], bytes: &mut [u8]) {
    debug_assert_eq!(values.len() * D, 8 * bytes.len());
    let (groups, _) = values.as_chunks::<GROUP>();
    let (outputs, _) = bytes.as_chunks_mut::<D>();
    for (group, output) in groups.iter().zip(outputs) {
        let half = |from: usize| (0..4).fold(0, |word, i| word | u64::from(group[from + i]) << (i * D));
        let word = u128::from(half(0)) | u128::from(half(4)) << (4 * D);
        output.copy_from_slice(&word.to_le_bytes()[..D]);
    }
}

/// Unpacks what [`pack`] packed: D bytes become eight values below 2^D.
#[inline(always)]
pub(in crate::kem) fn unpack<const D: usize>(bytes: &[u8], values: &mut [u16]) {
    debug_assert_eq!(values.len() * D, 8 * bytes.len());
    let (inputs, _) = bytes.as_chunks::<D>();
    let (groups, _) = values.as_chunks_mut::<GROUP>();
    for (input, group) in inputs.iter().zip(groups) {
        let mut word = [0; 16];
        word[..D].copy_from_slice(input);
        let word = u128::from_le_bytes(word);
        let mask = ((1u32 << D) - 1) as u16;
        let halves = [word as u64, (word >> (4 * D)) as u64];
        for (i, value) in group.iter_mut().enumerate() {
            *value = (halves[i / 4] >> (i % 4 * D)) as u16 & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit `i` of the packed string is bit `i % D` of value `i / D`.
    fn follows_the_definition<const D: usize>() {
        let mut values = [0; 64];
        for (i, value) in (0u32..).zip(&mut values) {
            *value = (i.wrapping_mul(0x9e37_79b9) >> (32 - D)) as u16;
        }
        let mut bytes = [0; 8 * 16];
        let bytes = &mut bytes[..8 * D];
        pack::<D>(&values, bytes);
        for i in 0..64 * D {
            assert_eq!(u16::from(bytes[i / 8] >> (i % 8) & 1), values[i / D] >> (i % D) & 1, "bit {i} of width {D}");
        }
        let mut unpacked = [0; 64];
        unpack::<D>(bytes, &mut unpacked);
        assert_eq!(unpacked, values, "width {D}");
    }

    #[test]
    fn every_width_follows_the_definition_and_comes_back() {
        follows_the_definition::<1>();
        follows_the_definition::<4>();
        follows_the_definition::<5>();
        follows_the_definition::<10>();
        follows_the_definition::<11>();
        follows_the_definition::<12>();
        follows_the_definition::<13>();
        follows_the_definition::<16>();
    }
}
