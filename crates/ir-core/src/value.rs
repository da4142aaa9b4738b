//! Field values: what a node's field, an array's element or a map's entry may hold.

use crate::dtype::DataType;
use crate::node::Class;
use crate::raw::{Map, MapPart, NameCell, NodeSlot, Object, ObjectLike, Ref, Str};
use crate::span::Span;
use crate::type_table::TypeInfo;

/// Any value that a field can hold: 16 bytes.
#[derive(Clone, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A data type.
    DType(DataType),
    /// A node, string, array, map or tensor.
    Node(Object),
}

impl Value {
    /// A string.
    pub fn str(text: &str) -> Value {
        Value::Node(Str::new(text).into_object())
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Node(o) => Str::try_ref(o).map(Str::as_str),
            _ => None,
        }
    }

    /// The node, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Node(o) => Some(o),
            _ => None,
        }
    }

    /// The integer, if this is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// What kind of value this is, in words, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::DType(_) => "dtype",
            Value::Node(o) => o.info().display_key(),
        }
    }

    /// The value as a field shows it.
    #[inline]
    pub fn as_field(&self) -> FieldRef<'_> {
        match self {
            Value::None => FieldRef::None,
            Value::Bool(b) => FieldRef::Bool(*b),
            Value::Int(i) => FieldRef::Int(*i),
            Value::Float(f) => FieldRef::Float(*f),
            Value::DType(d) => FieldRef::DType(*d),
            Value::Node(o) => FieldRef::Node(o),
        }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::None => f.write_str("None"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::DType(d) => write!(f, "{d}"),
            Value::Node(o) => match self.as_str() {
                Some(s) => write!(f, "{s:?}"),
                None => write!(f, "{o:?}"),
            },
        }
    }
}

macro_rules! value_from {
    ($($ty:ty => |$x:ident| $e:expr),* $(,)?) => {$(
        impl From<$ty> for Value {
            fn from($x: $ty) -> Value { $e }
        }
    )*};
}
value_from! {
    bool => |x| Value::Bool(x),
    i32 => |x| Value::Int(x.into()),
    i64 => |x| Value::Int(x),
    u32 => |x| Value::Int(x.into()),
    f64 => |x| Value::Float(x),
    DataType => |x| Value::DType(x),
    &str => |x| Value::str(x),
    Object => |x| Value::Node(x),
    Str => |x| Value::Node(x.into_object()),
}
impl<T: Class> From<Ref<T>> for Value {
    fn from(x: Ref<T>) -> Value {
        Value::Node(x.into())
    }
}
impl<T> From<crate::raw::Array<T>> for Value
where
    crate::raw::Array<T>: ObjectLike,
{
    fn from(x: crate::raw::Array<T>) -> Value {
        Value::Node(x.into_object())
    }
}
impl<K: MapPart + 'static, V: MapPart + 'static> From<Map<K, V>> for Value {
    fn from(x: Map<K, V>) -> Value {
        Value::Node(x.into_object())
    }
}

/// A borrowed field, as generic walks see it.
#[derive(Debug, Clone, Copy)]
pub enum FieldRef<'a> {
    /// Absent.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer or a numbered enum.
    Int(i64),
    /// A float.
    Float(f64),
    /// A data type.
    DType(DataType),
    /// A place in a source.
    Span(Span),
    /// A name hint.
    Name(&'a NameCell),
    /// A node, string, array, map or tensor.
    Node(&'a Object),
}

impl FieldRef<'_> {
    /// The field as an owned value. Spans have none: they are not values.
    pub fn to_value(self) -> Value {
        match self {
            FieldRef::None | FieldRef::Span(_) => Value::None,
            FieldRef::Bool(b) => Value::Bool(b),
            FieldRef::Int(i) => Value::Int(i),
            FieldRef::Float(f) => Value::Float(f),
            FieldRef::DType(d) => Value::DType(d),
            FieldRef::Name(n) => Value::Node(n.get().into_object()),
            FieldRef::Node(o) => Value::Node(o.clone()),
        }
    }
}

/// Why a value cannot be a field, or values cannot be the fields of a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The value is of another kind.
    #[error("field `{field}` of `{key}` takes {expected}, not {found}")]
    Kind {
        /// The node's type key.
        key: &'static str,
        /// The field's name.
        field: &'static str,
        /// What the field takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// Too few or too many fields.
    #[error("`{key}` has {expected} fields, not {found}")]
    Count {
        /// The node's type key.
        key: &'static str,
        /// The declared number.
        expected: usize,
        /// The given number.
        found: usize,
    },
    /// The node has no such field.
    #[error("`{key}` has no field with the number {index}")]
    NoField {
        /// The node's type key.
        key: &'static str,
        /// The number.
        index: usize,
    },
    /// The fields fit one by one, but an invariant of the node does not hold.
    #[error("field `{field}` of `{key}` is invalid: {reason}")]
    Invalid {
        /// The node's type key.
        key: &'static str,
        /// The field.
        field: &'static str,
        /// Why.
        reason: String,
    },
    /// A rewrite gave a root of another class than asked for.
    #[error("the new root is not {expected}, but `{found}`")]
    Root {
        /// The class asked for.
        expected: String,
        /// The type key of the new root.
        found: &'static str,
    },
    /// No node has this type itself.
    #[error("`{key}` is an abstract class")]
    Abstract {
        /// The type key.
        key: &'static str,
    },
}

