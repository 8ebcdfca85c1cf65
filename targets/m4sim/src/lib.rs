//! A simulated Cortex-M4 that counts its cycles.
