//! Ids that a model can read and keep: the mark that leads a task's text, else a slug of its words.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::tag::leading;

/// The longest slug, in characters; the number that tells repeats apart comes on top.
const LONGEST: usize = 60;

/// The id of a task whose text has no letter and no digit.
const WORDLESS: &str = "task";

/// Letters and digits of any script, with the marks that they carry.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*").expect("a constant pattern compiles"));

/// The id of a task by its text alone.
pub(super) fn natural(text: &str) -> String {
    leading(text).map_or_else(|| slug(text), ToOwned::to_owned)
}

/// Lower-case words joined by hyphens, cut at a word; a first word that is too long is cut where it must be.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    if text.is_ascii() {
        join(&mut slug, text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()));
    } else {
        join(&mut slug, WORD.find_iter(text).map(|word| word.as_str()));
    }
    if slug.is_empty() { WORDLESS.to_owned() } else { slug }
}

fn join<'a>(slug: &mut String, words: impl Iterator<Item = &'a str>) {
    let mut length = 0;
    for word in words {
        // Lower case may take more characters, so a word is measured afterwards.
        let head: String = word.chars().take(LONGEST + 1).collect();
        let word: Vec<char> = head.to_lowercase().chars().collect();
        if length == 0 {
            slug.extend(word.iter().take(LONGEST));
            length = word.len();
        } else if length + 1 + word.len() <= LONGEST {
            slug.push('-');
            slug.extend(&word);
            length += 1 + word.len();
        } else {
            break;
        }
    }
}

/// The ids of a plan's tasks, in their order. The first with a natural id has it, wherever it stands; each repeat gets
/// the next number that makes an id which no other task has by nature.
pub(super) fn assign<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let natural: Vec<String> = texts.map(natural).collect();
    let by_nature: HashSet<&str> = natural.iter().map(String::as_str).collect();
    let mut last_number: HashMap<&str, u64> = HashMap::new();
    let mut ids = Vec::with_capacity(natural.len());
    for id in &natural {
        let number = last_number.entry(id).or_insert(0);
        *number += 1;
        let mut numbered = if *number == 1 { id.clone() } else { format!("{id}-{number}") };
        while *number > 1 && by_nature.contains(numbered.as_str()) {
            *number += 1;
            numbered = format!("{id}-{number}");
        }
        ids.push(numbered);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_ids() {
        let sixty = "abcdefghi ".repeat(6);
        let sixty = sixty.trim_end(); // 59 characters
        for (text, expected) in [
            ("[proj-001] Fix it", "proj-001"),
            ("[#123] Fix it", "#123"),
            ("[#123](https://example.org) Fix it", "#123"),
            ("[bd-a1b2] x", "bd-a1b2"),
            ("[PROJ-001] keeps its case", "PROJ-001"),
            ("[proj-001]glued", "proj-001"),
            // No ids: words of the slug.
            ("[P1] Fix login", "p1-fix-login"),
            ("[proj-abc] no digit", "proj-abc-no-digit"),
            ("[2026-01-29] note", "2026-01-29-note"),
            ("[2026-01] note", "2026-01-note"),
            ("[a-b-1] two hyphens", "a-b-1-two-hyphens"),
            ("[#12a] x", "12a-x"),
            ("[#] x", "x"),
            ("Fix [proj-001] later", "fix-proj-001-later"),
            ("**Bold** `code_name()` & more!", "bold-code-name-more"),
            ("Größe ändern", "größe-ändern"),
            ("Настроить CI", "настроить-ci"),
            ("添加 登录 页面", "添加-登录-页面"),
            ("e\u{301}te\u{301} NFD", "e\u{301}te\u{301}-nfd"),
            ("हिन्दी में", "हिन्दी-में"),
            ("✅🎉", "task"),
            ("", "task"),
            (&format!("{sixty} a"), &sixty.replace(' ', "-")),
            (&format!("{sixty}x y"), &format!("{}x", sixty.replace(' ', "-"))),
            (&format!("{sixty}xx"), "abcdefghi-abcdefghi-abcdefghi-abcdefghi-abcdefghi"),
            (&"字".repeat(70), &"字".repeat(60)),
        ] {
            assert_eq!(natural(text), expected, "{text:?}");
        }
    }

    #[test]
    fn repeats_get_the_next_free_number() {
        for (texts, expected) in [
            (&["a", "A!", "a"][..], &["a", "a-2", "a-3"][..]),
            // An id that a task has by nature stays its own, whatever stands above it.
            (&["a", "a", "a 2", "a"], &["a", "a-3", "a-2", "a-4"]),
            (&["a 2", "a", "a"], &["a-2", "a", "a-3"]),
            (&["a 2", "a 2", "a", "a"], &["a-2", "a-2-2", "a", "a-3"]),
            (&["[#7] x", "[#7] y"], &["#7", "#7-2"]),
            (&["2.3 x", "**2.3**: y", "2.3"], &["2.3", "2.3-2", "2.3-3"]),
            (&["", "🎉", "Task"], &["task", "task-2", "task-3"]),
        ] {
            assert_eq!(assign(texts.iter().copied()), expected, "{texts:?}");
        }
    }
}
