//! Adding a task (S35): one line more, and nothing else of the file changes.
//!
//! Where the line goes is looked for in the text; whether it went well is seen by reading the result: all tasks are what
//! and where they were, and one is new. A place at which that does not hold, for a fence or a comment swallows it, is none.

use super::line::{Kind, Line};
use super::outline::Outline;
use super::scan::{Sight, Sink, pass};
use super::{Mark, Plan, Task, same_section};

/// The longest text of a task that is added, in characters.
pub const LONGEST_ADDED: usize = 500;

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// The plan's new bytes, and where the new task's mark is in them.
    Done {
        /// The whole plan.
        text: Vec<u8>,
        /// In bytes from the start.
        offset: usize,
    },
    /// No heading has this title: those there are.
    UnknownSection(Vec<String>),
    /// No place was found where the line would be a task and leave the others alone.
    NoPlace,
}

/// The text of a task out of what a model says: one line, without control characters, cut where it is too long, nothing in
/// it a box or a comment's mark. Also whether it was cut.
#[must_use]
pub fn task_text(said: &str) -> (String, bool) {
    let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
    let visible: String = said.chars().map(blank).filter(|c| !c.is_control() && !is_mark_of_direction(*c)).collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let (kept, cut) = match words.char_indices().nth(LONGEST_ADDED) {
        Some((end, _)) => (words.get(..end).unwrap_or_default().trim_end().to_owned(), true),
        None => (words, false),
    };
    (without_boxes(&kept).replace("<!--", "<\\!--").replace("-->", "--\\>"), cut)
}

/// What turns the direction of text around may show a reader something else than is there.
fn is_mark_of_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// `[x]` inside a text becomes `\[x\]`: bash finds boxes with grep. Links stay.
fn without_boxes(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        let (inside, width) = match rest {
            ['[', ']', ..] => (String::new(), 2),
            ['[', mark, ']', ..] if *mark != '[' => (mark.to_string(), 3),
            _ => {
                plain.push(c);
                at += 1;
                continue;
            }
        };
        if matches!(rest.get(width), Some('(' | '[')) || plain.ends_with(']') {
            plain.extend(rest.iter().take(width));
        } else {
            plain.push_str("\\[");
            plain.push_str(&inside);
            plain.push_str("\\]");
        }
        at += width;
    }
    plain
}

/// Where things stand in a plan.
#[derive(Debug, Default)]
struct Places {
    tasks: Vec<TaskPlace>,
    headings: Vec<HeadingPlace>,
}

#[derive(Debug, Clone, Copy)]
struct TaskPlace {
    section: usize,
    /// Where its mark is.
    offset: usize,
}

#[derive(Debug, Clone)]
struct HeadingPlace {
    section: usize,
    title: String,
    line: usize,
}

impl Sink for Places {
    type Point = (usize, usize);

    fn point(&self) -> Self::Point {
        (self.tasks.len(), self.headings.len())
    }

    fn back(&mut self, (tasks, headings): Self::Point) {
        self.tasks.truncate(tasks);
        self.headings.truncate(headings);
    }

    fn task(&mut self, seen: &Sight<'_>, _: &Outline) {
        self.tasks.push(TaskPlace { section: seen.section, offset: seen.offset });
    }

    fn heading(&mut self, line: usize, section: usize, outline: &Outline) {
        self.headings.push(HeadingPlace { section, title: outline.title(section).to_string(), line });
    }
}

/// The plan with one more open task, at the end of the list of `section`, or of the last task's where that is left out.
/// `description` is a [`task_text`].
#[must_use]
pub fn add_task(before: &[u8], description: &str, section: Option<&str>) -> Added {
    let (places, _) = pass(before, &[], Places::default());
    let lines = Lines::of(before);
    let target = match section {
        Some(wanted) => {
            let named = |heading: &&HeadingPlace| same_section(&heading.title, wanted);
            let with_tasks = |heading: &&HeadingPlace| places.tasks.iter().any(|task| task.section == heading.section);
            // Of several with one title the last that has a list.
            let found = places.headings.iter().rev().filter(named).find(with_tasks);
            match found.or_else(|| places.headings.iter().rfind(named)) {
                Some(heading) => Some(heading.section),
                None => return Added::UnknownSection(titles(&places)),
            }
        }
        None => places.tasks.last().map(|task| task.section).or_else(|| places.headings.last().map(|last| last.section)),
    };
    let of_section: Vec<TaskPlace> = places.tasks.iter().copied().filter(|task| Some(task.section) == target).collect();
    let heading = target.and_then(|target| places.headings.iter().find(|heading| heading.section == target));
    let title = heading.map_or("", |heading| heading.title.as_str());
    let prefix = prefix(before, &lines, &of_section);
    let task_line = |task: &TaskPlace| lines.line_at(task.offset);
    let candidates: Vec<Place> = if let Some(last) = of_section.last().map(task_line) {
        vec![
            Place { after: Some(lines.end_of_list(last)), apart: false },
            Place { after: Some(last), apart: false },
            Place { after: Some(lines.end_of_list(last)), apart: true },
        ]
    } else {
        let from = heading.map(|heading| heading.line - 1);
        let next = places.headings.iter().map(|heading| heading.line - 1).find(|line| from.is_some_and(|from| *line > from));
        let to = next.unwrap_or(lines.count());
        vec![Place { after: lines.last_text(from, to), apart: true }, Place { after: from, apart: true }]
    };
    let old = Plan::parse(before, &[], crate::generation::Generation::V0_9);
    candidates
        .iter()
        .map(|place| lines.insert(place, &prefix, description))
        .find(|(text, offset)| went_well(&old, text, *offset, description, title))
        .map_or(Added::NoPlace, |(text, offset)| Added::Done { text, offset })
}

