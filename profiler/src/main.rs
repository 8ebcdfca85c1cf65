//! The `kemprof` command.

fn main() {}
