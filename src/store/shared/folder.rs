//! A place that is a folder: a project's state directory, or one that several projects of a machine share. Files under
//! the lock, as all our state.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::documents::{BudgetsFile, ClaimsFile, WorkersFile};
use super::place::{Counted, Place, Told, Worker};
use crate::error::{Error, ErrorCode, Result};
use crate::rules::budget::{Ask, Book, Budget, Millis, PlanLimit, Receipt, Tally};
use crate::rules::lease::{Claim, Leases, Release, Roster};
use crate::store::clock::Clock;
use crate::store::document::{Damage, Document};
use crate::store::folder::{self, Facts, For};
use crate::store::home::Home;
use crate::store::inside::open_regular;
use crate::store::lock::{LOCK_FILE, Lock};
use crate::store::read::read_whole;
use crate::store::temporary::replace;

/// A folder where workers meet.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock_timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// What is in a file, and what is wrong with it.
struct Look<T> {
    value: T,
    damage: Option<Damage>,
    /// What the system told of a sound one.
    facts: Option<Facts>,
}

impl<T: Default> Look<T> {
    fn nothing(damage: Option<Damage>) -> Self {
        Self { value: T::default(), damage, facts: None }
    }
}

impl Folder {
    /// A folder, which the first write makes.
    #[must_use]
    pub fn new(path: PathBuf, lock_timeout: Duration, clock: Arc<dyn Clock>) -> Self {
        Self { path, lock_timeout, clock }
    }

    fn now(&self) -> Millis {
        u64::try_from(self.clock.now().timestamp_millis()).unwrap_or(0)
    }

    fn read<D: Document<Value: Default>>(&self) -> Result<Told<D::Value>> {
        let now = self.now();
        let Look { value, damage, .. } = self.look::<D>()?;
        let warnings = damage.map(|damage| {
            format!(
                "{} {}; it counts as not there, and the next write keeps it aside",
                self.path.join(D::FILE).display(),
                damage.describe()
            )
        });
        Ok(Told { now, value, warnings: warnings.into_iter().collect(), alone: false })
    }

    fn look<D: Document<Value: Default>>(&self) -> Result<Look<D::Value>> {
        match Home::at(&self.path) {
            Ok(home) => self.look_in::<D>(home.folder()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Look::nothing(None)),
            Err(error) => Err(Error::io("open", &self.path, &error)),
        }
    }

    fn look_in<D: Document<Value: Default>>(&self, folder: &folder::Folder) -> Result<Look<D::Value>> {
        let failed = |error| Error::io("read", &self.path.join(D::FILE), &error);
        let (file, facts) = match open_regular(folder, D::FILE.as_ref(), For::Reading) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Look::nothing(None)),
            opened => opened.map_err(failed)?,
        };
        let damage = match read_whole(&file, facts.length, D::LARGEST).map_err(failed)? {
            Some(bytes) => match D::decode(&bytes) {
                Ok(value) => return Ok(Look { value, damage: None, facts: Some(facts) }),
                Err(damage) => damage,
            },
            None => Damage::Wrong(format!("is larger than {} MiB", D::LARGEST >> 20)),
        };
        Ok(Look::nothing(Some(damage)))
    }

    /// Changes documents under the lock.
    fn write<T>(&self, work: impl FnOnce(&mut Open<'_>) -> Result<T>) -> Result<Told<T>> {
        fs::create_dir_all(&self.path).map_err(|error| Error::io("create", &self.path, &error))?;
        let lock = Lock::acquire(&self.path.join(LOCK_FILE), self.lock_timeout)?;
        let mut open = Open {
            folder: self,
            held: lock.home().folder(),
            now: self.now(),
            warnings: lock.home().warning(&self.path).into_iter().collect(),
        };
        let value = work(&mut open)?;
        let Open { now, warnings, .. } = open;
        drop(lock);
        Ok(Told { now, value, warnings, alone: false })
    }
}

/// A folder whose lock is held.
struct Open<'a> {
    folder: &'a Folder,
    held: &'a folder::Folder,
    now: Millis,
    warnings: Vec<String>,
}

