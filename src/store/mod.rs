//! Files, lock, clock and configuration of a Ralph project.

pub mod chunks;
pub mod clock;
pub mod config;
pub mod document;
pub mod files;
pub mod git;
pub mod instance;
pub mod lock;
pub mod log;
pub mod mend;
pub mod paths;
pub mod process_mark;
pub mod project;
pub mod replace;
pub mod sessions;
pub mod shared;
pub mod turns;
