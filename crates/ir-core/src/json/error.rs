//! Errors of loading JSON.

use crate::tensor::Elided;
use crate::value::FieldError;

/// An error of loading JSON.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}, at `{path}` (byte {offset_bytes})")]
pub struct JsonError {
    /// Kind of the error.
    pub kind: JsonErrorKind,
    /// JSON path, such as `$.nodes[3].data.value`.
    pub path: String,
    /// Position in the text.
    pub offset_bytes: usize,
}

/// An error of writing JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The elements of a tensor are needed.
    #[error(transparent)]
    Elided(#[from] Elided),
    /// Nodes of unknown types come from different graphs ([`UnknownNode`](super::UnknownNode)).
    #[error("nodes of unknown types come from different graphs, whose numbers cannot be joined")]
    TwoGraphs,
    /// A node refers to itself through others, in the form of the release.
    #[error("a buffer refers to itself through its shape or layout, which this release cannot hold")]
    Cycle,
}

/// Kind of a [`JsonError`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is of no accepted form.
    #[error("neither {forms}")]
    UnknownForm {
        /// The accepted forms, as "this nor that".
        forms: &'static str,
    },
    /// The text ends too early.
    #[error("the text ends here, expected {expected}")]
    UnexpectedEnd {
        /// The expected token or value.
        expected: &'static str,
    },
    /// Another token or value was expected.
    #[error("expected {expected}")]
    Expected {
        /// The expected token or value.
        expected: &'static str,
    },
    /// A number that does not fit into 64 bits.
    #[error("number out of range")]
    NumberRange,
    /// An invalid escape in a string.
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
    /// An object has an unknown key.
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
    /// An unknown format or version.
    #[error("unknown format `{found}`")]
    UnknownFormat {
        /// Format and version of the text.
        found: String,
    },
    /// No dialect of the registry has the type.
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
    /// No node has the index.
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
    /// Nested shared arrays, maps or spans unfold to too many elements.
    #[error("shared arrays, maps or spans unfold to more than {limit} elements")]
    TooManyElements {
        /// The limit.
        limit: u64,
    },
    /// A text is not a dtype.
    #[error("unknown dtype `{text}`")]
    UnknownDataType {
        /// The text.
        text: String,
    },
    /// Malformed data of a tensor.
    #[error("malformed tensor: {reason}")]
    BadTensor {
        /// The defect.
        reason: &'static str,
    },
    /// A map with a key without a value.
    #[error("a map has an odd number of indices")]
    OddMap,
    /// A value does not fit its field.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The text was written with another description of a dialect.
    #[error(
        "the nodes of the dialect `{dialect}` are those of the description {found}, but {}",
        loaded.as_ref().map_or("no description is loaded".to_owned(), |loaded| format!("the loaded one is {loaded}"))
    )]
    OtherDescription {
        /// Name of the dialect.
        dialect: String,
        /// Edition and content key in the text.
        found: String,
        /// Edition and content key of the loaded one.
        loaded: Option<String>,
    },
    /// Text of the native form that serde rejects.
    #[error("{message}")]
    Malformed {
        /// The message.
        message: String,
    },
}

impl JsonError {
    /// Creates an error without a position.
    pub fn new(kind: JsonErrorKind) -> JsonError {
        JsonError { kind, path: "$".to_owned(), offset_bytes: 0 }
    }

    /// Creates an error at a byte of the text.
    pub fn at(kind: JsonErrorKind, offset_bytes: usize) -> JsonError {
        JsonError { kind, path: "$".to_owned(), offset_bytes }
    }

    /// Prepends a step to the path.
    #[cold]
    pub fn within(mut self, step: impl std::fmt::Display) -> JsonError {
        self.path = format!("${step}{}", &self.path[1..]);
        self
    }
}
