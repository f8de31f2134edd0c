//! Statistics of finished loops, out of `ralph.log`: Ralph v0.9 writes no `metrics.jsonl`.
//!
//! A loop reaches from `=== Starting Loop #n ===` to `=== Completed Loop #n ===`; it succeeded where `execution completed
//! successfully` lies between. One that was broken off has no end and does not count.

use chrono::{DateTime, NaiveDateTime, Utc};
use memchr::{memchr, memmem};

use super::lines::{Line, Lines};
use super::metrics::Totals;
use crate::zone::Zone;

const STARTING: &str = "=== Starting Loop #";
const COMPLETED: &str = "=== Completed Loop #";
const SUCCESS: &str = "execution completed successfully";

/// A loop that has begun.
#[derive(Debug)]
struct Begun {
    number: u64,
    at: Vec<DateTime<Utc>>,
    success: bool,
}

/// Adds up a log, its archives first, chunk by chunk.
#[derive(Debug)]
pub struct LoopLog {
    zone: Zone,
    lines: Lines,
    begun: Option<Begun>,
    totals: Totals,
}

impl LoopLog {
    /// A log whose local times are of `zone`.
    #[must_use]
    pub fn new(zone: Zone) -> Self {
        Self { zone, lines: Lines::default(), begun: None, totals: Totals::default() }
    }

    /// Takes the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        let mut rest: &[u8] = &[];
        lines.feed(
            chunk,
            |line| {
                if let Line::Whole(line) = line {
                    self.line(line);
                }
            },
            |whole| rest = whole,
        );
        self.lines = lines;
        while !rest.is_empty() {
            let (line, after) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            self.line(line);
            rest = after.get(1..).unwrap_or_default();
        }
    }

    /// The end of one file; a loop may reach into the next.
    pub fn end_of_file(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if let Some(Line::Whole(line)) = lines.last() {
            self.line(line);
        }
    }

    /// What all of it adds up to.
    #[must_use]
    pub fn finish(mut self) -> Totals {
        self.end_of_file();
        self.totals
    }

    fn line(&mut self, line: &[u8]) {
        if memmem::find(line, SUCCESS.as_bytes()).is_some() {
            if let Some(begun) = &mut self.begun {
                begun.success = true;
            }
        } else if memmem::find(line, b"=== ").is_some() {
            let text = String::from_utf8_lossy(line);
            if let Some((time, number)) = mark(&text, STARTING) {
                self.start(time, number);
            } else if let Some((time, number)) = mark(&text, COMPLETED) {
                self.complete(time, number);
            }
        }
    }

    fn start(&mut self, time: Option<NaiveDateTime>, number: u64) {
        self.begun = None;
        match time {
            Some(time) => self.begun = Some(Begun { number, at: self.instants(time), success: false }),
            None => self.totals.skipped += 1,
        }
    }

    /// An end without a beginning is a line that says nothing.
    fn complete(&mut self, time: Option<NaiveDateTime>, number: u64) {
        let begun = self.begun.take().filter(|begun| begun.number == number);
        let (Some(begun), Some(time)) = (begun, time) else {
            self.totals.skipped += 1;
            return;
        };
        // Of the hour that happens twice: the least time that may have passed.
        let ends = self.instants(time);
        let passed = ends.iter().flat_map(|end| begun.at.iter().map(move |start| *end - *start));
        match passed.filter(|passed| passed.num_seconds() >= 0).min() {
            #[expect(clippy::cast_precision_loss, reason = "dates of four digits: less than 2^53 seconds")]
            Some(passed) => self.totals.add(passed.num_seconds() as f64, begun.success),
            None => self.totals.skipped += 1,
        }
    }

    /// A time in the gap of spring never was; it is taken as in UTC, so that the loop counts.
    fn instants(&self, time: NaiveDateTime) -> Vec<DateTime<Utc>> {
        let instants = self.zone.instants(time);
        if instants.is_empty() { vec![time.and_utc()] } else { instants }
    }
}

