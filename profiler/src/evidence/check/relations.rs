//! How each field of a record is determined, once: the check walks this table, and so does the test that forges records.
//!
//! A pattern has `[]` for any index, `#` for the length of a list, `*` for any one name and a final `**` for all that is inside. Of two
//! that match, the first counts.

use super::code::architecture;
use super::facts::{Facts, UNITS, fastest};
use crate::environment::QEMU_SYSTEM;
use crate::evidence::steadiness::LISTED;
use crate::evidence::{CallRow, Trial};
use jiff::Timestamp;
use kemprof_core::backend::Backend;
use kemprof_core::kem::INSTANCES;
use kemprof_core::symmetric::MAX_LANES;
use kemprof_core::{Any, Drng};
use serde_json::Value;
use std::collections::BTreeSet;

/// What holds of a field.
pub(super) struct Relation {
    /// Which fields.
    pub(super) field: &'static str,
    /// What it follows from, is bounded by, or is free for, in words.
    pub(super) source: &'static str,
    pub(super) rule: Rule,
}

/// How strictly a field is determined. Whatever [`Facts::recomputed`] gives holds besides.
pub(super) enum Rule {
    /// It is what it is recomputed to be, or what is recomputed from it is recorded: no other value fits.
    Follows,
    /// A number from the one to the other. No bounds where there is nothing to go by; null only where [`Rule::Bounded`] has none.
    Bounded(fn(&Facts<'_>, &[usize]) -> Bounds),
    /// Text that this takes.
    Text(fn(&Facts<'_>, &[usize], &str) -> bool),
    /// Nothing in the record tells.
    Free,
}

/// From the least to the most; `None` where anything goes.
pub(super) type Bounds = Option<(f64, f64)>;

const fn follows(field: &'static str, source: &'static str) -> Relation {
    Relation { field, source, rule: Rule::Follows }
}

const fn bounded(field: &'static str, source: &'static str, of: fn(&Facts<'_>, &[usize]) -> Bounds) -> Relation {
    Relation { field, source, rule: Rule::Bounded(of) }
}

const fn text(field: &'static str, source: &'static str, good: fn(&Facts<'_>, &[usize], &str) -> bool) -> Relation {
    Relation { field, source, rule: Rule::Text(good) }
}

const fn free(field: &'static str, source: &'static str) -> Relation {
    Relation { field, source, rule: Rule::Free }
}

const MOST: f64 = f64::INFINITY;

#[rustfmt::skip]
pub(super) const RELATIONS: &[Relation] = &[
    follows("schema", "the schema of this program"),
    text("instance", "an instance of `kemprof list`, whose sizes, digest, calls and phases are those of the record", |facts, _, name| facts.is_guest() != INSTANCES.contains(&name)),
    free("guest.**", "what the KEM from outside was built from"),
    follows("operation", "the outermost phase"),
    text("sampling", "eager or lazy, by the lengths of outputs", |_, _, way| ["eager", "lazy"].contains(&way)),
    follows("target", "environment.build.target, or that of the firmware"),
    text("runner", "environment.system.emulator or native, or what ran the firmware", runner),
    text("backends.drng", "the generator of a backend", |facts, _, name| facts.is_own(name) || Any::ALL.iter().any(|backend| backend.drng(&[]).name() == name)),
    text("backends.*", "a backend of `kemprof list`, whose functions are those of the calls", |facts, _, name| facts.is_own(name) || Any::by_name(name).is_some()),
    follows("code.*", "code that this backend has on this target and processor"),
    follows("code", "symmetric_share, which files before it do not have"),
    text("counter.name", "a counter of `kemprof list`", |_, _, name| name.starts_with("mock:") || UNITS.iter().any(|(known, _)| *known == name)),
    follows("counter.unit", "what this counter counts"),
    bounded("counter.hz", "ticks over seconds of the trials", hz),
    bounded("counter.resolution", "a step of the counter, at most a trial", resolution),
    follows("counter.overhead_per_call", "the sum of interval_inside, interval_outside and call_outside of probe_cost, to a tenth"),
    follows("counter.meaningful", "whether what ran it has a model of time"),
    follows("counter.unavailable", "there exactly where profiled.ticks is null"),
    free("counter.refused.*", "what the system said"),

    text("environment.started_utc", "a time, at most environment.ended_utc", |facts, _, began| span(facts, began, facts.environment("/ended_utc"))),
    text("environment.ended_utc", "a time, at least environment.started_utc and the seconds of all trials", |facts, _, ended| {
        span(facts, facts.environment("/started_utc").as_str().unwrap_or_default(), &Value::from(ended))
    }),
    text("environment.kemprof", "a version, with environment.build.revision where that is known", |facts, _, version| {
        facts.environment("/build/revision").as_str().map_or(version.contains('.'), |commit| version.ends_with(&format!(" ({commit})")))
    }),
    text("environment.arch", "the architecture of the target", |facts, _, arch| architecture(&facts.evidence.target) == arch),
    follows("environment.build.target", "target"),
    text("environment.build.opt_level", "0 to 3, s or z", |_, _, level| ["0", "1", "2", "3", "s", "z"].contains(&level)),
    text("environment.build.profile", "debug or release", |_, _, profile| ["debug", "release"].contains(&profile)),
    follows("environment.build.revision", "environment.kemprof, which ends with it"),
    follows("environment.system.emulator", "runner, or null where that is native"),
    follows("environment.clock_hz", "counter.hz, of a Cortex-M4"),
    text("environment.clock", "a setting of a clock tree, whose wait states are environment.wait_states", |facts, _, clock| {
        let states = facts.environment("/wait_states").as_u64();
        ["zero-wait", "default", "full"].contains(&clock) && (clock != "zero-wait" || states.is_none_or(|states| states == 0))
    }),
    bounded("environment.wait_states", "what a flash can be set to; null where nothing has a model of time", |facts, _| {
        (facts.evidence.runner != "qemu-system").then_some((0.0, 15.0))
    }),
    text("environment.firmware.sha256", "a SHA-256", |_, _, digest| is_digest(digest)),
    text("environment.firmware.inputs_sha256", "a SHA-256", |_, _, digest| is_digest(digest)),
    bounded("environment.known_answers.records_on_target", "at most records_published", |facts, _| {
        Some((0.0, facts.environment("/known_answers/records_published").as_f64()?))
    }),
    bounded("environment.known_answers.records_published", "at least records_on_target", |facts, _| {
        Some((facts.environment("/known_answers/records_on_target").as_f64()?, MOST))
    }),
    follows("environment", "an object"),
    free("environment.**", "what the machine said of itself"),
    free("warnings[]", "words"),
    free("warnings#", "as many as there were reasons"),

    follows("kat", "PASS where the known answers of the instance are for these backends"),
    follows("kat_digest", "that of the published known answers"),
    text("seed", "an even number of hexadecimal digits", |_, _, seed| hex::decode(seed).is_ok()),
    follows("plan.trials", "the number of trials"),
    follows("plan.iterations_per_trial", "the operations of each trial"),
    free("plan.warmups", "nothing is recorded of them"),
    follows("processes", "those that ran the trials"),

    bounded("steadiness.repeats", "a number of attempts", |_, _| Some((0.0, 1000.0))),
    bounded("steadiness.interrupted_beyond", "above 1, or null", |facts, _| facts.evidence.steadiness.interrupted_beyond.map(|_| (1.0, MOST))),
    bounded("steadiness.interrupted_beyond_alone", "above 1, or null", |facts, _| {
        facts.evidence.steadiness.interrupted_beyond_alone.map(|_| (1.0, MOST))
    }),
    bounded("steadiness.clock_tolerance", "a part of the clock", |_, _| Some((0.0, 1.0))),
    follows("steadiness.repeated", "the events with this outcome"),
    follows("steadiness.counted", "the events with this outcome"),
    follows("steadiness.kinds.*.*", "the events with this kind and outcome"),
    bounded("steadiness.events#", "attempts that were repeated or counted, of which the first 64 are listed", |facts, _| {
        let recorded = &facts.evidence.steadiness;
        let listed = (f64::from(recorded.repeated) + f64::from(recorded.counted)).min(LISTED as f64);
        Some((listed, listed))
    }),
    bounded("steadiness.events[].trial", "a trial of the plan", |facts, _| Some((0.0, facts.evidence.trials.len() as f64 - 1.0))),
    free("steadiness.events[].probes", "nothing else says which of a pair it was"),
    follows("steadiness.events[].outcome", "the counts of outcomes"),
    bounded("steadiness.events[].disturbances[].times", "more than interrupted_beyond or interrupted_beyond_alone", beyond),
    follows("steadiness.events[].disturbances[].kind", "the counts of kinds"),
    free("steadiness.events[].disturbances[].*", "what was seen once"),
    follows("steadiness.events[].disturbances#", "the counts of kinds"),

    follows("trials#", "plan.trials"),
    follows("trials[].operations", "plan.iterations_per_trial"),
    bounded("trials[].ticks", "at least one where a counter counts; mean is of all", |facts, _| ticks(facts, 1.0)),
    bounded("trials[].seconds", "at least ticks over counter.hz", |facts, at| seconds(facts, &facts.evidence.trials[at[0]])),
    follows("trials[].quiet", "adds_per_cycle, at least quiet.limit"),
    bounded("trials[].adds_per_cycle", "what a core can add in a cycle", |_, _| Some((0.0, 32.0))),
    bounded("trials[].core_mhz", "a core's clock", |_, _| Some((1.0, 20_000.0))),
    follows("trials[].process", "the processes of profiled.trials, and their number"),

    follows("profiled.operations", "the operations of the profiled trials that count"),
    follows("profiled.ticks", "the sum of all calls and of the self_ticks of all phases"),
    bounded("profiled.raw_ticks", "profiled.ticks and the probe_ticks of all rows, at most the ticks of the profiled trials", raw_ticks),
    follows("profiled.trials#", "plan.trials"),
    follows("profiled.trials[].operations", "plan.iterations_per_trial"),
    bounded("profiled.trials[].ticks", "at least those of its parts", |facts, at| {
        ticks(facts, facts.in_trial(at[0]).map_or(1.0, |parts| parts - slack(facts)))
    }),
    bounded("profiled.trials[].seconds", "at least ticks over counter.hz", |facts, at| seconds(facts, &facts.evidence.profiled.trials[at[0]])),
    follows("profiled.trials[].quiet", "adds_per_cycle, at least quiet.limit"),
    bounded("profiled.trials[].adds_per_cycle", "what a core can add in a cycle", |_, _| Some((0.0, 32.0))),
    bounded("profiled.trials[].core_mhz", "a core's clock", |_, _| Some((1.0, 20_000.0))),
    follows("profiled.trials[].process", "those of the trials without probes"),
    follows("profiled.uncounted**", "the trials with probes that were not quiet, where enough others were"),
    follows("profiled.intervals_over", "processes where three ran the trials, trials where five of one process count"),
    bounded("probe_cost.phase_inside", "a cost in ticks", |_, _| Some((-1e4, 1e7))),
    bounded("probe_cost.phase_outside", "a cost in ticks", |_, _| Some((-1e4, 1e7))),
    follows("probe_cost.*", "counter.overhead_per_call"),
    follows("probe_cost", "null where there are no ticks"),

    bounded("calls#", "one row for each function, role and lengths that the operation asks for", rows),
    follows("calls[].fn", "the function of the backend for this role"),
    text("calls[].role", "a role in which the operation calls with these lengths", |facts, at, _| facts.demands.is_none() || facts.demand(row(facts, at)).is_some()),
    bounded("calls[].in_bits", "the length of what the operation hashes", |facts, at| {
        facts.demand(row(facts, at)).map(|demand| (8.0 * demand.call.in_bytes as f64, 8.0 * demand.call.in_bytes as f64))
    }),
    bounded("calls[].out_bits", "the length that the operation asks for", out_bits),
    bounded("calls[].used_bits", "what rejection sampling takes on average, at most out_bits", used_bits),
    bounded("calls[].permutations", "those of the backend for these lengths", |facts, at| facts.permutations(row(facts, at)).map(near)),
    follows("calls[].permutation", "that of the function"),
    bounded("calls[].lanes", "messages that a backend takes together", |facts, at| {
        let batch = facts.demand(row(facts, at)).is_none_or(|demand| demand.call.prefix_bytes > 0);
        Some((1.0, if batch { MAX_LANES as f64 } else { 1.0 }))
    }),
    follows("calls[].calls", "calls of an operation times profiled.operations"),
    follows("calls[].ticks", "the sum over paths"),
    bounded("calls[].min", "at most the mean of the calls, and in all trials as low as max leaves it", least),
    bounded("calls[].max", "at least the mean of the calls, and in all trials at most what min leaves", longest),
    follows("calls[].probe_ticks", "profiled.raw_ticks less profiled.ticks"),
    follows("calls[].interval**", "trial_ticks over processes, or over the trials of one"),
    bounded("calls[].paths[].trial_ticks#", "the number of profiled trials, where rows were taken one by one", by_trial),
    follows("calls[].paths[].trial_ticks[]", "the ticks of the row in all trials that count"),
    follows("calls[].paths#", "the calls of the row"),
    follows("calls[].paths[].path**", "the phases in which the operation calls"),
    follows("calls[].paths[].calls", "calls of an operation in this phase times profiled.operations"),
    follows("calls[].paths[].ticks", "the ticks of the row"),
    bounded("phases#", "the phases of the operation, each once", |facts, _| {
        let distinct = facts.evidence.phases.iter().map(|phase| &phase.path).collect::<BTreeSet<_>>().len();
        let phases = facts.demands.as_ref().map_or(distinct, |demands| demands.phases.len()) as f64;
        Some(if distinct == facts.evidence.phases.len() { (phases.max(1.0), phases) } else { (MOST, MOST) })
    }),
    follows("phases[].path**", "the phases of the operation"),
    follows("phases[].calls", "as often as an operation runs it times profiled.operations"),
    follows("phases[].ticks", "the sum of all that ran inside it"),
    follows("phases[].probe_ticks", "profiled.raw_ticks less profiled.ticks"),
    follows("phases[].interval**", "trial_ticks over processes, or over the trials of one"),
    bounded("phases[].trial_ticks#", "the number of profiled trials, where rows were taken one by one", by_trial),
    follows("phases[].trial_ticks[]", "self_ticks in all trials that count"),
    follows("phases[].self_ticks", "the ticks of the phase, and profiled.ticks"),

    bounded("events.operations", "at least one", |_, _| Some((1.0, MOST))),
    bounded("events.enabled_ns", "at least running_ns", |facts, _| Some((facts.evidence.events.as_ref()?.running_ns as f64, MOST))),
    bounded("events.running_ns", "at most enabled_ns", |facts, _| Some((0.0, facts.evidence.events.as_ref()?.enabled_ns as f64))),
    free("events.counts[].name", "what was asked for"),
    follows("events.counts[].count", "per_operation; null where nothing counted"),
    follows("events.counts[].per_operation", "count × enabled_ns / running_ns / operations"),
    follows("events.instructions_per_cycle", "the counts of instructions and cycles"),
    free("events.**", "what the kernel counted"),

    follows("sizes.*", "those of the instance"),
    bounded("memory.baseline", "at most memory.peak", |facts, _| facts.evidence.memory.peak.map(|peak| (0.0, peak as f64))),
    bounded("memory.peak", "at least memory.baseline", |facts, _| facts.evidence.memory.baseline.map(|least| (least as f64, MOST))),
    bounded("memory.static", "the sum of memory.sections", |facts, _| {
        facts.evidence.memory.sections.map(|sections| (sections.total() as f64, sections.total() as f64))
    }),
    follows("memory.sections.*", "memory.static, whose parts they are"),
    free("memory.*", "what was seen once, or words"),

    follows("probe_overhead", "the ticks of each trial with probes over that without"),
    follows("share.*", "the ticks of a function over profiled.ticks"),
    follows("hash_share", "the ticks of all functions but the generator over profiled.ticks"),
    follows("symmetric_share", "the ticks of all functions over profiled.ticks"),
    follows("symmetric_share_interval**", "the ticks of all rows in the trials of each process, where three ran them"),
    follows("hash_share_interval**", "the ticks of all rows in the trials of each process, where three ran them"),
    follows("mean", "the ticks of all trials over their operations"),
    follows("median", "the trials, the quiet ones where these decide"),
    follows("distribution**", "the trials"),
    follows("quiet**", "adds_per_cycle of all trials"),
    follows("process_medians**", "the trials of each process"),
    follows("core_mhz**", "core_mhz of the trials"),
    follows("seconds_per_operation", "the seconds of the trials that the median is of"),
    follows("operations_per_second", "1 / seconds_per_operation"),
];

/// Whether a leaf of this pattern is one of a relation's.
pub(super) fn matches(field: &str, leaf: &str) -> bool {
    if let Some(start) = field.strip_suffix("**") {
        return leaf
            .strip_prefix(start)
            .is_some_and(|rest| start.ends_with('.') || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    }
    let (mut fields, mut leaves) = (field.split('.'), leaf.split('.'));
    loop {
        match (fields.next(), leaves.next()) {
            (None, None) => return true,
            (Some(field), Some(leaf)) if field == leaf || field == "*" => {}
            _ => return false,
        }
    }
}

fn row<'a>(facts: &'a Facts<'_>, at: &[usize]) -> &'a CallRow {
    &facts.evidence.calls[at[0]]
}

/// Rounding of a mean.
fn near((least, most): (f64, f64)) -> (f64, f64) {
    (least * (1.0 - 1e-9), most * (1.0 + 1e-9))
}

/// What rounding of each part may add up to.
fn slack(facts: &Facts<'_>) -> f64 {
    (facts.evidence.calls.len() + facts.evidence.phases.len()) as f64
}

fn runner(facts: &Facts<'_>, _: &[usize], runner: &str) -> bool {
    const FIRMWARE: [(&str, &str); 3] = [("m4sim", "m4sim"), ("qemu-system", "qemu"), ("probe-rs", "probe-rs")];
    let program = facts.environment("/runner").as_str().unwrap_or_default().to_ascii_lowercase();
    let found = FIRMWARE.iter().find(|(name, _)| *name == runner);
    if facts.is_m4() {
        found.is_some_and(|(_, sign)| program.contains(sign))
    } else {
        found.is_none() || runner == QEMU_SYSTEM
    }
}

/// Whether a run may have taken from one time to the other.
fn span(facts: &Facts<'_>, began: &str, ended: &Value) -> bool {
    let times = began.parse::<Timestamp>().ok().zip(ended.as_str().and_then(|ended| ended.parse::<Timestamp>().ok()));
    let Some((began, ended)) = times else { return false };
    let trials = facts.evidence.trials.iter().chain(&facts.evidence.profiled.trials);
    // Simulated time is not the machine's.
    let measured: f64 = trials.filter(|_| !facts.is_m4()).filter_map(|trial| trial.seconds).sum();
    // Both are whole seconds.
    let ran = (ended.as_second() - began.as_second()) as f64;
    ran >= 0.0 && measured <= ran + 2.0
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a counter has a rate at which the system's clock can be held against it.
fn has_rate(facts: &Facts<'_>) -> bool {
    ["tsc", "tsc-fenced", "cntvct", "clock"].contains(&facts.evidence.counter.name.as_str())
}

fn hz(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    // Wall time is taken around the ticks, so that no trial can have run faster than the counter, and the fastest ran about as fast.
    let fastest = fastest(&facts.evidence.trials).filter(|_| has_rate(facts))?;
    Some((0.97 * fastest, 1.6 * fastest))
}

fn resolution(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    let least = facts.evidence.trials.iter().filter_map(|trial| trial.ticks).min()?;
    Some((1.0, least as f64))
}

fn ticks(facts: &Facts<'_>, least: f64) -> Bounds {
    facts.evidence.profiled.ticks.map(|_| (least.max(1.0), MOST))
}

fn seconds(facts: &Facts<'_>, trial: &Trial) -> Bounds {
    let least = trial.ticks.zip(facts.evidence.counter.hz).filter(|_| has_rate(facts));
    let timed = facts.evidence.trials.first()?.seconds;
    timed.map(|_| (least.map_or(0.0, |(ticks, hz)| 0.97 * ticks as f64 / hz as f64 - 1e-6).max(0.0), MOST))
}

fn by_trial(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    let trials = if facts.is_by_trial() { facts.evidence.profiled.trials.len() as f64 } else { 0.0 };
    Some((trials, trials))
}

fn raw_ticks(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    let profiled = &facts.evidence.profiled;
    let all = profiled.trials.iter().map(|trial| trial.ticks).sum::<Option<u64>>()?;
    Some((profiled.ticks? as f64 - slack(facts), all as f64))
}

fn beyond(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    let recorded = &facts.evidence.steadiness;
    let limits = [recorded.interrupted_beyond, recorded.interrupted_beyond_alone];
    // They are recorded with two decimals. Without a limit there is nothing that could have been beyond it.
    let least = limits.into_iter().flatten().reduce(f64::min).map_or(MOST, |least| least - 0.01);
    Some((least, MOST))
}

fn rows(facts: &Facts<'_>, _: &[usize]) -> Bounds {
    let rows = &facts.evidence.calls;
    let distinct: BTreeSet<_> = rows.iter().map(|row| (&row.function, &row.role, row.in_bits, row.out_bits)).collect();
    let answered = |demand: &&super::demand::Demand| {
        rows.iter().any(|row| facts.demand(row).is_some_and(|of| std::ptr::eq(of, *demand)))
    };
    let missing =
        facts.demands.as_ref().map_or(0, |demands| demands.calls.iter().filter(|demand| !answered(demand)).count());
    let least = (rows.len() + missing).max(1) as f64;
    Some((least, distinct.len() as f64))
}

fn out_bits(facts: &Facts<'_>, at: &[usize]) -> Bounds {
    let (row, demand) = (row(facts, at), facts.demand(row(facts, at))?);
    if !demand.rejects {
        return Some((row.out_bits as f64, row.out_bits as f64))
            .filter(|_| row.out_bits % 8 == 0)
            .or(Some((MOST, MOST)));
    }
    let (least, most) = (*demand.out_bytes.first()? as f64, *demand.out_bytes.last()? as f64);
    // Rejection sampling may take more or less than it did once.
    Some((row.used_bits.max(8.0 * least / 4.0), 8.0 * most * 4.0))
}

fn used_bits(facts: &Facts<'_>, at: &[usize]) -> Bounds {
    let (row, demand) = (row(facts, at), facts.demand(row(facts, at))?);
    let mean = demand.used_bits();
    let (least, most) =
        if demand.rejects { (mean / 2.0, (1.5 * mean).min(row.out_bits as f64)) } else { (0.0, row.out_bits as f64) };
    Some(near((least, most)))
}

/// Ticks of a row in all trials, its calls in them, its mean call in those that count, and what the probe's cost may be off by in one call,
/// which each process calibrates anew.
fn spread(row: &CallRow, facts: &Facts<'_>) -> Option<(f64, f64, f64, f64)> {
    let profiled = &facts.evidence.profiled;
    let (ticks, calls) = (row.ticks? as f64, row.calls.max(1) as f64);
    let slack = 1.0 + 3.0 * facts.evidence.probe_cost.map_or(0.0, |cost| cost.interval_inside.abs());
    let by_trial: f64 = row.paths.iter().flat_map(|part| &part.trial_ticks).map(|&ticks| ticks as f64).sum();
    let all = if facts.is_by_trial() { by_trial } else { ticks };
    let trials = profiled.trials.len().max(1) as f64 / profiled.counted().count().max(1) as f64;
    Some((all, calls * trials, ticks / calls, slack))
}

fn least(facts: &Facts<'_>, at: &[usize]) -> Bounds {
    let row = row(facts, at);
    let (ticks, calls, mean, slack) = spread(row, facts)?;
    Some((ticks - (calls - 1.0) * (row.max? as f64 + slack) - slack, mean + slack))
}

fn longest(facts: &Facts<'_>, at: &[usize]) -> Bounds {
    let row = row(facts, at);
    let (ticks, calls, mean, slack) = spread(row, facts)?;
    Some((mean - slack, ticks - (calls - 1.0) * row.min? as f64 + calls * slack))
}
