//! The process-wide, append-only table of node types.
//!
//! An entry lives as long as the process, in a place that its number gives: that is what a node has of its type.
//! Numbers are dense and mean something in this process only; what is stored or sent elsewhere is the type key.

use std::any::TypeId;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::containers::keys;
use crate::dynamic::DynNode;
use crate::fresh::Definitions;
use crate::invariants::Invalid;
use crate::node::{Class, Node};
use crate::raw::{Object, VTable, append_entry, entries, vtable_of};
use crate::value::{FieldError, Fields, Value};

/// How structural equality treats nodes of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EqKind {
    /// Compare the fields.
    Tree,
    /// Compare the fields, and sharing must match.
    Dag,
    /// A variable: bound by definition regions, otherwise equal only to itself.
    FreeVar,
    /// As a tree, with a pointer shortcut.
    ConstTree,
    /// Equal only to itself.
    Unique,
}

/// What lies behind a handle, as generic walks see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Named fields.
    Fields,
    /// Elements in order ([`crate::containers::ArrayNode`]).
    Array,
    /// Keys and values ([`crate::containers::MapNode`]).
    Map,
    /// Text ([`crate::containers::StrNode`]).
    Str,
    /// Bytes or a tensor's value ([`crate::containers::TensorNode`]); no children.
    Tensor,
}

/// One reflected field.
#[derive(Debug, Clone, Copy)]
pub struct FieldInfo {
    /// The name in text and JSON.
    pub name: &'static str,
    /// The field defines the variables in it.
    pub def: bool,
    /// Equality and hash ignore the field.
    pub skip_eq: bool,
    /// Kind of the field's values.
    pub kind: FieldKind,
    /// The field repeats what follows from other fields, such as inferred struct info. Walks may skip it.
    pub derived: bool,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A truth value.
    Bool,
    /// An integer or a numbered enum.
    Int,
    /// A float.
    Float,
    /// A [`crate::DataType`].
    DType,
    /// A [`crate::Span`].
    Span,
    /// A node, string, array or map; perhaps absent.
    Node,
    /// Any [`Value`].
    Any,
}

/// A custom comparison, where fields in declaration order do not say it (`IRModule`, `relax.VarBinding`): it names the
/// steps, and all of them must succeed. It is called with one node twice for the hash of that node, so the steps may
/// not depend on the order of maps.
pub type CustomEq = for<'a> fn(&'a Object, &'a Object, &mut EqSteps<'a>);

type Construct = fn(&'static TypeInfo, &mut Fields<'_>) -> Result<Object, FieldError>;
type Check = fn(&Object) -> Result<(), Invalid>;
type Normalize = fn(Object) -> Object;
type Defines = fn(&Object, &mut Definitions);

/// One step of a [`CustomEq`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum EqStep<'a> {
    Field { index: usize, def: bool },
    Bind { index: usize, lhs: &'a Object, rhs: &'a Object },
}

/// The steps of a [`CustomEq`], in order. Fields are named by their index.
#[derive(Debug, Default)]
pub struct EqSteps<'a> {
    pub(crate) steps: Vec<EqStep<'a>>,
}

impl<'a> EqSteps<'a> {
    /// Compares the field of both nodes.
    pub fn field(&mut self, index: usize) {
        self.steps.push(EqStep::Field { index, def: false });
    }

    /// Compares the field of both nodes as a definition region.
    pub fn def_field(&mut self, index: usize) {
        self.steps.push(EqStep::Field { index, def: true });
    }

    /// Compares two objects as a definition region, so that free variables are bound to each other. `index` is the
    /// field that a mismatch is reported in.
    pub fn bind(&mut self, index: usize, lhs: &'a Object, rhs: &'a Object) {
        self.steps.push(EqStep::Bind { index, lhs, rhs });
    }
}

/// How comparison goes about a type: [`EqKind`] and [`Shape`] in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Only scalar fields: not worth remembering.
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

/// An entry of the type table. What walks ask of each node, up to the first functions of the table, stands in one
/// line of the cache.
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
}

/// What a registration says; made by the derives and by [`register_dynamic`].
#[derive(Debug, Clone, Copy)]
pub struct TypeDecl<'a> {
    /// The stable name, such as `tir.For`.
    pub key: &'static str,
    /// The parent class.
    pub parent: Option<&'static TypeInfo>,
    /// The key of a parent that is not registered yet. A [`crate::Registry`] refuses the type.
    pub missing_parent: Option<&'static str>,
    /// How equality treats the nodes.
    pub eq: EqKind,
    /// A custom comparison.
    pub custom_eq: Option<CustomEq>,
    /// What generic walks see.
    pub shape: Shape,
    /// The reflected fields in declaration order.
    pub fields: &'a [FieldInfo],
}

