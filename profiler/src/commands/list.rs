use crate::cli::{Failure, ListArgs, output};
use crate::counter;
use crate::evidence::Sizes;
use crate::render::grid::{Align, Grid};
use crate::runner;
use crate::target::TargetName;
use anstyle::Style;
use kemprof_core::backend::Backend;
use kemprof_core::kem::INSTANCES;
use kemprof_core::symmetric::Form;
use kemprof_core::{Any, Drng, Role};
use serde::Serialize;

/// Everything that there is to choose from.
#[derive(Serialize)]
struct Lists {
    instances: Vec<Instance>,
    backends: Vec<BackendRow>,
    counters: Vec<CounterRow>,
    targets: Vec<Target>,
}

#[derive(Serialize)]
struct Instance {
    name: &'static str,
    sizes: Sizes,
}

#[derive(Serialize)]
struct BackendRow {
    name: &'static str,
    description: &'static str,
    matrix: &'static str,
    noise: &'static str,
    hash_32: &'static str,
    hash_64: &'static str,
    drng: &'static str,
    permutation: &'static str,
}

#[derive(Serialize)]
struct CounterRow {
    name: &'static str,
    available: bool,
    unit: Option<String>,
    hz: Option<u64>,
    resolution: Option<u64>,
    note: String,
}

#[derive(Clone, Serialize)]
struct Target {
    name: &'static str,
    note: &'static str,
}

fn lists() -> Result<Lists, Failure> {
    let mut instances = Vec::new();
    for &name in INSTANCES {
        instances.push(Instance { name, sizes: runner::sizes(name)? });
    }
    let backends = Any::ALL.iter().map(|backend| {
        let name = |form, role| backend.function(form, role).name;
        BackendRow {
            name: backend.name(),
            description: backend.description(),
            matrix: name(Form::Extendable, Role::Matrix),
            noise: name(Form::Extendable, Role::Noise),
            hash_32: name(Form::Fixed(32), Role::H),
            hash_64: name(Form::Fixed(64), Role::G),
            drng: backend.drng(&[]).name(),
            permutation: backend.function(Form::Extendable, Role::Matrix).permutation,
        }
    });
    let counters = counter::available().into_iter().map(|(name, found)| match found {
        Ok(info) => CounterRow {
            name,
            available: true,
            unit: Some(info.unit.word().to_owned()),
            hz: info.hz,
            resolution: info.resolution,
            note: info.unit_in_words(),
        },
        Err(reason) => {
            CounterRow { name, available: false, unit: None, hz: None, resolution: None, note: reason.to_string() }
        }
    });
    let targets = TargetName::KNOWN.map(|(name, note)| Target { name, note }).to_vec();
    Ok(Lists { instances, backends: backends.collect(), counters: counters.collect(), targets })
}

/// Lists instances, backends, counters and targets.
///
/// # Errors
/// When standard output cannot be written to.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let lists = lists()?;
    if args.json {
        return output::print_json(&lists);
    }
    let bold = Style::new().bold();
    let plain = Style::new();
    let section = |title: &str, grid: &Grid| format!("{bold}{title}{bold:#}\n{}\n", grid.render("  "));
    let mut instances = Grid::new(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right])
        .giving_way(&["shared secret (bytes)"]);
    instances.row(bold, ["name", "public key", "secret key", "ciphertext", "shared secret (bytes)"]);
    for Instance { name, sizes } in &lists.instances {
        let lengths = [sizes.pk, sizes.sk, sizes.ct, sizes.ss].map(|bytes| bytes.to_string());
        instances.row(plain, [(*name).to_owned()].into_iter().chain(lengths));
    }
    let mut backends = Grid::new(&[Align::Left; 2]);
    let mut functions = Grid::new(&[Align::Left; 7]).giving_way(&["permutation", "generator", "64 bytes", "32 bytes"]);
    functions.row(bold, ["backend", "matrix", "noise", "32 bytes", "64 bytes", "generator", "permutation"]);
    for row in &lists.backends {
        let cells = [row.name, row.matrix, row.noise, row.hash_32, row.hash_64, row.drng, row.permutation];
        backends.row(plain, [row.name, row.description]);
        functions.row(plain, cells);
    }
    let mut counters = Grid::new(&[Align::Left, Align::Left, Align::Left]);
    for row in &lists.counters {
        let state = if row.available { "works" } else { "unavailable" };
        counters.row(plain, [row.name, state, &row.note]);
    }
    let mut targets = Grid::new(&[Align::Left, Align::Left]);
    for &Target { name, note } in &lists.targets {
        targets.row(plain, [name, note]);
    }
    output::print(&format!(
        "{}{}{}{}{}",
        section("instances", &instances),
        section("backends", &backends),
        section("functions of backends", &functions),
        section("counters", &counters),
        section("targets", &targets)
    ))
}
