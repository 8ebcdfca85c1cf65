//! The probe that opens `tracing` spans.

use crate::probe::{Call, Output, Probe};
use crate::symmetric::Phase;
use tracing::Span;
use tracing::field::Empty;

/// Phases that may be open at once.
const DEPTH: usize = 12;

/// Opens a span for every phase and every symmetric call, for any `tracing` subscriber to listen to.
///
/// Phases are spans of their own name with the target `kemprof::phase`. Calls are spans named `symmetric` with the target
/// `kemprof::symmetric` and the fields `function`, `role`, `lanes`, `in_bits`, `out_bits`, `used_bits` and
/// `permutations`, the last four totals over the lanes, of which three are recorded when the call closes. A call that is squeezed
/// several times enters its span several times.
#[derive(Debug)]
pub struct TracingProbe {
    phases: [Option<Span>; DEPTH],
    depth: usize,
}

impl TracingProbe {
    /// A probe with no phase open.
    #[must_use]
    pub const fn new() -> Self {
        Self { phases: [const { None }; DEPTH], depth: 0 }
    }
}

impl Default for TracingProbe {
    fn default() -> Self {
        Self::new()
    }
}

fn enter(span: &Span) {
    span.with_subscriber(|(id, dispatch)| dispatch.enter(id));
}

fn exit(span: &Span) {
    span.with_subscriber(|(id, dispatch)| dispatch.exit(id));
}

impl Probe for TracingProbe {
    type Open = Span;

    fn enter(&mut self, phase: Phase) {
        // Deeper phases than any scheme has would go unseen; their calls would still nest rightly.
        if let Some(slot) = self.phases.get_mut(self.depth) {
            let span = phase.span();
            enter(&span);
            *slot = Some(span);
        }
        self.depth += 1;
    }

    fn exit(&mut self, _phase: Phase) {
        self.depth = self.depth.saturating_sub(1);
        if let Some(span) = self.phases.get_mut(self.depth).and_then(Option::take) {
            exit(&span);
        }
    }

    fn open(&mut self, call: &Call) -> Span {
        tracing::info_span!(
            target: "kemprof::symmetric",
            "symmetric",
            function = call.function.name,
            role = call.role.name(),
            lanes = call.lanes,
            in_bits = 8 * call.in_bytes * call.lanes,
            out_bits = Empty,
            used_bits = Empty,
            permutations = Empty,
        )
    }

    fn resume(&mut self, open: &mut Span) {
        enter(open);
    }

    fn pause(&mut self, open: &mut Span) {
        exit(open);
    }

    fn close(&mut self, open: Span, _call: &Call, outputs: &[Output]) {
        let mut total = Output::default();
        for output in outputs {
            total.out_bytes += output.out_bytes;
            total.used_bits += output.used_bits;
            total.permutations += output.permutations;
        }
        open.record("out_bits", 8 * total.out_bytes)
            .record("used_bits", total.used_bits)
            .record("permutations", total.permutations);
    }
}
