//! Values of scripts: Python objects and IR nodes.
//!
//! A value has 16 bytes and is cheap to clone. Lists and dictionaries are shared and mutable, as in Python; nodes are
//! shared and immutable. Values are confined to one thread.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use tvmscript_ir_core::{Array, Class, DataType, Map, Object, ObjectLike, Ref, Str, Value, with_stack};

use crate::error::BuildError;
use crate::function::{CallArgs, Declaration, ScriptFn};
use crate::items::{Dict, Items, release};
use crate::key::{DictKey, Hashing};

/// A value of a script.
#[derive(Clone, Default)]
pub enum ScriptValue {
    /// `None`.
    #[default]
    None,
    /// A bool.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A larger integer.
    BigInt(Rc<BigInt>),
    /// A float.
    Float(f64),
    /// Text.
    Str(Str),
    /// Bytes.
    Bytes(Rc<[u8]>),
    /// A data type.
    DType(DataType),
    /// An IR node, array, map or tensor.
    Node(Object),
    /// A tuple.
    Tuple(Rc<Items>),
    /// A list.
    List(Rc<RefCell<Items>>),
    /// A dictionary.
    Dict(Rc<RefCell<Dict>>),
    /// A slice.
    Slice(Rc<Slice>),
    /// A frame of a builder that is not entered yet.
    Frame(Rc<dyn PendingScope>),
    /// A function declared by `#[script_fn]`.
    Function(&'static ScriptFn),
    /// Anything else: namespaces, methods, host functions, sets, iterators.
    Host(Rc<dyn HostObject>),
    /// `...`
    Ellipsis,
}

/// A slice; absent bounds are `None`.
#[derive(Debug, Clone, Default)]
pub struct Slice {
    /// Lower bound.
    pub start: ScriptValue,
    /// Upper bound.
    pub stop: ScriptValue,
    /// Step.
    pub step: ScriptValue,
}

impl Drop for Slice {
    fn drop(&mut self) {
        release([&mut self.start, &mut self.stop, &mut self.step].map(std::mem::take));
    }
}

/// A frame of a builder that is not entered yet: a loop, a block, a function. The builder that made it downcasts and
/// enters it.
pub trait PendingScope: Any {
    /// Name in the text, for messages.
    fn name(&self) -> &'static str;
}

impl dyn PendingScope {
    /// The frame, for downcasting.
    pub fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The interface of values that are neither data nor nodes.
pub trait HostObject: Any {
    /// Description of the value's type, for messages (`a function`).
    fn type_name(&self) -> &str;

    /// Looks up an attribute.
    fn attribute(&self, _name: &str) -> Option<ScriptValue> {
        None
    }

    /// Attribute names, for suggestions.
    fn attribute_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Tests whether an attribute is missing because its definition has an error, which is reported there.
    fn lacks_by_mistake(&self, _name: &str) -> bool {
        false
    }

    /// Tests whether definitions of the script make the attributes, so that a statement with syntax errors may have
    /// made one.
    fn takes_definitions(&self) -> bool {
        false
    }

    /// Tests whether the attributes are the functions of a namespace.
    fn is_namespace(&self) -> bool {
        false
    }

    /// The elements, for iteration and unpacking.
    fn items(&self) -> Option<Vec<ScriptValue>> {
        None
    }

    /// Subscripts the value; `None` if it is not subscriptable.
    ///
    /// # Errors
    /// Fails if there is no such element.
    fn subscript(&self, _index: &ScriptValue) -> Option<Result<ScriptValue, BuildError>> {
        None
    }

    /// Tests whether [`HostObject::call`] is supported.
    fn is_callable(&self) -> bool {
        false
    }

    /// Tests whether [`HostObject::call`] knows a call of this form; a printed text keeps another one as it is written.
    fn has_form(&self, _args: &CallArgs) -> bool {
        true
    }

    /// Tests whether slices among the arguments of a call are regions; else they are vectors.
    fn takes_regions(&self) -> bool {
        false
    }

    /// The declaration of the function that a call runs, if there is one.
    fn declaration(&self) -> Option<Declaration> {
        None
    }

    /// Tests whether the value as a member of a class is a method, which takes the instance as its first argument.
    fn is_method(&self) -> bool {
        false
    }

    /// Calls the value.
    ///
    /// # Errors
    /// Fails if the called function fails.
    fn call(&self, _args: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(BuildError::not_callable(self.type_name()))
    }

    /// Tests whether another value is an instance of this class; `None` if this is not a class.
    fn is_class_of(&self, _value: &ScriptValue) -> Option<bool> {
        None
    }

    /// A suggestion for what to write instead, where the value is misused.
    fn advice(&self) -> Option<String> {
        None
    }

