//! The types of values, which struct info refines.

use tvmscript_ir_core::{DataType, Node, Span};
use tvmscript_prim::Type;

/// A shape.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ShapeType", parent = Type)]
pub struct ShapeType {
    /// Source span.
    pub span: Span,
    /// Rank; -1 if unknown.
    pub ndim: i64,
}

/// A tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.DynTensorType", parent = Type)]
pub struct TensorType {
    /// Source span.
    pub span: Span,
    /// Rank; -1 if unknown.
    pub ndim: i64,
    /// Element type; void if unknown.
    pub dtype: DataType,
}

/// Any value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ObjectType", parent = Type)]
pub struct ObjectType {
    /// Source span.
    pub span: Span,
}

/// An external function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.PackedFuncType", parent = Type)]
pub struct PackedFuncType {
    /// Source span.
    pub span: Span,
}
