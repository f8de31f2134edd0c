//! Threads of our own for whatever waits: a lock, a file, git. On libuv's four threads such waits would stall the
//! whole program's file reads.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use ralph_sdk_tools::waits::{self, Host};

/// What a worker runs. It is called with an error, on the submitting thread, where no thread could be had.
pub type Job = Box<dyn FnOnce(io::Result<()>) + Send>;

/// The workers of this process, shared by all its JavaScript environments.
pub static WORKERS: LazyLock<Workers> = LazyLock::new(|| {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    Workers::new(Limits { busy: processors, threads: 256, idle_for: Duration::from_secs(10), watch: Duration::from_millis(50) })
});

/// How many threads there may be, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// At most so many run a job without waiting in it: more would only take the processors from each other.
    pub busy: usize,
    /// At most so many in all.
    pub threads: usize,
    /// A thread that finds nothing to do for so long ends.
    pub idle_for: Duration,
    /// Where no job was begun for so long although one is due, the busy ones must be stuck: a file system that hangs. One
    /// more thread goes to work then.
    pub watch: Duration,
}

/// Threads that run jobs in the order in which they came.
pub struct Workers {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    /// Jobs taken out of the queue, ever.
    begun: u64,
    threads: usize,
    /// Threads that run a job and do not wait in it, and those called to do so.
    busy: usize,
    /// The last to have become idle is the first to be called: its caches are warm.
    idle: Vec<Arc<Seat>>,
    /// Whether a thread watches that the queue moves.
    watched: bool,
    /// Busy threads that are stuck, until the queue is empty again.
    stuck: usize,
}

/// Where a thread waits for its next job.
struct Seat {
    thread: Thread,
    /// What it is called for: to watch, or to work.
    to_watch: AtomicBool,
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq)]
enum Duty {
    /// Counted as busy.
    Work,
    Watch,
    End,
}

impl Workers {
    /// No thread yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, state: Mutex::default() }
    }

    /// Has a job run as soon as a processor is free. Never blocks on one.
    pub fn submit(&'static self, job: Job) {
        let mut state = self.lock();
        state.queue.push_back(job);
        let called = if state.busy < self.limits.busy + state.stuck {
            self.call(&mut state, Duty::Work)
        } else if state.watched {
            Ok(None)
        } else {
            self.call(&mut state, Duty::Watch)
        };
        let (called, refused) = match called {
            Ok(seat) => (seat, None),
            // Without any thread nobody would come to it.
            Err(error) if state.threads == 0 => (None, state.queue.pop_back().map(|job| (job, error))),
            Err(_) => (None, None),
        };
        drop(state);
        wake(called);
        if let Some((job, error)) = refused {
            job(Err(error));
        }
    }

    /// Calls a thread to a duty. The answer is the thread to wake, where an idle one was called.
    fn call(&'static self, state: &mut State, duty: Duty) -> io::Result<Option<Arc<Seat>>> {
        let idle = state.idle.pop();
        if let Some(seat) = &idle {
            seat.to_watch.store(duty == Duty::Watch, Ordering::Relaxed);
        } else if state.threads < self.limits.threads {
            thread::Builder::new().name("ralph-sdk-tools".into()).spawn(move || self.serve(duty))?;
            state.threads += 1;
        } else {
            return Ok(None);
        }
        match duty {
            Duty::Work => state.busy += 1,
            Duty::Watch => state.watched = true,
            Duty::End => {}
        }
        Ok(idle)
    }

    fn serve(&'static self, mut duty: Duty) {
        waits::tell(self);
        let seat = Arc::new(Seat { thread: thread::current(), to_watch: AtomicBool::new(false) });
        while duty != Duty::End {
            duty = match duty {
                Duty::Watch if self.watch() => Duty::Work,
                Duty::Work => {
                    self.work();
                    self.idle(&seat)
                }
                _ => self.idle(&seat),
            };
        }
    }

    /// Runs jobs as long as there are any, and no more threads busy than may be.
    fn work(&'static self) {
        let mut state = self.lock();
        while state.busy <= self.limits.busy + state.stuck {
            let Some(job) = state.queue.pop_front() else {
                state.stuck = 0;
                break;
            };
            state.begun += 1;
            drop(state);
            job(Ok(()));
            state = self.lock();
        }
        state.busy -= 1;
    }

    /// Watches until the queue is empty, or has stood still: then this thread has to go to work.
    fn watch(&'static self) -> bool {
        loop {
            let before = self.lock().begun;
            thread::sleep(self.limits.watch);
            let mut state = self.lock();
            if state.queue.is_empty() {
                state.watched = false;
                return false;
            }
            if state.begun == before {
                state.stuck += 1;
                state.busy += 1;
                // This thread may get stuck as well.
                state.watched = false;
                let watcher = self.call(&mut state, Duty::Watch).unwrap_or(None);
                drop(state);
                wake(watcher);
                return true;
            }
        }
    }

    /// Waits to be called.
    fn idle(&self, seat: &Arc<Seat>) -> Duty {
        let until = Instant::now() + self.limits.idle_for;
        let mut state = self.lock();
        state.idle.push(Arc::clone(seat));
        loop {
            drop(state);
            thread::park_timeout(until.saturating_duration_since(Instant::now()));
            state = self.lock();
            let Some(place) = state.idle.iter().position(|other| Arc::ptr_eq(other, seat)) else {
                return if seat.to_watch.load(Ordering::Relaxed) { Duty::Watch } else { Duty::Work };
            };
            if Instant::now() >= until {
                state.idle.remove(place);
                state.threads -= 1;
                return Duty::End;
            }
        }
    }

    /// A job runs outside the lock, so a poisoned one still guards consistent counts.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes a thread that was called. Outside the lock, which it takes first.
