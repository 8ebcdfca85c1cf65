//! A machine with a program in it: the library's face.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::bus::{CycleCounter, Map};
use crate::cache::Cache;
use crate::core::Core;
use crate::error::{Fault, ImageError, Registers, Stop};
use crate::image::Image;
use crate::run::{Progress, run};
use crate::semihost::Host;
use crate::symbols::Symbols;
use crate::timing::{Accelerator, DEFAULT_REFILL, FlashModel, Traits};
use crate::watch::Watch;

/// What kind of machine to make.
#[derive(Clone, Debug)]
pub struct Config {
    /// The board.
    pub map: Map,
    /// P, the cycles of a pipeline refill: 1 to 3.
    pub refill: u32,
    /// Wait states of the flash, for maps that have flash; `None` has none.
    pub flash: Option<FlashModel>,
    /// What the cycle counter does: for programs that must notice when it does not count.
    pub cycle_counter: CycleCounter,
    /// Keeps the program's output for [`Machine::take_output`] instead of passing it to the host's standard streams;
    /// its input is then what [`Machine::set_input`] gives, and nothing without that.
    pub keep_output: bool,
    /// Directory whose files the program may open by semihosting; `None` allows none.
    pub files: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            map: Map::default(),
            refill: DEFAULT_REFILL,
            flash: None,
            cycle_counter: CycleCounter::default(),
            keep_output: false,
            files: None,
        }
    }
}

/// How far to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Until so many cycles have passed since reset.
    pub cycles: Option<u64>,
    /// Until so much time has passed on the host in this call.
    pub time: Option<Duration>,
}

/// Why a run came back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The program ended.
    Exit {
        /// Its exit status.
        status: i32,
    },
    /// A hooked address is about to be executed. Running on executes it.
    Hook {
        /// The address.
        address: u32,
    },
    /// The limit of cycles is reached.
    CycleLimit,
    /// The limit of time is reached.
    TimeLimit,
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Core cycles since reset.
    pub cycles: u64,
    /// Instructions, those skipped by their condition included.
    pub instructions: u64,
    /// Pipeline refills, each of P cycles.
    pub refills: u64,
    /// P.
    pub refill: u32,
}

impl Counters {
    /// Cycles as they would be with another P. Exact for programs that do not look at the time.
    pub fn cycles_with_refill(&self, refill: u32) -> u64 {
        self.cycles - self.refills * u64::from(self.refill) + self.refills * u64::from(refill)
    }
}

/// What the program wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output and UART0.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// Cycles between looks at the host's clock.
const TIME_SLICE: u64 = 20_000_000;

/// A simulated Cortex-M4 with a program.
pub struct Machine {
    core: Core,
    cache: Cache,
    progress: Progress,
    config: Config,
    flash: Option<Accelerator>,
    symbols: Symbols,
    watch: Option<Watch>,
}

impl Machine {
    /// Loads an image and resets the core: stack pointer and PC from the vector table.
    ///
    /// # Errors
    /// When the image does not fit the map or has no vector table.
    pub fn new(image: &Image, config: Config) -> Result<Self, ImageError> {
        let map = config.map;
        let mut core = Core::new(map, config.cycle_counter, Host::new(map.clock(), config.keep_output));
        core.host.files.clone_from(&config.files);
        for segment in &image.segments {
            if !segment.bytes.is_empty() {
                core.mem.poke(segment.address, &segment.bytes).ok_or_else(|| Image::outside(segment, map))?;
            }
        }
        let ram = &core.mem.sram;
        let ram_end = ram.base + ram.data.len() as u32;
        core.host.heap = (image.data_end(ram.base, ram_end), ram_end);
        let base = map.vectors();
        let word = |at| core.mem.bytes(at, 4).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        let (sp, reset) = (word(base), word(base + 4));
        if let Some(reason) = bad_vectors(&core, sp, reset) {
            return Err(ImageError::NoVectors { base, sp, reset, reason });
        }
        core.r[13] = sp;
        core.r[14] = u32::MAX;
        core.next = reset & !1;
        let flash = config.flash.filter(|_| core.mem.code.read_only).map(|model| {
            let code = &core.mem.code;
            Accelerator::new(model, code.base, code.data.len() as u32)
        });
        let progress = Progress { instructions: 0, refills: 0, previous: Traits::NEUTRAL };
        let cache = Cache::new(&core);
        Ok(Machine { core, cache, progress, config, flash, symbols: image.symbols.clone(), watch: None })
    }

    /// Sets what SYS_GET_CMDLINE returns: by custom the program's name and its arguments, separated by spaces.
    pub fn set_command_line(&mut self, line: &str) {
        line.clone_into(&mut self.core.host.command_line);
    }

    /// Sets what the program reads from standard input.
    pub fn set_input(&mut self, bytes: &[u8]) {
        self.core.host.input = Some(bytes.iter().copied().collect());
    }

    /// Takes the first error that passing the program's output on met, with the stream that it was for. A reader that went away is
    /// none.
    pub fn take_output_error(&mut self) -> Option<(&'static str, std::io::Error)> {
        self.core.host.console.take_error()
    }

