//! Lines out of chunks: a file is read piece by piece, whatever its size.

use memchr::memchr;

/// A longer line is no line of ours: it is dropped as it comes in, so that memory stays flat.
pub const LONGEST_LINE: usize = 1 << 20;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its bytes, without the line end.
    Whole(&'a [u8]),
    /// Longer than [`LONGEST_LINE`].
    TooLong,
}

/// The part of a line that the next chunk continues.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    begun: Vec<u8>,
    too_long: bool,
}

impl Lines {
    /// Takes the next chunk: `rest` gets its whole lines at once, each with its line end; `line` gets a line that began in
    /// an earlier chunk.
    pub fn feed<'a>(&mut self, mut chunk: &'a [u8], mut line: impl FnMut(Line<'_>), rest: impl FnOnce(&'a [u8])) {
        if !self.begun.is_empty() || self.too_long {
            let Some(end) = memchr(b'\n', chunk) else {
                self.begin(chunk);
                return;
            };
            let (first, after) = chunk.split_at(end);
            self.begin(first);
            line(if self.too_long { Line::TooLong } else { Line::Whole(&self.begun) });
            self.begun.clear();
            self.too_long = false;
            chunk = after.get(1..).unwrap_or_default();
        }
        let whole = memchr::memrchr(b'\n', chunk).map_or(0, |end| end + 1);
        let (whole, begun) = chunk.split_at(whole);
        rest(whole);
        self.begin(begun);
    }

    /// The last line, where no line end follows it.
    #[must_use]
    pub fn last(&self) -> Option<Line<'_>> {
        match (self.too_long, self.begun.is_empty()) {
            (true, _) => Some(Line::TooLong),
            (false, true) => None,
            (false, false) => Some(Line::Whole(&self.begun)),
        }
    }

    fn begin(&mut self, part: &[u8]) {
        if self.too_long || self.begun.len() + part.len() > LONGEST_LINE {
            self.too_long = true;
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        let text = |line: Line<'_>| match line {
            Line::Whole(bytes) => bytes.to_vec(),
            Line::TooLong => b"too long".to_vec(),
        };
        for chunk in chunks {
            let mut begun = Vec::new();
            let mut whole: &[u8] = &[];
            lines.feed(chunk, |line| begun.push(text(line)), |rest| whole = rest);
            found.extend(begun);
            found.extend(whole.split_inclusive(|byte| *byte == b'\n').map(|line| line.trim_ascii_end().to_vec()));
        }
        found.extend(lines.last().map(text));
        found
    }

    #[test]
    fn a_line_without_end_is_dropped_as_it_comes() {
        let long = vec![b'x'; LONGEST_LINE / 2 + 1];
        let found = all(&[b"a\nb", &long, &long, &long, b"c\nd\n", b"e"]);
        assert_eq!(found, [&b"a"[..], b"too long", b"d", b"e"]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_where_chunks_end(text in "[ab\n]{0,40}", cuts in proptest::collection::vec(0usize..40, 0..5)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                chunks.push(&text.as_bytes()[start..cut]);
                start = cut;
            }
            let expected: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
            prop_assert_eq!(all(&chunks), expected);
        }
    }
}
