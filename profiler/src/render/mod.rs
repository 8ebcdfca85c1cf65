//! Tables and pictures, each a pure function of evidence.

pub mod flamegraph;
pub mod folded;
pub mod grid;
pub mod table;
pub mod trace;
pub mod units;
