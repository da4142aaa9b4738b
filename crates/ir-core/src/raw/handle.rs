//! Typed handles over [`Object`]: `Ref<T>`, `Str`, `Array<T>`, `Map<K, V>`.

use std::any::TypeId;
use std::marker::PhantomData;
use std::ops::Deref;

use super::{NodeSlot, Object, Text};
use crate::containers::{ArrayNode, Key, MapNode, StrNode};
use crate::json::may_check;
use crate::node::{Class, Node, SubclassOf};
use crate::value::Value;

/// A handle to a node of class `T`: 8 bytes, shared, immutable, identity by pointer.
///
/// `T` is either a node's struct, then the handle derefs to it, or an abstract class (`PrimExpr`), then
/// only what all its nodes have can be asked, through extension traits of the class.
#[repr(transparent)]
pub struct Ref<T: ?Sized> {
    object: Object,
    class: PhantomData<fn() -> Box<T>>,
}

/// Types that are one [`Object`] in memory.
///
/// # Safety
/// The type must be `repr(transparent)` over `Object`, and `accepts` must be true only of objects that may
/// stand behind it.
pub unsafe trait ObjectLike: Sized {
    /// Whether `object` may stand behind this type.
    fn accepts(object: &Object) -> bool;

    /// What stands behind this type, in words without an article: `` `tir.Stmt` ``, `array of strings`.
    fn description() -> String;

    /// Why an object does not fit, where more is to be said than its type: which element of an array is wrong.
    fn misfit(_object: &Object) -> Option<String> {
        None
    }

    /// The untyped handle.
    fn as_object(&self) -> &Object {
        // SAFETY: transparent over `Object`.
        unsafe { &*std::ptr::from_ref(self).cast::<Object>() }
    }

    /// The place of the handle.
    fn slot(&mut self) -> NodeSlot<'_> {
        // SAFETY: transparent over `Object`.
        NodeSlot::new(unsafe { &mut *std::ptr::from_mut(self).cast::<Object>() })
    }

    /// The untyped handle.
    fn into_object(self) -> Object {
        let object = self.as_object() as *const Object;
        std::mem::forget(self);
        // SAFETY: `self` is transparent over `Object` and was forgotten, so the handle moves.
        unsafe { std::ptr::read(object) }
    }

    /// A typed view of an untyped handle, when it fits.
    fn try_ref(object: &Object) -> Option<&Self> {
        // SAFETY: transparent over `Object`, and checked.
        Self::accepts(object).then(|| unsafe { &*std::ptr::from_ref(object).cast::<Self>() })
    }

    /// A typed handle, or the untyped one back when it does not fit.
    fn try_from_object(object: Object) -> Result<Self, Object> {
        if !Self::accepts(&object) {
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
    /// Puts a node behind a new handle.
    #[inline]
    pub fn new(value: T) -> Ref<T> {
        Ref { object: Object::allocate(T::type_info(), value), class: PhantomData }
    }

    /// Puts a node behind a new handle, as a subtype that shares the Rust struct (`tir.SizeVar` of `Var`).
    ///
    /// # Panics
    /// When `info` is no subtype of `T`'s type or holds another struct.
    pub fn new_as(info: &'static crate::type_table::TypeInfo, value: T) -> Ref<T> {
        assert!(
            info.is_a(T::type_info()),
            "`{}` is no `{}`",
            info.display_key(),
            T::type_info().display_key()
        );
        Ref { object: Object::new(info, value), class: PhantomData }
    }

    /// The value, mutably, when this is the only handle.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: unique, and the payload of any subtype of a concrete class is that class's struct.
        self.object.is_unique().then(|| unsafe { self.object.value_mut::<T>() })
    }

    /// The value, mutably; a shared node is copied first (its children are not).
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
    /// Whether both handles lead to the same node.
    #[inline]
    pub fn ptr_eq<U: ?Sized>(&self, other: &Ref<U>) -> bool {
        self.object.ptr_eq(&other.object)
    }

    /// The untyped handle.
    #[inline]
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// The node's exact type is `U`'s.
    #[inline]
    pub fn is<U: Class>(&self) -> bool {
        self.object.is::<U>()
    }

    /// The node, if it is a `U`.
    #[inline]
    pub fn as_node<U: Node>(&self) -> Option<&U> {
        self.object.as_node::<U>()
    }

    /// The handle, if the node is a `U` (class or node).
    #[inline]
    pub fn downcast_ref<U: Class>(&self) -> Option<&Ref<U>> {
        Ref::<U>::try_ref(&self.object)
    }

    /// The handle as one to `U`, or this one back.
    pub fn downcast<U: Class>(self) -> Result<Ref<U>, Ref<T>> {
        Ref::<U>::try_from_object(self.object).map_err(|object| Ref { object, class: PhantomData })
    }

    /// The handle as one to a class of this node.
    #[inline]
    pub fn upcast<U: Class>(self) -> Ref<U>
    where
        T: SubclassOf<U>,
    {
        Ref { object: self.object, class: PhantomData }
    }

    /// The handle as one to a class of this node, borrowed.
    #[inline]
    pub fn upcast_ref<U: Class>(&self) -> &Ref<U>
    where
        T: SubclassOf<U>,
    {
        // SAFETY: both are transparent over `Object`; `SubclassOf` is implemented by the derive for true parents.
        unsafe { &*std::ptr::from_ref(self).cast::<Ref<U>>() }
    }

    /// Gives the node a span, copying the node first when it is shared.
    pub fn with_span(mut self, span: crate::span::Span) -> Ref<T> {
        self.object.set_span(span);
        self
    }

    /// The node's place in its source.
    pub fn span(&self) -> crate::span::Span {
        self.object.span()
    }
}

