//! What runs an operation and yields measurements.
