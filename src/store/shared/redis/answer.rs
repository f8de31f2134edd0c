//! The answers of scripts: lists of numbers, texts and lists. What is none of ours reads as `None`.

use redis::Value;

/// The rest of a list.
pub(super) struct Answer(std::vec::IntoIter<Value>);

impl Answer {
    /// A list.
    pub(super) fn new(value: Value) -> Option<Self> {
        match value {
            Value::Array(values) => Some(Self(values.into_iter())),
            _ => None,
        }
    }

    /// The next member, a number from 0.
    pub(super) fn number(&mut self) -> Option<u64> {
        match self.0.next()? {
            Value::Int(number) => u64::try_from(number).ok(),
            Value::BulkString(text) => std::str::from_utf8(&text).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// The next member, a text.
    pub(super) fn text(&mut self) -> Option<String> {
        match self.0.next()? {
            Value::BulkString(text) => String::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// The next member, a list.
    pub(super) fn list(&mut self) -> Option<Self> {
        Self::new(self.0.next()?)
    }

    /// The next member, a list of lists.
    pub(super) fn rows<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.list()?.remaining_rows(read)
    }

    /// All members left, which are lists.
    pub(super) fn remaining_rows<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.0.by_ref().map(|row| read(&mut Self::new(row)?)).collect()
    }

    /// All members left, which are texts.
    pub(super) fn remaining_texts(&mut self) -> Option<Vec<String>> {
        let mut texts = Vec::with_capacity(self.0.len());
        while self.0.len() > 0 {
            texts.push(self.text()?);
        }
        Some(texts)
    }
}
