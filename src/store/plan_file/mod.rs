//! The plan: the user's own text, into which editors and people write at any time, and nobody of them asks for our lock.
//!
//! Case B1. Read is what has come to rest: an editor that saves in place empties the file first, so one that is empty, or
//! was changed only milliseconds ago, is read again. Replaced is by exchange: what comes out must be what was read, also a
//! moment later; else it is put back and the change made anew.

mod exchange;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::files::{Reader, Writer};
use super::folder::{Facts, FileTime, For, Refusal, facts, give_attributes, refusal};
use super::home::Home;
use super::inside::{Lost, Place, open_regular};
use super::paths::outside;
use super::read::read_whole;
use super::temporary::{Temporary, remove_temporaries};
use crate::error::{Error, ErrorCode, Result};
use crate::waits;
use exchange::Exchange;

/// A larger plan is refused (case B4).
const LARGEST_PLAN: u64 = 64 << 20;

/// For how long a plan must not have changed to be at rest, by how long it has been waited for: where somebody writes all
/// the time, less must do. After the last it is taken as it is.
const REST: [(Duration, Duration); 3] = [
    (Duration::from_millis(1500), Duration::from_millis(50)),
    (Duration::from_millis(2500), Duration::from_millis(20)),
    (Duration::from_secs(3), Duration::from_millis(10)),
];

/// So many times as long where it ends in the middle of a line: then it is likely to be cut.
const CUT: u32 = 4;

/// An empty plan, or one that is no longer there, is waited for this long: hardly anybody means that.
const EMPTY: Duration = Duration::from_secs(1);
const GONE: Duration = Duration::from_millis(100);

/// Some file systems tell whole seconds, or every other.
const COARSE: Duration = Duration::from_secs(2);

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Who has written the plan within this time may be writing again: what came out is then looked at once more after a while.
const BUSY: Duration = Duration::from_secs(2);
const ONCE_MORE: Duration = Duration::from_millis(30);

/// What we write is dated this long ago, so that no reader of ours waits for it to come to rest: it is whole.
const DATED_BACK: Duration = Duration::from_millis(55);

/// The plan's bytes; `None` where there is none.
pub(super) fn read(reader: &Reader<'_>) -> Result<Option<Vec<u8>>> {
    Ok(at_rest(reader)?.map(|(_, bytes)| bytes))
}

/// Replaces the plan; `false`, and nothing changed, where its bytes are no longer `before`.
pub(super) fn replace(writer: &mut Writer<'_>, before: &[u8], after: &[u8]) -> Result<bool> {
    let path = writer.project().plan_path();
    let failed = |error: io::Error| Error::io("write the plan", &path, &error);
    let plan = open(writer)?
        .ok_or_else(|| Error::new(ErrorCode::PlanNotFound, format!("there is no plan {}; create it", path.display())))?;
    let folder = &plan.place.folder;
    if bring_late_lines(writer, &plan).map_err(failed)? {
        return Ok(false);
    }
    if !Arc::ptr_eq(folder, writer.state_home().folder()) {
        // It is a link; its temporaries stand beside the file itself.
        remove_temporaries(folder);
    }
    let unchanged = |plan: &Plan| Ok::<_, Error>(bytes(writer, plan)? == before);
    let (made, owned) = Temporary::with(folder, after, Some(&plan.facts)).map_err(failed)?;
    if (plan.facts.names > 1 || !owned)
        && let Ok(file) = folder.file(&plan.place.name, For::Writing)
    {
        // Another name of it, or its owner, would be lost with the old file.
        let Some(now) = open(writer)? else { return Ok(false) };
        return if unchanged(&now)? { write_into(&file, before, after).map(|()| true).map_err(failed) } else { Ok(false) };
    }
    give_attributes(&plan.file, &made.file);
    made.file.set_modified(dated_back(&plan.facts)).map_err(failed)?;
    made.file.sync_all().map_err(failed)?;
    let Some(now) = open(writer)? else { return Ok(false) };
    if now.place.name != plan.place.name || !unchanged(&now)? {
        return Ok(false);
    }
    // As it is before anybody can write into it.
    let ours = facts(&made.file).map_err(failed)?;
    let once_more = if is_busy(writer, &plan.facts) { ONCE_MORE } else { Duration::ZERO };
    let exchange = Exchange { folder, name: &plan.place.name, before, after, once_more };
    let outcome = exchange.run(made).map_err(failed)?;
    folder.sync().map_err(failed)?;
    if let Some(kept) = outcome.kept_aside {
        writer.warn(format!("the plan was saved twice while it was changed; the older of the two is kept as {}", kept.display()));
    }
    if let Some((file, known)) = outcome.out.filter(|_| outcome.stands) {
        writer.state_home().watch_old_plan(OldPlan { file, known, bytes: before.len() });
    }
    writer.state_home().leave_plan(Some(ours).filter(|_| outcome.stands));
    Ok(outcome.stands)
}

