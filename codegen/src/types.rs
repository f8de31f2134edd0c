//! How the core's types are written in TypeScript.

use ralph_sdk_tools::engine;
use ralph_sdk_tools::schema::{Enumeration, FieldSpec, Kind, MAX_ITEMS, MAX_SAFE_INTEGER, Record, ToolDefinition, TypeShape};
use ralph_sdk_tools::tools::TOOLS;

/// The definitions, in the order in which they are shown.
pub fn tools() -> impl Iterator<Item = &'static ToolDefinition> {
    TOOLS.iter().map(|tool| tool.definition)
}

/// The type of an answer's member.
pub fn of_shape(shape: &TypeShape) -> String {
    match shape {
        TypeShape::Plain(name) | TypeShape::Named(name) => (*name).to_owned(),
        TypeShape::List(item) => match item.as_ref() {
            TypeShape::Nullable(_) => format!("({})[]", of_shape(item)),
            _ => format!("{}[]", of_shape(item)),
        },
        TypeShape::Nullable(inner) => format!("{} | null", of_shape(inner)),
    }
}

/// The type of an input's field or of an option.
pub fn of_kind(kind: &Kind) -> String {
    match kind {
        Kind::Integer { .. } | Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Text { .. } => "string".to_owned(),
        Kind::OneOf(words) => union(words),
        Kind::TextList { .. } => "string[]".to_owned(),
        Kind::Records(record) => format!("{}[]", record.name),
    }
}

/// What the type alone does not say of the values that are accepted.
pub fn range(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Integer { min, max: MAX_SAFE_INTEGER } => Some(format!("A whole number, {min} or more.")),
        Kind::Integer { min, max } => Some(format!("A whole number from {min} to {max}.")),
        Kind::Number => Some("A finite number, 0 or more.".to_owned()),
        Kind::Text { max } => Some(format!("At most {max} characters.")),
        Kind::TextList { max } => Some(format!("At most {MAX_ITEMS} strings of at most {max} characters.")),
        Kind::Boolean | Kind::OneOf(_) | Kind::Records(_) => None,
    }
}

/// `'a' | 'b'`.
pub fn union(words: &[&str]) -> String {
    words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ")
}

/// The actions or events that look at a field, where not all do.
pub fn used_by(field: &FieldSpec) -> Option<String> {
    let names: Vec<_> = field.actions.iter().map(|action| format!("`{action}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Lines of a Rust documentation comment as one text.
pub fn text_of(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// The records that tools and the loop's engine answer with, parts first, each once.
pub fn records() -> Vec<&'static Record> {
    let all = tools().flat_map(|tool| tool.records.iter().copied().chain([tool.output]));
    unique(all.chain(engine::RECORDS.iter().copied()), |record| record.name)
}

/// The enumerations that answers are made of, each once.
pub fn enumerations() -> Vec<&'static Enumeration> {
    let all = tools().flat_map(|tool| tool.enumerations.iter().copied());
    unique(all.chain(engine::ENUMERATIONS.iter().copied()), |words| words.name)
}

fn unique<T: Copy>(all: impl Iterator<Item = T>, name: impl Fn(T) -> &'static str) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in all {
        if !kept.iter().any(|other| name(*other) == name(item)) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_read_as_typescript() {
        let text = || TypeShape::Plain("string");
        let nullable = |inner| TypeShape::Nullable(Box::new(inner));
        let list = |inner| TypeShape::List(Box::new(inner));
        assert_eq!(of_shape(&text()), "string");
        assert_eq!(of_shape(&list(TypeShape::Named("Task"))), "Task[]");
        assert_eq!(of_shape(&nullable(text())), "string | null");
        assert_eq!(of_shape(&list(nullable(text()))), "(string | null)[]");
    }

    #[test]
    fn every_name_in_an_answer_is_declared_once() {
        let declared: Vec<_> =
            records().iter().map(|record| record.name).chain(enumerations().iter().map(|words| words.name)).collect();
        for record in records() {
            for member in record.members {
                let mut shape = (member.shape)();
                while let TypeShape::List(inner) | TypeShape::Nullable(inner) = shape {
                    shape = *inner;
                }
                if let TypeShape::Named(name) = shape {
                    let times = declared.iter().filter(|declared| **declared == name).count();
                    assert_eq!(times, 1, "{name}, the type of {}.{}", record.name, member.wire_name());
                }
            }
            if let Some(base) = record.extends {
                assert!(declared.contains(&base.name), "{}, which {} extends", base.name, record.name);
            }
        }
    }
}
