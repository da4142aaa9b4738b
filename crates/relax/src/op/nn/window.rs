//! Sliding windows over the spatial axes of a tensor, shared by convolution and pooling.

use super::super::layout::Canonical;
use crate::op::prelude::*;

/// Parses the layout of an attribute.
pub(in super::super) fn layout(attribute: &'static str, given: &str, canonical: &str) -> Checked<Canonical> {
    let wrong = |error| InferErrorKind::Layout { attribute, error };
    Ok(Canonical::new(given, canonical).map_err(wrong)?)
}

/// The dimensions of an operand in the canonical layout, if they are known.
pub(in super::super) fn canonical_dims(
    cx: &Infer<'_>,
    index: usize,
    tensor: &TensorStructInfo,
    layout: &Canonical,
) -> Checked<Option<Vec<prim::Expr>>> {
    cx.expect_rank(index, tensor, layout.rank())?;
    let Some(dims) = tensor.dims() else { return Ok(None) };
    match layout.to_canonical(dims) {
        Ok(dims) => Ok(Some(dims)),
        Err(error) => Err(cx.wrong_shape_at(index, error.to_string())),
    }
}

/// Movement of a window over the spatial axes.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Window<'a> {
    pub strides: &'a Ints,
    pub padding: &'a Ints,
    pub dilation: &'a Ints,
}

/// The number at an index; 1 if the list is too short, which no script can cause.
fn number(numbers: &Ints, index: usize) -> prim::Expr {
    numbers.get(index).map_or_else(|| IntImm::int64(1), |number| number.clone().upcast())
}

impl Window<'_> {
    /// The elements added on both sides of a spatial axis.
    fn padded(&self, axis: usize, rank: usize) -> std::result::Result<prim::Expr, prim::PrimError> {
        ops::add(number(self.padding, axis), number(self.padding, axis + rank))
    }

    /// The length of the dilated window without its first element.
    fn reach(&self, axis: usize, kernel: &prim::Expr) -> std::result::Result<prim::Expr, prim::PrimError> {
        let steps = ops::sub(kernel.clone(), IntImm::int64(1))?;
        ops::mul(number(self.dilation, axis), steps)
    }

    /// The number of window positions along a spatial axis. With `round_up`, a partial window at the end counts.
    pub(in super::super) fn places(
        &self,
        cx: &mut Infer<'_>,
        axis: usize,
        rank: usize,
        [length, kernel]: [&prim::Expr; 2],
        round_up: bool,
    ) -> Checked<prim::Expr> {
        let stride = number(self.strides, axis);
        let padded = ops::add(length.clone(), self.padded(axis, rank)?)?;
        let mut moves = ops::sub(ops::sub(padded, self.reach(axis, kernel)?)?, IntImm::int64(1))?;
        if round_up {
            moves = ops::add(moves, ops::sub(stride.clone(), IntImm::int64(1))?)?;
        }
        let places = ops::add(ops::floordiv(moves, stride.clone())?, IntImm::int64(1))?;
        let places = cx.analyzer.simplify(&places);
        // A window that would start in the padding at the end does not count, as in TVM 0.25 and newer.
        let before = ops::add(length.clone(), number(self.padding, axis))?;
        let numbers = [&places, &stride, &before].map(ops::int_value);
        let [Some(count), Some(stride), Some(end)] = numbers else { return Ok(places) };
        let is_outside = round_up && count.saturating_sub(1).saturating_mul(stride) >= end;
        Ok(if is_outside { IntImm::int64(count.saturating_sub(1)) } else { places })
    }

    /// The length along a spatial axis for a number of window positions: the inverse of [`Self::places`].
    pub(in super::super) fn length(
        &self,
        cx: &mut Infer<'_>,
        axis: usize,
        rank: usize,
        [places, kernel]: [&prim::Expr; 2],
        output_padding: &Ints,
    ) -> Checked<prim::Expr> {
        let moved = ops::mul(ops::sub(places.clone(), IntImm::int64(1))?, number(self.strides, axis))?;
        let inside = ops::sub(moved, self.padded(axis, rank)?)?;
        let reached = ops::add(inside, self.reach(axis, kernel)?)?;
        let length = ops::add(ops::add(reached, number(output_padding, axis))?, IntImm::int64(1))?;
        Ok(cx.analyzer.simplify(&length))
    }
}
