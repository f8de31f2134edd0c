//! What a person types behind `/ralph:start`.

use crate::engine::Limits;

/// Usage, in a line.
pub const USAGE: &str =
    "/ralph:start [--max-loops N] [--max-minutes N] [--max-tokens N] [--max-cost-usd N] [what to do instead of the next task]";

/// A start's options: its limits, and an instruction where one was typed.
pub type Start = (Limits, Option<String>);

/// Reads what was typed. A number alone is a number of loops; what follows the options is the instruction.
///
/// # Errors
/// What is wrong and how it is typed, in words for a person.
pub fn parse(typed: &str) -> Result<Start, String> {
    let mut limits = Limits::default();
    let mut rest = typed.trim();
    while let Some((option, after)) = option(rest) {
        let (name, value, after) = if let Some((name, value)) = option.split_once('=') {
            (name, value, after)
        } else {
            let (value, after) = word(after);
            (option, value, after)
        };
        match name {
            "--max-loops" => limits.max_loops = Some(whole(name, value)?),
            "--max-tokens" => limits.max_tokens = Some(whole(name, value)?),
            "--max-minutes" => limits.max_minutes = Some(positive(name, value)?),
            "--max-cost-usd" => limits.max_cost_usd = Some(positive(name, value)?),
            _ => return Err(format!("{name} is no option; type {USAGE}")),
        }
        rest = after;
    }
    if let (number, "") = word(rest)
        && let Ok(loops) = number.parse::<u64>()
        && loops > 0
    {
        limits.max_loops = Some(loops);
        rest = "";
    }
    Ok((limits, (!rest.is_empty()).then(|| rest.to_owned())))
}

fn option(text: &str) -> Option<(&str, &str)> {
    text.starts_with("--").then(|| word(text))
}

fn word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

fn whole(name: &str, value: &str) -> Result<u64, String> {
    value.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("{name} takes a whole number from 1, not {value:?}"))
}

fn positive(name: &str, value: &str) -> Result<f64, String> {
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("{name} takes a number above 0, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read() {
        let loops = |typed: &str| parse(typed).map(|(limits, instruction)| (limits.max_loops, instruction));
        assert_eq!(loops(""), Ok((None, None)));
        assert_eq!(loops(" 5 "), Ok((Some(5), None)));
        assert_eq!(loops("--max-loops 5"), Ok((Some(5), None)));
        assert_eq!(loops("--max-loops=5 Fix {task}"), Ok((Some(5), Some("Fix {task}".into()))));
        assert_eq!(loops("5 things to do"), Ok((None, Some("5 things to do".into()))), "a sentence may begin with a number");
        for wrong in ["--max-loops", "--max-loops 0", "--max-loops x", "--max-cost-usd -1", "--max-minutes inf", "--loops 5"] {
            assert!(loops(wrong).is_err(), "{wrong}");
        }
        let (limits, _) = parse("--max-minutes 1.5 --max-tokens 1000 --max-cost-usd 2").expect("options");
        assert_eq!((limits.max_minutes, limits.max_tokens, limits.max_cost_usd), (Some(1.5), Some(1000), Some(2.0)));
    }
}
