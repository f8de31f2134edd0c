//! Who holds the project: one session loops on it at a time.

use chrono::TimeDelta;
use serde_json::json;

use super::answer::LoopStep;
use super::event::LoopOwner;
use super::guards::Member;
use super::session::Session;
use super::texts::{prompt_file, something_to_do};
use super::turn::Turn;
use crate::error::Result;
use crate::store::files::Writer;
use crate::store::process_mark::{Life, ProcessMark};
use crate::store::sessions::{keep_session_aside, read_session, remove_session, save_session, session_ids, session_touched};

/// Where nobody can say whether a process runs, its session counts as gone after so many hours without a sign. As long
/// does bash Ralph keep a session.
const SILENT_HOURS: i64 = 24;

/// What was found of the sessions on the project.
#[derive(Default)]
struct Found {
    /// Why the run must not begin.
    refused: Option<String>,
    /// The last loop of the runs taken over.
    last_loop: u64,
    /// For a person.
    notes: Vec<String>,
}

impl Turn<'_> {
    /// Takes the project for this session. Under the lock: of two that start at once, one is refused.
    pub(super) fn claim(&mut self) -> Result<()> {
        let owner = self.event.owner.unwrap_or(LoopOwner::Loop);
        if owner == LoopOwner::Loop && self.event.instruction.is_none() {
            something_to_do(self.project(), prompt_file(self.project())?.as_deref(), &self.plan()?)?;
        }
        let process = ProcessMark::of(self.event.pid.unwrap_or_else(std::process::id));
        let mut session = Session::new(owner, process, self.now);
        session.limits = self.event.limits;
        session.instruction.clone_from(&self.event.instruction);
        let found = self.project().write(|files| {
            let found = self.others(files)?;
            if found.refused.is_none() {
                session.number = found.last_loop;
                session.before = found.last_loop;
                save_session(files, &self.id, &session.encode())?;
            }
            Ok(found)
        })?;
        self.answer.notes.extend(found.value.notes);
        if let Some(message) = found.value.refused {
            self.answer.next = LoopStep::Refuse;
            self.note(message.clone());
            self.answer.message = Some(message);
        } else {
            self.session = Some(session);
        }
        Ok(())
    }

    /// Looks at the sessions that are there, and clears away those whose process is gone.
    fn others(&self, files: &Writer<'_>) -> Result<Found> {
        let mut found = Found::default();
        for id in session_ids(self.project())? {
            let Some(bytes) = read_session(self.project(), &id)? else { continue };
            let session = match Session::decode(&bytes) {
                Ok(session) => session,
                Err(why) => {
                    let kept = keep_session_aside(files, &id)?;
                    found.notes.push(format!("the file .session_{id} is of no use: {why}; it is kept as {kept}"));
                    continue;
                }
            };
            if self.holds(&id, &session) {
                found.refused = Some(self.refusal(&id, &session));
                return Ok(found);
            }
            remove_session(self.project(), &id)?;
            found.last_loop = found.last_loop.max(session.number);
            let cut = if session.open {
                format!("; its loop {} was cut off: the call stays counted", session.number)
            } else {
                String::new()
            };
            found.notes.push(format!("took over from the session {id}, whose process {} is gone{cut}", session.process.pid));
        }
        Ok(found)
    }

    fn holds(&self, id: &str, session: &Session) -> bool {
        match session.process.life() {
            Life::Runs => true,
            Life::Gone => false,
            Life::Unknown => session_touched(self.project(), id)
                .is_some_and(|touched| self.now - touched.max(session.started) < TimeDelta::hours(SILENT_HOURS)),
        }
    }

    fn refusal(&self, id: &str, session: &Session) -> String {
        let (number, pid, host) = (session.number, session.process.pid, &session.process.host);
        if *id == self.id {
            return format!("this session loops already (loop {number}); cancel that run first");
        }
        let file = self.project().state_file(&format!(".session_{id}"));
        format!(
            "the session {id} loops on this project already (process {pid} on {host}, loop {number}): one at a time; wait for it or end \
             it. If it is surely gone, remove {}",
            file.display()
        )
    }

    /// Tells what the first loop of a run would send, and what would keep it from it. Writes nothing.
    pub(super) fn preview(&mut self) -> Result<()> {
        let owner = self.event.owner.unwrap_or(LoopOwner::Loop);
        if owner == LoopOwner::Loop && self.event.instruction.is_none() {
            something_to_do(self.project(), prompt_file(self.project())?.as_deref(), &self.plan()?)?;
        }
        let circuit = self.tool_aloud("circuit_breaker", &json!({ "action": "check" }))?;
        let rate = self.tool_aloud("rate_limit", &json!({ "action": "check" }))?;
        let plan = self.plan()?.list;
        self.prompt()?;
        self.answer.counts = Some(self.counts(&rate, &circuit)?);
        let mut obstacles = Vec::new();
        for id in session_ids(self.project())? {
            let bytes = read_session(self.project(), &id)?.unwrap_or_default();
            if let Some(session) = Session::decode(&bytes).ok().filter(|session| self.holds(&id, session)) {
                obstacles.push(self.refusal(&id, &session));
            }
        }
        if !circuit.flag("canExecute") {
            obstacles.push(format!("the circuit breaker is open: {}", circuit.text("reason")));
        }
        if plan.completed_tasks > 0 && plan.blocking_tasks == 0 {
            obstacles.push("the plan is complete".to_owned());
        }
        if !rate.flag("canMakeCall") {
            obstacles.push(format!("the hour's limit is used up for {} s", rate.number("secondsUntilReset")));
        }
        if !obstacles.is_empty() {
            self.answer.message = Some(obstacles.join("; "));
        }
        Ok(())
    }
}