/// So much room is kept for the types of the program itself, which are registered when they are first used.
const RESERVED: usize = 1 << 12;

fn append(reserved: usize, make: impl FnOnce(u32) -> TypeInfo) -> Option<&'static TypeInfo> {
    append_entry(reserved, |index| {
        let info = make(index);
        if let Some(parent) = info.parent {
            // Typed access to a node's struct relies on this.
            assert!(
                info.may_stand_under(parent),
                "`{}` holds another struct than `{}`",
                info.key,
                parent.key
            );
            parent.has_subtypes.store(true, Ordering::Relaxed);
        }
        info
    })
}

/// A type of the program itself.
///
/// # Panics
/// When there are more of them than any program has.
fn append_static(make: impl FnOnce(u32) -> TypeInfo) -> &'static TypeInfo {
    append(0, make).expect("the type table has room for the program's own types")
}

fn entry<T: 'static>(decl: TypeDecl<'_>, index: u32) -> TypeInfo {
    TypeInfo {
        key: decl.key,
        key_hash: crate::hash::hash_bytes(decl.key.as_bytes()),
        index,
        plan: Plan::of(&decl),
        parent: decl.parent,
        depth: decl.parent.map_or(0, |p| p.depth + 1),
        has_subtypes: AtomicBool::new(false),
        is_sequence: AtomicBool::new(false),
        payload: TypeId::of::<T>(),
        shape: decl.shape,
        eq: decl.eq,
        has_derived: decl.fields.iter().any(|field| field.derived),
        custom_eq: decl.custom_eq,
        fields: decl.fields.into(),
        vtable: None,
        construct: None,
        check: None,
        normalize: None,
        defines: None,
        missing_parent: decl.missing_parent,
    }
}

/// Registers an abstract class. Called once per class by the derive.
pub fn register_class<T: Class>(decl: TypeDecl<'_>) -> &'static TypeInfo {
    append_static(|index| entry::<T>(decl, index))
}

/// Registers a node's struct, or a subtype that shares it. Called once per key by the derive.
///
/// # Panics
/// When the parent is a node with another struct: a mistake of the caller, never of user input.
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
    append_static(|index| TypeInfo {
        vtable: Some(vtable_of::<T>()),
        construct: Some(construct::<T>),
        check: T::CHECK.map(|_| check::<T> as Check),
        normalize: T::NORMALIZE.map(|_| normalize::<T> as Normalize),
        defines: T::DEFINES.map(|_| defines::<T> as Defines),
        ..entry::<T>(decl, index)
    })
}

/// Registers a type made at run time from a description (a plugin, a language server): an ordinary type whose nodes
/// hold their fields as [`Value`]s. Names are leaked: the table is append-only.
///
/// # Errors
/// [`TypeError::ConcreteParent`] when the parent is a node with a struct, not an abstract class; [`TypeError::Full`].
pub fn register_dynamic(
    key: &str,
    parent: Option<&'static TypeInfo>,
    eq: EqKind,
    fields: &[FieldInfo],
) -> Result<&'static TypeInfo, TypeError> {
    if let Some(parent) = parent.filter(|p| p.is_concrete() && p.payload != TypeId::of::<DynNode>()) {
        return Err(TypeError::ConcreteParent { key: key.to_owned(), parent: parent.key });
    }
    let info = append(RESERVED, |index| {
        let key: &'static str = Box::leak(key.into());
        let decl =
            TypeDecl { key, parent, missing_parent: None, eq, custom_eq: None, shape: Shape::Fields, fields };
        TypeInfo {
            vtable: Some(vtable_of::<DynNode>()),
            construct: Some(|info, fields| Ok(Object::new(info, DynNode::collect(info, fields)?))),
            ..entry::<DynNode>(decl, index)
        }
    });
    info.ok_or_else(|| TypeError::Full { key: key.to_owned() })
}

/// Why a description makes no type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeError {
    /// Nodes of a type hold what its parent's nodes hold, if the parent is no abstract class.
    #[error("`{key}` cannot have the parent `{parent}`, which is no abstract class")]
    ConcreteParent {
        /// The type key.
        key: String,
        /// The parent's.
        parent: &'static str,
    },
    /// A process holds some thousands of types, and none ever goes.
    #[error("there is no room for the type `{key}`: too many were made")]
    Full {
        /// The type key.
        key: String,
    },
}

