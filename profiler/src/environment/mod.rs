//! What a stranger needs to know of the machine to judge a figure.
//!
//! [`Environment`] is the record, read from `/proc` and `/sys` (or from a copy of them, [`Tree`]); [`warnings`] says in
//! words what makes figures unsteady and what to do about it. [`pin`] keeps the program on one core.

mod build;
mod cpuinfo;
#[cfg(test)]
pub(crate) mod fixture;
mod memory;
mod origin;
mod pin;
mod processor;
mod system;
#[cfg(target_arch = "aarch64")]
mod timer;
mod tree;
mod warnings;

pub use build::Build;
pub use memory::{Resident, forget_peak, resident};
pub use origin::Origin;
pub use pin::{PinError, Pinned, allowed_cores, choose_core, current_core, pin, pin_if_possible};
pub use processor::{CoreKind, Processor, core_kinds, isolated_cores};
pub use system::{QEMU_SYSTEM, QEMU_USER, System, VALGRIND};
#[cfg(target_arch = "aarch64")]
pub use timer::timer_hz;
pub use tree::Tree;
pub use warnings::warnings;

use serde::{Deserialize, Serialize};
use std::env;

/// The machine, the build and the command: the evidence's `environment`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Environment {
    /// The processor's name.
    pub cpu_model: Option<String>,
    /// The operating system's name and version.
    pub os: Option<String>,
    /// The kernel's.
    pub kernel: Option<String>,
    /// The compiler's.
    pub compiler: String,
    /// The profiler's version, with its commit where it is known.
    pub kemprof: String,
    /// The command line, the program's own name first.
    pub command: Vec<String>,
    /// How the machine was reached, where the command was not typed there: `ssh:HOST`.
    #[serde(default)]
    pub remote: Option<String>,
    /// When the run began, in UTC, e.g. `2026-11-30T10:55:16Z`.
    pub started_utc: String,
    /// When it ended.
    pub ended_utc: Option<String>,
    /// The architecture that the program was built for: `x86_64`, `aarch64`.
    pub arch: String,
    /// How it was built.
    pub build: Build,
    /// The processor and the core.
    pub processor: Processor,
    /// The system around it.
    pub system: System,
}

impl Environment {
    /// Reads the machine from `tree` as a run begins. `pinned` says whether the program is kept on the core that it is on
    /// now; `command` is the command line.
    ///
    /// The program's own name is cut to its last part: the directory is no one's business, and says nothing of the figures.
    #[must_use]
    pub fn begin(tree: &Tree, command: Vec<String>, pinned: bool) -> Self {
        let core = current_core();
        let build = Build::this();
        Self {
            cpu_model: processor::model(tree, core),
            os: system::os(tree),
            kernel: system::kernel(tree),
            compiler: Build::compiler().to_owned(),
            kemprof: build.version(),
            command: shorten(command),
            remote: Origin::declared().remote,
            started_utc: now_utc(),
            ended_utc: None,
            arch: env::consts::ARCH.to_owned(),
            processor: Processor::read(tree, core, pinned),
            system: System::here(tree),
            build,
        }
    }

    /// Notes the time as the run ends.
    pub fn end(&mut self) {
        self.ended_utc = Some(now_utc());
    }

    /// Whether instructions run on a processor, so that time means something.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        self.system.emulator.is_none()
    }
}

pub(crate) fn shorten(mut command: Vec<String>) -> Vec<String> {
    if let Some(program) = command.first_mut()
        && let Some((_, name)) = program.rsplit_once('/')
    {
        *program = name.to_owned();
    }
    command
}

pub(crate) fn now_utc() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Second).unwrap_or(now).to_string()
}

/// Whether QEMU in user mode runs the test. Its speed says nothing; a program that it starts now and then ends with status 127 before it
/// began; and it does not tell the one who starts a program that it is not there.
#[cfg(test)]
pub(crate) fn emulated() -> bool {
    use std::io::Write as _;

    let emulated = !Environment::begin(&Tree::host(), Vec::new(), false).is_real();
    if emulated {
        let _ = writeln!(std::io::stderr(), "skipped: an emulator runs this test");
    }
    emulated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;

    #[test]
    fn this_machine_is_recorded_and_read_back() {
        let mut environment = Environment::begin(&Tree::host(), vec!["/some/where/kemprof".to_owned()], false);
        assert_eq!(environment.command, ["kemprof"]);
        environment.end();
        let text = serde_json::to_string(&environment).unwrap();
        assert_eq!(serde_json::from_str::<Environment>(&text).unwrap(), environment);
        let ended = environment.ended_utc.unwrap();
        assert!(ended.ends_with('Z') && ended.len() == "2026-11-30T10:55:16Z".len(), "{ended}");
        assert!(environment.started_utc <= ended);
    }

    #[test]
    fn a_machine_without_proc_and_sys_has_a_record_all_the_same() {
        let environment = Environment::begin(&Fixture::new(&[]).tree(), Vec::new(), true);
        assert_eq!((environment.cpu_model.as_ref(), environment.os.as_ref()), (None, None));
        assert!(environment.is_real() && environment.processor.pinned);
    }
}
