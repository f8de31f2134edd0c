//! Whether a word that says "done" stands under a negation: `not finished yet`, `could not complete`, `80% done`,
//! `incomplete` (case S16). A guess at a sentence, which a model that reports by a status block never needs.
//!
//! Where it is in doubt the word is no signal: a loop too many costs less than a run that ends half-way.

/// Bytes before a word that are looked at.
pub const BEFORE: usize = 256;

/// Words that negate what follows them in their clause.
const NEGATIONS: &[&str] = &[
    "not",
    "cannot",
    "never",
    "none",
    "nobody",
    "neither",
    "nor",
    "unable",
    "impossible",
    "hardly",
    "barely",
    "cant",
    "dont",
    "didnt",
    "doesnt",
    "isnt",
    "wasnt",
    "arent",
    "werent",
    "wont",
    "couldnt",
    "hasnt",
    "havent",
    "hadnt",
    "shouldnt",
    "wouldnt",
    "fail",
    "fails",
    "failed",
    "failing",
];
/// Words that negate one right behind them, or behind one more word.
const NEARLY: &[&str] =
    &["almost", "nearly", "partially", "partly", "half", "halfway", "mostly", "semi", "without", "before", "non"];
/// Pairs of words that negate what follows them in their clause.
const PAIRS: &[(&str, &str)] = &[("yet", "to"), ("far", "from"), ("short", "of"), ("refused", "to"), ("refuses", "to")];
/// Words between which a new clause begins.
const CONJUNCTIONS: &[&str] = &["but", "and", "however", "so", "because", "although", "though", "while", "whereas", "therefore"];
/// Words that a clause of its own has, behind a comma.
const CLAUSE: &[&str] = &[
    "i",
    "we",
    "it",
    "this",
    "that",
    "they",
    "everything",
    "all",
    "the",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "now",
    "work",
    "task",
    "tasks",
    "i'm",
    "it's",
    "i've",
    "we've",
    "that's",
];
/// Verbs behind which a subject with `no` is denied something: `no task is finished`.
const VERBS: &[&str] =
    &["is", "are", "was", "were", "has", "have", "had", "been", "be", "can", "could", "will", "got", "gets", "get"];

/// Whether the word between `before` and `after` is negated in its sentence. `before` may begin in the middle of a word.
#[must_use]
pub fn is_negated(before: &[u8], word: &[u8], after: &[u8]) -> bool {
    let before = String::from_utf8_lossy(before).replace('’', "'");
    let before = paragraph(&before, word).to_lowercase();
    let attached = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if matches!(attached, "in" | "un") {
        return true;
    }
    let clause = clause(&before);
    let words: Vec<&str> = clause.split(|c: char| c.is_whitespace() || "*_`\"()[],".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().map(|word| word.trim_matches(MARKS)).filter(|word| !word.is_empty()).collect();
    denied(&words) || answered_no(after)
}

/// Marks around a word.
const MARKS: [char; 12] = ['*', '_', '`', '"', '\'', '(', ')', '[', ']', '-', '~', '#'];

/// The end of the text that belongs to one clause: from the last sentence's end, conjunction, or comma before a clause.
fn clause(before: &str) -> &str {
    let mut rest = before;
    // A sentence ends at a mark with space behind it.
    let ends = ['.', '!', '?', ';', ':', '—', '–', '|'];
    let mut from = 0;
    for (at, mark) in rest.match_indices(ends) {
        let after = rest.get(at + mark.len()..).unwrap_or_default();
        let ends = match mark {
            "—" | "–" | "|" => true,
            _ => after.starts_with(char::is_whitespace) || after.is_empty(),
        };
        if ends {
            from = at + mark.len();
        }
    }
    rest = rest.get(from..).unwrap_or_default();
    let mut from = 0;
    for (at, _) in rest.match_indices(',') {
        let after = rest.get(at + 1..).unwrap_or_default();
        let next = after.split(',').next().unwrap_or_default();
        let inside =
            next.trim_start().split(' ').next().is_some_and(|word| ["in", "by", "as", "at", "despite", "for"].contains(&word));
        if !inside && next.split_whitespace().any(|word| CLAUSE.contains(&word.trim_matches(MARKS))) {
            from = at + 1;
        }
    }
    rest = rest.get(from..).unwrap_or_default();
    let mut from = 0;
    for word in rest.split_whitespace() {
        // All words are parts of the same text.
        if CONJUNCTIONS.contains(&word.trim_matches(MARKS)) {
            let start = word.as_ptr() as usize - rest.as_ptr() as usize;
            from = start + word.len();
        }
    }
    let rest = rest.get(from..).unwrap_or_default();
    rest.rsplit(" - ").next().unwrap_or(rest)
}

/// The lines at the end that go on from one to the next.
fn paragraph<'a>(before: &'a str, word: &[u8]) -> &'a str {
    let word = String::from_utf8_lossy(word.get(..4).unwrap_or(word));
    let begins = |(at, _): &(usize, &str)| {
        let line = before.get(at + 1..).unwrap_or_default().trim_start_matches([' ', '\t']);
        begins_anew(if line.is_empty() { &word } else { line })
    };
    let from = before.match_indices('\n').rfind(begins).map_or(0, |(at, _)| at + 1);
    before.get(from..).unwrap_or_default()
}

