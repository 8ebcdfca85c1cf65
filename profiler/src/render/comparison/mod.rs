//! Variants of a scheme side by side: rows, a table and a chart, from the evidence of each and what their functions cost alone.

pub mod chart;
mod explanation;
mod row;
pub mod table;

pub use explanation::Explanation;
pub use row::{NOT_A_HASH, Panel, Row, Variant};
