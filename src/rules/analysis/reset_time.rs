//! When a limit ends: the time that a message names, as the next such instant.

use std::sync::LazyLock;

use chrono::{DateTime, Datelike, Duration, FixedOffset, NaiveDate, NaiveTime, Utc, Weekday};
use regex::{Captures, Regex};

use crate::zone::Zone;

static EPOCH: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*\|\s*([0-9]{9,13})\b"));

/// `resets 5pm (Europe/Vilnius)`, `reset at 9:30 AM`, `resets Oct 6 at 2pm`, `resets Friday at 5pm`, `resets Oct 24`.
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix) \b resets? \b [\s:]* (?:at\s+|on\s+)?
        (?: (?P<weekday> mon|tue|wed|thu|fri|sat|sun )[a-z]* [,\s]+ (?:at\s+)? )?
        (?: (?P<month> jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec )[a-z]*\.? \s+ (?P<day>[0-9]{1,2}) (?:st|nd|rd|th)?
            (?: ,?\s+ (?P<year>20[0-9]{2}) )? \b (?: [,\s]+ (?:at\s+)? )? )?
        (?: (?P<tomorrow> tomorrow ) [,\s]+ (?:at\s+)? )?
        (?: (?: 12\s? )? (?P<name> noon | midnight ) \b
          | (?P<hour>[0-9]{1,2}) (?: :(?P<minute>[0-9]{2}) )? (?: \s? (?P<half>[ap])\.?m\b\.? )? )?
        (?: \s* \( (?P<zone> [A-Za-z][A-Za-z0-9_+:/\ -]{0,40} ) \) )?",
    )
});

/// `resets in 3h 20m`, `try again in 2 hours`.
static SPAN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix) \b (?:resets?|again) \s+ in \s+
        (?: (?P<days>[0-9]{1,3}) \s* d(?:ays?)? [,\s]* )?
        (?: (?P<hours>[0-9]{1,4}) \s* h(?:ours?|rs?)? [,\s]* )?
        (?: (?P<minutes>[0-9]{1,5}) \s* m(?:in(?:ute)?s?)? \b )?",
    )
});

fn regex(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "a constant pattern, compiled by every test")]
    Regex::new(pattern).expect("a constant pattern")
}

/// Seconds since 1970, or milliseconds where they would be past the year 5000.
#[must_use]
pub fn from_epoch(number: f64) -> Option<DateTime<Utc>> {
    let seconds = if number > 1e11 { number / 1000.0 } else { number };
    if !(0.0..1e11).contains(&seconds) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    DateTime::from_timestamp(seconds as i64, 0)
}

/// The instant that an event's `resetsAt` names: a number since 1970, or a time in ISO 8601.
#[must_use]
pub fn of_value(value: &serde_json::Value) -> Option<DateTime<Utc>> {
    let text = value.as_str();
    let written = text.and_then(|text| DateTime::parse_from_rfc3339(text).ok()).map(|time| time.to_utc());
    written.or_else(|| from_epoch(value.as_f64().or_else(|| text?.parse().ok())?))
}

/// When a limit ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// The instant.
    pub at: DateTime<Utc>,
    /// The zone that was named, where it is none we know: local time was taken.
    pub unknown_zone: Option<String>,
}

/// The instant that the text after a limit's sentence names: the next one in the zone it names, else in `local`. A mere time
/// of day that passed less than `just_passed` ago is that instant, not tomorrow's: the sentence was written before it.
#[must_use]
pub fn named_in(text: &str, now: DateTime<Utc>, local: Zone, just_passed: Duration) -> Option<Reset> {
    let certain = |at| Reset { at, unknown_zone: None };
    if let Some(found) = EPOCH.captures(text) {
        return from_epoch(found.get(1)?.as_str().parse().ok()?).map(certain);
    }
    if let Some(span) = SPAN.captures(text).and_then(|found| span(&found)) {
        return now.checked_add_signed(span).map(certain);
    }
    MOMENT.captures_iter(text).find_map(|found| {
        let named = found.name("zone").map(|name| name.as_str().trim());
        let known = named.and_then(zone);
        let at = moment(&found, now, known.unwrap_or(local), just_passed)?;
        Some(Reset { at, unknown_zone: named.filter(|_| known.is_none()).map(str::to_owned) })
    })
}

