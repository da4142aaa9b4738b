//! Types of variables, and ranges. The dialect `ir` registers their text.

use tvmscript_ir_core::{Array, Class, DataType, Node, Ref, Span, Str};

use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult, describe};
use crate::node::IntImm;
use crate::ops;

/// A type (`ir.Type`).
#[derive(Class)]
#[class(key = "ir.Type")]
pub struct Type(());

/// A scalar or vector type.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.PrimType", parent = Type)]
pub struct PrimType {
    /// Source span.
    pub span: Span,
    /// The data type.
    pub dtype: DataType,
}

/// A typed pointer into a storage scope.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.PointerType", parent = Type)]
pub struct PointerType {
    /// Source span.
    pub span: Span,
    /// The type of the target.
    pub element_type: Ref<Type>,
    /// The storage scope; never empty.
    pub storage_scope: Str,
}

/// A tuple of types; the empty one is void.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.TupleType", parent = Type)]
pub struct TupleType {
    /// Source span.
    pub span: Span,
    /// The element types.
    pub fields: Array<Ref<Type>>,
}

/// The type of a function.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.FuncType", parent = Type)]
pub struct FuncType {
    /// Source span.
    pub span: Span,
    /// The parameters' types.
    pub arg_types: Array<Ref<Type>>,
    /// The result's type.
    pub ret_type: Ref<Type>,
}

/// A hardware tensor map, the target of `T.handle("tensormap")`.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.TensorMapType", parent = Type)]
pub struct TensorMapType {
    /// Source span.
    pub span: Span,
}

impl PrimType {
    /// The type of values with this dtype.
    pub fn new(dtype: DataType) -> Ref<Type> {
        Ref::new(PrimType { span: Span::current(), dtype }).upcast()
    }
}

impl PointerType {
    /// A pointer to `element_type` in a storage scope; an empty scope means `global`.
    pub fn new(element_type: Ref<Type>, storage_scope: &str) -> Ref<Type> {
        let scope = if storage_scope.is_empty() { "global" } else { storage_scope };
        Ref::new(PointerType { span: Span::current(), element_type, storage_scope: scope.into() }).upcast()
    }
}

impl TupleType {
    /// The void type.
    pub fn void() -> Ref<Type> {
        Ref::new(TupleType { span: Span::current(), fields: Array::default() }).upcast()
    }
}

/// A half-open range of integers, given by minimum and extent.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.Range")]
pub struct Range {
    /// The first value.
    pub min: Expr,
    /// The number of values.
    pub extent: Expr,
    /// Source span.
    pub span: Span,
}

impl Range {
    /// The range of `extent` values starting at `min`.
    pub fn from_min_extent(min: Expr, extent: Expr) -> Ref<Range> {
        Ref::new(Range { min, extent, span: Span::current() })
    }

    /// The range from `begin` (inclusive) to `end` (exclusive).
    /// # Errors
    /// If the bounds have no common type.
    /// # Source
    /// `Range` constructor, `src/ir/expr.cc`.
    pub fn try_from_bounds(begin: Expr, end: Expr) -> PrimResult<Ref<Range>> {
        let from_zero = ops::is_zero(&begin);
        let extent = if from_zero { end } else { ops::sub(end, begin.clone())? };
        Ok(Range::from_min_extent(begin, extent))
    }

    /// The range of `extent` values starting at zero.
    /// # Errors
    /// If the extent is not an integer.
    pub fn try_from_extent(extent: Expr) -> PrimResult<Ref<Range>> {
        Ok(Range::from_min_extent(Range::zero_of(&extent)?, extent))
    }

    /// Zero of an extent's type.
    /// # Errors
    /// If the extent is not an integer.
    pub fn zero_of(extent: &Expr) -> PrimResult<Expr> {
        IntImm::try_new(extent.dtype(), 0).map_err(|_| PrimError::Extent { found: describe(extent) })
    }
}
