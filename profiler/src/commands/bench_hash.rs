use crate::analysis::hash_cost::{HashCost, Origin, per_lane, rates};
use crate::cli::{BenchHashArgs, Failure, output, usage};
use crate::counter::{self, CounterInfo, OpenError, Opened};
use crate::environment::{self, Environment, Tree};
use crate::render;
use crate::runner::{self, Grain, HashCall, Sampled, hash_calls};
use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use kemprof_core::Any;
use kemprof_core::backend::Backend;

/// Samples of every call.
const SAMPLES: u64 = 101;
/// Samples of every call where they shall be few.
const QUICK_SAMPLES: u64 = 5;

/// Times every function of the backends by itself, at the lengths of the NICCS guide and as schemes call it.
///
/// # Errors
/// Usage errors of the options; a failed self-test; no counter that counts.
pub fn bench_hash(args: &BenchHashArgs, command: &[String]) -> Result<(), Failure> {
    let backends = backends(&args.backend)?;
    let mut opened = open(&args.counter)?;
    // For as long as this command runs.
    let pinned = environment::pin_if_possible(&Tree::host(), None)?;
    let mut calls = Vec::new();
    for backend in &backends {
        backend.self_test().map_err(|error| anyhow!("{error}; it is not timed"))?;
        calls.extend(hash_calls(*backend)?);
    }
    let machine = Environment::begin(&Tree::host(), command.to_vec(), pinned.is_some());
    let sampled = sample(&calls, &mut opened, if args.quick { QUICK_SAMPLES } else { SAMPLES })?;
    let costs: Vec<HashCost> =
        calls.iter().zip(&sampled).map(|(call, sampled)| cost(call, sampled, &opened.info)).collect();
    if args.json {
        return output::print_json(&costs);
    }
    let warnings = environment::warnings(&machine);
    output::print(&render::bench_hash::report(&costs, &opened.info.unit_in_words(), &warnings))
}

/// The backends of these names, each once; all where none is named.
fn backends(names: &[String]) -> Result<Vec<Any>, Failure> {
    if names.is_empty() {
        return Ok(Any::ALL.to_vec());
    }
    let mut backends = Vec::new();
    for name in names {
        let backend = runner::backend(name.trim()).map_err(usage)?;
        if backends.contains(&backend) {
            return Err(usage(format_args!("backend {:?} is given twice", backend.name())));
        }
        backends.push(backend);
    }
    Ok(backends)
}

fn open(name: &str) -> Result<Opened, Failure> {
    let opened = counter::open(name).map_err(|error| match error {
        OpenError::Unknown { .. } => usage(error),
        OpenError::Unavailable { .. } => error.into(),
    })?;
    if opened.counter.counts() {
        return Ok(opened);
    }
    if opened.skipped.is_empty() {
        return Err(usage(format_args!("bench-hash does nothing but time, and counter {name} counts nothing")));
    }
    let reasons: Vec<String> =
        opened.skipped.iter().map(|skipped| format!("{}: {}", skipped.name, skipped.reason)).collect();
    Err(anyhow!("no counter works here: {}", reasons.join("; ")).into())
}

fn sample(calls: &[HashCall], opened: &mut Opened, samples: u64) -> Result<Vec<Sampled>, Failure> {
    let bar = ProgressBar::new(samples);
    let style = "bench-hash {bar:30} round {pos} of {len}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    let info = &opened.info;
    let grain = Grain { resolution: info.resolution.unwrap_or(1), read_ticks: info.read_ticks.unwrap_or_default() };
    let mut tasks: Vec<_> = calls.iter().map(HashCall::task).collect();
    let sampled = runner::sample(&mut tasks, &mut opened.counter, grain, samples, |done, _| bar.set_position(done));
    bar.finish_and_clear();
    Ok(sampled?)
}

fn cost(call: &HashCall, sampled: &Sampled, counter: &CounterInfo) -> HashCost {
    let shape = call.shape;
    let (function, permutations) = (call.function(), call.permutations());
    let (per_call, deviation) = per_lane(&sampled.ticks, shape.lanes);
    let (per_byte_of, per_byte, per_permutation) = rates(per_call, shape.in_bytes, shape.out_bytes, permutations);
    HashCost {
        backend: call.backend.name(),
        function: function.name,
        role: shape.role.name(),
        origin: if call.used_by.is_empty() { Origin::Guide } else { Origin::Schemes },
        used_by: call.used_by.clone(),
        in_bytes: shape.in_bytes,
        out_bytes: shape.out_bytes,
        lanes: shape.lanes,
        permutation: function.permutation,
        permutations,
        per_call,
        deviation,
        per_byte,
        per_byte_of,
        per_permutation,
        calls_per_sample: sampled.iterations * shape.lanes as u64,
        samples: sampled.ticks.count,
        counter: counter.name.clone(),
        unit: counter.unit.word().to_owned(),
        hz: counter.hz,
    }
}
