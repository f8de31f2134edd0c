//! Numbers in an output, brought into the range that state files and JavaScript hold exactly.

use serde_json::Value;

use crate::schema::MAX_SAFE_INTEGER;

/// A whole number of at least 0, also in quotes. What is none counts as 0, what is too great as the greatest, with a warning.
pub fn count(value: &Value, name: &str, warnings: &mut Vec<String>) -> u64 {
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then(|| u64::try_from(whole(number)).unwrap_or(0));
    let parsed = match value {
        Value::Null | Value::Bool(false) => Some(0),
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => text.trim().parse().ok().or_else(|| text.trim().parse().ok().and_then(whole)),
        _ => None,
    };
    match parsed {
        Some(count) => in_range(count, &format!("{name} of the output"), warnings),
        None => none(value, name, "whole number of at least 0", warnings),
    }
}

/// A number, also in quotes, without its fraction; what is none counts as 0, what is out of range as its end, with a warning.
pub fn signed(value: &Value, name: &str, warnings: &mut Vec<String>) -> i64 {
    let parsed = match value {
        Value::Null | Value::Bool(false) => Some(0),
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(whole)),
        Value::String(text) => text.trim().parse().ok().or_else(|| text.trim().parse().ok().map(whole)),
        _ => None,
    };
    match parsed {
        Some(number) => {
            let size = i64::try_from(in_range(number.unsigned_abs(), &format!("{name} of the output"), warnings));
            size.unwrap_or(i64::MAX) * number.signum()
        }
        None => none(value, name, "number", warnings).try_into().unwrap_or(0),
    }
}

fn none(value: &Value, name: &str, wanted: &str, warnings: &mut Vec<String>) -> u64 {
    let shown: String = value.to_string().chars().take(60).collect();
    warnings.push(format!("{name} of the output is {shown}, which is no {wanted}; 0 is taken"));
    0
}

/// The number, or the greatest there may be.
pub fn in_range(number: u64, name: &str, warnings: &mut Vec<String>) -> u64 {
    if number > MAX_SAFE_INTEGER {
        warnings.push(format!("{name} is greater than {MAX_SAFE_INTEGER}, which is taken"));
    }
    number.min(MAX_SAFE_INTEGER)
}

/// Without its fraction; one that an `i64` does not hold is the nearest it does, and NaN is 0.
pub fn whole(number: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a float saturates, and NaN is 0")]
    let whole = number as i64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts() {
        for (value, expected, warns) in [
            (json!(3), 3, false),
            (json!("08"), 8, false),
            (json!(" 3.0 "), 3, false),
            (json!(3.0), 3, false),
            (json!(null), 0, false),
            (json!(MAX_SAFE_INTEGER), MAX_SAFE_INTEGER, false),
            (json!(9_007_199_254_740_993_u64), MAX_SAFE_INTEGER, true),
            (json!(u64::MAX), MAX_SAFE_INTEGER, true),
            (json!(1e20), MAX_SAFE_INTEGER, true),
            (json!("1e30"), MAX_SAFE_INTEGER, true),
            (json!("99999999999999999999999"), MAX_SAFE_INTEGER, true),
            (json!("inf"), 0, true),
            (json!(-1), 0, true),
            (json!("-1"), 0, true),
            (json!(-1e30), 0, true),
            (json!(1.5), 0, true),
            (json!("three"), 0, true),
            (json!("NaN"), 0, true),
            (json!(true), 0, true),
            (json!([1]), 0, true),
        ] {
            let mut warnings = Vec::new();
            assert_eq!(count(&value, "x", &mut warnings), expected, "{value}");
            assert_eq!(!warnings.is_empty(), warns, "{value}: {warnings:?}");
        }
    }

    #[test]
    fn signed_numbers() {
        let greatest = i64::try_from(MAX_SAFE_INTEGER).expect("it fits");
        for (value, expected, warns) in [
            (json!(-10), -10, false),
            (json!(80.9), 80, false),
            (json!("80"), 80, false),
            (json!(1e30), greatest, true),
            (json!(-1e30), -greatest, true),
            (json!(i64::MIN), -greatest, true),
            (json!("high"), 0, true),
        ] {
            let mut warnings = Vec::new();
            assert_eq!(signed(&value, "x", &mut warnings), expected, "{value}");
            assert_eq!(!warnings.is_empty(), warns, "{value}: {warnings:?}");
        }
    }
}
