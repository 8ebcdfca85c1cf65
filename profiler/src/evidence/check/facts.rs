//! What a record must say, given its raw figures and the built-in tables.

use super::demand::{Demand, Demands};
use crate::environment::QEMU_SYSTEM;
use crate::evidence::intervals::intervals;
use crate::evidence::steadiness::{LISTED, Steadiness};
use crate::evidence::{CallRow, Derived, EventsRecord, Evidence, OWN, SCHEMA, Trial, build, calm};
use crate::kat::{Manifest, Verdict};
use crate::runner::SuiteSpec;
use kemprof_core::backend::Backend;
use kemprof_core::symmetric::MAX_LANES;
use kemprof_core::{Any, Drng, Sampling, Symmetric};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Counters by name, and what they count. One that only tests have is none of them.
pub(super) const UNITS: [(&str, &str); 10] = [
    ("perf-user", "cycles"),
    ("instructions", "instructions"),
    ("perf", "cycles"),
    ("tsc", "ticks"),
    ("tsc-fenced", "ticks"),
    ("cntvct", "ticks"),
    ("clock", "ns"),
    ("callgrind", "instructions"),
    ("dwt", "cycles"),
    ("none", "ticks"),
];

/// What is known of a record besides its own figures.
pub(super) struct Facts<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) demands: Option<Demands>,
    pub(super) spec: Option<SuiteSpec>,
    manifest: Option<Manifest>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(evidence: &'a Evidence) -> Self {
        let spec = spec(evidence);
        let sampling = [Sampling::Eager, Sampling::Lazy].into_iter().find(|way| way.name() == evidence.sampling);
        let demands = spec.zip(sampling).and_then(|(spec, sampling)| {
            Demands::of(&evidence.instance, evidence.operation, sampling, spec.build(evidence.instance.as_bytes()))
        });
        Self { evidence, demands, spec, manifest: Manifest::of(&evidence.instance).ok() }
    }

    /// The demand that a row answers.
    pub(super) fn demand(&self, row: &CallRow) -> Option<&Demand> {
        self.demands.as_ref()?.find(&row.role, row.in_bits / 8, row.out_bits / 8)
    }

    /// Whether the KEM is from outside: then nothing is known of what it does.
    pub(super) const fn is_guest(&self) -> bool {
        self.evidence.guest.is_some()
    }

    /// Whether this is what functions are called that such a KEM brings.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.is_guest() && name == OWN
    }

    /// Whether the code ran on a Cortex-M4.
    pub(super) fn is_m4(&self) -> bool {
        self.evidence.counter.name == "dwt"
    }

    /// A field of the environment.
    pub(super) fn environment(&self, pointer: &str) -> &Value {
        self.evidence.environment.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// How often the permutation runs for one call of a row: at least and at most, since what a prefix took counts once for all
    /// messages that ran together.
    pub(super) fn permutations(&self, row: &CallRow) -> Option<(f64, f64)> {
        let call = self.demand(row)?.call;
        let suite = self.spec?.build(&[]);
        let most = suite.permutations(call.form, call.role, call.in_bytes, row.out_bits as usize / 8);
        let shared = match row.lanes {
            0 | 1 => 0,
            _ => suite.shared_permutations(call.role, call.prefix_bytes),
        };
        Some((most.saturating_sub(shared) as f64, most as f64))
    }

    /// Whether batches were as wide as they are here: how often some phases run follows from that.
    fn has_lanes_of_here(&self) -> bool {
        let widest = |demand: &Demand| {
            let rows = self.evidence.calls.iter();
            rows.filter(|row| self.demand(row).is_some_and(|of| std::ptr::eq(of, demand))).map(|row| row.lanes).max()
        };
        let demands = self.demands.iter().flat_map(|demands| &demands.calls);
        demands.into_iter().all(|demand| widest(demand) == Some(demand.lanes))
    }

    /// The record with everything that follows from the rest of it or from the built-in tables as it should be.
    pub(super) fn recomputed(&self) -> Value {
        let mut want = self.evidence.clone();
        want.schema = SCHEMA.to_owned();
        if let Some(spec) = self.spec {
            spec.drng.drng(&[]).name().clone_into(&mut want.backends.drng);
        }
        want.code =
            self.evidence.code.as_ref().map(|code| self.spec.map_or(code.clone(), |spec| self.code(&spec, code)));
        self.known_answers(&mut want);
        self.counter(&mut want);
        self.trials(&mut want);
        self.rows(&mut want);
        want.events = want.events.map(EventsRecord::derived);
        want.steadiness = recounted(&self.evidence.steadiness);
        let (trials, profiled) = (&self.evidence.trials, &self.evidence.profiled);
        want.derived = Derived::of(trials, profiled, &self.evidence.calls, &self.evidence.phases);
        if self.evidence.code.is_none() {
            want.derived.symmetric_share = None;
        }
        // Older records have neither.
        if self.environment("/processor/features").is_null() {
            want.derived.symmetric_share_interval = None;
        }
        let mut want = serde_json::to_value(want).unwrap_or_default();
        self.machine(&mut want);
        want
    }

    fn known_answers(&self, want: &mut Evidence) {
        let Some(manifest) = &self.manifest else { return };
        want.sizes = manifest.sizes;
        let pass = self.spec.is_none_or(|spec| manifest.applies_to(&spec));
        want.kat_digest = pass.then(|| manifest.sha256.clone());
        let other = format!("{}: ", Verdict::NotApplicable { reason: String::new() }.word());
        if pass || !want.kat.starts_with(&other) {
            want.kat = if pass { "PASS".to_owned() } else { other + "why" };
        }
    }

    fn counter(&self, want: &mut Evidence) {
        let counter = &mut want.counter;
        if let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == counter.name) {
            (*unit).clone_into(&mut counter.unit);
        }
        // A performance monitor that is emulated with a kernel of its own counts instructions, whatever the event.
        let instructions = self.evidence.runner == QEMU_SYSTEM
            && !self.is_m4()
            && ["perf", "perf-user", "instructions"].contains(&counter.name.as_str());
        if instructions {
            "instructions".clone_into(&mut counter.unit);
        }
        counter.hz = match counter.name.as_str() {
            "clock" => Some(1_000_000_000),
            "perf" | "perf-user" | "instructions" | "callgrind" | "none" => None,
            _ => counter.hz,
        };
        counter.resolution = match counter.name.as_str() {
            "none" => None,
            "callgrind" | "dwt" => counter.resolution.map(|_| 1),
            _ if instructions => counter.resolution.map(|_| 1),
            _ => counter.resolution,
        };
        counter.overhead_per_call = want.probe_cost.as_ref().map(build::overhead_per_call);
        let emulated = !["native", "m4sim", "probe-rs"].contains(&want.runner.as_str()) || counter.name == "none";
        let model = counter.name == "callgrind" || instructions || !emulated;
        // A counter that failed during the run was meaningful before.
        counter.meaningful = model && (counter.meaningful || counter.unavailable.is_none());
        if want.profiled.ticks.is_some() {
            counter.unavailable = None;
        } else if counter.unavailable.is_none() {
            counter.unavailable = Some("a reason".to_owned());
        }
    }

    fn trials(&self, want: &mut Evidence) {
        let Evidence { plan, trials, profiled, counter, .. } = want;
        calm::mark(trials, &mut profiled.trials);
        plan.trials = trials.len() as u32;
        let of_plan = u64::from(plan.iterations_per_trial);
        plan.iterations_per_trial = trials.first().map_or(0, |trial| trial.operations as u32);
        for (index, trial) in trials.iter_mut().chain(&mut profiled.trials).enumerate() {
            trial.operations = of_plan;
            if self.evidence.profiled.ticks.is_none() {
                trial.ticks = None;
            }
            if counter.name == "callgrind" {
                trial.seconds = None;
            }
            // Cycles of a microcontroller are all that its time is made of.
            if self.is_m4() {
                trial.seconds = trial.ticks.zip(counter.hz).map(|(ticks, hz)| ticks as f64 / hz as f64);
            }
            if let Some(plain) = self.evidence.trials.get(index % self.evidence.trials.len().max(1)) {
                trial.process = plain.process;
            }
        }
        let processes: BTreeSet<u32> = trials.iter().map(|trial| trial.process).collect();
        want.processes = processes.len() as u32;
    }

    fn rows(&self, want: &mut Evidence) {
        let evidence = self.evidence;
        let profiled = &mut want.profiled;
        profiled.uncounted = if self.is_by_trial() { calm::uncounted(&profiled.trials) } else { Vec::new() };
        let counted = evidence.profiled.counted().map(|(_, trial)| Some(trial.operations));
        profiled.operations = count(counted).unwrap_or(0);
        let parts = evidence.calls.iter().map(|call| call.ticks);
        let all = sum(parts.chain(evidence.phases.iter().map(|phase| phase.self_ticks)));
        profiled.ticks = all.and_then(|ticks| u64::try_from(ticks).ok());
        let probe = evidence.calls.iter().map(|call| call.probe_ticks);
        let probe = sum(probe.chain(evidence.phases.iter().map(|phase| phase.probe_ticks)));
        if let Some((all, probe)) = all.zip(probe).filter(|_| evidence.profiled.uncounted.is_empty()) {
            profiled.raw_ticks = all.checked_add(probe).and_then(|raw| u64::try_from(raw).ok());
        }
        for part in want.calls.iter_mut().flat_map(|call| &mut call.paths).filter(|part| !part.trial_ticks.is_empty()) {
            part.ticks = self.over_trials(&part.trial_ticks);
        }
        for phase in want.phases.iter_mut().filter(|phase| !phase.trial_ticks.is_empty()) {
            phase.self_ticks = self.over_trials(&phase.trial_ticks);
        }
        let mut profiled = evidence.profiled.clone();
        intervals(&mut profiled, &mut want.calls, &mut want.phases);
        want.profiled.intervals_over = profiled.intervals_over;
        let profiled = &mut want.profiled;
        for (row, recorded) in want.calls.iter_mut().zip(&evidence.calls) {
            row.ticks = sum(recorded.paths.iter().map(|part| part.ticks));
            let Some(demand) = self.demand(recorded) else { continue };
            demand.call.function.name.clone_into(&mut row.function);
            demand.call.function.permutation.clone_into(&mut row.permutation);
            if !demand.rejects {
                row.used_bits = row.out_bits as f64;
            }
            let all = demand.calls.checked_mul(profiled.operations);
            row.calls = all.and_then(|all| all.checked_sub(self.others(recorded, |_| true)?)).unwrap_or(0);
            for part in &mut row.paths {
                let all = demand.paths.get(&part.path).copied().unwrap_or(0).checked_mul(profiled.operations);
                let others = self.others(recorded, |other| other == part.path);
                part.calls = all.zip(others).and_then(|(all, others)| all.checked_sub(others)).unwrap_or(0);
            }
        }
        let exact = self.has_lanes_of_here();
        for phase in &mut want.phases {
            phase.ticks = self.evidence.inclusive(&phase.path);
            let demanded = self.demands.as_ref().and_then(|demands| demands.phases.get(&phase.path));
            phase.calls = match demanded {
                Some(calls) if exact || phase.path.len() == 1 => calls.saturating_mul(profiled.operations),
                // In how many steps a matrix is sampled is up to how many messages run together.
                Some(calls) if steps(phase.calls, profiled.operations, *calls) => phase.calls,
                Some(_) => profiled.operations,
                // The one phase that is known of a KEM from outside is the operation itself.
                None if self.is_guest() && phase.path == [self.evidence.operation.to_string()] => profiled.operations,
                None => 0,
            };
        }
    }

    /// Calls in the other rows that answer the same demand, in phases that `chosen` takes.
    fn others(&self, row: &CallRow, chosen: impl Fn(&[String]) -> bool) -> Option<u64> {
        let demand = self.demand(row)?;
        let others = self.evidence.calls.iter().filter(|other| !std::ptr::eq(*other, row));
        let others = others.filter(|other| self.demand(other).is_some_and(|theirs| std::ptr::eq(theirs, demand)));
        count(others.flat_map(|other| &other.paths).filter(|part| chosen(&part.path)).map(|part| Some(part.calls)))
    }

    /// Whether the ticks of rows are known for each trial with probes.
    pub(super) fn is_by_trial(&self) -> bool {
        self.evidence.phases.iter().any(|phase| !phase.trial_ticks.is_empty())
    }

    /// Ticks of all rows in one trial with probes, where they are known.
    pub(super) fn in_trial(&self, trial: usize) -> Option<f64> {
        let Evidence { phases, calls, .. } = self.evidence;
        let parts = calls.iter().flat_map(|call| &call.paths).map(|part| &part.trial_ticks);
        let mut parts = parts.chain(phases.iter().map(|phase| &phase.trial_ticks));
        parts.try_fold(0.0, |sum, ticks| Some(sum + *ticks.get(trial)? as f64))
    }

    /// The sum of these over the trials with probes that count.
    fn over_trials(&self, ticks: &[i64]) -> Option<i64> {
        sum(self.evidence.profiled.counted().map(|(trial, _)| ticks.get(trial).copied()))
    }

    /// What the environment repeats of the record, and what it may not lack.
    fn machine(&self, want: &mut Value) {
        let environment = &mut want["environment"];
        if !environment.is_object() {
            *environment = json!({});
        }
        for field in ["started_utc", "ended_utc", "compiler", "kemprof", "command", "arch"] {
            if environment.get(field).is_none() {
                environment[field] = json!("something");
            }
        }
        let Evidence { target, runner, counter, .. } = self.evidence;
        if self.is_m4() {
            environment["clock_hz"] = json!(counter.hz);
            if environment["build"].is_object() {
                environment["build"]["target"] = json!(target);
            }
            want["target"] = json!("thumbv7em-none-eabihf");
            return;
        }
        let emulated = match runner.as_str() {
            "native" => Value::Null,
            emulator => json!(emulator),
        };
        want["target"] = match self.environment("/build/target") {
            Value::String(built) => json!(built),
            _ => json!("the target of environment.build"),
        };
        let environment = &mut want["environment"];
        if environment["build"].is_object() {
            environment["build"]["target"] = json!(target);
        }
        environment["system"] = match environment["system"].take() {
            Value::Object(mut system) => {
                system.insert("emulator".to_owned(), emulated);
                Value::Object(system)
            }
            _ => json!({ "emulator": emulated }),
        };
    }
}

