//! HTML comments, wherever they start: at the start of a line or behind its text.

use std::collections::HashMap;

use memchr::memmem;

const START: &[u8] = b"<!--";
const END: &[u8] = b"-->";

/// Finds the ends of comments, front to back, looking at each byte once.
#[derive(Debug)]
pub(super) struct Comments<'a> {
    text: &'a [u8],
    /// The last end found, or that there is none any more.
    end: Result<usize, ()>,
}

impl<'a> Comments<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, end: Ok(0) }
    }

    /// Where the comment ends that reaches out of the line `start..end`, if one does. What is in backticks starts none.
    pub fn reaching_out(&mut self, start: usize, end: usize) -> Option<usize> {
        let line = self.text.get(start..end)?;
        let first = memmem::find(line, START)?;
        let spans = code_spans(line);
        let mut spans = spans.iter().peekable();
        let (mut from, mut found) = (0, Some(first));
        while let Some(comment) = found {
            while let Some(span) = spans.next_if(|span| span.0 < from || span.1 <= comment) {
                from = from.max(if span.0 < from { 0 } else { span.1 });
            }
            match spans.peek() {
                Some(span) if span.0 < comment => from = span.1,
                _ => {
                    let after = self.end_after(start + comment + 2)?;
                    if after > end {
                        return Some(after);
                    }
                    from = after - start;
                }
            }
            found = line.get(from..).and_then(|rest| memmem::find(rest, START)).map(|at| from + at);
        }
        None
    }

    /// The offset behind the first end mark at or behind `from`. `<!-->` is a whole comment.
    fn end_after(&mut self, from: usize) -> Option<usize> {
        if self.end.is_ok_and(|end| end < from + END.len()) {
            let rest = self.text.get(from..).unwrap_or_default();
            self.end = memmem::find(rest, END).map(|at| from + at + END.len()).ok_or(());
        }
        self.end.ok()
    }
}

/// What may be code spans of a line: each row of backticks up to the next row of the same length. One that starts inside
/// another is none.
fn code_spans(line: &[u8]) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| memchr::memchr(b'`', rest)) {
        let start = from + at;
        let length = line.get(start..).unwrap_or_default().iter().take_while(|c| **c == b'`').count();
        from = start + length;
        rows.push((start, from));
    }
    let mut next_of_length = HashMap::new();
    let mut spans = Vec::new();
    for (start, end) in rows.into_iter().rev() {
        if let Some(close) = next_of_length.insert(end - start, end) {
            spans.push((start, close));
        }
    }
    spans.reverse();
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_that_reaches_out_of_its_line() {
        for (text, line_end, expected) in [
            ("a <!-- b\nc -->", 8, Some(14)),
            ("a <!-- b --> c\n-->", 14, None),
            ("<!-- a --> <!-- b\n-->", 17, Some(21)),
            ("`<!--` a\n-->", 8, None),
            ("`a` <!-- `b`\n-->", 12, Some(16)),
            ("` <!-- a\n-->", 8, Some(12)),
            ("`` ` <!-- `` a\n-->", 14, None),
            ("<!-- ` --> ` <!-- b\n-->", 19, Some(23)),
            ("` `` ` <!-- `` a\n-->", 16, Some(20)),
            ("<!--> a\n-->", 7, None),
            ("<!---> a\n-->", 8, None),
            ("<!-- a\nb", 6, None),
        ] {
            assert_eq!(Comments::new(text.as_bytes()).reaching_out(0, line_end), expected, "{text:?}");
        }
    }
}
