//! Putting a new plan in the place of the old one so that no save of anybody's is lost.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::store::folder::{Facts, Folder, For, facts};
use crate::store::inside::open_regular;
use crate::store::read::read_whole;
use crate::store::temporary::Temporary;
use crate::waits;

/// How often files change their names before the rest is kept aside.
const ROUNDS: usize = 16;

/// A plan that is to be exchanged.
pub(super) struct Exchange<'a> {
    pub(super) folder: &'a Folder,
    pub(super) name: &'a OsStr,
    /// What is there, as it was read.
    pub(super) before: &'a [u8],
    /// What is to be there.
    pub(super) after: &'a [u8],
    /// After how long what came out is looked at once more. Whoever opened it before the exchange writes into it after.
    pub(super) once_more: Duration,
}

/// How it went.
pub(super) struct Outcome {
    /// Whether the change stands; if not, it has to be made anew from what is there.
    pub(super) stands: bool,
    /// A save that had no place.
    pub(super) kept_aside: Option<PathBuf>,
    /// What came out: somebody who stood still for long may yet write into it.
    pub(super) out: Option<(File, Facts)>,
}

impl Exchange<'_> {
    /// Gives `made` the plan's name.
    pub(super) fn run(&self, made: Temporary<'_>) -> io::Result<Outcome> {
        let outcome = |stands| Outcome { stands, kept_aside: None, out: None };
        match self.folder.exchange(made.name(), self.name) {
            Ok(()) => self.settle(&made),
            // Somebody is about to put another there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(outcome(false)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.replace(made).map(outcome),
            Err(error) => Err(error),
        }
    }

    /// Looks at what came out, now and once more, until it is what it should be. What somebody has written into it is put
    /// at the plan's name again.
    fn settle(&self, aside: &Temporary<'_>) -> io::Result<Outcome> {
        let mut stands = true;
        let mut due = self.before.to_vec();
        for _ in 0..ROUNDS {
            let (file, mut out) = self.open(aside.name())?;
            if out == due {
                // Who is stopped by the disk between opening and writing is let go by this.
                self.folder.sync()?;
                waits::during(|| thread::sleep(self.once_more));
                let known = facts(&file)?;
                out = read(&file)?;
                if out == due {
                    return Ok(Outcome { stands, kept_aside: None, out: Some((file, known)) });
                }
            }
            // A line that was added to ours meanwhile belongs to the plan that is there.
            if !stands
                && due == self.after
                && let Some(added) = out.strip_prefix(self.after).filter(|_| !self.after.is_empty())
            {
                self.folder.file(self.name, For::AppendingToOld)?.write_all(added)?;
                due = out;
                continue;
            }
            let there = self.open(self.name).map(|(_, bytes)| bytes);
            match self.folder.exchange(aside.name(), self.name) {
                Ok(()) => {}
                // An editor has taken it away, and brings another.
                Err(_) => break,
            }
            // Ours is what should come out the first time; then what was there a moment ago.
            due = if stands { self.after.to_vec() } else { there? };
            stands = false;
        }
        self.keep_aside(aside)
    }

    /// Without an exchange: the old file keeps a second name until it is known that nobody has written into it.
    fn replace(&self, made: Temporary<'_>) -> io::Result<bool> {
        let second = second_name(made.name());
        let linked = self.folder.link(self.name, &second).is_ok();
        let (old, bytes) = self.open(if linked { &second } else { self.name })?;
        let forget = || linked.then(|| self.folder.remove(&second));
        if bytes != self.before {
            forget();
            return Ok(false);
        }
        made.rename(self.name)?;
        self.folder.sync()?;
        waits::during(|| thread::sleep(self.once_more));
        let late = read(&old)?;
        if late == self.before || !linked {
            forget();
            return Ok(true);
        }
        if self.open(self.name)?.1 == self.after {
            self.folder.rename(&second, self.name)?;
        } else {
            forget();
        }
        Ok(false)
    }

    fn open(&self, name: &OsStr) -> io::Result<(File, Vec<u8>)> {
        let (file, _) = open_regular(self.folder, name, For::Reading)?;
        let bytes = read(&file)?;
        Ok((file, bytes))
    }

    fn keep_aside(&self, aside: &Temporary<'_>) -> io::Result<Outcome> {
        let (_, bytes) = self.open(aside.name())?;
        let kept = keep(self.folder, self.name, &bytes)?;
        Ok(Outcome { stands: false, kept_aside: Some(kept), out: None })
    }
}

/// Keeps a save beside the plan, under a name of its own.
pub(super) fn keep(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 1..10_000 {
        let mut kept = name.to_owned();
        kept.push(format!(".saved-{number}"));
        match folder.make_file(&kept, 0o666) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.sync_all()?;
                return Ok(kept.into());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many copies of the plan; remove some"))
}

fn second_name(name: &OsStr) -> OsString {
    let mut second = name.to_owned();
    second.push("-old");
    second
}

/// All bytes of an open file, from its start.
pub(super) fn read(file: &File) -> io::Result<Vec<u8>> {
    let mut from_start = file;
    io::Seek::rewind(&mut from_start)?;
    let length = file.metadata()?.len();
    read_whole(file, length, super::LARGEST_PLAN)?.ok_or_else(|| io::Error::other("it is too large"))
}