impl Open<'_> {
    /// Changes a document; one that stays the same is not written. A damaged one is kept aside first.
    fn change<D: Document<Value: Default + PartialEq + Clone>, T>(
        &mut self,
        work: impl FnOnce(&mut D::Value, Millis) -> T,
    ) -> Result<T> {
        let Look { mut value, damage, facts } = self.folder.look_in::<D>(self.held)?;
        let before = value.clone();
        let answer = work(&mut value, self.now);
        if value != before {
            if damage.is_some() {
                self.keep_aside(D::FILE)?;
            }
            replace(self.held, D::FILE.as_ref(), &D::encode(&value), facts.as_ref(), None)
                .map_err(|error| Error::io("write", &self.folder.path.join(D::FILE), &error))?;
        }
        Ok(answer)
    }

    /// Renames a damaged file, never over another.
    fn keep_aside(&mut self, name: &str) -> Result<()> {
        let from = self.folder.path.join(name);
        let stamp = self.folder.clock.now().format("%Y%m%dT%H%M%SZ");
        for n in 1..10_000 {
            let kept = if n == 1 { format!("{name}.corrupt-{stamp}") } else { format!("{name}.corrupt-{stamp}-{n}") };
            if self.held.look(kept.as_ref()).is_ok() {
                continue;
            }
            self.warnings.push(format!("{} was damaged and is kept as {kept}", from.display()));
            let renamed = self.held.rename(name.as_ref(), kept.as_ref());
            return renamed.map_err(|error| Error::io("keep aside the damaged", &from, &error));
        }
        Err(Error::new(ErrorCode::IoError, format!("too many damaged copies of {}; remove some", from.display())))
    }

    fn beat(&mut self, worker: &Worker<'_>) -> Result<()> {
        let Some(beat) = &worker.beat else { return Ok(()) };
        self.change::<WorkersFile, _>(|roster, now| roster.beat(worker.name, beat.clone(), now))
    }
}

/// A worker that says what it has claimed.
fn with_task<'a>(worker: &Worker<'a>, claim: &Claim) -> Worker<'a> {
    let mut worker = worker.clone();
    if let (Some(beat), Claim::Granted { task, .. }) = (&mut worker.beat, claim) {
        beat.task = Some(task.clone());
    }
    worker
}

impl Place for Folder {
    fn admit(&self, _operation: &str, ask: &Ask<'_>, worker: &Worker<'_>) -> Result<Told<Tally>> {
        self.write(|open| {
            let tally = open.change::<BudgetsFile, _>(|book, now| book.admit(ask, now))?;
            open.beat(worker)?;
            Ok(tally)
        })
    }

    fn tally(&self, budgets: &[Budget]) -> Result<Told<Tally>> {
        let told = self.read::<BudgetsFile>()?;
        let tally = told.value.tally(budgets, told.now);
        Ok(told.with(tally))
    }

    fn take_back(&self, budgets: &[Budget], counted: &Counted) -> Result<Told<()>> {
        let receipt = Receipt { at: counted.at, calls: counted.calls };
        self.write(|open| open.change::<BudgetsFile, _>(|book, _| book.take_back(budgets, receipt)))
    }

    fn announce(&self, lifted_after: Millis, by: &str) -> Result<Told<()>> {
        let limit = |now: Millis| PlanLimit { until: now.saturating_add(lifted_after), by: by.to_owned() };
        self.write(|open| open.change::<BudgetsFile, _>(|book, now| book.announce(limit(now), now)))
    }

    fn lift(&self) -> Result<Told<()>> {
        self.write(|open| open.change::<BudgetsFile, _>(|book: &mut Book, _| book.plan = None))
    }

    fn claim(&self, plan: &str, tasks: &[&str], worker: &Worker<'_>, lease: Millis) -> Result<Told<(Claim, Leases)>> {
        self.write(|open| {
            let claimed = open.change::<ClaimsFile, _>(|plans, now| {
                let leases = plans.entry(plan.to_owned()).or_default();
                let claim = leases.claim(tasks, worker.name, now, lease);
                let claimed = (claim, leases.clone());
                plans.retain(|_, leases| {
                    leases.forget(now);
                    !leases.is_empty()
                });
                claimed
            })?;
            open.beat(&with_task(worker, &claimed.0))?;
            Ok(claimed)
        })
    }

    fn finish(&self, plan: &str, task: &str, worker: &Worker<'_>) -> Result<Told<()>> {
        self.write(|open| {
            open.change::<ClaimsFile, _>(|plans, now| {
                plans.entry(plan.to_owned()).or_default().finish(task, worker.name, now);
            })?;
            open.beat(worker)
        })
    }

    fn release(&self, plan: &str, task: Option<&str>, worker: &Worker<'_>, force: bool) -> Result<Told<Release>> {
        self.write(|open| {
            let released = open.change::<ClaimsFile, _>(|plans, now| {
                let nothing = Release::Released(Vec::new());
                let released = plans.get_mut(plan).map_or(nothing, |leases| leases.release(task, worker.name, force, now));
                plans.retain(|_, leases| !leases.is_empty());
                released
            })?;
            open.beat(worker)?;
            Ok(released)
        })
    }

    fn leases(&self, plan: &str) -> Result<Told<Leases>> {
        let mut told = self.read::<ClaimsFile>()?;
        let mut leases = told.value.remove(plan).unwrap_or_default();
        leases.forget(told.now);
        Ok(told.with(leases))
    }

    fn beat(&self, worker: &Worker<'_>) -> Result<Told<()>> {
        self.write(|open| open.beat(worker))
    }

    fn roster(&self) -> Result<Told<Roster>> {
        let mut told = self.read::<WorkersFile>()?;
        told.value.forget(told.now);
        Ok(told)
    }
}
