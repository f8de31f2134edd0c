//! Validation of what callers pass: every value is checked against its definition, nothing is coerced.

use crate::error::{Error, ErrorCode, Result};
use crate::schema::{Field, FieldSpec, InputRecord, Kind, MAX_ITEMS, MAX_RECORDS, MAX_SAFE_INTEGER, ToolDefinition};

/// A value as it came from JavaScript. A field that is `undefined` is left out.
#[derive(Debug, Clone, PartialEq)]
pub enum RawValue {
    /// `null`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// A number, NaN and the infinities included.
    Number(f64),
    /// A string.
    Text(String),
    /// A string that was not read, for it is longer than anything its field takes: so many characters.
    LongText(usize),
    /// An array.
    List(Vec<RawValue>),
    /// An object, where a field takes such.
    Record(RawInput),
    /// Anything else, by the name of its type.
    Other(&'static str),
}

/// The most unknown fields that are named, and the characters of each.
const NAMED: usize = 10;
const NAME_CLIPPED: usize = 60;

/// No field is called anything as long: what a longer name may have meant is not guessed.
const LONGEST_GUESS: usize = 100;

/// The fields of an object as they came from JavaScript, in order.
pub type RawInput = Vec<(String, RawValue)>;

impl From<&serde_json::Value> for RawValue {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Boolean(*value),
            Value::Number(value) => Self::Number(value.as_f64().unwrap_or(f64::NAN)),
            Value::String(value) => Self::Text(value.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(object) => Self::Record(raw_input(object)),
        }
    }
}

/// The fields of a JSON object, for callers that have their input as JSON.
#[must_use]
pub fn raw_input(object: &serde_json::Map<String, serde_json::Value>) -> RawInput {
    object.iter().map(|(name, value)| (name.clone(), value.into())).collect()
}

impl RawValue {
    fn describe(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Boolean(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(value) => format!("the string {:?}", clip(value, 60)),
            Self::LongText(length) => format!("a string of {length} characters"),
            Self::List(items) if items.len() > MAX_ITEMS => format!("an array of {} items", items.len()),
            Self::List(_) => "an array".into(),
            Self::Record(_) => "a value of type object".into(),
            Self::Other(name) => format!("a value of type {name}"),
        }
    }
}

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of `Kind::Integer`.
    Integer(u64),
    /// Of `Kind::Number`.
    Number(f64),
    /// Of `Kind::Boolean`.
    Boolean(bool),
    /// Of `Kind::Text` and `Kind::OneOf`.
    Text(String),
    /// Of `Kind::TextList`.
    TextList(Vec<String>),
    /// Of `Kind::Records`.
    Records(Vec<Arguments>),
}

/// A Rust type that a checked value turns into.
pub trait FromValue: Sized {
    /// The value, where it is of this type.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($rust:ty => $variant:ident),* $(,)?) => {
        $(impl FromValue for $rust {
            fn from_value(value: &Value) -> Option<Self> {
                match value { Value::$variant(inner) => Some(inner.clone()), _ => None }
            }
        })*
    };
}
from_value!(u64 => Integer, f64 => Number, bool => Boolean, String => Text, Vec<String> => TextList, Vec<Arguments> => Records);

/// Checked fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments {
    action: &'static str,
    values: Vec<(&'static str, Value)>,
    warnings: Vec<String>,
}

impl Arguments {
    /// The value of a field; `None` where it was left out.
    #[must_use]
    pub fn get<T: FromValue>(&self, field: Field<T>) -> Option<T> {
        self.values.iter().find(|(name, _)| *name == field.spec.name).and_then(|(_, value)| T::from_value(value))
    }

