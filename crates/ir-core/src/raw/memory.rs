//! Allocation, counting and the work list of dead nodes.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use smallvec::SmallVec;

use super::entries::entry;
use super::handle::Str;
use crate::children::FieldObjects;
use crate::dtype::DataType;
use crate::equal::EqWork;
use crate::hash::{HashWork, Place};
use crate::node::Node;
use crate::span::Span;
use crate::type_table::TypeInfo;
use crate::value::{FieldError, FieldRef, Value};

thread_local! {
    /// What nodes take that this thread made.
    static NODE_BYTES: Cell<u64> = const { Cell::new(0) };
}

/// The bytes of all nodes that this thread has made, also of those that are gone: for budgets, which compare two answers.
/// What nodes refer to outside of themselves, as large arrays do, is counted where it is made.
pub fn node_bytes_made() -> u64 {
    NODE_BYTES.with(Cell::get)
}

/// Adds what nodes of this thread take beside themselves.
pub(crate) fn count_node_bytes(bytes: usize) {
    NODE_BYTES.with(|sum| sum.set(sum.get().wrapping_add(bytes as u64)));
}

#[repr(C)]
pub(super) struct Header {
    /// The number of handles.
    count: AtomicU32,
    /// The number of the entry in the type table.
    type_index: u32,
}

impl Header {
    #[inline(always)]
    fn info(&self) -> &'static TypeInfo {
        // SAFETY: the number was taken from an entry.
        unsafe { entry(self.type_index) }
    }
}

#[repr(C)]
pub(super) struct Inner<T> {
    header: Header,
    value: T,
}

/// What a node's Rust type can do, reached through a pointer to its header. First what walks ask of each node.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct VTable {
    hash: unsafe fn(&Object, &mut HashWork, Place, u64) -> u64,
    equal: for<'a> unsafe fn(&'a Object, &'a Object, &mut EqWork<'a>) -> bool,
    children: for<'a> unsafe fn(&'a Object, &mut dyn FnMut(&'a Object)),
    free: unsafe fn(NonNull<Header>),
    field: unsafe fn(&Object, usize) -> FieldRef<'_>,
    set_field: unsafe fn(NonNull<Header>, usize, Value) -> Result<(), FieldError>,
    duplicate: unsafe fn(&Object) -> Object,
    dtype: unsafe fn(&Object) -> DataType,
    span: unsafe fn(&Object) -> Span,
    set_span: unsafe fn(NonNull<Header>, Span),
    node_slot: for<'a> unsafe fn(&'a mut Object, usize) -> Option<NodeSlot<'a>>,
    give_name: unsafe fn(&Object, &Str) -> bool,
    by_name: Option<fn(&str) -> Object>,
}

/// The place of a handle in a field. Only this module can put something else there, and only into a node that nobody
/// else sees before the field is set again.
#[derive(Debug)]
pub struct NodeSlot<'a>(&'a mut Object);

impl<'a> NodeSlot<'a> {
    /// The place of this handle.
    pub fn new(object: &'a mut Object) -> NodeSlot<'a> {
        NodeSlot(object)
    }
}

impl VTable {
    /// For types whose JSON data is only their name: the node with a name.
    pub(crate) fn by_name(&self) -> Option<fn(&str) -> Object> {
        self.by_name
    }
}

impl std::fmt::Debug for VTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VTable")
    }
}

struct Functions<T>(PhantomData<T>);

