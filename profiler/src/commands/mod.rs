//! What each command does, over the library; [`run`] goes from a command line to its command.

mod bench_hash;
mod compare;
mod diff;
mod doctor;
mod flamegraph;
mod guest;
mod init;
mod kat;
mod list;
mod manual;
mod profile;
mod run;
mod schema;
mod settings;
mod show;
mod verify;
mod whatif;
mod written;

pub use bench_hash::bench_hash;
pub use compare::compare;
pub use diff::diff;
pub use doctor::doctor;
pub use flamegraph::flamegraph;
pub use init::init;
pub use kat::kat;
pub use list::list;
pub use manual::{completions, man};
pub use profile::profile;
pub use run::run;
pub use schema::schema;
pub use show::show;
pub use verify::verify;
pub use whatif::whatif;
