//! What backends and sampling are worth for lwekem256, trials interleaved, same known answers throughout.
//!
//! `cargo bench -p kemprof --bench lwekem`

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use anstyle::Style;
use kemprof::counter;
use kemprof::evidence::{Measured, Operation, Plan};
use kemprof::kat::{self, Verdict};
use kemprof::render::grid::{Align, Grid};
use kemprof::render::units;
use kemprof::runner::{self, Clocks, Job, SuiteSpec};
use kemprof_core::Sampling;
use std::time::Instant;

const INSTANCE: &str = "lwekem256";
const TRIALS: u32 = 25;
/// The first is what the others are compared with: the submission.
const VARIANTS: [(&str, Sampling); 4] = [
    ("placeholder", Sampling::Eager),
    ("placeholder", Sampling::Lazy),
    ("sm3", Sampling::Eager),
    ("sm3", Sampling::Lazy),
];

fn main() {
    // `cargo test --benches` runs this too, where one short round shows that it still works.
    let quick = !std::env::args().any(|arg| arg == "--bench");
    let trials = if quick { 1 } else { TRIALS };
    let opened = counter::open("auto").expect("auto takes what there is");
    println!("{INSTANCE}, {} trials of each, interleaved; {}", trials, opened.info.unit_in_words());
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right]);
    grid.row(Style::new(), ["operation", "backend", "sampling", "known answers", "median", "speedup"]);
    for operation in Operation::ALL {
        let jobs = VARIANTS.map(|(backend, sampling)| job(operation, backend, sampling, trials));
        let epoch = Instant::now();
        let clocks = Clocks { counter: Some(opened.counter.clone()), seconds: move || epoch.elapsed().as_secs_f64() };
        let measured = runner::measure(&jobs, &clocks, |_, _| ()).expect("the operations run");
        for (index, job) in jobs.iter().enumerate() {
            let verdict = kat::known_answer(&job.instance, &job.spec, job.sampling).expect("known answers are there");
            assert!(matches!(verdict, Verdict::Pass { .. }), "{verdict}");
            let cells = [
                operation.to_string(),
                job.spec.to_string(),
                job.sampling.name().to_owned(),
                "PASS".to_owned(),
                units::count(median(per_operation(&measured[index]))),
                format!("{:.2}", median(ratios(&measured[0], &measured[index]))),
            ];
            grid.row(Style::new(), cells);
        }
    }
    print!("{}", anstream::adapter::strip_str(&grid.render("  ")));
}

fn job(operation: Operation, backend: &str, sampling: Sampling, trials: u32) -> Job {
    let mut job = Job {
        instance: INSTANCE.to_owned(),
        operation,
        spec: backend.parse::<SuiteSpec>().expect("a backend"),
        sampling,
        seed: (0..48).collect(),
        plan: Plan { trials, iterations_per_trial: 0, warmups: 3 },
    };
    job.plan.iterations_per_trial = runner::default_iterations(&job).expect("the operation runs");
    job
}

fn per_operation(measured: &Measured) -> Vec<f64> {
    measured.trials.iter().map(|trial| trial.ticks.expect("ticks") as f64 / trial.operations as f64).collect()
}

/// How much faster than `base`, trial by trial: neighbours in time share what disturbed them.
fn ratios(base: &Measured, other: &Measured) -> Vec<f64> {
    per_operation(base).iter().zip(per_operation(other)).map(|(base, other)| base / other).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
