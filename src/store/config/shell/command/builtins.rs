//! The commands of bash that change variables, or read differently from all others.

use super::super::cursor::{Nest, Unclosed};
use super::super::value::Variable;
use super::{Commands, is_name, succeed};

impl Commands<'_> {
    /// `export A=1 B=2` and the like.
    pub(super) fn declaration(&mut self, mut read_only: bool) -> Result<(), Unclosed> {
        let mut pending = Vec::new();
        let mut attribute = None;
        loop {
            self.cursor.skip_blanks();
            if self.at_end() {
                break;
            }
            if let Some(mut one) = self.assignment()? {
                let plain_integer = one.value.text.iter().all(u8::is_ascii_digit);
                if attribute.is_some_and(|flag| flag != 'i' || !plain_integer) {
                    one.value.needs_shell("its `declare` flags need a shell");
                }
                pending.push(one);
            } else if self.cursor.eat(b"(") {
                self.cursor.skip_nested(&[Nest::Command], "(")?;
            } else if !self.redirection()? {
                let (word, _) = self.word()?;
                if let Some(flags) = word.strip_prefix('-') {
                    read_only |= flags.contains('r');
                    attribute = flags.chars().find(|flag| "aAinluc".contains(*flag)).or(attribute);
                } else if read_only && is_name(&word) && self.uncertain().is_none() {
                    self.read_only.insert(word);
                }
            }
        }
        self.list.succeeded = succeed(&pending);
        let names: Vec<String> = pending.iter().map(|one| one.name.clone()).collect();
        self.finish(pending);
        if read_only && self.uncertain().is_none() {
            self.read_only.extend(names);
        }
        Ok(())
    }

    /// `[[ … ]]`, where brackets and operators are part of the test.
    pub(super) fn test(&mut self) -> Result<(), Unclosed> {
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                None => return Err(Unclosed("[[")),
                Some(b'\n') => self.cursor.newline(),
                Some(b'(' | b')' | b'|' | b'&' | b';' | b'<' | b'>') => {
                    self.cursor.bump();
                }
                Some(_) => {
                    let (word, bare) = self.word()?;
                    if bare && word == "]]" {
                        return self.arguments();
                    }
                }
            }
        }
    }

    /// `unset A B`.
    pub(super) fn unset(&mut self) -> Result<(), Unclosed> {
        let uncertain = self.uncertain();
        let line = self.cursor.line();
        loop {
            self.cursor.skip_blanks();
            if self.at_end() {
                return Ok(());
            }
            if self.cursor.eat(b"(") {
                self.cursor.skip_nested(&[Nest::Command], "(")?;
            } else if !self.redirection()? {
                let (name, _) = self.word()?;
                if self.read_only.contains(&name) || !is_name(&name) {
                    continue;
                }
                if let Some(why) = uncertain {
                    self.leave(name, line, why.into());
                } else {
                    self.script.assignments.remove(&name);
                    self.variables.assigned.insert(name, Variable::Unset);
                }
            }
        }
    }
}