/// Whether a line is no continuation of the one before it: an empty line, a list's item, a heading, a row of a table, or a
/// sentence of its own.
fn begins_anew(line: &str) -> bool {
    line.starts_with(|c: char| "\n\r-*+#|>".contains(c) || c.is_ascii_digit() || c.is_uppercase())
}

fn denied(words: &[&str]) -> bool {
    let last = words.len();
    let near = |word: &&str| NEARLY.contains(word) || percent(word);
    if words.iter().rev().take(2).any(near) {
        return true;
    }
    let negation = words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        (NEGATIONS.contains(word) || word.ends_with("n't")) && !matches!(next, "only" | "just" | "merely")
    });
    if words.windows(2).any(|pair| PAIRS.iter().any(|(first, second)| pair == [*first, *second])) {
        return true;
    }
    let nobody = words.iter().position(|word| matches!(*word, "no" | "nothing"));
    // `to be done`: what is still to do, unless there is nothing of it.
    let to_do = [words.len().checked_sub(2), words.len().checked_sub(1)].map(|at| at.and_then(|at| words.get(at)).copied());
    if to_do == [Some("to"), Some("be")] {
        return !(negation || nobody.is_some());
    }
    let subject = nobody.is_some_and(|at| {
        let between = words.get(at + 1..last).unwrap_or_default();
        let left = between.iter().any(|word| matches!(*word, "left" | "more" | "else" | "remains" | "remain" | "remaining"));
        !left && between.len() <= 5 && between.iter().any(|word| VERBS.contains(word))
    });
    negation || subject
}

/// A share that is not the whole.
fn percent(word: &str) -> bool {
    word.strip_suffix('%').is_some_and(|number| number.parse::<f64>().is_ok_and(|number| number < 100.0))
}

/// `done: no`, `finished? Not yet`.
fn answered_no(after: &[u8]) -> bool {
    let after = String::from_utf8_lossy(after.get(..40).unwrap_or(after)).to_lowercase();
    let after = after.trim_start_matches(|c: char| MARKS.contains(&c));
    let Some(answer) = after.trim_start().strip_prefix([':', '=', '?']) else { return false };
    let word = answer.trim_start_matches(|c: char| c.is_whitespace() || MARKS.contains(&c));
    let word = word.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    ["no", "not", "false", "never", "none", "nope"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the first word in brackets.
    fn negated(text: &str) -> bool {
        let (before, rest) = text.split_once('[').unwrap();
        let (word, after) = rest.split_once(']').unwrap();
        is_negated(before.as_bytes(), word.as_bytes(), after.as_bytes())
    }

    #[test]
    fn under_a_negation() {
        for text in [
            "The work is not [finished] yet.",
            "I could not [complete] step 2.",
            "I couldn't [complete] step 2",
            "I couldn’t [complete] step 2",
            "It isn't [done].",
            "**Not** [done]",
            "The task is **not** [complete].",
            "I do not think that the migration is [done].",
            "Step 2 cannot be [complete]d today",
            "I was unable to [complete] the migration.",
            "I failed to [complete] it",
            "None of the tasks is [done]",
            "No task is [finished] yet.",
            "Nothing is [done] so far",
            "Neither part is [complete]",
            "The work is in[complete]",
            "It stays un[finished]",
            "The docs are not [up to date]",
            "This is not [already implemented]",
            "I never [finished] it",
            "80% [done]",
            "It is almost [done]",
            "half [done]",
            "The first half is partially [complete]",
            "The work has yet to be [finished]",
            "What remains to be [done]:",
            "It is far from [complete]",
            "Tests pass. The work is not [done]",
            "The work is not, in any sense, [complete].",
            "Everything else works, but step 2 is not [done]",
            "The work is not\n[finished] yet",
            "[Done]: no",
            "Is it [done]? Not yet.",
            "all [done] = false",
            "Without being [finished]",
        ] {
            assert!(negated(text), "{text}");
        }
    }

    #[test]
    fn not_under_a_negation() {
        for text in [
            "[Done]",
            "All tasks are [complete].",
            "I did not change the API, and the work is [done].",
            "The tests do not fail. All is [done].",
            "No errors, everything is [done]",
            "No issues remain, all [complete]",
            "It does not crash; [done]",
            "The bug was not in the parser - [done]",
            "It was not easy but it is [done]",
            "Nothing left to be [done]",
            "No tasks remain to be [complete]d",
            "There is nothing more to be [done]",
            "Not only [done] but tested",
            "100% [complete]",
            "We could not reproduce it, it is [done]",
            "Not needed:\n- [done]",
            "I did not stop.\n\nAll [done]",
            "Error: cannot find module 'x'\n[No changes] were needed",
            "Some tests do not run\nAll [done]",
            "[Done]: yes",
            "[Done]: nothing is left",
            "Implementation [complete] without errors",
            "With no new warnings [done]",
            "v2.0 is [complete]",
        ] {
            assert!(!negated(text), "{text}");
        }
    }

    #[test]
    fn any_bytes_will_do() {
        assert!(!is_negated(b"\xff\xfe \xf0\x9f", b"done", b"\xff"));
        assert!(is_negated(b"\xff not ", b"done", b""));
    }
}
