//! What a sequence left: the words of one record of the harness, with their names.

/// r0 to r12, lr, sp, APSR, FPSCR, s0 to s31, memory.
const WORDS: usize = 15 + 2 + 32 + 96;

/// The name of the word at `index` of a record.
fn name(index: usize) -> String {
    match index {
        0..=12 => format!("r{index}"),
        13 => "lr".into(),
        14 => "sp".into(),
        15 => "apsr".into(),
        16 => "fpscr".into(),
        17..=48 => format!("s{}", index - 17),
        _ => format!("memory+{:#x}", (index - 49) * 4),
    }
}

/// The size of the output of so many sequences: their records and the count of interrupts.
pub(crate) fn size(sequences: usize) -> usize {
    sequences * WORDS * 4 + 4
}

/// The records in a run's output, and how many interrupts there were.
pub(crate) fn split(output: &[u8]) -> (Vec<&[u8]>, u32) {
    let (records, interrupts) = output.split_at(output.len().saturating_sub(4));
    (records.chunks(WORDS * 4).collect(), word(interrupts))
}

fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map(u32::from_le_bytes).unwrap_or_default()
}

/// The lines in which two records differ.
pub(crate) fn differences(expected: &[u8], ours: &[u8]) -> Vec<String> {
    let pairs = expected.chunks(4).zip(ours.chunks(4)).enumerate();
    pairs
        .filter(|(_, (left, right))| left != right)
        .map(|(index, (left, right))| {
            format!("{:<12} expected {:08x}  m4sim {:08x}", name(index), word(left), word(right))
        })
        .collect()
}
