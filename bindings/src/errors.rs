//! Errors on their way to JavaScript, with `code` and `message`. `index.js` makes them `RalphToolError`s.

use napi::bindgen_prelude::{Error, JsError};
use napi::{Env, Status};
use napi_derive::napi;
use ralph_sdk_tools::ErrorCode;

/// An error whose status becomes its `code` in JavaScript.
pub type Thrown = Error<String>;

/// A core's error for a synchronous throw.
pub fn thrown(error: &ralph_sdk_tools::Error) -> Thrown {
    Error::new(error.code().as_str().to_owned(), error.message())
}

/// A failed request to the JavaScript engine. Where the caller's own code threw, its exception is pending and goes on.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn passed_on(error: Error<Status>) -> Thrown {
    Error::new(error.status.as_ref().to_owned(), error.reason.clone())
}

/// A core's error as a promise's rejection.
pub fn rejection(env: Env, error: &ralph_sdk_tools::Error) -> Error<Status> {
    Error::from_unknown_without_coercion(JsError::from(thrown(error)).into_unknown(env))
}

/// The codes by which `index.js` tells this package's errors from what a caller's getter threw.
#[napi(skip_typescript)]
pub fn error_codes() -> Vec<&'static str> {
    ErrorCode::ALL.iter().map(|(code, _)| code.as_str()).collect()
}
