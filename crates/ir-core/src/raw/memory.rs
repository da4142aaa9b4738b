//! Allocation, reference counting and the worklist of dead nodes.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use smallvec::SmallVec;

use super::entries::{MAX_TYPES, entry};
use super::handle::Str;
use crate::children::FieldObjects;
use crate::dtype::DataType;
use crate::equal::EqWork;
use crate::hash::{Context, HashWork};
use crate::json::limits::ElementBudget;
use crate::node::Node;
use crate::span::Span;
use crate::type_table::TypeInfo;
use crate::value::{FieldError, FieldRef, Value};

thread_local! {
    /// Bytes of all nodes made by this thread.
    static NODE_BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Returns the bytes of all nodes that this thread has made, freed ones included. Budgets compare two results.
/// Memory that nodes own indirectly, such as large arrays, is included.
pub fn node_bytes_made() -> u64 {
    NODE_BYTES.with(Cell::get)
}

/// Counts memory that nodes own indirectly.
pub(crate) fn count_node_bytes(bytes: usize) {
    NODE_BYTES.with(|sum| sum.set(sum.get().wrapping_add(bytes as u64)));
}

#[repr(C)]
pub(super) struct Header {
    /// Number of handles.
    count: AtomicU32,
    /// Index into the type table, and [`POISON`].
    type_index: u32,
}

/// Marks the header of a poison node; above all type indices.
const POISON: u32 = 1 << 31;
const _: () = assert!(MAX_TYPES <= POISON as usize);

impl Header {
    #[inline(always)]
    fn info(&self) -> &'static TypeInfo {
        // SAFETY: the index without the mark is that of an entry.
        unsafe { entry(self.type_index & !POISON) }
    }
}

#[repr(C)]
pub(super) struct Inner<T> {
    header: Header,
    value: T,
}

/// Functions of a node's Rust type. Those that walks call for each node come first.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct VTable {
    hash: unsafe fn(&Object, &mut HashWork, Context, u64) -> u64,
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

/// The slot of a handle in a field. Only this module can write to it, and only in a node that is not shared.
#[derive(Debug)]
pub struct NodeSlot<'a>(&'a mut Object);

impl<'a> NodeSlot<'a> {
    /// The slot of this handle.
    pub fn new(object: &'a mut Object) -> NodeSlot<'a> {
        NodeSlot(object)
    }
}

impl VTable {
    /// Constructor by name, for types whose JSON data is only their name.
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
    // SAFETY (all): callers pass a header whose type was registered for `T`, so its value is a `T`.
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
    unsafe fn hash(object: &Object, work: &mut HashWork, context: Context, seed: u64) -> u64 {
        // SAFETY: the value is a `T`.
        work.fields(unsafe { object.value::<T>() }, object.info(), context, seed)
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

/// Returns the functions of `T`.
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

/// A reference-counted handle to any node: 8 bytes, never null, identity by pointer.
#[repr(transparent)]
pub struct Object {
    ptr: NonNull<Header>,
}

// SAFETY: every payload is `Send + Sync` (a bound of `Node`), and the count is atomic.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

/// Identity of a node, for as long as a handle to it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(usize);

impl Object {
    /// Allocates a node.
    ///
    /// # Panics
    /// Panics if `info` is not registered for `T`, which is a bug of the caller.
    pub(crate) fn new<T: Node>(info: &'static TypeInfo, value: T) -> Object {
        assert!(info.payload() == std::any::TypeId::of::<T>(), "type `{}` has another struct", info.key());
        Object::allocate(info, value)
    }

    #[inline]
    pub(super) fn allocate<T: Node>(info: &'static TypeInfo, value: T) -> Object {
        NODE_BYTES.with(|bytes| bytes.set(bytes.get().wrapping_add(size_of::<Inner<T>>() as u64)));
        let header = Header { count: AtomicU32::new(1), type_index: info.index() as u32 };
        let inner = Box::new(Inner { header, value });
        Object { ptr: NonNull::from(Box::leak(inner)).cast() }
    }

    /// Converts into a pointer that keeps its count.
    #[inline]
    pub(super) fn into_ptr(self) -> NonNull<Header> {
        ManuallyDrop::new(self).ptr
    }

    /// # Safety
    /// The pointer must be that of a live node. The handle must be counted, or never be dropped.
    #[inline]
    pub(super) unsafe fn from_ptr(ptr: NonNull<Header>) -> Object {
        Object { ptr }
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: a live handle keeps the header alive.
        unsafe { self.ptr.as_ref() }
    }

    /// Returns the type of the node.
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
    /// The node's payload must be a `T`, and this must be the only handle.
    #[inline]
    pub(super) unsafe fn value_mut<T>(&mut self) -> &mut T {
        // SAFETY: by contract.
        unsafe { &mut (*self.ptr.cast::<Inner<T>>().as_ptr()).value }
    }

    /// Returns the address, which identifies the node in this process.
    #[inline]
    pub fn address(&self) -> usize {
        self.ptr.as_ptr() as usize
    }

    /// Returns the identity.
    #[inline]
    pub fn id(&self) -> NodeId {
        NodeId(self.address())
    }

    /// Returns `true` if both handles refer to the same node.
    #[inline]
    pub fn ptr_eq(&self, other: &Object) -> bool {
        self.ptr == other.ptr
    }

    /// Returns the number of handles, which other threads may change at any time.
    #[inline]
    pub fn handle_count(&self) -> usize {
        self.header().count.load(Ordering::Acquire) as usize
    }

    /// Returns `true` if the node is poison; see [`crate::operators`].
    #[inline]
    pub(crate) fn is_poison(&self) -> bool {
        self.header().type_index & POISON != 0
    }

    /// Marks the node as poison; a shared node is copied first.
    pub(super) fn into_poison(mut self) -> Object {
        self.make_unique();
        // SAFETY: this is the only handle, so nobody reads the header now.
        unsafe { self.ptr.as_mut() }.type_index |= POISON;
        self
    }

    /// Returns `true` if this is the only handle.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().count.load(Ordering::Acquire) == 1
    }

    /// Returns the reflected field at `index`, in declaration order.
    #[inline]
    pub fn field(&self, index: usize) -> FieldRef<'_> {
        // SAFETY: the functions in `info` belong to this node's payload.
        unsafe { (self.info().vtable().field)(self, index) }
    }

