//! One line of Markdown, taken apart: quote marks, indentation, list and heading marks, a task's box, a code fence.

/// Where a line stands: what decides which quotes and list items it is still in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Columns before the first quote mark, or before the text where there is none.
    pub margin: usize,
    /// How many quote marks lead.
    pub quotes: usize,
    /// Columns between the last leading quote mark and the text; a blank line is in as far as its neighbours.
    pub indent: usize,
}

/// The column at which the content of a list item or of a fence starts, counted inside its quotes. Ordered outside in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level {
    pub quotes: usize,
    pub column: usize,
}

/// What a box says of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `[ ]` or `[]`
    Open,
    /// `[/]` or `[~]`: begun, still pending.
    Begun,
    /// `[x]` or `[X]`
    Done,
    /// Any other single mark, as `[!]` or `[>]`: people have their own, and only they know what it means. Pending.
    Other,
}

/// A task's box, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Box<'a> {
    pub mark: Mark,
    /// Where the mark is in its line.
    pub offset: usize,
    /// How many bytes the mark has: 0 in `[]`.
    pub width: usize,
    /// The text behind the box.
    pub text: &'a [u8],
}

/// A row of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    pub tilde: bool,
    pub length: usize,
    /// Nothing follows but white space, and no mark precedes but quotes.
    pub closes: bool,
    /// It may open a block: an info string after backticks holds no backtick.
    pub opens: bool,
}

/// What a line is, once its marks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    Blank,
    Task(Box<'a>),
    /// `[-]`: neither a task nor a heading.
    Dropped,
    /// Level and title, closing marks and colon still on it.
    Heading(usize, &'a [u8]),
    Fence(Fence),
    Text,
}

/// A line taken apart.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub place: Place,
    pub kind: Kind<'a>,
    /// Where the text stands, all marks read.
    pub text: Level,
}

/// What may follow a box: `[x](` and `[x][` are links.
const LINK: [u8; 2] = [b'(', b'['];

impl<'a> Line<'a> {
    /// Reads the marks of a line, its line end already cut off, and appends the list items that it opens to `items`.
    pub fn read(line: &'a [u8], items: &mut Vec<Level>) -> Self {
        let mut at = Cursor { line, position: 0, column: 0 };
        let (mut place, mut quotes, mut edge) = (None, 0, 0);
        let mut heading: Option<(usize, &[u8])> = None;
        let mut margin = None;
        let mut in_item = false;
        loop {
            at.skip_blanks();
            margin.get_or_insert(at.column);
            if at.peek() == Some(b'>') {
                at.step();
                quotes += 1;
                edge = at.column + usize::from(matches!(at.peek(), Some(b' ' | b'\t')));
                in_item = false;
                continue;
            }
            let here = Level { quotes, column: at.column.saturating_sub(edge) };
            place.get_or_insert(here);
            if let Some(level) = at.heading_marks() {
                // Marks behind a list mark are text, as in bash; those in front of one belong to a task line.
                if !in_item && heading.is_none() {
                    heading = Some((level, at.rest()));
                }
                in_item = false;
            } else if let Some(content) = at.list_mark() {
                if heading.is_none() {
                    items.push(Level { quotes, column: content.saturating_sub(edge) });
                }
                in_item = true;
            } else {
                break;
            }
        }
        let text = Level { quotes, column: at.column.saturating_sub(edge) };
        let lead = place.unwrap_or(text);
        let bare = lead == text && heading.is_none() && !in_item;
        let kind = kind(&at, heading, in_item, bare);
        if matches!(kind, Kind::Task(..)) && heading.is_none() {
            // Whoever aligns with a task's words, four columns further in, is inside the item just as well.
            items.push(Level { quotes, column: text.column + 4 });
        }
        let blank = matches!(kind, Kind::Blank);
        let deep = |column| if blank { usize::MAX } else { column };
        let margin = margin.unwrap_or_default();
        let margin = if lead.quotes == 0 { deep(margin) } else { margin };
        Self { place: Place { margin, quotes: lead.quotes, indent: deep(lead.column) }, kind, text }
    }
}

