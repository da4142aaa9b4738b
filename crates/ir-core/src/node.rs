//! The traits of classes and nodes, implemented by `#[derive(Class)]` and `#[derive(Node)]`.

use crate::dtype::DataType;
use crate::fresh::Definitions;
use crate::invariants::Checked;
use crate::raw::{NodeSlot, Object, Ref, Str};
use crate::span::Span;
use crate::type_table::TypeInfo;
use crate::value::{FieldError, FieldRef, Fields, Value};

/// A consumer of the fields of one node. It is inlined into the code of each type, so that a walk makes one indirect
/// call per node.
pub trait FieldSink<'a> {
    /// Consumes the field at `index`; `def` and `skip_eq` are those of its [`crate::FieldInfo`].
    fn field(&mut self, index: usize, def: bool, skip_eq: bool, value: FieldRef<'a>);
}

/// A consumer of the fields that equality compares, for two nodes of one type.
pub trait PairSink<'a> {
    /// Consumes a pair of fields. Returns `false` to end the walk.
    fn pair(&mut self, def: bool, lhs: FieldRef<'a>, rhs: FieldRef<'a>) -> bool;
}

/// A class of nodes: a node's own struct, or an abstract parent such as `PrimExpr`.
///
/// # Safety
/// [`Class::type_info`] must return the entry registered for this type; for a [`Node`] the entry's payload must be the
/// implementing struct.
pub unsafe trait Class: 'static {
    /// Returns the entry in the process-wide type table.
    fn type_info() -> &'static TypeInfo;
}

/// A class with the ancestor `Parent`.
///
/// # Safety
/// The type table must agree. If `Parent` is a [`Node`], both must have the same payload.
pub unsafe trait SubclassOf<Parent: Class>: Class {}

/// A concrete node: a plain struct with reflected fields.
pub trait Node: Class + Clone + Send + Sync + Sized {
    /// Check of the node's invariants (`#[node(check = path)]`); see [`crate::invariants`].
    const CHECK: Option<fn(&Self) -> Checked> = None;

    /// Restores the node's normal form after a rewrite of its children (`#[node(normalize = path)]`), such as
    /// flattening nested sequences. [`crate::mutate()`] calls it before [`crate::Mutator::leave`].
    const NORMALIZE: Option<fn(Ref<Self>) -> Object> = None;

    /// Lists the nodes that this one defines, in place of its `#[node(def)]` fields (`#[node(defines = path)]`); see
    /// [`crate::fresh`].
    const DEFINES: Option<fn(&Self, &mut Definitions)> = None;

    /// Returns the field at `index`, in declaration order; [`FieldRef::None`] past the end.
    fn field(&self, index: usize) -> FieldRef<'_>;

    /// Replaces the field at `index`.
    ///
    /// # Errors
    /// Fails if the value does not fit the field.
    fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError>;

    /// Returns the slot of the handle in the field at `index`, for mutators.
    fn node_slot(&mut self, _index: usize) -> Option<NodeSlot<'_>> {
        None
    }

    /// Constructs the node from its fields in declaration order.
    ///
    /// # Errors
    /// Fails if a value does not fit its field.
    fn from_fields(fields: &mut Fields<'_>) -> Result<Self, FieldError>;

    /// Passes all fields to `sink`, in declaration order.
    #[inline]
    fn fields<'a, S: FieldSink<'a>>(&'a self, info: &'static TypeInfo, sink: &mut S) {
        for (index, f) in info.fields().iter().enumerate() {
            sink.field(index, f.def, f.skip_eq, self.field(index));
        }
    }

    /// Passes the pairs of fields that equality compares to `sink`, in declaration order. Returns `false` if the sink
    /// did.
    #[inline]
    fn zip<'a, S: PairSink<'a>>(&'a self, other: &'a Self, info: &'static TypeInfo, sink: &mut S) -> bool {
        let mut fields = info.fields().iter().enumerate().filter(|(_, f)| !f.skip_eq);
        fields.all(|(index, f)| sink.pair(f.def, self.field(index), other.field(index)))
    }

    /// Constructor by name, for types whose JSON data is only their name; they have a field `name`.
    fn by_name() -> Option<fn(&str) -> Object> {
        None
    }

    /// Sets the name hint. Returns `false` if nodes of this type have none.
    fn give_name(&self, _name: &Str) -> bool {
        false
    }

    /// Returns the dtype of an expression.
    fn node_dtype(&self) -> DataType {
        DataType::VOID
    }

    /// Returns the span.
    fn node_span(&self) -> Span {
        Span::UNKNOWN
    }

    /// Sets the span, if the node has one.
    fn set_node_span(&mut self, _span: Span) {}
}

/// The name of a field of a node, which the compiler checks: `field!(For, body)` is `"body"`.
///
/// ```
/// use tvmscript_ir_core::{Node, Span, field};
///
/// #[derive(Debug, Clone, Node)]
/// #[node(key = "doc.Negate")]
/// struct Negate {
///     operand: i64,
///     span: Span,
/// }
///
/// assert_eq!(field!(Negate, operand), "operand");
/// ```
#[macro_export]
macro_rules! field {
    ($class:ty, $field:ident) => {{
        const _: usize = ::core::mem::offset_of!($class, $field);
        stringify!($field)
    }};
}
