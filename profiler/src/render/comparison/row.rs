use super::explanation::{self, Explanation};
use crate::analysis::amdahl::Ceiling;
use crate::analysis::comparison::{Comparison, FunctionCost};
use crate::analysis::stats::Interval;
use crate::evidence::{Backends, CounterRecord, Evidence, OWN, Operation};
use crate::kat::{Standing, standing};
use kemprof_core::Any;
use kemprof_core::backend::Backend;
use serde::Serialize;

/// What stands beside a variant over `free`.
pub const NOT_A_HASH: &str = "fast, not a hash";

/// What was measured of one variant.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name as on the command line: `sm3@lazy`.
    pub name: String,
    /// Its run.
    pub evidence: Evidence,
    /// What its functions cost alone; nothing where nothing was timed.
    pub functions: Vec<FunctionCost>,
}

/// One operation over several variants, of which the first is what the others are compared with.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// What was measured of each.
    pub variants: Vec<Variant>,
    /// What follows from it, in the same order.
    pub rows: Vec<Row>,
}

impl Panel {
    /// Compares `variants` with the first of them.
    #[must_use]
    pub fn of(variants: Vec<Variant>) -> Self {
        let rows = variants.iter().map(|variant| Row::of(&variants[0], variant)).collect();
        Self { variants, rows }
    }

    /// Whether any variant was timed.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.rows.iter().any(|row| row.median.is_some())
    }
}

/// One variant of an operation beside the first, as `kemprof compare --json` prints it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The KEM.
    pub instance: String,
    /// The operation.
    pub operation: Operation,
    /// The variant as on the command line: `sm3@lazy`.
    pub variant: String,
    /// The backend of each group of roles.
    pub backends: Backends,
    /// How the matrix was sampled.
    pub sampling: String,
    /// What the scheme is called over these functions, unless it is the published one.
    pub standing: Option<&'static str>,
    /// Whether all functions are those of `free`: a few operations a block, and no hash.
    pub free: bool,
    /// What other symmetric functions can give at most to this variant.
    pub ceiling: Option<Ceiling>,
    /// The verdict of the known-answer gate.
    pub kat: String,
    /// Where ticks come from.
    pub counter: CounterRecord,
    /// Trials without probes.
    pub trials: usize,
    /// Ticks per operation without probes: all ticks over all operations.
    pub mean: Option<f64>,
    /// Ticks per operation without probes: the median over trials.
    pub median: Option<f64>,
    /// Seconds per operation without probes: the median over trials.
    pub seconds_per_operation: Option<f64>,
    /// Share of symmetric functions but the generator.
    pub hash_share: Option<f64>,
    /// Share of all symmetric functions.
    pub symmetric_share: Option<f64>,
    /// How many times faster than the first, without probes: the median over trials of the ratios of trials that ran in one round.
    pub speedup_measured: Option<f64>,
    /// Where the middle half of those ratios lies.
    pub speedup_middle_half: Option<Interval>,
    /// How many times faster than the first by Amdahl's law, from the first's profile and the speedups of `functions`.
    pub speedup_predicted: Option<f64>,
    /// Where prediction and measurement differ by more than a tenth, or why there are none.
    pub explanation: Option<Explanation>,
    /// What the functions cost alone.
    pub functions: Vec<FunctionCost>,
}

impl Row {
    /// Sets `variant` beside `first`.
    #[must_use]
    pub fn of(first: &Variant, variant: &Variant) -> Self {
        let evidence = &variant.evidence;
        let comparison = Comparison::of(&first.evidence, evidence, &variant.functions);
        let backends = evidence.backends.clone();
        let derived = &evidence.derived;
        Self {
            instance: evidence.instance.clone(),
            operation: evidence.operation,
            variant: variant.name.clone(),
            sampling: evidence.sampling.clone(),
            standing: match &evidence.guest {
                Some(_) if backends.xof != OWN => Standing::NotAsSubmitted.remark(),
                Some(_) => None,
                None => standing(&evidence.instance, &backends).and_then(Standing::remark),
            },
            ceiling: Ceiling::of(evidence),
            free: [&backends.xof, &backends.prf, &backends.hash].iter().all(|name| *name == Any::Free.name()),
            backends,
            kat: evidence.kat.clone(),
            counter: evidence.counter.clone(),
            trials: evidence.trials.len(),
            mean: derived.mean,
            median: derived.median,
            seconds_per_operation: derived.seconds_per_operation.filter(|_| evidence.counter.meaningful),
            hash_share: derived.hash_share,
            symmetric_share: derived.symmetric_share,
            speedup_measured: comparison.measured.map(|ratios| ratios.median),
            speedup_middle_half: comparison.measured.map(|ratios| Interval { low: ratios.p25, high: ratios.p75 }),
            speedup_predicted: comparison.predicted,
            // The functions of a KEM from outside are not timed by themselves: nothing is predicted.
            explanation: explanation::words(&comparison, &evidence.counter)
                .filter(|_| evidence.guest.is_none() || comparison.measured.is_none()),
            functions: variant.functions.clone(),
        }
    }

    /// What has to stand beside the variant's name, wherever that is printed.
    #[must_use]
    pub fn remark(&self) -> Option<&'static str> {
        if self.free { Some(NOT_A_HASH) } else { self.standing }
    }
}
