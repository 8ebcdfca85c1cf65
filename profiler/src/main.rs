//! kemprof
fn main() {}
