use super::bench;
use super::settings::{self, MeasuringOptions};
use crate::analysis::hash_cost::{HashCost, Origin, per_lane, rates};
use crate::cli::{BenchHashArgs, Failure, output, usage};
use crate::evidence::CounterRecord;
use crate::render;
use crate::runner::{self, HashCall, Sampled};
use crate::target::HashRun;
use kemprof_core::Any;
use kemprof_core::backend::Backend;

/// Times every function of the backends by itself, at the lengths of the NICCS guide and as schemes call it.
///
/// # Errors
/// Usage errors of the options; a failed self-test; no counter that counts.
pub fn bench_hash(args: &BenchHashArgs, command: &[String]) -> Result<(), Failure> {
    let options = MeasuringOptions { counter: args.counter.clone(), ..MeasuringOptions::default() };
    let mut target = settings::target(&args.target, options, command)?;
    let backends = backends(&args.backend, &target.backends())?;
    target.open().map_err(settings::failure)?;
    let mut calls = Vec::new();
    for backend in &backends {
        calls.extend(target.hash_calls(*backend).map_err(settings::failure)?);
    }
    let bar = bench::progress("bench-hash".to_owned(), "round");
    let run = target.bench_hash(&calls, args.quick, &mut bench::advance(&bar));
    bar.finish_and_clear();
    let HashRun { sampled, counter, unit, warnings } = run.map_err(settings::failure)?;
    let costs: Vec<HashCost> = calls
        .iter()
        .zip(&sampled)
        .filter_map(|(call, sampled)| Some(cost(call, sampled.as_ref()?, &counter)))
        .collect();
    if args.json {
        return output::print_json(&costs);
    }
    output::print(&render::bench_hash::report(&costs, &unit, &warnings))
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

fn cost(call: &HashCall, sampled: &Sampled, counter: &CounterRecord) -> HashCost {
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
        counter: counter.name.clone(),
        unit: counter.unit.clone(),
        hz: counter.hz,
    }
}
