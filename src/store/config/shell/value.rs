//! What a word means: quotes, escapes and variables.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::MAX_VALUE;
use super::cursor::{Cursor, Nest, Unclosed, ends_word, is_name_start};

/// Deeper `${A:-${B:-…}}` is not read.
const MAX_DEPTH: usize = 32;

/// A word once it is read.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub(super) text: Vec<u8>,
    /// Why only a shell knows the text.
    pub(super) needs_shell: Option<Cow<'static, str>>,
}

impl Value {
    fn push(&mut self, bytes: &[u8]) {
        if self.text.len() + bytes.len() > MAX_VALUE {
            self.needs_shell("it is longer than 64 KiB");
        } else {
            self.text.extend_from_slice(bytes);
        }
    }

    pub(super) fn needs_shell(&mut self, why: impl Into<Cow<'static, str>>) {
        self.needs_shell.get_or_insert_with(|| why.into());
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.push(&other.text);
        if let Some(why) = &other.needs_shell {
            self.needs_shell(why.clone());
        }
    }

    pub(super) fn into_string(self) -> String {
        String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// What is known of a variable.
#[derive(Debug, Clone)]
pub(super) enum Variable {
    Known(String),
    Unset,
    /// Assigned by something that was skipped, on this line.
    Unknown(usize),
}

pub(super) struct Variables<'a> {
    pub(super) assigned: HashMap<String, Variable>,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// What `${NAME:=value}` gave to variables that were not set, to be assigned once the command is known to run.
    pub(super) defaulted: Vec<(String, Value)>,
    /// Bytes that may still be copied out of variables: a value of [`MAX_VALUE`] bytes used on each line of a long file
    /// would otherwise take minutes.
    pub(super) budget: usize,
}

/// The first [`Variables::budget`]; Ralph's largest script copies less than a hundredth.
pub(super) const BUDGET: usize = 16 << 20;

impl Variables<'_> {
    /// `None`: not set.
    pub(super) fn get(&mut self, name: &str) -> Option<Value> {
        let mut value = Value::default();
        if self.budget == 0 {
            value.needs_shell("the variables above are too long");
            return Some(value);
        }
        match self.assigned.get(name) {
            Some(Variable::Known(text)) => value.push(text.as_bytes()),
            Some(Variable::Unset) => return None,
            Some(Variable::Unknown(line)) => value.needs_shell(format!("it needs ${name}, which line {line} leaves to a shell")),
            None => value.push(self.environment.get(name)?.as_bytes()),
        }
        self.budget = self.budget.saturating_sub(value.text.len());
        Some(value)
    }
}

/// Where a word stands, and so what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Word,
    Braces,
    QuotedBraces,
}

/// Reads words at a cursor.
pub(super) struct Words<'c, 'a, 'e> {
    pub(super) cursor: &'c mut Cursor<'a>,
    pub(super) variables: &'c mut Variables<'e>,
}