impl<T: Node> Functions<T> {
    // SAFETY (all): callers pass a header whose type was registered for `T`, so the value behind it is a `T`.
    unsafe fn free(ptr: NonNull<Header>) {
        // SAFETY: `ptr` came from `Box::into_raw` of this very type and its count has reached zero.
        drop(unsafe { Box::from_raw(ptr.cast::<Inner<T>>().as_ptr()) });
    }
    unsafe fn field(object: &Object, index: usize) -> FieldRef<'_> {
        // SAFETY: the value is a `T`; the reference lives as long as the handle.
        unsafe { object.value::<T>() }.field(index)
    }
    unsafe fn set_field(ptr: NonNull<Header>, index: usize, value: Value) -> Result<(), FieldError> {
        // SAFETY: the value is a `T` and the caller holds the only handle.
        unsafe { &mut (*ptr.cast::<Inner<T>>().as_ptr()).value }.set_field(index, value)
    }
    unsafe fn duplicate(object: &Object) -> Object {
        // SAFETY: the value is a `T`.
        let value = unsafe { object.value::<T>() }.clone();
        Object::allocate(object.info(), value)
    }
    unsafe fn dtype(object: &Object) -> DataType {
        // SAFETY: the value is a `T`.
        unsafe { object.value::<T>() }.node_dtype()
    }
    unsafe fn span(object: &Object) -> Span {
        // SAFETY: the value is a `T`.
        unsafe { object.value::<T>() }.node_span()
    }
    unsafe fn give_name(object: &Object, name: &Str) -> bool {
        // SAFETY: the value is a `T`.
        unsafe { object.value::<T>() }.give_name(name)
    }
    unsafe fn set_span(ptr: NonNull<Header>, span: Span) {
        // SAFETY: the value is a `T` and the caller holds the only handle.
        unsafe { &mut (*ptr.cast::<Inner<T>>().as_ptr()).value }.set_node_span(span)
    }
    unsafe fn equal<'a>(lhs: &'a Object, rhs: &'a Object, work: &mut EqWork<'a>) -> bool {
        // SAFETY: both values are `T`s.
        let (a, b) = unsafe { (lhs.value::<T>(), rhs.value::<T>()) };
        a.zip(b, lhs.info(), work)
    }
    unsafe fn hash(object: &Object, work: &mut HashWork, place: Place, seed: u64) -> u64 {
        // SAFETY: the value is a `T`.
        work.fields(unsafe { object.value::<T>() }, object.info(), place, seed)
    }
    unsafe fn node_slot(object: &mut Object, index: usize) -> Option<NodeSlot<'_>> {
        // SAFETY: the value is a `T` and the caller holds the only handle.
        unsafe { object.value_mut::<T>() }.node_slot(index)
    }
    unsafe fn children<'a>(object: &'a Object, f: &mut dyn FnMut(&'a Object)) {
        // SAFETY: the value is a `T`.
        unsafe { object.value::<T>() }.fields(object.info(), &mut FieldObjects(f));
    }
}

/// The functions of the Rust type `T`.
pub(crate) fn vtable_of<T: Node>() -> VTable {
    VTable {
        free: Functions::<T>::free,
        field: Functions::<T>::field,
        set_field: Functions::<T>::set_field,
        duplicate: Functions::<T>::duplicate,
        dtype: Functions::<T>::dtype,
        span: Functions::<T>::span,
        set_span: Functions::<T>::set_span,
        equal: Functions::<T>::equal,
        hash: Functions::<T>::hash,
        children: Functions::<T>::children,
        node_slot: Functions::<T>::node_slot,
        give_name: Functions::<T>::give_name,
        by_name: T::by_name(),
    }
}

/// A counted handle to any node: 8 bytes, never null, identity by pointer.
#[repr(transparent)]
pub struct Object {
    ptr: NonNull<Header>,
}

