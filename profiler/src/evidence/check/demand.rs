//! What an instance asks of its symmetric functions in one operation, found by watching one without a clock.

use crate::evidence::Operation;
use kemprof_core::kem::{self, Error, Visitor};
use kemprof_core::probe::{Call, Output};
use kemprof_core::{Any, Kem, Phase, Probe, Profiled, Sampling, Suite};
use std::collections::{BTreeMap, BTreeSet};

/// Calls of one role on inputs of one length, and of outputs of one length but where rejection sampling decides on it.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) call: Call,
    /// The most messages that ran together.
    pub(super) lanes: u32,
    pub(super) calls: u64,
    /// The lengths of output that were asked for.
    pub(super) out_bytes: BTreeSet<usize>,
    used_bits: u64,
    /// Whether some output was left: then its length and use are up to rejection sampling.
    pub(super) rejects: bool,
    /// Calls by the phase that they ran in.
    pub(super) paths: BTreeMap<Vec<String>, u64>,
}

/// One operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands {
    pub(super) calls: Vec<Demand>,
    /// How often each phase ran.
    pub(super) phases: BTreeMap<Vec<String>, u64>,
    open: Vec<String>,
}

impl Demand {
    /// The bits of output that the scheme consumed of a call, on average.
    pub(super) fn used_bits(&self) -> f64 {
        self.used_bits as f64 / self.calls as f64
    }

    fn add(&mut self, other: Self) {
        self.lanes = self.lanes.max(other.lanes);
        self.calls += other.calls;
        self.out_bytes.extend(other.out_bytes);
        self.used_bits += other.used_bits;
        self.rejects |= other.rejects;
        for (path, calls) in other.paths {
            *self.paths.entry(path).or_default() += calls;
        }
    }
}

impl Demands {
    /// Those of an operation of the instance of this name; `None` where there is none.
    pub(super) fn of(instance: &str, operation: Operation, sampling: Sampling, suite: Suite<Any>) -> Option<Self> {
        let demands = kem::visit(instance, Watch { operation, sampling, suite })?.ok()?;
        Some(demands.with_rejection_together())
    }

    /// The demand that a row of this role and these lengths in bytes answers.
    pub(super) fn find(&self, role: &str, in_bytes: u64, out_bytes: u64) -> Option<&Demand> {
        self.calls.iter().find(|demand| {
            let lengths = demand.rejects || demand.out_bytes.contains(&(out_bytes as usize));
            demand.call.role.name() == role && demand.call.in_bytes as u64 == in_bytes && lengths
        })
    }

    fn with_rejection_together(mut self) -> Self {
        let mut calls: Vec<Demand> = Vec::new();
        self.calls.sort_by_key(|demand| !demand.rejects);
        for demand in self.calls {
            let same = |other: &&mut Demand| {
                (other.call.role, other.call.in_bytes) == (demand.call.role, demand.call.in_bytes) && other.rejects
            };
            match calls.iter_mut().find(same) {
                Some(other) => other.add(demand),
                None => calls.push(demand),
            }
        }
        Self { calls, ..self }
    }
}

impl Probe for Demands {
    type Open = ();

    fn enter(&mut self, phase: Phase) {
        self.open.push(phase.name().to_owned());
        *self.phases.entry(self.open.clone()).or_default() += 1;
    }

    fn exit(&mut self, _phase: Phase) {
        self.open.pop();
    }

    fn open(&mut self, _call: &Call) {}

    fn close(&mut self, (): (), call: &Call, outputs: &[Output]) {
        for output in outputs {
            let one = Demand {
                call: *call,
                lanes: call.lanes as u32,
                calls: 1,
                out_bytes: BTreeSet::from([output.out_bytes]),
                used_bits: output.used_bits.into(),
                rejects: (output.used_bits as usize) < 8 * output.out_bytes,
                paths: BTreeMap::from([(self.open.clone(), 1)]),
            };
            let same = |other: &&mut Demand| {
                (other.call.role, other.call.in_bytes) == (call.role, call.in_bytes) && other.out_bytes == one.out_bytes
            };
            match self.calls.iter_mut().find(same) {
                Some(other) => other.add(one),
                None => self.calls.push(one),
            }
        }
    }
}

struct Watch {
    operation: Operation,
    sampling: Sampling,
    suite: Suite<Any>,
}

impl Visitor for Watch {
    type Output = Result<Demands, Error>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { operation, sampling, suite } = self;
        let (mut public, mut secret) = (vec![0; K::lengths().public_key], vec![0; K::lengths().secret_key]);
        let (mut ciphertext, mut shared) = (vec![0; K::lengths().ciphertext], vec![0; K::lengths().shared_secret]);
        let mut sym = Profiled::new(suite, Demands::default());
        for step in Operation::ALL {
            match step {
                Operation::Keygen => K::keygen(&mut sym, sampling, &mut public, &mut secret)?,
                Operation::Enc => K::encapsulate(&mut sym, sampling, &public, &mut ciphertext, &mut shared)?,
                Operation::Dec => K::decapsulate(&mut sym, sampling, &secret, &ciphertext, &mut shared)?,
            }
            if step == operation {
                break;
            }
            sym.probe = Demands::default();
        }
        Ok(sym.probe)
    }
}
