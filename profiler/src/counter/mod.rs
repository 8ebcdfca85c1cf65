//! The counters of the host behind one trait.
