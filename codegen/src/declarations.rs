//! `bindings/types.d.ts`: what stands in front of the declarations that napi-rs generates.

use ralph_sdk_tools::schema::{Enumeration, FieldSpec, InputRecord, Kind, Record, ToolDefinition};
use ralph_sdk_tools::tools::WARNINGS_DOC;
use ralph_sdk_tools::{ErrorCode, Options};

use crate::comment::block;
use crate::types::{self, of_kind, of_shape, range, text_of, tools, union, used_by};

/// What does not depend on any definition.
const FIXED: &str = include_str!("fixed.d.ts");

/// The whole file.
pub fn all() -> String {
    let mut file = String::from("// Generated from the tools' definitions by `npm run generate`: do not edit.\n\n");
    file += &error_codes();
    file += FIXED;
    file += &options();
    for tool in tools() {
        file += &input(tool);
    }
    for words in types::enumerations() {
        file += &enumeration(words);
    }
    let answers: Vec<_> = tools().map(|tool| tool.output.name).collect();
    for entry in types::records() {
        file += &record(entry, answers.contains(&entry.name));
    }
    file
}

fn error_codes() -> String {
    let codes: String =
        ErrorCode::ALL.iter().map(|(code, meaning)| block("  ", &[(*meaning).to_owned()]) + &format!("  | '{code}'\n")).collect();
    block("", &["What went wrong, for programs: a code keeps its meaning.".to_owned()])
        + &format!("export type RalphToolErrorCode =\n{codes}\n")
}

fn options() -> String {
    let members: String = Options::FIELDS.iter().map(|option| field(option, None)).collect();
    let doc = [
        "Settings of a `RalphTools` instance. One that is left out is taken from the environment, from `.ralphrc`, \
         from an installed Ralph's own scripts, or is built in, in this order."
            .to_owned(),
        "@example new RalphTools({ projectDir: '/srv/app', maxCallsPerHour: 50 })".to_owned(),
    ];
    let parts = Options::FIELDS.iter().filter_map(|option| match option.kind {
        Kind::Records(record) => Some(input_record(record)),
        _ => None,
    });
    let parts: String = parts.collect();
    format!("{parts}{}export interface RalphToolsOptions {{\n{members}}}\n\n", block("", &doc))
}

/// An object that is a part of an option.
fn input_record(record: &InputRecord) -> String {
    let members = record.fields.iter().enumerate().map(|(place, spec)| {
        let optional = field(spec, None);
        if place < record.required { optional.replacen("?: ", ": ", 1).replacen(" | undefined\n", "\n", 1) } else { optional }
    });
    let members: String = members.collect();
    format!("{}export interface {} {{\n{members}}}\n\n", block("", &[record.doc.to_owned()]), record.name)
}

fn input(tool: &ToolDefinition) -> String {
    let doc = [format!("What {{@link RalphTools.{}}} takes.", tool.method), tool.description.to_owned()];
    let actions: Vec<_> = tool.actions.iter().map(|action| format!("- `{}`: {}", action.name, action.doc)).collect();
    let names: Vec<_> = tool.actions.iter().map(|action| action.name).collect();
    let action = block("  ", &[vec!["What to do.".to_owned()], actions].concat()) + &format!("  action: {}\n", union(&names));
    let fields: String = tool.fields.iter().map(|spec| field(spec, used_by(spec))).collect();
    format!("{}export interface {} {{\n{action}{fields}}}\n\n", block("", &doc), tool.input)
}

fn field(spec: &FieldSpec, used_by: Option<String>) -> String {
    let mut doc = vec![match range(&spec.kind) {
        Some(range) => format!("{} {range}", spec.doc),
        None => spec.doc.to_owned(),
    }];
    if let Some(actions) = used_by {
        doc.push(format!("Used by {actions}."));
    }
    if !spec.default.is_empty() {
        doc.push(format!("@default {}", spec.default));
    }
    // A field that is undefined is left out, under exactOptionalPropertyTypes too.
    format!("{}  {}?: {} | undefined\n", block("  ", &doc), spec.name, of_kind(&spec.kind))
}

fn enumeration(words: &Enumeration) -> String {
    format!("{}export type {} = {}\n\n", block("", &[text_of(words.doc)]), words.name, union(words.words))
}

fn record(record: &Record, answer: bool) -> String {
    let member = |name: &str, optional: bool, shape: &str, doc: String| {
        let mark = if optional { "?" } else { "" };
        block("  ", &[doc]) + &format!("  {name}{mark}: {shape}\n")
    };
    let mut members: String =
        record.members.iter().map(|m| member(&m.wire_name(), !m.always, &of_shape(&(m.shape)()), text_of(m.doc))).collect();
    if answer {
        members += &member("warnings", true, "string[]", WARNINGS_DOC.to_owned());
    }
    let base = record.extends.map_or_else(String::new, |base| format!(" extends {}", base.name));
    format!("{}export interface {}{base} {{\n{members}}}\n\n", block("", &[text_of(record.doc)]), record.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_output_and_option_is_declared() {
        let file = all();
        for tool in tools() {
            assert!(file.contains(&format!("export interface {} ", tool.input)), "{}", tool.input);
            assert!(file.contains(&format!("export interface {} ", tool.output.name)), "{}", tool.output.name);
        }
        for option in Options::FIELDS {
            assert!(file.contains(&format!("\n  {}?: ", option.name)), "{}", option.name);
        }
        for (code, _) in ErrorCode::ALL {
            assert!(file.contains(&format!("| '{code}'")), "{code}");
        }
    }

    #[test]
    fn a_field_says_its_range_its_actions_and_its_default() {
        let spec = ralph_sdk_tools::schema::Field::integer("calls", "Calls.").at_most(9).default("1").on(&["go"]).spec;
        let declared = field(&spec, used_by(&spec));
        for part in ["Calls. A whole number from 0 to 9.", "Used by `go`.", "@default 1", "  calls?: number | undefined\n"] {
            assert!(declared.contains(part), "{part}: {declared}");
        }
    }
}
