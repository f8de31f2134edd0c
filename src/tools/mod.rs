//! The five tools: a file or a folder each, from definition to answer.

pub mod circuit_breaker;
pub mod exit_detection;
pub mod progress_reporter;
pub mod rate_limit;
pub mod task_planner;

use serde::Serialize;

use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, RawInput};
use crate::schema::ToolDefinition;
use crate::store::project::{Outcome, Project};

/// What `warnings` means in every answer.
pub const WARNINGS_DOC: &str = "What was healed, skipped or guessed. Left out where there is nothing to say.";

/// A tool: its definition and what runs it.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Everything that is said about it.
    pub definition: &'static ToolDefinition,
    run: fn(&Project, &Arguments) -> Result<String>,
}

/// All tools, in the order in which they are shown.
pub const TOOLS: &[Tool] = &[
    Tool {
        definition: &rate_limit::DEFINITION,
        run: |project, arguments| answer(rate_limit::run(project, arguments), arguments),
    },
    Tool {
        definition: &exit_detection::DEFINITION,
        run: |project, arguments| answer(exit_detection::run(project, arguments), arguments),
    },
    Tool {
        definition: &circuit_breaker::DEFINITION,
        run: |project, arguments| answer(circuit_breaker::run(project, arguments), arguments),
    },
    Tool {
        definition: &task_planner::DEFINITION,
        run: |project, arguments| answer(task_planner::run(project, arguments), arguments),
    },
    Tool {
        definition: &progress_reporter::DEFINITION,
        run: |project, arguments| answer(progress_reporter::run(project, arguments), arguments),
    },
];

/// A call whose input is checked: it may run on any project, from any thread.
#[derive(Debug)]
pub struct Call {
    tool: &'static Tool,
    arguments: Arguments,
}

impl Call {
    /// Runs it. The answer is JSON text.
    ///
    /// # Errors
    /// What the action answers.
    pub fn run(&self, project: &Project) -> Result<String> {
        (self.tool.run)(project, &self.arguments)
    }
}

impl Tool {
    /// The tool of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.definition.name == name)
    }

    /// Checks the input of a call.
    ///
    /// # Errors
    /// `INVALID_INPUT`.
    pub fn check(&'static self, raw: RawInput) -> Result<Call> {
        Ok(Call { tool: self, arguments: Arguments::of_call(self.definition, raw)? })
    }
}

/// An answer as it is written, among its members the warnings of the action and of its input.
#[derive(Serialize)]
struct Answer<T> {
    #[serde(flatten)]
    value: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

fn answer<T: Serialize>(outcome: Result<Outcome<T>>, arguments: &Arguments) -> Result<String> {
    let Outcome { value, mut warnings } = outcome?;
    warnings.extend_from_slice(arguments.warnings());
    serde_json::to_string(&Answer { value, warnings })
        .map_err(|error| Error::new(ErrorCode::Internal, format!("an answer has no JSON form: {error}")))
}

#[cfg(test)]
mod damage_tests;
