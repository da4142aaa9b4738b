//! Typed handles: `Ref<T>`, `Str`, `Array<T>`, `Map<K, V>`.

use std::any::TypeId;
use std::marker::PhantomData;
use std::ops::Deref;

use super::{NodeSlot, Object, Text};
use crate::containers::{ArrayNode, Key, MapNode, StrNode};
use crate::json::limits::ElementBudget;
use crate::node::{Class, Node, SubclassOf};
use crate::value::Value;

/// A shared, immutable handle to a node of class `T`: 8 bytes, identity by pointer.
///
/// If `T` is the struct of a node, the handle dereferences to it. If `T` is an abstract class (`PrimExpr`), extension
/// traits of the class provide what its nodes have in common.
#[repr(transparent)]
pub struct Ref<T: ?Sized> {
    object: Object,
    class: PhantomData<fn() -> Box<T>>,
}

/// Types with the representation of an [`Object`].
///
/// # Safety
/// The type must be `repr(transparent)` over `Object`, and `accepts` and `accepts_within` must return `true` only for
/// objects that are valid values of it.
pub unsafe trait ObjectLike: Sized {
    /// Returns `true` if `object` is a valid value of this type.
    fn accepts(object: &Object) -> bool;

    /// As [`ObjectLike::accepts`], but `false` once it would check more elements than the budget of a load allows.
    fn accepts_within(object: &Object, _elements: &mut ElementBudget) -> bool {
        Self::accepts(object)
    }

    /// Describes the valid values in messages, without an article: `` `toy.Step` ``, `array of string`.
    fn description() -> String;

    /// Explains why an object is not valid value if its type alone does not, e.g. which element of an array is wrong.
    fn misfit(_object: &Object) -> Option<String> {
        None
    }

    /// Returns the untyped handle.
    fn as_object(&self) -> &Object {
        // SAFETY: transparent over `Object`.
        unsafe { &*std::ptr::from_ref(self).cast::<Object>() }
    }

    /// Returns the slot of the handle, for mutators.
    fn slot(&mut self) -> NodeSlot<'_> {
        // SAFETY: transparent over `Object`.
        NodeSlot::new(unsafe { &mut *std::ptr::from_mut(self).cast::<Object>() })
    }

    /// Converts into the untyped handle.
    fn into_object(self) -> Object {
        let object = self.as_object() as *const Object;
        std::mem::forget(self);
        // SAFETY: `self` is transparent over `Object` and was forgotten, so the handle moves.
        unsafe { std::ptr::read(object) }
    }

    /// Casts an untyped handle, if it is a valid value.
    fn try_ref(object: &Object) -> Option<&Self> {
        // SAFETY: transparent over `Object`, and checked.
        Self::accepts(object).then(|| unsafe { &*std::ptr::from_ref(object).cast::<Self>() })
    }

    /// Casts an untyped handle, or returns it if it is not valid value.
    fn try_from_object(object: Object) -> Result<Self, Object> {
        Self::try_from_object_within(object, &mut ElementBudget::unlimited())
    }

    /// As [`ObjectLike::try_from_object`], within the budget of a load.
    fn try_from_object_within(object: Object, elements: &mut ElementBudget) -> Result<Self, Object> {
        if !Self::accepts_within(&object, elements) {
            return Err(object);
        }
        let object = std::mem::ManuallyDrop::new(object);
        // SAFETY: transparent over `Object`, checked, and the original is not dropped.
        Ok(unsafe { std::mem::transmute_copy::<Object, Self>(&object) })
    }
}

// SAFETY: `repr(transparent)`; the check compares the type's ancestors.
unsafe impl<T: Class> ObjectLike for Ref<T> {
    #[inline]
    fn accepts(object: &Object) -> bool {
        object.info().is_a(T::type_info())
    }
    fn description() -> String {
        format!("`{}`", T::type_info().display_key())
    }
}

impl<T: Node> Ref<T> {
    /// Allocates a node.
    #[inline]
    pub fn new(value: T) -> Ref<T> {
        Ref { object: Object::allocate(T::type_info(), value), class: PhantomData }
    }

