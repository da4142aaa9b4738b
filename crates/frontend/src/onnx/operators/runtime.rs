//! Shapes that are known at run time: vectors of `int64` that become shapes with new variables.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, ops::int_value};
use tvmscript_relax::op::MAX_NDIM;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, equal, greater, less, subtract, where_};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::reduce::{cumsum, sum};
use tvmscript_relax::op::shape::{
    expand_dims, nonzero, shape_of, shape_to_tensor, tensor_to_shape as to_shape,
};
use tvmscript_relax::{Constant, Expr, PrimValue, ShapeExpr, ShapeStructInfo, struct_info_of};

use super::super::node::Node;
use crate::error::Reason;
use crate::ops::{self, dims_of, dtype_of, int_operand, int64_number, ints, rank_of, reshape, tensor_of};

/// Returns `true` for a shape, also one whose lengths are unknown.
pub(in crate::onnx) fn is_shape(value: &Expr) -> bool {
    value.is::<ShapeExpr>() || struct_info_of(value).is_some_and(|info| info.is::<ShapeStructInfo>())
}

/// Rank, also of shapes and scalars.
pub(super) fn known_rank(value: &Expr) -> Option<usize> {
    match () {
        () if is_shape(value) => Some(1),
        () if value.is::<PrimValue>() => Some(0),
        () => rank_of(value),
    }
}

/// The number of elements of a vector, shape or scalar.
///
/// # Errors
/// Fails if it is unknown or above the maximum rank, and for tensors of another rank.
pub(super) fn length(value: &Expr, what: &str) -> Result<usize, Reason> {
    if let Some(shape) = value.as_node::<ShapeExpr>() {
        return Ok(shape.values.len());
    }
    if value.is::<PrimValue>() {
        return Ok(1);
    }
    match dims_of(value).as_deref().map(|dims| dims.iter().map(int_value).collect::<Vec<_>>()).as_deref() {
        Some([Some(length)]) if *length <= MAX_NDIM => Ok(usize::try_from(*length).unwrap_or(0)),
        _ => Err(Reason(format!("{what} must be a vector of known length, at most {MAX_NDIM}"))),
    }
}

impl Node<'_, '_> {
    /// A vector as a tensor of `int64`.
    pub(super) fn int64_tensor(&mut self, value: Expr) -> Result<Expr, Reason> {
        let value: Expr = match value.as_node::<PrimValue>() {
            Some(scalar) => shape_to_tensor(ops::shape_of([scalar.value.clone()])).upcast(),
            None if is_shape(&value) => shape_to_tensor(value).upcast(),
            None if dtype_of(&value) == DataType::INT64 => return Ok(value),
            None => astype(value, DataType::INT64).upcast(),
        };
        self.normalize(value)
    }

    /// The shape of a tensor, as a tensor.
    pub(super) fn shape_tensor(&mut self, x: Expr) -> Result<Expr, Reason> {
        let shape = self.normalize(shape_of(x))?;
        self.normalize(shape_to_tensor(shape))
    }

    /// Makes the shape that a vector holds; its dimensions are new variables with this prefix.
    pub(super) fn tensor_to_shape(
        &mut self,
        vector: Expr,
        rank: usize,
        prefix: &str,
    ) -> Result<Vec<prim::Expr>, Reason> {
        let length = tensor_of([prim::IntImm::int64(rank as i64)], DataType::INT64);
        let vector = self.graph().match_cast(vector, length)?;
        let shape = self.emit(to_shape(vector))?;
        self.cast_shape(shape, rank, prefix)
    }

    /// Casts a shape of known rank to one with new variables.
    pub(super) fn cast_shape(
        &mut self,
        shape: Expr,
        rank: usize,
        prefix: &str,
    ) -> Result<Vec<prim::Expr>, Reason> {
        let variable = |index| prim::Var::new(format!("{prefix}_{index}"), DataType::INT64).upcast();
        let dims: Vec<prim::Expr> = (0..rank).map(variable).collect();
        let info = ShapeStructInfo {
            span: tvmscript_ir_core::Span::current(),
            values: Some(dims.iter().cloned().collect()),
            ndim: rank as i64,
        };
        self.graph().match_cast(shape, tvmscript_ir_core::Ref::new(info).upcast())?;
        Ok(dims)
    }

