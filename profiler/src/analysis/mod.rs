//! Pure functions of measurements: statistics, shares, predictions.

pub mod stats;
