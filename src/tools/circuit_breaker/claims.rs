//! What a loop says of its work, beside what is there (S26, S32). A claim that is not borne out is warned of; what it counts
//! for is the breaker's business.

use super::changes::ticked;
use super::files::LoopFilesFile;
use crate::error::Result;
use crate::rules::breaker::claims::{Claims, Seen, unfounded};
use crate::store::files::Reader;
use crate::tools::exit_detection::StoredAnalysis;

/// Warns of what an analysed loop claims and what cannot be found. `changed`: files that changed besides the plan;
/// `certain`: there are none, and git can tell. Without `begin` nobody knows what was ticked before.
///
/// # Errors
/// `IO_ERROR` where the loop's beginning cannot be read.
pub fn compare_claims(files: &mut Reader<'_>, last: Option<&StoredAnalysis>, changed: u64, certain: bool) -> Result<()> {
    let claims = Claims {
        tasks_completed: last.map_or(0, |last| last.count("tasks_completed")),
        files_modified: last.map_or(0, |last| last.count("files_modified")),
    };
    if changed > 0 && claims.tasks_completed == 0 {
        return Ok(());
    }
    let before = files.load::<LoopFilesFile>()?.and_then(|start| start.ticked);
    let ticked = match before {
        Some(before) => ticked(files).map(|now| now.saturating_sub(before) as u64),
        None => None,
    };
    for warning in unfounded(&claims, &Seen { ticked, changed, certain }) {
        files.warn(warning);
    }
    Ok(())
}
