//! kemprof
