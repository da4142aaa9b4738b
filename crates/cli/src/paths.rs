//! Access paths on the command line: `<root>.body.seq[2]`, or `body.seq[2]` for short.

use tvmscript::ir_core::{self, AccessPath};
use tvmscript::{Object, Value};

/// Invalid access path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    /// The path does not exist.
    #[error(transparent)]
    Path(#[from] ir_core::PathError),
    /// The path leads to a number, a string or nothing.
    #[error("the access path `{text}` leads to a plain value ({kind}), which cannot be printed on its own")]
    Plain {
        /// The path.
        text: String,
        /// Kind of the value.
        kind: &'static str,
    },
}

/// Parses an access path of a node.
///
/// # Errors
/// If the path is malformed or does not exist.
pub(crate) fn resolve(text: &str, root: &Object) -> Result<AccessPath, PathError> {
    Ok(AccessPath::parse(text, root)?.0)
}

/// The node at an access path.
///
/// # Errors
/// As [`resolve`], or if the path leads to a value that is not a node.
pub(crate) fn part(text: &str, root: &Object) -> Result<Object, PathError> {
    match AccessPath::parse(text, root)? {
        (_, Value::Node(node)) => Ok(node),
        (_, value) => Err(PathError::Plain { text: text.to_owned(), kind: value.kind_name() }),
    }
}
