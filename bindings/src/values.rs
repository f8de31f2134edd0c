//! Values from JavaScript, as they are: the core checks them against its definitions.

use napi::bindgen_prelude::{Either5, JsObjectValue, JsValue, Null, Object, Unknown};
use napi::{Env, KeyCollectionMode, KeyConversion, KeyFilter, Result, ValueType};
use ralph_sdk_tools::Error;
use ralph_sdk_tools::environment::Environment;
use ralph_sdk_tools::input::{RawInput, RawValue};

use crate::errors::{Thrown, passed_on, thrown};

/// Longer arrays are refused unread: a sparse one may claim four billion items.
const MAX_ITEMS: u32 = 10_000;

/// A property's value, read once: a getter runs a single time.
type Property<'env> = Either5<String, f64, bool, Null, Unknown<'env>>;

/// The fields of an argument that must be an object. `expected` says so in the message where it is none.
///
/// # Errors
/// `INVALID_INPUT` for anything else; an exception of the caller's own getter or proxy.
pub fn fields(expected: &str, argument: &Unknown<'_>) -> std::result::Result<RawInput, Thrown> {
    if has_fields(argument).map_err(passed_on)? {
        return argument.coerce_to_object().and_then(|object| entries(&object)).map_err(passed_on);
    }
    let found = type_name(argument).map_err(passed_on)?;
    Err(thrown(&Error::invalid_input(format!("{expected}, but was given: {found}"))))
}

/// The variables in `process.env`: in a worker thread those are not the process's own.
pub fn environment(env: Env) -> Result<Environment> {
    let process: Object<'_> = env.get_global()?.get_named_property("process")?;
    let variables: Object<'_> = process.get_named_property("env")?;
    let text = |(name, value)| match value {
        RawValue::Text(value) => Some((name, value)),
        _ => None,
    };
    Ok(entries(&variables)?.into_iter().filter_map(text).collect())
}

/// The object's own properties; `undefined` counts as left out.
fn entries(object: &Object<'_>) -> Result<RawInput> {
    let names =
        object.get_all_property_names(KeyCollectionMode::OwnOnly, KeyFilter::SkipSymbols, KeyConversion::NumbersToStrings)?;
    let mut fields = RawInput::new();
    for index in 0..names.get_array_length()? {
        let name: Unknown<'_> = names.get_element(index)?;
        if let Some(value) = raw(object.get_property_unchecked(name)?)? {
            fields.push((names.get_element(index)?, value));
        }
    }
    Ok(fields)
}

/// `None` is `undefined`.
fn raw(value: Property<'_>) -> Result<Option<RawValue>> {
    Ok(Some(match value {
        Either5::A(text) => RawValue::Text(text),
        Either5::B(number) => RawValue::Number(number),
        Either5::C(boolean) => RawValue::Boolean(boolean),
        Either5::D(Null) => RawValue::Null,
        Either5::E(other) => match other.get_type()? {
            ValueType::Undefined => return Ok(None),
            ValueType::Object if other.is_array()? => list(&other.coerce_to_object()?)?,
            _ => RawValue::Other(type_name(&other)?),
        },
    }))
}

/// An array, one level deep: no field takes more, and an array may contain itself.
fn list(array: &Object<'_>) -> Result<RawValue> {
    let length = array.get_array_length()?;
    if length > MAX_ITEMS {
        return Ok(RawValue::Other("array with more than 10000 items"));
    }
    let item = |index| {
        Ok(match array.get_element(index)? {
            Either5::A(text) => RawValue::Text(text),
            Either5::B(number) => RawValue::Number(number),
            Either5::C(boolean) => RawValue::Boolean(boolean),
            Either5::D(Null) => RawValue::Null,
            Either5::E(other) => RawValue::Other(type_name(&other)?),
        })
    };
    (0..length).map(item).collect::<Result<_>>().map(RawValue::List)
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
