//! Tables and pictures, each a pure function of evidence.

pub mod bench_hash;
pub mod comparison;
pub mod diff;
pub mod differential;
pub mod flamegraph;
pub mod folded;
mod frames;
pub mod grid;
pub mod instructions;
pub mod layout;
pub mod palette;
mod picture;
pub mod svg;
pub mod table;
pub mod trace;
pub mod units;
pub mod whatif;
