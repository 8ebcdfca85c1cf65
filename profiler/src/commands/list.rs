use super::settings;
use crate::cli::{Failure, ListArgs, output};
use crate::counter::{self, Unit};
use crate::evidence::Sizes;
use crate::platform::cortex_m4::{self, Board, COUNTER, RunnerName};
use crate::platform::{Counting, Emulator, HostSettings, Remote, TargetName};
use crate::progress;
use crate::render::grid::{Align, Grid};
use crate::runner;
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
    /// Boards that the firmware is built for; none where there is no firmware.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<BoardRow>,
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
    name: String,
    /// What runs the program, where there is a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    runner: Option<&'static str>,
    available: bool,
    unit: Option<String>,
    hz: Option<u64>,
    resolution: Option<u64>,
    note: String,
}

#[derive(Serialize)]
struct BoardRow {
    name: &'static str,
    flash_bytes: u32,
    ram_bytes: u32,
    runners: Vec<&'static str>,
}

#[derive(Clone, Serialize)]
struct Target {
    name: &'static str,
    note: &'static str,
}

fn lists(target: &TargetName) -> Result<Lists, Failure> {
    let mut instances = Vec::new();
    for &name in INSTANCES {
        instances.push(Instance { name, sizes: runner::sizes(name)? });
    }
    let (backends, counters, boards) = match Remote::of(target, Emulator::default(), None, HostSettings::default()) {
        Some(mut remote) => {
            let _waiting = progress::waiting(format!("asking {target}"));
            (Any::ALL.to_vec(), counters_of_linux(remote.counters().map_err(settings::failure)?), Vec::new())
        }
        None if *target == TargetName::CortexM4 => (cortex_m4::backends(), counters_of_cortex_m4(), boards()),
        None => {
            let found = counter::available().into_iter();
            let found = found.map(|(name, found)| (name.to_owned(), found.map_err(|reason| reason.to_string())));
            (Any::ALL.to_vec(), counters_of_linux(found.collect()), Vec::new())
        }
    };
    let backends = backends.into_iter().map(backend_row).collect();
    let targets = TargetName::KNOWN.map(|(name, note)| Target { name, note }).to_vec();
    Ok(Lists { instances, backends, counters, boards, targets })
}

fn backend_row(backend: Any) -> BackendRow {
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
}

impl CounterRow {
    fn unavailable(name: String, reason: String) -> Self {
        Self { name, runner: None, available: false, unit: None, hz: None, resolution: None, note: reason }
    }
}

fn counters_of_linux(found: Vec<Counting>) -> Vec<CounterRow> {
    let row = |(name, found): Counting| match found {
        Ok(info) => CounterRow {
            name,
            runner: None,
            available: true,
            unit: Some(info.unit.word().to_owned()),
            hz: info.hz,
            resolution: info.resolution,
            note: info.unit_in_words(),
        },
        Err(reason) => CounterRow::unavailable(name, reason),
    };
    found.into_iter().map(row).collect()
}

fn counters_of_cortex_m4() -> Vec<CounterRow> {
    let row = |(runner, found): (RunnerName, Result<&str, String>)| {
        let row = match found {
            Ok(counted) => CounterRow {
                name: COUNTER.to_owned(),
                runner: None,
                available: true,
                unit: Some(Unit::Cycles.word().to_owned()),
                hz: None,
                resolution: Some(1),
                note: counted.to_owned(),
            },
            Err(reason) => CounterRow::unavailable(COUNTER.to_owned(), reason),
        };
        CounterRow { runner: Some(runner.name()), ..row }
    };
    cortex_m4::counters().into_iter().map(row).collect()
}

fn boards() -> Vec<BoardRow> {
    let row = |board: Board| BoardRow {
        name: board.name(),
        flash_bytes: board.memory().flash.1,
        ram_bytes: board.memory().ram.1,
        runners: RunnerName::ALL.into_iter().filter(|runner| board.runs_on(*runner)).map(RunnerName::name).collect(),
    };
    Board::ALL.map(row).into()
}

/// Lists instances, the backends and counters of a target, its boards where it has some, and targets.
///
/// # Errors
/// When standard output cannot be written to.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let lists = lists(&args.target)?;
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
        let runner = row.runner.map(|runner| format!("--runner {runner}: ")).unwrap_or_default();
        counters.row(plain, [row.name.as_str(), state, &format!("{runner}{}", row.note)]);
    }
    let mut boards = Grid::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    boards.row(bold, ["board", "flash (KiB)", "RAM used (KiB)", "--runner"]);
    for row in &lists.boards {
        let kib = |bytes: u32| (bytes >> 10).to_string();
        boards.row(plain, [row.name, &kib(row.flash_bytes), &kib(row.ram_bytes), &row.runners.join(", ")]);
    }
    let boards = if lists.boards.is_empty() { String::new() } else { section("boards", &boards) };
    let mut targets = Grid::new(&[Align::Left, Align::Left]);
    for &Target { name, note } in &lists.targets {
        targets.row(plain, [name, note]);
    }
    output::print(&format!(
        "{}{}{}{}{boards}{}",
        section("instances", &instances),
        section("backends", &backends),
        section("functions of backends", &functions),
        section("counters", &counters),
        section("targets", &targets)
    ))
}