    /// Compares the fields of two nodes of one type.
    ///
    /// # Panics
    /// Panics if the types differ, which is a bug of the caller.
    #[inline]
    pub(crate) fn compare_fields<'a>(&'a self, other: &'a Object, work: &mut EqWork<'a>) -> bool {
        assert!(std::ptr::eq(self.info(), other.info()), "nodes of two types");
        // SAFETY: as in `field`, for both.
        unsafe { (self.info().vtable().equal)(self, other, work) }
    }

    /// Hashes the fields into `seed`.
    #[inline]
    pub(crate) fn hash_fields(&self, work: &mut HashWork, context: Context, seed: u64) -> u64 {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().hash)(self, work, context, seed) }
    }

    /// Calls `f` for each handle in the fields, in order.
    #[inline]
    pub(crate) fn each_field_object<'a>(&'a self, f: &mut dyn FnMut(&'a Object)) {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().children)(self, f) }
    }

    /// Moves the handle out of a field, so that its node may become unique. Returns `None` if the field holds no
    /// handle or this node is shared.
    ///
    /// The placeholder left behind is not valid value of the field: the node may only be dropped until
    /// [`Object::set_field`] replaces it.
    pub(crate) fn take_node(&mut self, index: usize, placeholder: &Object) -> Option<Object> {
        if !self.is_unique() {
            return None;
        }
        // SAFETY: unique, and the functions belong to the payload.
        let slot = unsafe { (self.info().vtable().node_slot)(self, index) }?;
        Some(std::mem::replace(slot.0, placeholder.clone()))
    }

    /// Returns the dtype of an expression; void for other nodes.
    #[inline]
    pub fn dtype(&self) -> DataType {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().dtype)(self) }
    }

    /// Returns the node's span.
    #[inline]
    pub fn span(&self) -> Span {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().span)(self) }
    }

    /// Sets the name hint of a variable, buffer or other named node. Returns `false` for nodes without names.
    pub fn give_name(&self, name: &Str) -> bool {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().give_name)(self, name) }
    }

    /// Copies the node, without its children.
    pub(crate) fn duplicate(&self) -> Object {
        // SAFETY: as in `field`.
        unsafe { (self.info().vtable().duplicate)(self) }
    }

    /// Makes this handle the only one: a shared node is copied, without its children.
    pub fn make_unique(&mut self) {
        if !self.is_unique() {
            *self = self.duplicate();
        }
    }

    /// Checks the node's own invariants, not those of its children; see [`crate::invariants`].
    ///
    /// # Errors
    /// Fails with [`FieldError::Invalid`].
    pub fn check(&self) -> Result<(), FieldError> {
        self.info().check(self)
    }

    /// Replaces a field; a shared node is copied first. Does not check the node's invariants, which may involve
    /// further fields: see [`Object::check`].
    ///
    /// # Errors
    /// Fails, with the node unchanged, if there is no such field or the value is not of its kind and class.
    pub fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError> {
        let info = self.info();
        if info.described().is_some() {
            crate::dynamic::check_content(info, index, &value, &mut ElementBudget::unlimited())?;
        }
        self.make_unique();
        // SAFETY: unique now, and the functions belong to the payload.
        unsafe { (self.info().vtable().set_field)(self.ptr, index, value) }
    }

    /// Sets the node's span; a shared node is copied first.
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
            // Handles that fill 16 GiB, or leaked ones. An overflow would free a live node.
            std::process::abort();
        }
        Object { ptr: self.ptr }
    }
}

/// Dead nodes that are not freed yet.
type DeadList = SmallVec<[NonNull<Header>; 32]>;

thread_local! {
    // No destructor: builders in thread-locals drop nodes while a thread ends.
    /// The worklist of the running [`bury`].
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

/// Frees a node whose last handle is gone, and all nodes that die with it.
#[cold]
fn bury(ptr: NonNull<Header>) {
    /// Ends the loop, also if a destructor panics; the remaining nodes are leaked then.
    struct Loop;
    impl Drop for Loop {
        fn drop(&mut self) {
            DEAD.set(None);
        }
    }
    if let Some(list) = DEAD.get() {
        // SAFETY: the list belongs to a call of this function further up the stack, which does not hold a reference
        // to it.
        unsafe { (*list.as_ptr()).push(ptr) };
        return;
    }
    let mut list = DeadList::new();
    let list = NonNull::from(&mut list);
    DEAD.set(Some(list));
    let _end = Loop;
    let mut next = Some(ptr);
    while let Some(ptr) = next {
        // SAFETY: the node has no handles left, and the functions belong to its payload.
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