/// A plan that was replaced a moment ago. Whoever opened it before, and has stood still since, may yet write into it.
#[derive(Debug)]
pub(super) struct OldPlan {
    file: File,
    known: Facts,
    bytes: usize,
}

/// Adds to the plan what has meanwhile been added to those that it replaced; whether there was anything.
fn bring_late_lines(writer: &Writer<'_>, plan: &Plan) -> io::Result<bool> {
    let bring = |old: &mut OldPlan| {
        let now = facts(&old.file)?;
        if is_same(&now, &old.known) {
            return Ok(false);
        }
        let bytes = exchange::read(&old.file)?;
        let late = bytes.get(old.bytes..).unwrap_or_default();
        if !late.is_empty() {
            plan.place.folder.file(&plan.place.name, For::AppendingToOld)?.write_all(late)?;
        }
        (old.known, old.bytes) = (now, bytes.len());
        Ok(!late.is_empty())
    };
    let brought: io::Result<Vec<bool>> = writer.state_home().each_old_plan(bring).into_iter().collect();
    Ok(brought?.contains(&true))
}

/// When a new plan is said to have been written: after the old one, and not now.
fn dated_back(old: &Facts) -> SystemTime {
    let now = SystemTime::now();
    let after_old = age(old.modified).and_then(|age| age.checked_sub(Duration::from_micros(1))).unwrap_or_default();
    now.checked_sub(DATED_BACK.min(after_old)).unwrap_or(now)
}

/// Whether somebody else has written the plan a moment ago.
fn is_busy(writer: &Writer<'_>, facts: &Facts) -> bool {
    !writer.project().patience().is_empty()
        && writer.state_home().others_write_plan(facts, age(facts.modified).is_none_or(|age| age < BUSY))
}

/// Writes what differs into the file itself, in one step.
fn write_into(mut file: &File, before: &[u8], after: &[u8]) -> io::Result<()> {
    let same = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let end = if before.len() == after.len() {
        after.len()
            - before.iter().rev().zip(after.iter().rev()).take(after.len() - same).take_while(|(old, new)| old == new).count()
    } else {
        after.len()
    };
    io::Seek::seek(&mut file, io::SeekFrom::Start(same as u64))?;
    file.write_all(after.get(same..end).unwrap_or_default())?;
    if after.len() < before.len() {
        file.set_len(after.len() as u64)?;
    }
    file.sync_all()
}

/// How long ago that was; `None` where it is yet to come.
fn age(time: FileTime) -> Option<Duration> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    since.checked_sub(Duration::new(u64::try_from(time.seconds).ok()?, time.nanoseconds))
}

