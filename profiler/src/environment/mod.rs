//! What a stranger needs to know of the machine to judge a figure.

mod tree;

pub use tree::Tree;
