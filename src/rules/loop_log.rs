//! Statistics of finished loops, out of `ralph.log`: Ralph v0.9 writes no `metrics.jsonl`.
//!
//! A loop reaches from `=== Starting Loop #n ===` to `=== Completed Loop #n ===`; it succeeded where `execution completed
//! successfully` lies between. One that was broken off has no end and does not count.

use std::collections::VecDeque;

use chrono::{DateTime, NaiveDateTime, Utc};
use memchr::{memchr, memmem};

use super::lines::{Line, Lines};
use super::metrics::Totals;
use crate::zone::Zone;

const STARTING: &str = "=== Starting Loop #";
const COMPLETED: &str = "=== Completed Loop #";
const SUCCESS: &str = "execution completed successfully";
const FAILURE: &str = "execution failed";

/// No more outcomes wait for the end of their loop.
const MOST_OUTCOMES: usize = 1024;

/// No more loops are kept open: the oldest were broken off long ago.
const MOST_OPEN: usize = 64;

/// A loop that has begun.
#[derive(Debug, Clone)]
struct Begun {
    number: u64,
    at: Vec<DateTime<Utc>>,
    /// How many outcomes stood in the log before it.
    outcomes_before: usize,
    /// Whether another loop began or ended meanwhile.
    crossed: bool,
}

/// Adds up a log, its archives first, chunk by chunk.
///
/// Two Ralphs may write one log (S20), so a beginning and an end are paired by number. An outcome has none: where loops
/// cross, each end takes the earliest that no other has taken.
#[derive(Debug, Clone)]
pub struct LoopLog {
    zone: Zone,
    lines: Lines,
    /// By the order of their beginnings.
    open: Vec<Begun>,
    /// The outcomes that no loop has taken, with their place among all.
    outcomes: VecDeque<(usize, bool)>,
    told: usize,
    totals: Totals,
}

