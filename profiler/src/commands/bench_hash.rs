use super::settings::{self, MeasuringOptions};
use super::written::Written;
use crate::analysis::hash_cost::{HashCost, HashRecord, Origin, SCHEMA, per_lane, rates};
use crate::cli::{BenchHashArgs, Failure, output, usage};
use crate::evidence;
use crate::names;
use crate::platform::{HashRun, Place, TargetName};
use crate::progress;
use crate::render;
use crate::runner::{self, HashCall, Sampled, Selection};
use kemprof_core::Any;
use kemprof_core::backend::Backend;

/// Times functions of the backends by themselves, at the lengths of the NICCS guide and as schemes call them; prints what they cost
/// and writes it down.
///
/// # Errors
/// Usage errors of the options; a failed self-test; no counter that counts; a folder that cannot be written to.
pub fn bench_hash(args: &BenchHashArgs, command: &[String]) -> Result<(), Failure> {
    let options = MeasuringOptions { counter: args.counter.clone(), ..MeasuringOptions::default() };
    let mut target = settings::platform(&args.target, options, command)?;
    let backends = backends(&args.backend, &target.backends().map_err(settings::failure)?)?;
    target.open().map_err(settings::failure)?;
    let folder = args.out.folder(args.json)?;
    let waiting = progress::waiting("what schemes call");
    let mut known = Vec::new();
    for backend in &backends {
        known.extend(target.hash_calls(*backend).map_err(settings::failure)?);
    }
    drop(waiting);
    let all = known.len();
    let selection = selection(args, &known)?;
    let file = name(args, &backends, &selection);
    let calls = selection.of(known);
    if calls.is_empty() {
        return Err(usage(format_args!("none of the {all} calls is all of what the options choose; leave one out")));
    }
    let bar = progress::bar("bench-hash".to_owned(), "round");
    let run = target.bench_hash(&calls, args.quick, &mut progress::advance(&bar));
    bar.finish_and_clear();
    let HashRun { sampled, unit, place } = run.map_err(settings::failure)?;
    let rows: Vec<HashCost> =
        calls.iter().zip(&sampled).filter_map(|(call, sampled)| Some(cost(call, sampled.as_ref()?))).collect();
    let Place { target, runner, counter, environment, warnings, .. } = place;
    let left_out = all - calls.len();
    let record = HashRecord { schema: SCHEMA, target, runner, counter, environment, warnings, left_out, rows };
    let mut written = Written::default();
    if let Some(folder) = folder {
        written.add(folder.join(file), &(evidence::pretty(&record)? + "\n"))?;
    }
    if args.json {
        return output::print_json(&record);
    }
    output::print(&(render::bench_hash::report(&record, &unit) + &written.to_string()))
}

/// What the options choose of these calls.
fn selection(args: &BenchHashArgs, calls: &[HashCall]) -> Result<Selection, Failure> {
    let mut functions: Vec<&str> = calls.iter().map(|call| call.function().name).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut lengths: Vec<usize> = calls.iter().flat_map(|call| [call.shape.in_bytes, call.shape.out_bytes]).collect();
    lengths.sort_unstable();
    lengths.dedup();
    if let Some(length) = args.length.iter().find(|length| !lengths.contains(length)) {
        let known: Vec<String> = lengths.iter().map(ToString::to_string).collect();
        return Err(usage(format_args!("no call has {length} bytes in or out; known: {}", known.join(", "))));
    }
    let function = |name: &String| names::find("function", name, &functions).map_err(usage);
    Ok(Selection {
        instances: args.instance.iter().map(|name| settings::instance(name)).collect::<Result<_, _>>()?,
        functions: args.function.iter().map(function).collect::<Result<_, _>>()?,
        lengths: args.length.clone(),
        all: args.all,
    })
}

/// The file of what is asked for: whatever another command line would time has another one.
fn name(args: &BenchHashArgs, backends: &[Any], selection: &Selection) -> String {
    let BenchHashArgs { backend, all, counter, target, .. } = args;
    let backends: Vec<&str> =
        if backend.is_empty() { Vec::new() } else { backends.iter().map(Backend::name).collect() };
    let lengths: Vec<String> = selection.lengths.iter().map(ToString::to_string).collect();
    let lists = [backends.join("+"), selection.instances.join("+"), selection.functions.join("+"), lengths.join("+")];
    let target = (target.target != TargetName::Host).then(|| target.target.to_string());
    let others = [all.then(|| "all".to_owned()), counter.clone(), target].map(Option::unwrap_or_default);
    let parts = ["bench-hash".to_owned()].into_iter().chain(lists).chain(others).filter(|part| !part.is_empty());
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-+_@.".contains(c) { c } else { '_' };
    parts.collect::<Vec<_>>().join("-").chars().map(plain).collect::<String>() + ".json"
}

/// The backends of these names, each once; all that the target has where none is named.
fn backends(names: &[String], all: &[Any]) -> Result<Vec<Any>, Failure> {
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    let mut backends = Vec::new();
    for name in names {
        let backend = runner::backend(name.trim()).map_err(usage)?;
        if !all.contains(&backend) {
            let known: Vec<&str> = all.iter().map(Backend::name).collect();
            return Err(usage(format_args!(
                "backend {} is not on this target; it has {}",
                backend.name(),
                known.join(", ")
            )));
        }
        if backends.contains(&backend) {
            return Err(usage(format_args!("backend {:?} is given twice", backend.name())));
        }
        backends.push(backend);
    }
    Ok(backends)
}

fn cost(call: &HashCall, sampled: &Sampled) -> HashCost {
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
        quiet_samples: sampled.quiet,
    }
}