fn kind<'a>(at: &Cursor<'a>, heading: Option<(usize, &'a [u8])>, in_item: bool, bare: bool) -> Kind<'a> {
    let rest = at.rest();
    if in_item && let Some(found) = read_box(rest, at.position) {
        return found;
    }
    if let Some((level, title)) = heading {
        return Kind::Heading(level, title);
    }
    match fence(rest, bare) {
        Some(fence) => Kind::Fence(fence),
        None if rest.is_empty() && bare => Kind::Blank,
        None => Kind::Text,
    }
}

/// The box that leads a list item's text, at `position` of its line. What is a link, and what is more than one mark (a
/// date, say), is none.
fn read_box(rest: &[u8], position: usize) -> Option<Kind<'_>> {
    let inside = rest.strip_prefix(b"[")?;
    let width = mark_width(inside)?;
    let text = inside.get(width..)?.strip_prefix(b"]")?;
    let next = text.first().copied();
    if next.is_some_and(|next| LINK.contains(&next)) {
        return None;
    }
    let apart = matches!(next, None | Some(b' ' | b'\t'));
    let mark = match inside.get(..width)? {
        b"x" | b"X" => Mark::Done,
        b" " => Mark::Open,
        b"/" | b"~" => Mark::Begun,
        b"-" => return Some(Kind::Dropped),
        // Glued to words, `[]` is code and `[1]` a reference.
        b"" | b"\t" | b"\xc2\xa0" => apart.then_some(Mark::Open)?,
        [letter, ..] if letter.is_ascii_alphanumeric() || !letter.is_ascii() => apart.then_some(Mark::Other)?,
        _ => Mark::Other,
    };
    Some(Kind::Task(Box { mark, offset: position + 1, width, text }))
}

/// How many bytes the single mark at the start has: a character with what belongs to it, or nothing before a `]`.
fn mark_width(inside: &[u8]) -> Option<usize> {
    let joins = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}');
    let first = *inside.first()?;
    match first {
        b']' => return Some(0),
        b'\t' => {}
        b'[' | b'\\' => return None,
        byte if byte.is_ascii_control() => return None,
        _ => {}
    }
    let near = inside.get(..inside.len().min(16)).unwrap_or_default();
    let near = near.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default();
    let mut width = 0;
    for c in near.chars() {
        if width > 0 && !joins(c) {
            break;
        }
        width += c.len_utf8();
    }
    // A byte that is no character is a mark of another encoding.
    Some(width.max(1))
}

fn fence(rest: &[u8], bare: bool) -> Option<Fence> {
    let mark = *rest.first().filter(|c| matches!(c, b'`' | b'~'))?;
    let length = rest.iter().take_while(|c| **c == mark).count();
    let info = rest.get(length..).unwrap_or_default();
    let closes = bare && info.iter().all(|c| matches!(c, b' ' | b'\t'));
    let opens = mark == b'~' || !info.contains(&b'`');
    (length >= 3).then_some(Fence { tilde: mark == b'~', length, closes, opens })
}

/// A position in a line, with its column: a tab reaches to the next multiple of four.
struct Cursor<'a> {
    line: &'a [u8],
    position: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        self.line.get(self.position..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.position).copied()
    }

    fn step(&mut self) {
        self.column = if self.peek() == Some(b'\t') { (self.column / 4 + 1) * 4 } else { self.column + 1 };
        self.position += 1;
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.step();
        }
    }

    /// Passes `length` bytes of marks if white space or the end of the line follows.
    fn pass(&mut self, length: usize) -> bool {
        let ends = matches!(self.rest().get(length), None | Some(b' ' | b'\t'));
        if ends {
            self.position += length;
            self.column += length;
        }
        ends
    }

    /// Passes `#` marks and answers how many. As in bash there may be more than six.
    fn heading_marks(&mut self) -> Option<usize> {
        let level = self.rest().iter().take_while(|c| **c == b'#').count();
        (level > 0 && self.pass(level)).then_some(level)
    }

    /// Passes a list mark and answers the column at which the item's content starts.
    fn list_mark(&mut self) -> Option<usize> {
        let rest = self.rest();
        let digits = rest.iter().take(10).take_while(|c| c.is_ascii_digit()).count();
        let length = match (digits, rest.get(digits)) {
            (0, Some(b'-' | b'*' | b'+')) => 1,
            (1..=9, Some(b'.' | b')')) => digits + 1,
            _ => return None,
        };
        if !self.pass(length) {
            return None;
        }
        let edge = self.column;
        self.skip_blanks();
        let gap = self.column - edge;
        Some(if self.peek().is_none() || gap > 4 { edge + 1 } else { self.column })
    }
}