/// The suite that a record names. Its generator goes by its own name, which several backends may share.
fn spec(evidence: &Evidence) -> Option<SuiteSpec> {
    let backends = &evidence.backends;
    let generator = |backend: &&Any| match &backends.generator {
        Some(name) => backend.name() == name,
        None => backend.drng(&[]).name() == backends.drng,
    };
    Some(SuiteSpec {
        xof: Any::by_name(&backends.xof)?,
        prf: Any::by_name(&backends.prf)?,
        hash: Any::by_name(&backends.hash)?,
        drng: *Any::ALL.iter().find(generator)?,
        own: false,
    })
}

/// The sum; `None` where any part is unknown, or where it is more than can be counted.
fn sum(parts: impl IntoIterator<Item = Option<i64>>) -> Option<i64> {
    parts.into_iter().try_fold(0_i64, |sum, part| sum.checked_add(part?))
}

/// The same of what cannot be below 0.
fn count(parts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    parts.into_iter().try_fold(0_u64, |sum, part| sum.checked_add(part?))
}

/// The counts of the attempts that are listed, where all of them are.
fn recounted(recorded: &Steadiness) -> Steadiness {
    if recorded.events.len() >= LISTED {
        return recorded.clone();
    }
    let mut counts = Steadiness { kinds: BTreeMap::new(), repeated: 0, counted: 0, events: vec![], ..*recorded };
    recorded.events.iter().for_each(|event| counts.note(event.clone()));
    counts
}

/// Whether so many calls in all are as often in every operation, and about as often as here.
fn steps(all: u64, operations: u64, here: u64) -> bool {
    let most = here.saturating_mul(MAX_LANES as u64);
    all > 0 && all.checked_rem(operations) == Some(0) && all / operations <= most
}

/// Ticks a second in the fastest of some trials.
pub(super) fn fastest(trials: &[Trial]) -> Option<f64> {
    let rates = trials.iter().filter_map(|trial| Some(trial.ticks? as f64 / trial.seconds.filter(|&time| time > 0.0)?));
    rates.reduce(f64::max)
}
