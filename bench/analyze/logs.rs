//! Logs as Claude Code leaves them, made up: the same bytes in every run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A small generator of numbers; the same sequence for the same seed.
pub struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound.max(1)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list.get(self.below(list.len())).copied().unwrap_or_default()
    }
}

/// Lines of code, of tools' output and of prose without any of the words that the analyzer looks for.
const PLAIN: &[&str] = &[
    "Reading src/router/index.ts to see how the routes are registered.",
    "    let mut total = items.iter().map(|item| item.price).sum::<u64>();",
    "  const handler = await this.registry.resolve(request.path);",
    "drwxr-xr-x  4 node node   4096 Mar  4 10:20 packages",
    "The parser keeps its own stack, so deep nesting costs little.",
    "   Compiling serde v1.0.219",
    "+        return { ok: true, value: parsed };",
    "-        return null;",
    "diff --git a/src/lib.rs b/src/lib.rs",
    "I will look at the configuration next and then at the tests of the store.",
    "import { readFile, writeFile } from 'node:fs/promises';",
    "        match self.state {",
    "",
    "```",
    "| name | size | modified |",
    "  - the cache is keyed by path and by modification time",
    "GET /api/v1/items?limit=50 200 12.4 ms",
    "Die Grenzwerte für Größe und Höhe stehen in der Tabelle.",
];

/// Lines with such words; about one in forty is one of these.
const TELLING: &[&str] = &[
    "export class Router {",
    "function resolve(path) {",
    "Running tests in packages/core",
    "The helper is done, the caller is next.",
    "error: could not compile `store` (lib)",
    "  \"error\": null,",
    "Implemented the retry with a growing pause.",
    "Should I keep the old name as an alias?",
    "Adding the missing case to the table.",
    "Your branch is up to date with 'origin/main'.",
];

/// A line of a text log.
pub fn text_line(numbers: &mut Numbers, line: &mut String) {
    line.push_str(if numbers.below(40) == 0 { numbers.pick(TELLING) } else { numbers.pick(PLAIN) });
    line.push('\n');
}

/// Writes lines up to the size, and a status block that says to go on.
pub fn write(path: &Path, size: u64, next: impl Fn(&mut Numbers, &mut String)) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let (mut numbers, mut line, mut written) = (Numbers(7), String::new(), 0);
    while written < size {
        line.clear();
        next(&mut numbers, &mut line);
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    out.write_all(BLOCK.as_bytes())?;
    out.flush()
}

const BLOCK: &str = "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n";

fn paragraph(numbers: &mut Numbers, lines: usize) -> String {
    let mut text = String::new();
    for _ in 0..lines {
        text_line(numbers, &mut text);
    }
    text
}

/// A stream of messages: tool calls with their results, some prose, and a result at the end.
pub fn write_stream(path: &Path, size: u64) -> io::Result<()> {
    use serde_json::json;
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(
        out,
        "{}",
        json!({"type": "system", "subtype": "init", "session_id": "bench-1", "tools": ["Bash", "Read", "Edit"]})
    )?;
    let (mut numbers, mut written) = (Numbers(11), 0);
    while written < size {
        let (short, long) = (1 + numbers.below(4), 5 + numbers.below(120));
        let message = match numbers.below(4) {
            0 => {
                json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": paragraph(&mut numbers, short)}]}, "session_id": "bench-1"})
            }
            1 => {
                json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": {"file_path": "src/lib.rs", "old_string": paragraph(&mut numbers, short), "new_string": paragraph(&mut numbers, long)}}]}, "session_id": "bench-1"})
            }
            _ => {
                json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": paragraph(&mut numbers, long)}]}, "session_id": "bench-1"})
            }
        };
        let line = format!("{message}\n");
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    writeln!(
        out,
        "{}",
        json!({"type": "result", "subtype": "success", "is_error": false, "result": format!("All good.\n{BLOCK}"), "session_id": "bench-1", "usage": {"input_tokens": 1200, "output_tokens": 300}})
    )?;
    out.flush()
}
