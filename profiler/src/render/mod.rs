//! Tables and pictures, each a pure function of evidence.
