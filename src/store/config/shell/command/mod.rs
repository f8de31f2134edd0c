//! Which assignments a bash file makes for certain, at its top level.

mod builtins;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::cursor::{Cursor, Nest, Unclosed};
use super::value::{BUDGET, Value, Variable, Variables, Words};
use super::{Assignment, Script, Skipped};

/// Words that open a compound command: what closes them, and why an assignment inside may not happen.
const OPENERS: &[(&str, &str, &str)] = &[
    ("if", "fi", "it is inside `if`"),
    ("while", "done", "it is inside a loop"),
    ("until", "done", "it is inside a loop"),
    ("for", "done", "it is inside a loop"),
    ("select", "done", "it is inside a loop"),
    ("case", "esac", "it is inside `case`"),
    ("{", "}", ""),
];
/// Words after which another command follows.
const JOINERS: &[&str] = &["then", "else", "elif", "do", "!", "time", "coproc"];
/// Commands whose arguments are assignments.
const DECLARATIONS: &[&str] = &["export", "readonly", "declare", "typeset"];

const IN_FUNCTION: &str = "it is inside a function";
const IN_SUBSHELL: &str = "a subshell makes it";
const ON_CONDITION: &str = "`&&` and `||` make it conditional";
const ARRAY: &str = "it is an array";

/// A compound command that is still open.
struct Open {
    close: &'static str,
    /// Why assignments inside are not certain; `None` in a plain `{ … }`.
    why: Option<&'static str>,
}

struct Pending {
    name: String,
    append: bool,
    line: usize,
    value: Value,
}

/// What variables were before the assignments in front of a command, the last first to be restored.
type Before = Vec<(String, Option<Variable>)>;

pub(super) struct Commands<'a> {
    cursor: Cursor<'a>,
    variables: Variables<'a>,
    read_only: HashSet<String>,
    script: Script,
    open: Vec<Open>,
    /// `name()` was read, its body comes next.
    function: bool,
    list: List,
}

/// Where a command stands among those that `;`, `&&`, `||` and `|` join.
struct List {
    /// The command runs whatever the ones before it answer.
    certain: bool,
    /// The command follows `|`.
    piped: bool,
    /// The last command is known to succeed.
    succeeded: bool,
}

impl List {
    const START: List = List { certain: true, piped: false, succeeded: false };
}

impl<'a> Commands<'a> {
    pub(super) fn new(text: &'a str, environment: &'a BTreeMap<String, String>) -> Self {
        Self {
            cursor: Cursor::new(text),
            variables: Variables { assigned: HashMap::new(), environment, defaulted: Vec::new(), budget: BUDGET },
            read_only: HashSet::new(),
            script: Script::default(),
            open: Vec::new(),
            function: false,
            list: List::START,
        }
    }

    pub(super) fn read(mut self) -> Script {
        loop {
            self.cursor.skip_blanks();
            let line = self.cursor.line();
            match self.step() {
                Ok(true) => {}
                Ok(false) => break,
                Err(Unclosed(opening)) => {
                    self.skip(None, line, format!("`{opening}` is never closed, nothing is read from here on"));
                    break;
                }
            }
        }
        self.script
    }

    fn step(&mut self) -> Result<bool, Unclosed> {
        let Some(byte) = self.cursor.peek() else { return Ok(false) };
        match byte {
            b'\n' | b';' => {
                if byte == b'\n' {
                    self.cursor.newline();
                } else {
                    self.cursor.bump();
                }
                self.list = List::START;
            }
            b'#' => self.cursor.skip_comment(),
            b'&' if self.cursor.eat(b"&&") => {
                self.list.certain &= self.list.succeeded;
                self.list.piped = false;
            }
            b'|' if self.cursor.eat(b"||") => {
                self.list.certain = false;
                self.list.piped = false;
            }
            b'&' => {
                self.cursor.bump();
                self.list.certain = true;
            }
            b'|' => {
                self.cursor.bump();
                self.cursor.eat(b"&");
                self.list.piped = true;
            }
            b'(' if self.cursor.eat(b"((") => {
                self.cursor.skip_nested(&[Nest::Arithmetic; 2], "((")?;
                self.list.succeeded = false;
            }
            b'(' => {
                self.cursor.bump();
                self.push(")", Some(IN_SUBSHELL));
            }
            b')' => {
                self.cursor.bump();
                self.close(")");
                self.list.certain = true;
            }
            _ => self.command()?,
        }
        Ok(true)
    }

    fn push(&mut self, close: &'static str, why: Option<&'static str>) {
        let outer = self.uncertain();
        let why = if std::mem::take(&mut self.function) { Some(IN_FUNCTION) } else { outer.or(why) };
        self.open.push(Open { close, why });
        self.list = List::START;
    }