    /// Allocates a node of a subtype that shares the Rust struct (`toy.Label` of `Name`).
    ///
    /// # Panics
    /// Panics if `info` is not a subtype of `T`'s type or has another struct.
    pub fn new_as(info: &'static crate::type_table::TypeInfo, value: T) -> Ref<T> {
        assert!(
            info.is_a(T::type_info()),
            "`{}` is not a `{}`",
            info.display_key(),
            T::type_info().display_key()
        );
        Ref { object: Object::new(info, value), class: PhantomData }
    }

    /// Returns the value for mutation if this is the only handle.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: unique, and the payload of any subtype of a concrete class is that class's struct.
        self.object.is_unique().then(|| unsafe { self.object.value_mut::<T>() })
    }

    /// Returns the value for mutation. A shared node is copied first, without its children.
    pub fn make_mut(&mut self) -> &mut T {
        self.object.make_unique();
        // SAFETY: unique now; payload as above.
        unsafe { self.object.value_mut::<T>() }
    }
}

impl<T: Node> Deref for Ref<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: a `Ref<T>` is made only of objects whose type is `T`'s or a subtype with the same payload.
        unsafe { self.object.value::<T>() }
    }
}

impl<T: ?Sized> Ref<T> {
    /// Returns `true` if both handles refer to the same node.
    #[inline]
    pub fn ptr_eq<U: ?Sized>(&self, other: &Ref<U>) -> bool {
        self.object.ptr_eq(&other.object)
    }

    /// Returns the untyped handle.
    #[inline]
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Returns `true` if the node is a `U` (class or node).
    #[inline]
    pub fn is<U: Class>(&self) -> bool {
        self.object.is::<U>()
    }

    /// Returns the node if it is a `U`.
    #[inline]
    pub fn as_node<U: Node>(&self) -> Option<&U> {
        self.object.as_node::<U>()
    }

    /// Casts the handle if the node is a `U` (class or node).
    #[inline]
    pub fn downcast_ref<U: Class>(&self) -> Option<&Ref<U>> {
        Ref::<U>::try_ref(&self.object)
    }

    /// Casts the handle, or returns it if the node is not a `U`.
    pub fn downcast<U: Class>(self) -> Result<Ref<U>, Ref<T>> {
        Ref::<U>::try_from_object(self.object).map_err(|object| Ref { object, class: PhantomData })
    }

    /// Converts to a handle of a parent class.
    #[inline]
    pub fn upcast<U: Class>(self) -> Ref<U>
    where
        T: SubclassOf<U>,
    {
        Ref { object: self.object, class: PhantomData }
    }

    /// Converts a borrowed handle to one of a parent class.
    #[inline]
    pub fn upcast_ref<U: Class>(&self) -> &Ref<U>
    where
        T: SubclassOf<U>,
    {
        // SAFETY: both are transparent over `Object`; `SubclassOf` is implemented by the derive for true parents.
        unsafe { &*std::ptr::from_ref(self).cast::<Ref<U>>() }
    }

    /// Marks the node as poison, the stand-in for one that could not be made; a shared node is copied first. See
    /// [`crate::operators`].
    pub fn into_poison(self) -> Ref<T> {
        Ref { object: self.object.into_poison(), class: PhantomData }
    }

    /// Sets the node's span; a shared node is copied first.
    ///
    /// Constructors use [`Span::current`](crate::Span::current), so this is for nodes whose syntax is not the statement
    /// or call being evaluated. Do not use it on a variable that is already shared: the copy has another identity, so it is another
    /// variable. Give a variable its span when it is made.
    pub fn with_span(mut self, span: crate::span::Span) -> Ref<T> {
        self.object.set_span(span);
        self
    }

    /// Returns the node's span.
    pub fn span(&self) -> crate::span::Span {
        self.object.span()
    }
}

impl Object {
    /// Returns `true` if the node is a `U` (class or node).
    #[inline]
    pub fn is<U: Class>(&self) -> bool {
        self.info().is_a(U::type_info())
    }

    /// Returns the value if the node is a `U`.
    #[inline]
    pub fn as_node<U: Node>(&self) -> Option<&U> {
        self.as_node_inline()
    }

