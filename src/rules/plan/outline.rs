//! The heading that a task stands under, and whether its section is optional.

use std::collections::HashSet;
use std::sync::Arc;

/// A heading longer than this many characters is cut: it is no name, and every task under it carries it.
const LONGEST_TITLE: usize = 300;

/// Where the last heading has left us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// Index of the section's title.
    pub section: usize,
    /// The level of the optional section that we are in.
    pub optional: Option<usize>,
}

/// The sections passed so far.
#[derive(Debug)]
pub(super) struct Outline {
    titles: Vec<Arc<str>>,
    optional: HashSet<String>,
    /// A heading inside a quote holds inside that quote only: the spots by number of quote marks, outside in.
    spots: Vec<(usize, Spot)>,
}

impl Outline {
    /// Titles in `optional` are matched in any case.
    pub fn new(optional: &[String]) -> Self {
        let optional = optional.iter().map(|name| key(name)).filter(|name| !name.is_empty()).collect();
        Self { titles: vec![Arc::from("")], optional, spots: Vec::new() }
    }

    /// The spot of a line inside so many quotes.
    pub fn spot(&mut self, quotes: usize) -> Spot {
        let kept = self.spots.partition_point(|(depth, _)| *depth <= quotes);
        self.spots.truncate(kept);
        self.spots.last().map(|(_, spot)| *spot).unwrap_or_default()
    }

    /// Goes back to a spot, or on to one.
    pub fn set(&mut self, quotes: usize, spot: Spot) {
        let kept = self.spots.partition_point(|(depth, _)| *depth < quotes);
        self.spots.truncate(kept);
        self.spots.push((quotes, spot));
    }

    /// A heading: an optional section reaches down to the next one of the same or a higher level.
    /// Answers its section.
    pub fn enter(&mut self, quotes: usize, level: usize, title: &[u8]) -> usize {
        let title = title_of(title);
        let around = self.spot(quotes).optional.filter(|outer| level > *outer);
        let optional = around.or_else(|| self.optional.contains(&key(&title)).then_some(level));
        let section = self.titles.len();
        self.titles.push(title.chars().take(LONGEST_TITLE).collect::<String>().into());
        self.set(quotes, Spot { section, optional });
        section
    }

    /// The title of a section; empty above the first heading.
    pub fn title(&self, section: usize) -> Arc<str> {
        self.titles.get(section).cloned().unwrap_or_default()
    }
}

/// The title behind a heading's marks, without closing marks and a trailing colon.
fn title_of(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    let open = text.trim_end_matches('#');
    let text = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text };
    bare(text).to_owned()
}

fn bare(title: &str) -> &str {
    let title = title.trim();
    title.strip_suffix([':', '：']).unwrap_or(title).trim_end()
}

/// What two titles have in common that differ in case or colon.
pub(super) fn key(title: &str) -> String {
    bare(title).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (text, expected) in [
            (" High Priority", "High Priority"),
            (" High Priority ##", "High Priority"),
            (" Optional: ##", "Optional"),
            (" Optional :", "Optional"),
            (" 任务：", "任务"),
            (" C#", "C#"),
            (" C# #", "C#"),
            (" ###", ""),
            ("", ""),
            (" - [y] no box", "- [y] no box"),
        ] {
            assert_eq!(title_of(text.as_bytes()), expected, "{text:?}");
        }
    }
}
