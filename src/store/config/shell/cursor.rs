//! A position in a bash file, and how to step over what is not read.

use memchr::{memchr, memchr_iter};

/// A quote or bracket that the file never closes, by what opened it. Bash stops reading there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclosed(pub(super) &'static str);

/// What a stretch of text is inside of, while it is stepped over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nest {
    /// `$(…)`, `(…)`, `<(…)`.
    Command,
    /// Each bracket of `$((…))` and `((…))`.
    Arithmetic,
    /// `${…}`.
    Braces,
    /// `${…}` inside `"…"`, where `'` is no quote.
    QuotedBraces,
    /// `"…"`.
    Quotes,
}

struct Heredoc {
    end: Vec<u8>,
    strip_tabs: bool,
}

pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    heredocs: Vec<Heredoc>,
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Ends a word where it is not quoted.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, line: 1, heredocs: Vec::new() }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// What was read since `start`.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn peek_after(&self, distance: usize) -> Option<u8> {
        self.bytes.get(self.at + distance).copied()
    }

    pub(super) fn starts_with(&self, text: &[u8]) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    pub(super) fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.starts_with(text);
        if found {
            for _ in text {
                self.bump();
            }
        }
        found
    }

    /// Spaces, tabs and continued line ends.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_after(1) == Some(b'\n') => {
                    self.eat(b"\\\n");
                }
                _ => return,
            }
        }
    }

    /// To the end of the line, which stays.
    pub(super) fn skip_comment(&mut self) {
        self.at += memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
    }

    /// The number in front of a redirection, if that is what comes next.
    pub(super) fn skip_descriptor(&mut self) {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).take(9).count();
        if matches!(self.peek_after(digits), Some(b'<' | b'>')) {
            self.at += digits;
        }
    }

    /// To the end of the file.
    pub(super) fn skip_rest(&mut self) {
        self.at = self.bytes.len();
        self.heredocs.clear();
    }

    /// A line end and the here-documents that follow it.
    pub(super) fn newline(&mut self) {
        self.bump();
        for heredoc in std::mem::take(&mut self.heredocs) {
            while self.peek().is_some() {
                let mut line = self.rest();
                line = line.get(..memchr(b'\n', line).unwrap_or(line.len())).unwrap_or_default();
                self.at += line.len();
                self.bump();
                while heredoc.strip_tabs && line.first() == Some(&b'\t') {
                    line = line.get(1..).unwrap_or_default();
                }
                if line == heredoc.end {
                    break;
                }
            }
        }
    }

    /// After `<<`: what the here-document ends with.
    pub(super) fn heredoc(&mut self) {
        let strip_tabs = self.eat(b"-");
        self.skip_blanks();
        let mut end = Vec::new();
        let mut quote = None;
        while let Some(byte) = self.peek() {
            match (quote, byte) {
                (_, b'\n') => break,
                (None, b'\'' | b'"') => quote = Some(byte),
                (Some(open), _) if open == byte => quote = None,
                (None, b'\\') => {}
                (None, _) if ends_word(byte) => break,
                _ => end.push(byte),
            }
            self.bump();
        }
        self.heredocs.push(Heredoc { end, strip_tabs });
    }

    /// A variable's name, possibly empty.
    pub(super) fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let length = match rest.first() {
            Some(&first) if is_name_start(first) => rest.iter().take_while(|b| is_name(**b)).count(),
            _ => 0,
        };
        self.at += length;
        rest.get(..length).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
    }

    /// `NAME=` or `NAME+=` (then `true`), if that is what comes next.
    pub(super) fn assignment(&mut self) -> Option<(&'a str, bool)> {
        let start = self.at;
        let name = self.name();
        let append = !name.is_empty() && self.eat(b"+=");
        if append || (!name.is_empty() && self.eat(b"=")) {
            return Some((name, append));
        }
        self.at = start;
        None
    }

    /// `NAME[…]=` or `NAME[…]+=`, if that is what comes next.
    pub(super) fn element(&mut self) -> Option<&'a str> {
        let start = self.at;
        let name = self.name();
        if !name.is_empty() && self.peek() == Some(b'[') {
            let rest = self.rest();
            let length = rest.iter().take_while(|b| !ends_word(**b) && **b != b']').count();
            self.at += length;
            if self.eat(b"]=") || self.eat(b"]+=") {
                return Some(name);
            }
        }
        self.at = start;
        None
    }

    /// After the opening `'`: what it quotes.
    pub(super) fn single_quoted(&mut self) -> Result<&'a [u8], Unclosed> {
        let rest = self.rest();
        let length = memchr(b'\'', rest).ok_or(Unclosed("'"))?;
        let quoted = rest.get(..length).unwrap_or_default();
        self.line += memchr_iter(b'\n', quoted).count();
        self.at += length + 1;
        Ok(quoted)
    }

    /// After the opening backtick, over what it holds.
    pub(super) fn skip_backticks(&mut self) -> Result<(), Unclosed> {
        loop {
            match self.bump().ok_or(Unclosed("`"))? {
                b'`' => return Ok(()),
                b'\\' => {
                    self.bump();
                }
                _ => {}
            }
        }
    }

    /// After an opening, over everything up to its end, whatever is nested in it.
    pub(super) fn skip_nested(&mut self, opened: &[Nest], name: &'static str) -> Result<(), Unclosed> {
        let mut nests = opened.to_vec();
        let mut previous = b' ';
        while let Some(&nest) = nests.last() {
            let byte = self.peek().ok_or(Unclosed(name))?;
            if byte == b'\n' {
                self.newline();
                previous = byte;
                continue;
            }
            self.bump();
            let quoted = matches!(nest, Nest::Quotes | Nest::QuotedBraces);
            match (byte, nest) {
                (b'\\', _) => {
                    self.bump();
                }
                (b'\'', _) if !quoted => {
                    self.single_quoted()?;
                }
                (b'"', Nest::Quotes) | (b')', Nest::Command | Nest::Arithmetic) | (b'}', Nest::Braces | Nest::QuotedBraces) => {
                    nests.pop();
                }
                (b'"', _) => nests.push(Nest::Quotes),
                (b'`', _) => self.skip_backticks()?,
                (b'$', _) if self.eat(b"((") => nests.extend([Nest::Arithmetic; 2]),
                (b'$', _) if self.eat(b"(") => nests.push(Nest::Command),
                (b'$', _) if self.eat(b"{") => nests.push(if quoted { Nest::QuotedBraces } else { Nest::Braces }),
                (b'(', Nest::Command | Nest::Arithmetic) => nests.push(nest),
                (b'#', Nest::Command) if ends_word(previous) => self.skip_comment(),
                (b'<', Nest::Command) if self.starts_with(b"<<") => {
                    self.eat(b"<<");
                }
                (b'<', Nest::Command) if self.eat(b"<") => self.heredoc(),
                _ => {}
            }
            previous = byte;
        }
        Ok(())
    }
}
