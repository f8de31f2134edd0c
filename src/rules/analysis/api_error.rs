//! Calls that failed at the provider: overloaded, throttled, or a server's error (case S6). Such a loop says nothing about
//! the work: it is not counted, and may be run again after a pause.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde_json::Value;

use crate::words;

words! {
    /// What kept the provider from answering.
    ApiErrorKind {
        /// It has too much to do.
        Overloaded = "overloaded",
        /// It throttles this caller: too many requests or tokens in a time.
        RateLimited = "rate_limited",
        /// It failed: any other 5xx.
        Server = "server",
    }
}

/// A call that failed at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiError {
    /// Why.
    pub kind: ApiErrorKind,
    /// The status that was told, else the one that such errors have: 529, 429 or 500.
    pub status: u64,
    /// Seconds to wait, where the message names them.
    pub retry_after: Option<u64>,
}

/// Patterns of what providers say, in any case; the first row that matches decides.
const SAYS: &[(&str, ApiErrorKind)] = &[
    // Anthropic; Gemini; Bedrock.
    (r"overloaded_error|\boverload(?:ed)?\b|\bat capacity\b|modelnotreadyexception", ApiErrorKind::Overloaded),
    // Anthropic; Bedrock and other AWS; Vertex and Gemini; Azure and OpenAI.
    (
        r"rate_limit_error|rate[ _-]?limit|throttl(?:ed|ing)|too many (?:requests|tokens)|toomanyrequests|resource_exhausted|quota exceeded|exceeded your current quota|requests? per (?:minute|day)|tokens per (?:minute|day)|servicequotaexceeded",
        ApiErrorKind::RateLimited,
    ),
    (
        r"\bapi_error\b|internal server error|internalservererror|bad gateway|service (?:is )?(?:temporarily )?unavailable|serviceunavailable|gateway time-?out|modelerrorexception|modelstreamerrorexception|modeltimeoutexception|upstream (?:connect )?error|\bunavailable\b.*\b503\b|\b503\b.*\bunavailable\b",
        ApiErrorKind::Server,
    ),
];

static SAID: LazyLock<RegexSet> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "constant patterns, compiled by every test")]
    RegexSet::new(SAYS.iter().map(|(pattern, _)| format!("(?i){pattern}"))).expect("constant patterns")
});

/// How a failed call begins, in Claude Code's words and in those of the SDKs of providers.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix)^[\s⎿│|>*●•⚠✗❌✘✖\u{fe0f}]*(?:\[[^\]]{1,40}\]:?\s*)*(?:
        (?:repeated\s+)?(?:api|claude|anthropic|bedrock|vertex|gemini|openai|azure)\s*(?:api\s+)?error\b
        | (?:[a-z0-9_.]*\s*)?(?:throttlingexception|serviceunavailableexception|internalserverexception|modelnotreadyexception|modelerrorexception|toomanyrequestsexception|servicequotaexceededexception|overloaded_error|rate_limit_error|resource_exhausted)\b
        | (?:error:?\s*)?(?:429|5[0-9]{2})\b
        | (?:http|status)\s*(?:code|error|status)?\s*:?\s*(?:429|5[0-9]{2})\b
        | repeated\s+(?:529|overloaded)
        | \{\s*\x22(?:type|error)\x22\s*:
        )",
    )
});

static STATUS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|[^0-9.])(4[0-9]{2}|5[0-9]{2})(?:[^0-9.]|$)"));

/// `retry after 26 seconds`, `try again in 1m30s`, `"retryDelay": "13s"`, `retry-after: 30`, `in 350ms`.
static RETRY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix)(?:retry[\s_-]*(?:after|delay|in)|(?:try|tried)\s+again\s+(?:in|after)|wait(?:\s+for)?)\b[\x22'\s:=]*(?:about\s+)?
        (?: (?P<minutes>[0-9]{1,4})\s*m(?:in(?:ute)?s?)?\b[\s,]*(?:and\s*)?(?:(?P<seconds>[0-9]{1,4})\s*s)?
          | (?P<m>[0-9]{1,4})m(?P<s>[0-9]{1,4})s
          | (?P<number>[0-9]{1,6}(?:\.[0-9]{1,6})?)\s*(?P<unit>ms|milliseconds?|s|sec(?:ond)?s?|h(?:ours?)?)?\b )",
    )
});

