//! The litmus families.
