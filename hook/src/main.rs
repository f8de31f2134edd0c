//! `ralph-hook`: every hook of the plugin. One event on standard input, no arguments, what the hook says on standard output.
//!
//! A hook must never trap, kill or fail a session: this ends with 0 whatever happens, for Claude Code takes 2 for a veto.
//! A session without a loop costs one look at a file's name.
#![forbid(unsafe_code)]

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use ralph_sdk_tools::claude_code::HookInput;
use ralph_sdk_tools::claude_code::plugin::{answer, concerns};
use ralph_sdk_tools::engine::LoopEngine;
use ralph_sdk_tools::store::place::find_root;
use ralph_sdk_tools::store::project::state_dir_of;
use ralph_sdk_tools::{Environment, Options, Ralph};
use serde_json::{Value, json};

/// A larger event is not read: no answer of a tool has to be that long, and a hook must not fill the memory.
const LARGEST_EVENT: u64 = 64 << 20;

fn main() -> ExitCode {
    // What a panic prints would be shown as a fault of the session's.
    std::panic::set_hook(Box::new(|_| ()));
    let said = catch_unwind(AssertUnwindSafe(hook)).unwrap_or_else(|_| Some(line("a defect in ralph-hook, please report it")));
    if let Some(said) = said {
        // Nobody may be listening any more.
        let _ = io::stdout().lock().write_all(said.to_string().as_bytes());
    }
    ExitCode::SUCCESS
}

fn hook() -> Option<Value> {
    let environment = Environment::snapshot();
    let event = match read() {
        Ok(Some(event)) => event,
        Ok(None) => return Some(line(&format!("an event of more than {} MiB was not read", LARGEST_EVENT >> 20))),
        Err(error) => return Some(line(&format!("the event cannot be read ({error})"))),
    };
    let input = match HookInput::from_json(&event) {
        Ok(input) => input,
        Err(wrong) => return Some(line(&wrong.to_string())),
    };
    // As the server of the plugin does, which Claude Code starts in that folder.
    let folder = environment.get("CLAUDE_PROJECT_DIR").unwrap_or(&input.cwd);
    std::env::set_current_dir(folder).ok()?;
    let root = find_root(&Options::default(), &environment).ok()?;
    if !concerns(&input, &state_dir_of(&root)) {
        return None;
    }
    let options = Options { project_dir: Some(root), ..Options::default() };
    let ralph = match Ralph::open(&options, &environment) {
        Ok(ralph) => ralph,
        Err(error) => return Some(line(&error.to_string())),
    };
    let pid = environment.get("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    answer(&LoopEngine::new(Arc::new(ralph)), pid, &input)
}

/// The whole event; `None` where it is too long: the rest is read all the same, so that its writer is not left with a broken
/// pipe.
fn read() -> io::Result<Option<Vec<u8>>> {
    let mut stdin = io::stdin().lock();
    let mut event = Vec::new();
    stdin.by_ref().take(LARGEST_EVENT + 1).read_to_end(&mut event)?;
    if event.len() as u64 <= LARGEST_EVENT {
        return Ok(Some(event));
    }
    drop(event);
    io::copy(&mut stdin, &mut io::sink())?;
    Ok(None)
}

/// One line for the person; the session goes on as if there were no hook.
fn line(text: &str) -> Value {
    json!({ "systemMessage": format!("ralph: {text}") })
}
