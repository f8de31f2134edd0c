//! The plugin `ralph` for Claude Code: its three commands, and the hooks of a session that loops.
//!
//! A hook never fails a session: what cannot be read, and every error of ours, is one line for the person, and the session
//! goes on as if there were no hook. A session without a loop costs one look at a file's name.

mod arguments;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Value, json};

use super::input::HookInput;
use super::tools::{Effect, effect};
use super::{event, output};
use crate::engine::{Event, LoopAnswer, LoopEngine, LoopEventKind, LoopOwner, LoopStep, has_session, own_file};
use crate::store::project::Project;

/// A command of the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    /// Begins a run, with what the person typed behind it.
    Start,
    /// Tells how the run stands; the model is asked nothing.
    Status,
    /// Ends the run; the model is asked nothing.
    Cancel,
}

/// The commands, as Claude Code names them.
const COMMANDS: &[(&str, Command)] =
    &[("ralph:start", Command::Start), ("ralph:status", Command::Status), ("ralph:cancel", Command::Cancel)];

fn command(input: &HookInput) -> Option<Command> {
    let named = COMMANDS.iter().find(|(name, _)| input.hook_event_name == "UserPromptExpansion" && input.command_name == *name);
    named.map(|(_, command)| *command)
}

/// Whether a hook has anything to do: it is a command of the plugin, or its session loops on the project.
#[must_use]
pub fn concerns(input: &HookInput, state_dir: &Path) -> bool {
    command(input).is_some() || has_session(state_dir, &input.session_id)
}

/// What a hook says; `None` is nothing. `pid` is the process that holds the session.
#[must_use]
pub fn answer(engine: &LoopEngine, pid: Option<u32>, input: &HookInput) -> Option<Value> {
    let project = engine.project();
    let looping = has_session(project.state_dir(), &input.session_id);
    let of = |kind| Event::of(kind, &input.session_id);
    let said = match command(input) {
        Some(Command::Start) => start(engine, pid, input),
        Some(Command::Status) => for_the_person(&engine.handle(&of(LoopEventKind::Status)), looping),
        Some(Command::Cancel) => for_the_person(&engine.handle(&of(LoopEventKind::Cancel)), looping),
        // A command comes again, expanded.
        None if !looping || input.prompt.trim_start().starts_with("/ralph:") => return None,
        None => match state_file(project, input) {
            Some(file) => deny(&file),
            None => hook(&input.hook_event_name, &engine.handle(&event(input)?)),
        },
    };
    said.as_object().is_some_and(|said| !said.is_empty()).then_some(said)
}

fn start(engine: &LoopEngine, pid: Option<u32>, input: &HookInput) -> Value {
    let (limits, instruction) = match arguments::parse(&input.command_args) {
        Ok(typed) => typed,
        Err(wrong) => return block(&wrong),
    };
    let owner = Some(LoopOwner::Plugin);
    let begins = Event { owner, pid, limits, instruction, ..Event::of(LoopEventKind::Start, &input.session_id) };
    let answer = engine.handle(&begins);
    match (answer.next, &answer.prompt) {
        (LoopStep::Query | LoopStep::Tell, Some(prompt)) => told_beside(&input.hook_event_name, prompt, &answer),
        _ => block(&reason(&answer)),
    }
}

/// As any door, and what the person should know beside it.
fn hook(name: &str, answer: &LoopAnswer) -> Value {
    let mut said = output(name, answer);
    let notes = if answer.next == LoopStep::Query { answer.notes.join("\n") } else { reason(answer) };
    if let Some(said) = said.as_object_mut() {
        // A prompt that is held back says so by its reason.
        if said.contains_key("reason") && answer.next != LoopStep::Query {
            said.insert("reason".into(), notes.into());
        } else if !notes.is_empty() {
            said.insert("systemMessage".into(), notes.into());
        }
    }
    said
}

fn told_beside(hook: &str, prompt: &str, answer: &LoopAnswer) -> Value {
    let mut said = json!({ "hookSpecificOutput": { "hookEventName": hook, "additionalContext": prompt } });
    if let Some(said) = said.as_object_mut().filter(|_| !answer.notes.is_empty()) {
        said.insert("systemMessage".into(), answer.notes.join("\n").into());
    }
    said
}

/// A command is not sent to the model, and the person reads why.
fn block(reason: &str) -> Value {
    json!({ "decision": "block", "reason": reason })
}

fn for_the_person(answer: &LoopAnswer, looping: bool) -> Value {
    let standing = match (answer.next, looping) {
        (LoopStep::End, _) => String::new(),
        (_, true) => format!("This session works off the plan: loop {}.", answer.r#loop),
        (_, false) => "This session does not loop; /ralph:start begins.".to_owned(),
    };
    let counts = answer.counts.as_ref().map_or_else(String::new, |counts| {
        format!(
            "{} of {} tasks done; call {} of {} this hour; circuit {}.",
            counts.completed_tasks,
            counts.total_tasks,
            counts.calls,
            counts.max_calls,
            counts.circuit.as_str()
        )
    });
    let next = answer.task.as_ref().map_or_else(String::new, |task| format!("Next: {} ({})", task.description, task.id));
    let parts = [standing, reason(answer), counts, next];
    block(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// The notes, and what they do not say yet of a wait or a refusal.
fn reason(answer: &LoopAnswer) -> String {
    let more = [answer.message.as_deref(), answer.wait.as_ref().map(|wait| wait.message.as_str())];
    let mut said = answer.notes.clone();
    for text in more.into_iter().flatten() {
        if !said.iter().any(|line| line.contains(text)) {
            said.push(text.to_owned());
        }
    }
    if answer.next == LoopStep::Wait {
        said.push("Write anything when the wait is over, and the loop goes on.".to_owned());
    }
    said.join("\n")
}

/// The state file of Ralph's that a tool is about to change, by its name under the state directory. The plan is none.
fn state_file(project: &Project, input: &HookInput) -> Option<String> {
    let edits = input.hook_event_name == "PreToolUse" && effect(&input.tool_name, None) == Effect::File;
    let named = input.tool_input.place().filter(|_| edits)?;
    let folder = if input.cwd.is_empty() { project.root() } else { Path::new(&input.cwd) };
    own_file(project, &folder.join(named))
}

/// A tool is not run, and the model reads why.
fn deny(file: &str) -> Value {
    let why = format!(
        "{file} is a state file of Ralph's guards, which only Ralph writes; go on with the task. To leave a word in the log, \
         use the tool progress_reporter; to tick a task, task_planner."
    );
    json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why } })
}
