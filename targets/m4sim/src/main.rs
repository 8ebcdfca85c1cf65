//! The command `m4sim`: runs Cortex-M4 images and tells their cycles.

mod cli;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use cli::{Cli, Command, RunOptions};
use m4sim::timing::{FlashModel, ROWS};
use m4sim::{Config, Counters, Event, Image, Limits, Machine, Map, Watch};

/// Exit status when a limit ended the run, as timeout(1) has it.
const LIMIT_REACHED: u8 = 124;
/// Exit status when a fault ended the run.
const FAULTED: u8 = 125;

/// A failure of the command itself: one line that says what failed.
#[derive(Debug)]
struct Failure(String);

/// Names the file of an error.
fn at<E: Display>(path: &Path) -> impl Fn(E) -> Failure + '_ {
    move |error| Failure(format!("{}: {error}", path.display()))
}

fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Ok(Cli { command: Command::Run(options) }) => run(&options),
        Ok(Cli { command: Command::Costs }) => written("standard output", print_costs()).map(|()| ExitCode::SUCCESS),
        Err(wrong) if wrong.use_stderr() => {
            let _ = wrong.print();
            Ok(ExitCode::from(2))
        }
        Err(help) => written("standard output", help.print()).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|failure| {
        say(format_args!("m4sim: {}", failure.0));
        ExitCode::FAILURE
    })
}

/// Writes a line to standard error. Where that is closed, the exit status alone has to say it.
fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A stream that cannot be written is a failure; a reader that has seen enough and closed the pipe is none.
fn written(stream: &str, result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure(format!("{stream}: {error}"))),
        _ => Ok(()),
    }
}

/// Prints the table of costs with the sources of its rows.
fn print_costs() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for row in &ROWS {
        let each = if row.per_register > 0 { format!("{} + N", row.base) } else { row.base.to_string() };
        writeln!(out, "{each:>6}  {}  [{}]", row.instructions, row.source)?;
    }
    out.flush()
}

/// Loads and runs an image; the program's exit status becomes ours.
fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let bytes = std::fs::read(&options.elf).map_err(at(&options.elf))?;
    let image = Image::from_elf(&bytes).map_err(at(&options.elf))?;
    let map = Map::from(options.map);
    if options.wait_states.is_some() && map != Map::Stm32F4 {
        return Err(Failure(format!("--wait-states is about flash, and the map {} has none", map.name())));
    }
    let config = Config {
        map,
        refill: options.refill,
        flash: options.wait_states.map(|wait_states| FlashModel { wait_states, accelerator: !options.no_accelerator }),
        keep_output: false,
        files: options.files.clone(),
        ..Config::default()
    };
    let mut machine = Machine::new(&image, config).map_err(at(&options.elf))?;
    machine.set_command_line(&command_line(options));
    let watching = options.profile.is_some() || options.report || options.trace.is_some();
    if watching {
        machine.watch(watch(options, &image)?);
    }
    let limits = Limits { cycles: options.cycles, time: options.seconds.map(Duration::from_secs_f64) };
    let started = Instant::now();
    let event = machine.run(limits);
    let host_time = started.elapsed();
    if let Some(watch) = machine.take_watch() {
        finish(options, watch)?;
    }
    if options.counters {
        written("standard error", print_counters(&machine.counters(), host_time))?;
    }
    let lost = machine.take_output_error().map_or(Ok(()), |(stream, error)| written(stream, Err(error)));
    Ok(match event {
        Ok(Event::Exit { status }) => lost.map(|()| ExitCode::from(status as u8))?,
        Ok(_) => {
            let pc = machine.registers().r[15];
            say(format_args!("m4sim: limit reached at pc {pc:#010x} ({})", machine.symbols().describe(pc)));
            ExitCode::from(LIMIT_REACHED)
        }
        Err(fault) => {
            say(format_args!("m4sim: {fault}\n  after {} cycles\n{}", fault.cycles, fault.registers));
            ExitCode::from(FAULTED)
        }
    })
}

/// The program's name and its arguments, as a shell would have them.
fn command_line(options: &RunOptions) -> String {
    let name = options.elf.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    std::iter::once(name).chain(options.args.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn watch(options: &RunOptions, image: &Image) -> Result<Watch, Failure> {
    let mut watch = Watch::nothing();
    if options.profile.is_some() || options.report {
        watch = watch.with_profile(image.symbols());
    }
    if let Some(path) = &options.trace {
        let file = File::create(path).map_err(at(path))?;
        watch = watch.with_trace(image.symbols(), Box::new(file));
    }
    Ok(watch)
}

/// Writes the profile, the tables and the rest of the trace.
fn finish(options: &RunOptions, watch: Watch) -> Result<(), Failure> {
    if let (Some(path), Some(profile)) = (&options.profile, watch.profile()) {
        let mut file = BufWriter::new(File::create(path).map_err(at(path))?);
        profile.write_folded(&mut file).and_then(|()| file.flush()).map_err(at(path))?;
    }
    if let (true, Some(profile)) = (options.report, watch.profile()) {
        written("standard error", profile.write_tables(&mut io::stderr().lock(), options.top))?;
    }
    let trace = options.trace.as_deref().unwrap_or(&options.elf);
    watch.finish().map_err(at(trace))
}

/// Counters, the band of P, and the simulator's own speed.
fn print_counters(counters: &Counters, host_time: Duration) -> io::Result<()> {
    let Counters { cycles, instructions, refills, refill } = *counters;
    let [one, two, three] = [1, 2, 3].map(|p| counters.cycles_with_refill(p));
    let seconds = host_time.as_secs_f64().max(1e-9);
    let speed = instructions as f64 / seconds / 1e6;
    let mut out = io::stderr().lock();
    writeln!(out, "cycles {cycles}   instructions {instructions}   refills {refills} of {refill} cycles")?;
    writeln!(out, "cycles with P = 1, 2, 3: {one}, {two}, {three}")?;
    writeln!(out, "host {seconds:.3} s, {speed:.1} million instructions a second")
}
