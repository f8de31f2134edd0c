//! The vocabulary in which tools are defined: what an action, a field of an input and a record of an output are.
//!
//! Each tool is defined once, in `tools/<name>.rs`. The JSON Schema that a model sees, the validation of a call, the
//! TypeScript declarations and the tables of `docs/API.md` all derive from that definition.

mod macros;

use std::marker::PhantomData;

use crate::error::ErrorCode;
use crate::input::Arguments;

/// What the model must be allowed to do before an action is offered to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Only reads.
    Read,
    /// Also ticks tasks and says what it is doing.
    Worker,
    /// Everything, the guards' resets included.
    Full,
}

impl Access {
    /// All levels, from the least to the most.
    pub const ALL: [Access; 3] = [Access::Read, Access::Worker, Access::Full];

    /// The level as callers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Worker => "worker",
            Self::Full => "full",
        }
    }
}

/// One action of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Action {
    /// As callers write it.
    pub name: &'static str,
    /// The least access at which it is offered.
    pub access: Access,
    /// Whether it writes nothing at all.
    pub read_only: bool,
    /// Whether it throws state away.
    pub destructive: bool,
    /// Whether the same call, made again, changes nothing more.
    pub idempotent: bool,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// Members of the answer that are there only sometimes, but always after this action.
    pub gives: &'static [&'static str],
    /// What it alone may fail with, besides what every call may.
    pub throws: &'static [ErrorCode],
}

impl Action {
    /// An action that writes nothing at all; it is offered to everyone.
    #[must_use]
    pub const fn read(name: &'static str, doc: &'static str) -> Self {
        Self { name, access: Access::Read, read_only: true, destructive: false, idempotent: true, doc, gives: &[], throws: &[] }
    }

    /// An action that writes, offered from `access` on.
    #[must_use]
    pub const fn write(name: &'static str, access: Access, doc: &'static str) -> Self {
        Self { name, access, read_only: false, destructive: false, idempotent: true, doc, gives: &[], throws: &[] }
    }

    /// The action throws state away.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.destructive = true;
        self
    }

    /// Members of the answer that are there only sometimes, but always after this action.
    #[must_use]
    pub const fn gives(mut self, members: &'static [&'static str]) -> Self {
        self.gives = members;
        self
    }

    /// What it may fail with, besides what every call may.
    #[must_use]
    pub const fn throws(mut self, codes: &'static [ErrorCode]) -> Self {
        self.throws = codes;
        self
    }

    /// The same call, made again, counts or appends again.
    #[must_use]
    pub const fn cumulative(mut self) -> Self {
        self.idempotent = false;
        self
    }
}

/// What a field of an input accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number from `min` to `max`.
    Integer {
        /// The smallest value accepted.
        min: u64,
        /// The largest value accepted.
        max: u64,
    },
    /// A finite number, not negative.
    Number,
    /// `true` or `false`.
    Boolean,
    /// Any text of at most `max` characters, counted as JavaScript's `length` does.
    Text {
        /// The most characters accepted.
        max: usize,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An array of at most [`MAX_ITEMS`] strings, each of at most `max` characters.
    TextList {
        /// The most characters of a string.
        max: usize,
    },
    /// An array of at most [`MAX_RECORDS`] objects. Options alone have such: a model's schema stays flat.
    Records(&'static InputRecord),
}

/// An object that is a part of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputRecord {
    /// The name of its type.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its fields, of which the first `required` may not be left out.
    pub fields: &'static [FieldSpec],
    /// How many fields may not be left out.
    pub required: usize,
}

/// The most objects of a list.
pub const MAX_RECORDS: usize = 100;

/// The most characters of a text whose field sets no other bound: more than any heading, word or path has.
pub const MAX_TEXT: usize = 10_000;

/// The most items of a list.
pub const MAX_ITEMS: usize = 10_000;

/// A field of an input, with everything that is said about it anywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldSpec {
    /// As callers write it.
    pub name: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// What it means, with its unit.
    pub doc: &'static str,
    /// What holds when it is left out; empty where that goes without saying.
    pub default: &'static str,
    /// The actions that look at it.
    pub actions: &'static [&'static str],
    /// Those of them that fail without it.
    pub required: &'static [&'static str],
    /// The least access at which it is offered.
    pub access: Access,
}

/// A field that knows the Rust type of its value.
#[derive(Debug)]
pub struct Field<T> {
    /// The definition without the type.
    pub spec: FieldSpec,
    value: PhantomData<fn() -> T>,
}

// Derived, these would ask that the value's own type is Copy.
impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

/// The largest whole number that a JavaScript number holds exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl<T> Field<T> {
    const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        let spec = FieldSpec { name, kind, doc, default: "", actions: &[], required: &[], access: Access::Read };
        Self { spec, value: PhantomData }
    }

    /// The actions that look at it.
    #[must_use]
    pub const fn on(mut self, actions: &'static [&'static str]) -> Self {
        self.spec.actions = actions;
        self
    }

    /// The actions that fail without it.
    #[must_use]
    pub const fn required(mut self, actions: &'static [&'static str]) -> Self {
        self.spec.required = actions;
        self
    }

    /// What holds when it is left out.
    #[must_use]
    pub const fn default(mut self, default: &'static str) -> Self {
        self.spec.default = default;
        self
    }

    /// The least access at which it is offered.
    #[must_use]
    pub const fn access(mut self, access: Access) -> Self {
        self.spec.access = access;
        self
    }
}

