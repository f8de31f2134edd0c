//! The plan: the user's own text, in which editors and people write at any time.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::files::{Reader, Writer};
use super::folder::{Facts, For, Refusal, refusal};
use super::home::Home;
use super::inside::{Lost, Place, open_regular};
use super::paths::outside;
use super::read::read_whole;
use super::temporary::{Temporary, remove_temporaries};
use crate::error::{Error, ErrorCode, Result};

/// A larger plan is refused (case B4).
const LARGEST_PLAN: u64 = 64 << 20;

/// The plan's bytes; `None` where there is none.
pub(super) fn read(reader: &Reader<'_>) -> Result<Option<Vec<u8>>> {
    open(reader)?.map(|plan| bytes(reader, &plan)).transpose()
}

/// Replaces the plan; `false`, and nothing changed, where its bytes are no longer `before`.
pub(super) fn replace(writer: &mut Writer<'_>, before: &[u8], after: &[u8]) -> Result<bool> {
    let path = writer.project().plan_path();
    let failed = |error: io::Error| Error::io("write the plan", &path, &error);
    let plan = open(writer)?
        .ok_or_else(|| Error::new(ErrorCode::PlanNotFound, format!("there is no plan {}; create it", path.display())))?;
    if !Arc::ptr_eq(&plan.place.folder, writer.state_home().folder()) {
        // It is a link; its temporaries stand beside the file itself.
        remove_temporaries(&plan.place.folder);
    }
    let (made, _) = Temporary::with(&plan.place.folder, after, Some(&plan.facts)).map_err(failed)?;
    made.file.sync_all().map_err(failed)?;
    if open(writer)?.map(|plan| bytes(writer, &plan)).transpose()?.as_deref() != Some(before) {
        return Ok(false);
    }
    made.rename(&plan.place.name).map_err(failed)?;
    plan.place.folder.sync().map_err(failed)?;
    Ok(true)
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
