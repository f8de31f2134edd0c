//! What a process is started with, taken once: a later change of it changes no running instance.

use std::collections::BTreeMap;

/// A snapshot of the environment variables.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process, now.
    #[must_use]
    pub fn snapshot() -> Self {
        std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect()
    }

    /// A variable's value; an empty one counts as unset, as in bash Ralph.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All variables, the empty ones included.
    #[must_use]
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}