impl Field<u64> {
    /// A whole number from 0.
    #[must_use]
    pub const fn integer(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Integer { min: 0, max: MAX_SAFE_INTEGER }, doc)
    }

    /// The largest value accepted.
    #[must_use]
    pub const fn at_most(mut self, max: u64) -> Self {
        if let Kind::Integer { min, .. } = self.spec.kind {
            self.spec.kind = Kind::Integer { min, max };
        }
        self
    }

    /// The smallest value accepted.
    #[must_use]
    pub const fn at_least(mut self, min: u64) -> Self {
        if let Kind::Integer { max, .. } = self.spec.kind {
            self.spec.kind = Kind::Integer { min, max };
        }
        self
    }
}

impl Field<f64> {
    /// A finite number, not negative.
    #[must_use]
    pub const fn number(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Number, doc)
    }
}

impl Field<bool> {
    /// `true` or `false`.
    #[must_use]
    pub const fn boolean(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Boolean, doc)
    }
}

impl Field<String> {
    /// Any text of at most [`MAX_TEXT`] characters.
    #[must_use]
    pub const fn text(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Text { max: MAX_TEXT }, doc)
    }

    /// The most characters accepted.
    #[must_use]
    pub const fn at_most_chars(mut self, max: usize) -> Self {
        if let Kind::Text { .. } = self.spec.kind {
            self.spec.kind = Kind::Text { max };
        }
        self
    }

    /// One of the given words.
    #[must_use]
    pub const fn one_of(name: &'static str, words: &'static [&'static str], doc: &'static str) -> Self {
        Self::new(name, Kind::OneOf(words), doc)
    }
}

impl Field<Vec<String>> {
    /// An array of at most [`MAX_ITEMS`] strings of at most [`MAX_TEXT`] characters.
    #[must_use]
    pub const fn text_list(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::TextList { max: MAX_TEXT }, doc)
    }
}

impl Field<Vec<Arguments>> {
    /// An array of objects.
    #[must_use]
    pub const fn records(name: &'static str, record: &'static InputRecord, doc: &'static str) -> Self {
        Self::new(name, Kind::Records(record), doc)
    }
}

/// A type as TypeScript and the documents show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeShape {
    /// A TypeScript type that needs no declaration.
    Plain(&'static str),
    /// A named record or enumeration.
    Named(&'static str),
    /// `T[]`.
    List(Box<TypeShape>),
    /// `T | null`.
    Nullable(Box<TypeShape>),
}

/// A Rust type that crosses into JavaScript.
pub trait Wire {
    /// How it is declared there.
    fn shape() -> TypeShape;
}

macro_rules! plain_wire {
    ($($rust:ty => $ts:literal),* $(,)?) => {
        $(impl Wire for $rust { fn shape() -> TypeShape { TypeShape::Plain($ts) } })*
    };
}
plain_wire!(bool => "boolean", u64 => "number", f64 => "number", String => "string", &'static str => "string");

impl Wire for serde_json::Value {
    fn shape() -> TypeShape {
        TypeShape::Plain("unknown")
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn shape() -> TypeShape {
        TypeShape::List(Box::new(T::shape()))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn shape() -> TypeShape {
        TypeShape::Nullable(Box::new(T::shape()))
    }
}

/// A field of a record of an output.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// In Rust's `snake_case`; `wire_name` has it as callers see it.
    pub rust_name: &'static str,
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// How it is declared.
    pub shape: fn() -> TypeShape,
    /// Whether every answer has it.
    pub always: bool,
}

impl Member {
    /// The name in camelCase, as callers see it.
    #[must_use]
    pub fn wire_name(&self) -> String {
        let mut name = String::new();
        let mut upper = false;
        // `loop` is a word of Rust.
        for c in self.rust_name.trim_start_matches("r#").chars() {
            match c {
                '_' => upper = true,
                c if upper => {
                    name.push(c.to_ascii_uppercase());
                    upper = false;
                }
                c => name.push(c),
            }
        }
        name
    }
}

/// A record of an output: what becomes an `interface`.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// The exported name.
    pub name: &'static str,
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// The record whose members it has as well.
    pub extends: Option<&'static Record>,
    /// Its own members.
    pub members: &'static [Member],
}

/// An enumeration: what becomes a union of strings.
#[derive(Debug, Clone, Copy)]
pub struct Enumeration {
    /// The exported name.
    pub name: &'static str,
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// Its words.
    pub words: &'static [&'static str],
}

/// Everything that is said about a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolDefinition {
    /// As the model sees it, without the server's prefix.
    pub name: &'static str,
    /// The method of `RalphTools`.
    pub method: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// For the model: what it is for, when to call it, what comes back. Under 600 characters.
    pub description: &'static str,
    /// The name of the input's type.
    pub input: &'static str,
    /// Its actions, in the order in which they are shown.
    pub actions: &'static [Action],
    /// The fields of its input besides `action`.
    pub fields: &'static [FieldSpec],
    /// The record that it answers with.
    pub output: &'static Record,
    /// The other records that the answer is made of.
    pub records: &'static [&'static Record],
    /// The enumerations that the answer is made of.
    pub enumerations: &'static [&'static Enumeration],
}
