//! What a sequence left: the words of one record of the harness, with their names.

/// r0 to r12, lr, sp, APSR, FPSCR, s0 to s31, memory.
pub(crate) const WORDS: usize = 15 + 2 + 32 + 96;

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

/// The records in a run's output.
pub(crate) fn split(output: &[u8]) -> Vec<&[u8]> {
    output.chunks(WORDS * 4).collect()
}

/// The lines in which two records differ.
pub(crate) fn differences(qemu: &[u8], ours: &[u8]) -> Vec<String> {
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
    let pairs = qemu.chunks(4).zip(ours.chunks(4)).enumerate();
    pairs
        .filter(|(_, (left, right))| left != right)
        .map(|(index, (left, right))| format!("{:<12} qemu {:08x}  m4sim {:08x}", name(index), word(left), word(right)))
        .collect()
}
