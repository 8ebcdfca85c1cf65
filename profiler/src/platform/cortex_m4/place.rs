//! Where it ran, as evidence describes it.

use super::image::TRIPLE;
use super::{COUNTER, ClockOption, CortexM4, Head, M4Settings, Ready, RunnerName};
use crate::environment::{Build, now_utc, shorten};
use crate::evidence::CounterRecord;
use crate::platform::{Place, PlatformError};
use crate::words::plural;
use kemprof_protocol::Clock;
use serde::Serialize;
use std::collections::BTreeMap;

/// When a run began.
pub(super) struct Moment(String);

impl Moment {
    pub(super) fn now() -> Self {
        Self(now_utc())
    }
}

/// The evidence's `environment` of a run on a Cortex-M4. Nothing of the machine that simulates it or asks the board is in it.
#[derive(Serialize)]
struct Environment {
    cpu_model: &'static str,
    os: Option<String>,
    kernel: Option<String>,
    compiler: String,
    kemprof: String,
    command: Vec<String>,
    started_utc: String,
    ended_utc: String,
    arch: &'static str,
    /// What runs the firmware, with its version.
    runner: String,
    board: String,
    /// The setting of the board's clock tree; none where a simulator was not asked for one.
    clock: Option<&'static str>,
    /// The rate of the core; none where there is none.
    clock_hz: Option<u64>,
    /// Wait states of the flash; none where time has no meaning.
    wait_states: Option<u32>,
    /// Cycles of a pipeline refill, which a simulator has to assume.
    pipeline_refill: Option<u32>,
    build: Compiled,
    firmware: FirmwareFacts,
    /// What the firmware reproduced of the known answers before anything was timed.
    known_answers: Option<KnownAnswers>,
}

/// How the firmware says that it was compiled, by the names of [`Build`].
#[derive(Serialize)]
struct Compiled {
    target: &'static str,
    opt_level: String,
    flags: Vec<String>,
}

#[derive(Serialize)]
struct FirmwareFacts {
    version: String,
    /// SHA-256 of the image.
    sha256: String,
    /// SHA-256 of what it was built from; none for an image from elsewhere.
    inputs_sha256: Option<String>,
}

#[derive(Serialize)]
struct KnownAnswers {
    records_on_target: usize,
    records_published: usize,
}

impl CortexM4 {
    /// Where the run that `head` is of took place.
    pub(super) fn place(&mut self, head: &Head, began: Moment) -> Result<Place, PlatformError> {
        let ready = self.ready()?;
        let environment = self.environment(&ready, head, began);
        Ok(Place {
            target: TRIPLE.to_owned(),
            runner: self.settings.runner.in_evidence().to_owned(),
            counter: self.counter(head),
            environment: serde_json::to_value(environment)?,
            code: head.code.clone(),
            warnings: warnings(&self.settings, head),
        })
    }

    fn environment(&self, ready: &Ready, head: &Head, Moment(started_utc): Moment) -> Environment {
        let RunnerFacts { cpu_model, wait_states, pipeline_refill } = self.runner_facts(head);
        Environment {
            cpu_model,
            os: None,
            kernel: None,
            compiler: head.compiler.clone(),
            kemprof: Build::this().version(),
            command: shorten(self.command.clone()),
            started_utc,
            ended_utc: now_utc(),
            arch: "armv7e-m",
            runner: ready.version.clone(),
            board: head.board.clone(),
            clock: self.settings.clock_named().map(Clock::name),
            clock_hz: self.hz(head),
            wait_states,
            pipeline_refill,
            build: Compiled { target: TRIPLE, opt_level: head.opt_level.clone(), flags: head.flags.clone() },
            firmware: FirmwareFacts {
                version: head.firmware.clone(),
                sha256: ready.firmware.sha256.clone(),
                inputs_sha256: ready.firmware.inputs.clone(),
            },
            known_answers: self
                .reproduced
                .map(|(records_on_target, records_published)| KnownAnswers { records_on_target, records_published }),
        }
    }

    fn runner_facts(&self, head: &Head) -> RunnerFacts {
        match self.settings.runner {
            RunnerName::M4sim => RunnerFacts {
                cpu_model: "Cortex-M4 with FPU, simulated",
                wait_states: Some(self.settings.wait_states.unwrap_or(0)),
                pipeline_refill: Some(m4sim::timing::DEFAULT_REFILL),
            },
            RunnerName::Qemu => {
                RunnerFacts { cpu_model: "Cortex-M4 with FPU, emulated", wait_states: None, pipeline_refill: None }
            }
            RunnerName::ProbeRs => RunnerFacts {
                cpu_model: "Cortex-M4 with FPU",
                wait_states: Some(head.clock.wait_states),
                pipeline_refill: None,
            },
        }
    }

    pub(super) fn counter(&self, head: &Head) -> CounterRecord {
        CounterRecord {
            name: COUNTER.to_owned(),
            unit: "cycles".to_owned(),
            hz: self.hz(head),
            resolution: head.counter.is_ok().then_some(1),
            overhead_per_call: None,
            meaningful: head.counter.is_ok() && self.settings.runner != RunnerName::Qemu,
            unavailable: head.counter.clone().err(),
            refused: BTreeMap::new(),
        }
    }
}

/// What is true of a runner, whatever it runs.
struct RunnerFacts {
    cpu_model: &'static str,
    wait_states: Option<u32>,
    pipeline_refill: Option<u32>,
}

/// What makes figures less than they should be.
pub(super) fn warnings(settings: &M4Settings, head: &Head) -> Vec<String> {
    let mut warnings = Vec::new();
    match settings.runner {
        RunnerName::M4sim => {
            warnings.push(format!(
                "cycles are those of a model (m4sim, a pipeline refill of {}), not of a chip",
                plural(m4sim::timing::DEFAULT_REFILL, "cycle")
            ));
            if settings.wait_states.is_none() {
                warnings.extend(no_wait_states(settings.clock, head));
            }
        }
        RunnerName::Qemu => warnings.push("an emulator without a model of time: calls count, time does not".to_owned()),
        RunnerName::ProbeRs => {}
    }
    warnings
}

/// What is not in a time that comes of cycles that no wait states are in.
fn no_wait_states(clock: Option<ClockOption>, head: &Head) -> Option<String> {
    match clock? {
        ClockOption::Rate(_) => Some(
            "time is cycles over the clock's rate: wait states of the flash are not in it unless they are simulated \
             (--board stm32f4discovery --wait-states N)"
                .to_owned(),
        ),
        ClockOption::Setting(setting) => {
            let states = head.clock.wait_states;
            (states > 0).then(|| {
                format!(
                    "the flash has {} at --clock {}, not in these cycles: simulate with --wait-states {states}",
                    plural(states, "wait state"),
                    setting.name()
                )
            })
        }
    }
}