    /// Axes that may count from the end, counted from the front.
    pub(super) fn axes_from_front(&mut self, axes: Expr, rank: usize) -> Result<Expr, Reason> {
        let is_negative = less(axes.clone(), int64_number(0)).upcast();
        let moved = add(axes.clone(), int64_number(rank as i64)).upcast();
        self.normalize(where_(is_negative, moved, axes))
    }

    /// For each axis of a tensor, how often a vector lists it.
    fn occurrences(&mut self, axes: Expr, rank: usize) -> Result<Expr, Reason> {
        let end = Some(int_operand(rank as i64));
        let positions = arange(int_operand(0), end, int_operand(1), Some(DataType::INT64));
        let positions = self.normalize(expand_dims(positions.upcast(), ints(&[1])))?;
        let axes = self.normalize(expand_dims(axes, ints(&[0])))?;
        let matches = astype(equal(positions, axes).upcast(), DataType::INT64);
        self.normalize(sum(matches.upcast(), Some(ints(&[1])), false))
    }

    /// The shape of a tensor with new axes of length 1 at positions known at run time.
    pub(super) fn unsqueezed_shape(&mut self, shape: Expr, axes: Expr, rank: usize) -> Result<Expr, Reason> {
        let axes = self.int64_tensor(axes)?;
        let axes = self.axes_from_front(axes, rank)?;
        let inserted = self.occurrences(axes, rank)?;
        let kept = self.normalize(subtract(int64_number(1), inserted.clone()))?;
        let counted = cumsum(kept, Some(0), None, Some(false)).upcast();
        let source = self.normalize(subtract(counted, int64_number(1)))?;
        let is_before = less(source.clone(), int64_number(0)).upcast();
        let source = self.normalize(where_(is_before, int64_number(0), source))?;
        let kept = self.normalize(take(shape, source, Some(0), "fast".into()))?;
        let is_new = greater(inserted, int64_number(0)).upcast();
        self.normalize(where_(is_new, int64_number(1), kept))
    }

    /// The shape of a tensor without the axes at positions known at run time.
    pub(super) fn squeezed_shape(&mut self, shape: Expr, axes: Expr, rank: usize) -> Result<Expr, Reason> {
        let axes = self.int64_tensor(axes)?;
        let axes = self.axes_from_front(axes, rank)?;
        let removed = self.occurrences(axes, rank)?;
        let kept = self.normalize(equal(removed, int64_number(0)))?;
        let kept = self.normalize(nonzero(kept))?;
        let kept = self.flat_indices(kept, "squeeze_num_keep_dims")?;
        let kept = self.normalize(kept)?;
        self.normalize(take(shape, kept, Some(0), "fast".into()))
    }

    /// The indices of the nonzero elements of a vector, whose number is a new variable, as a vector.
    pub(super) fn flat_indices(&mut self, indices: Expr, count: &str) -> Result<Expr, Reason> {
        let count = prim::Var::new(count, DataType::INT64).upcast();
        let info = tensor_of([prim::IntImm::int64(1), count], DataType::INT64);
        let indices = self.graph().match_cast(indices, info)?;
        Ok(reshape(indices, ops::shape(&[-1]))?.upcast())
    }
}

/// The elements of a constant of integers as scalars; those of a shape; a scalar alone.
pub(super) fn scalars(value: &Expr) -> Option<Vec<prim::Expr>> {
    if let Some(shape) = value.as_node::<ShapeExpr>() {
        return Some(shape.values.iter().cloned().collect());
    }
    if let Some(scalar) = value.as_node::<PrimValue>() {
        return Some(vec![scalar.value.clone()]);
    }
    if !value.is::<Constant>() {
        return None;
    }
    Some(ops::integers(value)?.into_iter().map(prim::IntImm::int64).collect())
}
