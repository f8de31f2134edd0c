//! A hook's input, as far as the loop cares. What it does not care for is not kept, however large; what is of another type
//! than it should be counts as left out.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};

/// What Claude Code tells a hook.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct HookInput {
    /// The hook.
    #[serde(deserialize_with = "text")]
    pub hook_event_name: String,
    /// Claude's session, by whose id the loop goes.
    #[serde(deserialize_with = "text")]
    pub session_id: String,
    /// The folder in which Claude Code works.
    #[serde(deserialize_with = "text")]
    pub cwd: String,
    /// The subagent that the hook is about; none is the main agent.
    #[serde(deserialize_with = "optional_text")]
    pub agent_id: Option<String>,
    /// (tools) The tool.
    #[serde(deserialize_with = "text")]
    pub tool_name: String,
    /// (tools) The call.
    #[serde(deserialize_with = "text")]
    pub tool_use_id: String,
    /// (tools) What the tool was given.
    pub tool_input: Told,
    /// (tools) What the tool answered.
    pub tool_response: Told,
    /// (Stop) The model's last words.
    #[serde(deserialize_with = "optional_text")]
    pub last_assistant_message: Option<String>,
    /// (Stop) What still runs.
    #[serde(deserialize_with = "tasks")]
    pub background_tasks: Vec<BackgroundTask>,
    /// (`StopFailure`) What failed.
    #[serde(deserialize_with = "text")]
    pub error: String,
    /// (`StopFailure`) More of it.
    #[serde(deserialize_with = "text")]
    pub error_details: String,
    /// (`UserPromptSubmit`) What the person wrote.
    #[serde(deserialize_with = "text")]
    pub prompt: String,
    /// (`SessionStart`) Why the session begins.
    #[serde(deserialize_with = "text")]
    pub source: String,
    /// (`UserPromptExpansion`) The command, such as `ralph:start`.
    #[serde(deserialize_with = "text")]
    pub command_name: String,
    /// (`UserPromptExpansion`) What stands behind it.
    #[serde(deserialize_with = "text")]
    pub command_args: String,
}

impl HookInput {
    /// Reads a hook's input.
    ///
    /// # Errors
    /// `INVALID_INPUT` for what is no JSON object.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        serde_json::from_slice(text)
            .map_err(|error| Error::invalid_input(format!("a hook's input is a JSON object; this is none: {error}")))
    }

    /// Why the turn failed: the result's own words where they are told, for the analysis knows them.
    #[must_use]
    pub fn failure(&self) -> String {
        let told = [self.last_assistant_message.as_deref().unwrap_or_default(), &self.error_details, &self.error];
        told.into_iter().find(|part| !part.is_empty()).unwrap_or_default().to_owned()
    }
}

/// A task that runs in the background.
#[derive(Debug, Clone, Default)]
pub struct BackgroundTask {
    /// Its kind, such as `shell` or `subagent`.
    pub r#type: String,
    /// How it stands.
    pub status: String,
}

/// What a tool was given or answered: only these members are kept.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// `file_path` or `filePath`.
    pub file: Option<String>,
    /// `notebook_path`.
    pub notebook: Option<String>,
    /// `command`.
    pub command: Option<String>,
    /// `action`.
    pub action: Option<String>,
}

impl Told {
    /// The file that it is about.
    pub(super) fn place(&self) -> Option<String> {
        self.file.clone().or_else(|| self.notebook.clone())
    }
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(deserializer.deserialize_any(Lenient::<Told>::new())?.unwrap_or_default())
    }
}

/// A value of a type, or, where it is of another, nothing: it is read past.
struct Lenient<T>(std::marker::PhantomData<T>);

impl<T> Lenient<T> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// What a lenient reader takes of each kind of value.
trait Take: Sized {
    fn of_text(_text: &str) -> Option<Self> {
        None
    }

    fn of_map<'de, A: MapAccess<'de>>(mut map: A) -> std::result::Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn of_list<'de, A: SeqAccess<'de>>(mut list: A) -> std::result::Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl Take for String {
    fn of_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Take for Told {
    fn of_map<'de, A: MapAccess<'de>>(mut map: A) -> std::result::Result<Option<Self>, A::Error> {
        let mut told = Self::default();
        while let Some(Text(key)) = map.next_key::<Text>()? {
            match key.as_deref().unwrap_or_default() {
                "file_path" | "filePath" => told.file = map.next_value::<Text>()?.0,
                "notebook_path" => told.notebook = map.next_value::<Text>()?.0,
                "command" => told.command = map.next_value::<Text>()?.0,
                "action" => told.action = map.next_value::<Text>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Some(told))
    }
}

impl Take for BackgroundTask {
    fn of_map<'de, A: MapAccess<'de>>(mut map: A) -> std::result::Result<Option<Self>, A::Error> {
        let mut task = Self::default();
        while let Some(Text(key)) = map.next_key::<Text>()? {
            match key.as_deref() {
                Some("type") => task.r#type = map.next_value::<Text>()?.0.unwrap_or_default(),
                Some("status") => task.status = map.next_value::<Text>()?.0.unwrap_or_default(),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Some(task))
    }
}

impl Take for Vec<BackgroundTask> {
    fn of_list<'de, A: SeqAccess<'de>>(mut list: A) -> std::result::Result<Option<Self>, A::Error> {
        let mut tasks = Self::new();
        while let Some(Item(task)) = list.next_element()? {
            tasks.extend(task);
        }
        Ok(Some(tasks))
    }
}

/// A task, or nothing.
struct Item(Option<BackgroundTask>);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Lenient::new()).map(Self)
    }
}

impl<'de, T: Take> Visitor<'de> for Lenient<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Option<T>, E> {
        Ok(T::of_text(text))
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> std::result::Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Option<T>, A::Error> {
        T::of_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<Option<T>, A::Error> {
        T::of_list(list)
    }
}

/// A text, or nothing.
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Lenient::<String>::new()).map(Self)
    }
}

fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0)
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    optional_text(deserializer).map(Option::unwrap_or_default)
}

fn tasks<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<BackgroundTask>, D::Error> {
    let tasks: Option<Vec<BackgroundTask>> = deserializer.deserialize_any(Lenient::new())?;
    Ok(tasks.unwrap_or_default())
}