    fn close(&mut self, word: &str) -> bool {
        let closes = self.open.last().is_some_and(|open| open.close == word);
        if closes {
            self.open.pop();
            self.list.succeeded = false;
        }
        closes
    }

    /// Why an assignment here may not happen.
    fn uncertain(&self) -> Option<&'static str> {
        let inside = self.open.last().and_then(|open| open.why);
        let piped = self.list.piped.then_some(IN_SUBSHELL);
        let conditional = (!self.list.certain).then_some(ON_CONDITION);
        inside.or(piped).or(conditional)
    }

    fn words(&mut self) -> Words<'_, 'a, 'a> {
        Words { cursor: &mut self.cursor, variables: &mut self.variables }
    }

    /// A word, and whether it stands there without quotes and variables.
    fn word(&mut self) -> Result<(String, bool), Unclosed> {
        let start = self.cursor.position();
        let value = self.words().word()?;
        let bare = value.text == self.cursor.since(start);
        Ok((value.into_string(), bare))
    }

    fn command(&mut self) -> Result<(), Unclosed> {
        self.variables.defaulted.clear();
        self.list.succeeded = false;
        let (pending, before) = self.assignments()?;
        for (name, variable) in before.into_iter().rev() {
            match variable {
                Some(variable) => self.variables.assigned.insert(name, variable),
                None => self.variables.assigned.remove(&name),
            };
        }
        if self.at_end() {
            self.list.succeeded = succeed(&pending);
            self.finish(pending);
            return Ok(());
        }
        let line = self.cursor.line();
        let (word, bare) = self.word()?;
        // `A=1 command` lends A to the command.
        if !pending.is_empty() || !bare {
            return self.arguments();
        }
        if let Some(&(_, close, why)) = OPENERS.iter().find(|(open, ..)| *open == word) {
            self.push(close, (!why.is_empty()).then_some(why));
            return if matches!(word.as_str(), "for" | "select" | "case") { self.arguments() } else { Ok(()) };
        }
        if JOINERS.contains(&word.as_str()) {
            self.list.certain = true;
            return Ok(());
        }
        if DECLARATIONS.contains(&word.as_str()) {
            return self.declaration(word == "readonly");
        }
        match word.as_str() {
            "function" => {
                self.cursor.skip_blanks();
                self.word()?;
                self.parentheses();
                self.function = true;
                Ok(())
            }
            "[[" => self.test(),
            "unset" => self.unset(),
            "return" | "exit" => {
                if self.uncertain().is_none() {
                    self.cursor.skip_rest();
                }
                self.arguments()
            }
            "source" | "." | "eval" => {
                if self.uncertain() != Some(IN_FUNCTION) {
                    self.skip(None, line, format!("`{word}` needs a shell"));
                }
                self.arguments()
            }
            _ if self.close(&word) => self.arguments(),
            _ if self.parentheses() => {
                self.function = true;
                Ok(())
            }
            _ => {
                self.cursor.skip_blanks();
                let equals = self.cursor.peek() == Some(b'=') && self.cursor.peek_after(1) != Some(b'=');
                if equals && is_name(&word) && self.uncertain() != Some(IN_FUNCTION) {
                    self.skip(Some(word), line, "an assignment has no blanks around `=`");
                }
                self.arguments()
            }
        }
    }

    /// The assignments and redirections that a command begins with. Each sees the ones before it.
    fn assignments(&mut self) -> Result<(Vec<Pending>, Before), Unclosed> {
        let mut pending = Vec::new();
        let mut before = Vec::new();
        loop {
            self.cursor.skip_blanks();
            let Some(mut one) = self.assignment()? else {
                if self.redirection()? {
                    continue;
                }
                return Ok((pending, before));
            };
            one.value = self.whole(&one);
            one.append = false;
            let now = match one.value.needs_shell {
                Some(_) => Variable::Unknown(one.line),
                None => Variable::Known(String::from_utf8_lossy(&one.value.text).into_owned()),
            };
            before.push((one.name.clone(), self.variables.assigned.insert(one.name.clone(), now)));
            pending.push(one);
        }
    }

    /// The value with what `+=` appends it to.
    fn whole(&mut self, one: &Pending) -> Value {
        let mut whole = if one.append { self.variables.get(&one.name).unwrap_or_default() } else { Value::default() };
        whole.append(&one.value);
        whole
    }

    fn assignment(&mut self) -> Result<Option<Pending>, Unclosed> {
        let line = self.cursor.line();
        if let Some((name, append)) = self.cursor.assignment() {
            let mut value = Value::default();
            if self.cursor.eat(b"(") {
                value.needs_shell(ARRAY);
                self.cursor.skip_nested(&[Nest::Command], "(")?;
            } else {
                value = self.words().word()?;
            }
            return Ok(Some(Pending { name: name.to_owned(), append, line, value }));
        }
        if let Some(name) = self.cursor.element() {
            let mut value = self.words().word()?;
            value.needs_shell(ARRAY);
            return Ok(Some(Pending { name: name.to_owned(), append: false, line, value }));
        }
        Ok(None)
    }

    /// `>file`, `2>&1`, `<<END` and so on.
    fn redirection(&mut self) -> Result<bool, Unclosed> {
        self.cursor.skip_descriptor();
        if !matches!(self.cursor.peek(), Some(b'<' | b'>')) && !self.cursor.starts_with(b"&>") {
            return Ok(false);
        }
        if self.cursor.eat(b"<<<") {
        } else if self.cursor.eat(b"<<") {
            self.cursor.heredoc();
            return Ok(true);
        } else if self.cursor.eat(b"<(") || self.cursor.eat(b">(") {
            self.cursor.skip_nested(&[Nest::Command], "(")?;
            return Ok(true);
        }
        while matches!(self.cursor.peek(), Some(b'<' | b'>' | b'&' | b'|')) {
            self.cursor.bump();
        }
        self.cursor.skip_blanks();
        if !matches!(self.cursor.peek(), Some(b'<' | b'>')) {
            self.word()?;
        }
        Ok(true)
    }

    /// At the end of a simple command?
    fn at_end(&self) -> bool {
        match self.cursor.peek() {
            None | Some(b'\n' | b';' | b'|' | b')' | b'#') => true,
            Some(b'&') => !self.cursor.starts_with(b"&>"),
            Some(_) => false,
        }
    }

    /// The rest of a command that assigns nothing, or does so by `${NAME:=value}` alone.
    fn arguments(&mut self) -> Result<(), Unclosed> {
        loop {
            self.cursor.skip_blanks();
            if self.at_end() {
                self.finish(Vec::new());
                return Ok(());
            }
            if self.cursor.eat(b"(") {
                self.cursor.skip_nested(&[Nest::Command], "(")?;
            } else if !self.redirection()? {
                self.word()?;
            }
        }
    }

    /// `()` after a function's name.
    fn parentheses(&mut self) -> bool {
        self.cursor.skip_blanks();
        let found = self.cursor.starts_with(b"()") || self.cursor.starts_with(b"( )");
        if found {
            self.cursor.bump();
            self.cursor.skip_blanks();
            self.cursor.bump();
        }
        found
    }

    /// The command is read: its assignments happen, or are skipped.
    fn finish(&mut self, pending: Vec<Pending>) {
        let subshell = match self.cursor.peek() {
            Some(b'|') => !self.cursor.starts_with(b"||"),
            Some(b'&') => !self.cursor.starts_with(b"&&"),
            _ => false,
        };
        let uncertain = self.uncertain().or(subshell.then_some(IN_SUBSHELL));
        let line = self.cursor.line();
        let defaulted = std::mem::take(&mut self.variables.defaulted);
        let defaulted = defaulted.into_iter().map(|(name, value)| Pending { name, append: false, line, value });
        for one in defaulted.chain(pending) {
            match uncertain {
                Some(why) => self.leave(one.name, one.line, why.into()),
                None => self.assign(one),
            }
        }
    }

    fn assign(&mut self, one: Pending) {
        let mut whole = self.whole(&one);
        let Pending { name, line, .. } = one;
        if self.read_only.contains(&name) {
            self.skip(Some(name), line, "it is read-only");
            return;
        }
        if let Some(why) = whole.needs_shell.take() {
            self.leave(name, line, why);
            return;
        }
        let value = whole.into_string();
        self.variables.assigned.insert(name.clone(), Variable::Known(value.clone()));
        self.script.assignments.insert(name, Assignment { value, line });
    }

    /// An assignment that may happen: what refers to the variable is unknown from here on.
    fn leave(&mut self, name: String, line: usize, why: Cow<'static, str>) {
        if why != IN_FUNCTION {
            self.variables.assigned.insert(name.clone(), Variable::Unknown(line));
        }
        self.skip(Some(name), line, why);
    }

    fn skip(&mut self, name: Option<String>, line: usize, why: impl Into<Cow<'static, str>>) {
        self.script.skipped.push(Skipped { name, line, why: why.into().into_owned() });
    }
}

/// Assignments answer 0, unless one runs a command.
fn succeed(pending: &[Pending]) -> bool {
    !pending.is_empty() && pending.iter().all(|one| one.value.needs_shell.is_none())
}

fn is_name(word: &str) -> bool {
    Cursor::new(word).name() == word && !word.is_empty()
}
