//! The mark that leads a task's text and names it: `[proj-001]`, `T007`, `**US-12**:`, `2.3`, `ABC-4:`, `#123`.
//!
//! One real task in six has one. How much a mark must look like one depends on what sets it apart: in brackets, in bold or
//! before a colon more is taken than where only a blank follows (`utf-8: read it`, but not `utf-8 files`). Priorities
//! (`P1`), dates, versions (`v2.1`) and plain numbers are no names: they repeat, or say something else.

/// The longest mark, in characters.
const LONGEST: usize = 60;

/// What may stand around a mark, with what ends it.
const WRAPPINGS: &[(&str, &str)] = &[("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"), ("[", "]"), ("(", ")")];

/// So many of them inside each other.
const NESTED: usize = 3;

/// What sets a mark apart from the words behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// Brackets.
    Bracketed,
    /// Bold, code, a colon or a dash.
    Set,
    /// A blank alone.
    Blank,
}

/// The mark, without what stands around it; `None` where the text begins with plain words.
pub(super) fn leading(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut open: Vec<(&str, &str)> = Vec::new();
    while open.len() < NESTED
        && let Some((wrapping, inside)) = WRAPPINGS.iter().find_map(|w| Some((*w, rest.strip_prefix(w.0)?)))
    {
        open.push(wrapping);
        rest = inside;
    }
    let mark = token(rest);
    let apart = apart(rest.get(mark.len()..)?, open)?;
    (names(mark, apart) && mark.chars().count() <= LONGEST).then_some(mark)
}

/// The longest run of what marks are made of, without points and hyphens at its end.
fn token(text: &str) -> &str {
    let hash = usize::from(text.starts_with('#'));
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = text.get(hash..).and_then(|rest| rest.find(|c| !inside(c))).map_or(text.len(), |end| end + hash);
    text.get(..end).unwrap_or_default().trim_end_matches(['-', '_', '.'])
}

/// What stands between a mark and the words; `None` where it is glued to them.
fn apart(after: &str, mut open: Vec<(&str, &str)>) -> Option<Apart> {
    let bracketed = open.iter().any(|(opening, _)| matches!(*opening, "[" | "("));
    let wrapped = !open.is_empty();
    let mut rest = after;
    while let Some(inside) = open.last().and_then(|(_, closing)| rest.strip_prefix(closing)) {
        open.pop();
        rest = inside;
    }
    if bracketed {
        return open.is_empty().then_some(Apart::Bracketed);
    }
    let closed = wrapped && open.is_empty();
    let delimited = rest.strip_prefix([':', '：', '.', ')']).map(|rest| {
        // `**US-12:** Sign in`: the colon may stand inside.
        open.iter().rev().fold(rest, |rest, (_, closing)| rest.strip_prefix(closing).unwrap_or(rest))
    });
    let ends = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
    let dashed = |rest: &str| ["- ", "– ", "— "].iter().any(|dash| rest.trim_start().starts_with(dash));
    match delimited {
        Some(rest) => ends(rest).then_some(Apart::Set),
        None if !ends(rest) => None,
        None if closed || dashed(rest) => Some(Apart::Set),
        None => Some(Apart::Blank),
    }
}

/// Whether a run of such characters, set apart so, is a name.
fn names(mark: &str, apart: Apart) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = mark.strip_prefix('#') {
        return digits(number);
    }
    if mark.as_bytes().iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
        // Longer parts are years and the like.
        return mark.contains('.') && mark.split('.').all(|part| digits(part) && part.len() <= 3);
    }
    if !mark.starts_with(char::is_alphabetic) || priority(mark) {
        return false;
    }
    let parts: Vec<&str> = mark.split(['-', '_', '.']).collect();
    let ends_in_number = parts.last().is_some_and(|last| last.contains(char::is_numeric));
    if !ends_in_number || parts.iter().any(|part| part.is_empty()) {
        return false;
    }
    if capitals(mark, &parts) {
        return parts.len() > 1 || apart == Apart::Set || mark.bytes().filter(u8::is_ascii_digit).count() > 1;
    }
    match apart {
        Apart::Bracketed => mark.contains('-') && parts.len() - usize::from(mark.contains('_')) <= 2 && !mark.contains('.'),
        Apart::Set => mark.contains('-') || mark.contains('_'),
        Apart::Blank => false,
    }
}