/// Abbreviations of the zones of the United States, in hours from UTC. `IST` or `BST` mean several zones: they are unknown.
const ABBREVIATIONS: &[(&str, i32)] = &[
    ("Z", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
    ("AKST", -9),
    ("AKDT", -8),
    ("HST", -10),
];

/// `UTC+2`, `GMT-05:30`, `UTC +0200`.
static OFFSET: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^(?:UTC|GMT)\s?(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-5][0-9]))?$"));

/// The zone of a name: of the IANA database, an abbreviation, or an offset.
fn zone(name: &str) -> Option<Zone> {
    let hours = |hours: i32| FixedOffset::east_opt(hours * 3600).map(Zone::Fixed);
    if let Some((_, from_utc)) = ABBREVIATIONS.iter().find(|(short, _)| short.eq_ignore_ascii_case(name)) {
        return hours(*from_utc);
    }
    if let Some(named) = Zone::named(name) {
        return Some(named);
    }
    let found = OFFSET.captures(name)?;
    let part = |name| number(&found, name).and_then(|number| i32::try_from(number).ok());
    let seconds = part("hours")? * 3600 + part("minutes").unwrap_or(0) * 60;
    let seconds = if &found["sign"] == "-" { -seconds } else { seconds };
    // Clocks are at most 14 hours ahead of UTC, and 12 behind.
    (-12 * 3600..=14 * 3600).contains(&seconds).then(|| FixedOffset::east_opt(seconds).map(Zone::Fixed)).flatten()
}

fn number(found: &Captures<'_>, name: &str) -> Option<i64> {
    found.name(name)?.as_str().parse().ok()
}

fn span(found: &Captures<'_>) -> Option<Duration> {
    let part = |name| number(found, name);
    let (days, hours, minutes) = (part("days"), part("hours"), part("minutes"));
    days.or(hours).or(minutes)?;
    Duration::try_minutes((days.unwrap_or(0) * 24 + hours.unwrap_or(0)) * 60 + minutes.unwrap_or(0))
}

