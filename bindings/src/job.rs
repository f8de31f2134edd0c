//! The one way in which a call leaves the main thread and its answer comes back.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Function, JsObjectValue, Object, Unknown};
use napi::{Env, Result};
use ralph_sdk_tools::{Error, ErrorCode};

use crate::errors::rejection;
use crate::workers::WORKERS;

/// What a call comes to: its answer as JSON text, which has no other numbers than JavaScript has.
pub type Outcome = ralph_sdk_tools::Result<String>;

/// Runs `work` on a worker thread. The promise keeps the event loop alive until it is settled.
pub fn run(env: &Env, work: impl FnOnce() -> Outcome + Send + 'static) -> Result<Object<'_>> {
    let (deferred, promise) = env.create_deferred()?;
    WORKERS.submit(Box::new(move |admitted| {
        let outcome = perform(admitted, work);
        // After the environment's end this does nothing.
        deferred.resolve(move |env| settle(env, outcome));
    }));
    Ok(promise)
}

/// A panic becomes an error; it must not cross into Node, which would abort.
fn perform(admitted: io::Result<()>, work: impl FnOnce() -> Outcome) -> Outcome {
    admitted.map_err(|error| Error::new(ErrorCode::IoError, format!("cannot start a worker thread: {error}")))?;
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = panic_message(panic.as_ref());
        Err(Error::new(ErrorCode::Internal, format!("a defect in ralph-sdk-tools, please report it: {reason}")))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}

fn settle(env: Env, outcome: Outcome) -> Result<Unknown<'static>> {
    match outcome {
        Ok(json) => parse(env, json),
        Err(error) => Err(rejection(env, &error)),
    }
}

/// JSON text as JavaScript's own parser reads it: quick, and a `__proto__` in a user's file stays a mere property.
pub fn parse(env: Env, json: String) -> Result<Unknown<'static>> {
    let global: Object<'_> = env.get_global()?.get_named_property_unchecked("JSON")?;
    let parse: Function<'_, String, Unknown<'static>> = global.get_named_property_unchecked("parse")?;
    parse.call(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(outcome: Outcome) -> Error {
        outcome.expect_err("it failed")
    }

    #[test]
    fn what_the_work_answers_is_the_outcome() {
        assert_eq!(perform(Ok(()), || Ok("{}".into())), Ok("{}".into()));
        let refused = perform(Ok(()), || Err(Error::invalid_input("no")));
        assert_eq!(failure(refused), Error::invalid_input("no"));
    }

    #[test]
    fn a_panic_is_an_internal_error_with_its_message() {
        for (work, part) in [
            ((|| panic!("literal")) as fn() -> Outcome, "literal"),
            (|| panic!("formatted {}", 1), "formatted 1"),
            (|| std::panic::panic_any(1_u8), "without a message"),
        ] {
            let error = failure(perform(Ok(()), work));
            assert_eq!(error.code(), ErrorCode::Internal);
            assert!(error.message().contains(part), "{error}");
        }
    }

    #[test]
    fn work_that_gets_no_thread_is_not_run() {
        let refused = io::Error::other("no more threads");
        let error = failure(perform(Err(refused), || unreachable!("it must not run")));
        assert_eq!(error.code(), ErrorCode::IoError);
        assert!(error.message().contains("no more threads"), "{error}");
    }
}
