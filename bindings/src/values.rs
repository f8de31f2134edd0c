//! Values from JavaScript, as they are: the core checks them against its definitions.

use napi::bindgen_prelude::{JsObjectValue, JsValue, Object, Unknown};
use napi::{Env, JsString, KeyCollectionMode, KeyConversion, KeyFilter, Result, ValueType};
use ralph_sdk_tools::Error;
use ralph_sdk_tools::environment::Environment;
use ralph_sdk_tools::input::{RawInput, RawValue};
use ralph_sdk_tools::schema::{FieldSpec, Kind, MAX_ITEMS, MAX_RECORDS, MAX_TEXT};

/// More fields are refused unread.
const MAX_FIELDS: u32 = 1000;

/// A longer name is none of ours, and is not read.
const MAX_NAME: usize = 1000;

/// What an argument comes to: its fields, or `INVALID_INPUT`. What the caller's own getter or proxy throws is the other
/// error.
pub type Fields = Result<ralph_sdk_tools::Result<RawInput>>;

/// The fields of an argument that must be an object; `known` are those that are read. `expected` says what should be there
/// where it is none.
pub fn fields(expected: &str, argument: &Unknown<'_>, known: &[FieldSpec]) -> Fields {
    let refused = |found: &str| Ok(Err(Error::invalid_input(format!("{expected}, but was given: {found}"))));
    if !has_fields(argument)? {
        return refused(type_name(argument)?);
    }
    let object = argument.coerce_to_object()?;
    let names = names(&object)?;
    let count = names.get_array_length()?;
    if count > MAX_FIELDS {
        return refused(&format!("an object with {count} fields"));
    }
    let mut fields = RawInput::new();
    for index in 0..count {
        let key: JsString<'_> = names.get_element(index)?;
        let name = match key.utf16_len()? {
            length if length > MAX_NAME => format!("(a name of {length} characters)"),
            _ => key.into_utf8()?.into_owned()?,
        };
        let value = match known.iter().find(|spec| spec.name == name) {
            Some(FieldSpec { kind: Kind::Records(record), .. }) => records(&object.get_property_unchecked(key)?, record.fields)?,
            Some(spec) => raw(&object.get_property_unchecked(key)?, longest(spec))?,
            // What says which of the others are read.
            None if name == "action" || name == "event" => raw(&object.get_property_unchecked(key)?, MAX_TEXT)?,
            None => RawValue::Other("unknown"),
        };
        // What is undefined counts as left out.
        if value != RawValue::Other("undefined") {
            fields.push((name, value));
        }
    }
    Ok(Ok(fields))
}

/// The variables in `process.env`: in a worker thread those are not the process's own.
pub fn environment(env: Env) -> Result<Environment> {
    let process: Object<'_> = env.get_global()?.get_named_property("process")?;
    let variables: Object<'_> = process.get_named_property("env")?;
    let names = names(&variables)?;
    let mut environment = Vec::new();
    for index in 0..names.get_array_length()? {
        let name: JsString<'_> = names.get_element(index)?;
        let value: Unknown<'_> = variables.get_property_unchecked(name)?;
        if value.get_type()? == ValueType::String {
            environment.push((name.into_utf8()?.into_owned()?, value.coerce_to_string()?.into_utf8()?.into_owned()?));
        }
    }
    Ok(environment.into_iter().collect())
}

/// The names of an object's own properties.
fn names<'env>(object: &Object<'env>) -> Result<Object<'env>> {
    object.get_all_property_names(KeyCollectionMode::OwnOnly, KeyFilter::SkipSymbols, KeyConversion::NumbersToStrings)
}

/// The most characters that a field takes; more are not read.
fn longest(spec: &FieldSpec) -> usize {
    match spec.kind {
        Kind::Text { max } | Kind::TextList { max } => max,
        Kind::Integer { .. } | Kind::Number | Kind::Boolean | Kind::OneOf(_) | Kind::Records(_) => MAX_TEXT,
    }
}

fn raw(value: &Unknown<'_>, longest: usize) -> Result<RawValue> {
    match value.get_type()? {
        ValueType::Object if value.is_array()? => list(&value.coerce_to_object()?, longest),
        _ => plain(value, longest),
    }
}

/// An array, one level deep: no field takes more, and an array may contain itself. A sparse one may claim four billion items.
fn list(array: &Object<'_>, longest: usize) -> Result<RawValue> {
    let length = array.get_array_length()?;
    if length as usize > MAX_ITEMS {
        return Ok(RawValue::Other("array with more than 10000 items"));
    }
    (0..length).map(|index| plain(&array.get_element(index)?, longest)).collect::<Result<_>>().map(RawValue::List)
}

/// An array of objects of these fields.
fn records(value: &Unknown<'_>, known: &[FieldSpec]) -> Result<RawValue> {
    if !(value.get_type()? == ValueType::Object && value.is_array()?) {
        return plain(value, MAX_TEXT);
    }
    let array = value.coerce_to_object()?;
    let length = array.get_array_length()?;
    if length as usize > MAX_RECORDS {
        return Ok(RawValue::Other("array with too many objects"));
    }
    let record = |index| {
        let item: Unknown<'_> = array.get_element(index)?;
        if !has_fields(&item)? {
            return plain(&item, MAX_TEXT);
        }
        Ok(fields("an object", &item, known)?.map_or(RawValue::Other("object with too many fields"), RawValue::Record))
    };
    (0..length).map(record).collect::<Result<_>>().map(RawValue::List)
}

fn plain(value: &Unknown<'_>, longest: usize) -> Result<RawValue> {
    Ok(match value.get_type()? {
        ValueType::String => {
            let text = value.coerce_to_string()?;
            match text.utf16_len()? {
                length if length > longest => RawValue::LongText(length),
                _ => RawValue::Text(text.into_utf8()?.into_owned()?),
            }
        }
        ValueType::Number => RawValue::Number(value.coerce_to_number()?.get_double()?),
        ValueType::Boolean => RawValue::Boolean(value.coerce_to_bool()?),
        ValueType::Null => RawValue::Null,
        _ => RawValue::Other(type_name(value)?),
    })
}

/// Whether a value's properties are fields: not those of an array or a buffer, however many they are.
fn has_fields(value: &Unknown<'_>) -> Result<bool> {
    Ok(value.get_type()? == ValueType::Object && !value.is_array()? && !value.is_typedarray()?)
}

fn type_name(value: &Unknown<'_>) -> Result<&'static str> {
    Ok(match value.get_type()? {
        ValueType::Undefined => "undefined",
        ValueType::Null => "null",
        ValueType::Boolean => "boolean",
        ValueType::Number => "number",
        ValueType::String => "string",
        ValueType::Symbol => "symbol",
        ValueType::BigInt => "bigint",
        ValueType::Function => "function",
        ValueType::Object if value.is_array()? => "array",
        ValueType::Object if value.is_typedarray()? => "buffer",
        ValueType::Object => "object",
        _ => "unknown",
    })
}