    /// [`Object::as_node`] for views, where a call takes longer than the test.
    #[doc(hidden)]
    #[inline(always)]
    pub fn as_node_inline<U: Node>(&self) -> Option<&U> {
        // SAFETY: the type is `U`'s or a subtype, which shares the payload (checked at registration).
        self.info().is_a(U::type_info()).then(|| unsafe { self.value::<U>() })
    }

    /// Returns the value for mutation if the node is a `U` and this is the only handle.
    #[inline]
    pub fn unique_mut<U: Node>(&mut self) -> Option<&mut U> {
        // SAFETY: unique, and the type is `U`'s or a subtype, which shares the payload.
        (self.is::<U>() && self.is_unique()).then(|| unsafe { self.value_mut::<U>() })
    }

    /// Casts the handle if the node is a `U`.
    #[inline]
    pub fn downcast_ref<U: Class>(&self) -> Option<&Ref<U>> {
        Ref::<U>::try_ref(self)
    }

    /// Casts the handle, or returns it if the node is not a `U`.
    pub fn downcast<U: Class>(self) -> Result<Ref<U>, Object> {
        Ref::<U>::try_from_object(self)
    }
}

impl<T: ?Sized> Clone for Ref<T> {
    #[inline]
    fn clone(&self) -> Self {
        Ref { object: self.object.clone(), class: PhantomData }
    }
}

impl<T: ?Sized> std::fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.object.fmt(f)
    }
}

impl From<Str> for Object {
    fn from(value: Str) -> Object {
        value.into_object()
    }
}

impl<T> From<Array<T>> for Object {
    fn from(value: Array<T>) -> Object {
        value.object
    }
}

impl<K, V> From<Map<K, V>> for Object {
    fn from(value: Map<K, V>) -> Object {
        value.object
    }
}

impl<T: ?Sized> From<Ref<T>> for Object {
    fn from(value: Ref<T>) -> Object {
        value.object
    }
}

/// A shared, immutable string: 8 bytes.
#[repr(transparent)]
#[derive(Clone)]
pub struct Str {
    object: Object,
}

// SAFETY: it is an `Object`, and every object is valid.
unsafe impl ObjectLike for Object {
    fn accepts(_object: &Object) -> bool {
        true
    }
    fn description() -> String {
        "node".to_owned()
    }
}

// SAFETY: `repr(transparent)`, and the type is checked.
unsafe impl ObjectLike for Str {
    fn accepts(object: &Object) -> bool {
        std::ptr::eq(object.info(), StrNode::type_info())
    }
    fn description() -> String {
        "string".to_owned()
    }
}

impl Str {
    /// Walks visit a shared text of this many bytes once; shorter ones are not worth looking up.
    pub(crate) const LONG: usize = 1 << 12;

    /// Allocates a string.
    pub fn new(text: impl AsRef<str>) -> Str {
        let text = Text::new(text.as_ref());
        Str { object: Object::allocate(StrNode::type_info(), StrNode { text }) }
    }

    /// Returns the text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // SAFETY: a `Str` refers to `StrNode`s only.
        unsafe { self.object.value::<StrNode>() }.text.as_str()
    }
}

/// A shared, immutable array of nodes, strings, arrays or [`Value`]s: 8 bytes.
#[repr(transparent)]
pub struct Array<T = Value> {
    object: Object,
    element: PhantomData<fn() -> T>,
}

// SAFETY: `repr(transparent)`, and each element is checked; typed access relies on it.
unsafe impl<T: ObjectLike> ObjectLike for Array<T> {
    fn accepts(object: &Object) -> bool {
        Self::accepts_within(object, &mut ElementBudget::unlimited())
    }
    fn accepts_within(object: &Object, elements: &mut ElementBudget) -> bool {
        let Some(array) = object.as_node::<ArrayNode>() else { return false };
        elements.may_check(array.items().len())
            && array.items().iter().all(|v| matches!(v, Value::Node(o) if T::accepts_within(o, elements)))
    }
    fn description() -> String {
        format!("array of {}", T::description())
    }
    fn misfit(object: &Object) -> Option<String> {
        let items = object.as_node::<ArrayNode>()?.items();
        let is_wrong = |v: &Value| !matches!(v, Value::Node(o) if T::accepts(o));
        let (index, wrong) = items.iter().enumerate().find(|(_, v)| is_wrong(v))?;
        Some(format!("an array whose element {index} is `{}`", wrong.kind_name()))
    }
}

