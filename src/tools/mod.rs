//! The five tools: a file or a folder each, from definition to answer.

pub mod circuit_breaker;
pub mod exit_detection;
pub mod progress_reporter;
pub mod rate_limit;
pub mod task_planner;

use serde_json::Value;

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
    run: fn(&Project, &Arguments) -> Result<Value>,
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

impl Tool {
    /// The tool of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.definition.name == name)
    }

    /// Checks the input and runs the action on a project.
    ///
    /// # Errors
    /// `INVALID_INPUT`, and what the action answers.
    pub fn call(&self, project: &Project, raw: RawInput) -> Result<Value> {
        let arguments = Arguments::of_call(self.definition, raw)?;
        (self.run)(project, &arguments)
    }
}

/// An answer as JSON, among its fields the warnings of the action and of its input.
fn answer<T: serde::Serialize>(outcome: Result<Outcome<T>>, arguments: &Arguments) -> Result<Value> {
    let Outcome { value, mut warnings } = outcome?;
    warnings.extend_from_slice(arguments.warnings());
    let internal = |what: &str| Error::new(ErrorCode::Internal, format!("an answer has no JSON form: {what}"));
    let mut value = serde_json::to_value(value).map_err(|error| internal(&error.to_string()))?;
    let object = value.as_object_mut().ok_or_else(|| internal("it is no object"))?;
    if !warnings.is_empty() {
        object.insert("warnings".into(), warnings.into());
    }
    Ok(value)
}

#[cfg(test)]
mod damage_tests;
