//! A real server for tests: started on a socket of its own, and stopped by its process.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use tempfile::TempDir;

/// A running server; it stops when dropped.
pub(crate) struct TestServer {
    child: Child,
    folder: TempDir,
}

/// The program; `None` where it is not installed.
fn program() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let names = ["redis-server", "valkey-server"];
    env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

impl TestServer {
    /// Starts a server that listens on a socket, and takes these settings besides; `None` where none is installed, which
    /// `npm test` says at its end.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().expect("a folder");
        let child = spawn(&program, folder.path(), settings);
        let server = Self { child, folder };
        server.wait();
        Some(server)
    }

    /// Starts it anew, without its data, after it was stopped.
    pub(crate) fn restart(&mut self, settings: &[&str]) {
        self.stop();
        self.child = spawn(&program().expect("it ran before"), self.folder.path(), settings);
        self.wait();
    }

    /// Kills it.
    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The URL of its socket.
    pub(crate) fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// A connection of the library's own.
    pub(crate) fn connection(&self) -> redis::Connection {
        redis::Client::open(self.url()).expect("a URL").get_connection().expect("a connection")
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Waits until it takes connections.
    fn wait(&self) {
        let begun = Instant::now();
        while std::os::unix::net::UnixStream::connect(self.socket()).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the server starts");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(program: &Path, folder: &Path, settings: &[&str]) -> Child {
    let socket = folder.join("socket");
    let _ = std::fs::remove_file(&socket);
    Command::new(program)
        .args(["--unixsocket", &socket.to_string_lossy(), "--dir", &folder.to_string_lossy()])
        .args(["--save", "", "--appendonly", "no"])
        .args(if settings.contains(&"--port") || settings.contains(&"--tls-port") { &[][..] } else { &["--port", "0"][..] })
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}
