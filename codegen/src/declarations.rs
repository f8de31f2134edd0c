//! `bindings/types.d.ts`: what stands in front of the declarations that napi-rs generates.

use ralph_sdk_tools::schema::{Action, Enumeration, FieldSpec, InputRecord, Kind, Record, ToolDefinition};
use ralph_sdk_tools::tools::WARNINGS_DOC;
use ralph_sdk_tools::{ErrorCode, Options, engine};

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
        file += &calls(tool);
    }
    file += &event();
    for words in types::enumerations() {
        file += &enumeration(words);
    }
    let answers: Vec<_> = tools().map(|tool| tool.output.name).collect();
    for entry in types::records() {
        file += &record(entry, answers.contains(&entry.name));
    }
    file + &methods()
}

fn error_codes() -> String {
    let codes: String =
        ErrorCode::ALL.iter().map(|(code, meaning)| block("  ", &[(*meaning).to_owned()]) + &format!("  | '{code}'\n")).collect();
    block("", &["What went wrong, for programs: a code keeps its meaning.".to_owned()])
        + &format!("export type RalphToolErrorCode =\n{codes}\n")
}

fn options() -> String {
    let members: String = Options::FIELDS.iter().map(|option| field(option, false)).collect();
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
    let members = record.fields.iter().enumerate().map(|(place, spec)| field(spec, place < record.required));
    let members: String = members.collect();
    format!("{}export interface {} {{\n{members}}}\n\n", block("", &[record.doc.to_owned()]), record.name)
}

/// The types of one tool's calls: an input and, where it says more, an answer for each action; then all inputs together.
fn calls(tool: &ToolDefinition) -> String {
    let inputs = tool.actions.iter().map(|action| input(tool, action)).collect::<String>();
    let answers =
        tool.actions.iter().filter(|action| !action.gives.is_empty()).map(|action| answer(tool, action)).collect::<String>();
    let doc = [format!("What {{@link RalphTools.{}}} takes.", tool.method), tool.description.to_owned()];
    let names = tool.actions.iter().fold(String::new(), |names, action| names + "\n  | " + &input_name(tool, action));
    format!("{inputs}{}export type {} ={names}\n\n{answers}", block("", &doc), tool.input)
}

/// What the loop's engine takes.
fn event() -> String {
    let doc = ["What {@link LoopEngine.handle} takes: `event` says what happened, and which other fields count.".to_owned()];
    let event = block("  ", &["What happened.".to_owned()]) + "  event: LoopEventKind\n";
    let fields: String = engine::FIELDS.iter().map(|spec| documented(spec, false, used_by(spec))).collect();
    format!("{}export interface LoopEvent {{\n{event}{fields}}}\n\n", block("", &doc))
}

fn input(tool: &ToolDefinition, action: &Action) -> String {
    let doc = [format!("{} What {{@link RalphTools.{}}} takes for it.", action.doc, tool.method)];
    let fields: String = tool
        .fields
        .iter()
        .filter(|spec| spec.actions.contains(&action.name))
        .map(|spec| field(spec, spec.required.contains(&action.name)))
        .collect();
    let name = input_name(tool, action);
    format!("{}export interface {name} {{\n  action: '{}'\n{fields}}}\n\n", block("", &doc), action.name)
}

fn answer(tool: &ToolDefinition, action: &Action) -> String {
    let doc = [format!("What {{@link RalphTools.{}}} answers to `{}`.", tool.method, action.name)];
    let given = tool.output.members.iter().filter(|member| action.gives.contains(&member.wire_name().as_str()));
    let members: String =
        given.map(|m| block("  ", &[text_of(m.doc)]) + &format!("  {}: {}\n", m.wire_name(), of_shape(&(m.shape)()))).collect();
    let name = answer_name(tool, action);
    format!("{}export interface {name} extends {} {{\n{members}}}\n\n", block("", &doc), tool.output.name)
}

/// `RateLimitCheckInput`.
fn input_name(tool: &ToolDefinition, action: &Action) -> String {
    format!("{}{}Input", base_name(tool), capitalized(action.name))
}

/// `RateLimitIncrementOutput`, or that of all actions where this one promises no more.
fn answer_name(tool: &ToolDefinition, action: &Action) -> String {
    match action.gives {
        [] => tool.output.name.to_owned(),
        _ => format!("{}{}Output", base_name(tool), capitalized(action.name)),
    }
}

