//! Lanes of a vector that a comparison chooses, moved to its front.

/// 16-bit lanes of half a vector.
const LANES: usize = 8;

/// For every set of eight 16-bit lanes, one bit each, the bytes that move those in the set to the front.
pub(in crate::kem) static COMPACTION_TABLE: [[u8; 2 * LANES]; 1 << LANES] = {
    let mut front = [[0; 2 * LANES]; 1 << LANES];
    let mut set = 0;
    while set < front.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                front[set][2 * to] = 2 * lane as u8;
                front[set][2 * to + 1] = 2 * lane as u8 + 1;
                to += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    front
};
