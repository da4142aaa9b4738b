//! The process-wide, append-only table of node types. Entries live as long as the process. A node refers to its type
//! by the dense index of the entry, which is meaningful in this process only; anything stored or sent elsewhere uses
//! the type key.

use std::any::TypeId;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use crate::containers::keys;
use crate::dynamic::{Content, Described, DynNode, DynamicType, Origin};
use crate::fresh::Definitions;
use crate::invariants::Invalid;
use crate::json::limits::ElementBudget;
use crate::node::{Class, Node};
use crate::raw::{Object, VTable, append_entry, entries, vtable_of};
use crate::value::{FieldError, Fields, Value};

/// Rule of structural equality for nodes of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EqKind {
    /// Compare the fields.
    Tree,
    /// Compare the fields, and sharing must match.
    Dag,
    /// A variable: bound by definition regions, otherwise equal only to itself.
    FreeVar,
    /// Like `Tree`; nodes with the same pointer are equal without a look at their fields.
    ConstTree,
    /// Equal only to itself.
    Unique,
}

/// Structure of a node as generic walks see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Named fields.
    Fields,
    /// Elements in order ([`crate::containers::ArrayNode`]).
    Array,
    /// Keys and values ([`crate::containers::MapNode`]).
    Map,
    /// Text ([`crate::Str`]).
    Str,
    /// A value without children: a tensor or a tuple of integers ([`crate::containers::TensorNode`]).
    Tensor,
}

/// A reflected field.
#[derive(Debug, Clone, Copy)]
pub struct FieldInfo {
    /// Name in text and JSON.
    pub name: &'static str,
    /// `true` if the field defines the variables in it.
    pub def: bool,
    /// `true` if equality and hash ignore the field.
    pub skip_eq: bool,
    /// Kind of values.
    pub kind: FieldKind,
    /// `true` if the field follows from other fields, such as inferred struct info. Walks may skip it.
    pub derived: bool,
    /// `true` if JSON leaves the field out while it is `None`.
    pub optional: bool,
}

/// Kind of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A bool.
    Bool,
    /// An integer or a numbered enum.
    Int,
    /// A float.
    Float,
    /// A [`crate::DataType`].
    DType,
    /// A [`crate::Span`].
    Span,
    /// A node, string, array or map, or `None`.
    Node,
    /// Any [`Value`].
    Any,
}

/// A custom comparison, for types that do not compare their fields in declaration order. It lists steps, all of which
/// must succeed. To hash a node it is called with that node twice, so the steps must not depend on the order of maps.
pub type CustomEq = for<'a> fn(&'a Object, &'a Object, &mut EqSteps<'a>);

type Construct = fn(&'static TypeInfo, &mut Fields<'_>) -> Result<Object, FieldError>;
type Check = fn(&Object) -> Result<(), Invalid>;
type Normalize = fn(Object) -> Object;
type Defines = fn(&Object, &mut Definitions);

/// One step of a [`CustomEq`].
#[derive(Debug, Clone, Copy)]
pub enum EqStep<'a> {
    /// Compares a field of both nodes.
    Field {
        /// Index of the field.
        index: usize,
        /// `true` if the field is a definition region.
        def: bool,
    },
    /// Compares two nodes as a definition region.
    Bind {
        /// Index of the field in which a mismatch is reported.
        index: usize,
        /// Node of the left side.
        lhs: &'a Object,
        /// Node of the right side.
        rhs: &'a Object,
    },
}

/// The steps of a [`CustomEq`], in order. Fields are given by index.
#[derive(Debug, Default)]
pub struct EqSteps<'a> {
    pub(crate) steps: SmallVec<[EqStep<'a>; 4]>,
}

impl<'a> EqSteps<'a> {
    /// Returns the steps in order.
    pub fn steps(&self) -> &[EqStep<'a>] {
        &self.steps
    }

    /// Compares the field of both nodes.
    pub fn field(&mut self, index: usize) {
        self.steps.push(EqStep::Field { index, def: false });
    }

    /// Compares the field of both nodes as a definition region.
    pub fn def_field(&mut self, index: usize) {
        self.steps.push(EqStep::Field { index, def: true });
    }