impl Words<'_, '_, '_> {
    /// Up to the blank or the operator that ends the word.
    pub(super) fn word(&mut self) -> Result<Value, Unclosed> {
        let mut value = Value::default();
        if self.cursor.peek() == Some(b'~') {
            value.needs_shell("`~` needs a shell");
        }
        self.read(Place::Word, MAX_DEPTH, &mut value)?;
        Ok(value)
    }

    fn read(&mut self, place: Place, depth: usize, value: &mut Value) -> Result<(), Unclosed> {
        let quoted = place == Place::QuotedBraces;
        loop {
            let Some(byte) = self.cursor.peek() else {
                return if place == Place::Word { Ok(()) } else { Err(Unclosed("${")) };
            };
            match byte {
                _ if place == Place::Word && ends_word(byte) => return Ok(()),
                b'\\' if quoted => self.escape_in_quotes(value),
                b'\\' => self.escape(value),
                b'\'' if !quoted => {
                    self.cursor.bump();
                    value.push(self.cursor.single_quoted()?);
                }
                b'"' => {
                    self.cursor.bump();
                    self.double_quoted(depth, value)?;
                }
                b'`' => self.backticks(value)?,
                b'$' => self.dollar(quoted, depth, value)?,
                b'}' if place != Place::Word => {
                    self.cursor.bump();
                    return Ok(());
                }
                _ => self.copy(value),
            }
        }
    }

    fn copy(&mut self, value: &mut Value) {
        if let Some(byte) = self.cursor.bump() {
            value.push(&[byte]);
        }
    }

    fn escape(&mut self, value: &mut Value) {
        self.cursor.bump();
        match self.cursor.peek() {
            None => value.push(b"\\"),
            Some(b'\n') => {
                self.cursor.bump();
            }
            Some(_) => self.copy(value),
        }
    }

    fn escape_in_quotes(&mut self, value: &mut Value) {
        self.cursor.bump();
        match self.cursor.peek() {
            Some(b'\n') => {
                self.cursor.bump();
            }
            Some(b'$' | b'`' | b'"' | b'\\') => self.copy(value),
            _ => value.push(b"\\"),
        }
    }

    fn backticks(&mut self, value: &mut Value) -> Result<(), Unclosed> {
        self.cursor.bump();
        value.needs_shell("`…` needs a shell");
        self.cursor.skip_backticks()
    }

    fn double_quoted(&mut self, depth: usize, value: &mut Value) -> Result<(), Unclosed> {
        loop {
            match self.cursor.peek().ok_or(Unclosed("\""))? {
                b'"' => {
                    self.cursor.bump();
                    return Ok(());
                }
                b'\\' => self.escape_in_quotes(value),
                b'`' => self.backticks(value)?,
                b'$' => self.dollar(true, depth, value)?,
                _ => self.copy(value),
            }
        }
    }

    fn dollar(&mut self, quoted: bool, depth: usize, value: &mut Value) -> Result<(), Unclosed> {
        self.cursor.bump();
        let Some(next) = self.cursor.peek() else {
            value.push(b"$");
            return Ok(());
        };
        match next {
            b'(' if self.cursor.eat(b"((") => {
                value.needs_shell("`$((…))` needs a shell");
                self.cursor.skip_nested(&[Nest::Arithmetic; 2], "$((")?;
            }
            b'(' => {
                self.cursor.bump();
                value.needs_shell("`$(…)` needs a shell");
                self.cursor.skip_nested(&[Nest::Command], "$(")?;
            }
            b'{' => {
                self.cursor.bump();
                self.braces(quoted, depth, value)?;
            }
            b'\'' if !quoted => {
                self.cursor.bump();
                self.ansi_quoted(value)?;
            }
            b'"' if !quoted => {}
            _ if is_name_start(next) => {
                let name = self.cursor.name();
                value.append(&self.variables.get(name).unwrap_or_default());
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.cursor.bump();
                value.needs_shell("`$1`, `$@`, `$?` and the like need a shell");
            }
            _ => value.push(b"$"),
        }
        Ok(())
    }

    /// `${NAME}` and the four operators that choose between a variable and a word.
    fn braces(&mut self, quoted: bool, depth: usize, value: &mut Value) -> Result<(), Unclosed> {
        let (nest, place) = if quoted { (Nest::QuotedBraces, Place::QuotedBraces) } else { (Nest::Braces, Place::Braces) };
        let name = self.cursor.name();
        let empty_counts = self.cursor.peek() == Some(b':');
        let operator = self.cursor.peek_after(usize::from(empty_counts));
        let variable = self.variables.get(name);
        let known_operator = matches!(operator, Some(b'-' | b'=' | b'+' | b'?'));
        if !name.is_empty() && operator == Some(b'}') && !empty_counts {
            self.cursor.bump();
            value.append(&variable.unwrap_or_default());
            return Ok(());
        }
        if name.is_empty() || !known_operator || depth == 0 {
            value.needs_shell(if depth == 0 { "`${…}` is nested too deeply" } else { "this kind of `${…}` needs a shell" });
            return self.cursor.skip_nested(&[nest], "${");
        }
        for _ in 0..=usize::from(empty_counts) {
            self.cursor.bump();
        }
        let defaulted = self.variables.defaulted.len();
        let mut word = Value::default();
        self.read(place, depth - 1, &mut word)?;
        let set = variable.filter(|v| !empty_counts || v.needs_shell.is_some() || !v.text.is_empty());
        let word_is_used = match operator {
            Some(b'+') => set.is_some(),
            _ => set.is_none(),
        };
        if !word_is_used {
            self.variables.defaulted.truncate(defaulted);
        }
        match (operator, set) {
            (Some(b'+'), Some(set)) if set.needs_shell.is_some() => value.append(&set),
            (Some(b'+'), Some(_)) => value.append(&word),
            (Some(b'+'), None) => {}
            (_, Some(set)) => value.append(&set),
            (Some(b'?'), None) => value.needs_shell(format!("${name} is not set")),
            (Some(b'='), None) => {
                value.append(&word);
                self.variables.defaulted.push((name.to_owned(), word));
            }
            (_, None) => value.append(&word),
        }
        Ok(())
    }

    /// `$'…'`: the escapes of one character; others need a shell.
    fn ansi_quoted(&mut self, value: &mut Value) -> Result<(), Unclosed> {
        loop {
            match self.cursor.bump().ok_or(Unclosed("'"))? {
                b'\'' => return Ok(()),
                b'\\' => match self.cursor.bump().ok_or(Unclosed("'"))? {
                    b'n' => value.push(b"\n"),
                    b't' => value.push(b"\t"),
                    b'r' => value.push(b"\r"),
                    byte @ (b'\\' | b'\'' | b'"' | b'?') => value.push(&[byte]),
                    _ => value.needs_shell("this escape in `$'…'` needs a shell"),
                },
                byte => value.push(&[byte]),
            }
        }
    }
}
