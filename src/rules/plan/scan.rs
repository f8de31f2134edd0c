//! The pass over a plan: which lines count, and what each task of them stands under.

use super::comments::Comments;
use super::fences::{Fences, still_in};
use super::line::{Box, Kind, Level, Line};
use super::outline::{Outline, Spot};

/// The mark that some editors put in front of UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A task as the pass comes upon it.
#[derive(Debug)]
pub(super) struct Sight<'a> {
    pub found: Box<'a>,
    pub section: usize,
    pub line: usize,
    pub optional: bool,
    /// Where its mark is in the file.
    pub offset: usize,
}

/// What becomes of the tasks: a list, or counts alone.
pub(super) trait Sink {
    /// How far it has come, to go back to where a fence turns out to hold what came since.
    type Point: Copy;

    fn point(&self) -> Self::Point;
    fn back(&mut self, to: Self::Point);
    fn task(&mut self, seen: &Sight<'_>, outline: &Outline);
    /// A heading, by its line from 1 and its section.
    fn heading(&mut self, _line: usize, _section: usize, _outline: &Outline) {}
}

/// What a fence goes back to when its end shows that it was one.
#[derive(Debug, Clone, Copy)]
struct Before<P> {
    point: P,
    spot: Spot,
}

struct Scan<'a, S: Sink> {
    text: &'a [u8],
    outline: Outline,
    sink: S,
    /// Whether there is any text, and any box: both also where they do not count.
    words: bool,
    boxes: bool,
    /// The contents of the list items that we are in, outside in.
    items: Vec<Level>,
    /// Those that the line at hand opens; kept to save an allocation a line.
    new_items: Vec<Level>,
    fences: Fences<Before<S::Point>>,
    comments: Comments<'a>,
    /// Up to where a comment reaches.
    hidden: usize,
    /// Whether the last line was text that the next one may go on with, whatever its indentation.
    paragraph: bool,
}

/// Hands the tasks of a plan to a sink. Also answers whether the plan has text and no box at all.
pub(super) fn pass<S: Sink>(text: &[u8], optional_sections: &[String], sink: S) -> (S, bool) {
    let mut scan = Scan {
        text,
        outline: Outline::new(optional_sections),
        sink,
        words: false,
        boxes: false,
        items: Vec::new(),
        new_items: Vec::new(),
        fences: Fences::default(),
        comments: Comments::new(text),
        hidden: 0,
        paragraph: false,
    };
    let mut start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut number = 1;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        scan.line(number, start, start + length);
        let line_end = if rest.get(length..).is_some_and(|end| end.starts_with(b"\r\n")) { 2 } else { 1 };
        start += length + line_end;
        number += 1;
    }
    (scan.sink, scan.words && !scan.boxes)
}

impl<S: Sink> Scan<'_, S> {
    fn line(&mut self, number: usize, start: usize, end: usize) {
        let mut new_items = std::mem::take(&mut self.new_items);
        new_items.clear();
        let line = Line::read(self.text.get(start..end).unwrap_or_default(), &mut new_items);
        self.words |= !matches!(line.kind, Kind::Blank);
        self.boxes |= matches!(line.kind, Kind::Task(_) | Kind::Dropped);
        self.marked(number, start, end, &line, &new_items);
        self.new_items = new_items;
    }

    fn marked(&mut self, number: usize, start: usize, end: usize, line: &Line, new_items: &[Level]) {
        // A pending fence sees every line, also what would be a comment if the fence were none.
        let closed = match line.kind {
            Kind::Fence(fence) if fence.closes => self.fences.close(&fence, &line.place),
            _ => None,
        };
        self.fences.leave(&line.place);
        if let Some((level, before)) = closed {
            self.sink.back(before.point);
            self.outline.set(level.quotes, before.spot);
            let inside = self.items.partition_point(|item| *item <= level);
            self.items.truncate(inside);
            let kept = still_in(&self.items, |item| *item, &line.place);
            self.items.truncate(kept);
            self.hidden = 0;
            self.paragraph = false;
            return;
        }

        if start >= self.hidden {
            self.visible(number, start, line, new_items);
        }
        let from = self.hidden.max(start);
        if from < end
            && let Some(hidden) = self.comments.reaching_out(from, end)
        {
            self.hidden = hidden;
        }
    }

    /// A line that no comment holds.
    fn visible(&mut self, number: usize, start: usize, line: &Line, new_items: &[Level]) {
        let text = matches!(line.kind, Kind::Text);
        let goes_on = self.paragraph && text && new_items.is_empty() && line.place.quotes == 0;
        if !goes_on {
            let kept = still_in(&self.items, |item| *item, &line.place);
            self.items.truncate(kept);
        }
        self.items.extend_from_slice(new_items);
        self.paragraph = text || matches!(line.kind, Kind::Task(_) | Kind::Dropped);

        let quotes = line.text.quotes;
        match line.kind {
            Kind::Task(found) => {
                let Spot { section, optional } = self.outline.spot(quotes);
                let seen = Sight { found, section, line: number, optional: optional.is_some(), offset: start + found.offset };
                self.sink.task(&seen, &self.outline);
            }
            Kind::Heading(level, title) => {
                let section = self.outline.enter(quotes, level, title);
                self.sink.heading(number, section, &self.outline);
            }
            Kind::Fence(fence) if fence.opens => self.open(&fence, line.text),
            _ => {}
        }
    }

    /// A fence stands at most three columns further in than the block that it is in.
    fn open(&mut self, fence: &super::line::Fence, at: Level) {
        let column = self.items.last().filter(|item| item.quotes == at.quotes).map_or(0, |item| item.column);
        if at.column < column + 4 {
            let before = Before { point: self.sink.point(), spot: self.outline.spot(at.quotes) };
            self.fences.open(fence, Level { quotes: at.quotes, column }, before);
        }
    }
}
