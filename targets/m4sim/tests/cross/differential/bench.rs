//! Runs sequences in two ways and compares what they leave.

use super::image::{self, MEMORY, PLAIN, Sequence, Setting};
use super::record;
use super::unit::Unit;
use crate::run::{Console, Outcome, m4sim, qemu};
use crate::tools::scratch;

/// Two ways to run sequences: one that is right, and ours.
pub(crate) struct Bench {
    harness: Vec<u8>,
    name: String,
    expected: Side,
    ours: Side,
}

#[derive(Clone, Copy)]
struct Side {
    on_qemu: bool,
    setting: Setting,
}

/// How two runs compare.
pub(crate) enum Verdict {
    Same,
    /// The first sequence that differs, and in what.
    Differs(usize, Vec<String>),
    /// One side did not come to the end; what it said.
    Broken(String),
}

impl Bench {
    /// QEMU and the simulator. `name` keeps the files of tests that run at a time apart.
    pub(crate) fn against_qemu(name: &str) -> Self {
        let side = |on_qemu| Side { on_qemu, setting: PLAIN };
        Self { harness: image::harness(name), name: name.to_owned(), expected: side(true), ours: side(false) }
    }

    /// The simulator without interrupts, and with one every so many cycles.
    pub(crate) fn with_interrupts(ticks: u32) -> Self {
        // The stack is far from the data that sequences access, so that stacked frames do not show.
        let side = |ticks| Side { on_qemu: false, setting: Setting { stack: MEMORY + 0x4000, ticks } };
        let name = format!("interrupts-{ticks}");
        Self { harness: image::harness(&name), name, expected: side(0), ours: side(ticks) }
    }

    /// Whether `unit` leaves the same on both sides: interrupts write below sp and end exclusive states.
    pub(crate) fn suits(&self, unit: &Unit) -> bool {
        self.ours.setting.ticks == 0 || !["stack", "pop pc", "exclusives"].contains(&unit.names[0])
    }

    pub(crate) fn compare(&self, sequences: &[Sequence]) -> Verdict {
        let run = |what: &str, side: Side| self.run(what, side, sequences);
        let (theirs, ours) = match (run("expected", self.expected), run("ours", self.ours)) {
            (Ok(theirs), Ok(ours)) => (theirs, ours),
            (Err(message), _) | (_, Err(message)) => return Verdict::Broken(message),
        };
        let ((theirs, _), (ours, interrupts)) = (record::split(&theirs.output), record::split(&ours.output));
        // A single short sequence may be over before the first.
        if sequences.len() > 100 && (interrupts == 0) != (self.ours.setting.ticks == 0) {
            return Verdict::Broken(format!("{interrupts} interrupts"));
        }
        let mut pairs = theirs.into_iter().zip(ours).enumerate();
        pairs
            .find(|(_, (left, right))| left != right)
            .map_or(Verdict::Same, |(index, (left, right))| Verdict::Differs(index, record::differences(left, right)))
    }

    fn run(&self, what: &str, side: Side, sequences: &[Sequence]) -> Result<Outcome, String> {
        let path = scratch(&format!("random/{}-{what}.elf", self.name));
        image::write(&path, &self.harness, sequences, side.setting);
        let (who, run) = match side.on_qemu {
            true => ("qemu", qemu(&path, &[], Console::Semihosting)),
            false => ("m4sim", m4sim(&path, &[], &[])),
        };
        if run.output.len() == record::size(sequences.len()) && run.status == Some(0) {
            return Ok(run);
        }
        let said = String::from_utf8_lossy(&run.output[run.output.len().saturating_sub(200)..]);
        Err(format!("{who} ({what}): status {:?}, {said} {}", run.status, run.messages))
    }
}
