//! Files, lock, clock and configuration of a Ralph project.

pub mod chunks;
pub mod clock;
pub mod config;
pub mod document;
pub mod files;
pub mod folder;
pub mod follow;
pub mod git;
pub mod home;
pub mod inside;
pub mod instance;
pub mod lock;
pub mod log;
pub mod mend;
pub mod paths;
pub mod place;
mod plan_file;
pub mod process_mark;
pub mod project;
mod reach;
mod read;
pub mod sessions;
pub mod shared;
pub mod temporary;
pub mod turns;
