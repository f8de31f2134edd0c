//! Errors on their way to JavaScript, where `index.js` makes them `RalphToolError`s. The addon throws none of its own:
//! what it throws is what the caller's getter or proxy threw, or a wrong `this`.

use napi_derive::napi;
use ralph_sdk_tools::{Error, ErrorCode};

/// Code and message of an error, as `index.js` takes them.
pub type Refusal = Vec<String>;

/// How an error is told.
pub fn refusal(error: &Error) -> Refusal {
    vec![error.code().as_str().to_owned(), error.message().to_owned()]
}

/// All codes, for this package's own tests.
#[napi(skip_typescript)]
pub fn error_codes() -> Vec<&'static str> {
    ErrorCode::ALL.iter().map(|(code, _)| code.as_str()).collect()
}
