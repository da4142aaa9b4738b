//! The text of access paths: how map keys are written, and how a path is read back.
//!
//! A path is read against a root, because the names of fields and keys belong to the nodes on the way. `[2]` is an
//! element, `["main"]` or `[7]` the value of a map's entry, `.key["main"]` its key. A key that is a node is written
//! as its name. `[#3]` and `.key[#3]` count the entries of a map, for keys without a name of their own.

use std::fmt;

use super::{AccessPath, PathStep};
use crate::containers::{ArrayNode, MapNode};
use crate::raw::Object;
use crate::type_table::Shape;
use crate::value::{FieldRef, Value};

/// Why the text of a path cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text is not a path.
    #[error("`{text}` is no access path; one looks like `<root>.body.seq[2]`")]
    Malformed {
        /// The text.
        text: String,
    },
    /// A node on the way has no such part.
    #[error("the access path `{text}` leads nowhere: `{key}` has no `{step}`")]
    Nowhere {
        /// The text.
        text: String,
        /// The type of the node where the path breaks off.
        key: &'static str,
        /// The step that does not exist.
        step: String,
    },
}

/// The name by which a path calls a map key: the text of a string, the name of a variable or function.
pub fn key_name(key: &Value) -> Option<String> {
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

/// A map key as paths write it.
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
    /// Reads a path such as `<root>.body.seq[2]`; `<root>` and the dot after it may be left out. Gives the path and
    /// the part of `root` that it leads to.
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
    /// [`PathError`] when the text is no path, or leads nowhere from `root`.
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

/// A step as it is written.
enum Written<'t> {
    Field(&'t str),
    Item(&'t str),
    Key(&'t str),
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Field(name) => write!(f, ".{name}"),
            Written::Item(item) => write!(f, "[{item}]"),
            Written::Key(key) => write!(f, ".key[{key}]"),
        }
    }
}

/// The next step's text, and what follows.
fn next_step(rest: &str, first: bool) -> Option<(Written<'_>, &str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let (item, after) = bracket(inside)?;
        return Some((Written::Item(item), after));
    }
    let rest = match rest.strip_prefix('.') {
        Some(rest) => rest,
        None if first => rest,
        None => return None,
    };
    if let Some(inside) = rest.strip_prefix("key[") {
        let (key, after) = bracket(inside)?;
        return Some((Written::Key(key), after));
    }
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    (end > 0).then(|| (Written::Field(&rest[..end]), &rest[end..]))
}

/// What stands up to the closing bracket, and what follows it. Quoted text may hold brackets and escaped quotes.
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

impl Written<'_> {
    /// The step of `node` that is meant.
    fn find(&self, node: &Object) -> Option<PathStep> {
        match *self {
            Written::Field(name) => {
                let info = node.info();
                Some(PathStep::Field(info.fields().get(info.field_index(name)?)?.name))
            }
            Written::Item(item) if node.info().shape() == Shape::Array => {
                let index: u32 = item.parse().ok()?;
                node.as_node::<ArrayNode>()?.items().get(index as usize)?;
                Some(PathStep::Index(index))
            }
            Written::Item(item) => Some(PathStep::Key(find_key(node, item)?)),
            Written::Key(key) => Some(PathStep::KeyItself(find_key(node, key)?)),
        }
    }
}

/// The first key of a map that is written so, or the key of this number.
fn find_key(node: &Object, text: &str) -> Option<Value> {
    let entries = node.as_node::<MapNode>()?.entries();
    let key = match text.strip_prefix('#') {
        Some(number) => entries.get_index(number.parse().ok()?)?.0.value(),
        None => entries.keys().map(|key| key.value()).find(|key| KeyText(key).to_string() == text)?,
    };
    Some(key.clone())
}
