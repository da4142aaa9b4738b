//! What can be wrong with JSON.

use crate::value::FieldError;

/// One fault, and where it is.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}, at `{path}` (byte {offset_bytes})")]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The JSON path, such as `$.nodes[3].data.value`.
    pub path: String,
    /// The place in the text.
    pub offset_bytes: usize,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text has none of the forms that the reader accepts.
    #[error("neither {forms}")]
    UnknownForm {
        /// The accepted forms: "this nor that".
        forms: &'static str,
    },
    /// The text breaks off.
    #[error("the text ends here, expected {expected}")]
    UnexpectedEnd {
        /// What was to come.
        expected: &'static str,
    },
    /// Something else stands here: no JSON, or a value of another kind.
    #[error("expected {expected}")]
    Expected {
        /// What was to come.
        expected: &'static str,
    },
    /// A number that no 64 bits hold.
    #[error("number out of range")]
    NumberRange,
    /// An escape in a string that says nothing.
    #[error("invalid escape in a string")]
    BadEscape,
    /// Text after the end.
    #[error("text after the end of the JSON value")]
    TrailingText,
    /// An object lacks a key.
    #[error("missing `{key}`")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// An object has a key that means nothing.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// An object has a key twice.
    #[error("`{key}` appears twice")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A format or version that this reader does not know.
    #[error("unknown format `{found}`")]
    UnknownFormat {
        /// What the text says.
        found: String,
    },
    /// No dialect in the registry has the type.
    #[error("unknown node type `{key}`")]
    UnknownType {
        /// The type key.
        key: String,
    },
    /// A node is stored by name, and no dialect in the registry declares the name.
    #[error("`{name}` is not a registered `{key}`")]
    UnknownName {
        /// The type key of the node.
        key: &'static str,
        /// The name.
        name: String,
    },
    /// An index that is no node's.
    #[error("no node has the index {index}")]
    BadIndex {
        /// The index.
        index: i64,
    },
    /// A node refers to itself or to one after it, perhaps in a cycle.
    #[error(
        "node {from} refers to {}: a node must come after all nodes that it refers to, so cycles cannot be read",
        if from == index { "itself".to_owned() } else { format!("node {index}, which comes after it") }
    )]
    ForwardReference {
        /// The index of the node that refers.
        from: i64,
        /// The index of the node referred to.
        index: i64,
    },
    /// Arrays or spans that contain each other stand for more elements than can be checked.
    #[error("shared arrays, maps or spans stand for more than {limit} elements")]
    TooManyElements {
        /// The limit.
        limit: u64,
    },
    /// The text of a dtype is none.
    #[error("unknown dtype `{text}`")]
    UnknownDataType {
        /// The text.
        text: String,
    },
    /// Malformed data of a tensor.
    #[error("malformed tensor: {reason}")]
    BadTensor {
        /// What is wrong.
        reason: &'static str,
    },
    /// A map with a key but no value.
    #[error("a map has an odd number of indices")]
    OddMap,
    /// A field does not take its value.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Text of the native form that serde rejects.
    #[error("{message}")]
    Malformed {
        /// The message.
        message: String,
    },
}

impl JsonError {
    /// An error whose place is not known yet.
    pub fn new(kind: JsonErrorKind) -> JsonError {
        JsonError { kind, path: "$".to_owned(), offset_bytes: 0 }
    }

    /// An error at a byte of the text.
    pub fn at(kind: JsonErrorKind, offset_bytes: usize) -> JsonError {
        JsonError { kind, path: "$".to_owned(), offset_bytes }
    }

    /// Puts a step in front of the path: the error as the enclosing value reports it.
    #[cold]
    pub fn within(mut self, step: impl std::fmt::Display) -> JsonError {
        self.path = format!("${step}{}", &self.path[1..]);
        self
    }
}