    /// Compares two nodes as a definition region, so that free variables are bound to each other. A mismatch is
    /// reported in the field `index`.
    pub fn bind(&mut self, index: usize, lhs: &'a Object, rhs: &'a Object) {
        self.steps.push(EqStep::Bind { index, lhs, rhs });
    }
}

/// [`EqKind`] and [`Shape`] combined, for one dispatch per node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Scalar fields only: cheaper to compare than to look up.
    Leaf,
    Tree,
    ConstTree,
    Dag,
    FreeVar,
    Unique,
    Custom,
    Str,
    Array,
    Map,
    Tensor,
    Shape,
}

impl Plan {
    fn of(decl: &TypeDecl<'_>) -> Plan {
        match (decl.shape, decl.eq) {
            (Shape::Str, _) => Plan::Str,
            (Shape::Array, _) => Plan::Array,
            (Shape::Map, _) => Plan::Map,
            (Shape::Tensor, _) if decl.key == keys::SHAPE => Plan::Shape,
            (Shape::Tensor, _) => Plan::Tensor,
            (Shape::Fields, EqKind::Unique) => Plan::Unique,
            (Shape::Fields, EqKind::FreeVar) => Plan::FreeVar,
            (Shape::Fields, EqKind::Dag) => Plan::Dag,
            (Shape::Fields, _) if decl.custom_eq.is_some() => Plan::Custom,
            (Shape::Fields, EqKind::ConstTree) => Plan::ConstTree,
            (Shape::Fields, EqKind::Tree) => {
                let scalar = |f: &FieldInfo| f.skip_eq || !matches!(f.kind, FieldKind::Node | FieldKind::Any);
                if decl.fields.iter().all(scalar) { Plan::Leaf } else { Plan::Tree }
            }
        }
    }
}

/// An entry of the type table. The fields that walks read for each node, up to the first functions of the vtable,
/// share a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct TypeInfo {
    key_hash: u64,
    parent: Option<&'static TypeInfo>,
    index: u32,
    depth: u32,
    plan: Plan,
    shape: Shape,
    eq: EqKind,
    has_derived: bool,
    has_span: bool,
    has_subtypes: AtomicBool,
    is_sequence: AtomicBool,
    custom_eq: Option<CustomEq>,
    vtable: Option<VTable>,
    construct: Option<Construct>,
    check: Option<Check>,
    normalize: Option<Normalize>,
    defines: Option<Defines>,
    missing_parent: Option<&'static str>,
    key: &'static str,
    payload: TypeId,
    fields: Box<[FieldInfo]>,
    described: Option<Box<Described>>,
}

/// The declaration of a type, made by the derives and by [`register_dynamic`].
#[derive(Debug, Clone, Copy)]
pub struct TypeDecl<'a> {
    /// Type key, such as `toy.Trace`.
    pub key: &'static str,
    /// Parent class.
    pub parent: Option<&'static TypeInfo>,
    /// Key of a parent that is not registered yet; a [`crate::Registry`] rejects the type.
    pub missing_parent: Option<&'static str>,
    /// Rule of structural equality.
    pub eq: EqKind,
    /// Custom comparison.
    pub custom_eq: Option<CustomEq>,
    /// Structure for generic walks.
    pub shape: Shape,
    /// Reflected fields in declaration order.
    pub fields: &'a [FieldInfo],
}

/// Entries reserved for the program's own types, which are registered on first use.
const RESERVED: usize = 1 << 12;

fn append(reserved: usize, make: impl FnOnce(u32) -> TypeInfo) -> Option<&'static TypeInfo> {
    append_entry(reserved, |index| {
        let info = make(index);
        if let Some(parent) = info.parent {
            // Typed access relies on the shared struct.
            assert!(
                info.shares_payload_of(parent),
                "`{}` has another struct than its parent `{}`",
                info.key,
                parent.key
            );
            parent.has_subtypes.store(true, Ordering::Relaxed);
        }
        info
    })
}

/// Functions of a node's struct; none for an abstract class.
#[derive(Default)]
struct NodeFunctions {
    vtable: Option<VTable>,
    construct: Option<Construct>,
    check: Option<Check>,
    normalize: Option<Normalize>,
    defines: Option<Defines>,
    described: Option<Box<Described>>,
}

