//! The lock: one writer of ours at a time, whatever the number of processes and threads.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fs4::{FileExt, TryLockError};

use crate::error::{Error, ErrorCode, Result};
use crate::waits;

/// The lock's file under the state directory; its content means nothing.
pub const LOCK_FILE: &str = ".ralph-tools.lock";

/// The longest pause between two tries: what a waiter may lose after the lock is free.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The lock while it is held; the kernel releases it when the holder drops it or dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Unlocks by name: a child that another thread forks right now (git) still has the file open until it runs its own
    /// program, and closing ours would leave the lock with it for that moment. Should it fail, closing comes next anyway.
    fn drop(&mut self) {
        let _ = FileExt::unlock(&self.file);
    }
}

impl Lock {
    /// Takes the lock, waiting for at most `timeout`.
    ///
    /// # Errors
    /// `LOCK_TIMEOUT`; `IO_ERROR` where the file cannot be opened.
    pub fn acquire(path: &Path, timeout: Duration) -> Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(path)
            .map_err(|error| Error::io("open the lock", path, &error))?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            match FileExt::try_lock(&file) {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", path, &error)),
                Err(TryLockError::WouldBlock) => {}
            }
            let waited = start.elapsed();
            if waited >= timeout {
                return Err(Error::new(
                    ErrorCode::LockTimeout,
                    format!(
                        "another process has held {} for {} ms; nothing was changed: call again, or raise lockTimeoutMs",
                        path.display(),
                        timeout.as_millis()
                    ),
                ));
            }
            waits::during(|| thread::sleep(pause.min(timeout.saturating_sub(waited))));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
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
    fn a_dropped_lock_is_free_even_where_its_file_is_still_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK_FILE);
        let held = Lock::acquire(&path, Duration::ZERO).expect("free");
        // What a forked child has until it runs its own program.
        let inherited = held.file.try_clone().expect("a second handle");
        drop(held);
        Lock::acquire(&path, Duration::ZERO).expect("free again");
        drop(inherited);
    }
}
