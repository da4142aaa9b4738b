//! The older types of values, which struct info refines.

use tvmscript_ir_core::{DataType, Node, Span};
use tvmscript_prim::Type;

/// The type of shapes.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ShapeType", parent = Type)]
pub struct ShapeType {
    /// Where it was written.
    pub span: Span,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
}

/// The type of tensors.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.DynTensorType", parent = Type)]
pub struct TensorType {
    /// Where it was written.
    pub span: Span,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
    /// The element type; void where unknown.
    pub dtype: DataType,
}

/// The type of any value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ObjectType", parent = Type)]
pub struct ObjectType {
    /// Where it was written.
    pub span: Span,
}

/// The type of external functions.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.PackedFuncType", parent = Type)]
pub struct PackedFuncType {
    /// Where it was written.
    pub span: Span,
}
