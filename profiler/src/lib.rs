//! The `kemprof` profiler as a library: everything that the command does, in typed parts.
//!
//! Data flows one way: command line → plan → target → runner → evidence → analysis → renderers. Every table and picture is made
//! from evidence alone, so a file from another machine renders the same.

pub mod analysis;
pub mod cli;
pub mod commands;
pub mod counter;
pub mod cross;
pub mod elsewhere;
pub mod environment;
pub mod evidence;
pub mod kat;
pub mod render;
pub mod runner;
pub mod target;
pub mod watch;
