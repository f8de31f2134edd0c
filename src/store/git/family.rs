//! A program and whatever it starts, ended as one (B7): where `git` is somebody's wrapper script, it has children of its own.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// No more of what a program prints is kept: a repository of a million files prints less.
const MOST_PRINTED: usize = 256 << 20;

/// How long a program that was killed may take to be gone; one that hangs in the kernel takes longer, and is left to it.
const GONE_WITHIN: Duration = Duration::from_secs(1);

/// What a program that has ended printed and said.
pub(super) struct Collected {
    pub status: ExitStatus,
    pub printed: Vec<u8>,
    pub said: Vec<u8>,
}

/// A running program with its children.
pub(super) struct Family {
    child: Child,
    #[cfg(windows)]
    job: Option<win32job::Job>,
}

impl Family {
    /// Starts it as the head of a family. Its output goes into pipes.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        apart(command);
        let child = command.spawn()?;
        Ok(Self {
            #[cfg(windows)]
            job: job_of(&child),
            child,
        })
    }

    /// Reads both pipes to their end and waits for the program's own; whatever fails, it is not left behind.
    ///
    /// # Errors
    /// `TimedOut` at the deadline.
    pub fn collect(mut self, deadline: Instant) -> io::Result<Collected> {
        let collected = self.read(deadline).and_then(|(printed, said)| {
            let status = self.wait(deadline)?.ok_or(io::ErrorKind::TimedOut)?;
            Ok(Collected { status, printed, said })
        });
        if collected.is_err() {
            self.kill();
            let _ = self.wait(Instant::now() + GONE_WITHIN);
        }
        collected
    }

    /// The program's end; `None` at the deadline. Its pipes are closed, so it is near.
    fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(20);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

fn too_much() -> io::Error {
    io::Error::other("it prints more than 256 MB")
}

#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
impl Family {
    /// Both pipes by one poll, on the caller's own thread: there is none to be left behind, nor one to be had (B9).
    fn read(&mut self, deadline: Instant) -> io::Result<(Vec<u8>, Vec<u8>)> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let (mut stdout, mut stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let (mut printed, mut said) = (Vec::new(), Vec::new());
        let mut piece = vec![0; 1 << 16];
        while stdout.is_some() || stderr.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(|_| io::ErrorKind::InvalidInput)?;
            let mut waiting: Vec<PollFd<'_>> = Vec::with_capacity(2);
            waiting.extend(stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            waiting.extend(stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            match poll(&mut waiting, Some(&left)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let ready: Vec<bool> = waiting.iter().map(|pipe| !pipe.revents().is_empty()).collect();
            let mut ready = ready.into_iter();
            if stdout.is_some() && ready.next() == Some(true) {
                take(&mut stdout, &mut printed, &mut piece)?;
            }
            if stderr.is_some() && ready.next() == Some(true) {
                take(&mut stderr, &mut said, &mut piece)?;
            }
        }
        Ok((printed, said))
    }

    fn kill(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // Already gone, all of them: nothing is left to be killed.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
    }
}

/// What a pipe has; it is closed at its end.
#[cfg(unix)]
fn take(pipe: &mut Option<impl io::Read>, into: &mut Vec<u8>, piece: &mut [u8]) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    match open.read(piece) {
        Ok(0) => *pipe = None,
        Ok(length) if into.len() + length > MOST_PRINTED => return Err(too_much()),
        Ok(length) => into.extend_from_slice(piece.get(..length).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

#[cfg(windows)]
fn apart(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    /// `CREATE_NO_WINDOW`: a console window would open at each call (P9).
    const NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(NO_WINDOW);
}

/// A job that ends all that is in it as it is closed. Where there is none to be had, the program alone is ended.
#[cfg(windows)]
fn job_of(child: &Child) -> Option<win32job::Job> {
    use std::os::windows::io::AsRawHandle;
    let mut limits = win32job::ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = win32job::Job::create_with_limit_info(&limits).ok()?;
    job.assign_process(child.as_raw_handle() as isize).ok()?;
    Some(job)
}

#[cfg(not(unix))]
impl Family {
    /// Each pipe on a thread of its own, so that a timeout can leave it: it ends with the program's family.
    fn read(&mut self, deadline: Instant) -> io::Result<(Vec<u8>, Vec<u8>)> {
        use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

        fn collect(pipe: Option<impl io::Read + Send + 'static>) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
            let (sender, receiver) = channel();
            thread::Builder::new().spawn(move || {
                let mut output = Vec::new();
                let read = pipe.map_or(Ok(0), |pipe| pipe.take(MOST_PRINTED as u64 + 1).read_to_end(&mut output));
                let whole = if output.len() > MOST_PRINTED { Err(too_much()) } else { read };
                // Nobody waits any more after a timeout.
                let _ = sender.send(whole.map(|_| output));
            })?;
            Ok(receiver)
        }
        use io::Read as _;
        let (printed, said) = (collect(self.child.stdout.take())?, collect(self.child.stderr.take())?);
        let receive =
            |from: Receiver<io::Result<Vec<u8>>>| match from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(output) => output,
                Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::BrokenPipe.into()),
            };
        Ok((receive(printed)?, receive(said)?))
    }

    fn kill(&mut self) {
        #[cfg(windows)]
        drop(self.job.take());
        let _ = self.child.kill();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn run(script: &str, within: Duration) -> io::Result<Collected> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Family::spawn(&mut command)?.collect(Instant::now() + within)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn both_pipes_are_read_whatever_their_order() {
        let big = "i=0; while [ $i -lt 3000 ]; do echo 'sixty-four characters or more, so that the pipes are filled and block it' >&2; i=$((i+1)); done";
        let Collected { status, printed, said } = run(&format!("{big}; echo out; exit 3"), LONG).expect("collected");
        assert_eq!((status.code(), printed.as_slice(), said.len() > 1 << 17), (Some(3), &b"out\n"[..], true));
    }

    #[test]
    fn nobody_of_a_family_that_takes_too_long_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let pids = folder.path().join("pids");
        // Two children that keep the pipes open, one of them behind a shell that has ended.
        let script = format!("(sleep 600 & echo $! >>'{0}'); sleep 600 & echo $! >>'{0}'; echo $$ >>'{0}'; wait", pids.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let family = Family::spawn(&mut command).expect("spawned");
        let written = || std::fs::read_to_string(&pids).unwrap_or_default();
        while written().lines().count() < 3 {
            thread::yield_now();
        }
        let ended = family.collect(Instant::now()).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(ended, Err(io::ErrorKind::TimedOut));
        for pid in written().lines().filter_map(|pid| pid.parse().ok()).filter_map(rustix::process::Pid::from_raw) {
            // A child of nobody's may stay a zombie where no init takes it; it runs no more.
            let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
            let gone = || rustix::process::test_kill_process(pid).is_err() || state().contains(") Z");
            let patience = Instant::now() + LONG;
            while !gone() && Instant::now() < patience {
                thread::yield_now();
            }
            assert!(gone(), "{pid:?}");
        }
    }
}