// SAFETY: `repr(transparent)`, and every element is a `Value`.
unsafe impl ObjectLike for Array<Value> {
    fn accepts(object: &Object) -> bool {
        std::ptr::eq(object.info(), ArrayNode::type_info())
    }
    fn description() -> String {
        "array".to_owned()
    }
}

impl<T> Array<T> {
    fn node(&self) -> &ArrayNode {
        // SAFETY: an `Array` refers to `ArrayNode`s only.
        unsafe { self.object.value::<ArrayNode>() }
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.node().items().len()
    }

    /// Returns `true` if there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the untyped elements.
    #[inline]
    pub fn values(&self) -> &[Value] {
        self.node().items()
    }

    /// Returns the untyped handle.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Returns `true` if both handles refer to the same array.
    pub fn ptr_eq(&self, other: &Array<T>) -> bool {
        self.object.ptr_eq(&other.object)
    }

    /// Allocates an array.
    pub(crate) fn from_node(node: ArrayNode) -> Array<T> {
        Array { object: Object::allocate(ArrayNode::type_info(), node), element: PhantomData }
    }
}

impl Array<Value> {
    /// Allocates an array of any values.
    pub fn of_values(values: impl IntoIterator<Item = Value>) -> Array<Value> {
        Array::from_node(ArrayNode::new(values.into_iter().collect()))
    }
}

impl<T: ObjectLike> Array<T> {
    /// Allocates an array.
    pub fn new(items: impl IntoIterator<Item = T>) -> Array<T> {
        Array::from_node(ArrayNode::new(items.into_iter().map(|i| Value::Node(i.into_object())).collect()))
    }

    /// Returns the element at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.values().get(index).map(Self::element)
    }

    #[inline]
    fn element(value: &Value) -> &T {
        match value {
            // SAFETY: `new` and `accepts` admit valid elements only, and `T` is transparent over `Object`.
            Value::Node(object) => unsafe { &*std::ptr::from_ref(object).cast::<T>() },
            _ => unreachable!("a typed array holds nodes only"),
        }
    }

    /// Iterates over the elements.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.values().iter().map(Self::element)
    }

    /// Returns the first element.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// Returns the element of an array that has only one.
    pub fn only(&self) -> Option<&T> {
        match self.values() {
            [only] => Some(Self::element(only)),
            _ => None,
        }
    }

    /// Returns the last element.
    pub fn last(&self) -> Option<&T> {
        self.values().last().map(Self::element)
    }
}

impl<T: ObjectLike> std::ops::Index<usize> for Array<T> {
    type Output = T;
    /// # Panics
    /// Panics if `index` is out of bounds.
    #[expect(clippy::indexing_slicing, reason = "documented: the operator is an index")]
    fn index(&self, index: usize) -> &T {
        Self::element(&self.values()[index])
    }
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array { object: self.object.clone(), element: PhantomData }
    }
}

impl<T> std::fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl<T: ObjectLike> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Array::new(iter)
    }
}

impl<T: ObjectLike> Default for Array<T> {
    fn default() -> Self {
        Array::new([])
    }
}

/// A shared, immutable map in insertion order: 8 bytes.
///
/// Keys compare by content (strings), value (numbers) or pointer (nodes).
#[repr(transparent)]
pub struct Map<K = Value, V = Value> {
    object: Object,
    entry: PhantomData<fn() -> (K, V)>,
}

/// Types of keys and values of typed maps.
pub trait MapPart: Sized {
    /// Returns `true` if the value is of this type, and checking it stays within the budget.
    fn fits(value: &Value, elements: &mut ElementBudget) -> bool;
    /// Describes the type in messages.
    fn part_description() -> String;
    /// Casts a value of this type.
    fn view(value: &Value) -> &Self;
    /// Converts into the untyped value.
    fn into_value(self) -> Value;
}

