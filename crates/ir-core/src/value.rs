//! Values of fields, array elements and map entries.

use crate::dtype::DataType;
use crate::json::limits::ElementBudget;
use crate::node::Class;
use crate::raw::{Map, MapPart, NameCell, NodeSlot, Object, ObjectLike, Ref, Str};
use crate::span::Span;
use crate::type_table::TypeInfo;

/// A value of any kind: 16 bytes.
#[derive(Clone, Default)]
pub enum Value {
    /// The absent value.
    #[default]
    None,
    /// A bool.
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
    /// Makes a string.
    pub fn str(text: &str) -> Value {
        Value::Node(Str::new(text).into_object())
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Node(o) => Str::try_ref(o).map(Str::as_str),
            _ => None,
        }
    }

    /// Returns the node.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Node(o) => Some(o),
            _ => None,
        }
    }

    /// Returns the integer.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// Returns the kind of the value for messages; the type key of a node.
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

    /// Borrows the value as a field.
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

/// A borrowed field.
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
    /// A span.
    Span(Span),
    /// A name hint.
    Name(&'a NameCell),
    /// A node, string, array, map or tensor.
    Node(&'a Object),
}

impl FieldRef<'_> {
    /// Converts into an owned value; `None` for spans, which are not values.
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

/// Error of setting a field or constructing a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The value is of another kind.
    #[error("field `{field}` of `{key}` takes {expected}, not {found}")]
    Kind {
        /// Type key of the node.
        key: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Expected kind or class.
        expected: String,
        /// Kind or class of the value.
        found: String,
    },
    /// Too few or too many fields.
    #[error("`{key}` has {expected} fields, not {found}")]
    Count {
        /// Type key of the node.
        key: &'static str,
        /// Number of declared fields.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// The node has no such field.
    #[error("`{key}` has no field {index}")]
    NoField {
        /// Type key of the node.
        key: &'static str,
        /// Index of the field.
        index: usize,
    },
    /// An invariant of the node does not hold.
    #[error("field `{field}` of `{key}` is invalid: {reason}")]
    Invalid {
        /// Type key of the node.
        key: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The broken invariant.
        reason: String,
    },
    /// A rewrite replaced the root by a node of another class.
    #[error("the new root is not {expected}, but `{found}`")]
    Root {
        /// Expected class.
        expected: String,
        /// Type key of the new root.
        found: &'static str,
    },
    /// The type is abstract.
    #[error("`{key}` is an abstract class")]
    Abstract {
        /// The type key.
        key: &'static str,
    },
}

impl FieldError {
    /// Returns the field that the error concerns.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            FieldError::Kind { field, .. } | FieldError::Invalid { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// A Rust type of reflected fields.
pub trait Field: Sized {
    /// Describes the valid values in messages, with an article.
    fn expected() -> String;
    /// Describes an invalid value in messages.
    fn found(value: &Value) -> String {
        quoted_kind(value)
    }
    /// Kind of the values.
    const KIND: crate::type_table::FieldKind;
    /// Borrows the field.
    fn as_field(&self) -> FieldRef<'_>;
    /// Converts a value, or returns it if it is invalid.
    fn from_value(value: Value) -> Result<Self, Value>;
    /// As [`Field::from_value`], within the budget of a load.
    fn from_value_within(value: Value, _elements: &mut ElementBudget) -> Result<Self, Value> {
        Self::from_value(value)
    }
    /// Returns the slot of the handle that the field holds.
    #[inline]
    fn node_slot(&mut self) -> Option<NodeSlot<'_>> {
        None
    }
}

/// Enums stored as numbers (`ForKind`), which implement [`Field`] through this trait.
pub trait IntField: Copy {
    /// Returns the stored number.
    fn to_int(self) -> i64;
    /// Returns the variant with a number.
    fn from_int(value: i64) -> Option<Self>;
}

mod fields {
    use super::*;
    use crate::raw::Array;
    use crate::type_table::FieldKind;

    macro_rules! scalar_fields {
        ($($ty:ty: $kind:ident, $expected:literal, |$field:ident| $borrowed:expr, { $($pattern:pat => $value:expr),+ };)*) => {$(
            impl Field for $ty {
                const KIND: FieldKind = FieldKind::$kind;
                fn expected() -> String {
                    $expected.to_owned()
                }
                #[inline]
                fn as_field(&self) -> FieldRef<'_> {
                    let $field = self;
                    $borrowed
                }
                fn from_value(value: Value) -> Result<Self, Value> {
                    match value {
                        $($pattern => Ok($value),)+
                        other => Err(other),
                    }
                }
            }
        )*};
    }

    scalar_fields! {
        bool: Bool, "a bool", |b| FieldRef::Bool(*b), { Value::Bool(b) => b, Value::Int(i @ (0 | 1)) => i == 1 };
        i64: Int, "an int", |i| FieldRef::Int(*i), { Value::Int(i) => i };
        f64: Float, "a float", |f| FieldRef::Float(*f), { Value::Float(f) => f, Value::Int(i) => i as f64 };
        DataType: DType, "a dtype", |d| FieldRef::DType(*d), { Value::DType(d) => d };
        Span: Span, "a span", |s| FieldRef::Span(*s), { Value::None => Span::UNKNOWN };
        Option<i64>: Any, "an int or None", |i| i.map_or(FieldRef::None, FieldRef::Int), {
            Value::None => None,
            Value::Int(i) => Some(i)
        };
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

    fn object_from_value<T: ObjectLike>(value: Value, elements: &mut ElementBudget) -> Result<T, Value> {
        match value {
            Value::Node(o) => T::try_from_object_within(o, elements).map_err(Value::Node),
            other => Err(other),
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
                    object_from_value(value, &mut ElementBudget::unlimited())
                }
                fn from_value_within(value: Value, elements: &mut ElementBudget) -> Result<Self, Value> {
                    object_from_value(value, elements)
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
                    Self::from_value_within(value, &mut ElementBudget::unlimited())
                }
                fn from_value_within(value: Value, elements: &mut ElementBudget) -> Result<Self, Value> {
                    match value {
                        Value::None => Ok(None),
                        other => object_from_value(other, elements).map(Some),
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
        [] Object,
        [] Str,
        [T: Class] Ref<T>,
        [T: ObjectLike] Array<T>,
        [] Array<Value>,
        [K: MapPart + 'static, V: MapPart + 'static] Map<K, V>,
    }

    /// `a string`, `an array of ..`, `` a `toy.Step` ``.
    fn with_article(description: &str) -> String {
        format!("{} {description}", if description.starts_with('a') { "an" } else { "a" })
    }

    /// Describes an invalid value; for a container, its first invalid element.
    fn found_object<T: ObjectLike>(value: &Value) -> String {
        let misfit = value.as_object().and_then(T::misfit);
        misfit.unwrap_or_else(|| quoted_kind(value))
    }
}

/// The values that a node is constructed from.
#[derive(Debug)]
pub struct Fields<'a> {
    pub(crate) info: &'a TypeInfo,
    next: usize,
    values: std::slice::IterMut<'a, Value>,
    elements: &'a mut ElementBudget,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(info: &'a TypeInfo, values: &'a mut [Value], elements: &'a mut ElementBudget) -> Self {
        Fields { info, next: 0, values: values.iter_mut(), elements }
    }

    /// The budget of the load.
    pub(crate) fn elements(&mut self) -> &mut ElementBudget {
        self.elements
    }

    /// Takes the next field in declaration order.
    ///
    /// # Errors
    /// Fails if the value is of another kind than the field.
    #[inline(never)]
    pub fn take<T: Field>(&mut self) -> Result<T, FieldError> {
        let value = self.values.next().map(std::mem::take).unwrap_or_default();
        let index = self.next;
        self.next += 1;
        T::from_value_within(value, self.elements).map_err(|found| match self.elements.is_spent() {
            // A description would check the elements again.
            true => kind_error(self.info, index, T::expected(), quoted_kind(&found)),
            false => field_error::<T>(self.info, index, &found),
        })
    }

    /// Takes the next field in declaration order, in which nodes must be of class `C`.
    ///
    /// # Errors
    /// Fails if the value is of another kind or class.
    pub fn take_of<T: Field, C: Class>(&mut self) -> Result<T, FieldError> {
        let (info, index) = (self.info, self.next);
        of_class::<T, C>(self.take()?, info, index)
    }
}

/// Assigns a value to a field. Used by the derive; not inlined, so that the code stands once for each type of field.
///
/// # Errors
/// Fails if the value is of another kind than the field.
#[inline(never)]
pub fn assign<T: Field>(
    field: &mut T,
    value: Value,
    info: &TypeInfo,
    index: usize,
) -> Result<(), FieldError> {
    *field = converted(value, info, index)?;
    Ok(())
}

/// Assigns a value to a field in which nodes must be of class `C` (`#[node(class = C)]`). Used by the derive.
///
/// # Errors
/// Fails if the value is of another kind or class.
#[inline(never)]
pub fn assign_of<T: Field, C: Class>(
    field: &mut T,
    value: Value,
    info: &TypeInfo,
    index: usize,
) -> Result<(), FieldError> {
    *field = of_class::<T, C>(converted(value, info, index)?, info, index)?;
    Ok(())
}

fn converted<T: Field>(value: Value, info: &TypeInfo, index: usize) -> Result<T, FieldError> {
    T::from_value(value).map_err(|found| field_error::<T>(info, index, &found))
}

/// Checks that a node in a field is of class `C` (`#[node(class = C)]`). Used by the derive.
///
/// # Errors
/// Fails for a node of another class.
pub fn of_class<T: Field, C: Class>(value: T, info: &TypeInfo, index: usize) -> Result<T, FieldError> {
    match value.as_field() {
        FieldRef::Node(node) if !node.is::<C>() => {
            let expected = format!("a `{}`", C::type_info().display_key());
            Err(kind_error(info, index, expected, format!("`{}`", node.info().display_key())))
        }
        _ => Ok(value),
    }
}

/// Describes the kind of a value in messages; a node by its quoted type key.
pub(crate) fn quoted_kind(value: &Value) -> String {
    match value {
        Value::Node(node) => format!("`{}`", node.info().display_key()),
        other => other.kind_name().to_owned(),
    }
}

fn field_name(info: &TypeInfo, index: usize) -> &'static str {
    info.fields().get(index).map_or("?", |f| f.name)
}

/// Returns the error for an invalid value of the field at `index`. Used by the derive.
pub fn field_error<T: Field>(info: &TypeInfo, index: usize, found: &Value) -> FieldError {
    kind_error(info, index, T::expected(), T::found(found))
}

fn kind_error(info: &TypeInfo, index: usize, expected: String, found: String) -> FieldError {
    FieldError::Kind { key: info.display_key(), field: field_name(info, index), expected, found }
}
