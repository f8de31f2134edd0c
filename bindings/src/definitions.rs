//! The tools' definitions for the TypeScript layer, which makes schemas of them.

use napi::bindgen_prelude::Unknown;
use napi::{Env, Result};
use napi_derive::napi;
use ralph_sdk_tools::schema::{Action, FieldSpec, Kind, ToolDefinition};
use ralph_sdk_tools::tools::TOOLS;
use serde_json::{Value, json};

use crate::job::parse;

/// The five tools: their actions and fields, each with its description and the access it takes.
#[napi(ts_return_type = "ToolDefinition[]")]
pub fn tool_definitions(env: Env) -> Result<Unknown<'static>> {
    let tools: Vec<Value> = TOOLS.iter().map(|tool| describe(tool.definition)).collect();
    parse(env, Value::from(tools).to_string())
}

fn describe(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name,
        "method": tool.method,
        "title": tool.title,
        "description": tool.description,
        "input": tool.input,
        "actions": tool.actions.iter().map(action).collect::<Vec<_>>(),
        "fields": tool.fields.iter().map(field).collect::<Vec<_>>(),
    })
}

fn action(action: &Action) -> Value {
    json!({
        "name": action.name,
        "access": action.access.as_str(),
        "readOnly": action.read_only,
        "destructive": action.destructive,
        "idempotent": action.idempotent,
        "doc": action.doc,
    })
}

fn field(field: &FieldSpec) -> Value {
    let mut description = json!({
        "name": field.name,
        "doc": field.doc,
        "default": field.default,
        "actions": field.actions,
        "access": field.access.as_str(),
    });
    let (kind, details) = match field.kind {
        Kind::Integer { min, max } => ("integer", json!({ "min": min, "max": max })),
        Kind::Number => ("number", json!({})),
        Kind::Boolean => ("boolean", json!({})),
        Kind::Text => ("text", json!({})),
        Kind::OneOf(words) => ("oneOf", json!({ "words": words })),
        Kind::TextList => ("textList", json!({})),
    };
    description["kind"] = json!(kind);
    for (name, value) in details.as_object().into_iter().flatten() {
        description[name] = value.clone();
    }
    description
}
