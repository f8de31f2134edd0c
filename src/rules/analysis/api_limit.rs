//! Plan limits of Claude Code: the sentences it has used since 2025, and its `rate_limit_event`.
//!
//! A limit is a line that begins with such a sentence and says nothing else but when it ends or what to do about it.
//! Prose that mentions limits is none.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use regex::Regex;
use serde_json::Value;

use super::reset_time;
use crate::words;
use crate::zone::Zone;

words! {
    /// Which limit of the plan was reached.
    ApiLimitKind {
        /// That of the five-hour session.
        FiveHour = "five_hour",
        /// That of the week.
        Weekly = "weekly",
        /// A usage limit that the message does not name further.
        Usage = "usage",
        /// Extra usage that is paid for, or its spending limit.
        ExtraUsage = "extra_usage",
    }
}

/// A limit that ended the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiLimit {
    /// Which.
    pub kind: ApiLimitKind,
    /// The sentence, or what the event says.
    pub message: String,
    /// When it ends; `None` where no time is named.
    pub resets_at: Option<DateTime<Utc>>,
    /// The zone that the message names, where it is none we know: `resets_at` is then told in local time.
    pub unknown_zone: Option<String>,
}

/// Marks and a log's labels that Claude Code, terminals and loggers put before a message; `API Error: 429 …` and
/// `API Error: Request rejected (429) · …` are Claude Code's own (2026).
const LEAD: &str = r"^[\s\u{200b}⎿│>*●•⚠✗❌✘✖\u{fe0f}]*(?:\[[^\]]{1,40}\]:?\s*)*(?:(?:API |Claude )?Error:\s*(?:(?:Request rejected \(429\)|429)\s*[·∙•:-]?\s*)?)?";

/// The sentences, each a whole one.
const SENTENCES: &[&str] = &[
    // 2025: `Claude AI usage limit reached|1760004000`, `Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).`
    r"(?:Claude (?:AI |Code |Pro |Max )?)?usage limit reached",
    // 2025: `5-hour limit reached ∙ resets 3pm`, `Opus weekly limit reached ∙ resets Oct 24`, `Session limit reached`, `Limit reached · resets 5pm`
    r"(?:5|five)[- ]hour limit reached",
    r"(?:[A-Z][A-Za-z0-9.]* )?weekly limit reached",
    r"(?:(?:session|plan|daily|monthly|opus|sonnet|haiku) )?limit reached",
    // 2026: `You've hit your limit · resets 5pm (Europe/Vilnius)`, `… your org's monthly usage limit`, `… your weekly limit for Opus`
    r"you(?:['’]ve| have) (?:hit|reached|exceeded) your (?:OWNER['’]s )?(?:LIMIT )?limit(?: for MODEL(?: messages)?)?",
    // `Your usage limit has been reached`
    r"your (?:LIMIT )?limit (?:for MODEL )?(?:has been|was) (?:hit|reached|exceeded)",
    r"your OWNER(?:['’]s)? (?:has )?(?:hit|reached|exceeded) its (?:LIMIT )?limit",
    r"your OWNER['’]s (?:LIMIT )?limit (?:has been|was) (?:hit|reached|exceeded)",
    r"(?:spending (?:cap|limit)|monthly spend limit) reached",
    // 2026: `You're out of extra usage · resets 9pm`
    r"you(?:['’]re| are) (?:now )?out of (?:extra usage|usage credits|credits)",
];

/// What the capital words in `SENTENCES` stand for: who has a plan, what a limit is of, what Claude's models are called.
const WORDS: &[(&str, &str)] = &[
    ("OWNER", r"(?:org|organization|organisation|team|account|plan|workspace|company)"),
    (
        "LIMIT",
        r"(?:(?:current )?(?:claude|claude code|opus|sonnet|haiku|fable|[a-z]+ [0-9.]+|usage|plan|session|5-hour|five-hour|daily|weekly|monthly|(?:daily|weekly|monthly) (?:usage|spend|spending)|spend|spending|extra usage|[a-z]+ weekly|weekly [a-z]+))",
    ),
    ("MODEL", r"(?:claude|opus|sonnet|haiku|fable)(?: [0-9.]{1,5})?"),
];

