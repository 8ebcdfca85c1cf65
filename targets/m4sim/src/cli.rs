//! Options of the command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use m4sim::Map;
use m4sim::timing::DEFAULT_REFILL;

/// A simulated Cortex-M4 that counts its cycles.
#[derive(Debug, Parser)]
#[command(name = "m4sim", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an image. The exit status is the program's; 124 when a limit ended the run, 125 after a fault.
    Run(RunOptions),
    /// Print the table of cycle costs and the source of each row.
    Costs,
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// ELF image.
    pub(crate) elf: PathBuf,
    /// Arguments of the program, which it reads by semihosting.
    #[arg(last = true)]
    pub(crate) args: Vec<String>,
    /// Memory map.
    #[arg(long, value_enum, default_value_t = MapName::Mps2An386)]
    pub(crate) map: MapName,
    /// Stop after so many cycles.
    #[arg(long, value_name = "N")]
    pub(crate) cycles: Option<u64>,
    /// Stop after so many seconds of the host.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// P, the cycles of a pipeline refill after a taken branch.
    #[arg(long, value_name = "P", default_value_t = DEFAULT_REFILL, value_parser = clap::value_parser!(u32).range(1..=3))]
    pub(crate) refill: u32,
    /// Wait states of the flash (map stm32f4); none without this option.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=15))]
    pub(crate) wait_states: Option<u32>,
    /// Switch the caches and the prefetch of the flash off.
    #[arg(long, requires = "wait_states")]
    pub(crate) no_accelerator: bool,
    /// Directory whose files the program may open by semihosting.
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,
    /// Write a line for each instruction: cycle, cost, address, opcode, function, instruction, changed registers.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write folded stacks of cycles per call path; beyond 256 functions recursion adds none to a path.
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Print functions, hottest instructions, each stack's peak, loads and stores to standard error.
    #[arg(long)]
    pub(crate) report: bool,
    /// Lines of each table of the report.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    /// Print cycles, instructions and the cycles for P = 1 to 3 to standard error.
    #[arg(long)]
    pub(crate) counters: bool,
}

/// Names of the maps.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MapName {
    /// Arm MPS2 with AN386: memory from 0 and 0x20000000, UART0.
    #[value(name = "mps2-an386")]
    Mps2An386,
    /// STM32F4: flash from 0x08000000, RAM from 0x20000000, CCM.
    #[value(name = "stm32f4")]
    Stm32F4,
}

impl From<MapName> for Map {
    fn from(name: MapName) -> Map {
        match name {
            MapName::Mps2An386 => Map::Mps2An386,
            MapName::Stm32F4 => Map::Stm32F4,
        }
    }
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s < 1e9 => Ok(s),
        _ => Err("expected a positive number of seconds".to_owned()),
    }
}
