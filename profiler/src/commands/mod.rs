//! What each command does, over the library; [`run`] goes from a command line to its command.

mod bench;
mod bench_hash;
mod child;
mod compare;
mod diff;
mod doctor;
mod elsewhere;
mod flamegraph;
mod follow;
mod kat;
mod list;
mod manual;
mod profile;
mod run;
mod settings;
mod show;
mod under_callgrind;
mod verify;
mod whatif;

pub use bench_hash::bench_hash;
pub use child::child;
pub use compare::compare;
pub use diff::diff;
pub use doctor::doctor;
pub use elsewhere::elsewhere;
pub use flamegraph::flamegraph;
pub use follow::follow;
pub use kat::kat;
pub use list::list;
pub use manual::{completions, man};
pub use profile::profile;
pub use run::run;
pub use show::show;
pub use under_callgrind::under_callgrind;
pub use verify::verify;
pub use whatif::whatif;