/// `P0` to `P9`: what is urgent, not what it is called.
fn priority(mark: &str) -> bool {
    matches!(mark.as_bytes(), [b'P' | b'p', b'0'..=b'9'])
}

/// `T007`, `US-12`, `AUTH-LOGIN-3`, `A.1`, `FR_2a`: capitals and numbers, a small letter at most behind the last digit.
fn capitals(mark: &str, parts: &[&str]) -> bool {
    let body = mark.strip_suffix(|c: char| c.is_ascii_lowercase()).filter(|body| body.ends_with(|c: char| c.is_ascii_digit()));
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let letters = |part: &str| part.bytes().take_while(u8::is_ascii_uppercase).count();
    let numbered = parts.last().is_some_and(|last| letters(last) <= 5);
    body.unwrap_or(mark).chars().all(plain) && numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_name_a_task() {
        for (text, expected) in [
            // S17, and its kin.
            ("T007 Write it", "T007"),
            ("T007: Write it", "T007"),
            ("**T007** Write it", "T007"),
            ("**T007 Write it**", "T007"),
            ("[T007] Write it", "T007"),
            ("(T007) Write it", "T007"),
            ("`T007` Write it", "T007"),
            ("**[T007]** Write it", "T007"),
            ("T012a Write it", "T012a"),
            ("T1: Write it", "T1"),
            ("US1 - Sign in", "US1"),
            ("**US-12**: Sign in", "US-12"),
            ("**US-12:** Sign in", "US-12"),
            ("**US-12: Sign in**", "US-12"),
            ("__US-12__ Sign in", "US-12"),
            ("US-12 Sign in", "US-12"),
            ("2.3 Load", "2.3"),
            ("2.3. Load", "2.3"),
            ("2.3) Load", "2.3"),
            ("2.3: Load", "2.3"),
            ("**2.3** Load", "2.3"),
            ("[2.3] Load", "2.3"),
            ("1.2.3 Load", "1.2.3"),
            ("ABC-4: x", "ABC-4"),
            ("ABC-4 x", "ABC-4"),
            ("ABC-4", "ABC-4"),
            ("AUTH-LOGIN-03 x", "AUTH-LOGIN-03"),
            ("P2-T3: x", "P2-T3"),
            ("A.1 x", "A.1"),
            ("FR_2 x", "FR_2"),
            ("#123 Fix it", "#123"),
            ("#123: Fix it", "#123"),
            ("bd-a1b2: x", "bd-a1b2"),
            ("**step-3** x", "step-3"),
            // Brackets, as before.
            ("[proj-001] Fix it", "proj-001"),
            ("[#123](https://example.org) Fix it", "#123"),
            ("[bd-a1b2] x", "bd-a1b2"),
            ("[проект-7] x", "проект-7"),
            ("[proj-001]glued", "proj-001"),
        ] {
            assert_eq!(leading(text), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn words_that_name_none() {
        for text in [
            "Write it",
            "",
            "**",
            "[P1] Fix login",
            "P1 Fix login",
            "P1: Fix login",
            "**P0** Fix login",
            "3 tries at most",
            "1. First",
            "1) First",
            "2026-01-29 note",
            "[2026-01-29] note",
            "[2026-01] note",
            "29.01.2026 note",
            "2024.1 release",
            "v2.1 release",
            "utf-8 files",
            "OAuth2 sign in",
            "**OAuth2** sign in",
            "S3 upload",
            "x86_64 build",
            "2.5x as fast",
            "10% less",
            "Phase 2: load",
            "[proj-abc] no digit",
            "[a-b-1] two hyphens",
            "[#12a] x",
            "[#] x",
            "[x",
            "Fix [proj-001] later",
            "ABC-4x5!",
            "T007/8 x",
            "US-12's page",
            "**Bold** US-12",
            &format!("A-{}", "1".repeat(60)),
        ] {
            assert_eq!(leading(text), None, "{text:?}");
        }
    }
}
