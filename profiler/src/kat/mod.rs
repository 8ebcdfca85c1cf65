//! Known answers: their files, manifests and checks.
