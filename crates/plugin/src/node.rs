//! Nodes and values.

use std::fmt;

use crate::raw::{self, Handle};

/// The reason why something failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// The message.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(message: &str) -> Error {
        Error(message.to_owned())
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error(message)
    }
}

/// A value of a field, an argument or a result.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Absent.
    #[default]
    None,
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(String),
    /// A data type, such as `float32`.
    DType(String),
    /// A node.
    Node(Node),
}

impl Value {
    /// The node, if it is one.
    pub fn as_node(&self) -> Option<&Node> {
        match self {
            Value::Node(node) => Some(node),
            _ => None,
        }
    }
}

impl From<Node> for Value {
    fn from(node: Node) -> Value {
        Value::Node(node)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

/// A node, which never changes.
#[derive(Clone)]
pub struct Node(pub(crate) Handle);

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.type_key().unwrap_or("?"))
    }
}

impl Node {
    /// Makes a node of a type from its fields; those that are not given are absent.
    ///
    /// # Errors
    /// If the type or a field is unknown, or the values do not fit.
    pub fn new(key: &str, fields: &[(&str, &Value)]) -> Result<Node, Error> {
        raw::object_new(key, fields).map(Node)
    }

    /// Makes an array.
    ///
    /// # Errors
    /// If there are too many handles.
    pub fn array(values: &[Value]) -> Result<Node, Error> {
        raw::array_new(values).map(Node)
    }

    /// The type key, such as `tir.For`.
    ///
    /// # Errors
    /// Only on a bug.
    pub fn type_key(&self) -> Result<&'static str, Error> {
        raw::object_type(&self.0)
    }

    /// Tests whether the node is of a type or class.
    pub fn is(&self, key: &str) -> bool {
        raw::object_is(&self.0, key)
    }

    /// Number of fields, elements or entries.
    pub fn count(&self) -> usize {
        raw::object_count(&self.0)
    }

    /// A field by name.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn field(&self, name: &str) -> Result<Value, Error> {
        raw::object_field(&self.0, name)
    }

    /// A field by index, an element, or the value of an entry.
    ///
    /// # Errors
    /// If the index is not less than [`Node::count`].
    pub fn item(&self, index: usize) -> Result<Value, Error> {
        raw::object_item(&self.0, index)
    }

    /// The part at an access path, such as `body.seq[2]`.
    ///
    /// # Errors
    /// If there is no such part.
    pub fn at(&self, path: &str) -> Result<Value, Error> {
        raw::object_at(&self.0, path)
    }

    /// A copy with another value in a field.
    ///
    /// # Errors
    /// If there is no such field, or the value does not fit.
    pub fn with_field(&self, name: &str, value: &Value) -> Result<Node, Error> {
        raw::object_with_field(&self.0, name, value).map(Node)
    }

    /// Rewrites the nodes at and below this one, children before parents: `f` returns the node in the place of one, or `None` to
    /// keep it.
    ///
    /// # Errors
    /// The first error of `f`, and if a node cannot be where it is put.
    pub fn rewrite(&self, f: impl Fn(&Node) -> Result<Option<Node>, Error>) -> Result<Node, Error> {
        let call = |args: &[Value]| match args {
            [Value::Node(node)] => Ok(f(node)?.map_or(Value::None, Value::Node)),
            _ => Err(Error::from("a node is expected")),
        };
        raw::object_rewrite(&self.0, &call).map(Node)
    }
}