/// The time (where it can be read) and the number of a line `[time] [LEVEL] === … Loop #n ===`.
fn mark(line: &str, words: &str) -> Option<(Option<NaiveDateTime>, u64)> {
    let (time, rest) = line.trim().strip_prefix('[')?.split_once("] [")?;
    let (_, message) = rest.split_once("] ")?;
    let number = message.strip_prefix(words)?.strip_suffix(" ===")?;
    let time = NaiveDateTime::parse_from_str(time, "%Y-%m-%d %H:%M:%S").ok();
    Some((time, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn totals(zone: &str, files: &[&str]) -> Totals {
        let mut log = LoopLog::new(Zone::from_tz_variable(Some(zone)));
        for file in files {
            log.feed(file.as_bytes());
            log.end_of_file();
        }
        log.finish()
    }

    const LOG: &str = "[2026-03-01 10:00:00] [LOOP] === Starting Loop #1 ===\n\
        [2026-03-01 10:00:00] [INFO] DEBUG: Exit signals content: {\n  \"done_signals\": []\n}\n\
        [2026-03-01 10:01:00] [SUCCESS] \u{2705} Claude Code execution completed successfully\n\
        [2026-03-01 10:01:05] [LOOP] === Completed Loop #1 ===\n\
        [2026-03-01 10:01:05] [LOOP] === Starting Loop #2 ===\r\n\
        [2026-03-01 10:02:05] [ERROR] \u{274c} Claude Code execution failed, check: logs/x.log\n\
        [2026-03-01 10:02:35] [LOOP] === Completed Loop #2 ===\r\n\
        [2026-03-01 10:02:35] [LOOP] === Starting Loop #3 ===\n";

    #[test]
    fn loops_reach_from_start_to_end() {
        assert_eq!(totals("UTC", &[LOG]), Totals { loops: 2, successful: 1, seconds: 155.0, skipped: 0 });
    }

    #[test]
    fn a_loop_reaches_into_the_next_file() {
        let (first, second) = LOG.split_at(LOG.find("[2026-03-01 10:01:00]").expect("there"));
        assert_eq!(totals("UTC", &[first, second]), totals("UTC", &[LOG]));
        assert_eq!(totals("UTC", &[second]), Totals { loops: 1, successful: 0, seconds: 90.0, skipped: 1 });
    }

    #[test]
    fn broken_off_loops_and_unreadable_marks_do_not_count() {
        for (log, skipped) in [
            (
                "[2026-03-01 10:00:00] [LOOP] === Starting Loop #1 ===\n[2026-03-01 10:09:00] [LOOP] === Completed Loop #2 ===\n",
                1,
            ),
            (
                "[2026-03-01 10:00:00] [LOOP] === Starting Loop #1 ===\n[2026-03-01 09:00:00] [LOOP] === Completed Loop #1 ===\n",
                1,
            ),
            ("[yesterday] [LOOP] === Starting Loop #1 ===\n[2026-03-01 10:00:00] [LOOP] === Completed Loop #1 ===\n", 2),
            ("[2026-03-01 10:00:00] [LOOP] === Starting Loop #1 ===\n", 0),
            (
                "[2026-03-01 10:00:00] [INFO] he said === Starting Loop #1 ===\n[2026-03-01 10:00:00] [LOOP] === Starting Loop #x ===\n",
                0,
            ),
            ("", 0),
        ] {
            assert_eq!(totals("UTC", &[log]), Totals { skipped, ..Totals::default() }, "{log}");
        }
    }

    #[test]
    fn clocks_that_change_in_between_are_taken_into_account() {
        let loop_of =
            |from: &str, to: &str| format!("[{from}] [LOOP] === Starting Loop #1 ===\n[{to}] [LOOP] === Completed Loop #1 ===\n");
        for (from, to, seconds) in [
            // Spring forward: 02:00 is 03:00.
            ("2026-03-29 01:59:00", "2026-03-29 03:01:00", 120.0),
            // Fall back: 03:00 is 02:00, and 02:30 happens twice.
            ("2026-10-25 02:59:00", "2026-10-25 02:01:00", 120.0),
            ("2026-10-25 02:10:00", "2026-10-25 02:20:00", 600.0),
        ] {
            let expected = Totals { loops: 1, successful: 0, seconds, skipped: 0 };
            assert_eq!(totals("Europe/Berlin", &[&loop_of(from, to)]), expected, "{from}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            let mut log = LoopLog::new(Zone::from_tz_variable(Some("UTC")));
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            log.feed(first);
            log.feed(second);
            prop_assert_eq!(log.finish().loops, 0);
        }
    }
}
