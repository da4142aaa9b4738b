//! Struct info: what is known of a value before it is computed.

use tvmscript_ir::{EnvFunc, RelaxExpr, VDevice};
use tvmscript_ir_core::{Array, Class, DataType, Node, Ref, Span};
use tvmscript_prim::{Expr, Type};

/// What is known of a value (`ir.StructInfo`).
#[derive(Class)]
#[class(key = "ir.StructInfo", parent = Type)]
pub struct StructInfo(());

/// Any value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ObjectStructInfo", parent = StructInfo)]
pub struct ObjectStructInfo {
    /// Where it was written.
    pub span: Span,
}

/// A scalar.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.PrimStructInfo", parent = StructInfo)]
pub struct PrimStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The value, where known.
    pub value: Option<Expr>,
    /// The type of the value.
    pub dtype: DataType,
}

/// A shape.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ShapeStructInfo", parent = StructInfo)]
pub struct ShapeStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The dimensions, where known.
    pub values: Option<Array<Expr>>,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
}

/// A tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TensorStructInfo", parent = StructInfo)]
pub struct TensorStructInfo {
    /// Where it was written.
    pub span: Span,
    /// A shape, or a variable that holds one, where known.
    pub shape: Option<Ref<RelaxExpr>>,
    /// The element type; void where unknown.
    pub dtype: DataType,
    /// The device, where bound.
    pub vdevice: Option<Ref<VDevice>>,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
}

/// A tuple; the empty one is void.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TupleStructInfo", parent = StructInfo)]
pub struct TupleStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The parts.
    pub fields: Array<Ref<StructInfo>>,
}

/// A function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.FuncStructInfo", parent = StructInfo)]
pub struct FuncStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The parameters; absent for opaque functions.
    #[node(def)]
    pub params: Option<Array<Ref<StructInfo>>>,
    /// The result.
    pub ret: Ref<StructInfo>,
    /// Derives the result of an opaque function.
    pub derive_func: Option<Ref<EnvFunc>>,
    /// Whether calls have no effect.
    pub purity: bool,
}