impl FieldError {
    /// The field that the error is about, if it is about one.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            FieldError::Kind { field, .. } | FieldError::Invalid { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// A Rust type that a reflected field may have.
pub trait Field: Sized {
    /// What the field takes, in words, with the class of nodes.
    fn expected() -> String;
    /// What was given instead, in words.
    fn found(value: &Value) -> String {
        quoted_kind(value)
    }
    /// What the field holds.
    const KIND: crate::type_table::FieldKind;
    /// The field as generic walks see it.
    fn as_field(&self) -> FieldRef<'_>;
    /// The field from a value, or the value back.
    fn from_value(value: Value) -> Result<Self, Value>;
    /// The place of the field's handle, if it holds one.
    #[inline]
    fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
        None
    }
}

/// Numbered enums (`ForKind`) are fields through this.
pub trait IntField: Copy {
    /// The number that is stored.
    fn to_int(self) -> i64;
    /// The variant with that number.
    fn from_int(value: i64) -> Option<Self>;
}

mod fields {
    use super::*;
    use crate::raw::Array;
    use crate::type_table::FieldKind;

    impl Field for bool {
        fn expected() -> String {
            "a bool".to_owned()
        }
        const KIND: FieldKind = FieldKind::Bool;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Bool(*self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::Bool(b) => Ok(b),
                Value::Int(i @ (0 | 1)) => Ok(i == 1),
                other => Err(other),
            }
        }
    }
    impl Field for i64 {
        fn expected() -> String {
            "an int".to_owned()
        }
        const KIND: FieldKind = FieldKind::Int;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Int(*self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::Int(i) => Ok(i),
                other => Err(other),
            }
        }
    }
    impl<T: IntField> Field for T {
        fn expected() -> String {
            "the number of a variant".to_owned()
        }
        fn found(value: &Value) -> String {
            value.as_int().map_or_else(|| quoted_kind(value), |number| number.to_string())
        }
        const KIND: FieldKind = FieldKind::Int;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Int(self.to_int())
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::Int(i) => T::from_int(i).ok_or(Value::Int(i)),
                other => Err(other),
            }
        }
    }
    impl Field for f64 {
        fn expected() -> String {
            "a float".to_owned()
        }
        const KIND: FieldKind = FieldKind::Float;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Float(*self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::Float(f) => Ok(f),
                Value::Int(i) => Ok(i as f64),
                other => Err(other),
            }
        }
    }
    impl Field for DataType {
        fn expected() -> String {
            "a dtype".to_owned()
        }
        const KIND: FieldKind = FieldKind::DType;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::DType(*self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::DType(d) => Ok(d),
                other => Err(other),
            }
        }
    }
    impl Field for Span {
        fn expected() -> String {
            "a span".to_owned()
        }
        const KIND: FieldKind = FieldKind::Span;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Span(*self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::None => Ok(Span::UNKNOWN),
                other => Err(other),
            }
        }
    }
    impl Field for NameCell {
        fn expected() -> String {
            "a string".to_owned()
        }
        const KIND: FieldKind = FieldKind::Node;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Name(self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            Str::from_value(value).map(NameCell::from)
        }
    }
    impl Field for Value {
        fn expected() -> String {
            "any value".to_owned()
        }
        const KIND: FieldKind = FieldKind::Any;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            Value::as_field(self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            Ok(value)
        }
        #[inline]
        fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
            match self {
                Value::Node(o) => Some(NodeSlot::new(o)),
                _ => None,
            }
        }
    }

    fn object_from_value<T: ObjectLike>(value: Value) -> Result<T, Value> {
        match value {
            Value::Node(o) => T::try_from_object(o).map_err(Value::Node),
            other => Err(other),
        }
    }
    impl Field for Object {
        fn expected() -> String {
            "a node".to_owned()
        }
        const KIND: FieldKind = FieldKind::Node;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            FieldRef::Node(self)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::Node(o) => Ok(o),
                other => Err(other),
            }
        }
        #[inline]
        fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
            Some(NodeSlot::new(self))
        }
    }
    impl Field for Option<Object> {
        fn expected() -> String {
            "a node or None".to_owned()
        }
        const KIND: FieldKind = FieldKind::Node;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            self.as_ref().map_or(FieldRef::None, FieldRef::Node)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::None => Ok(None),
                Value::Node(o) => Ok(Some(o)),
                other => Err(other),
            }
        }
        #[inline]
        fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
            self.as_mut().map(NodeSlot::new)
        }
    }
    impl Field for Option<i64> {
        fn expected() -> String {
            "an int or None".to_owned()
        }
        const KIND: FieldKind = FieldKind::Any;
        #[inline]
        fn as_field(&self) -> FieldRef<'_> {
            self.map_or(FieldRef::None, FieldRef::Int)
        }
        fn from_value(value: Value) -> Result<Self, Value> {
            match value {
                Value::None => Ok(None),
                Value::Int(i) => Ok(Some(i)),
                other => Err(other),
            }
        }
    }
    macro_rules! object_field {
        ($([$($g:tt)*] $ty:ty),* $(,)?) => {$(
            impl<$($g)*> Field for $ty {
                const KIND: FieldKind = FieldKind::Node;
                fn expected() -> String {
                    with_article(&<$ty as ObjectLike>::description())
                }
                fn found(value: &Value) -> String {
                    found_object::<$ty>(value)
                }
                #[inline]
                fn as_field(&self) -> FieldRef<'_> {
                    FieldRef::Node(self.as_object())
                }
                fn from_value(value: Value) -> Result<Self, Value> {
                    object_from_value(value)
                }
                #[inline]
                fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
                    Some(self.slot())
                }
            }
            impl<$($g)*> Field for Option<$ty> {
                const KIND: FieldKind = FieldKind::Node;
                fn expected() -> String {
                    format!("{} or None", <$ty as Field>::expected())
                }
                fn found(value: &Value) -> String {
                    found_object::<$ty>(value)
                }
                #[inline]
                fn as_field(&self) -> FieldRef<'_> {
                    self.as_ref().map_or(FieldRef::None, |o| FieldRef::Node(o.as_object()))
                }
                fn from_value(value: Value) -> Result<Self, Value> {
                    match value {
                        Value::None => Ok(None),
                        other => object_from_value(other).map(Some),
                    }
                }
                #[inline]
                fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
                    self.as_mut().map(ObjectLike::slot)
                }
            }
        )*};
    }
    object_field! {
        [] Str,
        [T: Class] Ref<T>,
        [T: ObjectLike] Array<T>,
        [] Array<Value>,
        [K: MapPart + 'static, V: MapPart + 'static] Map<K, V>,
    }

    /// `a string`, `an array of ..`, `` a `tir.Stmt` ``.
    fn with_article(description: &str) -> String {
        format!("{} {description}", if description.starts_with('a') { "an" } else { "a" })
    }

    /// What a value is, or for a container of the right shape, which of its elements does not fit.
    fn found_object<T: ObjectLike>(value: &Value) -> String {
        let misfit = value.as_object().and_then(T::misfit);
        misfit.unwrap_or_else(|| quoted_kind(value))
    }
}