fn titles(places: &Places) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    places.headings.iter().map(|heading| heading.title.clone()).filter(|title| seen.insert(title.clone())).collect()
}

/// Whether a plan is the old one and a new task under the heading meant.
fn went_well(old: &Plan, text: &[u8], offset: usize, description: &str, title: &str) -> bool {
    let new = Plan::parse(text, &[], crate::generation::Generation::V0_9);
    let Some(index) = new.tasks.iter().position(|task| task.offset == offset) else { return false };
    let Some(added) = new.tasks.get(index) else { return false };
    let told = |task: &Task| (task.description.clone(), task.mark, task.section.clone());
    let others = new.tasks.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, task)| told(task));
    added.mark == Mark::Open
        && added.description == description
        && others.eq(old.tasks.iter().map(told))
        && *added.section == *title
}

/// What stands in front of the box: as in the section's outermost task, the last of them, and numbered on.
fn prefix(text: &[u8], lines: &Lines<'_>, tasks: &[TaskPlace]) -> Vec<u8> {
    let of = |task: &TaskPlace| {
        let start = lines.start(lines.line_at(task.offset));
        text.get(start..task.offset.saturating_sub(1)).unwrap_or_default().to_vec()
    };
    let mut best: Option<Vec<u8>> = None;
    for task in tasks {
        let prefix = of(task);
        let prefix = prefix.strip_prefix(b"\xEF\xBB\xBF").map(<[u8]>::to_vec).unwrap_or(prefix);
        if best.as_ref().is_none_or(|best| columns(&prefix) <= columns(best)) {
            best = Some(prefix);
        }
    }
    best.map_or_else(|| b"- ".to_vec(), |prefix| numbered_on(&prefix))
}

/// How far in the list mark stands, and how deep: quotes and marks in front of it count as well.
fn columns(prefix: &[u8]) -> usize {
    let digits = prefix.iter().filter(|byte| byte.is_ascii_digit()).count();
    let wide = |byte: u8| if byte == b'\t' { 4 } else { 1 };
    prefix.iter().map(|byte| wide(*byte)).sum::<usize>().saturating_sub(digits.saturating_sub(1))
}

/// `3. ` is `4. ` for the one below.
fn numbered_on(prefix: &[u8]) -> Vec<u8> {
    let Some(end) = prefix.iter().rposition(u8::is_ascii_digit) else { return prefix.to_vec() };
    let start = prefix.iter().take(end).rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let number: u64 =
        std::str::from_utf8(prefix.get(start..=end).unwrap_or_default()).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    // Ten digits are no list mark any more.
    let next = if number < 999_999_999 { number + 1 } else { number };
    [prefix.get(..start).unwrap_or_default(), next.to_string().as_bytes(), prefix.get(end + 1..).unwrap_or_default()].concat()
}

/// After which line, from 0, the new one goes; `None`: it is the first. `apart`: a blank line is to be between them.
struct Place {
    after: Option<usize>,
    apart: bool,
}