impl TypeInfo {
    /// The stable name, such as `tir.For`.
    #[inline]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The dense number in this process; never written out.
    #[inline]
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// The parent class.
    pub fn parent(&self) -> Option<&'static TypeInfo> {
        self.parent
    }

    /// Whether this type is `other` or has it among its ancestors.
    #[inline]
    pub fn is_a(&self, other: &TypeInfo) -> bool {
        std::ptr::eq(self, other) || (other.has_subtypes.load(Ordering::Relaxed) && self.descends_from(other))
    }

    fn may_stand_under(&self, parent: &TypeInfo) -> bool {
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

    /// The key of the parent that was not registered when this type was; see [`crate::RegistryError::Missing`].
    pub fn missing_parent(&self) -> Option<&'static str> {
        self.missing_parent
    }

    /// Checks a node of this type against the invariants that its struct declares.
    #[inline]
    pub(crate) fn check(&self, object: &Object) -> Result<(), FieldError> {
        match self.check {
            Some(check) => check(object).map_err(|invalid| invalid.of(self.display_key())),
            None => Ok(()),
        }
    }

    /// A changed node of this type in the form that its struct declares as normal.
    #[inline]
    pub(crate) fn normalize(&self, object: Object) -> Object {
        match self.normalize {
            Some(normalize) => normalize(object),
            None => object,
        }
    }

    /// What names the definitions of a node of this type, if its `def` fields do not.
    pub(crate) fn defines(&self) -> Option<Defines> {
        self.defines
    }

    /// Whether the type was made from a description ([`register_dynamic`]), so that its fields have kinds and no Rust
    /// types.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.payload == TypeId::of::<DynNode>()
    }

    pub(crate) fn payload(&self) -> TypeId {
        self.payload
    }

    /// What generic walks see.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether some field repeats what others say ([`FieldInfo::derived`]).
    pub fn has_derived_fields(&self) -> bool {
        self.has_derived
    }

    /// How structural equality treats the nodes.
    #[inline]
    pub fn eq_kind(&self) -> EqKind {
        self.eq
    }

    #[inline]
    pub(crate) fn plan(&self) -> Plan {
        self.plan
    }

    /// The type key as messages show it: `Array` for the containers of this crate.
    pub fn display_key(&self) -> &'static str {
        let key = self.key();
        key.strip_prefix(keys::PREFIX).unwrap_or(key)
    }

    /// A number for the key that is the same in every process.
    #[inline]
    pub(crate) fn key_hash(&self) -> u64 {
        self.key_hash
    }

    /// For types whose JSON data is only their name: the node with a name.
    pub fn by_name(&self) -> Option<fn(&str) -> Object> {
        self.vtable.as_ref().and_then(VTable::by_name)
    }

    /// The custom comparison, if the type has one.
    #[inline]
    pub fn custom_eq(&self) -> Option<CustomEq> {
        self.custom_eq
    }

    /// The reflected fields in declaration order.
    #[inline]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// The index of the field with this name.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// Says that a node of this type only lists nodes in its one array, each of which may also stand alone in its
    /// place, as statements do for `SeqStmt`. A comparison then aligns a lone node with the elements of the list.
    pub fn mark_sequence(&self) {
        self.is_sequence.store(true, Ordering::Relaxed);
    }

    /// The field with the elements, if the type was declared a sequence.
    pub(crate) fn sequence_field(&self) -> Option<usize> {
        let compared = |f: &FieldInfo| !f.skip_eq && f.kind == FieldKind::Node;
        if !self.is_sequence.load(Ordering::Relaxed) { None } else { self.fields.iter().position(compared) }
    }

    /// Whether nodes of exactly this type exist.
    pub fn is_concrete(&self) -> bool {
        self.construct.is_some()
    }

    #[inline]
    pub(crate) fn vtable(&self) -> &VTable {
        match &self.vtable {
            Some(vtable) => vtable,
            None => unreachable!("no node has an abstract type"),
        }
    }

    /// Makes a node from its fields in declaration order.
    ///
    /// # Errors
    /// [`FieldError`] when the type is abstract, the values do not fit in kind, class or number, or the node's own
    /// invariants do not hold (`#[node(check = ..)]`).
    pub fn construct(&'static self, mut values: Vec<Value>) -> Result<Object, FieldError> {
        self.construct_from(&mut values)
    }

    /// As [`TypeInfo::construct`], taking the values out of a buffer that is used again.
    ///
    /// # Errors
    /// As [`TypeInfo::construct`].
    pub fn construct_from(&'static self, values: &mut [Value]) -> Result<Object, FieldError> {
        let construct = self.construct.ok_or(FieldError::Abstract { key: self.key })?;
        if values.len() != self.fields.len() {
            return Err(FieldError::Count {
                key: self.key,
                expected: self.fields.len(),
                found: values.len(),
            });
        }
        let object = construct(self, &mut Fields::new(self, values))?;
        self.check(&object)?;
        Ok(object)
    }
}

/// The first type registered under a key. Where two crates use one key, a [`crate::Registry`] says so.
pub fn type_by_key(key: &str) -> Option<&'static TypeInfo> {
    entries().find(|t| t.key == key)
}

/// The number of types registered so far; indices are below it.
pub fn type_count() -> usize {
    entries().len()
}
