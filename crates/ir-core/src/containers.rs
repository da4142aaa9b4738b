//! The nodes behind strings, arrays, maps and tensors.

use std::hash::{Hash, Hasher};

use indexmap::{Equivalent, IndexMap};
use smallvec::SmallVec;

use crate::dtype::DataType;
use crate::node::{Class, Node};
use crate::raw::{Object, ObjectLike, Str, Text, count_node_bytes};
use crate::tensor::TensorData;
use crate::type_table::{EqKind, Plan, Shape, TypeDecl, TypeInfo, register_node};
use crate::value::{FieldError, FieldRef, Fields, Value};

/// Type keys of the containers.
pub mod keys {
    /// Prefix of the keys, which messages omit ([`crate::TypeInfo::display_key`]).
    pub const PREFIX: &str = "core.";
    /// A string.
    pub const STR: &str = "core.Str";
    /// An array.
    pub const ARRAY: &str = "core.Array";
    /// A map.
    pub const MAP: &str = "core.Map";
    /// A tensor.
    pub const TENSOR: &str = "core.Tensor";
    /// A tuple of plain integers.
    pub const SHAPE: &str = "core.Shape";
}

macro_rules! container {
    ($ty:ident, $key:expr, $shape:ident $(, check = $check:path)?) => {
        // SAFETY: the entry is registered for this very struct.
        unsafe impl Class for $ty {
            #[inline]
            fn type_info() -> &'static TypeInfo {
                static INFO: std::sync::OnceLock<&'static TypeInfo> = std::sync::OnceLock::new();
                INFO.get_or_init(|| {
                    register_node::<$ty>(TypeDecl {
                        key: $key,
                        parent: None,
                        missing_parent: None,
                        eq: EqKind::Tree,
                        custom_eq: None,
                        shape: Shape::$shape,
                        fields: &[],
                    })
                })
            }
        }
        impl Node for $ty {
            $(const CHECK: Option<fn(&Self) -> Result<(), crate::invariants::Invalid>> = Some($check);)?
            fn field(&self, _: usize) -> FieldRef<'_> {
                FieldRef::None
            }
            fn set_field(&mut self, index: usize, _: Value) -> Result<(), FieldError> {
                Err(FieldError::NoField { key: $key, index })
            }
            fn from_fields(_: &mut Fields<'_>) -> Result<Self, FieldError> {
                Err(FieldError::Abstract { key: $key })
            }
        }
    };
}

/// The payload of a [`Str`].
#[derive(Debug, Clone)]
pub(crate) struct StrNode {
    pub(crate) text: Text,
}
container!(StrNode, keys::STR, Str);

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
impl std::fmt::Display for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
impl std::ops::Deref for Str {
    type Target = str;
    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}
impl PartialEq for Str {
    fn eq(&self, other: &Str) -> bool {
        self.as_str() == other.as_str()
    }
}
impl Eq for Str {}
macro_rules! str_eq {
    ($($text:ty)*) => {$(
        impl PartialEq<$text> for Str {
            fn eq(&self, other: &$text) -> bool {
                let other: &str = other;
                self.as_str() == other
            }
        }
    )*};
}
str_eq! { str String &str }
impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}
impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Str {
    fn cmp(&self, other: &Str) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}
impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
impl std::borrow::Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}
impl From<&str> for Str {
    fn from(text: &str) -> Str {
        Str::new(text)
    }
}
impl From<String> for Str {
    fn from(text: String) -> Str {
        Str::new(text)
    }
}

/// Content of a [`crate::NameCell`] whose name was replaced. No field refers to it.
#[derive(Debug, Clone)]
pub(crate) struct RenamedNode {
    pub(crate) name: Str,
    /// The name that texts show, if it is another one.
    pub(crate) written: Option<Str>,
    /// The former content, which other threads may still read.
    pub(crate) _former: Object,
}
container!(RenamedNode, "ir_core.Renamed", Fields);

/// The payload of an [`crate::Array`].
#[derive(Debug, Clone)]
pub struct ArrayNode {
    items: SmallVec<[Value; 2]>,
}
container!(ArrayNode, keys::ARRAY, Array);

impl ArrayNode {
    /// Creates the payload of an array.
    pub fn new(items: SmallVec<[Value; 2]>) -> ArrayNode {
        if items.spilled() {
            count_node_bytes(size_of::<Value>() * items.capacity());
        }
        ArrayNode { items }
    }

    /// Returns the elements.
    #[inline]
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Returns the elements for mutation.
    pub(crate) fn items_mut(&mut self) -> &mut [Value] {
        &mut self.items
    }
}

/// A key of a map. Strings compare by content, numbers by value, nodes by pointer.
#[derive(Debug, Clone)]
#[repr(transparent)]
pub struct Key(Value);

