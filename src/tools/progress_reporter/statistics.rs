//! What the loops add up to: by `metrics.jsonl`, else by `ralph.log` with its archives, the oldest first.
//!
//! A long run has long files, and a status is asked for at every loop: an instance remembers what it has added up, and
//! reads on.

use std::path::Path;

use crate::error::Result;
use crate::rules::loop_log::LoopLog;
use crate::rules::metrics::{Metrics, Totals};
use crate::store::chunks::{read_chunks, read_lines_in_parts};
use crate::store::folder::Identity;
use crate::store::follow::{Place, at};
use crate::store::log::{ARCHIVES, archive};
use crate::store::project::Project;

/// What an instance has added up.
#[derive(Debug, Default)]
pub struct Memory {
    metrics: Option<(Place, Sum)>,
    log: Option<(Place, Archives, LoopLog)>,
}

/// Which archives there are, each with its length.
type Archives = Vec<Option<(Identity, u64)>>;

/// The statistics of a project.
///
/// # Errors
/// `IO_ERROR` where a file cannot be read.
pub fn totals(project: &Project) -> Result<Totals> {
    let logs = project.logs_dir();
    let memory = project.instance().memory::<Memory>();
    let mut memory = memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(totals) = of_metrics(project, &logs.join("metrics.jsonl"), &mut memory)? {
        return Ok(totals);
    }
    of_log(project, &logs.join("ralph.log"), &mut memory)
}

/// The sum of `metrics.jsonl`: of its parts, and of the last, which goes on.
#[derive(Debug, Clone, Default)]
struct Sum {
    before: Totals,
    last: Metrics,
}

impl Sum {
    fn totals(&self) -> Totals {
        self.before.plus(self.last.clone().finish())
    }
}

/// A part of the file, and how many bytes of it were read.
#[derive(Debug, Default)]
struct Part {
    metrics: Metrics,
    bytes: u64,
}

impl Part {
    fn feed(&mut self, chunk: &[u8]) {
        self.metrics.feed(chunk);
        self.bytes += chunk.len() as u64;
    }
}

fn of_metrics(project: &Project, path: &Path, memory: &mut Memory) -> Result<Option<Totals>> {
    if let Some((mut place, mut sum)) = memory.metrics.take()
        && place.read_on(project, path, |chunk| sum.last.feed(chunk))?
    {
        let totals = sum.totals();
        memory.metrics = Some((place, sum));
        return Ok(Some(totals));
    }
    let identity = at(project, path)?;
    let Some(mut parts) = read_lines_in_parts(project, path, Part::feed)? else { return Ok(None) };
    let bytes = parts.iter().map(|part| part.bytes).sum();
    let last = parts.pop().unwrap_or_default().metrics;
    let before = parts.into_iter().map(|part| part.metrics.finish()).fold(Totals::default(), Totals::plus);
    let sum = Sum { before, last };
    let totals = sum.totals();
    if let Some((identity, _)) = identity {
        memory.metrics = Place::after(project, path, identity, bytes)?.map(|place| (place, sum));
    }
    Ok(Some(totals))
}

fn of_log(project: &Project, path: &Path, memory: &mut Memory) -> Result<Totals> {
    let archives: Vec<_> = (1..=ARCHIVES).rev().map(|number| archive(path, number)).collect();
    let identities = archives.iter().map(|archive| at(project, archive)).collect::<Result<Archives>>()?;
    if let Some((mut place, known, mut log)) = memory.log.take()
        && known == identities
        && place.read_on(project, path, |chunk| log.feed(chunk))?
    {
        let totals = log.clone().finish();
        memory.log = Some((place, known, log));
        return Ok(totals);
    }
    let identity = at(project, path)?;
    let mut log = LoopLog::new(*project.zone());
    for archive in archives {
        read_chunks(project, &archive, |chunk| log.feed(chunk))?;
        log.end_of_file();
    }
    let mut bytes = 0;
    read_chunks(project, path, |chunk| {
        log.feed(chunk);
        bytes += chunk.len() as u64;
    })?;
    let totals = log.clone().finish();
    if let Some((identity, _)) = identity {
        memory.log = Place::after(project, path, identity, bytes)?.map(|place| (place, identities, log));
    }
    Ok(totals)
}
