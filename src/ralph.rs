//! The facade: one opened project and its five tools.

use std::sync::Arc;

use serde_json::Value;

use crate::environment::Environment;
use crate::error::{Error, ErrorCode, Result};
use crate::input::{RawInput, quoted};
use crate::options::Options;
use crate::store::clock::{Clock, SystemClock};
use crate::store::project::Project;
use crate::tools::{Call, TOOLS, Tool};

/// One instance of the tools on one project. Calls may run at the same time, from any thread.
///
/// ```
/// use ralph_sdk_tools::input::raw_input;
/// use ralph_sdk_tools::{Environment, Options, Ralph};
/// use serde_json::json;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let project = tempfile::tempdir()?;
/// std::fs::create_dir(project.path().join(".ralph"))?;
/// std::fs::write(project.path().join(".ralph/fix_plan.md"), "- [ ] [one-1] First\n")?;
///
/// let options = Options { project_dir: Some(project.path().to_owned()), ..Options::default() };
/// let ralph = Ralph::open(&options, &Environment::default())?;
/// let input = json!({ "action": "update", "taskId": "one-1" });
/// let answer = ralph.call("task_planner", raw_input(input.as_object().expect("an object")))?;
/// assert_eq!(answer["progressPercentage"], 100.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Ralph {
    project: Project,
}

impl Ralph {
    /// Opens a project by the system's clock.
    ///
    /// # Errors
    /// `INVALID_PROJECT`, `CONFIG_INVALID`, `IO_ERROR`.
    pub fn open(options: &Options, environment: &Environment) -> Result<Self> {
        Self::open_with_clock(options, environment, Arc::new(SystemClock))
    }

    /// Opens a project by another clock.
    ///
    /// # Errors
    /// As [`Ralph::open`].
    pub fn open_with_clock(options: &Options, environment: &Environment, clock: Arc<dyn Clock>) -> Result<Self> {
        Ok(Self { project: Project::open(options, environment, clock)? })
    }

    /// An instance on an opened project.
    #[must_use]
    pub fn on(project: Project) -> Self {
        Self { project }
    }

    /// Checks the input of a call without any project.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown tool or a wrong input.
    pub fn check(tool: &str, input: RawInput) -> Result<Call> {
        let known = || TOOLS.iter().map(|tool| tool.definition.name).collect::<Vec<_>>().join(", ");
        Tool::named(tool)
            .ok_or_else(|| Error::invalid_input(format!("there is no tool {}; there are {}", quoted(tool), known())))?
            .check(input)
    }

    /// Calls a tool by its name. [`Ralph::check`] and [`Call::run`] give the answer as text.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown tool or a wrong input, and what the tool answers.
    pub fn call(&self, tool: &str, input: RawInput) -> Result<Value> {
        let answer = Self::check(tool, input)?.run(&self.project)?;
        serde_json::from_str(&answer).map_err(|error| Error::new(ErrorCode::Internal, format!("an answer is no JSON: {error}")))
    }

    /// The project that it works on.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }
}
