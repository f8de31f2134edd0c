//! `analyze`. (Placeholder: branch `analysis` brings it.)

use super::ExitDetectionToolOutput;
use crate::error::{Error, ErrorCode, Result};
use crate::input::Arguments;
use crate::store::project::{Outcome, Project};

/// Reads one loop's output.
pub(super) fn run(_project: &Project, _arguments: &Arguments) -> Result<Outcome<ExitDetectionToolOutput>> {
    Err(Error::new(ErrorCode::Internal, "exit_detection analyze is not built yet"))
}
