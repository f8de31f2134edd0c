//! Promises: `<promise>ALL DONE</promise>`, which a prompt may ask for in place of a status block (case S23).
//!
//! What is quoted, shown as code or said not to hold yet is no promise.

use super::negation;

/// Bytes of a promise: a longer one is none.
const LONGEST: usize = 500;
/// How many are kept, the last ones.
const KEPT: usize = 20;

const OPEN: &str = "<promise>";
const CLOSE: &str = "</promise>";

/// Follows the lines of a text that hold a mark of a promise or of a code block.
#[derive(Debug, Clone, Default)]
pub struct PromiseReader {
    /// The fence of the code block that is open.
    fence: Option<&'static str>,
    /// A promise that goes on in the next line.
    open: Option<String>,
    promises: Vec<String>,
}

/// What may be around a promise as a mark of quotation.
const QUOTES: [char; 9] = ['`', '"', '\'', '“', '”', '‘', '’', '«', '»'];

/// Words before a promise that make it no promise: it is spoken of.
const SPOKEN_OF: &[&str] = &["if", "once", "when", "until", "unless", "after", "before", "would", "will", "should"];

impl PromiseReader {
    /// Whether a promise is open, so that the next line matters.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes a line, and what stands before it.
    pub fn line(&mut self, before: &[u8], line: &[u8]) {
        let text = String::from_utf8_lossy(line.get(..8 * LONGEST).unwrap_or(line));
        let bare = text.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) {
            self.open = None;
            self.fence = match self.fence {
                None => Some(mark),
                Some(fence) if fence == mark && bare.trim_start_matches(mark.get(..1).unwrap_or_default()).is_empty() => None,
                same => same,
            };
            return;
        }
        if self.fence.is_some() {
            return;
        }
        let mut rest = text.as_ref();
        if let Some(mut begun) = self.open.take() {
            let (part, end) = rest.split_once(CLOSE).map_or((rest, None), |(part, end)| (part, Some(end)));
            begun.push(' ');
            begun.push_str(part);
            match end {
                Some(end) => {
                    self.take(&begun);
                    rest = end;
                }
                None if begun.len() <= LONGEST => {
                    self.open = Some(begun);
                    return;
                }
                None => return,
            }
        }
        // A quoted line.
        if bare.starts_with('>') {
            return;
        }
        while let Some((lead, after)) = rest.split_once(OPEN) {
            let so_far = text.len() - after.len() - OPEN.len();
            let (said, behind) = after.split_once(CLOSE).map_or((after, None), |(said, behind)| (said, Some(behind)));
            if is_meant(before, text.get(..so_far).unwrap_or(lead), behind.unwrap_or_default()) {
                if behind.is_some() {
                    self.take(said);
                } else if said.len() <= LONGEST {
                    self.open = Some(said.to_owned());
                }
            }
            rest = behind.unwrap_or_default();
        }
    }

    fn take(&mut self, said: &str) {
        let words = normal(said);
        if words.len() <= LONGEST {
            self.promises.push(words);
            let many = self.promises.len().saturating_sub(KEPT);
            self.promises.drain(..many);
        }
    }

    /// At the end of the text: the promises made.
    #[must_use]
    pub fn finish(self) -> Vec<String> {
        self.promises
    }
}

/// The words with one space between them.
#[must_use]
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_meant(before: &[u8], lead: &str, behind: &str) -> bool {
    if lead.trim_end().ends_with(QUOTES) || (behind.starts_with(QUOTES) && lead.contains(QUOTES)) {
        return false;
    }
    // Inside `code` in the same line.
    if lead.matches('`').count() % 2 == 1 {
        return false;
    }
    let joined = [before, b"\n", lead.as_bytes()].concat();
    let from = joined.len().saturating_sub(negation::BEFORE);
    let spoken_of = lead.rsplit(['.', '!', '?', ';', ':']).next().unwrap_or_default().to_lowercase();
    let spoken_of = spoken_of.split(|c: char| !c.is_alphabetic()).any(|word| SPOKEN_OF.contains(&word));
    !spoken_of && !negation::is_negated(joined.get(from..).unwrap_or_default(), OPEN.as_bytes(), behind.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Vec<String> {
        let mut reader = PromiseReader::default();
        let mut before = "";
        for line in text.split('\n') {
            reader.line(before.as_bytes(), line.as_bytes());
            before = line;
        }
        reader.finish()
    }

    #[test]
    fn promises_that_are_made() {
        for text in [
            "<promise>ALL DONE</promise>",
            "Everything works. <promise>ALL DONE</promise>",
            "**<promise>ALL DONE</promise>**",
            "- <promise>ALL DONE</promise>",
            "<promise>\nALL DONE\n</promise>",
            "<promise> ALL\n  DONE </promise> Bye.",
            "Not a single test fails.\n\n<promise>ALL DONE</promise>",
            "I did not change the API.\n<promise>ALL DONE</promise>",
            "```sh\nnpm t\n```\n<promise>ALL DONE</promise>",
            "It said `ok`: <promise>ALL DONE</promise>",
        ] {
            assert_eq!(made(text), ["ALL DONE"], "{text}");
        }
        assert_eq!(made("<promise>A</promise> <promise>B</promise>"), ["A", "B"]);
    }

    #[test]
    fn promises_that_are_not() {
        for text in [
            "",
            "ALL DONE",
            "`<promise>ALL DONE</promise>`",
            "\"<promise>ALL DONE</promise>\"",
            "“<promise>ALL DONE</promise>”",
            "`echo <promise>ALL DONE</promise>`",
            "> <promise>ALL DONE</promise>",
            "```\n<promise>ALL DONE</promise>\n```",
            "~~~text\n<promise>ALL DONE</promise>\n```\n<promise>ALL DONE</promise>\n~~~",
            "I cannot say <promise>ALL DONE</promise> yet.",
            "I can't output <promise>ALL DONE</promise>",
            "I do not yet\nsay <promise>ALL DONE</promise>",
            "Once the tests pass I will say <promise>ALL DONE</promise>",
            "<promise>never closed",
            "<promise>ALL\n```\nDONE</promise>",
        ] {
            assert_eq!(made(text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(made(&format!("<promise>{}</promise>", "x".repeat(600))), Vec::<String>::new());
        assert_eq!(made(&"<promise>x</promise>".repeat(90)).len(), KEPT);
    }
}
