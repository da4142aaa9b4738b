//! Text of access paths: spelling of map keys, and the parser.
//!
//! Paths are parsed against a root, because fields and keys depend on the nodes along the path. `[2]` is an element,
//! `["main"]` or `[7]` the value of a map's entry, `.key["main"]` its key. A key that is a node is written as its
//! name; `[#3]` and `.key[#3]` give the position of an entry, for keys without a unique name.

use std::fmt;

use super::{AccessPath, PathStep};
use crate::containers::{ArrayNode, MapNode};
use crate::raw::Object;
use crate::type_table::Shape;
use crate::value::{FieldRef, Value};

/// Error of [`AccessPath::parse`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text is not a path.
    #[error("`{text}` is not an access path; an access path looks like `<root>.body.seq[2]`")]
    Malformed {
        /// The text.
        text: String,
    },
    /// A node along the path has no such part.
    #[error("the access path `{text}` leads nowhere: `{key}` has no `{step}`")]
    Nowhere {
        /// The text.
        text: String,
        /// Type of the last node that exists.
        key: &'static str,
        /// The step that does not exist.
        step: String,
    },
}

/// Returns the name of a map key in paths: the text of a string, the name of a variable or function.
fn key_name(key: &Value) -> Option<String> {
    if let Some(text) = key.as_str() {
        return Some(text.to_owned());
    }
    let node = key.as_object()?;
    named_field(node).or_else(|| match field_named(node, "vid")? {
        FieldRef::Node(id) => named_field(id),
        _ => None,
    })
}

fn named_field(node: &Object) -> Option<String> {
    match field_named(node, "name_hint").or_else(|| field_named(node, "name"))? {
        FieldRef::Name(name) => Some(name.get().as_str().to_owned()),
        field => field.to_value().as_str().map(str::to_owned),
    }
}

fn field_named<'a>(node: &'a Object, name: &str) -> Option<FieldRef<'a>> {
    Some(node.field(node.info().field_index(name)?))
}

/// Displays a map key as in paths.
pub(crate) struct KeyText<'a>(pub(crate) &'a Value);

impl fmt::Display for KeyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (key_name(self.0), self.0) {
            (Some(name), _) => write!(f, "{name:?}"),
            (None, Value::Node(node)) => f.write_str(node.info().display_key()),
            (None, scalar) => write!(f, "{scalar:?}"),
        }
    }
}

impl AccessPath {
    /// Parses a path such as `<root>.body.seq[2]`, in which `<root>.` is optional. Returns the path and the part of
    /// `root` that it leads to.
    ///
    /// ```
    /// use tvmscript_ir_core::{AccessPath, Array, ObjectLike, Value};
    ///
    /// let root = Array::of_values([Value::from(1), Value::from(2)]).into_object();
    /// let (path, value) = AccessPath::parse("<root>[1]", &root).unwrap();
    /// assert_eq!(path.to_string(), "<root>[1]");
    /// assert!(matches!(value, Value::Int(2)));
    /// ```
    ///
    /// # Errors
    /// Fails if the text is not a path, or `root` has no such part.
    pub fn parse(text: &str, root: &Object) -> Result<(AccessPath, Value), PathError> {
        let malformed = || PathError::Malformed { text: text.to_owned() };
        let mut path = AccessPath::root();
        let mut at = Value::Node(root.clone());
        let after_root = text.strip_prefix("<root>");
        let mut rest = after_root.unwrap_or(text);
        let mut first = after_root.is_none();
        while !rest.is_empty() {
            let (written, after) = next_step(rest, first).ok_or_else(malformed)?;
            let found = at.as_object().and_then(|node| written.find(node));
            let Some(step) = found else {
                let (key, step) = (at.kind_name(), written.to_string());
                return Err(PathError::Nowhere { text: text.to_owned(), key, step });
            };
            at = at.as_object().and_then(|node| step.follow(node)).ok_or_else(malformed)?;
            path = path.then(step);
            rest = after;
            first = false;
        }
        Ok((path, at))
    }
}

/// The text of a step.
enum StepText<'t> {
    Field(&'t str),
    Item(&'t str),
    Key(&'t str),
}

impl fmt::Display for StepText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepText::Field(name) => write!(f, ".{name}"),
            StepText::Item(item) => write!(f, "[{item}]"),
            StepText::Key(key) => write!(f, ".key[{key}]"),
        }
    }
}

/// Splits off the next step.
fn next_step(rest: &str, first: bool) -> Option<(StepText<'_>, &str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let (item, after) = bracket(inside)?;
        return Some((StepText::Item(item), after));
    }
    let rest = match rest.strip_prefix('.') {
        Some(rest) => rest,
        None if first => rest,
        None => return None,
    };
    if let Some(inside) = rest.strip_prefix("key[") {
        let (key, after) = bracket(inside)?;
        return Some((StepText::Key(key), after));
    }
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    (end > 0).then(|| (StepText::Field(&rest[..end]), &rest[end..]))
}

/// Splits at the closing bracket. Quoted text may contain brackets and escaped quotes.
fn bracket(inside: &str) -> Option<(&str, &str)> {
    let end = if inside.starts_with('"') {
        let mut escaped = false;
        let close = inside.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        close?.0 + 1
    } else {
        inside.find(']')?
    };
    Some((&inside[..end], inside[end..].strip_prefix(']')?))
}

impl StepText<'_> {
    /// Returns the step of `node` with this text.
    fn find(&self, node: &Object) -> Option<PathStep> {
        match *self {
            StepText::Field(name) => {
                let info = node.info();
                Some(PathStep::Field(info.fields().get(info.field_index(name)?)?.name))
            }
            StepText::Item(item) if node.info().shape() == Shape::Array => {
                let index: u32 = item.parse().ok()?;
                node.as_node::<ArrayNode>()?.items().get(index as usize)?;
                Some(PathStep::Index(index))
            }
            StepText::Item(item) => Some(PathStep::Key(find_key(node, item)?)),
            StepText::Key(key) => Some(PathStep::KeyItself(find_key(node, key)?)),
        }
    }
}

/// Returns the first key of a map with this text, or the key at a position (`#3`).
fn find_key(node: &Object, text: &str) -> Option<Value> {
    let entries = node.as_node::<MapNode>()?.entries();
    let key = match text.strip_prefix('#') {
        Some(number) => entries.get_index(number.parse().ok()?)?.0.value(),
        None => entries.keys().map(|key| key.value()).find(|key| KeyText(key).to_string() == text)?,
    };
    Some(key.clone())
}
