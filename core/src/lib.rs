#![no_std]
//! kemprof-core