impl Object {
    /// Whether the node's type is `U`'s or one below it.
    #[inline]
    pub fn is<U: Class>(&self) -> bool {
        self.info().is_a(U::type_info())
    }

    /// The node's value, if it is a `U`.
    #[inline]
    pub fn as_node<U: Node>(&self) -> Option<&U> {
        // SAFETY: the type is `U`'s or a subtype, which shares the payload (checked at registration).
        self.info().is_a(U::type_info()).then(|| unsafe { self.value::<U>() })
    }

    /// The node's value, mutably, if it is a `U` and this is the only handle.
    #[inline]
    pub fn unique_mut<U: Node>(&mut self) -> Option<&mut U> {
        // SAFETY: unique, and the type is `U`'s or a subtype, which shares the payload.
        (self.is::<U>() && self.is_unique()).then(|| unsafe { self.value_mut::<U>() })
    }

    /// The typed handle, if it fits.
    #[inline]
    pub fn downcast_ref<U: Class>(&self) -> Option<&Ref<U>> {
        Ref::<U>::try_ref(self)
    }

    /// The typed handle, or the untyped one back.
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

/// A string as a node field: shared, immutable, 8 bytes.
#[repr(transparent)]
#[derive(Clone)]
pub struct Str {
    object: Object,
}

// SAFETY: it is one `Object`, and any may stand behind it.
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
    /// A string from text.
    pub fn new(text: impl AsRef<str>) -> Str {
        let text = Text::new(text.as_ref());
        Str { object: Object::allocate(StrNode::type_info(), StrNode { text }) }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // SAFETY: a `Str` stands only for `StrNode`s.
        unsafe { self.object.value::<StrNode>() }.text.as_str()
    }
}

/// An immutable, shared array of nodes, strings, arrays or [`Value`]s: 8 bytes.
#[repr(transparent)]
pub struct Array<T = Value> {
    object: Object,
    element: PhantomData<fn() -> T>,
}

// SAFETY: `repr(transparent)`; the elements are checked one by one, so that typed access may rely on them.
unsafe impl<T: ObjectLike> ObjectLike for Array<T> {
    fn accepts(object: &Object) -> bool {
        match object.as_node::<ArrayNode>() {
            Some(array) => {
                let items = array.items();
                may_check(items.len()) && items.iter().all(|v| matches!(v, Value::Node(o) if T::accepts(o)))
            }
            None => false,
        }
    }
    fn description() -> String {
        format!("array of {}", T::description())
    }
    fn misfit(object: &Object) -> Option<String> {
        let items = object.as_node::<ArrayNode>()?.items();
        let index = items.iter().position(|v| !matches!(v, Value::Node(o) if T::accepts(o)))?;
        Some(format!("an array whose element {index} is `{}`", items[index].kind_name()))
    }
}

// SAFETY: `repr(transparent)`; any element is a `Value`.
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
        // SAFETY: an `Array` stands only for `ArrayNode`s.
        unsafe { self.object.value::<ArrayNode>() }
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.node().items().len()
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, untyped.
    #[inline]
    pub fn values(&self) -> &[Value] {
        self.node().items()
    }

    /// The untyped handle.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Whether both handles lead to the same array.
    pub fn ptr_eq(&self, other: &Array<T>) -> bool {
        self.object.ptr_eq(&other.object)
    }

    /// The handle of a new array.
    pub(crate) fn from_node(node: ArrayNode) -> Array<T> {
        Array { object: Object::allocate(ArrayNode::type_info(), node), element: PhantomData }
    }
}

