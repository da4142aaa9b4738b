//! Arguments of primitives, and the random variables of a schedule.

use tvmscript_ir_core::{Object, Str};

use crate::error::{Result, ScheduleError};
use crate::state::Item;

/// A random variable: what a primitive returned, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rv(pub(crate) u32);

/// The value of a random variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RvValue {
    /// A block.
    Block(Item),
    /// A loop.
    Loop(Item),
    /// The mark of `compute_at` that inlines a block.
    Inline,
    /// The mark of `compute_at` that leaves a block where it is.
    Root,
    /// An integer.
    Int(i64),
    /// Nothing: a result that does not exist.
    Absent,
    /// A result of a refused primitive that was left out.
    Skipped,
}

impl RvValue {
    /// The letter of its name in traces.
    pub(crate) fn letter(self) -> char {
        match self {
            RvValue::Block(_) => 'b',
            RvValue::Loop(_) | RvValue::Inline | RvValue::Root => 'l',
            RvValue::Int(_) | RvValue::Absent | RvValue::Skipped => 'v',
        }
    }
}

/// An argument of a primitive.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// `None`
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Str(Str),
    /// A random variable.
    Rv(Rv),
    /// A list.
    List(Vec<Argument>),
    /// A dictionary, sorted by key.
    Dict(Vec<(Str, Argument)>),
    /// A node: an index map.
    Node(Object),
}

impl Argument {
    /// Calls `f` for each random variable.
    pub(crate) fn for_each_rv(&self, f: &mut impl FnMut(Rv)) {
        match self {
            Argument::Rv(rv) => f(*rv),
            Argument::List(items) => items.iter().for_each(|item| item.for_each_rv(f)),
            Argument::Dict(entries) => entries.iter().for_each(|(_, value)| value.for_each_rv(f)),
            _ => {}
        }
    }

    /// The number of things that it stands for: the length of a list, or an integer.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Argument::List(items) => Some(items.len()),
            Argument::Int(value) => usize::try_from(*value).ok().filter(|count| *count < 64),
            _ => None,
        }
    }

    /// The kind, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Argument::None => "None",
            Argument::Bool(_) => "a bool",
            Argument::Int(_) => "an integer",
            Argument::Float(_) => "a float",
            Argument::Str(_) => "a string",
            Argument::Rv(_) => "a random variable",
            Argument::List(_) => "a list",
            Argument::Dict(_) => "a dictionary",
            Argument::Node(_) => "a node",
        }
    }

    fn expected(&self, what: &str) -> ScheduleError {
        ScheduleError::plain(format!("expected {what}, found {}", self.kind()))
    }

    /// An integer; a bool is 0 or 1.
    ///
    /// # Errors
    /// If it is something else.
    pub fn int(&self) -> Result<i64> {
        match self {
            Argument::Int(value) => Ok(*value),
            Argument::Bool(value) => Ok(i64::from(*value)),
            other => Err(other.expected("an integer")),
        }
    }

    /// A float, or an integer as one.
    ///
    /// # Errors
    /// If it is something else.
    pub fn float(&self) -> Result<f64> {
        match self {
            Argument::Float(value) => Ok(*value),
            Argument::Int(value) => Ok(*value as f64),
            other => Err(other.expected("a float")),
        }
    }

    /// A bool; an integer is one, too.
    ///
    /// # Errors
    /// If it is something else.
    pub fn bool(&self) -> Result<bool> {
        match self {
            Argument::Bool(value) => Ok(*value),
            Argument::Int(value) => Ok(*value != 0),
            other => Err(other.expected("a bool")),
        }
    }

    /// Text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn str(&self) -> Result<&Str> {
        match self {
            Argument::Str(text) => Ok(text),
            other => Err(other.expected("a string")),
        }
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// If it is something else.
    pub fn list(&self) -> Result<&[Argument]> {
        match self {
            Argument::List(items) => Ok(items),
            other => Err(other.expected("a list")),
        }
    }

    /// A random variable.
    ///
    /// # Errors
    /// If it is something else.
    pub fn rv(&self) -> Result<Rv> {
        match self {
            Argument::Rv(rv) => Ok(*rv),
            other => Err(other.expected("a random variable")),
        }
    }
}

impl From<Rv> for Argument {
    fn from(rv: Rv) -> Self {
        Argument::Rv(rv)
    }
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Argument::Int(value)
    }
}

impl From<bool> for Argument {
    fn from(value: bool) -> Self {
        Argument::Bool(value)
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Argument::Str(Str::from(text))
    }
}

impl<T: Into<Argument>> From<Vec<T>> for Argument {
    fn from(items: Vec<T>) -> Self {
        Argument::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Argument>> From<Option<T>> for Argument {
    fn from(value: Option<T>) -> Self {
        value.map_or(Argument::None, Into::into)
    }
}
