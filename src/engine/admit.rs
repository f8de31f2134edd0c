//! The gates before a loop, and its beginning.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use super::answer::{LoopStep, LoopWait, LoopWaitReason};
use super::close::Pause;
use super::guards::{Member, circuit_state};
use super::table::{CLAIM_POLL, Finish, GATES, Gate, growing};
use super::turn::Turn;
use crate::error::Result;
use crate::store::sessions::clear_notes;

/// What a gate says.
enum Passage {
    Open,
    Ends(Finish, Option<String>, Option<String>),
    Waits(Pause),
}

/// What the gates have been told so far.
#[derive(Default)]
struct Told {
    circuit: Value,
    exit: Value,
    rate: Value,
}

impl Turn<'_> {
    /// Asks every gate in its order; past the last, the loop begins.
    pub(super) fn admit(&mut self, pause: Option<&Pause>) -> Result<()> {
        let mut told = Told::default();
        for (gate, ..) in GATES {
            match self.ask(*gate, pause, &mut told)? {
                Passage::Open => {}
                Passage::Ends(finish, reason, message) => {
                    self.finish(finish, reason, message);
                    return Ok(());
                }
                Passage::Waits(pause) => return self.wait(&pause),
            }
        }
        self.begin(&told)
    }

    fn ask(&mut self, gate: Gate, pause: Option<&Pause>, told: &mut Told) -> Result<Passage> {
        match gate {
            Gate::Circuit => {
                told.circuit = self.tool("circuit_breaker", &json!({ "action": "check" }))?;
                if told.circuit.flag("canExecute") {
                    return Ok(Passage::Open);
                }
                let reason = told.circuit.text("reason").to_owned();
                Ok(Passage::Ends(Finish::CircuitOpen, None, Some(reason).filter(|reason| !reason.is_empty())))
            }
            Gate::Exit => {
                told.exit = self.tool("exit_detection", &json!({ "action": "check" }))?;
                if !told.exit.flag("shouldExit") {
                    return Ok(Passage::Open);
                }
                let reason = told.exit.text("exitReason").to_owned();
                let finish = Finish::of_exit(&reason);
                let recommendation = told.exit.text("recommendation").to_owned();
                let message = Some(recommendation).filter(|text| finish == Finish::Blocked && !text.is_empty());
                Ok(Passage::Ends(finish, Some(reason), message))
            }
            Gate::Loops | Gate::Minutes | Gate::Tokens | Gate::Cost => {
                let Some(session) = &self.session else { return Ok(Passage::Open) };
                let ends = session.limits.ends(gate, &session.spent(self.now));
                Ok(ends.map_or(Passage::Open, |(finish, reason)| Passage::Ends(finish, Some(reason), None)))
            }
            Gate::Claims => Ok(if told.exit.flag("waiting") { Passage::Waits(self.claimed(&told.exit)) } else { Passage::Open }),
            Gate::Pause => Ok(pause.cloned().map_or(Passage::Open, Passage::Waits)),
            Gate::Rate => self.count_call(told),
        }
    }

    /// Other workers have all open tasks: it is asked again when the first claim ends, and before, for they may be done.
    fn claimed(&self, exit: &Value) -> Pause {
        let until = instant(exit.text("claimedUntil"));
        let left = until.map_or(CLAIM_POLL, |until| seconds(until - self.now));
        Pause {
            reason: LoopWaitReason::Claimed,
            seconds: left.min(CLAIM_POLL),
            message: "other workers have all open tasks".to_owned(),
            report: Some(["paused", "waiting"]),
        }
    }

    fn count_call(&mut self, told: &mut Told) -> Result<Passage> {
        match self.tool("rate_limit", &json!({ "action": "increment" })) {
            Ok(rate) => told.rate = rate,
            // The server that the workers share is away; it may come back.
            Err(error) if error.code().as_str() == "SHARED_UNREACHABLE" => {
                let failures = self.session.as_mut().map_or(1, |session| {
                    session.failures = session.failures.saturating_add(1);
                    session.failures
                });
                return Ok(Passage::Waits(Pause {
                    reason: LoopWaitReason::Unreachable,
                    seconds: growing(failures),
                    message: error.message().to_owned(),
                    report: Some(["paused", "unreachable"]),
                }));
            }
            Err(error) => return Err(error),
        }
        let rate = &told.rate;
        if rate.flag("admitted") {
            return Ok(Passage::Open);
        }
        let message = match rate.text("limitedBy") {
            "tokens" => format!("{} of {} tokens used this hour", rate.number("tokensUsed"), rate.number("maxTokens")),
            "budget" => format!("the budget {} is used up", rate.text("budget")),
            "plan" => "another worker ran into the plan's limit".to_owned(),
            _ => format!("{} of {} calls used this hour", rate.number("currentCount"), rate.number("maxCalls")),
        };
        Ok(Passage::Waits(Pause {
            reason: LoopWaitReason::RateLimit,
            seconds: rate.number("secondsUntilReset"),
            message,
            report: Some(["paused", "rate_limit"]),
        }))
    }

    /// Says for how long nothing may be sent. A wait that would outlast `maxMinutes` ends the run now.
    fn wait(&mut self, pause: &Pause) -> Result<()> {
        let seconds = pause.seconds.max(1);
        let until = TimeDelta::try_seconds(i64::try_from(seconds).unwrap_or(i64::MAX))
            .and_then(|wait| self.now.checked_add_signed(wait))
            .unwrap_or(DateTime::<Utc>::MAX_UTC);
        if let Some(session) = &mut self.session {
            session.open = false;
            if let Some((finish, reason)) = session.limits.ends(Gate::Minutes, &session.spent(until)) {
                let message = format!("a wait of {seconds} s would last longer: {}", pause.message);
                self.finish(finish, Some(reason), Some(message));
                return Ok(());
            }
        }
        self.save()?;
        if let Some([status, last_action]) = pause.report {
            self.report(status, last_action, &json!({}));
        }
        self.note(format!("waiting {seconds} s: {}", pause.message));
        self.answer.next = LoopStep::Wait;
        self.answer.wait = Some(LoopWait {
            reason: pause.reason,
            seconds,
            until: until.to_rfc3339_opts(SecondsFormat::Secs, false),
            message: pause.message.clone(),
        });
        Ok(())
    }

    /// The call is counted: the loop begins. Its number is on disk before anything else, so that a crash repeats none.
    fn begin(&mut self, told: &Told) -> Result<()> {
        let now = self.now;
        if let Some(session) = &mut self.session {
            session.number = session.number.saturating_add(1);
            session.open = true;
            session.loop_started = Some(now);
            self.answer.resume.clone_from(&session.resumes);
        }
        clear_notes(self.project(), &self.id)?;
        self.save()?;
        self.tool("circuit_breaker", &json!({ "action": "begin" }))?;
        self.report("running", "executing", &json!({}));
        self.prompt()?;
        self.answer.counts = Some(self.counts(&told.rate, &told.circuit)?);
        let (calls, most) = (told.rate.number("currentCount"), told.rate.number("maxCalls"));
        self.note(format!("circuit {}, call {calls} of {most} this hour, nothing says exit", circuit_state(&told.circuit)?));
        self.answer.next = LoopStep::Query;
        Ok(())
    }
}

/// An instant that a tool answered.
pub(super) fn instant(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}

/// Whole seconds, rounded up; none below 0.
pub(super) fn seconds(left: TimeDelta) -> u64 {
    u64::try_from(left.num_milliseconds()).unwrap_or(0).div_ceil(1000)
}