// SAFETY: every payload is `Send + Sync` (a bound of `Node`), and the count is atomic.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    /// Puts `value` behind a new handle. `info` must be registered for `T`.
    ///
    /// # Panics
    /// When `info` describes another Rust type: a mistake of the caller, never of user input.
    pub(crate) fn new<T: Node>(info: &'static TypeInfo, value: T) -> Object {
        assert!(info.payload() == std::any::TypeId::of::<T>(), "type `{}` holds another value", info.key());
        Object::allocate(info, value)
    }

    #[inline]
    pub(super) fn allocate<T: Node>(info: &'static TypeInfo, value: T) -> Object {
        NODE_BYTES.with(|bytes| bytes.set(bytes.get().wrapping_add(size_of::<Inner<T>>() as u64)));
        let header = Header { count: AtomicU32::new(1), type_index: info.index() as u32 };
        let inner = Box::new(Inner { header, value });
        Object { ptr: NonNull::from(Box::leak(inner)).cast() }
    }

    /// The handle as a pointer, still counted.
    #[inline]
    pub(super) fn into_ptr(self) -> NonNull<Header> {
        ManuallyDrop::new(self).ptr
    }

    /// # Safety
    /// The pointer must be that of a live node, and the handle counted, or never dropped.
    #[inline]
    pub(super) unsafe fn from_ptr(ptr: NonNull<Header>) -> Object {
        Object { ptr }
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: a live handle keeps the header alive.
        unsafe { self.ptr.as_ref() }
    }

    /// The type of the node.
    #[inline]
    pub fn info(&self) -> &'static TypeInfo {
        self.header().info()
    }

    /// # Safety
    /// The node's payload must be a `T`.
    #[inline]
    pub(super) unsafe fn value<T>(&self) -> &T {
        // SAFETY: by contract; the handle keeps it alive.
        unsafe { &(*self.ptr.cast::<Inner<T>>().as_ptr()).value }
    }

    /// # Safety
    /// The node's payload must be a `T` and this the only handle.
    #[inline]
    pub(super) unsafe fn value_mut<T>(&mut self) -> &mut T {
        // SAFETY: by contract.
        unsafe { &mut (*self.ptr.cast::<Inner<T>>().as_ptr()).value }
    }

    /// The address, as identity. Never written out.
    #[inline]
    pub fn address(&self) -> usize {
        self.ptr.as_ptr() as usize
    }

    /// Whether both handles lead to the same node.
    #[inline]
    pub fn ptr_eq(&self, other: &Object) -> bool {
        self.ptr == other.ptr
    }

    /// How many handles to the node there are; other threads may change that at any time.
    #[inline]
    pub fn handle_count(&self) -> usize {
        self.header().count.load(Ordering::Acquire) as usize
    }

    /// Whether this is the only handle.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().count.load(Ordering::Acquire) == 1
    }

    /// The reflected field at `index`, in declaration order.
    #[inline]
    pub fn field(&self, index: usize) -> FieldRef<'_> {
        // SAFETY: the functions in `info` belong to this node's payload.
        unsafe { (self.info().vtable().field)(self, index) }
    }

    /// Feeds the pairs of fields that equality compares to the work; false when it finds one unequal.
    ///
    /// # Panics
    /// When the types differ: a mistake of the caller, never of user input.
    #[inline]
    pub(crate) fn compare_fields<'a>(&'a self, other: &'a Object, work: &mut EqWork<'a>) -> bool {
        assert!(std::ptr::eq(self.info(), other.info()), "nodes of two types");
        // SAFETY: as in `field`, for both.
        unsafe { (self.info().vtable().equal)(self, other, work) }
    }

    /// The hash of the node from its fields, after `seed`.
    #[inline]
    pub(crate) fn hash_fields(&self, work: &mut HashWork, place: Place, seed: u64) -> u64 {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().hash)(self, work, place, seed) }
    }

    /// Calls `f` for each handle in the fields, in order.
    #[inline]
    pub(crate) fn each_field_object<'a>(&'a self, f: &mut dyn FnMut(&'a Object)) {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().children)(self, f) }
    }

    /// Takes the node, string or container out of a field, so that it has one handle less. Nothing when the field
    /// holds none, or when this is not the only handle.
    ///
    /// What stays behind is no value of the field's type: until [`Object::set_field`] puts one there, the node must not
    /// be shown to anybody. Dropping it is fine.
    pub(crate) fn take_node(&mut self, index: usize, placeholder: &Object) -> Option<Object> {
        if !self.is_unique() {
            return None;
        }
        // SAFETY: unique, and the functions belong to the payload.
        let slot = unsafe { (self.info().vtable().node_slot)(self, index) }?;
        Some(std::mem::replace(slot.0, placeholder.clone()))
    }

    /// The dtype of an expression; void for other nodes.
    #[inline]
    pub fn dtype(&self) -> DataType {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().dtype)(self) }
    }

    /// The node's place in its source.
    #[inline]
    pub fn span(&self) -> Span {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().span)(self) }
    }

    /// Gives the node a name: variables, buffers and what else has one. False when it has none.
    pub fn give_name(&self, name: &Str) -> bool {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().give_name)(self, name) }
    }

    /// A new node with the same fields.
    pub(crate) fn duplicate(&self) -> Object {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().duplicate)(self) }
    }

    /// Makes this handle the only one, copying the node (not its children) when it is shared.
    pub fn make_unique(&mut self) {
        if !self.is_unique() {
            *self = self.duplicate();
        }
    }

    /// Checks the node's own invariants, those of its children not; see [`crate::invariants`].
    ///
    /// # Errors
    /// [`FieldError::Invalid`] when one does not hold.
    pub fn check(&self) -> Result<(), FieldError> {
        self.info().check(self)
    }

    /// Replaces one field, copying the node first when it is shared. The value must be of the field's kind and class. The
    /// node's other invariants may not hold before further fields are set: [`Object::check`] asks for them.
    ///
    /// # Errors
    /// [`FieldError`] when there is no such field or the value does not fit it; the node is then unchanged.
    pub fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError> {
        let info = self.info();
        if info.is_dynamic() {
            crate::dynamic::check_kind(info, index, &value)?;
        }
        self.make_unique();
        // SAFETY: unique now, and the functions belong to the payload.
        unsafe { (self.info().vtable().set_field)(self.ptr, index, value) }
    }

    /// Gives the node a span, copying the node first when it is shared.
    pub fn set_span(&mut self, span: Span) {
        self.make_unique();
        // SAFETY: unique now, and the functions belong to the payload.
        unsafe { (self.info().vtable().set_span)(self.ptr, span) }
    }
}

