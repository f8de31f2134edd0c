//! How answers come back: one channel for all calls of a listener. JavaScript owns the promises and numbers them.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};
use napi_derive::napi;
use ralph_sdk_tools::{Error, ErrorCode};
use serde_json::json;

use crate::agent::Agent;
use crate::errors::refusal;

/// What a call comes to: its answer as JSON text, which has no other numbers than JavaScript has.
pub type Outcome = ralph_sdk_tools::Result<String>;

/// Answers are handed over together up to so many bytes.
const TOGETHER: usize = 1 << 20;

/// A longer answer would be no string in some supported Node.
const LONGEST: usize = 1 << 28;

/// Wakes JavaScript to take answers. By itself it does not keep the event loop alive.
type Wake = ThreadsafeFunction<(), (), String, Status, false, true>;

/// One copy of `index.js`, seen from the thread that it runs in.
pub struct Listener {
    channel: Arc<Channel>,
    /// Calls that are not answered: they keep the event loop alive.
    pending: Cell<u32>,
}

/// The way from the workers to a listener.
struct Channel {
    outbox: Arc<Outbox>,
    wake: Mutex<Wake>,
}

/// Answers that JavaScript has not taken, by the numbers of their calls.
#[derive(Default)]
struct Outbox(Mutex<VecDeque<(u32, Outcome)>>);

/// Answers that are handed over together.
#[derive(Debug, PartialEq)]
struct Batch {
    /// As `settle` expects them.
    text: String,
    answers: u32,
    /// Whether others were left, for which nobody else wakes JavaScript.
    more: bool,
}

/// Where one call's answer goes.
pub struct Reply {
    channel: Arc<Channel>,
    number: u32,
}

/// Has `settle` called with answers, as JSON: an array of number, whether it succeeded, and answer or error in turn. The
/// listener's own number comes back.
#[allow(clippy::needless_pass_by_value, reason = "so napi hands over arguments")]
#[napi(skip_typescript)]
pub fn listen(env: Env, settle: Function<'_, String, ()>) -> Result<u32> {
    let agent = Agent::of(env)?;
    let mut listeners = agent.listeners.borrow_mut();
    let place = listeners.len();
    let outbox = Arc::new(Outbox::default());
    let taken = Arc::clone(&outbox);
    let wake =
        settle.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>().build_callback(move |context| {
            let listener = Agent::of(context.env)?.listeners.borrow().get(place).cloned();
            let Batch { text, answers, more } = taken.take();
            if let Some(listener) = listener {
                listener.answered(context.env, answers, more)?;
            }
            Ok(text)
        })?;
    listeners.push(Rc::new(Listener { channel: Arc::new(Channel { outbox, wake: Mutex::new(wake) }), pending: Cell::new(0) }));
    u32::try_from(place).map_err(|error| napi::Error::from_reason(error.to_string()))
}

impl Listener {
    /// That of a number.
    pub fn numbered(env: Env, place: u32) -> Result<Rc<Self>> {
        let listeners = Agent::of(env)?.listeners.borrow();
        listeners.get(place as usize).cloned().ok_or_else(|| napi::Error::from_reason("nobody listens for the answer"))
    }

    /// Where the answer of a call goes. The event loop lives until it is there.
    #[expect(deprecated, reason = "what stands in its stead would be a channel for each call")]
    pub fn expect(&self, env: Env, number: u32) -> Result<Reply> {
        if self.pending.get() == 0 {
            self.channel.wake().refer(&env)?;
        }
        self.pending.set(self.pending.get() + 1);
        Ok(Reply { channel: Arc::clone(&self.channel), number })
    }

    #[expect(deprecated, reason = "as above")]
    fn answered(&self, env: Env, answers: u32, more: bool) -> Result<()> {
        self.pending.set(self.pending.get().saturating_sub(answers));
        if more {
            self.channel.wake().call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
        if self.pending.get() == 0 { self.channel.wake().unref(&env) } else { Ok(()) }
    }
}

impl Reply {
    /// Sends the answer. After the environment's end this does nothing.
    pub fn send(self, outcome: Outcome) {
        let mut answers = self.channel.outbox.lock();
        answers.push_back((self.number, outcome));
        let first = answers.len() == 1;
        drop(answers);
        // With others before it JavaScript has been woken and will take it along.
        if first {
            self.channel.wake().call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

impl Channel {
    fn wake(&self) -> MutexGuard<'_, Wake> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(u32, Outcome)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes answers: one at least, where there is any.
    fn take(&self) -> Batch {
        let mut waiting = self.lock();
        let mut batch = Batch { text: String::new(), answers: 0, more: false };
        while let Some((number, outcome)) = waiting.pop_front() {
            write(&mut batch.text, number, outcome);
            batch.answers += 1;
            let length = |outcome: &Outcome| outcome.as_ref().map_or(0, String::len);
            batch.more = waiting.front().is_some_and(|(_, next)| batch.text.len() + length(next) > TOGETHER);
            if batch.more {
                break;
            }
        }
        batch.text.push(']');
        batch
    }
}

fn write(text: &mut String, number: u32, outcome: Outcome) {
    let outcome = outcome.and_then(|answer| if answer.len() <= LONGEST { Ok(answer) } else { Err(too_long(answer.len())) });
    let succeeded = outcome.is_ok();
    let json = outcome.unwrap_or_else(|error| json!(refusal(&error)).to_string());
    let before = if text.is_empty() { '[' } else { ',' };
    // The one answer of most batches is not copied.
    let head = format!("{before}{number},{succeeded},");
    if text.is_empty() {
        *text = json;
        text.insert_str(0, &head);
    } else {
        text.push_str(&head);
        text.push_str(&json);
    }
}

fn too_long(bytes: usize) -> Error {
    let message = format!("the answer has {bytes} bytes, more than a JavaScript string may; ask for less, with limit and offset");
    Error::new(ErrorCode::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(outcomes: impl IntoIterator<Item = Outcome>) -> Outbox {
        let outbox = Outbox::default();
        outbox.lock().extend((0..).zip(outcomes));
        outbox
    }

    fn batch(text: &str, answers: u32, more: bool) -> Batch {
        Batch { text: text.to_owned(), answers, more }
    }

    #[test]
    fn answers_are_handed_over_together_in_order() {
        let outbox = outbox([Ok(r#"{"a":1}"#.to_owned()), Err(Error::invalid_input("\"no\"")), Ok("{}".to_owned())]);
        let text = r#"[0,true,{"a":1},1,false,["INVALID_INPUT","\"no\""],2,true,{}]"#;
        assert_eq!(outbox.take(), batch(text, 3, false));
        assert!(outbox.lock().is_empty());
    }

    #[test]
    fn a_long_one_goes_alone() {
        let long = "1".repeat(TOGETHER);
        let outbox = outbox([Ok("{}".to_owned()), Ok(long.clone()), Ok("{}".to_owned())]);
        assert_eq!(outbox.take(), batch("[0,true,{}]", 1, true));
        assert_eq!(outbox.take(), batch(&format!("[1,true,{long}]"), 1, true));
        assert_eq!(outbox.take(), batch("[2,true,{}]", 1, false));
    }

    #[test]
    fn one_that_is_no_string_in_javascript_is_an_error() {
        let taken = outbox([Ok("1".repeat(LONGEST + 1))]).take();
        assert!(taken.text.starts_with(r#"[0,false,["INVALID_INPUT","the answer has"#), "{}", &taken.text[..100]);
    }
}
