//! The record that everything else is made from.
