//! Access paths on the command line: `<root>.body.seq[2]`, or `body.seq[2]` for short.

use tvmscript::ir_core::type_table::Shape;
use tvmscript::ir_core::{AccessPath, Array, FieldRef, Map, ObjectLike as _, PathStep};
use tvmscript::{Object, Value};

/// Why a path leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    /// The text is no path.
    #[error("`{text}` is no access path; one looks like `<root>.body.seq[2]`")]
    Malformed {
        /// The text.
        text: String,
    },
    /// The node has no such part.
    #[error("the access path `{text}` leads nowhere: `{key}` has no `{step}`")]
    Nowhere {
        /// The text.
        text: String,
        /// The type of the node where it breaks off.
        key: &'static str,
        /// The step that does not exist.
        step: String,
    },
    /// The part is a number, a text or nothing.
    #[error("the access path `{text}` leads to a plain value ({kind}), which is not printed alone")]
    Plain {
        /// The text.
        text: String,
        /// What is there.
        kind: &'static str,
    },
}

/// The path that a text means, from this root on.
///
/// # Errors
/// When it is no path, or leads nowhere.
pub(crate) fn resolve(text: &str, root: &Object) -> Result<AccessPath, PathError> {
    follow(text, root).map(|(path, _)| path)
}

/// The node at the path that a text means, from this root on.
///
/// # Errors
/// When it is no path, or leads to no node.
pub(crate) fn part(text: &str, root: &Object) -> Result<Object, PathError> {
    match follow(text, root)? {
        (_, Value::Node(node)) => Ok(node),
        (_, value) => Err(PathError::Plain { text: text.to_owned(), kind: value.kind_name() }),
    }
}

fn follow(text: &str, root: &Object) -> Result<(AccessPath, Value), PathError> {
    let malformed = || PathError::Malformed { text: text.to_owned() };
    let mut path = AccessPath::root();
    let mut at = Value::Node(root.clone());
    let mut rest = text.strip_prefix("<root>").unwrap_or(text);
    let mut first = true;
    while !rest.is_empty() {
        let (name, is_field, after) = next_step(rest, first).ok_or_else(malformed)?;
        let step = if is_field { format!(".{name}") } else { format!("[{name}]") };
        let found =
            at.as_object().and_then(|node| if is_field { field(node, name) } else { item(node, name) });
        let Some((step, value)) = found else {
            return Err(PathError::Nowhere { text: text.to_owned(), key: at.kind_name(), step });
        };
        path = path.then(step);
        at = value;
        rest = after;
        first = false;
    }
    Ok((path, at))
}

/// The next step's text, whether it names a field, and what follows.
fn next_step(rest: &str, first: bool) -> Option<(&str, bool, &str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let end = match inside.strip_prefix('"') {
            Some(quoted) => quoted.find('"')? + 2,
            None => inside.find(']')?,
        };
        let after = inside[end..].strip_prefix(']')?;
        return Some((&inside[..end], false, after));
    }
    let rest = match rest.strip_prefix('.') {
        Some(rest) => rest,
        None if first => rest,
        None => return None,
    };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    (end > 0).then(|| (&rest[..end], true, &rest[end..]))
}

fn field(node: &Object, name: &str) -> Option<(PathStep, Value)> {
    let index = node.info().field_index(name)?;
    let info = node.info().fields().get(index)?;
    Some((PathStep::Field(info.name), node.field(index).to_value()))
}

fn item(node: &Object, text: &str) -> Option<(PathStep, Value)> {
    match node.info().shape() {
        Shape::Array => {
            let index: u32 = text.parse().ok()?;
            let items = Array::<Value>::try_ref(node)?;
            Some((PathStep::Index(index), items.values().get(index as usize)?.clone()))
        }
        Shape::Map => {
            let entries = Map::<Value, Value>::try_ref(node)?;
            let key = match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
                Some(text) => entries
                    .iter()
                    .map(|(key, _)| key)
                    .find(|key| key_name(key).as_deref() == Some(text))?
                    .clone(),
                None => Value::Int(text.parse().ok()?),
            };
            Some((PathStep::Key(key.clone()), entries.get(&key)?.clone()))
        }
        _ => None,
    }
}

/// What a key of a map is called: a string is itself, a node (of a global function) its name.
fn key_name(key: &Value) -> Option<String> {
    if let Some(text) = key.as_str() {
        return Some(text.to_owned());
    }
    let node = key.as_object()?;
    let index = node.info().field_index("name_hint").or_else(|| node.info().field_index("name"))?;
    match node.field(index) {
        FieldRef::Name(name) => Some(name.get().as_str().to_owned()),
        field => field.to_value().as_str().map(str::to_owned),
    }
}

/// A path in the words of the command line: keys that are nodes by their names.
pub(crate) fn show(path: &AccessPath) -> String {
    path.to_text_with(|node| match key_name(&Value::Node(node.clone())) {
        Some(name) => format!("{name:?}"),
        None => node.info().key().to_owned(),
    })
}
