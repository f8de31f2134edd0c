//! Where several workers meet: common budgets, claims and a list of who is at work.

pub mod documents;
mod folder;
mod place;
mod redis;
#[cfg(test)]
mod tests;

pub use folder::Folder;
pub use place::{Counted, Place, Told, Worker};
pub use redis::{Server, WrongUrl};