impl MapPart for Value {
    fn fits(_: &Value, _: &mut ElementBudget) -> bool {
        true
    }
    fn part_description() -> String {
        "any value".to_owned()
    }
    fn view(value: &Value) -> &Value {
        value
    }
    fn into_value(self) -> Value {
        self
    }
}

impl<T: ObjectLike> MapPart for T {
    fn fits(value: &Value, elements: &mut ElementBudget) -> bool {
        matches!(value, Value::Node(o) if T::accepts_within(o, elements))
    }
    fn part_description() -> String {
        T::description()
    }
    fn view(value: &Value) -> &T {
        match value {
            // SAFETY: the entries of a typed map are checked, and `T` is transparent over `Object`.
            Value::Node(object) => unsafe { &*std::ptr::from_ref(object).cast::<T>() },
            _ => unreachable!("the entries of a typed map are checked"),
        }
    }
    fn into_value(self) -> Value {
        Value::Node(self.into_object())
    }
}

// SAFETY: `repr(transparent)`, and each entry is checked; typed access relies on it.
unsafe impl<K: MapPart + 'static, V: MapPart + 'static> ObjectLike for Map<K, V> {
    fn accepts(object: &Object) -> bool {
        Self::accepts_within(object, &mut ElementBudget::unlimited())
    }
    fn accepts_within(object: &Object, elements: &mut ElementBudget) -> bool {
        let Some(map) = object.as_node::<MapNode>() else { return false };
        let any = TypeId::of::<(K, V)>() == TypeId::of::<(Value, Value)>();
        let entries = map.entries();
        any || elements.may_check(entries.len())
            && entries.iter().all(|(k, v)| K::fits(k.value(), elements) && V::fits(v, elements))
    }
    fn description() -> String {
        format!("map from {} to {}", K::part_description(), V::part_description())
    }
    fn misfit(object: &Object) -> Option<String> {
        let entries = object.as_node::<MapNode>()?.entries();
        let elements = &mut ElementBudget::unlimited();
        let (index, (key, value)) = entries
            .iter()
            .enumerate()
            .find(|(_, (k, v))| !(K::fits(k.value(), elements) && V::fits(v, elements)))?;
        let (key, value) = (key.value().kind_name(), value.kind_name());
        Some(format!("a map whose entry {index} is {key} to {value}"))
    }
}

impl<K: MapPart, V: MapPart> Map<K, V> {
    /// Allocates a map. A later entry replaces the value of an earlier one with the same key.
    pub fn new(entries: impl IntoIterator<Item = (K, V)>) -> Map<K, V> {
        let entries = entries.into_iter().map(|(k, v)| (Key::new(k.into_value()), v.into_value())).collect();
        Map { object: Object::allocate(MapNode::type_info(), MapNode::new(entries)), entry: PhantomData }
    }

    fn node(&self) -> &MapNode {
        // SAFETY: a `Map` refers to `MapNode`s only.
        unsafe { self.object.value::<MapNode>() }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.node().entries().len()
    }

    /// Returns `true` if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the entries.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.node().entries().iter().map(|(k, v)| (K::view(k.value()), V::view(v)))
    }

    /// Looks up a key.
    pub fn get(&self, key: &Value) -> Option<&V> {
        self.node().get(key).map(V::view)
    }

    /// Looks up a string key.
    pub fn get_str(&self, key: &str) -> Option<&V> {
        self.node().get_str(key).map(V::view)
    }

    /// Returns the untyped handle.
    pub fn object(&self) -> &Object {
        &self.object
    }
}

impl<K, V> Clone for Map<K, V> {
    fn clone(&self) -> Self {
        Map { object: self.object.clone(), entry: PhantomData }
    }
}

impl<K: MapPart, V: MapPart> Default for Map<K, V> {
    fn default() -> Self {
        Map::new([])
    }
}

impl<K: MapPart, V: MapPart> std::fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.node().entries().iter().map(|(k, v)| (k.value(), v))).finish()
    }
}
