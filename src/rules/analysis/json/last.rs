//! The last result of a stream-json file, read from its end: for callers that want nothing else of it.
//!
//! `analyze` needs more (the length in characters, the last rate limit event, whether every line is JSON) and reads it all.

use memchr::{memmem, memrchr};

use super::machine::Machine;
use super::message::Messages;
use super::report::Report;

/// Bytes read first; doubled while the last line does not fit.
const FIRST: u64 = 64 * 1024;

/// The last line that is a whole message of `type: result`. `read` gives the bytes of a range of the file, which is `size`
/// bytes long; only as much of its end is asked for as holds that line, each byte once.
///
/// # Errors
/// Those of `read`.
pub fn last_result<E>(size: u64, mut read: impl FnMut(u64, usize) -> Result<Vec<u8>, E>) -> Result<Option<Report>, E> {
    let (mut start, mut step) = (size, FIRST);
    // The end of the file that is not yet known to hold no result.
    let mut open = Vec::new();
    while start > 0 {
        let length = step.min(start);
        start -= length;
        let mut bytes = read(start, usize::try_from(length).unwrap_or(usize::MAX))?;
        bytes.append(&mut open);
        let mut end = bytes.len();
        loop {
            let newline = bytes.get(..end).and_then(|before| memrchr(b'\n', before));
            if newline.is_none() && start > 0 {
                break;
            }
            let line = bytes.get(newline.map_or(0, |newline| newline + 1)..end).unwrap_or_default();
            if let Some(report) = result_in(line) {
                return Ok(Some(report));
            }
            match newline {
                Some(newline) => end = newline,
                None => return Ok(None),
            }
        }
        bytes.truncate(end);
        open = bytes;
        step = step.saturating_mul(2).min(16 << 20);
    }
    Ok(None)
}

fn result_in(line: &[u8]) -> Option<Report> {
    memmem::find(line, b"\"result\"")?;
    let (mut machine, mut messages) = (Machine::default(), Messages::default());
    machine.feed(line, &mut messages).ok()?;
    if machine.is_inside() || !messages.first_is_result() {
        return None;
    }
    messages.finish().report
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn last(file: &str) -> (Option<String>, usize) {
        let mut asked = 0;
        let found = last_result::<Infallible>(file.len() as u64, |start, length| {
            asked += length;
            let start = usize::try_from(start).unwrap();
            Ok(file.as_bytes()[start..start + length].to_vec())
        });
        (found.unwrap().map(|report| report.text.unwrap_or_default().text), asked)
    }

    #[test]
    fn only_the_end_is_read() {
        let filler = "{\"type\":\"user\",\"message\":\"about the \\\"result\\\"\"}\n".repeat(20_000);
        let result = |text: &str| format!("{{\"type\":\"result\",\"result\":\"{text}\"}}\n");
        let file = format!("{}{filler}{}", result("first"), result("last"));
        assert_eq!(last(&file), (Some("last".to_owned()), 64 * 1024));
        let long = "x".repeat(300_000);
        let (found, asked) = last(&format!("{filler}{}{}", result(&long), &result("cut")[..20]));
        assert_eq!(found.map(|text| text.len()), Some(300_000));
        assert!(asked < 600_000, "{asked}");
    }

    #[test]
    fn where_there_is_none() {
        for file in [
            "",
            "\n\n",
            "{\"type\":\"user\"}\n",
            "{\"type\":\"user\",\"a\":\"result\"}",
            "{\"type\":\"result\",\"res",
            "\"result\"",
        ] {
            assert_eq!(last(file).0, None, "{file}");
        }
        assert_eq!(last("{\"type\":\"result\",\"result\":\"x\"}").0.as_deref(), Some("x"));
        assert_eq!(last("{\"type\":\"result\",\"result\":\"x\"}\r\nTerminated\n").0.as_deref(), Some("x"));
    }
}
