//! Options as typed settings. What is wrong with them is a usage error.

use crate::cli::{Failure, ProfileArgs, Runner, SamplingArg, SuiteArgs, TargetArgs, usage};
use crate::evidence::{Operation, Plan};
use crate::guest;
use crate::kat;
use crate::names;
use crate::platform::cortex_m4::{COUNTER, CortexM4, M4Settings, RunnerName, uncounted};
use crate::platform::{CALLGRIND, Emulator, HostSettings, Platform, PlatformError, Remote, TargetName, open_host};
use crate::runner::{Job, Part, SuiteSpec, Variant, backend};
use kemprof_core::Sampling;
use kemprof_core::kem::INSTANCES;
use std::time::Duration;

/// The seed when none is given: the bytes 00, 01, ..., 2f, as long as the seeds of NIST's known-answer files.
pub(super) const DEFAULT_SEED: [u8; 48] = {
    let mut seed = [0; 48];
    let mut index = 0;
    while index < seed.len() {
        seed[index] = index as u8;
        index += 1;
    }
    seed
};

/// The instance of this name.
pub(super) fn instance(name: &str) -> Result<&'static str, Failure> {
    if guest::is_manifest(name) {
        return Err(usage(format_args!(
            "{name} is a manifest, which keygen, enc, dec, all and compare take; expected an instance of `kemprof list`"
        )));
    }
    names::find("instance", name, INSTANCES).map_err(usage)
}

/// The instance of this name, or the KEM of this manifest.
pub(super) fn subject(name: &str, target: &TargetArgs) -> Result<&'static str, Failure> {
    if guest::is_manifest(name) { super::guest::open(name, target) } else { instance(name) }
}

/// Whether a KEM can run over these functions.
pub(super) fn suits(instance: &str, variant: &Variant) -> Result<(), Failure> {
    match guest::loaded(instance) {
        Some(_) if variant.sampling == Sampling::Lazy => Err(usage(format_args!(
            "{instance} samples in its own way: @lazy and --sampling are for built-in instances"
        ))),
        Some(guest) if !variant.spec.own => guest.exchangeable().map_err(usage),
        None if variant.spec.own => Err(usage(format_args!(
            "own is what a KEM in C brings, and {instance} is built in; `kemprof list` shows backends"
        ))),
        _ => Ok(()),
    }
}

/// The backends that the options choose for an instance, and how it samples the matrix with them.
pub(super) fn variant(args: &SuiteArgs, sampling: Option<SamplingArg>, instance: &str) -> Result<Variant, Failure> {
    let (mut spec, own) = match &args.hash {
        Some(text) => suite(text, sampling)?,
        None if guest::loaded(instance).is_some() => (SuiteSpec::OWN, None),
        None => (kat::published_suite(instance)?, None),
    };
    for (part, name) in [(Part::Xof, &args.xof), (Part::Prf, &args.prf), (Part::Drng, &args.drng)] {
        if let Some(name) = name {
            if spec.own && part != Part::Drng {
                return Err(usage(format_args!(
                    "--{} takes one role from the KEM's own functions; --hash exchanges all",
                    part.name()
                )));
            }
            spec = spec.with(part, backend(name).map_err(usage)?);
        }
    }
    let variant = Variant { spec, sampling: own.or(sampling.map(Sampling::from)).unwrap_or_default() };
    suits(instance, &variant)?;
    Ok(variant)
}

/// What `--hash` says: symmetric functions, and the sampling where it is written with them, which `--sampling` may repeat.
pub(super) fn suite(text: &str, sampling: Option<SamplingArg>) -> Result<(SuiteSpec, Option<Sampling>), Failure> {
    let (spec, own) = Variant::read(text).map_err(usage)?;
    match own.zip(sampling.map(Sampling::from)) {
        Some((own, asked)) if own != asked => Err(usage(format_args!(
            "--hash {text} and --sampling {} contradict each other: leave one out",
            asked.name()
        ))),
        _ => Ok((spec, own)),
    }
}

/// The seed in hexadecimal, or the default.
pub(super) fn seed(hexadecimal: Option<&str>) -> Result<Vec<u8>, Failure> {
    let Some(text) = hexadecimal else { return Ok(DEFAULT_SEED.to_vec()) };
    match hex::decode(text) {
        Ok(seed) if !seed.is_empty() => Ok(seed),
        Ok(_) => Err(usage("--seed is empty, expected hexadecimal digits")),
        Err(error) => Err(usage(format_args!("--seed {text:?} is not hexadecimal: {error}"))),
    }
}

/// Options that say how to measure, of which no target has all.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasuringOptions {
    pub(super) counter: Option<String>,
    pub(super) cpu: Option<usize>,
    pub(super) events: Vec<String>,
    /// Options besides, by their names, that only this machine has.
    pub(super) others: Vec<&'static str>,
    /// Whether trials are to be shared by several processes.
    pub(super) several_processes: bool,
    /// Whether the size of code is to be found, for which programs are built.
    pub(super) code_size: bool,
    /// Whether every instruction is to be charged to its function.
    pub(super) instructions: bool,
}

