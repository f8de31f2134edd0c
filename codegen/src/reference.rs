//! The tables of `docs/API.md`, each between `<!-- generated: NAME -->` and `<!-- end -->`.

use std::collections::BTreeSet;

use ralph_sdk_tools::schema::{Access, FieldSpec, Record, ToolDefinition};
use ralph_sdk_tools::tools::WARNINGS_DOC;
use ralph_sdk_tools::{ErrorCode, Options, engine};

use crate::types::{of_kind, of_shape, range, text_of, tools, union};

/// A generated part of a document: its name, and its text.
pub type Part = (&'static str, String);

/// The generated parts of `docs/API.md`.
pub fn parts() -> Vec<Part> {
    let parts =
        [("options", options()), ("tools", all_tools()), ("loop", guarded_loop()), ("access", access()), ("errors", errors())];
    parts.into()
}

/// The document with its generated parts renewed.
pub fn refresh(document: &str, parts: &[Part]) -> Result<String, String> {
    parts.iter().try_fold(document.to_owned(), |document, (name, text)| splice(&document, name, text))
}

fn splice(document: &str, name: &str, text: &str) -> Result<String, String> {
    const END: &str = "<!-- end -->";
    let begin = format!("<!-- generated: {name} -->");
    let missing = |mark: &str| format!("the mark {mark} is missing");
    let (before, rest) = document.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{begin}\n\n{}\n\n{END}{after}", text.trim()))
}

pub fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let head: Vec<_> = head.iter().map(|&name| name.to_owned()).collect();
    let rule = vec!["---".to_owned(); head.len()];
    let rows = rows.map(|row| line(&row.iter().map(|text| cell(text)).collect::<Vec<_>>()));
    [line(&head), line(&rule)].into_iter().chain(rows).collect()
}

pub fn code(text: &str) -> String {
    format!("`{text}`")
}

fn options() -> String {
    table(
        &["option", "type", "meaning", "default"],
        Options::FIELDS
            .iter()
            .map(|option| vec![code(option.name), code(&of_kind(&option.kind)), meaning(option), option.default.to_owned()]),
    )
}

fn all_tools() -> String {
    let mut described = BTreeSet::new();
    tools().map(|tool| describe(tool, &mut described)).collect::<Vec<_>>().join("\n")
}

fn describe(tool: &ToolDefinition, described: &mut BTreeSet<&'static str>) -> String {
    let actions = table(
        &["action", "does", "writes", "access"],
        tool.actions.iter().map(|action| {
            let writes = if action.read_only { "no" } else { "yes" };
            vec![code(action.name), action.doc.to_owned(), writes.to_owned(), action.access.as_str().to_owned()]
        }),
    );
    let fields = table(
        &["field", "type", "meaning", "default", "actions", "access"],
        tool.fields.iter().map(|field| {
            let actions = field.actions.join(", ");
            vec![
                code(field.name),
                code(&of_kind(&field.kind)),
                meaning(field),
                field.default.to_owned(),
                actions,
                field.access.as_str().to_owned(),
            ]
        }),
    );
    let mut sections = vec![
        format!("### {}: `{}`\n", tool.title, tool.name),
        format!("`{}(input: {}): Promise<{}>`\n", tool.method, tool.input, tool.output.name),
        format!("{}\n", tool.description),
        actions,
        "Input besides `action`:\n".to_owned(),
        fields,
        format!("Answer, `{}`:\n", tool.output.name),
        members(tool.output, true),
    ];
    for record in tool.records.iter().filter(|record| !is_base(tool.output, record)) {
        if described.insert(record.name) {
            sections.push(format!("`{}`: {}\n", record.name, text_of(record.doc)));
            sections.push(members(record, false));
        }
    }
    for words in tool.enumerations {
        if described.insert(words.name) {
            sections.push(format!("`{}`: {} {}\n", words.name, text_of(words.doc), code(&union(words.words))));
        }
    }
    sections.join("\n")
}