fn wake(called: Option<Arc<Seat>>) {
    if let Some(seat) = called {
        seat.thread.unpark();
    }
}

impl Host for Workers {
    fn begins(&'static self) {
        let mut state = self.lock();
        state.busy -= 1;
        let called = if state.queue.is_empty() || state.busy >= self.limits.busy + state.stuck {
            None
        } else {
            // Without a further thread the queue waits for this one.
            self.call(&mut state, Duty::Work).unwrap_or(None)
        };
        drop(state);
        wake(called);
    }

    fn ends(&'static self) {
        self.lock().busy += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);
    const LIMITS: Limits = Limits { busy: 2, threads: 64, idle_for: PATIENCE, watch: PATIENCE };

    fn workers(limits: Limits) -> &'static Workers {
        Box::leak(Box::new(Workers::new(limits)))
    }

    /// A job that says it has begun and ends when its gate is dropped.
    fn blocked(begun: &Sender<()>, wait: fn(Box<dyn FnOnce()>)) -> (Job, Sender<()>) {
        let (gate, closed) = channel();
        let begun = begun.clone();
        let job = Box::new(move |_| {
            begun.send(()).expect("the test listens");
            wait(Box::new(move || {
                let _ = closed.recv();
            }));
        });
        (job, gate)
    }

    fn waiting(wait: Box<dyn FnOnce()>) {
        waits::during(wait);
    }

    fn busy(wait: Box<dyn FnOnce()>) {
        wait();
    }

    #[test]
    fn jobs_that_wait_do_not_delay_the_next_one() {
        let workers = workers(LIMITS);
        let (begun, begins) = channel();
        let gates: Vec<_> = (0..16)
            .map(|_| {
                let (job, gate) = blocked(&begun, waiting);
                workers.submit(job);
                gate
            })
            .collect();
        for _ in &gates {
            begins.recv_timeout(PATIENCE).expect("all sixteen wait at once");
        }
        let (done, finished) = channel();
        workers.submit(Box::new(move |_| done.send(()).expect("the test listens")));
        finished.recv_timeout(PATIENCE).expect("it ran while the others wait");
        drop(gates);
    }

    #[test]
    fn no_more_are_busy_than_may_be_and_each_gets_its_turn() {
        let workers = workers(LIMITS);
        let (begun, begins) = channel();
        let mut gates = VecDeque::new();
        for _ in 0..6 {
            let (job, gate) = blocked(&begun, busy);
            workers.submit(job);
            gates.push_back(gate);
        }
        for _ in 0..6 {
            begins.recv_timeout(PATIENCE).expect("each gets its turn");
            assert!(workers.lock().busy <= 2);
            gates.pop_front();
        }
    }

    #[test]
    fn a_wait_that_ends_makes_one_more_busy_only_until_its_job_is_done() {
        let workers = workers(Limits { busy: 1, ..LIMITS });
        let (begun, begins) = channel();
        let (waits, ends) = blocked(&begun, waiting);
        workers.submit(waits);
        begins.recv_timeout(PATIENCE).expect("it waits");
        let (works, done) = blocked(&begun, busy);
        workers.submit(works);
        begins.recv_timeout(PATIENCE).expect("its place is free meanwhile");
        drop(ends);
        let (next, last) = blocked(&begun, busy);
        workers.submit(next);
        assert!(begins.recv_timeout(Duration::from_millis(20)).is_err(), "one is busy");
        drop(done);
        begins.recv_timeout(PATIENCE).expect("now it is its turn");
        drop(last);
    }

    #[test]
    fn where_the_busy_ones_are_stuck_the_others_go_on_in_the_end() {
        let workers = workers(Limits { watch: Duration::from_millis(1), ..LIMITS });
        let (begun, begins) = channel();
        let gates: Vec<_> = (0..8)
            .map(|_| {
                let (job, gate) = blocked(&begun, busy);
                workers.submit(job);
                gate
            })
            .collect();
        for _ in &gates {
            begins.recv_timeout(PATIENCE).expect("all eight have begun");
        }
        drop(gates);
    }

    #[test]
    fn a_job_reuses_an_idle_thread_and_threads_end_when_idle() {
        let short = Duration::from_millis(20);
        let workers = workers(Limits { idle_for: short, watch: short, ..LIMITS });
        let (done, finished) = channel();
        for _ in 0..20 {
            let done = done.clone();
            workers.submit(Box::new(move |_| done.send(()).expect("the test listens")));
            finished.recv_timeout(PATIENCE).expect("it ran");
            assert!(workers.lock().threads <= 3, "two to work and one to watch");
        }
        let start = Instant::now();
        while workers.lock().threads > 0 {
            assert!(start.elapsed() < PATIENCE, "idle threads end");
            thread::yield_now();
        }
    }
}