/// The platform that the options choose.
pub(super) fn platform(
    args: &TargetArgs,
    options: MeasuringOptions,
    command: &[String],
) -> Result<Box<dyn Platform>, Failure> {
    if args.target == TargetName::CortexM4 {
        return cortex_m4(args, &options, command).map(|target| Box::new(target) as _);
    }
    match remote(args, &options, command)? {
        Some(remote) => Ok(Box::new(remote)),
        None => open_host(host_settings(options, command)).map_err(failure),
    }
}

/// The machine that the options choose, if it is none that this process runs on or drives.
pub(super) fn remote(
    args: &TargetArgs,
    options: &MeasuringOptions,
    command: &[String],
) -> Result<Option<Remote>, Failure> {
    let target = &args.target;
    if let Some(option) = args.firmware_option().filter(|_| *target != TargetName::CortexM4) {
        return Err(usage(format_args!(
            "{option} is for --target {}, not for --target {target}",
            TargetName::CortexM4
        )));
    }
    if let Some(option) = args.emulator_option().filter(|_| *target != TargetName::Aarch64) {
        return Err(usage(format_args!("{option} is for --target {}, not for --target {target}", TargetName::Aarch64)));
    }
    let emulator = match args.runner {
        Some(Runner::Linux(emulator)) => emulator,
        _ => Emulator::default(),
    };
    let settings = host_settings(options.clone(), command);
    let Some(remote) = Remote::of(target, emulator, args.cpu_model.as_deref(), settings) else { return Ok(None) };
    let of_real_machines = [
        ("--processes", options.several_processes),
        ("--profile instructions", options.instructions),
        ("--counter callgrind", options.counter.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(CALLGRIND))),
    ];
    match target {
        TargetName::Aarch64 if let Some((option, _)) = of_real_machines.iter().find(|(_, given)| *given) => Err(usage(
            format_args!("{option} is for real machines, not for --target {target}, where time means nothing"),
        )),
        TargetName::Ssh(_) if options.code_size => {
            Err(usage(format_args!("--code-size builds from the sources, which are here, not with --target {target}")))
        }
        _ => Ok(Some(remote)),
    }
}

fn host_settings(options: MeasuringOptions, command: &[String]) -> HostSettings {
    let MeasuringOptions { counter, cpu, events, instructions, .. } = options;
    let counter = counter.unwrap_or_else(|| "auto".to_owned());
    HostSettings { counter, cpu, events, instructions, command: command.to_vec() }
}

fn cortex_m4(args: &TargetArgs, host: &MeasuringOptions, command: &[String]) -> Result<CortexM4, Failure> {
    let runner = match args.runner {
        Some(Runner::Linux(emulator)) => {
            return Err(usage(format_args!(
                "--runner {} is for --target {}, not for --target {}",
                emulator.name(),
                TargetName::Aarch64,
                args.target
            )));
        }
        Some(Runner::Firmware(runner)) => runner,
        None => RunnerName::default(),
    };
    check_counter(host.counter.as_deref(), runner)?;
    let given = [("--cpu", host.cpu.is_some()), ("--events", !host.events.is_empty())];
    let given = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option);
    if let Some(option) = given.chain(host.others.iter().copied()).next() {
        return Err(usage(format_args!(
            "{option} is for --target {}, not for --target {}",
            TargetName::Host,
            args.target
        )));
    }
    let settings = M4Settings {
        runner,
        board: args.board.unwrap_or_default(),
        image: args.image.clone(),
        clock: args.clock,
        wait_states: args.wait_states,
        timeout: args.timeout.map(Duration::from_secs),
        instructions: host.instructions,
    };
    CortexM4::new(settings, command.to_vec()).map_err(|error| failure(error.into()))
}

/// Whether a Cortex-M4 with this runner has the counter that was asked for.
fn check_counter(name: Option<&str>, runner: RunnerName) -> Result<(), Failure> {
    let Some(name) = name else { return Ok(()) };
    match names::find("counter", name, &["auto", COUNTER]) {
        Ok(COUNTER) if let Some(reason) = uncounted(runner) => {
            Err(usage(format_args!("--counter {COUNTER} does not count with --runner {runner}, {reason}")))
        }
        Ok(_) => Ok(()),
        Err(_) => Err(usage(format_args!(
            "--counter {name} is not for --target {}, whose counter is {COUNTER}",
            TargetName::CortexM4
        ))),
    }
}

/// The exit code that an error of a platform asks for.
pub(super) fn failure(error: PlatformError) -> Failure {
    if error.is_usage() { usage(error) } else { error.into() }
}

/// What `operation` is to run. How much of it is for the target to say: its plan is empty.
pub(super) fn job(operation: Operation, args: &ProfileArgs) -> Result<Job, Failure> {
    let instance = subject(&args.instance, &args.target)?;
    let Variant { spec, sampling } = variant(&args.suite, args.sampling, instance)?;
    Ok(Job {
        instance: instance.to_owned(),
        operation,
        spec,
        sampling,
        seed: seed(args.seed.as_deref())?,
        plan: Plan::default(),
    })
}