fn regex(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "a constant pattern, compiled by every test")]
    Regex::new(pattern).expect("a constant pattern")
}

/// Bytes of a message that are looked at.
const READ: usize = 4096;

/// The error that a status tells, and else its words.
fn classify(status: Option<u64>, text: &str) -> Option<ApiError> {
    use ApiErrorKind::{Overloaded, RateLimited, Server};
    let said = SAID.matches(text).iter().next().and_then(|row| SAYS.get(row)).map(|(_, kind)| *kind);
    let kind = match (status, said) {
        (Some(529), _) => Overloaded,
        (Some(429), _) => RateLimited,
        // A service that says what is the matter: overloaded, or throttling.
        (Some(500..=599), said) => said.unwrap_or(Server),
        (None, Some(said)) => said,
        _ => return None,
    };
    let usual = match kind {
        Overloaded => 529,
        RateLimited => 429,
        Server => 500,
    };
    Some(ApiError { kind, status: status.unwrap_or(usual), retry_after: retry_after(text) })
}

/// The error of a result that failed: by `api_error_status`, else by what it says.
#[must_use]
pub fn of_failure(status: &Value, text: &str) -> Option<ApiError> {
    let text = beginning(text);
    if let Some(status) = status.as_u64().or_else(|| status.as_str()?.parse().ok()) {
        return classify(Some(status), text);
    }
    let line = text.lines().find(|line| BEGINS.is_match(line) || SAID.is_match(line))?;
    of_line(line, text)
}

/// The error that a whole text is, where nothing marks it as a failure: only in the words of a failed call.
#[must_use]
pub fn of_text(text: &str) -> Option<ApiError> {
    let text = beginning(text).trim();
    let first = text.lines().next().unwrap_or_default();
    (text.lines().count() <= 12 && BEGINS.is_match(first)).then(|| of_line(first, text)).flatten()
}

fn of_line(line: &str, text: &str) -> Option<ApiError> {
    let status = STATUS.captures(line).and_then(|found| found.get(1)?.as_str().parse().ok());
    match status {
        // Whatever a refusal of another kind says of limits, it is none of these.
        Some(400..=428 | 430..=499) => None,
        status => classify(status, text),
    }
}

