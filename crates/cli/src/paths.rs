//! Access paths on the command line: `<root>.body.seq[2]`, or `body.seq[2]` for short.

use tvmscript::ir_core::{self, AccessPath};
use tvmscript::{Object, Value};

/// Why a path leads to no node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    /// It leads nowhere.
    #[error(transparent)]
    Path(#[from] ir_core::PathError),
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
    Ok(AccessPath::parse(text, root)?.0)
}

/// The node at the path that a text means, from this root on.
///
/// # Errors
/// When it is no path, or leads to no node.
pub(crate) fn part(text: &str, root: &Object) -> Result<Object, PathError> {
    match AccessPath::parse(text, root)? {
        (_, Value::Node(node)) => Ok(node),
        (_, value) => Err(PathError::Plain { text: text.to_owned(), kind: value.kind_name() }),
    }
}
