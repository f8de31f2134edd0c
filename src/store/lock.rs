//! The lock: one writer of ours at a time, whatever the number of processes and threads.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fs4::{FileExt, TryLockError};
use parking_lot::{ArcMutexGuard, Mutex, RawMutex};

use super::folder::{FileTime, For, Identity, refusal};
use super::home::Home;
use super::inside::open_regular;
use super::temporary::remove_temporaries;
use crate::error::{Error, ErrorCode, Result};
use crate::waits;

/// The lock's file under the state directory; its content means nothing.
pub const LOCK_FILE: &str = ".ralph-tools.lock";

/// The longest pause between two tries: what a waiter may lose after the lock is free.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Leftovers are looked for at least this often, for a file system's clock may be too coarse to show them.
const SWEEP_AFTER: Duration = Duration::from_secs(60);

/// Whether the lock's file stays open from call to call. Windows would then refuse to remove its folder, and has no
/// number to tell it by.
const KEPT: bool = cfg!(unix);

/// What is asked for the lock of a file: the system.
#[derive(Debug, Clone, Copy)]
pub struct Locking(pub fn(&File) -> Result<(), TryLockError>);

impl Default for Locking {
    fn default() -> Self {
        Self(FileExt::try_lock)
    }
}

/// What the one asker of this process holds.
#[derive(Debug, Default)]
pub struct Held {
    file: Option<(File, Identity)>,
    /// When an entry of the folder last changed, as the last holder of this process left it.
    left: Option<FileTime>,
    swept: Option<Instant>,
}

/// The lock while it is held; the kernel releases it when the holder drops it or dies.
pub struct Lock {
    held: ArcMutexGuard<RawMutex, Held>,
    home: Arc<Home>,
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock").field("held", &*self.held).finish_non_exhaustive()
    }
}

impl Drop for Lock {
    /// Unlocks by name: a child that another thread forks right now (git) still has the file open until it runs its own
    /// program, and closing ours would leave the lock with it for that moment. Should it fail, closing comes next anyway.
    fn drop(&mut self) {
        self.held.left = self.home.folder().touched().ok();
        let unlocked = self.held.file.as_ref().is_none_or(|(file, _)| FileExt::unlock(file).is_ok());
        if !KEPT || !unlocked {
            self.held.file = None;
        }
    }
}

