//! The tools' definitions for the TypeScript layer, which makes schemas of them.

use napi_derive::napi;
use ralph_sdk_tools::schema::{Action, FieldSpec, Kind, MAX_ITEMS, ToolDefinition};
use ralph_sdk_tools::tools::TOOLS;
use serde_json::{Value, json};

/// The five tools: their actions and fields, each with its description and the access it takes.
// As JSON, which `index.js` reads.
#[napi(ts_return_type = "ToolDefinition[]")]
pub fn tool_definitions() -> String {
    TOOLS.iter().map(|tool| describe(tool.definition)).collect::<Value>().to_string()
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
        Kind::Text { max } => ("text", json!({ "maxLength": max })),
        Kind::OneOf(words) => ("oneOf", json!({ "words": words })),
        Kind::Records(record) => ("records", json!({ "type": record.name })),
        Kind::TextList { max } => ("textList", json!({ "maxLength": max, "maxItems": MAX_ITEMS })),
    };
    description["kind"] = json!(kind);
    for (name, value) in details.as_object().into_iter().flatten() {
        description[name] = value.clone();
    }
    description
}
