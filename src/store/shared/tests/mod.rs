//! One suite of tests, which every place passes: a project's folder, a shared folder, a server.

#[cfg(unix)]
mod server;
mod suite;

#[cfg(unix)]
pub(crate) use server::TestServer;

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use tempfile::TempDir;

use super::{Folder, Place};
use crate::rules::budget::Millis;
use crate::store::clock::FrozenClock;

/// Noon of 1 March 2026, UTC.
const NOON: Millis = 1_772_366_400_000;

/// A place whose clock a test sets.
struct Row {
    place: Box<dyn Place>,
    set_clock: Box<dyn FnMut(Millis)>,
    /// What has to live as long.
    _keep: Box<dyn std::any::Any>,
}

impl Row {
    fn folder(path: &str) -> Self {
        let folder: TempDir = tempfile::tempdir().expect("a folder");
        let at = |now: Millis| DateTime::from_timestamp_millis(i64::try_from(now).expect("in range")).expect("an instant");
        let clock = Arc::new(FrozenClock::at(at(NOON)));
        let place = Folder::new(folder.path().join(path), Duration::from_secs(5), clock.clone());
        Self { place: Box::new(place), set_clock: Box::new(move |now| clock.set(at(now))), _keep: Box::new(folder) }
    }

    #[cfg(unix)]
    fn server() -> Option<Self> {
        use super::Server;
        let server = TestServer::start(&[])?;
        let clock = "local function instant() return tonumber(redis.call('GET', 'clock')) end\n";
        let place = Server::by_clock(&server.url(), "group", clock).expect("a URL");
        let mut connection = server.connection();
        let mut set_clock = move |now: Millis| redis::cmd("SET").arg("clock").arg(now).exec(&mut connection).expect("set");
        set_clock(NOON);
        Some(Self { place: Box::new(place), set_clock: Box::new(set_clock), _keep: Box::new(server) })
    }
}

/// Every place there is.
fn rows() -> Vec<(&'static str, Row)> {
    let mut rows = vec![("project", Row::folder(".ralph")), ("folder", Row::folder("shared/default"))];
    #[cfg(unix)]
    rows.extend(Row::server().map(|row| ("server", row)));
    rows
}
