//! The `kemprof` profiler as a library: everything that the command does, in typed parts.
//!
//! Data flows one way: command line → plan → platform → runner → evidence → analysis → renderers. Every table and picture is made
//! from evidence alone, so a file from another machine renders the same.
//!
//! | module | is |
//! |---|---|
//! | [`cli`] | options to typed settings |
//! | [`commands`] | what each command does |
//! | [`platform`] | where core runs: this machine, a worker on another one, or a Cortex-M4 that is simulated, emulated or on a board |
//! | [`cross`] | programs for those, built when they are needed, and kept |
//! | [`names`] | names as people write them |
//! | [`process`] | other programs, run to their end, and an end that leaves none of them behind |
//! | [`files`] | files: read, and written whole or not at all |
//! | [`guest`] | a KEM from outside, in C: built from a manifest, loaded, and watched |
//! | [`runner`] | trials and calls of functions, in this process |
//! | [`words`] | words of messages and headings |
//! | [`watch`] | looks at the core around each trial: did it move, did its clock, did a neighbour share it |
//! | [`counter`] | what counts: registers and perf events (`user`, `perf`), fixed-rate timers, clocks, valgrind (`callgrind`) |
//! | [`environment`] | what the machine is, and what makes its figures unsteady |
//! | [`kat`] | known answers |
//! | [`evidence`] | the record: built, written, read, checked |
//! | [`analysis`] | statistics, shares and predictions: pure functions |
//! | [`progress`] | what a terminal sees while something takes time |
//! | [`render`] | tables, charts and flamegraphs (by inferno) of evidence |

pub mod analysis;
pub mod cli;
pub mod commands;
pub mod counter;
pub mod cross;
pub mod environment;
pub mod evidence;
pub mod files;
pub mod guest;
pub mod kat;
pub mod names;
pub mod platform;
pub mod process;
pub mod progress;
pub mod render;
pub mod runner;
pub mod watch;
pub mod words;
