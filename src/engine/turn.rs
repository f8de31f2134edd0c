//! One event, from the session's file to the answer.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::answer::{LoopAnswer, LoopEnding, LoopStep};
use super::event::{Event, LoopEventKind, LoopOwner, SESSION_RULE};
use super::notes;
use super::session::Session;
use super::table::{Action, Finish, Row, State, row};
use super::texts::{Parts, prompt_file};
use crate::error::{ErrorCode, Result};
use crate::ralph::Ralph;
use crate::store::project::Project;
use crate::store::sessions::{append_note, is_session_id, read_session, remove_session, save_session};

/// The executor's view of one event.
pub(super) struct Turn<'a> {
    pub(super) ralph: &'a Ralph,
    pub(super) event: &'a Event,
    pub(super) id: String,
    pub(super) now: DateTime<Utc>,
    pub(super) session: Option<Session>,
    pub(super) answer: LoopAnswer,
}

impl<'a> Turn<'a> {
    /// Takes an event to its answer.
    pub(super) fn take(ralph: &'a Ralph, event: &'a Event) -> LoopAnswer {
        let id = event.session.clone().unwrap_or_default();
        let mut turn = Self { ralph, event, now: ralph.project().now(), session: None, answer: LoopAnswer::none(&id), id };
        turn.answer.notes.extend(event.warnings.iter().cloned());
        let Some(kind) = event.kind else {
            turn.note("an event of no kind that this version knows was ignored");
            return turn.answer;
        };
        if let Err(error) = turn.run(kind) {
            turn.fail(kind, &error);
        }
        turn.answer.r#loop = turn.number().max(turn.answer.r#loop);
        turn.answer
    }

    fn run(&mut self, kind: LoopEventKind) -> Result<()> {
        if self.event.session.is_none() && matches!(kind, LoopEventKind::Start | LoopEventKind::Preview) {
            self.id = self.new_id();
            self.answer.session.clone_from(&self.id);
        }
        if !is_session_id(&self.id) {
            self.note(SESSION_RULE);
            return Ok(());
        }
        self.project().read(|_| Ok(()))?;
        let state = self.load(kind)?;
        let Some(Row { actions, .. }) = row(kind, state) else { return Ok(()) };
        let mut pause = None;
        for action in *actions {
            match action {
                Action::Claim => self.claim()?,
                Action::ResetSignals => drop(self.tool_aloud("exit_detection", &json!({ "action": "reset" }))?),
                Action::Close => pause = self.close()?,
                Action::Admit => self.admit(pause.as_ref())?,
                Action::Note => self.append()?,
                Action::Tell => self.tell()?,
                Action::Finish(finish) => self.finish(*finish, None, None),
                Action::Look => self.look()?,
                Action::Preview => self.preview()?,
            }
            if self.answer.next != LoopStep::None {
                break;
            }
        }
        Ok(())
    }

    /// Reads the session's file. One that cannot be read lets the loop end: `none`, and a line that says why.
    fn load(&mut self, kind: LoopEventKind) -> Result<State> {
        // A start looks at all sessions' files itself, under the lock.
        if matches!(kind, LoopEventKind::Start | LoopEventKind::Preview) {
            return Ok(State::Free);
        }
        let Some(bytes) = read_session(self.project(), &self.id)? else { return Ok(State::Free) };
        match Session::decode(&bytes) {
            Ok(session) => {
                let state = session.state();
                self.session = Some(session);
                Ok(state)
            }
            Err(why) => {
                let id = &self.id;
                self.answer
                    .notes
                    .push(format!("Ralph's loop has ended: its file .session_{id} is of no use: {why}; start it anew"));
                Ok(State::Free)
            }
        }
    }

    /// What follows from an error of ours: the run ends, and its session is free. What goes on by itself goes on.
    fn fail(&mut self, kind: LoopEventKind, error: &crate::error::Error) {
        let asks_nothing = matches!(
            kind,
            LoopEventKind::Edited
                | LoopEventKind::Opaque
                | LoopEventKind::Denied
                | LoopEventKind::Called
                | LoopEventKind::Returned
                | LoopEventKind::Settled
                | LoopEventKind::Background
                | LoopEventKind::Compaction
                | LoopEventKind::Status
        );
        if asks_nothing {
            self.note(error.to_string());
            return;
        }
        self.answer.wait = None;
        self.finish(Finish::GuardFailed, Some(error.code().as_str().to_owned()), Some(error.message().to_owned()));
    }

