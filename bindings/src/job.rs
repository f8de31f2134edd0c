//! The one way in which a call leaves the main thread. A defect in it is an error, and never the end of the process.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::{Env, Result};
use ralph_sdk_tools::{Error, ErrorCode};

use crate::answers::{Listener, Outcome};
use crate::workers::WORKERS;

/// Where `index.js` expects the answer of a call.
#[derive(Debug, Clone, Copy)]
pub struct Address {
    /// What `listen` answered.
    pub listener: u32,
    /// The call's number.
    pub number: u32,
}

/// Runs `work` on a worker thread, and sends what it comes to.
pub fn run(env: Env, to: Address, work: impl FnOnce() -> Outcome + Send + 'static) -> Result<()> {
    let reply = Listener::numbered(env, to.listener)?.expect(env, to.number)?;
    WORKERS.submit(Box::new(move |admitted| reply.send(perform(admitted, work))));
    Ok(())
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