impl Array<Value> {
    /// An array of any values.
    pub fn of_values(values: impl IntoIterator<Item = Value>) -> Array<Value> {
        Array::from_node(ArrayNode::new(values.into_iter().collect()))
    }
}

impl<T: ObjectLike> Array<T> {
    /// An array of these elements.
    pub fn new(items: impl IntoIterator<Item = T>) -> Array<T> {
        Array::from_node(ArrayNode::new(items.into_iter().map(|i| Value::Node(i.into_object())).collect()))
    }

    /// The element at `index`, if there is one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.values().get(index).map(Self::element)
    }

    #[inline]
    fn element(value: &Value) -> &T {
        match value {
            // SAFETY: `new` and `accepts` admit only such elements, and `T` is transparent over `Object`.
            Value::Node(object) => unsafe { &*std::ptr::from_ref(object).cast::<T>() },
            _ => unreachable!("a typed array holds objects only"),
        }
    }

    /// The elements in order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.values().iter().map(Self::element)
    }

    /// The first element.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last element.
    pub fn last(&self) -> Option<&T> {
        self.values().last().map(Self::element)
    }
}

impl<T: ObjectLike> std::ops::Index<usize> for Array<T> {
    type Output = T;
    /// # Panics
    /// When there is no such element.
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

/// An immutable, shared map with stable (insertion) order: 8 bytes.
///
/// Keys are strings (by content), numbers (by value) or nodes (by pointer).
#[repr(transparent)]
pub struct Map<K = Value, V = Value> {
    object: Object,
    entry: PhantomData<fn() -> (K, V)>,
}

/// What may stand as a key or a value of a typed map.
pub trait MapPart: Sized {
    /// Whether the value fits.
    fn fits(value: &Value) -> bool;
    /// What fits, in words.
    fn part_description() -> String;
    /// The typed view of a value that fits.
    fn view(value: &Value) -> &Self;
    /// The untyped value.
    fn into_value(self) -> Value;
}

impl MapPart for Value {
    fn fits(_: &Value) -> bool {
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
    fn fits(value: &Value) -> bool {
        matches!(value, Value::Node(o) if T::accepts(o))
    }
    fn part_description() -> String {
        T::description()
    }
    fn view(value: &Value) -> &T {
        match value {
            // SAFETY: a typed map holds only entries that fit, and `T` is transparent over `Object`.
            Value::Node(object) => unsafe { &*std::ptr::from_ref(object).cast::<T>() },
            _ => unreachable!("a typed map holds fitting entries only"),
        }
    }
    fn into_value(self) -> Value {
        Value::Node(self.into_object())
    }
}

// SAFETY: `repr(transparent)`; every entry is checked, so that typed access may rely on it.
unsafe impl<K: MapPart + 'static, V: MapPart + 'static> ObjectLike for Map<K, V> {
    fn accepts(object: &Object) -> bool {
        let Some(map) = object.as_node::<MapNode>() else { return false };
        let any = TypeId::of::<(K, V)>() == TypeId::of::<(Value, Value)>();
        let entries = map.entries();
        any || may_check(entries.len()) && entries.iter().all(|(k, v)| K::fits(k.value()) && V::fits(v))
    }
    fn description() -> String {
        format!("map from {} to {}", K::part_description(), V::part_description())
    }
    fn misfit(object: &Object) -> Option<String> {
        let entries = object.as_node::<MapNode>()?.entries();
        let (index, (key, value)) =
            entries.iter().enumerate().find(|(_, (k, v))| !(K::fits(k.value()) && V::fits(v)))?;
        let (key, value) = (key.value().kind_name(), value.kind_name());
        Some(format!("a map whose entry {index} is {key} to {value}"))
    }
}

impl<K: MapPart, V: MapPart> Map<K, V> {
    /// A map of these entries; a later entry replaces an earlier one with the same key, in its place.
    pub fn new(entries: impl IntoIterator<Item = (K, V)>) -> Map<K, V> {
        let entries = entries.into_iter().map(|(k, v)| (Key::new(k.into_value()), v.into_value())).collect();
        Map { object: Object::allocate(MapNode::type_info(), MapNode::new(entries)), entry: PhantomData }
    }

    fn node(&self) -> &MapNode {
        // SAFETY: a `Map` stands only for `MapNode`s.
        unsafe { self.object.value::<MapNode>() }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.node().entries().len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.node().entries().iter().map(|(k, v)| (K::view(k.value()), V::view(v)))
    }

    /// The value under a key.
    pub fn get(&self, key: &Value) -> Option<&V> {
        self.node().get(key).map(V::view)
    }

    /// The value under a string key.
    pub fn get_str(&self, key: &str) -> Option<&V> {
        self.node().get_str(key).map(V::view)
    }

    /// The untyped handle.
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