    /// Ends the run: the session is free.
    pub(super) fn finish(&mut self, finish: Finish, exit_reason: Option<String>, message: Option<String>) {
        let row = finish.row();
        let exit_reason = exit_reason.or_else(|| Some(row.exit_reason.to_owned())).filter(|reason| !reason.is_empty());
        // A lock that is held would be waited for again, and a run that never began has no status.
        let reported = exit_reason.as_deref() != Some(ErrorCode::LockTimeout.as_str());
        if let Some(session) = self.session.as_mut().filter(|_| reported) {
            session.open = false;
            self.report(row.status, row.last_action, &json!({ "exitReason": exit_reason.clone().unwrap_or_default() }));
        }
        if self.session.is_some()
            && let Err(error) = remove_session(self.project(), &self.id)
        {
            self.note(error.to_string());
        }
        let loops = self.session.as_ref().map_or(0, Session::loops);
        let told = [exit_reason.as_deref(), message.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let told = if told.is_empty() { told } else { format!(": {told}") };
        self.note(format!("Ralph's loop has ended after {loops} loops: {} / {}{told}", row.status, row.last_action));
        self.answer.next = LoopStep::End;
        self.answer.ending = Some(LoopEnding {
            status: row.status.to_owned(),
            last_action: row.last_action.to_owned(),
            loops,
            exit_reason,
            message,
        });
    }

    fn append(&mut self) -> Result<()> {
        match notes::lines(self.project(), self.event) {
            Some(lines) => append_note(self.project(), &self.id, &lines),
            None => Ok(()),
        }
    }

    fn tell(&mut self) -> Result<()> {
        self.prompt()?;
        self.answer.next = LoopStep::Tell;
        Ok(())
    }

    fn look(&mut self) -> Result<()> {
        let circuit = self.tool_aloud("circuit_breaker", &json!({ "action": "check" }))?;
        let rate = self.tool("rate_limit", &json!({ "action": "check" }))?;
        self.answer.counts = Some(self.counts(&rate, &circuit)?);
        self.answer.task = self.plan()?.next_task;
        Ok(())
    }

    /// Puts what goes to the model into the answer.
    pub(super) fn prompt(&mut self) -> Result<()> {
        let plan = self.plan()?;
        let owner = self.session.as_ref().map_or_else(|| self.event.owner.unwrap_or(LoopOwner::Loop), |session| session.owner);
        // In the other doors a person has said what it is about.
        let file = if owner == LoopOwner::Loop { prompt_file(self.project())? } else { None };
        let project = self.project();
        let instruction =
            self.session.as_ref().map_or(self.event.instruction.as_deref(), |session| session.instruction.as_deref());
        let path = project.plan_path();
        let parts = Parts {
            file,
            instruction,
            number: self.number().max(1),
            plan: &plan,
            plan_path: path.strip_prefix(project.root()).unwrap_or(&path).display().to_string(),
        };
        self.answer.prompt = Some(parts.prompt());
        self.answer.task = plan.next_task;
        Ok(())
    }

    /// Writes the session's file.
    pub(super) fn save(&self) -> Result<()> {
        let Some(session) = &self.session else { return Ok(()) };
        let bytes = session.encode();
        self.project().write(|files| save_session(files, &self.id, &bytes)).map(|_| ())
    }

    pub(super) fn project(&self) -> &'a Project {
        self.ralph.project()
    }

    /// The loop's number; 0 before any.
    pub(super) fn number(&self) -> u64 {
        self.session.as_ref().map_or(0, |session| session.number)
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.answer.notes.contains(&text) {
            self.answer.notes.push(text);
        }
    }

    /// A name that no other process gives.
    fn new_id(&self) -> String {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("loop-{:x}-{}-{count}", self.now.timestamp_millis(), std::process::id())
    }
}