impl Lock {
    /// Takes the lock of the folder that `path`, the lock's file, lies in, waiting for at most `timeout`.
    ///
    /// # Errors
    /// `LOCK_TIMEOUT`; `IO_ERROR` where the file cannot be opened.
    pub fn acquire(path: &Path, timeout: Duration) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let home = Home::at(folder).map_err(|error| Error::io("open", folder, &error))?;
        let mut lock = Self::of(&home, folder, Instant::now(), timeout)?;
        if let Ok(touched) = home.folder().touched() {
            lock.sweep(touched);
        }
        Ok(lock)
    }

    /// The folder whose lock it is.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Takes the lock of an open folder, waiting until `timeout` after `start`. `folder` is its path, for messages.
    ///
    /// # Errors
    /// As [`Lock::acquire`].
    pub fn of(home: &Arc<Home>, folder: &Path, start: Instant, timeout: Duration) -> Result<Self> {
        let timed_out = || {
            Error::new(
                ErrorCode::LockTimeout,
                format!(
                    "another process, or another call of this one, has held {} for {} ms; nothing was changed: call again, or raise lockTimeoutMs",
                    folder.join(LOCK_FILE).display(),
                    timeout.as_millis()
                ),
            )
        };
        let held = Mutex::try_lock_arc(home.gate())
            .or_else(|| waits::during(|| Mutex::try_lock_arc_until(home.gate(), start + timeout)))
            .ok_or_else(timed_out)?;
        let mut lock = Self { held, home: Arc::clone(home) };
        let failed = |error: &io::Error| refused(folder, error);
        let mut pause = Duration::from_micros(100);
        loop {
            let (file, identity) = match lock.held.file.take() {
                Some(kept) => kept,
                None => open(home).map_err(|error| failed(&error))?,
            };
            let tried = (home.locking().0)(&file);
            lock.held.file = Some((file, identity));
            match tried {
                // Somebody may have removed it, and others lock the one that they made in its place.
                Ok(()) if lock.is_in_place(identity) => return Ok(lock),
                Ok(()) => lock.held.file = None,
                Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                    home.set_lockless();
                    return Ok(lock);
                }
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
                Err(TryLockError::WouldBlock) => {
                    let waited = start.elapsed();
                    if waited >= timeout {
                        return Err(timed_out());
                    }
                    waits::during(|| thread::sleep(pause.min(timeout.saturating_sub(waited))));
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    fn is_in_place(&self, identity: Identity) -> bool {
        !KEPT || self.home.folder().look(OsStr::new(LOCK_FILE)).is_ok_and(|facts| facts.identity == identity)
    }

    /// Removes what killed writers left, where the folder is not as the last holder left it. `touched` is when an entry
    /// of it last changed.
    pub fn sweep(&mut self, touched: FileTime) {
        // Without a lock others may be writing theirs right now.
        if self.home.lockless() {
            return;
        }
        let ours = self.held.left == Some(touched);
        if ours && self.held.swept.is_some_and(|swept| swept.elapsed() < SWEEP_AFTER) {
            return;
        }
        remove_temporaries(self.home.folder());
        self.held.swept = Some(Instant::now());
    }
}

fn open(home: &Home) -> io::Result<(File, Identity)> {
    let (file, facts) = open_regular(home.folder(), OsStr::new(LOCK_FILE), For::Locking)?;
    Ok((file, facts.identity))
}

fn refused(folder: &Path, error: &io::Error) -> Error {
    let path = folder.join(LOCK_FILE);
    match refusal(error) {
        Some(refusal) => {
            Error::new(ErrorCode::IoError, format!("cannot use the lock {}: {refusal}; remove it and call again", path.display()))
        }
        None => Error::io("open the lock", &path, error),
    }
}

/// NFS without its lock service, some containers, some FUSE file systems (case S28).
fn has_no_locks(error: &io::Error) -> bool {
    if error.kind() == io::ErrorKind::Unsupported {
        return true;
    }
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error())
    }
    // "Incorrect function" and "not supported".
    #[cfg(not(unix))]
    {
        matches!(error.raw_os_error(), Some(1 | 50))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_times_out_and_a_dropped_one_is_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        let held = Lock::acquire(&path, Duration::ZERO).expect("free");
        let error = Lock::acquire(&path, Duration::ZERO).expect_err("held");
        assert_eq!(error.code(), ErrorCode::LockTimeout);
        drop(held);
        Lock::acquire(&path, Duration::ZERO).expect("free again");
    }

    #[cfg(unix)]
    #[test]
    fn another_process_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        let theirs = File::create(&path).expect("made");
        FileExt::lock(&theirs).expect("locked");
        assert_eq!(Lock::acquire(&path, Duration::ZERO).expect_err("held").code(), ErrorCode::LockTimeout);
        FileExt::unlock(&theirs).expect("unlocked");
        Lock::acquire(&path, Duration::ZERO).expect("free again");
    }

    #[cfg(unix)]
    #[test]
    fn a_dropped_lock_is_free_even_where_its_file_is_still_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        let held = Lock::acquire(&path, Duration::ZERO).expect("free");
        // What a forked child has until it runs its own program.
        let inherited = held.held.file.as_ref().map(|(file, _)| file.try_clone().expect("a second handle"));
        drop(held);
        let theirs = File::open(&path).expect("opened");
        FileExt::try_lock(&theirs).expect("free");
        drop(inherited);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_was_removed_is_made_anew_and_locks_others_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        let home = Home::at(folder.path()).expect("opened");
        let take = || Lock::of(&home, folder.path(), Instant::now(), Duration::ZERO);
        drop(take().expect("free"));
        for remake in [false, true] {
            std::fs::remove_file(&path).expect("removed");
            if remake {
                File::create(&path).expect("made");
            }
            let held = take().expect("free");
            let theirs = File::open(&path).expect("there again");
            assert!(FileExt::try_lock(&theirs).is_err(), "what stands at the name is what is locked");
            drop(held);
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_is_never_followed_and_never_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        std::os::unix::fs::symlink("made-by-the-lock", &path).expect("linked");
        let error = Lock::acquire(&path, Duration::ZERO).expect_err("a link");
        assert!(error.message().contains("it is a link"), "{error}");
        assert!(!folder.path().join("made-by-the-lock").exists());
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("made");
        let error = Lock::acquire(&path, Duration::ZERO).expect_err("a folder");
        assert!(error.message().contains("no regular file"), "{error}");
        std::fs::remove_dir(&path).expect("removed");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        let error = Lock::acquire(&path, Duration::ZERO).expect_err("a pipe");
        assert!(error.message().contains("no regular file"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_system_without_locks_is_worked_on_without() {
        for code in [rustix::io::Errno::NOLCK, rustix::io::Errno::NOSYS, rustix::io::Errno::OPNOTSUPP] {
            assert!(has_no_locks(&io::Error::from_raw_os_error(code.raw_os_error())), "{code}");
        }
        assert!(!has_no_locks(&io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error())));
        let folder = tempfile::tempdir().expect("a folder");
        let none = Locking(|_| Err(TryLockError::Error(io::ErrorKind::Unsupported.into())));
        let home = Arc::new(Home::open(folder.path(), none).expect("opened"));
        assert!(!home.lockless());
        let held = Lock::of(&home, folder.path(), Instant::now(), Duration::ZERO).expect("goes on");
        assert!(home.lockless());
        let error = Lock::of(&home, folder.path(), Instant::now(), Duration::ZERO).expect_err("one at a time in a process");
        assert_eq!(error.code(), ErrorCode::LockTimeout);
        drop(held);
    }
}
