//! Pure functions of measurements: statistics, shares, predictions.