    /// The node that the value converts to.
    fn node(&self) -> Option<Object> {
        None
    }

    /// The value of a built-in type that the object extends: the integer of a member of an integer enumeration, the
    /// tuple of a named tuple.
    fn payload(&self) -> Option<&ScriptValue> {
        None
    }

    /// Behaviour of the value as a dictionary key.
    fn hashing(&self) -> Hashing {
        Hashing::Identity
    }

    /// Tests whether both are the same key, for [`Hashing::Value`].
    fn same_key(&self, _other: &dyn HostObject) -> bool {
        false
    }
}

impl dyn HostObject {
    /// The value, for downcasting.
    pub fn as_any(&self) -> &dyn Any {
        self
    }
}

impl ScriptValue {
    /// A text value.
    pub fn str(text: &str) -> ScriptValue {
        ScriptValue::Str(Str::new(text))
    }

    /// A tuple.
    pub fn tuple(items: impl IntoIterator<Item = ScriptValue>) -> ScriptValue {
        ScriptValue::Tuple(Rc::new(items.into_iter().collect()))
    }

    /// A list.
    pub fn list(items: Vec<ScriptValue>) -> ScriptValue {
        ScriptValue::List(Rc::new(RefCell::new(items.into())))
    }

    /// A dictionary.
    pub fn dict(entries: impl IntoIterator<Item = (DictKey, ScriptValue)>) -> ScriptValue {
        ScriptValue::Dict(Rc::new(RefCell::new(entries.into_iter().collect())))
    }

    /// Tests whether the value contains others: dropping it may recurse, and it may be part of a cycle.
    pub fn holds_values(&self) -> bool {
        matches!(
            self,
            ScriptValue::Tuple(_)
                | ScriptValue::List(_)
                | ScriptValue::Dict(_)
                | ScriptValue::Slice(_)
                | ScriptValue::Frame(_)
                | ScriptValue::Host(_)
        )
    }

    /// A host object.
    pub fn host(object: impl HostObject) -> ScriptValue {
        ScriptValue::Host(Rc::new(object))
    }

    /// An integer of any size.
    pub fn big_int(value: BigInt) -> ScriptValue {
        value.to_i64().map_or_else(|| ScriptValue::BigInt(Rc::new(value)), ScriptValue::Int)
    }

    /// The node, if it is of class `T`.
    pub fn as_node<T: Class>(&self) -> Option<&Ref<T>> {
        match self {
            ScriptValue::Node(o) => o.downcast_ref::<T>(),
            _ => None,
        }
    }

    /// The value of a built-in type that this one extends, else the value itself.
    pub fn plain(&self) -> &ScriptValue {
        match self {
            ScriptValue::Host(host) => host.payload().unwrap_or(self),
            _ => self,
        }
    }

    /// The value for code that knows built-in types only: the payload of the value, and of the elements of a tuple or
    /// list.
    pub fn into_plain(self) -> ScriptValue {
        let extends =
            |value: &ScriptValue| matches!(value, ScriptValue::Host(host) if host.payload().is_some());
        match &self {
            ScriptValue::Host(_) => self.plain().clone(),
            ScriptValue::Tuple(items) if items.iter().any(extends) => {
                ScriptValue::tuple(items.iter().map(|item| item.plain().clone()))
            }
            ScriptValue::List(items) if items.borrow().iter().any(extends) => {
                ScriptValue::list(items.borrow().iter().map(|item| item.plain().clone()).collect())
            }
            _ => self,
        }
    }

    /// The text of a text value.
    pub fn as_str(&self) -> Option<&str> {
        match self.plain() {
            ScriptValue::Str(s) => Some(s.as_str()),
            _ => None,
        }
    }

    /// The host object, if it is of type `T`.
    pub fn as_host<T: HostObject>(&self) -> Option<&T> {
        match self {
            ScriptValue::Host(h) => h.as_any().downcast_ref::<T>(),
            _ => None,
        }
    }

    /// The elements of a tuple, list or IR array.
    pub fn items(&self) -> Option<Vec<ScriptValue>> {
        match self.plain() {
            ScriptValue::Tuple(items) => Some(items.to_vec()),
            ScriptValue::List(items) => Some(items.borrow().to_vec()),
            ScriptValue::Node(o) => {
                let array = Array::<Value>::try_ref(o)?;
                Some(array.values().iter().map(ScriptValue::from).collect())
            }
            _ => None,
        }
    }

