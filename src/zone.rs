//! The time zone of "local": a value, so that rules and tests need no process-wide setting.

use chrono::{DateTime, FixedOffset, Local, LocalResult, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;

/// Where local time is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The zone that the operating system is set to.
    System,
    /// A zone of the IANA database.
    Named(Tz),
    /// Always so far from UTC.
    Fixed(FixedOffset),
}

impl Zone {
    /// The zone that `TZ` names, as the C library reads it: unset is the system's, empty is UTC, a leading colon is
    /// skipped, and so is the folder of the zone files. What is no name of the IANA database (`EST5EDT4,M3...`) is left to the system.
    #[must_use]
    pub fn from_tz_variable(value: Option<&str>) -> Self {
        match value.map(|name| name.strip_prefix(':').unwrap_or(name)) {
            None => Self::System,
            Some("") => Self::Named(Tz::UTC),
            Some(name) => {
                let name = name.split_once("/zoneinfo/").map_or(name, |(_, name)| name);
                name.parse().map_or(Self::System, Self::Named)
            }
        }
    }

    /// An instant on this zone's clock.
    #[must_use]
    pub fn at(&self, instant: DateTime<Utc>) -> DateTime<FixedOffset> {
        match self {
            Self::System => instant.with_timezone(&Local).fixed_offset(),
            Self::Named(zone) => {
                let local = instant.with_timezone(zone);
                local.with_timezone(&local.offset().fix())
            }
            Self::Fixed(offset) => instant.with_timezone(offset),
        }
    }

    /// The instants at which this zone's clock shows a time: none in spring's gap, two in autumn's overlap.
    #[must_use]
    pub fn instants(&self, shown: NaiveDateTime) -> Vec<DateTime<Utc>> {
        fn list<Z: TimeZone>(found: LocalResult<DateTime<Z>>) -> Vec<DateTime<Utc>> {
            match found {
                LocalResult::None => Vec::new(),
                LocalResult::Single(one) => vec![one.with_timezone(&Utc)],
                LocalResult::Ambiguous(first, second) => vec![first.with_timezone(&Utc), second.with_timezone(&Utc)],
            }
        }
        match self {
            Self::System => list(Local.from_local_datetime(&shown)),
            Self::Named(zone) => list(zone.from_local_datetime(&shown)),
            Self::Fixed(offset) => list(offset.from_local_datetime(&shown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tz_is_read_as_the_c_library_reads_it() {
        for (value, zone) in [
            (None, Zone::System),
            (Some(""), Zone::Named(Tz::UTC)),
            (Some(":Asia/Kolkata"), Zone::Named(Tz::Asia__Kolkata)),
            (Some("Australia/Eucla"), Zone::Named(Tz::Australia__Eucla)),
            (Some("/usr/share/zoneinfo/Europe/Berlin"), Zone::Named(Tz::Europe__Berlin)),
            (Some("XYZ5"), Zone::System),
        ] {
            assert_eq!(Zone::from_tz_variable(value), zone, "{value:?}");
        }
    }

    #[test]
    fn the_overlap_shows_two_instants_and_the_gap_none() {
        let zone = Zone::Named(Tz::America__New_York);
        let shown = |text: &str| text.parse::<NaiveDateTime>().expect("a time");
        assert_eq!(zone.instants(shown("2026-11-01T01:30:00")).len(), 2);
        assert_eq!(zone.instants(shown("2026-03-08T02:30:00")).len(), 0);
        assert_eq!(zone.instants(shown("2026-07-01T12:00:00")).len(), 1);
    }
}
