//! Waits: for another process's lock, for git. A thread that waits needs no processor, so whoever shares processors among
//! threads (the addon) wants to know of it.

use std::cell::Cell;

/// Shares processors among threads that run calls.
pub trait Host: Sync {
    /// The current thread begins to wait.
    fn begins(&'static self);
    /// It goes on.
    fn ends(&'static self);
}

thread_local! {
    static HOST: Cell<Option<&'static dyn Host>> = const { Cell::new(None) };
}

/// Has `host` told of this thread's waits from now on.
pub fn tell(host: &'static dyn Host) {
    HOST.set(Some(host));
}

/// Does what only waits. Within another wait nobody is told twice.
pub fn during<T>(wait: impl FnOnce() -> T) -> T {
    /// A panic ends the wait as well.
    struct Waiting(&'static dyn Host);
    impl Drop for Waiting {
        fn drop(&mut self) {
            self.0.ends();
            HOST.set(Some(self.0));
        }
    }
    let _waiting = HOST.take().map(|host| {
        host.begins();
        Waiting(host)
    });
    wait()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<&'static str>>);

    impl Host for Told {
        fn begins(&'static self) {
            self.0.lock().expect("whole").push("begins");
        }
        fn ends(&'static self) {
            self.0.lock().expect("whole").push("ends");
        }
    }

    #[test]
    fn the_host_of_the_thread_is_told_once_a_wait() {
        assert_eq!(during(|| 1), 1, "without a host it is only done");
        let told: &'static Told = Box::leak(Box::default());
        let panicked = std::thread::spawn(|| {
            tell(told);
            assert_eq!(during(|| during(|| 2)), 2);
            during(|| panic!("on purpose"));
        });
        assert!(panicked.join().is_err());
        assert_eq!(*told.0.lock().expect("whole"), ["begins", "ends", "begins", "ends"]);
    }
}