/// The lines of a text: where each starts and ends, its line end not included.
struct Lines<'a> {
    text: &'a [u8],
    lines: Vec<(usize, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            lines.push((start, start + length));
            start += length + if rest.get(length..).is_some_and(|end| end.starts_with(b"\r\n")) { 2 } else { 1 };
        }
        Self { text, lines }
    }

    fn count(&self) -> usize {
        self.lines.len()
    }

    fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |(start, _)| *start)
    }

    fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|(start, _)| *start <= offset).saturating_sub(1)
    }

    fn line(&self, line: usize) -> &'a [u8] {
        self.lines.get(line).and_then(|(start, end)| self.text.get(*start..*end)).unwrap_or_default()
    }

    fn is_blank(&self, line: usize) -> bool {
        // The quote marks of an empty line of a quote.
        self.line(line).iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>'))
    }

    /// The last line of the list that a task's line is in: whatever follows without a blank line, and behind blank lines
    /// what is indented, or goes on with the list.
    fn end_of_list(&self, task: usize) -> usize {
        let mut end = task;
        let mut line = task + 1;
        let mut blank = false;
        while line < self.count() {
            if self.is_blank(line) {
                blank = true;
            } else {
                let mut items = Vec::new();
                let read = Line::read(self.line(line), &mut items);
                let goes_on = match read.kind {
                    Kind::Heading(..) => false,
                    Kind::Fence(_) | Kind::Text | Kind::Blank if items.is_empty() => !blank || read.place.indent >= 2,
                    _ => true,
                };
                if !goes_on || is_rule(self.line(line)) {
                    break;
                }
                end = line;
                blank = false;
            }
            line += 1;
        }
        end
    }

    /// The last line with text between two lines, the first included.
    fn last_text(&self, from: Option<usize>, to: usize) -> Option<usize> {
        (from.unwrap_or(0)..to.min(self.count())).rev().find(|line| !self.is_blank(*line)).or(from)
    }

    /// The text with a line more, and where its mark is.
    fn insert(&self, place: &Place, prefix: &[u8], description: &str) -> (Vec<u8>, usize) {
        let new_line = self.line_end();
        let at = place.after.map_or(0, |line| self.start(line + 1));
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, &[]));
        let mut text = before.to_vec();
        let ended = before.is_empty() || before.ends_with(b"\n") || before.ends_with(b"\r");
        if !ended {
            text.extend_from_slice(new_line);
        }
        if place.apart && place.after.is_some() {
            text.extend_from_slice(new_line);
        }
        text.extend_from_slice(prefix);
        let offset = text.len() + 1;
        text.extend_from_slice(b"[ ] ");
        text.extend_from_slice(description.as_bytes());
        // A last line without an end stays one.
        if ended || !after.is_empty() {
            text.extend_from_slice(new_line);
        }
        text.extend_from_slice(after);
        (text, offset)
    }

    /// How lines end here.
    fn line_end(&self) -> &'static [u8] {
        let Some((_, end)) = self.lines.first() else { return b"\n" };
        match self.text.get(*end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => b"\r\n",
            [b'\r', ..] => b"\r",
            _ => b"\n",
        }
    }
}

