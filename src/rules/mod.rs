//! Decisions as pure functions of values: no file, no clock, no process.

pub mod analysis;
pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod lease;
pub mod lines;
pub mod log_line;
pub mod loop_log;
pub mod metrics;
pub mod origin;
pub mod plan;
pub mod signals;
pub mod window;
