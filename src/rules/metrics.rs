//! Statistics of finished loops, out of `metrics.jsonl`.
//!
//! As Ralph's `ralph-stats`, which is `jq -s`: the mean duration is the sum over all loops divided by their number, in
//! double precision. There one torn line ends the statistics; here it is skipped and counted.

use memchr::memchr;
use serde_json::{Deserializer, Map, Value};

use super::lines::{Line, Lines};
use crate::schema::MAX_SAFE_INTEGER;

/// What the lines add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Loops that finished.
    pub loops: u64,
    /// Those that succeeded.
    pub successful: u64,
    /// The seconds of all of them.
    pub seconds: f64,
    /// Lines that say nothing of a loop: torn, foreign, too long.
    pub skipped: u64,
    /// The calls of all loops whose lines say so.
    pub calls: u64,
    /// The tokens of all loops whose lines say so; `None` where none does.
    pub tokens: Option<u64>,
    /// What they cost, in US dollars, as far as their lines say so; `None` where none does.
    pub cost: Option<f64>,
}

/// What a line says of its loop.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Measures {
    seconds: f64,
    success: bool,
    calls: u64,
    tokens: Option<u64>,
    cost: Option<f64>,
}

/// The sum of two numbers of which there may be none.
fn both<T>(a: Option<T>, b: Option<T>, plus: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(plus(a, b)),
        (a, b) => a.or(b),
    }
}

/// Counts stay what a JavaScript number holds.
fn whole_plus(a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(MAX_SAFE_INTEGER)
}

impl Totals {
    /// Counts a finished loop.
    pub fn add(&mut self, seconds: f64, success: bool) {
        self.loops += 1;
        self.successful += u64::from(success);
        self.seconds += seconds;
    }

    /// These and those of another part of the file.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            loops: self.loops + other.loops,
            successful: self.successful + other.successful,
            seconds: self.seconds + other.seconds,
            skipped: self.skipped + other.skipped,
            calls: whole_plus(self.calls, other.calls),
            tokens: both(self.tokens, other.tokens, whole_plus),
            cost: both(self.cost, other.cost, |a, b| a + b),
        }
    }

    fn measured(&mut self, measures: Measures) {
        let Measures { seconds, success, calls, tokens, cost } = measures;
        self.add(seconds, success);
        self.calls = whole_plus(self.calls, calls);
        self.tokens = both(self.tokens, tokens, whole_plus);
        self.cost = both(self.cost, cost, |a, b| a + b);
    }

    /// Those that did not succeed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.loops - self.successful
    }

    /// The mean of their seconds; 0 without loops. A sum beyond all doubles counts as the largest, as jq prints it.
    #[must_use]
    pub fn average(&self) -> f64 {
        self.of_all(self.seconds.clamp(f64::MIN, f64::MAX))
    }

    /// Those that succeeded in percent, 0 to 100, with two decimals; 0 without loops.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 loops")]
    pub fn success_rate(&self) -> f64 {
        (self.of_all(self.successful as f64) * 10_000.0).round() / 100.0
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 loops")]
    fn of_all(&self, part: f64) -> f64 {
        if self.loops == 0 { 0.0 } else { part / self.loops as f64 }
    }
}

/// Adds up `metrics.jsonl` chunk by chunk.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    totals: Totals,
    lines: Lines,
}

impl Metrics {
    /// Takes the next chunk of the file.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut begun = Totals::default();
        let mut rest: &[u8] = &[];
        self.lines.feed(chunk, |line| add_line(&mut begun, line), |lines| rest = lines);
        self.totals = self.totals.plus(begun);
        add_lines(&mut self.totals, rest);
    }

    /// What all of it adds up to. The last line counts whether or not a line end follows.
    #[must_use]
    pub fn finish(mut self) -> Totals {
        if let Some(line) = self.lines.last() {
            add_line(&mut self.totals, line);
        }
        self.totals
    }
}

/// Adds whole lines. Those that Ralph or this package wrote are told by their form and cost no JSON parser.
fn add_lines(totals: &mut Totals, mut lines: &[u8]) {
    while !lines.is_empty() {
        if let Some((measures, rest)) = usual_line(lines) {
            totals.measured(measures);
            lines = rest;
            continue;
        }
        let (line, rest) = lines.split_at(memchr(b'\n', lines).unwrap_or(lines.len()));
        add_line(totals, Line::Whole(line));
        lines = rest.get(1..).unwrap_or_default();
    }
}

/// Adds a line of any form: JSON objects, usually one. (Where a writer was torn off just before a line end, the next one's
/// object follows on the same line.)
fn add_line(totals: &mut Totals, line: Line<'_>) {
    let Line::Whole(line) = line else {
        totals.skipped += 1;
        return;
    };
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return;
    }
    for object in Deserializer::from_slice(line).into_iter::<Map<String, Value>>() {
        let found = object.ok().and_then(|object| {
            let seconds = object.get("duration")?.as_f64()?;
            let success = object.get("success")?.as_bool()?;
            let count = |key| object.get(key).and_then(Value::as_u64);
            let cost = object.get("cost_usd").and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
            Some(Measures { seconds, success, calls: count("calls").unwrap_or(0), tokens: count("tokens"), cost })
        });
        match found {
            Some(measures) => totals.measured(measures),
            None => totals.skipped += 1,
        }
    }
}