/// A line across the page, `---`.
fn is_rule(line: &[u8]) -> bool {
    let marks: Vec<u8> = line.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t')).collect();
    marks.len() >= 3 && marks.first().is_some_and(|first| matches!(first, b'-' | b'*' | b'_') && marks.iter().all(|m| m == first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn added(plan: &str, section: Option<&str>) -> String {
        match add_task(plan.as_bytes(), "new", section) {
            Added::Done { text, offset } => {
                assert_eq!(text.get(offset - 1..=offset + 1), Some(&b"[ ]"[..]));
                String::from_utf8(text).expect("UTF-8")
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn at_the_end_of_the_last_task_s_list() {
        for (plan, expected) in [
            ("- [ ] a\n", "- [ ] a\n- [ ] new\n"),
            ("- [ ] a", "- [ ] a\n- [ ] new"),
            ("# P\r\n- [x] a\r\n", "# P\r\n- [x] a\r\n- [ ] new\r\n"),
            ("- [ ] a\r- [ ] b\r", "- [ ] a\r- [ ] b\r- [ ] new\r"),
            ("\u{feff}- [ ] a\n", "\u{feff}- [ ] a\n- [ ] new\n"),
            ("* [x] a\n\nNotes.\n", "* [x] a\n* [ ] new\n\nNotes.\n"),
            ("1. [x] a\n2. [ ] b\n", "1. [x] a\n2. [ ] b\n3. [ ] new\n"),
            ("9) [x] a\n", "9) [x] a\n10) [ ] new\n"),
            (
                "- [ ] a\n  more of it\n  - [ ] a.1\n    and that\n\n## Next\n",
                "- [ ] a\n  more of it\n  - [ ] a.1\n    and that\n- [ ] new\n\n## Next\n",
            ),
            ("  - [ ] a\n    - [ ] a.1\n", "  - [ ] a\n    - [ ] a.1\n  - [ ] new\n"),
            (
                "- [ ] a\n\n  its second paragraph\n\n- [ ] b\n\nText.\n",
                "- [ ] a\n\n  its second paragraph\n\n- [ ] b\n- [ ] new\n\nText.\n",
            ),
            ("- [ ] a\n- a note\n- [-] dropped\n\nText.\n", "- [ ] a\n- a note\n- [-] dropped\n- [ ] new\n\nText.\n"),
            ("- [ ] a\n---\nText\n", "- [ ] a\n- [ ] new\n---\nText\n"),
            ("- [ ] a\n  ```sh\n  - [ ] in\n  ```\nText\n", "- [ ] a\n  ```sh\n  - [ ] in\n  ```\nText\n- [ ] new\n"),
            ("- [ ] a\n## Empty\n", "- [ ] a\n- [ ] new\n## Empty\n"),
            ("### - [ ] a\n", "### - [ ] a\n### - [ ] new\n"),
            ("> - [ ] a\n> - [ ] b\n\nText\n", "> - [ ] a\n> - [ ] b\n> - [ ] new\n\nText\n"),
            // No task, and no heading.
            ("", "- [ ] new\n"),
            ("Text", "Text\n\n- [ ] new"),
            ("# Plan\n", "# Plan\n\n- [ ] new\n"),
            ("# Plan\n\nText.\n\n", "# Plan\n\nText.\n\n- [ ] new\n\n"),
        ] {
            assert_eq!(added(plan, None), expected, "{plan:?}");
        }
    }

    #[test]
    fn at_the_end_of_a_section_s_list() {
        let plan = "# P\n\n## One\n\n- [ ] a\n  - [ ] a.1\n\n### Deeper\n- [ ] b\n\n## Two:\n\nLater.\n\n## Optional\n* [ ] c\n\n## One\n";
        for (section, at) in [
            ("One", "  - [ ] a.1\n- [ ] new\n\n### Deeper"),
            ("one:", "  - [ ] a.1\n- [ ] new\n\n### Deeper"),
            ("Deeper", "- [ ] b\n- [ ] new\n\n## Two:"),
            ("two", "Later.\n\n- [ ] new\n\n## Optional"),
            ("OPTIONAL", "* [ ] c\n* [ ] new\n\n## One"),
            ("P", "# P\n\n- [ ] new\n\n## One"),
        ] {
            let text = added(plan, Some(section));
            assert!(text.contains(at), "{section}: {text}");
            let line = if at.contains("* [ ] new") { "* [ ] new\n" } else { "- [ ] new\n" };
            let without = text.replacen(line, "", 1);
            assert!(without == plan || without.replacen("\n\n\n", "\n\n", 1) == plan, "{section}: {text}");
        }
        let unknown = add_task(plan.as_bytes(), "new", Some("Three"));
        assert_eq!(unknown, Added::UnknownSection(["P", "One", "Deeper", "Two", "Optional"].map(String::from).to_vec()));
        assert_eq!(add_task(b"```\n# In\n```\n", "new", Some("In")), Added::UnknownSection(vec![]));
    }

    #[test]
    fn what_a_model_says_is_one_line_without_boxes() {
        for (said, text) in [
            ("Write the tests", "Write the tests"),
            ("  two\n lines\r\n\tand more ", "two lines and more"),
            ("red \u{1b}[31mtext\u{7}\u{0}", "red [31mtext"),
            ("- [ ] a", "- \\[ \\] a"),
            ("[x] a\n- [X] b [] c [!] d", "\\[x\\] a - \\[X\\] b \\[\\] c \\[!\\] d"),
            ("[x](https://example.org) [a][b] [P1] [[x]", "[x](https://example.org) [a][b] [P1] [\\[x\\]"),
            ("<!-- hidden --> b", "<\\!-- hidden --\\> b"),
            ("a\u{202e}b\u{2066}c", "abc"),
            ("\n\t", ""),
        ] {
            assert_eq!(task_text(said), (text.to_owned(), false), "{said:?}");
        }
        let (long, cut) = task_text(&"\u{e9}".repeat(501));
        assert_eq!((long.chars().count(), cut), (500, true));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn nothing_else_changes(
            lines in prop::collection::vec(prop::sample::select(super::super::tests::LINES), 0..20),
            end in prop::sample::select(&["\n", "\r\n"][..]),
            said in "[\\[\\]x !<>`#*a-]{1,12}|\\PC{1,20}",
        ) {
            let plan = lines.join(end);
            let (text, _) = task_text(&said);
            prop_assume!(!text.is_empty());
            if let Added::Done { text: after, offset } = add_task(plan.as_bytes(), &text, None) {
                let (old, new) = (Plan::parse(plan.as_bytes(), &[], crate::generation::Generation::V0_9), Plan::parse(&after, &[], crate::generation::Generation::V0_9));
                prop_assert_eq!(new.tasks.len(), old.tasks.len() + 1);
                let task = new.tasks.iter().find(|task| task.offset == offset).expect("the new one");
                prop_assert_eq!(&task.description, &text);
                // Its line is new, and a blank line at most.
                let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
                let mut left = lines(&String::from_utf8_lossy(&after));
                let at = left.iter().rposition(|line| line.ends_with(&format!("[ ] {text}"))).expect("its line");
                left.remove(at);
                prop_assert_eq!(left, lines(&plan));
                prop_assert!(after.len() <= plan.len() + text.len() + 40);
            }
        }
    }
}
