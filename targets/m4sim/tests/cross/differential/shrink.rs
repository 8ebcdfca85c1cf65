//! From a run that went wrong to its smallest cause: which sequence, which of its units, in what they differ.

use std::process::Command;

use super::bench::{Bench, Verdict};
use super::image::Sequence;
use crate::tools::{OBJDUMP, scratch, succeed};

/// Names the first sequence that goes wrong, without the units that do not matter, with its disassembly.
pub(crate) fn report(bench: &Bench, sequences: &[Sequence]) -> String {
    let mut sequence = first_wrong(bench, sequences).clone();
    let whole = sequence.units.len();
    let mut chunk = whole / 2;
    while chunk >= 1 {
        let mut at = 0;
        while at < sequence.units.len() {
            let mut shorter = sequence.clone();
            shorter.units.drain(at..(at + chunk).min(sequence.units.len()));
            if goes_wrong(bench, std::slice::from_ref(&shorter)) {
                sequence = shorter;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    let how = describe(&bench.compare(std::slice::from_ref(&sequence)));
    let kinds: Vec<&str> = sequence.units.iter().flat_map(|unit| unit.names.iter().copied()).collect();
    let first = describe(&bench.compare(sequences));
    format!(
        "all {} sequences:\n{first}\nthe smallest cause found, {} of {whole} units matter: {}\n{how}\n{}\n{}",
        sequences.len(),
        sequence.units.len(),
        kinds.join(", "),
        sequence.beginning(),
        disassembly(&sequence)
    )
}

fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Same => "nothing goes wrong".to_owned(),
        Verdict::Differs(index, lines) => format!("sequence {index} differs:\n{}", lines.join("\n")),
        Verdict::Broken(message) => message.clone(),
    }
}

fn goes_wrong(bench: &Bench, sequences: &[Sequence]) -> bool {
    !matches!(bench.compare(sequences), Verdict::Same)
}

/// The first sequence that differs; where a run breaks off, found by halving.
fn first_wrong<'a>(bench: &Bench, mut sequences: &'a [Sequence]) -> &'a Sequence {
    while sequences.len() > 1 {
        match bench.compare(sequences) {
            Verdict::Differs(index, _) if goes_wrong(bench, &sequences[index..=index]) => return &sequences[index],
            _ => {
                let (left, right) = sequences.split_at(sequences.len() / 2);
                sequences = if goes_wrong(bench, left) { left } else { right };
            }
        }
    }
    &sequences[0]
}

fn disassembly(sequence: &Sequence) -> String {
    let path = scratch(&format!("random/wrong-{:x}.bin", std::process::id()));
    let bytes: Vec<u8> = sequence.code().iter().flat_map(|half| half.to_le_bytes()).collect();
    if bytes.is_empty() {
        return "(nothing but what starts and ends a sequence)".to_owned();
    }
    std::fs::write(&path, bytes).expect("the code");
    let mut objdump = Command::new(OBJDUMP.0);
    objdump.args(["-D", "-b", "binary", "-m", "armv7e-m", "-M", "force-thumb"]).arg(&path);
    let text = String::from_utf8_lossy(&succeed(&mut objdump)).into_owned();
    text.lines().filter(|line| line.contains(":\t")).collect::<Vec<_>>().join("\n")
}