    /// The text of a field, not copied: an output may be large.
    #[must_use]
    pub fn text(&self, field: Field<String>) -> Option<&str> {
        match self.values.iter().find(|(name, _)| *name == field.spec.name) {
            Some((_, Value::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// The action, as the variant of the tool's own enumeration of actions.
    ///
    /// # Errors
    /// `INTERNAL` where the definition lists an action that the enumeration lacks.
    pub fn action<A>(&self, from_word: impl FnOnce(&str) -> Option<A>) -> Result<A> {
        from_word(self.action)
            .ok_or_else(|| Error::new(ErrorCode::Internal, format!("the action {:?} is defined but not written", self.action)))
    }

    /// What was noticed that is no error, such as a field that the tool does not know.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Checks a call of a tool.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a missing or unknown action, or a wrong field.
    pub fn of_call(definition: &ToolDefinition, raw: RawInput) -> Result<Self> {
        let words = || definition.actions.iter().map(|action| action.name).collect::<Vec<_>>().join(", ");
        let given = raw.iter().find(|(name, _)| name == "action").map(|(_, value)| value);
        let action = match given {
            None => return Err(Error::invalid_input(format!("{}: action is required: one of {}", definition.name, words()))),
            Some(RawValue::Text(word)) => definition.actions.iter().find(|action| action.name == word),
            Some(_) => None,
        };
        let Some(action) = action else {
            let given = given.map(RawValue::describe).unwrap_or_default();
            return Err(Error::invalid_input(format!("{}: action must be one of {}, not {given}", definition.name, words())));
        };
        let others = raw.into_iter().filter(|(name, _)| name != "action");
        let mut checked = Self { action: action.name, ..Self::check(definition.name, definition.fields, others)? };
        checked.warn_of_fields_of_other_actions(definition);
        Ok(checked)
    }

    /// The types refuse such a field; a call without types, or a model's, works and is told.
    fn warn_of_fields_of_other_actions(&mut self, definition: &ToolDefinition) {
        let foreign = definition
            .fields
            .iter()
            .filter(|spec| self.values.iter().any(|(name, _)| *name == spec.name) && !spec.actions.contains(&self.action));
        self.warnings.extend(foreign.map(|spec| {
            let (tool, action, name, users) = (definition.name, self.action, spec.name, spec.actions.join(" or "));
            format!("{tool}: action {action} does not look at {name:?}; it belongs to {users}")
        }));
    }

    /// Checks `raw` against `fields`. `owner` stands in front of a field's name in messages.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a value of the wrong kind or out of range.
    pub fn check(owner: &str, fields: &[FieldSpec], raw: impl IntoIterator<Item = (String, RawValue)>) -> Result<Self> {
        let mut checked = Self::default();
        let mut unknown = 0;
        for (name, value) in raw {
            if let Some(spec) = fields.iter().find(|spec| spec.name == name) {
                checked.values.push((spec.name, check_value(owner, spec, value)?));
                continue;
            }
            unknown += 1;
            if unknown <= NAMED {
                let meant = did_you_mean(&name, fields);
                checked.warnings.push(format!("{owner}: the field {} is unknown and was ignored{meant}", quoted(&name)));
            }
        }
        if unknown > NAMED {
            checked.warnings.push(format!("{owner}: {} more unknown fields were ignored", unknown - NAMED));
        }
        Ok(checked)
    }
}

/// `; did you mean …?` where a known name is close.
#[must_use]
pub fn did_you_mean(name: &str, fields: &[FieldSpec]) -> String {
    closest(name, fields.iter().map(|spec| spec.name)).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// The most similar of some words, where one is similar enough to be meant.
pub fn closest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_GUESS {
        return None;
    }
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = plain(word);
    words
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &plain(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The first `limit` characters, with an ellipsis where something was cut.
#[must_use]
pub fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A name of the caller's, as a message shows it.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("{:?}", clip(name, NAME_CLIPPED))
}

/// A text's length as JavaScript counts it, where that is more than `max`.
fn longer_than(max: usize, text: &str) -> Option<usize> {
    (text.len() > max).then(|| text.encode_utf16().count()).filter(|length| *length > max)
}

fn check_value(owner: &str, spec: &FieldSpec, value: RawValue) -> Result<Value> {
    let wrong = |value: &RawValue| {
        let advice = match value {
            RawValue::LongText(_) => "shorten it",
            _ => "leave it out where you have no value",
        };
        let (expected, given) = (expected(&spec.kind), value.describe());
        Error::invalid_input(format!("{owner}: {} must be {expected}, not {given}; {advice}", spec.name))
    };
    match (spec.kind, value) {
        (Kind::Integer { min, max }, RawValue::Number(number)) => {
            whole(number, min, max).map(Value::Integer).ok_or_else(|| wrong(&RawValue::Number(number)))
        }
        (Kind::Number, RawValue::Number(number)) if number.is_finite() && number >= 0.0 => Ok(Value::Number(number)),
        (Kind::Boolean, RawValue::Boolean(value)) => Ok(Value::Boolean(value)),
        (Kind::Text { max }, RawValue::Text(text)) => match longer_than(max, &text) {
            Some(length) => Err(wrong(&RawValue::LongText(length))),
            None => Ok(Value::Text(text)),
        },
        (Kind::OneOf(words), RawValue::Text(text)) if words.contains(&text.as_str()) => Ok(Value::Text(text)),
        (Kind::TextList { max }, RawValue::List(items)) if items.len() <= MAX_ITEMS => {
            texts(max, items).map(Value::TextList).map_err(|item| wrong(&item))
        }
        (Kind::Records(record), RawValue::List(items)) if items.len() <= MAX_RECORDS => {
            let named = |number: usize| format!("{owner}: {}[{number}]", spec.name);
            let checked = items.into_iter().enumerate().map(|(number, item)| check_record(&named(number), record, item));
            checked.collect::<Result<_>>().map(Value::Records)
        }
        (_, value) => Err(wrong(&value)),
    }
}

/// An object of a list. A field that it does not know is an error: a limit that is written wrong would limit nothing.
fn check_record(owner: &str, record: &InputRecord, value: RawValue) -> Result<Arguments> {
    let RawValue::Record(fields) = value else {
        return Err(Error::invalid_input(format!("{owner} must be an object, not {}", value.describe())));
    };
    let checked = Arguments::check(owner, record.fields, fields)?;
    if let Some(warning) = checked.warnings.first() {
        return Err(Error::invalid_input(warning.replace(" and was ignored", "")));
    }
    match record.fields.iter().take(record.required).find(|spec| !checked.values.iter().any(|(name, _)| *name == spec.name)) {
        Some(missing) => Err(Error::invalid_input(format!("{owner} needs {}: {}", missing.name, missing.doc))),
        None => Ok(checked),
    }
}

/// The strings of an array of nothing but strings, none longer than `max`; else what is wrong with it.
fn texts(max: usize, items: Vec<RawValue>) -> std::result::Result<Vec<String>, RawValue> {
    let text = |item| match item {
        RawValue::Text(text) => longer_than(max, &text).map_or(Ok(text), |length| Err(RawValue::LongText(length))),
        RawValue::LongText(length) => Err(RawValue::LongText(length)),
        _ => Err(RawValue::Other("array with other values")),
    };
    items.into_iter().map(text).collect()
}

/// A number as a whole one from `min` to `max`, at most 2^53 - 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the range is checked before the cast"
)]
fn whole(number: f64, min: u64, max: u64) -> Option<u64> {
    let max = max.min(MAX_SAFE_INTEGER);
    (number.is_finite() && number.fract() == 0.0 && number >= min as f64 && number <= max as f64).then_some(number as u64)
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Integer { min, max } if *max == MAX_SAFE_INTEGER => format!("a whole number, {min} or more"),
        Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        Kind::Number => "a finite number, 0 or more".into(),
        Kind::Boolean => "true or false".into(),
        Kind::Text { max } => format!("a string of at most {max} characters"),
        Kind::OneOf(words) => format!("one of {}", words.join(", ")),
        Kind::Records(record) => format!("an array of at most {MAX_RECORDS} objects of type {}", record.name),
        Kind::TextList { max } => format!("an array of at most {MAX_ITEMS} strings of at most {max} characters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: Field<u64> = Field::integer("calls", "").at_most(1000);
    const LEVEL: Field<String> = Field::one_of("level", &["a", "b"], "");
    const NAMES: Field<Vec<String>> = Field::text_list("names", "");
    const SECONDS: Field<f64> = Field::number("seconds", "");
    const FIELDS: &[FieldSpec] = &[CALLS.spec, LEVEL.spec, NAMES.spec, SECONDS.spec];

    fn check(name: &str, value: RawValue) -> Result<Arguments> {
        Arguments::check("tool", FIELDS, [(name.into(), value)])
    }

    #[test]
    fn nothing_is_coerced() {
        for (name, value) in [
            ("calls", RawValue::Number(-1.0)),
            ("calls", RawValue::Number(1.5)),
            ("calls", RawValue::Number(f64::NAN)),
            ("calls", RawValue::Number(f64::INFINITY)),
            ("calls", RawValue::Number(1001.0)),
            ("calls", RawValue::Text("5".into())),
            ("calls", RawValue::Null),
            ("calls", RawValue::Boolean(true)),
            ("calls", RawValue::Other("bigint")),
            ("level", RawValue::Text("c".into())),
            ("names", RawValue::List(vec![RawValue::Number(1.0)])),
            ("seconds", RawValue::Number(-0.5)),
        ] {
            let error = check(name, value.clone()).expect_err(name);
            assert_eq!(error.code(), ErrorCode::InvalidInput, "{name} {value:?}");
            assert!(error.message().contains(name), "{error}");
        }
    }

    #[test]
    fn good_values_arrive_typed() {
        assert_eq!(check("calls", RawValue::Number(1000.0)).expect("fine").get(CALLS), Some(1000));
        assert_eq!(check("level", RawValue::Text("b".into())).expect("fine").get(LEVEL).as_deref(), Some("b"));
        assert_eq!(check("seconds", RawValue::Number(0.5)).expect("fine").get(SECONDS), Some(0.5));
        assert_eq!(check("names", RawValue::List(vec![])).expect("fine").get(NAMES), Some(vec![]));
        assert_eq!(check("calls", RawValue::Number(1.0)).expect("fine").get(LEVEL), None);
    }

    #[test]
    fn a_field_of_another_action_is_named_with_the_actions_that_it_belongs_to() {
        let definition = &crate::tools::rate_limit::DEFINITION;
        for (action, warnings) in [("increment", 0), ("check", 1)] {
            let raw = vec![("action".into(), RawValue::Text(action.into())), ("calls".into(), RawValue::Number(2.0))];
            let checked = Arguments::of_call(definition, raw).expect("only warned of");
            assert_eq!(checked.warnings().len(), warnings, "{action}");
            assert!(checked.warnings().iter().all(|text| text.contains("\"calls\"; it belongs to increment")), "{action}");
        }
    }

    #[test]
    fn every_text_has_a_bound_counted_as_javascript_counts() {
        const SHORT: Field<String> = Field::text("short", "").at_most_chars(4);
        const LISTED: Field<Vec<String>> = Field::text_list("listed", "");
        const FIELDS: &[FieldSpec] = &[SHORT.spec, LISTED.spec];
        let check = |name: &str, value| Arguments::check("tool", FIELDS, [(name.to_owned(), value)]);
        for text in ["", "four", "äöüß", "😀😀"] {
            assert!(check("short", RawValue::Text(text.into())).is_ok(), "{text}");
        }
        let long = || "x".repeat(crate::schema::MAX_TEXT + 1);
        for (name, value, told) in [
            (
                "short",
                RawValue::Text("fives".into()),
                "a string of at most 4 characters, not a string of 5 characters; shorten it",
            ),
            ("short", RawValue::Text("😀😀x".into()), "of 5 characters"),
            ("short", RawValue::LongText(1 << 40), "of 1099511627776 characters; shorten it"),
            ("listed", RawValue::List(vec![RawValue::Text(long())]), "of 10001 characters; shorten it"),
            ("listed", RawValue::List(vec![RawValue::LongText(20_000)]), "of 20000 characters; shorten it"),
            ("listed", RawValue::List(vec![RawValue::Null; MAX_ITEMS + 1]), "an array of 10001 items"),
        ] {
            let error = check(name, value).expect_err(told);
            assert!(error.message().contains(told), "{error}");
        }
    }

    #[test]
    fn a_name_of_any_length_is_told_of_briefly_and_nothing_is_guessed() {
        let name = "calls".repeat(1 << 20);
        let many = (0..1000).map(|_| (name.clone(), RawValue::Null));
        let checked = Arguments::check("tool", FIELDS, many).expect("warnings only");
        assert_eq!(checked.warnings().len(), NAMED + 1);
        assert!(checked.warnings()[NAMED].contains("990 more"), "{:?}", checked.warnings()[NAMED]);
        assert!(checked.warnings().iter().all(|warning| warning.len() < 200 && !warning.contains("mean")));
    }

    #[test]
    fn an_unknown_field_is_named_with_the_one_that_was_meant() {
        let checked = check("call", RawValue::Number(1.0)).expect("a warning only");
        assert!(checked.warnings()[0].contains("did you mean \"calls\""), "{:?}", checked.warnings());
    }
}