    /// Description of the value's type, for messages.
    pub fn type_name(&self) -> String {
        match self {
            ScriptValue::None => "None",
            ScriptValue::Bool(_) => "bool",
            ScriptValue::Int(_) | ScriptValue::BigInt(_) => "int",
            ScriptValue::Float(_) => "float",
            ScriptValue::Str(_) => "str",
            ScriptValue::Bytes(_) => "bytes",
            ScriptValue::DType(_) => "dtype",
            ScriptValue::Node(o) => o.info().display_key(),
            ScriptValue::Tuple(_) => "tuple",
            ScriptValue::List(_) => "list",
            ScriptValue::Dict(dict) => match dict.borrow().class() {
                Some(class) => return class.type_name().to_owned(),
                None => "dict",
            },
            ScriptValue::Slice(_) => "slice",
            ScriptValue::Frame(f) => return format!("`{}` frame", f.name()),
            ScriptValue::Function(f) => return format!("function `{}`", f.name),
            ScriptValue::Host(h) => return h.type_name().to_owned(),
            ScriptValue::Ellipsis => "ellipsis",
        }
        .to_owned()
    }

    /// The value as a field of a node; `None` for values that no field can hold, such as a list that contains itself.
    pub fn to_field(&self) -> Option<Value> {
        self.field(&mut HashMap::new())
    }

    /// `made` maps containers to their fields, `None` while they are being converted, so that sharing is kept.
    fn field(&self, made: &mut HashMap<*const (), Option<Value>>) -> Option<Value> {
        let place: *const () = match self {
            ScriptValue::None => return Some(Value::None),
            ScriptValue::Bool(b) => return Some(Value::Bool(*b)),
            ScriptValue::Int(i) => return Some(Value::Int(*i)),
            ScriptValue::Float(f) => return Some(Value::Float(*f)),
            ScriptValue::Str(s) => return Some(Value::Node(s.clone().into_object())),
            ScriptValue::DType(d) => return Some(Value::DType(*d)),
            ScriptValue::Node(o) => return Some(Value::Node(o.clone())),
            ScriptValue::Host(host) => {
                return match host.payload() {
                    Some(payload) => with_stack(|| payload.field(made)),
                    None => host.node().map(Value::Node),
                };
            }
            ScriptValue::Tuple(items) => Rc::as_ptr(items).cast(),
            ScriptValue::List(items) => Rc::as_ptr(items).cast(),
            ScriptValue::Dict(dict) => Rc::as_ptr(dict).cast(),
            _ => return None,
        };
        if let Some(known) = made.get(&place) {
            return known.clone();
        }
        made.insert(place, None);
        let value = with_stack(|| match self {
            ScriptValue::Tuple(items) => fields(items, made),
            ScriptValue::List(items) => fields(&items.borrow(), made),
            ScriptValue::Dict(dict) => {
                let dict = dict.borrow();
                let entries = dict.iter().map(|(k, v)| Some((k.0.field(made)?, v.field(made)?)));
                Some(Map::<Value, Value>::new(entries.collect::<Option<Vec<_>>>()?).into())
            }
            _ => None,
        });
        made.insert(place, value.clone());
        value
    }
}

fn fields(items: &[ScriptValue], made: &mut HashMap<*const (), Option<Value>>) -> Option<Value> {
    let items: Option<Vec<Value>> = items.iter().map(|item| item.field(made)).collect();
    Some(Array::of_values(items?).into())
}

impl From<&Value> for ScriptValue {
    fn from(value: &Value) -> ScriptValue {
        match value {
            Value::None => ScriptValue::None,
            Value::Bool(b) => ScriptValue::Bool(*b),
            Value::Int(i) => ScriptValue::Int(*i),
            Value::Float(f) => ScriptValue::Float(*f),
            Value::DType(d) => ScriptValue::DType(*d),
            Value::Node(o) => match Str::try_ref(o) {
                Some(s) => ScriptValue::Str(s.clone()),
                None => ScriptValue::Node(o.clone()),
            },
        }
    }
}

impl<T: Class> From<Ref<T>> for ScriptValue {
    fn from(node: Ref<T>) -> ScriptValue {
        ScriptValue::Node(node.into())
    }
}

impl std::fmt::Debug for ScriptValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ScriptValue::Bool(b) => write!(f, "{b}"),
            ScriptValue::Int(i) => write!(f, "{i}"),
            ScriptValue::BigInt(i) => write!(f, "{i}"),
            ScriptValue::Float(x) => write!(f, "{x:?}"),
            ScriptValue::Str(s) => write!(f, "{:?}", s.as_str()),
            ScriptValue::DType(d) => write!(f, "{d}"),
            ScriptValue::Tuple(items) => f.debug_list().entries(items.iter()).finish(),
            ScriptValue::List(items) => f.debug_list().entries(items.borrow().iter()).finish(),
            other => f.write_str(&other.type_name()),
        }
    }
}
