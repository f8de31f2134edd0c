//! Decisions as pure functions of values: no file, no clock, no process.

pub mod plan;
pub mod window;
