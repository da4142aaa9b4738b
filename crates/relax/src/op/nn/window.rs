//! Windows that slide over the spatial axes of a tensor: what convolution and pooling share.

use tvmscript_ir_core::{Array, Ref};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, Result};
use tvmscript_prim::{self as prim, IntImm, ops};

use super::super::layout::Canonical;
use super::super::{Infer, InferError, InferErrorKind};
use crate::node::TensorStructInfo;

type Ints = Array<Ref<IntImm>>;

#[cfg(feature = "build")]
fn wrong_count(name: &str, found: usize, needed: &str) -> BuildError {
    BuildError::message(format!("`{name}` has {found} numbers: {needed} are needed")).at_parameter(name)
}

/// One number for each of `rank` spatial axes, from so many or one for all.
///
/// # Errors
/// When there are more or fewer.
#[cfg(feature = "build")]
pub(in super::super) fn per_axis(name: &str, given: &Ints, rank: usize) -> Result<Ints> {
    match given.len() {
        found if found == rank => Ok(given.clone()),
        1 => Ok(std::iter::repeat_n(given[0].clone(), rank).collect()),
        found => Err(wrong_count(name, found, &format!("one for all axes, or {rank}"))),
    }
}

/// The elements added before each of `rank` spatial axes, then those after each, from all of them, from one for each axis, or
/// from one for all.
///
/// # Errors
/// When there are more or fewer.
#[cfg(feature = "build")]
pub(in super::super) fn padding(given: &Ints, rank: usize) -> Result<Ints> {
    match given.len() {
        found if found == 2 * rank => Ok(given.clone()),
        1 => Ok(std::iter::repeat_n(given[0].clone(), 2 * rank).collect()),
        found if found == rank => Ok(given.iter().chain(given.iter()).cloned().collect()),
        found => {
            let needed = match rank {
                1 => "one for both sides, or 2".to_owned(),
                _ => format!("one for all sides, {rank} for opposite sides, or {}", 2 * rank),
            };
            Err(wrong_count("padding", found, &needed))
        }
    }
}

/// The layout that an attribute gives, against the operator's own.
///
/// # Errors
/// When it does not name the same axes.
pub(in super::super) fn layout(
    cx: &Infer<'_>,
    attribute: &'static str,
    given: &str,
    canonical: &str,
) -> std::result::Result<Canonical, InferError> {
    let wrong = |error| InferErrorKind::Layout { op: cx.op(), attribute, error };
    Ok(Canonical::new(given, canonical).map_err(wrong)?)
}

/// The dimensions of an operand in the operator's own order, where they are known.
///
/// # Errors
/// When the operand has not as many dimensions as the layout has axes, or blocks of another length.
pub(in super::super) fn canonical_dims(
    cx: &Infer<'_>,
    index: usize,
    tensor: &TensorStructInfo,
    layout: &Canonical,
) -> std::result::Result<Option<Vec<prim::Expr>>, InferError> {
    cx.expect_rank(index, tensor, layout.rank())?;
    let Some(dims) = tensor.dims() else { return Ok(None) };
    match layout.to_canonical(dims) {
        Ok(dims) => Ok(Some(dims)),
        Err(error) => Err(InferErrorKind::Shape { op: cx.op(), what: error.to_string() }.at(index)),
    }
}

/// How a window moves over the spatial axes: one number an axis each, but `padding` with those before and those after.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Window<'a> {
    pub strides: &'a Ints,
    pub padding: &'a Ints,
    pub dilation: &'a Ints,
}

/// The number, one where a call that no script made has too few.
fn number(numbers: &Ints, index: usize) -> prim::Expr {
    numbers.get(index).map_or_else(|| IntImm::int64(1), |number| number.clone().upcast())
}

impl Window<'_> {
    /// The elements added at both sides of a spatial axis.
    fn padded(&self, axis: usize, rank: usize) -> std::result::Result<prim::Expr, prim::PrimError> {
        ops::add(number(self.padding, axis), number(self.padding, axis + rank))
    }

    /// The length of the window besides its first element.
    fn reach(&self, axis: usize, kernel: &prim::Expr) -> std::result::Result<prim::Expr, prim::PrimError> {
        let steps = ops::sub(kernel.clone(), IntImm::int64(1))?;
        ops::mul(number(self.dilation, axis), steps)
    }

    /// How many places the window has along a spatial axis of `rank`. With `round_up` also a last place that is partly outside.
    ///
    /// # Errors
    /// When it does not move.
    pub fn places(
        &self,
        cx: &mut Infer<'_>,
        axis: usize,
        rank: usize,
        [length, kernel]: [&prim::Expr; 2],
        round_up: bool,
    ) -> std::result::Result<prim::Expr, InferError> {
        let stride = number(self.strides, axis);
        let padded = ops::add(length.clone(), self.padded(axis, rank)?)?;
        let mut moves = ops::sub(ops::sub(padded, self.reach(axis, kernel)?)?, IntImm::int64(1))?;
        if round_up {
            moves = ops::add(moves, ops::sub(stride.clone(), IntImm::int64(1))?)?;
        }
        let places = ops::add(ops::floordiv(moves, stride)?, IntImm::int64(1))?;
        Ok(cx.analyzer.simplify(&places))
    }

    /// The length along a spatial axis that gives so many places: the inverse of [`Self::places`].
    ///
    /// # Errors
    /// When it is out of range.
    pub fn length(
        &self,
        cx: &mut Infer<'_>,
        axis: usize,
        rank: usize,
        [places, kernel]: [&prim::Expr; 2],
        output_padding: &Ints,
    ) -> std::result::Result<prim::Expr, InferError> {
        let moved = ops::mul(ops::sub(places.clone(), IntImm::int64(1))?, number(self.strides, axis))?;
        let inside = ops::sub(moved, self.padded(axis, rank)?)?;
        let reached = ops::add(inside, self.reach(axis, kernel)?)?;
        let length = ops::add(ops::add(reached, number(output_padding, axis))?, IntImm::int64(1))?;
        Ok(cx.analyzer.simplify(&length))
    }
}