    /// Takes the output kept so far; empty unless [`Config::keep_output`] is set.
    pub fn take_output(&mut self) -> Output {
        let (stdout, stderr) = self.core.host.console.take();
        Output { stdout, stderr }
    }

    /// Stops every run before the instruction at an address.
    pub fn hook(&mut self, address: u32) {
        self.cache.hooks.insert(address & !1);
        self.cache.forget(address & !1);
    }

    /// Hooks a symbol; its address, or `None` when the image has no such name.
    pub fn hook_symbol(&mut self, name: &str) -> Option<u32> {
        let address = self.symbols.address(name)?;
        self.hook(address);
        Some(address)
    }

    /// Removes a hook.
    pub fn unhook(&mut self, address: u32) {
        self.cache.hooks.remove(&(address & !1));
        self.cache.forget(address & !1);
    }

    /// Watches every instruction from here on: for a profile, a trace, or both.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Takes what was watched, closing it at the current cycle.
    pub fn take_watch(&mut self) -> Option<Watch> {
        self.watch.take()
    }

    /// Makes an external interrupt pending. One that the board does not have never is.
    pub fn pend_interrupt(&mut self, number: u8) {
        self.core.sys.nvic.pend(16 + u16::from(number.min(239)));
        self.core.deadline = 0;
    }

    /// Runs to the next event.
    ///
    /// # Errors
    /// When the program faults; the fault names the place and holds the registers. It cannot run on after that.
    pub fn run(&mut self, limits: Limits) -> Result<Event, Box<Fault>> {
        let started = Instant::now();
        let end = limits.cycles.unwrap_or(u64::MAX);
        if self.cache.hooks.contains(&self.core.next)
            && let Some(event) = self.step_over_hook()?
        {
            return Ok(event);
        }
        loop {
            if self.core.cycles >= end {
                return Ok(Event::CycleLimit);
            }
            let slice = if limits.time.is_some() { self.core.cycles.saturating_add(TIME_SLICE) } else { u64::MAX };
            if let Some(event) = self.run_to(end.min(slice))? {
                return Ok(event);
            }
            if limits.time.is_some_and(|time| started.elapsed() >= time) {
                return Ok(Event::TimeLimit);
            }
        }
    }

    /// Executes the instruction under a hook.
    fn step_over_hook(&mut self) -> Result<Option<Event>, Box<Fault>> {
        let address = self.core.next;
        self.unhook(address);
        let result = self.run_to(self.core.cycles);
        self.hook(address);
        result
    }

    fn run_to(&mut self, limit: u64) -> Result<Option<Event>, Box<Fault>> {
        let Machine { core, cache, progress, config, flash, watch, .. } = self;
        let refill = config.refill;
        let result = match (watch, flash) {
            (None, None) => run(core, cache, progress, refill, limit, None, &mut ()),
            (Some(watch), flash) => run(core, cache, progress, refill, limit, flash.as_mut(), watch),
            (None, flash) => run(core, cache, progress, refill, limit, flash.as_mut(), &mut Watch::nothing()),
        };
        self.core.host.console.flush();
        match result.map_err(|stop| *stop) {
            Ok(()) => Ok(None),
            Err(Stop::Exit(status)) => Ok(Some(Event::Exit { status })),
            Err(Stop::Hook) => Ok(Some(Event::Hook { address: self.core.pc })),
            Err(Stop::Fault(kind)) => {
                let pc = self.core.pc;
                Err(Box::new(Fault {
                    kind,
                    pc,
                    opcode: self.core.opcode_text(pc),
                    symbol: self.symbols.describe(pc),
                    registers: self.core.registers(),
                    cycles: self.core.cycles,
                }))
            }
        }
    }

    /// Counters since reset.
    pub fn counters(&self) -> Counters {
        Counters {
            cycles: self.core.cycles,
            instructions: self.progress.instructions,
            refills: self.progress.refills,
            refill: self.config.refill,
        }
    }

    /// The registers; the PC is the address of the last instruction.
    pub fn registers(&self) -> Registers {
        self.core.registers()
    }

    /// Bytes of memory, without side effects; `None` when the range is not memory.
    pub fn memory(&self, address: u32, len: usize) -> Option<&[u8]> {
        self.core.mem.bytes(address, len)
    }

    /// Writes memory, read-only memory included; `None` when the range is not memory.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Option<()> {
        self.core.mem.poke(address, bytes)?;
        for address in std::mem::take(&mut self.core.mem.stale) {
            self.cache.forget(address);
        }
        Some(())
    }

    /// The image's symbols.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}

/// What is wrong with the first two words of the vector table.
fn bad_vectors(core: &Core, sp: u32, reset: u32) -> Option<&'static str> {
    match (sp, reset) {
        (0, 0) => Some("both are 0: is the image linked for another board?"),
        (0, _) => Some("the stack pointer is 0"),
        (_, 0) => Some("the reset vector is 0"),
        _ if !sp.is_multiple_of(4) => Some("the stack pointer is no multiple of 4"),
        _ if reset & 1 == 0 => {
            Some("bit 0 of the reset vector is clear, which is Arm state: the core has Thumb state only")
        }
        _ if core.mem.bytes(reset & !1, 2).is_none() => Some("the reset vector points to where no memory is"),
        _ => None,
    }
}
