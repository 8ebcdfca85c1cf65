//! A seeded source of numbers, leaning towards those that make arithmetic overflow, saturate or round.

/// SplitMix64: the same numbers for the same seed, for ever.
pub(crate) struct Random(u64);

/// Words that matter to integers: to sums, to halfwords and bytes side by side, as amounts of shifts.
#[rustfmt::skip]
const INTEGERS: [u32; 28] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF,
    0x0001_0001, 0x8000_8000, 0x7FFF_7FFF, 0x8000_7FFF, 0xFFFF_8000, 0x8080_8080, 0x7F7F_7F7F, 0x8080_7F7F,
    31, 32, 33, 64, 0x100, 0x1FF,
];

/// Words that matter as single-precision numbers: zeros, ones, subnormals, limits, infinities, NaNs, limits of integers.
#[rustfmt::skip]
const FLOATS: [u32; 28] = [
    0, 0x8000_0000, 0x3F80_0000, 0xBF80_0000, 1, 0x8000_0001, 0x007F_FFFF, 0x0080_0000, 0x8080_0000, 0x7F7F_FFFF,
    0xFF7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7F80_0000, 0x7FC0_0000, 0xFFC1_2345, 0x7F80_0001, 0xFFA0_0000, 0x4F00_0000,
    0xCF00_0000, 0x4F7F_FFFF, 0x3F00_0000, 0x3EFF_FFFF, 0x477F_E000, 0x3380_0000, 0x3FFF_FFFF, 0x7340_0000, 0x0C80_0000,
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A register other than sp and pc.
    pub(crate) fn register(&mut self) -> u32 {
        self.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14])
    }

    /// An edge of integers.
    pub(crate) fn integer_edge(&mut self) -> u32 {
        self.pick(&INTEGERS)
    }

    /// An edge of floating-point numbers.
    pub(crate) fn float_edge(&mut self) -> u32 {
        self.pick(&FLOATS)
    }

    /// A word as an integer operand: an edge, a small number, or any.
    pub(crate) fn integer(&mut self) -> u32 {
        match self.below(4) {
            0 => self.integer_edge(),
            1 => self.word() >> self.below(32),
            2 => ((self.word() as i32) >> self.below(32)) as u32,
            _ => self.word(),
        }
    }

    /// A word as a floating-point operand: an edge, a number near one (so that sums cancel and round), or any.
    pub(crate) fn float(&mut self) -> u32 {
        match self.below(4) {
            0 => self.float_edge(),
            1 => (self.word() & 0x81FF_FFFF) | 0x3E00_0000,
            2 => (self.word() & 0x8F9F_FFFF) | 0x4000_0000,
            _ => self.word(),
        }
    }
}