/// The plan and its bytes, once nobody is writing it.
fn at_rest(reader: &Reader<'_>) -> Result<Option<(Plan, Vec<u8>)>> {
    let start = Instant::now();
    let hurried = reader.project().patience().is_empty();
    let mut same: Option<(Facts, Instant)> = None;
    loop {
        let Some(mut plan) = open(reader)? else {
            if hurried || start.elapsed() >= GONE || !is_expected(reader) {
                expect(reader, false);
                return Ok(None);
            }
            waits::during(|| thread::sleep(PAUSE));
            continue;
        };
        let bytes = bytes(reader, &plan)?;
        let read = plan.facts;
        plan.facts = facts(&plan.file).map_err(|error| Error::io("look at the plan", &reader.project().plan_path(), &error))?;
        let waited = start.elapsed();
        let rest = REST.iter().find(|(until, _)| waited < *until).map(|(_, rest)| *rest);
        let rest = match bytes.last() {
            None => rest.map(|_| EMPTY),
            Some(b'\n') => rest,
            Some(_) => rest.map(|rest| rest * CUT),
        };
        let whole = plan.facts.length == bytes.len() as u64 && read.modified == plan.facts.modified;
        let since = match &same {
            Some((before, since)) if is_same(before, &plan.facts) => *since,
            _ => {
                same = Some((plan.facts, Instant::now()));
                Instant::now()
            }
        };
        let at_rest = |rest: Duration| {
            let by_date = if plan.facts.modified.nanoseconds == 0 { COARSE.max(rest) } else { rest };
            let dated = age(plan.facts.modified).is_some_and(|age| age >= by_date);
            whole && (dated || since.elapsed() >= rest || reader.home().is_some_and(|home| home.left_plan(&plan.facts)))
        };
        if hurried || rest.is_none_or(at_rest) {
            expect(reader, true);
            return Ok(Some((plan, bytes)));
        }
        waits::during(|| thread::sleep(PAUSE));
    }
}

fn expect(reader: &Reader<'_>, expected: bool) {
    if let Some(home) = reader.home() {
        home.expect_plan(expected);
    }
}

fn is_same(one: &Facts, other: &Facts) -> bool {
    (one.identity, one.length, one.modified) == (other.identity, other.length, other.modified)
}

/// Whether a plan that is not there is likely to come back: it was there before, or an editor's files stand beside it. Vim
/// may rename the old one away before it makes the new one.
fn is_expected(reader: &Reader<'_>) -> bool {
    reader.home().is_some_and(|home| {
        let beside = |name: &&str| {
            [format!("{name}~"), format!(".{name}.swp")].iter().any(|name| home.folder().look(name.as_ref()).is_ok())
        };
        home.expects_plan() || reader.project().plans().iter().any(beside)
    })
}
/// An open plan.
struct Plan {
    file: File,
    facts: Facts,
    place: Place,
}

/// Opens the plan, by the first of its names that is there, its links followed as far as they stay inside; `None` where
/// there is none.
fn open(reader: &Reader<'_>) -> Result<Option<Plan>> {
    let Some(home) = reader.home() else { return Ok(None) };
    for name in reader.project().plans() {
        if let Some(plan) = open_named(reader, home, name)? {
            return Ok(Some(plan));
        }
    }
    Ok(None)
}

fn open_named(reader: &Reader<'_>, home: &Home, name: &str) -> Result<Option<Plan>> {
    let project = reader.project();
    let found = match open_regular(home.folder(), name.as_ref(), For::Reading) {
        Err(error) if refusal(&error) == Some(Refusal::Link) => {
            project.base_of(Some(home)).map_err(Lost::System).and_then(|base| base.file(&project.state_file(name), For::Reading))
        }
        opened => opened
            .map(|(file, facts)| (file, facts, Place { folder: Arc::clone(home.folder()), name: name.into(), path: name.into() }))
            .map_err(Lost::from),
    };
    let path = || project.state_file(name);
    match found {
        Ok((file, facts, place)) => Ok(Some(Plan { file, facts, place })),
        Err(Lost::Missing) => Ok(None),
        Err(Lost::Outside) => Err(outside(&path(), project.root())),
        Err(Lost::System(error)) if refusal(&error) == Some(Refusal::NoFile) => Err(Error::new(
            ErrorCode::IoError,
            format!("the plan {} is no regular file; replace it with a file", path().display()),
        )),
        Err(Lost::System(error)) => Err(Error::io("read the plan", &path(), &error)),
    }
}

fn bytes(reader: &Reader<'_>, plan: &Plan) -> Result<Vec<u8>> {
    let path = || reader.project().plan_path();
    read_whole(&plan.file, plan.facts.length, LARGEST_PLAN)
        .map_err(|error| Error::io("read the plan", &path(), &error))?
        .ok_or_else(|| {
            let most = LARGEST_PLAN >> 20;
            Error::new(ErrorCode::IoError, format!("the plan {} is larger than {most} MiB; shorten it", path().display()))
        })
}