fn beginning(text: &str) -> &str {
    let end = (0..=READ.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// Seconds to wait, rounded up; a bare number is of seconds.
fn retry_after(text: &str) -> Option<u64> {
    let found = RETRY.captures(text)?;
    let whole = |name: &str| found.name(name)?.as_str().parse::<u64>().ok();
    if let Some(minutes) = whole("minutes").or(whole("m")) {
        return Some(minutes * 60 + whole("seconds").or(whole("s")).unwrap_or(0));
    }
    let number: f64 = found.name("number")?.as_str().parse().ok()?;
    let unit = found.name("unit").map_or("s", |unit| unit.as_str()).to_ascii_lowercase();
    let seconds = match unit.as_str() {
        unit if unit.starts_with('m') => number / 1000.0,
        unit if unit.starts_with('h') => number * 3600.0,
        _ => number,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most six digits")]
    Some(seconds.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ApiErrorKind::{Overloaded, RateLimited, Server};
    use serde_json::json;

    fn short(error: Option<ApiError>) -> Option<(ApiErrorKind, u64, Option<u64>)> {
        error.map(|error| (error.kind, error.status, error.retry_after))
    }

    #[test]
    fn failed_calls_of_many_providers() {
        for (text, kind, status, retry_after) in [
            (
                "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
                Overloaded,
                529,
                None,
            ),
            ("API Error: Repeated 529 Overloaded errors", Overloaded, 529, None),
            ("API Error (529): Overloaded. https://docs.example.invalid", Overloaded, 529, None),
            ("API Error: Overloaded", Overloaded, 529, None),
            (
                "API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Internal server error\"}}",
                Server,
                500,
                None,
            ),
            ("API Error: 502 Bad Gateway", Server, 502, None),
            ("API Error: 503 upstream connect error or disconnect/reset before headers", Server, 503, None),
            ("API Error: 504 Gateway Timeout", Server, 504, None),
            ("API Error: 520 <html>", Server, 520, None),
            (
                "API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"This request would exceed your organization's rate limit\"}}",
                RateLimited,
                429,
                None,
            ),
            ("API Error: Request rejected (429) · too many requests, retry-after: 30", RateLimited, 429, Some(30)),
            ("API Error: 429 Rate limit reached, try again in 1m30s", RateLimited, 429, Some(90)),
            ("API Error: 429 Please retry after 26 seconds.", RateLimited, 429, Some(26)),
            ("ThrottlingException: Too many requests, please wait before trying again.", RateLimited, 429, None),
            ("API Error (us.anthropic.claude): 429 Too many tokens, please wait before trying again.", RateLimited, 429, None),
            ("API Error: 503 ServiceUnavailableException: Bedrock is unable to process your request.", Server, 503, None),
            ("ModelNotReadyException: the model is loading", Overloaded, 529, None),
            (
                "API Error: 429 [{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"retryDelay\":\"13s\"}]}}]",
                RateLimited,
                429,
                Some(13),
            ),
            ("RESOURCE_EXHAUSTED: Quota exceeded for aiplatform.googleapis.com", RateLimited, 429, None),
            (
                "API Error: 503 {\"error\":{\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}",
                Overloaded,
                503,
                None,
            ),
            (
                "Error: 429 Rate limit reached for gpt in organization on tokens per minute. Please try again in 350ms.",
                RateLimited,
                429,
                Some(1),
            ),
            ("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", Overloaded, 529, None),
            ("429 status code (no body)", RateLimited, 429, None),
        ] {
            let expected = Some((kind, status, retry_after));
            assert_eq!(short(of_failure(&Value::Null, text)), expected, "failed: {text}");
            assert_eq!(short(of_text(text)), expected, "a whole text: {text}");
        }
    }

    #[test]
    fn the_status_of_the_result_counts() {
        for (status, text, expected) in [
            (json!(529), "", Some((Overloaded, 529, None))),
            (json!(429), "Something", Some((RateLimited, 429, None))),
            (json!("503"), "Service unavailable", Some((Server, 503, None))),
            (json!(503), "The model is overloaded, try again in 5 s", Some((Overloaded, 503, Some(5)))),
            (json!(400), "API Error: 400 rate limit", None),
            (json!(401), "overloaded", None),
            (Value::Null, "It went wrong: Overloaded", Some((Overloaded, 529, None))),
        ] {
            assert_eq!(short(of_failure(&status, text)), expected, "{status} {text}");
        }
    }

    #[test]
    fn other_failures_and_prose() {
        for text in [
            "API Error: 400 tool use concurrency",
            "API Error: 401 {\"error\":{\"type\":\"authentication_error\"}}",
            "API Error: 413 request too large, rate limit",
            "API Error: Connection error.",
            "Error: build failed",
            "",
        ] {
            assert_eq!(short(of_failure(&Value::Null, text)), None, "{text}");
        }
        for text in [
            "I made the client retry after 5 seconds on 429 and 529 (overloaded).",
            "Rate limiting is implemented: it answers 429.",
            "Error: build failed with 500 warnings, overloaded",
            "The function is overloaded.",
            &format!("API Error: 529 is what it says.\n{}", "And so on.\n".repeat(20)),
        ] {
            assert_eq!(short(of_text(text)), None, "{text}");
        }
    }
}
