//! Where several workers meet: common budgets, claims and a list of who is at work.

pub mod documents;
mod folder;
mod place;
mod redis;
mod team;
#[cfg(test)]
mod tests;
#[cfg(all(test, unix))]
pub(crate) use tests::TestServer;

pub use folder::Folder;
pub use place::{Counted, Place, Told, Worker};
pub use redis::{Server, WrongUrl};
pub use team::{Ground, Team};