/// Registers a type of the program itself. Not generic, so that the code stands once and not for each type.
///
/// # Panics
/// Panics if the table is full, which takes more types than any program has.
#[inline(never)]
fn append_static(decl: TypeDecl<'_>, payload: TypeId, functions: NodeFunctions) -> &'static TypeInfo {
    append(0, |index| entry(decl, payload, functions, index))
        .expect("the reserved entries suffice for the program's own types")
}

fn entry(decl: TypeDecl<'_>, payload: TypeId, functions: NodeFunctions, index: u32) -> TypeInfo {
    TypeInfo {
        key: decl.key,
        key_hash: crate::hash::hash_bytes(decl.key.as_bytes()),
        index,
        plan: Plan::of(&decl),
        parent: decl.parent,
        depth: decl.parent.map_or(0, |p| p.depth + 1),
        has_subtypes: AtomicBool::new(false),
        is_sequence: AtomicBool::new(false),
        payload,
        shape: decl.shape,
        eq: decl.eq,
        has_derived: decl.fields.iter().any(|field| field.derived),
        has_span: decl.fields.iter().any(|field| field.kind == FieldKind::Span && field.name == "span"),
        custom_eq: decl.custom_eq,
        fields: decl.fields.into(),
        vtable: functions.vtable,
        construct: functions.construct,
        check: functions.check,
        normalize: functions.normalize,
        defines: functions.defines,
        described: functions.described,
        missing_parent: decl.missing_parent,
    }
}

/// Registers an abstract class; called once per class by the derive.
pub fn register_class<T: Class>(decl: TypeDecl<'_>) -> &'static TypeInfo {
    append_static(decl, TypeId::of::<T>(), NodeFunctions::default())
}

/// Registers a node's struct, or a subtype that shares it; called once per key by the derive.
///
/// # Panics
/// Panics if the parent is a node with another struct, which is a bug of the caller.
pub fn register_node<T: Node>(decl: TypeDecl<'_>) -> &'static TypeInfo {
    fn construct<T: Node>(info: &'static TypeInfo, fields: &mut Fields<'_>) -> Result<Object, FieldError> {
        Ok(Object::new(info, T::from_fields(fields)?))
    }
    fn check<T: Node>(object: &Object) -> Result<(), Invalid> {
        match (T::CHECK, object.as_node::<T>()) {
            (Some(check), Some(node)) => check(node),
            _ => Ok(()),
        }
    }
    fn defines<T: Node>(object: &Object, definitions: &mut Definitions) {
        if let (Some(defines), Some(node)) = (T::DEFINES, object.as_node::<T>()) {
            defines(node, definitions);
        }
    }
    fn normalize<T: Node>(object: Object) -> Object {
        match (T::NORMALIZE, object.downcast::<T>()) {
            (Some(normalize), Ok(node)) => normalize(node),
            (None, Ok(node)) => node.into(),
            (_, Err(object)) => object,
        }
    }
    let functions = NodeFunctions {
        vtable: Some(vtable_of::<T>()),
        construct: Some(construct::<T>),
        check: T::CHECK.map(|_| check::<T> as Check),
        normalize: T::NORMALIZE.map(|_| normalize::<T> as Normalize),
        defines: T::DEFINES.map(|_| defines::<T> as Defines),
        described: None,
    };
    append_static(decl, TypeId::of::<T>(), functions)
}

/// Registers a type at run time, from a description: an ordinary type whose nodes hold their fields as [`Value`]s.
/// The key is leaked, as the table is append-only.
///
/// # Errors
/// Fails with [`TypeError::ConcreteParent`] if the parent has a Rust struct, and with [`TypeError::Full`].
pub fn register_dynamic(
    key: &str,
    parent: Option<&'static TypeInfo>,
    eq: EqKind,
    fields: &[FieldInfo],
) -> Result<&'static TypeInfo, TypeError> {
    let contents = fields.iter().map(|field| Content::of(field.kind)).collect();
    append_dynamic(
        key,
        parent,
        eq,
        fields,
        Described { contents, check: None, origin: None, is_pure: false },
        false,
    )
}

fn append_dynamic(
    key: &str,
    parent: Option<&'static TypeInfo>,
    eq: EqKind,
    fields: &[FieldInfo],
    described: Described,
    is_abstract: bool,
) -> Result<&'static TypeInfo, TypeError> {
    if let Some(parent) = parent.filter(|p| p.is_concrete() && p.payload != TypeId::of::<DynNode>()) {
        return Err(TypeError::ConcreteParent { key: key.to_owned(), parent: parent.key });
    }
    let info = append(RESERVED, |index| {
        let key: &'static str = Box::leak(key.into());
        let decl =
            TypeDecl { key, parent, missing_parent: None, eq, custom_eq: None, shape: Shape::Fields, fields };
        let construct: Construct = |info, fields| Ok(Object::new(info, DynNode::collect(info, fields)?));
        let functions = NodeFunctions {
            vtable: (!is_abstract).then(vtable_of::<DynNode>),
            construct: (!is_abstract).then_some(construct),
            described: Some(Box::new(described)),
            ..NodeFunctions::default()
        };
        entry(decl, TypeId::of::<DynNode>(), functions, index)
    });
    info.ok_or_else(|| TypeError::Full { key: key.to_owned() })
}

impl DynamicType {
    /// Registers the type: an ordinary type whose nodes hold their fields as [`Value`]s.
    ///
    /// # Errors
    /// As [`register_dynamic`].
    pub fn register(&self) -> Result<&'static TypeInfo, TypeError> {
        let contents = self.fields.iter().map(|field| field.content.clone()).collect();
        let (check, origin) = (self.check.clone(), self.origin.clone());
        let described = Described { contents, check, origin, is_pure: self.is_pure };
        append_dynamic(&self.key, self.parent, self.eq, &self.field_infos(), described, self.is_abstract)
    }
}