/// What may follow a sentence: nothing, when it ends, or what to do.
const FOLLOWS: &str = r"(?:\s*[.!]?\s*$|\s*\|\s*[0-9]{9,13}\s*$|[\s.,;:!·∙•|()—–-]*(?:/[a-z-]+\b|it\s+resets\b|resets?\b|(?:your|the|claude['’]s)?\s*limits?\s+(?:will\s+)?resets?\b|try\s+again\b|please\s+try\b|please\s+wait\b|upgrade\b|to\s+increase\b|contact\s+your\s+admin))";

static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    let sentences = WORDS.iter().fold(SENTENCES.join("|"), |pattern, (word, meaning)| pattern.replace(word, meaning));
    #[expect(clippy::expect_used, reason = "a constant pattern, compiled by every test")]
    Regex::new(&format!("(?i){LEAD}(?P<sentence>{sentences}){FOLLOWS}")).expect("a constant pattern")
});

/// Which limit a sentence speaks of: the first row with one of its words.
const KINDS: &[(&[&str], ApiLimitKind)] = &[
    (&["extra usage", "credits", "spend"], ApiLimitKind::ExtraUsage),
    (&["week"], ApiLimitKind::Weekly),
    (&["hour", "session"], ApiLimitKind::FiveHour),
];

/// Characters of a message that are kept.
const MESSAGE: usize = 300;

/// How long ago a time of day may have passed to be meant, not tomorrow's (case S7). A window of five hours cannot end in 24;
/// of a week's the next time counts; where the limit is not named it may be either.
fn just_passed(kind: ApiLimitKind) -> Duration {
    match kind {
        ApiLimitKind::FiveHour => Duration::hours(5),
        ApiLimitKind::Weekly => Duration::zero(),
        ApiLimitKind::Usage | ApiLimitKind::ExtraUsage => Duration::minutes(15),
    }
}

/// The limit that the last of these lines to name one names. One inside a code block is quoted, and one before a status block
/// ended nothing.
pub fn in_lines<'a>(lines: impl DoubleEndedIterator<Item = &'a [u8]>, now: DateTime<Utc>, zone: Zone) -> Option<ApiLimit> {
    let mut in_code = false;
    for line in lines.rev() {
        let line = String::from_utf8_lossy(line);
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            in_code = !in_code;
        } else if in_code {
        } else if line.contains("RALPH_STATUS---") {
            return None;
        } else if let Some(limit) = in_line(&line, now, zone) {
            return Some(limit);
        }
    }
    None
}

/// The limit that a line names.
#[must_use]
pub fn in_line(line: &str, now: DateTime<Utc>, zone: Zone) -> Option<ApiLimit> {
    let found = LIMIT.captures(line)?;
    let sentence = found.name("sentence")?;
    let said = sentence.as_str().to_lowercase();
    let kind = KINDS.iter().find(|(words, _)| words.iter().any(|word| said.contains(word))).map(|(_, kind)| *kind);
    let kind = kind.unwrap_or(ApiLimitKind::Usage);
    let after = line.get(sentence.end()..).unwrap_or_default();
    let reset = reset_time::named_in(after, now, zone, just_passed(kind));
    Some(ApiLimit {
        kind,
        message: line.get(sentence.start()..).unwrap_or_default().trim().chars().take(MESSAGE).collect(),
        resets_at: reset.as_ref().map(|reset| reset.at),
        unknown_zone: reset.and_then(|reset| reset.unknown_zone),
    })
}

/// `rateLimitType` of an event. One without a type is of the five-hour window, as bash takes it.
const TYPES: &[(&str, ApiLimitKind)] =
    &[("five_hour", ApiLimitKind::FiveHour), ("seven_day", ApiLimitKind::Weekly), ("overage", ApiLimitKind::ExtraUsage)];

