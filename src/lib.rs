//! Ralph's five loop guards as pure Rust: rate limit, exit detection, circuit breaker, task list and status.
//!
//! Dependencies point one way: `tools` (one file a tool) use `rules` (decisions as pure functions of values) and
//! `store` (files, lock, clock, configuration); `rules` and `store` do not know each other. Nothing here knows napi.
#![forbid(unsafe_code)]

pub mod claude_code;
pub mod doctor;
pub mod engine;
pub mod environment;
pub mod error;
pub mod generation;
pub mod input;
pub mod options;
pub mod ralph;
pub mod rules;
pub mod schema;
pub mod secret;
pub mod store;
pub mod tools;
pub mod waits;
pub mod zone;

#[cfg(test)]
mod testing;

pub use environment::Environment;
pub use error::{Error, ErrorCode, Result};
pub use generation::Generation;
pub use options::Options;
pub use ralph::Ralph;