/// A line as `{"timestamp":"…","loop":1,"duration":2,"success":true,"calls":1}`, ours with `"tokens":1` and `"cost_usd":0.1`
/// as well, with or without a blank after colons and commas: what it says, and what follows its line end.
fn usual_line(text: &[u8]) -> Option<(Measures, &[u8])> {
    let text = blank(text.strip_prefix(b"{\"timestamp\":")?);
    let text = blank(timestamp(text)?.strip_prefix(b",")?);
    let (_, text) = digits(blank(text.strip_prefix(b"\"loop\":")?))?;
    let text = blank(text.strip_prefix(b",")?);
    let (seconds, text) = decimal(blank(text.strip_prefix(b"\"duration\":")?))?;
    let text = blank(text.strip_prefix(b",")?);
    let text = blank(text.strip_prefix(b"\"success\":")?);
    let (success, text) = match text.strip_prefix(b"true") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix(b"false")?),
    };
    let text = blank(text.strip_prefix(b",")?);
    let (calls, mut text) = digits(blank(text.strip_prefix(b"\"calls\":")?))?;
    let mut measures = Measures { seconds, success, calls, tokens: None, cost: None };
    if let Some(tokens) = member(text, b"\"tokens\":") {
        let (tokens, rest) = digits(tokens)?;
        (measures.tokens, text) = (Some(tokens), rest);
    }
    if let Some(cost) = member(text, b"\"cost_usd\":") {
        let (cost, rest) = decimal(cost)?;
        (measures.cost, text) = (Some(cost), rest);
    }
    Some((measures, text.strip_prefix(b"}\n")?))
}

/// The value of the next member, where it has this name.
fn member<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    Some(blank(blank(text.strip_prefix(b",")?).strip_prefix(name)?))
}

fn blank(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

/// A string of 20 (`…Z`) or 25 (`…+00:00`) plain characters in quotes.
fn timestamp(text: &[u8]) -> Option<&[u8]> {
    fn quoted<const N: usize>(text: &[u8]) -> Option<&[u8]> {
        let (quoted, rest) = text.split_first_chunk::<N>()?;
        let plain = quoted.iter().fold(true, |plain, &byte| plain & matches!(byte, b'+'..=b':' | b'T' | b'Z'));
        if plain { rest.strip_prefix(b"\"") } else { None }
    }
    let text = text.strip_prefix(b"\"")?;
    quoted::<25>(text).or_else(|| quoted::<20>(text))
}

/// A whole number of at most 15 digits, as JSON writes it.
fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    let leading_zero = length > 1 && text.first() == Some(&b'0');
    if (1..=15).contains(&length) && !leading_zero { text.get(length..).map(|rest| (value, rest)) } else { None }
}

