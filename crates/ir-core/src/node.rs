//! What a Rust type promises when it is a class or a node.
//!
//! Nobody writes these impls by hand: `#[derive(Node)]` and `#[derive(Class)]` do, from the plain struct.

use crate::dtype::DataType;
use crate::fresh::Definitions;
use crate::invariants::Checked;
use crate::raw::{NodeSlot, Object, Ref, Str};
use crate::span::Span;
use crate::type_table::TypeInfo;
use crate::value::{FieldError, FieldRef, Fields, Value};

/// Takes in the fields of one node, one after the other. Inlined into the code of each node's type, so that a walk
/// costs one indirect call per node and none per field.
pub trait FieldSink<'a> {
    /// The field at `index`; `def` and `skip_eq` are those of its [`crate::FieldInfo`].
    fn field(&mut self, index: usize, def: bool, skip_eq: bool, value: FieldRef<'a>);
}

/// Takes in the compared fields of two nodes of one type, pair by pair.
pub trait PairSink<'a> {
    /// Both fields at one index. False ends the walk.
    fn pair(&mut self, def: bool, lhs: FieldRef<'a>, rhs: FieldRef<'a>) -> bool;
}

/// A class of nodes: a node's own struct, or an abstract parent such as `PrimExpr`.
///
/// # Safety
/// [`Class::type_info`] must give the entry registered for this very type; for a [`Node`] the entry's payload must
/// be the implementing struct.
pub unsafe trait Class: 'static {
    /// The entry in the process-wide type table.
    fn type_info() -> &'static TypeInfo;
}

/// The class has `Parent` among its ancestors.
///
/// # Safety
/// The type table must agree, and where `Parent` is a [`Node`] both must share one payload.
pub unsafe trait SubclassOf<Parent: Class>: Class {}

/// A concrete node: a plain struct with reflected fields.
pub trait Node: Class + Clone + Send + Sync + Sized {
    /// Checks the node's own invariants (`#[node(check = path)]`); see [`crate::invariants`].
    const CHECK: Option<fn(&Self) -> Checked> = None;

    /// Restores the node's normal form after a rewrite changed its children (`#[node(normalize = path)]`): a sequence
    /// splices nested ones, for instance. [`crate::mutate()`] calls it before [`crate::Mutator::leave`].
    const NORMALIZE: Option<fn(Ref<Self>) -> Object> = None;

    /// Names what the node defines, where that is not what stands in its `#[node(def)]` fields
    /// (`#[node(defines = path)]`); see [`crate::fresh`].
    const DEFINES: Option<fn(&Self, &mut Definitions)> = None;

    /// The field at `index`, in declaration order; [`FieldRef::None`] past the end.
    fn field(&self, index: usize) -> FieldRef<'_>;

    /// Replaces the field at `index`.
    ///
    /// # Errors
    /// When the value does not fit the field.
    fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError>;

    /// The place of the handle in the field at `index`, if it holds one. For mutators.
    fn node_slot(&mut self, _index: usize) -> Option<NodeSlot<'_>> {
        None
    }

    /// Makes the node from its fields in declaration order (JSON, run-time construction).
    ///
    /// # Errors
    /// When a value does not fit its field.
    fn from_fields(fields: &mut Fields<'_>) -> Result<Self, FieldError>;

    /// Shows all fields to `sink`, in declaration order.
    #[inline]
    fn fields<'a, S: FieldSink<'a>>(&'a self, info: &'static TypeInfo, sink: &mut S) {
        for (index, f) in info.fields().iter().enumerate() {
            sink.field(index, f.def, f.skip_eq, self.field(index));
        }
    }

    /// Shows the fields that equality compares to `sink`, in declaration order; false if the sink said so.
    #[inline]
    fn zip<'a, S: PairSink<'a>>(&'a self, other: &'a Self, info: &'static TypeInfo, sink: &mut S) -> bool {
        let mut fields = info.fields().iter().enumerate().filter(|(_, f)| !f.skip_eq);
        fields.all(|(index, f)| sink.pair(f.def, self.field(index), other.field(index)))
    }

    /// Constructor of types whose JSON data is only a name, from the name. They have a field `name`.
    fn by_name() -> Option<fn(&str) -> Object> {
        None
    }

    /// Gives the node a name, where it has one to give; false where it has none. Names are no part of a node's
    /// identity: the node stays as it is for everyone who has it.
    fn give_name(&self, _name: &Str) -> bool {
        false
    }

    /// The dtype, for expressions.
    fn node_dtype(&self) -> DataType {
        DataType::VOID
    }

    /// The span, where the node has one.
    fn node_span(&self) -> Span {
        Span::UNKNOWN
    }

    /// Sets the span, where the node has one.
    fn set_node_span(&mut self, _span: Span) {}
}