/// What the loop's engine takes and answers.
fn guarded_loop() -> String {
    let kinds = engine::FIELDS.iter().map(|field| {
        vec![
            code(field.name),
            code(&of_kind(&field.kind)),
            meaning(field),
            field.default.to_owned(),
            if field.actions.is_empty() { "all".to_owned() } else { field.actions.join(", ") },
        ]
    });
    let mut sections =
        vec!["`LoopEvent`, besides `event`:\n".to_owned(), table(&["field", "type", "meaning", "default", "events"], kinds)];
    for record in engine::RECORDS.iter().rev() {
        sections.push(format!("`{}`: {}\n", record.name, text_of(record.doc)));
        sections.push(members(record, false));
    }
    for words in engine::ENUMERATIONS {
        sections.push(format!("`{}`: {} {}\n", words.name, text_of(words.doc), code(&union(words.words))));
    }
    sections.join("\n")
}

fn meaning(field: &FieldSpec) -> String {
    match range(&field.kind) {
        Some(range) => format!("{} {range}", field.doc),
        None => field.doc.to_owned(),
    }
}

fn is_base(record: &Record, candidate: &Record) -> bool {
    record.extends.is_some_and(|base| base.name == candidate.name || is_base(base, candidate))
}

fn members(record: &Record, answer: bool) -> String {
    let mut rows = Vec::new();
    collect_members(record, &mut rows);
    if answer {
        rows.push(vec![code("warnings?"), code("string[]"), WARNINGS_DOC.to_owned()]);
    }
    table(&["member", "type", "meaning"], rows.into_iter())
}

fn collect_members(record: &Record, rows: &mut Vec<Vec<String>>) {
    if let Some(base) = record.extends {
        collect_members(base, rows);
    }
    rows.extend(record.members.iter().map(|member| {
        let optional = if member.always { "" } else { "?" };
        vec![code(&format!("{}{optional}", member.wire_name())), code(&of_shape(&(member.shape)())), text_of(member.doc)]
    }));
}

fn access() -> String {
    let offered = |tool: &ToolDefinition, access: Access| {
        let names: Vec<_> = tool.actions.iter().filter(|action| action.access <= access).map(|action| action.name).collect();
        names.join(", ")
    };
    table(
        &["tool", "read", "worker", "full"],
        tools().map(|tool| {
            [code(&format!("mcp__ralph__{}", tool.name))]
                .into_iter()
                .chain(Access::ALL.iter().map(|&access| offered(tool, access)))
                .collect()
        }),
    )
}

fn errors() -> String {
    table(
        &["code", "meaning, and what to do"],
        ErrorCode::ALL.iter().map(|(name, doc)| vec![code(name.as_str()), (*doc).to_owned()]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::records;

    const EMPTY: &str = "# A\n<!-- generated: options -->\n<!-- end -->\ntext\n<!-- generated: tools -->x<!-- end -->\n\
                         <!-- generated: loop --><!-- end --><!-- generated: access --><!-- end --><!-- generated: errors --><!-- end -->\nlast";

    #[test]
    fn what_is_not_generated_stays_and_a_second_run_changes_nothing() {
        let once = refresh(EMPTY, &parts()).expect("all marks are there");
        assert!(once.starts_with("# A\n") && once.contains("-->\ntext\n<!--") && once.ends_with("\nlast"), "{once}");
        assert_eq!(refresh(&once, &parts()).expect("still there"), once);
    }

    #[test]
    fn a_missing_mark_is_named() {
        let error = refresh(&EMPTY.replace("generated: errors", "other"), &parts()).expect_err("a mark is missing");
        assert!(error.contains("generated: errors"), "{error}");
    }

    #[test]
    fn a_cell_cannot_break_its_table() {
        let text = table(&["a"], std::iter::once(vec!["x | y\nz".to_owned()]));
        assert_eq!(text, "| a |\n| --- |\n| x \\| y z |\n");
    }

    #[test]
    fn every_tool_action_and_code_is_in_the_tables() {
        let document = refresh(EMPTY, &parts()).expect("all marks are there");
        for tool in tools() {
            for action in tool.actions {
                assert!(document.contains(&format!("| `{}` |", action.name)), "{} {}", tool.name, action.name);
            }
        }
        for record in records() {
            for member in record.members {
                assert!(document.contains(&member.wire_name()), "{}.{}", record.name, member.wire_name());
            }
        }
    }
}