impl LoopLog {
    /// A log whose local times are of `zone`.
    #[must_use]
    pub fn new(zone: Zone) -> Self {
        Self { zone, lines: Lines::default(), open: Vec::new(), outcomes: VecDeque::new(), told: 0, totals: Totals::default() }
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
            self.outcome(true);
        } else if memmem::find(line, FAILURE.as_bytes()).is_some() {
            self.outcome(false);
        } else if memmem::find(line, b"=== ").is_some() {
            let text = String::from_utf8_lossy(line);
            if let Some((time, number)) = mark(&text, STARTING) {
                self.start(time, number);
            } else if let Some((time, number)) = mark(&text, COMPLETED) {
                self.complete(time, number);
            }
        }
    }

    fn outcome(&mut self, success: bool) {
        self.told += 1;
        if !self.open.is_empty() {
            self.outcomes.push_back((self.told, success));
            self.outcomes.truncate(MOST_OUTCOMES);
        }
    }

    fn start(&mut self, time: Option<NaiveDateTime>, number: u64) {
        // The same number again: the earlier one was broken off.
        self.open.retain(|begun| begun.number != number);
        let Some(time) = time else {
            self.totals.skipped += 1;
            return;
        };
        self.cross();
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(Begun { number, at: self.instants(time), outcomes_before: self.told, crossed: false });
        self.forget_outcomes();
    }

    /// An end without a beginning is a line that says nothing.
    fn complete(&mut self, time: Option<NaiveDateTime>, number: u64) {
        let begun = self.open.iter().position(|begun| begun.number == number).map(|index| self.open.remove(index));
        let (Some(begun), Some(time)) = (begun, time) else {
            self.totals.skipped += 1;
            return;
        };
        self.cross();
        let success = self.take_outcome(&begun);
        self.forget_outcomes();
        // Of the hour that happens twice: the least time that may have passed.
        let ends = self.instants(time);
        let passed = ends.iter().flat_map(|end| begun.at.iter().map(move |start| *end - *start));
        match passed.filter(|passed| passed.num_seconds() >= 0).min() {
            #[expect(clippy::cast_precision_loss, reason = "dates of four digits: less than 2^53 seconds")]
            Some(passed) => {
                self.totals.add(passed.num_seconds() as f64, success);
                // v0.9 makes one call a loop.
                self.totals.calls += 1;
            }
            None => self.totals.skipped += 1,
        }
    }

    /// Whether a loop succeeded: one that nothing crossed, if it ever did.
    fn take_outcome(&mut self, begun: &Begun) -> bool {
        let first = self.outcomes.partition_point(|(place, _)| *place <= begun.outcomes_before);
        if begun.crossed {
            return self.outcomes.remove(first).is_some_and(|(_, success)| success);
        }
        self.outcomes.drain(first..).any(|(_, success)| success)
    }

    /// Every loop that is open now crosses another.
    fn cross(&mut self) {
        for begun in &mut self.open {
            begun.crossed = true;
        }
    }

    /// What no loop that is open can take goes.
    fn forget_outcomes(&mut self) {
        let needed = self.open.first().map_or(usize::MAX, |oldest| oldest.outcomes_before);
        while self.outcomes.front().is_some_and(|(place, _)| *place <= needed) {
            self.outcomes.pop_front();
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
        assert_eq!(totals("UTC", &[LOG]), Totals { loops: 2, successful: 1, seconds: 155.0, calls: 2, ..Totals::default() });
    }

    #[test]
    fn a_loop_reaches_into_the_next_file() {
        let (first, second) = LOG.split_at(LOG.find("[2026-03-01 10:01:00]").expect("there"));
        assert_eq!(totals("UTC", &[first, second]), totals("UTC", &[LOG]));
        assert_eq!(
            totals("UTC", &[second]),
            Totals { loops: 1, successful: 0, seconds: 90.0, skipped: 1, calls: 1, ..Totals::default() }
        );
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

    /// S20: a log as lines of `minute what`; `+n` begins loop n, `-n` ends it, `ok` and `no` are outcomes.
    fn crossing(script: &str) -> Totals {
        let line = |step: &str| {
            let (minute, what) = step.split_once(' ').expect("a minute and a word");
            let message = match what.split_at(1) {
                ("+", number) => format!("[LOOP] {STARTING}{number} ==="),
                ("-", number) => format!("[LOOP] {COMPLETED}{number} ==="),
                ("o", _) => format!("[SUCCESS] Claude Code {SUCCESS}"),
                _ => format!("[ERROR] Claude Code {FAILURE}, check: logs/x.log"),
            };
            format!("[2026-03-01 10:{minute}:00] {message}\n")
        };
        totals("UTC", &[&script.split(", ").map(line).collect::<String>()])
    }

    #[test]
    fn loops_that_cross_are_paired_by_number() {
        for (script, loops, successful, minutes) in [
            ("00 +1, 01 +2, 02 ok, 03 -1, 04 ok, 05 -2", 2, 2, 7.0),
            ("00 +12, 01 +3, 02 no, 03 ok, 04 -12, 05 -3", 2, 1, 8.0),
            ("00 +1, 01 +2, 03 -2, 05 -1", 2, 0, 7.0),
            ("00 +5, 01 +1, 02 ok, 03 -1, 03 +2, 04 ok, 05 -5, 06 ok, 07 -2", 3, 3, 11.0),
            // One that was broken off keeps nothing from those after it.
            ("00 +5, 01 no, 02 +1, 03 no, 04 ok, 05 -1, 06 +2, 07 ok, 08 -2", 2, 2, 5.0),
            ("00 +1, 01 ok, 05 +1, 06 no, 07 -1", 1, 0, 2.0),
            // Where nothing crosses, one success is enough.
            ("00 +1, 01 no, 02 ok, 03 no, 04 -1", 1, 1, 4.0),
        ] {
            let expected = Totals { loops, successful, seconds: minutes * 60.0, calls: loops, ..Totals::default() };
            assert_eq!(crossing(script), expected, "{script}");
        }
        assert_eq!(crossing("00 +1, 01 +2, 02 -1, 03 -1, 04 -2").skipped, 1);
    }

    #[test]
    fn what_waits_for_an_end_is_bounded() {
        let mut log = LoopLog::new(Zone::from_tz_variable(Some("UTC")));
        for number in 0..10_000 {
            log.feed(format!("[2026-03-01 10:00:00] [LOOP] {STARTING}{number} ===\n{SUCCESS}\n").as_bytes());
        }
        assert!(log.open.len() <= MOST_OPEN && log.outcomes.len() <= MOST_OUTCOMES);
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
            let expected = Totals { loops: 1, seconds, calls: 1, ..Totals::default() };
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
