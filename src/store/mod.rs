//! Files, lock, clock and configuration of a Ralph project.

pub mod config;