fn base_name(tool: &ToolDefinition) -> &'static str {
    tool.input.strip_suffix("ToolInput").unwrap_or(tool.input)
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The methods of the class, one overload an action. napi-rs declares the class itself; the two are merged.
fn methods() -> String {
    let methods: Vec<String> = tools().map(overloads).collect();
    format!("export interface RalphTools {{\n{}}}\n\n", methods.join("\n"))
}

fn overloads(tool: &ToolDefinition) -> String {
    let declared = |input: &str, output: &str| format!("  {}(input: {input}): Promise<{output}>\n", tool.method);
    let each = tool.actions.iter().map(|action| {
        let doc = [&[action.doc.to_owned()], throws(action).as_slice()].concat();
        block("  ", &doc) + &declared(&input_name(tool, action), &answer_name(tool, action))
    });
    let any = block("  ", &[tool.description.to_owned()]) + &declared(tool.input, tool.output.name);
    each.chain([any]).collect()
}

/// What every call may fail with, and what this action alone.
fn throws(action: &Action) -> Vec<String> {
    let meaning = |wanted: ErrorCode| ErrorCode::ALL.iter().find(|(code, _)| *code == wanted).map_or("", |(_, meaning)| meaning);
    let own = action.throws.iter().map(|&code| format!("@throws {{RalphToolError}} `{code}`: {}", meaning(code)));
    let common = if action.read_only { READING } else { WRITING };
    let common = common.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
    own.chain([format!("@throws {{RalphToolError}} {common}: see {{@link RalphToolErrorCode}}")]).collect()
}

const READING: &[ErrorCode] = &[ErrorCode::InvalidInput, ErrorCode::IoError, ErrorCode::Internal];
const WRITING: &[ErrorCode] = &[ErrorCode::InvalidInput, ErrorCode::LockTimeout, ErrorCode::IoError, ErrorCode::Internal];

fn field(spec: &FieldSpec, required: bool) -> String {
    documented(spec, required, None)
}

/// A member; where not all actions or events look at it, those that do.
fn documented(spec: &FieldSpec, required: bool, used_by: Option<String>) -> String {
    let mut doc = vec![match range(&spec.kind) {
        Some(range) => format!("{} {range}", spec.doc),
        None => spec.doc.to_owned(),
    }];
    doc.extend(used_by.map(|names| format!("Used by {names}.")));
    if !spec.default.is_empty() {
        doc.push(format!("@default {}", spec.default));
    }
    // A field that is undefined is left out, under exactOptionalPropertyTypes too.
    let (mark, more) = if required { ("", "") } else { ("?", " | undefined") };
    format!("{}  {}{mark}: {}{more}\n", block("  ", &doc), spec.name, of_kind(&spec.kind))
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
            assert!(file.contains(&format!("export type {} =", tool.input)), "{}", tool.input);
            for action in tool.actions {
                assert!(file.contains(&format!("export interface {} ", input_name(tool, action))), "{}", action.name);
            }
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
    fn a_field_says_its_range_and_its_default_and_whether_it_must_be_there() {
        let spec = ralph_sdk_tools::schema::Field::integer("calls", "Calls.").at_most(9).default("1").spec;
        for (required, declaration) in [(false, "  calls?: number | undefined\n"), (true, "  calls: number\n")] {
            let declared = field(&spec, required);
            for part in ["Calls. A whole number from 0 to 9.", "@default 1", declaration] {
                assert!(declared.contains(part), "{part}: {declared}");
            }
        }
    }

    #[test]
    fn what_an_action_gives_is_a_member_that_is_not_always_there_and_what_it_requires_is_a_field_of_it() {
        for tool in tools() {
            for action in tool.actions {
                for given in action.gives {
                    let member = tool.output.members.iter().find(|member| member.wire_name() == *given);
                    assert!(member.is_some_and(|member| !member.always), "{} {}: {given}", tool.name, action.name);
                }
            }
            for field in tool.fields {
                for action in field.required {
                    assert!(field.actions.contains(action), "{} {action}: {}", tool.name, field.name);
                }
            }
        }
    }

    #[test]
    fn each_code_is_named_where_it_comes_from() {
        let file = all();
        // Of the constructor, and of `runRalph`, alone.
        let elsewhere = [ErrorCode::InvalidProject, ErrorCode::ConfigInvalid, ErrorCode::SessionBusy];
        for (code, _) in ErrorCode::ALL.iter().filter(|(code, _)| !elsewhere.contains(code)) {
            let named = file.lines().any(|line| line.contains("@throws") && line.contains(&format!("`{code}`")));
            assert!(named, "{code}");
        }
    }
}
