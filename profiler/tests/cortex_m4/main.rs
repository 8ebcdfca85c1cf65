//! `--target cortex-m4` as its user sees it. Tests that need the cross toolchain say so and pass where it is missing, unless
//! `KEMPROF_REQUIRE_CROSS` is set: then they fail.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod boards;
mod builds;
mod commands;
mod images;
mod profile;
mod support;