fn time(found: &Captures<'_>) -> Option<NaiveTime> {
    if let Some(name) = found.name("name") {
        return NaiveTime::from_hms_opt(if name.as_str().eq_ignore_ascii_case("noon") { 12 } else { 0 }, 0, 0);
    }
    let hour = u32::try_from(number(found, "hour")?).ok()?;
    let minute = u32::try_from(number(found, "minute").unwrap_or(0)).ok()?;
    let hour = match found.name("half").map(|half| half.as_str()) {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some("a" | "A") => hour % 12,
        Some(_) => hour % 12 + 12,
        // A bare number is no time of day.
        None if found.name("minute").is_none() => return None,
        None => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

fn moment(found: &Captures<'_>, now: DateTime<Utc>, zone: Zone, just_passed: Duration) -> Option<DateTime<Utc>> {
    let today = zone.at(now).date_naive();
    let time = time(found);
    let weekday = found.name("weekday").and_then(|name| name.as_str().parse::<Weekday>().ok());
    if let Some(month) = found.name("month") {
        let month = month.as_str().parse::<chrono::Month>().ok()?.number_from_month();
        let day = u32::try_from(number(found, "day")?).ok()?;
        let on = |year| NaiveDate::from_ymd_opt(year, month, day).and_then(|date| instant(date, time, zone, now));
        if let Some(year) = number(found, "year") {
            return on(i32::try_from(year).ok()?).into_iter().next();
        }
        // A date without a year is the next one; one that is hardly past is still this year's.
        return (0..=4).filter_map(|years| on(today.year() + years)).find(|at| *at > now - Duration::days(1));
    }
    if time.is_none() && weekday.is_none() {
        return None;
    }
    let tomorrow = found.name("tomorrow").is_some();
    let not_before = if tomorrow || weekday.is_some() { now } else { now - just_passed };
    let first = if tomorrow { 1 } else { -1 };
    (first..=first + 9)
        .filter_map(|days| today.checked_add_signed(Duration::days(days)))
        .filter(|date| weekday.is_none_or(|weekday| date.weekday() == weekday))
        .filter_map(|date| instant(date, time, zone, not_before))
        .find(|at| *at > not_before)
}

/// When the zone's clock shows the time on that day: of two such instants in autumn the next, in spring's gap what it shows
/// an hour later.
fn instant(date: NaiveDate, time: Option<NaiveTime>, zone: Zone, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let shown = date.and_time(time.unwrap_or(NaiveTime::MIN));
    let instants = zone.instants(shown);
    let next = instants.iter().find(|at| **at > now).or_else(|| instants.last());
    next.copied().or_else(|| zone.instants(shown + Duration::hours(1)).first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn resets(text: &str, now: &str) -> Option<String> {
        let reset = named_in(text, now.parse().unwrap(), Zone::named("America/New_York").expect("a zone"), Duration::zero())?;
        Some(reset.at.format("%Y-%m-%dT%H:%M").to_string())
    }

    #[test]
    fn the_next_such_instant() {
        for (text, now, expected) in [
            (" · resets 5pm", "2026-03-04T21:59:59Z", Some("2026-03-04T22:00")),
            (" · resets 5pm", "2026-03-04T22:00:00Z", Some("2026-03-05T22:00")),
            (" · resets 12am (UTC)", "2026-03-04T12:00:00Z", Some("2026-03-05T00:00")),
            (" · resets 12pm (UTC)", "2026-03-04T12:00:00Z", Some("2026-03-05T12:00")),
            // The clock goes forward at 2 on March 8th.
            (" · resets 2:30am", "2026-03-08T05:00:00Z", Some("2026-03-08T07:30")),
            // It goes back at 3 on October 25th: half past two comes twice.
            (" · resets 2:30am (Europe/Berlin)", "2026-10-24T12:00:00Z", Some("2026-10-25T00:30")),
            (" · resets 2:30am (Europe/Berlin)", "2026-10-25T00:45:00Z", Some("2026-10-25T01:30")),
            (" · resets 2:30am (Europe/Berlin)", "2026-10-25T01:45:00Z", Some("2026-10-26T01:30")),
            (" · resets Oct 25 at 2:30am (Europe/Berlin)", "2026-10-25T00:45:00Z", Some("2026-10-25T01:30")),
            (" · resets noon (UTC)", "2026-03-04T11:00:00Z", Some("2026-03-04T12:00")),
            (" · resets at midnight", "2026-03-04T12:00:00Z", Some("2026-03-05T05:00")),
            (" · resets 12 noon", "2026-03-04T12:00:00Z", Some("2026-03-04T17:00")),
            (" · resets Fri at Midnight (UTC)", "2026-03-04T12:00:00Z", Some("2026-03-06T00:00")),
            (" · resets 5pm (PST)", "2026-03-04T12:00:00Z", Some("2026-03-05T01:00")),
            (" · resets 5pm (pdt)", "2026-03-04T12:00:00Z", Some("2026-03-05T00:00")),
            (" · resets 5pm (EST)", "2026-07-04T12:00:00Z", Some("2026-07-04T22:00")),
            (" · resets 5pm (GMT+2)", "2026-03-04T12:00:00Z", Some("2026-03-04T15:00")),
            (" · resets 5pm (UTC+2)", "2026-03-04T12:00:00Z", Some("2026-03-04T15:00")),
            (" · resets 5pm (UTC-05:30)", "2026-03-04T12:00:00Z", Some("2026-03-04T22:30")),
            (" · resets 5pm (GMT+5:30)", "2026-03-04T11:00:00Z", Some("2026-03-04T11:30")),
            (" · resets 5pm (GMT)", "2026-03-04T12:00:00Z", Some("2026-03-04T17:00")),
            (" · resets 5pm (europe/vilnius)", "2026-03-04T12:00:00Z", Some("2026-03-04T15:00")),
            (" · resets 5pm (GMT+99)", "2026-03-04T12:00:00Z", Some("2026-03-04T22:00")),
            (" · resets Jan 2", "2026-12-30T12:00:00Z", Some("2027-01-02T05:00")),
            (" · resets Jan 2, 2028, 9am", "2026-12-30T12:00:00Z", Some("2028-01-02T14:00")),
            (" · resets Feb 29 at 1pm", "2026-03-04T12:00:00Z", Some("2028-02-29T18:00")),
            (" · resets Wednesday at 5pm", "2026-03-04T23:00:00Z", Some("2026-03-11T21:00")),
            (" · resets tomorrow at 3am", "2026-03-04T06:00:00Z", Some("2026-03-05T08:00")),
            (" · resets in 1d 2h 5m", "2026-03-04T06:00:00Z", Some("2026-03-05T08:05")),
            (" · resets 5pm (Nowhere/Land)", "2026-03-04T12:00:00Z", Some("2026-03-04T22:00")),
            ("|1772660000", "2026-03-04T12:00:00Z", Some("2026-03-04T21:33")),
            ("|1772660000000", "2026-03-04T12:00:00Z", Some("2026-03-04T21:33")),
            (" · resets 25pm", "2026-03-04T12:00:00Z", None),
            (" · resets soon", "2026-03-04T12:00:00Z", None),
            ("", "2026-03-04T12:00:00Z", None),
        ] {
            assert_eq!(resets(text, now).as_deref(), expected, "{text} at {now}");
        }
    }

    /// Case S7.
    #[test]
    fn a_time_that_has_just_passed() {
        let five_hours = Duration::hours(5);
        for (text, now, expected) in [
            (" · resets 3pm (UTC)", "2026-03-04T15:00:00Z", "2026-03-04T15:00"),
            (" · resets 3pm (UTC)", "2026-03-04T15:00:20Z", "2026-03-04T15:00"),
            (" · resets 3pm (UTC)", "2026-03-04T15:09:00Z", "2026-03-04T15:00"),
            (" · resets 3pm (UTC)", "2026-03-04T19:59:59Z", "2026-03-04T15:00"),
            (" · resets 3pm (UTC)", "2026-03-04T20:00:00Z", "2026-03-05T15:00"),
            (" · resets 3pm (UTC)", "2026-03-04T14:59:59Z", "2026-03-04T15:00"),
            (" · resets 11pm (UTC)", "2026-03-05T00:10:00Z", "2026-03-04T23:00"),
            (" · resets 12am (UTC)", "2026-03-05T00:00:01Z", "2026-03-05T00:00"),
            (" · resets midnight (UTC)", "2026-03-05T00:09:00Z", "2026-03-05T00:00"),
            (" · resets 3pm", "2026-03-04T20:09:00Z", "2026-03-04T20:00"),
            // Half past two comes twice; the second has not passed yet.
            (" · resets 2:30am (Europe/Berlin)", "2026-10-25T00:35:00Z", "2026-10-25T00:30"),
            (" · resets Wednesday at 3pm (UTC)", "2026-03-04T15:09:00Z", "2026-03-11T15:00"),
            (" · resets tomorrow at 3pm (UTC)", "2026-03-04T15:09:00Z", "2026-03-05T15:00"),
            (" · resets in 2h", "2026-03-04T15:09:00Z", "2026-03-04T17:09"),
        ] {
            let reset =
                named_in(text, now.parse().unwrap(), Zone::named("America/New_York").expect("a zone"), five_hours).unwrap();
            assert_eq!(reset.at.format("%Y-%m-%dT%H:%M").to_string(), expected, "{text} at {now}");
        }
    }

    #[test]
    fn an_unknown_zone_is_named() {
        for (zone, unknown) in [("Nowhere/Land", true), ("IST", true), ("GMT+99", true), ("PST", false), ("Asia/Tokyo", false)] {
            let reset =
                named_in(&format!(" · resets 5pm ({zone})"), DateTime::UNIX_EPOCH, Zone::utc(), Duration::zero()).unwrap();
            assert_eq!(reset.unknown_zone.as_deref(), unknown.then_some(zone));
        }
    }

    proptest! {
        #[test]
        fn a_time_of_day_is_at_most_a_day_and_an_hour_ahead(
            seconds in 1_700_000_000_i64..1_900_000_000, hour in 1_u32..=12, half in "am|pm"
        ) {
            let now = DateTime::from_timestamp(seconds, 0).unwrap();
            let at = named_in(&format!(" resets {hour}{half} (Europe/Berlin)"), now, Zone::utc(), Duration::zero()).unwrap().at;
            prop_assert!(at > now && at <= now + Duration::hours(25));
        }

        #[test]
        fn nothing_panics(text in ".{0,40}resets? .{0,40}") {
            let _ = named_in(&text, DateTime::UNIX_EPOCH, Zone::utc(), Duration::hours(5));
        }
    }
}