/// The limit that the `rate_limit_info` of an event tells, where its status is `rejected`.
#[must_use]
pub fn in_event(info: &Value) -> Option<ApiLimit> {
    if info.get("status")? != "rejected" {
        return None;
    }
    let named = info.get("rateLimitType").and_then(Value::as_str);
    let kind = match named {
        None => ApiLimitKind::FiveHour,
        Some(named) => TYPES.iter().find(|(prefix, _)| named.starts_with(prefix)).map_or(ApiLimitKind::Usage, |(_, kind)| *kind),
    };
    let resets_at = info.get("resetsAt").and_then(reset_time::of_value);
    let message = format!("rate_limit_event: {} limit rejected", named.unwrap_or("five_hour"));
    Some(ApiLimit { kind, message: message.chars().take(MESSAGE).collect(), resets_at, unknown_zone: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn limit(line: &str) -> Option<(ApiLimitKind, Option<String>)> {
        let now = "2026-03-04T12:30:00Z".parse().unwrap();
        in_line(line, now, Zone::named("America/New_York").expect("a zone"))
            .map(|limit| (limit.kind, limit.resets_at.map(|at| at.format("%m-%dT%H:%M").to_string())))
    }

    #[test]
    fn sentences_past_and_present() {
        use ApiLimitKind::{ExtraUsage, FiveHour, Usage, Weekly};
        for (line, kind, resets_at) in [
            ("You've hit your limit · resets 5pm (Europe/Vilnius)", Usage, Some("03-04T15:00")),
            ("You’ve hit your limit · resets 2pm (Europe/Vilnius)", Usage, Some("03-05T12:00")),
            ("Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).", Usage, Some("03-05T10:00")),
            (
                "API Error: Request rejected (429) · Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).",
                Usage,
                Some("03-05T10:00"),
            ),
            ("Claude AI usage limit reached|1772660000", Usage, Some("03-04T21:33")),
            ("Claude AI usage limit reached · resets 1pm (Australia/Sydney)", Usage, Some("03-05T02:00")),
            ("You're out of extra usage · resets 9pm", ExtraUsage, Some("03-05T02:00")),
            ("5-hour limit reached ∙ resets 3pm", FiveHour, Some("03-04T20:00")),
            (" ⎿  5-hour limit reached ∙ resets 18:00", FiveHour, Some("03-04T23:00")),
            ("5-hour limit reached, resets at 6pm", FiveHour, Some("03-04T23:00")),
            ("Session limit reached ∙ resets 3am", FiveHour, Some("03-04T08:00")),
            ("You've hit your session limit · resets 12:50am (America/Los_Angeles)", FiveHour, Some("03-04T08:50")),
            ("Weekly limit reached ∙ resets Oct 6 at 2pm", Weekly, Some("10-06T18:00")),
            ("Opus weekly limit reached ∙ resets Oct 31, 9am", Weekly, Some("10-31T13:00")),
            ("You've hit your weekly limit · resets Aug 16 at 1am (Asia/Tokyo)", Weekly, Some("08-15T16:00")),
            ("You've hit your weekly limit - resets Fri 12:00am", Weekly, Some("03-06T05:00")),
            ("You've reached your weekly limit. It resets Friday at 5pm.", Weekly, Some("03-06T22:00")),
            ("You've hit your limit for Claude messages. Limits will reset at 9:30 AM.", Usage, Some("03-04T14:30")),
            ("You've hit your Opus limit · resets 3pm", Usage, Some("03-04T20:00")),
            ("You've hit your monthly spend limit", ExtraUsage, None),
            ("You've hit your usage limit", Usage, None),
            ("Limit reached · resets 5pm · /upgrade to Max", Usage, Some("03-04T22:00")),
            ("You've hit your org's monthly usage limit", Usage, None),
            ("You’ve reached your organization’s spend limit.", ExtraUsage, None),
            ("Your team's weekly limit has been reached · resets 3pm", Weekly, Some("03-04T20:00")),
            ("You've reached your weekly limit for Opus · resets 3pm", Weekly, Some("03-04T20:00")),
            ("You've hit your limit for Opus 4.6 · resets 3pm", Usage, Some("03-04T20:00")),
            ("Your usage limit has been reached", Usage, None),
            ("Your weekly usage limit has been reached. It resets Friday at 5pm.", Weekly, Some("03-06T22:00")),
            ("API Error: 429 You've hit your limit · resets 5pm (UTC)", Usage, Some("03-04T17:00")),
            ("[ERROR] Claude AI usage limit reached|1773160000", Usage, Some("03-10T16:26")),
            ("[2026-03-04 12:00:00] [ERROR] You've hit your limit · resets 5pm (UTC)", Usage, Some("03-04T17:00")),
            ("Error: Claude usage limit reached. Try again in 2 hours.", Usage, Some("03-04T14:30")),
        ] {
            assert_eq!(limit(line), Some((kind, resets_at.map(str::to_owned))), "{line}");
        }
    }

    /// Case S7: `resets 3pm`, seen when it has just passed, by limit.
    #[test]
    fn a_window_of_five_hours_does_not_end_tomorrow() {
        for (sentence, minutes, expected) in [
            ("5-hour limit reached ∙ resets 3pm", 0, "03-04T15:00"),
            ("5-hour limit reached ∙ resets 3pm", 9, "03-04T15:00"),
            ("You've hit your session limit · resets 3pm (UTC)", 9, "03-04T15:00"),
            ("Session limit reached ∙ resets 3pm", 120, "03-04T15:00"),
            ("You've hit your weekly limit · resets 3pm", 9, "03-05T15:00"),
            ("Opus weekly limit reached ∙ resets 3pm", 0, "03-05T15:00"),
            ("You've hit your limit · resets 3pm (UTC)", 9, "03-04T15:00"),
            ("You've hit your limit · resets 3pm (UTC)", 16, "03-05T15:00"),
        ] {
            let now = "2026-03-04T15:00:20Z".parse::<DateTime<Utc>>().unwrap() + Duration::minutes(minutes);
            let found = in_line(sentence, now, Zone::utc()).and_then(|limit| limit.resets_at);
            assert_eq!(found.map(|at| at.format("%m-%dT%H:%M").to_string()).as_deref(), Some(expected), "{sentence} + {minutes}");
        }
    }

    #[test]
    fn prose_that_mentions_limits_is_none() {
        for line in [
            "We allow 5 uploads per hour as a limit",
            "The message is \"5-hour limit reached ∙ resets 3pm\".",
            "- `You've hit your limit · resets 5pm` is now recognized",
            "5-hour limit reached messages are parsed",
            "Usage limit reached handling was added",
            "Approaching 5-hour limit",
            "5-hour limit resets 17:00 - continuing with extra usage",
            "You've hit your work limit — time to wind down",
            "You've hit your request limit. Please try again in 5 seconds.",
            "API Error: 429 rate limit",
            "Rate limit reached",
            "Your usage limit has been reached is what the banner says",
            "You've reached your weekly limit for Opus users in the table",
            "Your code's line limit has been reached",
            "[ERROR] Claude AI usage limit reached is now parsed",
            "API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}",
        ] {
            assert_eq!(limit(line), None, "{line}");
        }
    }

    #[test]
    fn events() {
        let event = |info| in_event(&info).map(|limit| (limit.kind.as_str(), limit.resets_at.map(|at| at.timestamp())));
        assert_eq!(
            event(json!({"status": "rejected", "resetsAt": 1_772_660_000, "rateLimitType": "five_hour"})),
            Some(("five_hour", Some(1_772_660_000)))
        );
        assert_eq!(event(json!({"status": "rejected", "rateLimitType": "seven_day_opus"})), Some(("weekly", None)));
        assert_eq!(event(json!({"status": "rejected", "rateLimitType": "overage"})), Some(("extra_usage", None)));
        assert_eq!(event(json!({"status": "rejected"})), Some(("five_hour", None)));
        assert_eq!(event(json!({"status": "allowed_warning", "resetsAt": 1_772_660_000})), None);
        assert_eq!(event(json!({"status": "rejected", "resetsAt": 1e300})), Some(("five_hour", None)));
        assert_eq!(event(json!(null)), None);
    }
}