/// A number with at most nine decimals.
#[expect(clippy::cast_precision_loss, reason = "15 digits are exact in a double")]
fn decimal(text: &[u8]) -> Option<(f64, &[u8])> {
    let (whole, text) = digits(text)?;
    let Some(decimals) = text.strip_prefix(b".") else {
        // An exponent, if any, is for the JSON parser.
        return Some((whole as f64, text));
    };
    let length = decimals.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let scale = 10_u64.pow(u32::try_from(length).ok().filter(|length| (1..=9).contains(length))?);
    let (fraction, rest) = decimals.split_at(length);
    let fraction = fraction.iter().fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
    if whole > MAX_SAFE_INTEGER / scale - 1 {
        return None;
    }
    // Both sides are exact, so the quotient is the double nearest to the decimal number, as a parser has it.
    Some(((whole * scale + fraction) as f64 / scale as f64, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn totals(text: &str) -> Totals {
        let mut metrics = Metrics::default();
        metrics.feed(text.as_bytes());
        metrics.finish()
    }

    fn line(duration: &str, success: &str) -> String {
        format!(
            "{{\"timestamp\":\"2026-03-01T10:20:30+00:00\",\"loop\":1,\"duration\":{duration},\"success\":{success},\"calls\":1}}\n"
        )
    }

    #[test]
    fn loops_are_counted_and_averaged() {
        let text = [line("10", "true"), line("20", "false"), line("0.5", "true")].concat();
        let totals = totals(&text);
        assert_eq!(totals, Totals { loops: 3, successful: 2, seconds: 30.5, calls: 3, ..Totals::default() });
        assert_eq!((totals.failed(), totals.average(), totals.success_rate()), (1, 30.5 / 3.0, 66.67));
        assert_eq!((Totals::default().average(), Totals::default().success_rate()), (0.0, 0.0));
    }

    #[test]
    fn bad_lines_are_skipped_and_counted() {
        let good = line("10", "true");
        let rows: &[(&str, u64, u64)] = &[
            ("", 0, 0),
            ("\n \n\r\n\t\n", 0, 0),
            ("{\"timestamp\":\"2026-03\n", 0, 1),
            ("{\"foo\":1}\n", 0, 1),
            ("[1]\n", 0, 1),
            ("null\n", 0, 1),
            ("\0\0\0\n", 0, 1),
            ("{\"duration\":\"5\",\"success\":true}\n", 0, 1),
            ("{\"duration\":5,\"success\":\"true\"}\n", 0, 1),
            ("{\"duration\":5}\n", 0, 1),
            ("{\"success\":true}\n", 0, 1),
            ("{\"duration\":1e999,\"success\":true}\n", 0, 1),
            ("{\"success\": false, \"duration\": -5, \"extra\": [1]}\r\n", 1, 0),
            ("\u{feff}{\"success\": true, \"duration\": 1e2}", 1, 0),
        ];
        for (text, loops, skipped) in rows {
            let found = totals(&format!("{text}{}", if text.ends_with('\n') || text.is_empty() { &good } else { "" }));
            let more = u64::from(text.ends_with('\n') || text.is_empty());
            assert_eq!((found.loops, found.skipped), (loops + more, *skipped), "{text:?}");
        }
        let torn = good.trim_end();
        assert_eq!(totals(&format!("{torn}{good}")).loops, 2);
        let found = totals(&format!("{torn}{}", &good[..40]));
        assert_eq!((found.loops, found.skipped), (1, 1));
        let endless = "x".repeat(super::super::lines::LONGEST_LINE + 1);
        assert_eq!(totals(&endless).skipped, 1);
    }

    /// Every line read by the JSON parser, as [`add_lines`] would without its short cut.
    fn slowly(text: &str) -> Totals {
        let mut totals = Totals::default();
        for line in text.split('\n') {
            add_line(&mut totals, Line::Whole(line.as_bytes()));
        }
        totals
    }

    #[test]
    fn the_usual_lines_need_no_parser() {
        for text in [
            line("437", "true"),
            line("12.345", "false"),
            line("7", "true").replace(':', ": ").replace("10: 20: 30+00: 00", "10:20:30Z").replace(',', ", "),
            line("7", "true").replace("1}", "1,\"tokens\":1800,\"cost_usd\":0.012345}"),
            line("7", "true").replace("1}", "2,\"tokens\":0}"),
            line("7", "true").replace("1}", "2, \"cost_usd\": 3}"),
        ] {
            let (measures, rest) = usual_line(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            let mut fast = Totals::default();
            fast.measured(measures);
            assert_eq!(slowly(&text), fast, "{text}");
            assert!(rest.is_empty());
        }
    }

    proptest! {
        #[test]
        fn the_short_cut_answers_what_the_parser_does(
            whole in prop_oneof![0u64..100_000, any::<u64>()],
            decimals in "(|\\.[0-9]{0,5}|e3|\\.5e1)",
            success in prop::sample::select(vec!["true", "false", "null", "trues", "\"true\""]),
            calls in prop::sample::select(vec!["1", "0", "01", "-1", "2.5", ""]),
            stamp in prop::sample::select(vec!["2026-03-01T10:20:30+00:00", "2026-03-01T10:20:30Z", "2026-03-01T10:20:3\"Z", "x", "2026-03-01T10:20:30\\u0Z"]),
            spaced in any::<bool>(),
            more in prop::sample::select(vec!["", ",\"tokens\":12", ",\"tokens\":-1", ",\"cost_usd\":0.1234567", ",\"tokens\":9,\"cost_usd\":12.5", ",\"cost_usd\":-2", ",\"cost_usd\":1e2", ",\"x\":1", ",\"tokens\":null"]),
            tail in prop::sample::select(vec!["\n", "", " \n", "\r\n", "}\n", "\n\n"]),
        ) {
            let blank = if spaced { " " } else { "" };
            let text = format!("{{\"timestamp\":{blank}\"{stamp}\",{blank}\"loop\":{blank}1,{blank}\"duration\":{blank}{whole}{decimals},{blank}\"success\":{blank}{success},{blank}\"calls\":{blank}{calls}{more}}}{tail}");
            let mut fast = Totals::default();
            add_lines(&mut fast, text.as_bytes());
            prop_assert_eq!(fast, slowly(&text), "{}", text);
        }

        #[test]
        fn totals_do_not_depend_on_chunks(cut in 0usize..300) {
            let text = [line("10", "true"), "{torn\n".into(), line("20.25", "false"), line("30", "true")].concat();
            let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
            let mut metrics = Metrics::default();
            metrics.feed(first);
            metrics.feed(second);
            prop_assert_eq!(metrics.finish(), Totals { loops: 3, successful: 2, seconds: 60.25, skipped: 1, calls: 3, ..Totals::default() });
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut metrics = Metrics::default();
            metrics.feed(&bytes);
            let totals = metrics.finish();
            prop_assert!(totals.successful <= totals.loops);
        }
    }
}
