//! Pure functions of measurements: statistics, shares, predictions, comparisons.

pub mod amdahl;
pub mod breakdown;
pub mod comparison;
pub mod diff;
#[cfg(test)]
pub(crate) mod fixture;
pub mod hash_cost;
pub mod instructions;
pub mod parts;
pub mod quiet;
#[cfg(test)]
mod sample;
pub mod stats;
pub mod steadiness;
pub mod whatif;