/// Field values on their way into a node.
#[derive(Debug)]
pub struct Fields<'a> {
    pub(crate) info: &'a TypeInfo,
    next: usize,
    values: std::slice::IterMut<'a, Value>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(info: &'a TypeInfo, values: &'a mut [Value]) -> Self {
        Fields { info, next: 0, values: values.iter_mut() }
    }

    /// The next field in declaration order.
    ///
    /// # Errors
    /// When it is of another kind than the field.
    pub fn take<T: Field>(&mut self) -> Result<T, FieldError> {
        let value = self.values.next().map(std::mem::take).unwrap_or_default();
        let index = self.next;
        self.next += 1;
        T::from_value(value).map_err(|found| field_error::<T>(self.info, index, &found))
    }

    /// The next field in declaration order; a node in it must be of the class `C`.
    ///
    /// # Errors
    /// When it is of another kind or class than the field.
    pub fn take_of<T: Field, C: Class>(&mut self) -> Result<T, FieldError> {
        let (info, index) = (self.info, self.next);
        of_class::<T, C>(self.take()?, info, index)
    }
}

/// The value of a field whose nodes must be of the class `C` (`#[node(class = C)]`). Used by the derive.
///
/// # Errors
/// When it is a node of another class.
pub fn of_class<T: Field, C: Class>(value: T, info: &TypeInfo, index: usize) -> Result<T, FieldError> {
    match value.as_field() {
        FieldRef::Node(node) if !node.is::<C>() => Err(FieldError::Kind {
            key: info.display_key(),
            field: field_name(info, index),
            expected: format!("a `{}`", C::type_info().display_key()),
            found: format!("`{}`", node.info().display_key()),
        }),
        _ => Ok(value),
    }
}

/// The kind of a value, in words; of a node its type key.
pub(crate) fn quoted_kind(value: &Value) -> String {
    match value {
        Value::Node(node) => format!("`{}`", node.info().display_key()),
        other => other.kind_name().to_owned(),
    }
}

fn field_name(info: &TypeInfo, index: usize) -> &'static str {
    info.fields().get(index).map_or("?", |f| f.name)
}

/// The error for a value that does not fit the field at `index`. Used by the derive.
pub fn field_error<T: Field>(info: &TypeInfo, index: usize, found: &Value) -> FieldError {
    FieldError::Kind {
        key: info.display_key(),
        field: field_name(info, index),
        expected: T::expected(),
        found: T::found(found),
    }
}
