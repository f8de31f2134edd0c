//! Threads of our own for whatever waits: a lock, a file, git. On libuv's four threads such waits would stall the
//! whole program's file reads.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What a worker runs. It is called with an error, on the submitting thread, where no thread could be had.
pub type Job = Box<dyn FnOnce(io::Result<()>) + Send>;

/// The workers of this process, shared by all its JavaScript environments.
pub static WORKERS: Workers = Workers::new(256, Duration::from_secs(10));

/// As many threads as there are jobs that block each other, up to a limit; the rest wait in order.
pub struct Workers {
    state: Mutex<State>,
    work: Condvar,
    most: usize,
    idle_for: Duration,
}

struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Workers {
    /// At most `most` threads; one that finds nothing to do for `idle_for` ends.
    pub const fn new(most: usize, idle_for: Duration) -> Self {
        let state = Mutex::new(State { queue: VecDeque::new(), threads: 0, idle: 0 });
        Self { state, work: Condvar::new(), most, idle_for }
    }

    /// Has a job run as soon as a thread is free. Never blocks on one.
    pub fn submit(&'static self, job: Job) {
        let mut state = self.lock();
        if state.idle <= state.queue.len() && state.threads < self.most {
            let started = thread::Builder::new().name("ralph-sdk-tools".into()).spawn(|| self.serve());
            match started {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    drop(state);
                    return job(Err(error));
                }
                // The threads there are will come to it.
                Err(_) => {}
            }
        }
        state.queue.push_back(job);
        drop(state);
        self.work.notify_one();
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                drop(state);
                job(Ok(()));
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, wait) = self.work.wait_timeout(state, self.idle_for).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if wait.timed_out() && state.queue.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    /// A job runs outside the lock, so a poisoned one still guards consistent counts.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn workers(most: usize, idle_for: Duration) -> &'static Workers {
        Box::leak(Box::new(Workers::new(most, idle_for)))
    }

    /// A job that says it has begun and ends when its gate is dropped.
    fn blocked(begun: &Sender<()>) -> (Job, Sender<()>) {
        let (gate, closed) = channel();
        let begun = begun.clone();
        let job = Box::new(move |_| {
            begun.send(()).expect("the test listens");
            let _ = closed.recv();
        });
        (job, gate)
    }

    #[test]
    fn blocked_jobs_do_not_delay_the_next_one() {
        let workers = workers(64, PATIENCE);
        let (begun, begins) = channel();
        let gates: Vec<_> = (0..16)
            .map(|_| {
                let (job, gate) = blocked(&begun);
                workers.submit(job);
                gate
            })
            .collect();
        for _ in &gates {
            begins.recv_timeout(PATIENCE).expect("all sixteen run at once");
        }
        let (done, finished) = channel();
        workers.submit(Box::new(move |_| done.send(()).expect("the test listens")));
        finished.recv_timeout(PATIENCE).expect("it ran while the others are blocked");
        drop(gates);
    }

    #[test]
    fn beyond_the_limit_jobs_wait_their_turn() {
        let workers = workers(2, PATIENCE);
        let (begun, begins) = channel();
        let mut gates = VecDeque::new();
        for _ in 0..6 {
            let (job, gate) = blocked(&begun);
            workers.submit(job);
            gates.push_back(gate);
        }
        for _ in 0..6 {
            begins.recv_timeout(PATIENCE).expect("each gets its turn");
            assert!(workers.lock().threads <= 2);
            gates.pop_front();
        }
    }

    #[test]
    fn a_job_reuses_an_idle_thread_and_threads_end_when_idle() {
        let workers = workers(8, Duration::from_millis(20));
        let (done, finished) = channel();
        for _ in 0..20 {
            let done = done.clone();
            workers.submit(Box::new(move |_| done.send(thread::current().id()).expect("the test listens")));
            finished.recv_timeout(PATIENCE).expect("it ran");
        }
        let start = std::time::Instant::now();
        while workers.lock().threads > 0 {
            assert!(start.elapsed() < PATIENCE, "idle threads end");
            thread::yield_now();
        }
    }
}