/// A borrowed key for lookups.
#[derive(Clone, Copy)]
pub(crate) struct ByValue<'a>(pub(crate) &'a Value);

struct ByStr<'a>(&'a str);

impl Key {
    /// Wraps a value.
    pub fn new(value: Value) -> Key {
        Key(value)
    }

    /// Returns the value.
    #[inline]
    pub fn value(&self) -> &Value {
        &self.0
    }
}

fn hash_value<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::None => state.write_u8(0),
        Value::Bool(b) => b.hash(state),
        Value::Int(i) => i.hash(state),
        Value::Float(f) => f.to_bits().hash(state),
        Value::DType(d) => d.hash(state),
        Value::Node(o) => match Str::try_ref(o) {
            Some(s) => s.as_str().hash(state),
            None => o.address().hash(state),
        },
    }
}

fn same_key(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::None, Value::None) => true,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        (Value::DType(x), Value::DType(y)) => x == y,
        (Value::Node(x), Value::Node(y)) => {
            x.ptr_eq(y) || matches!((a.as_str(), b.as_str()), (Some(x), Some(y)) if x == y)
        }
        _ => false,
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(&self.0, state);
    }
}
impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        same_key(&self.0, &other.0)
    }
}
impl Eq for Key {}
impl Hash for ByValue<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(self.0, state);
    }
}
impl Equivalent<Key> for ByValue<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        same_key(self.0, &key.0)
    }
}
impl Hash for ByStr<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl Equivalent<Key> for ByStr<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        key.0.as_str() == Some(self.0)
    }
}

/// The payload of a [`crate::Map`].
#[derive(Debug, Clone)]
pub struct MapNode {
    entries: IndexMap<Key, Value>,
}
container!(MapNode, keys::MAP, Map);

impl MapNode {
    /// Creates the payload of a map.
    pub fn new(entries: IndexMap<Key, Value>) -> MapNode {
        count_node_bytes(2 * size_of::<(Key, Value)>() * entries.len());
        MapNode { entries }
    }

    /// Returns the entries.
    pub fn entries(&self) -> &IndexMap<Key, Value> {
        &self.entries
    }

    pub(crate) fn get(&self, key: &Value) -> Option<&Value> {
        self.entries.get(&ByValue(key))
    }

    pub(crate) fn get_str(&self, key: &str) -> Option<&Value> {
        self.entries.get(&ByStr(key))
    }

    /// Returns the value at `position` for mutation.
    pub(crate) fn value_mut(&mut self, position: usize) -> Option<&mut Value> {
        self.entries.get_index_mut(position).map(|(_, v)| v)
    }

    pub(crate) fn take_entries(&mut self) -> IndexMap<Key, Value> {
        std::mem::take(&mut self.entries)
    }
}

/// A tensor.
#[derive(Debug, Clone)]
pub struct TensorNode {
    /// The element type.
    pub dtype: DataType,
    /// Number of elements per dimension.
    pub shape: Box<[i64]>,
    /// Row-major elements.
    pub data: TensorData,
}
container!(TensorNode, keys::TENSOR, Tensor, check = crate::invariants::check_tensor);

/// A handle to a tensor.
pub type Tensor = crate::raw::Ref<TensorNode>;

/// A tuple of plain integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeNode {
    /// The integers of the tuple.
    pub values: Box<[i64]>,
}
container!(ShapeNode, keys::SHAPE, Tensor);

/// Maximum length of a cheap array.
const CHEAP_ELEMENTS: usize = 4;

impl Object {
    /// Returns `true` for an array of few elements without children, which is cheaper to walk again than to look up.
    #[inline]
    pub(crate) fn is_cheap_array(&self) -> bool {
        let is_leaf = |item: &Value| match item {
            Value::Node(node) => matches!(node.info().plan(), Plan::Leaf | Plan::Str),
            _ => true,
        };
        let is_cheap = |items: &[Value]| items.len() <= CHEAP_ELEMENTS && items.iter().all(is_leaf);
        self.info().plan() == Plan::Array && is_cheap(self.array_items())
    }

    /// Returns the elements of an array; none for other nodes.
    #[inline]
    pub fn array_items(&self) -> &[Value] {
        self.as_node::<ArrayNode>().map_or(&[], ArrayNode::items)
    }

    /// Iterates over the entries of a map; none for other nodes.
    #[inline]
    pub fn map_entries(&self) -> impl DoubleEndedIterator<Item = (&Value, &Value)> {
        let entries = self.as_node::<MapNode>().into_iter().flat_map(MapNode::entries);
        entries.map(|(key, value)| (key.value(), value))
    }
}

impl PartialEq for Object {
    /// Compares identity.
    fn eq(&self, other: &Object) -> bool {
        self.ptr_eq(other)
    }
}
impl Eq for Object {}
impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}