/// Error of [`register_dynamic`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeError {
    /// The parent has a Rust struct, which nodes of the new type lack.
    #[error("`{key}` cannot have the parent `{parent}`, which is not an abstract class")]
    ConcreteParent {
        /// The type key.
        key: String,
        /// Type key of the parent.
        parent: &'static str,
    },
    /// The type table is full; types are never removed.
    #[error("cannot register the type `{key}`: the type table is full")]
    Full {
        /// The type key.
        key: String,
    },
}

impl TypeInfo {
    /// Returns the type key, such as `toy.Trace`.
    #[inline]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the dense index, which is meaningful in this process only.
    #[inline]
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Returns the parent class.
    pub fn parent(&self) -> Option<&'static TypeInfo> {
        self.parent
    }

    /// Returns `true` if this type is `other` or descends from it.
    #[inline]
    pub fn is_a(&self, other: &TypeInfo) -> bool {
        std::ptr::eq(self, other) || (other.has_subtypes.load(Ordering::Relaxed) && self.descends_from(other))
    }

    fn shares_payload_of(&self, parent: &TypeInfo) -> bool {
        !parent.is_concrete() || parent.payload == self.payload
    }

    fn descends_from(&self, other: &TypeInfo) -> bool {
        let mut at = self;
        while at.depth > other.depth {
            match at.parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        std::ptr::eq(at, other)
    }

    /// Returns the key of a parent that was not registered before this type; see [`crate::RegistryError::Missing`].
    pub fn missing_parent(&self) -> Option<&'static str> {
        self.missing_parent
    }

    /// Checks the invariants that the struct declares.
    #[inline]
    pub(crate) fn check(&self, object: &Object) -> Result<(), FieldError> {
        match (self.check, &self.described) {
            (Some(check), _) => check(object).map_err(|invalid| invalid.of(self.display_key())),
            (None, Some(described)) => self.check_described(described, object),
            (None, None) => Ok(()),
        }
    }

    #[cold]
    fn check_described(&self, described: &Described, object: &Object) -> Result<(), FieldError> {
        match &described.check {
            Some(check) => check(object).map_err(|invalid| invalid.of(self.display_key())),
            None => Ok(()),
        }
    }

    /// `true` if evaluating a node has no effect besides its value; `None` for types of Rust, which do not tell.
    #[inline]
    pub fn is_pure(&self) -> Option<bool> {
        Some(self.described.as_ref()?.is_pure)
    }

    /// Restores the normal form that the struct declares.
    #[inline]
    pub(crate) fn normalize(&self, object: Object) -> Object {
        match self.normalize {
            Some(normalize) => normalize(object),
            None => object,
        }
    }

    /// Returns the function that lists definitions, if the struct declares one.
    pub(crate) fn defines(&self) -> Option<Defines> {
        self.defines
    }

    /// Returns the description of the dialect that the type was registered from.
    pub fn origin(&self) -> Option<&Origin> {
        self.described()?.origin.as_deref()
    }

    /// Returns the description of a type that was registered at run time.
    pub(crate) fn described(&self) -> Option<&Described> {
        self.described.as_deref()
    }

    pub(crate) fn payload(&self) -> TypeId {
        self.payload
    }

    /// Returns the structure for generic walks.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns `true` if a field is derived ([`FieldInfo::derived`]).
    pub(crate) fn has_derived_fields(&self) -> bool {
        self.has_derived
    }

    /// Returns `true` if nodes of this type hold a span. [`Object::set_span`] has no effect on others.
    #[inline]
    pub fn has_span(&self) -> bool {
        self.has_span
    }

    /// Returns the rule of structural equality.
    #[inline]
    pub fn eq_kind(&self) -> EqKind {
        self.eq
    }

    #[inline]
    pub(crate) fn plan(&self) -> Plan {
        self.plan
    }

    /// Returns the type key as messages show it, e.g. `Array` for `core.Array`.
    pub fn display_key(&self) -> &'static str {
        let key = self.key();
        key.strip_prefix(keys::PREFIX).unwrap_or(key)
    }

    /// Returns the hash of the key, the same in every process.
    #[inline]
    pub(crate) fn key_hash(&self) -> u64 {
        self.key_hash
    }

    /// Returns the constructor by name of types whose JSON data is only their name.
    pub fn by_name(&self) -> Option<fn(&str) -> Object> {
        self.vtable.as_ref().and_then(VTable::by_name)
    }

    /// Returns the custom comparison.
    #[inline]
    pub fn custom_eq(&self) -> Option<CustomEq> {
        self.custom_eq
    }

    /// Returns the reflected fields in declaration order.
    #[inline]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// Returns the index of a field.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// Declares the type a sequence: its nodes list nodes in their one array field, and a single element is
    /// equivalent to a sequence of one, as for `SeqStmt`. Comparisons then align a single node with the elements of a
    /// sequence.
    pub fn mark_sequence(&self) {
        self.is_sequence.store(true, Ordering::Relaxed);
    }

    /// Returns the field of the elements, if the type is a sequence.
    pub fn sequence_field(&self) -> Option<usize> {
        let compared = |f: &FieldInfo| !f.skip_eq && f.kind == FieldKind::Node;
        if !self.is_sequence.load(Ordering::Relaxed) { None } else { self.fields.iter().position(compared) }
    }

    /// Returns `true` if the type can have nodes, i.e. is not abstract.
    pub fn is_concrete(&self) -> bool {
        self.construct.is_some()
    }

    #[inline]
    pub(crate) fn vtable(&self) -> &VTable {
        match &self.vtable {
            Some(vtable) => vtable,
            None => unreachable!("the type of a node is concrete"),
        }
    }

    /// Constructs a node from its fields in declaration order.
    ///
    /// # Errors
    /// Fails if the type is abstract, the values do not match in kind, class or number, or the node's invariants do
    /// not hold.
    pub fn construct(&'static self, mut values: Vec<Value>) -> Result<Object, FieldError> {
        self.construct_within(&mut values, &mut ElementBudget::unlimited())
    }

    /// Like [`TypeInfo::construct`], moving the values out of a buffer, within the budget of a load.
    pub(crate) fn construct_within(
        &'static self,
        values: &mut [Value],
        elements: &mut ElementBudget,
    ) -> Result<Object, FieldError> {
        let construct = self.construct.ok_or(FieldError::Abstract { key: self.key })?;
        if values.len() != self.fields.len() {
            return Err(FieldError::Count {
                key: self.key,
                expected: self.fields.len(),
                found: values.len(),
            });
        }
        let object = construct(self, &mut Fields::new(self, values, elements))?;
        self.check(&object)?;
        Ok(object)
    }
}

/// Returns the first type registered under a key. Duplicate keys are errors of the [`crate::Registry`].
pub fn type_by_key(key: &str) -> Option<&'static TypeInfo> {
    entries().find(|t| t.key == key)
}

/// Returns the number of registered types.
pub fn type_count() -> usize {
    entries().len()
}