impl Clone for Object {
    #[inline]
    fn clone(&self) -> Object {
        let old = self.header().count.fetch_add(1, Ordering::Relaxed);
        if old > u32::MAX / 2 {
            // Handles that fill 16 GiB, or leaked ones; going on would free a live node.
            std::process::abort();
        }
        Object { ptr: self.ptr }
    }
}

/// Dead nodes that wait to be freed.
type DeadList = SmallVec<[NonNull<Header>; 32]>;

thread_local! {
    // No destructor: builders that live in thread-locals drop nodes while a thread ends.
    /// The list of the loop that frees nodes just now.
    static DEAD: Cell<Option<NonNull<DeadList>>> = const { Cell::new(None) };
}

impl Drop for Object {
    #[inline]
    fn drop(&mut self) {
        if self.header().count.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            bury(self.ptr);
        }
    }
}

/// Frees a node whose last handle is gone, and whatever dies with it, in a loop.
#[cold]
fn bury(ptr: NonNull<Header>) {
    /// Ends the loop, also when the destructor of a value panics: what waits is leaked then.
    struct Loop;
    impl Drop for Loop {
        fn drop(&mut self) {
            DEAD.set(None);
        }
    }
    if let Some(list) = DEAD.get() {
        // SAFETY: the list belongs to the loop below, further up this thread's stack, and is only reached like this.
        unsafe { (*list.as_ptr()).push(ptr) };
        return;
    }
    let mut list = DeadList::new();
    let list = NonNull::from(&mut list);
    DEAD.set(Some(list));
    let _end = Loop;
    let mut next = Some(ptr);
    while let Some(ptr) = next {
        // SAFETY: the node is dead and reached only from here; its functions belong to its payload.
        unsafe { (ptr.as_ref().info().vtable().free)(ptr) };
        // SAFETY: as above.
        next = unsafe { (*list.as_ptr()).pop() };
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.info().display_key())
    }
}
