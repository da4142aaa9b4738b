//! Functions that move elements.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{BuildError, BuildResult, script_fn};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Select, ops};
use tvmscript_script_parser::Member::{self, Function};
use tvmscript_tir::build::args::{ExprArg, Shape};

use super::{Axes, BROADCAST, ELEMENTWISE, INJECTIVE, Style, at, dims, position};
use crate::Tensor;

/// The functions.
pub(super) const MEMBERS: &[(&str, Member)] = &[
    ("concatenate", Function(&CONCATENATE)),
    ("expand_dims", Function(&EXPAND_DIMS)),
    ("reshape", Function(&RESHAPE)),
    ("squeeze", Function(&SQUEEZE)),
    ("stack", Function(&STACK)),
    ("transpose", Function(&TRANSPOSE)),
    ("trilu", Function(&TRILU)),
];

/// The tensor without dimensions of one element.
#[script_fn]
pub fn squeeze(a: Ref<Tensor>, #[default = None] axis: Option<Axes>) -> BuildResult<Ref<Tensor>> {
    let shape = dims(&a);
    let mut is_left_out: Vec<bool> = match &axis {
        None => shape.iter().map(ops::is_one).collect(),
        Some(_) => vec![false; shape.len()],
    };
    for axis in axis.into_iter().flat_map(|axes| axes.0) {
        let axis = position(axis, shape.len()).map_err(|error| error.at_position(1))?;
        if let (Some(is_left_out), Some(dim)) = (is_left_out.get_mut(axis), shape.get(axis)) {
            *is_left_out = ops::int_value(dim).is_none_or(|dim| dim == 1);
        }
    }
    let kept = shape.iter().zip(&is_left_out).filter(|(_, is_left_out)| !**is_left_out);
    let kept: Vec<Expr> = kept.map(|(dim, _)| dim.clone()).collect();
    Style::cpp("T_squeeze", INJECTIVE).compute(&kept, |indices| {
        let mut indices = indices.iter().cloned();
        let index = |is_left_out: &bool| if *is_left_out { Some(IntImm::int32(0)) } else { indices.next() };
        at(&a, is_left_out.iter().filter_map(index))
    })
}

/// The tensor with new dimensions of one element before an axis.
#[script_fn]
pub fn expand_dims(a: Ref<Tensor>, axis: i64, #[default = 1] num_newaxis: i64) -> BuildResult<Ref<Tensor>> {
    let mut shape = dims(&a);
    let axis = position(axis, shape.len() + 1).map_err(|error| error.at_position(1))?;
    let Some(count) = usize::try_from(num_newaxis).ok().filter(|count| *count <= MAX_DIMS) else {
        let error = BuildError::expected(format!("0 to {MAX_DIMS} dimensions"), num_newaxis.to_string());
        return Err(error.at_position(2));
    };
    shape.splice(axis..axis, std::iter::repeat_n(IntImm::int32(1), count));
    Style::cpp("T_expand_dims", BROADCAST).compute(&shape, |indices| {
        at(&a, indices.iter().take(axis).chain(indices.iter().skip(axis + count)).cloned())
    })
}

/// Maximum number of new dimensions.
const MAX_DIMS: usize = 64;

/// The tensor with its dimensions in another order, by default in reverse.
#[script_fn]
pub fn transpose(a: Ref<Tensor>, #[default = None] axes: Option<Vec<i64>>) -> BuildResult<Ref<Tensor>> {
    let shape = dims(&a);
    let order: Vec<usize> = match axes.filter(|axes| !axes.is_empty()) {
        None => (0..shape.len()).rev().collect(),
        Some(axes) => {
            let order = axes.iter().map(|axis| position(*axis, shape.len()));
            order.collect::<BuildResult<_>>().map_err(|error| error.at_position(1))?
        }
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..shape.len()) {
        return Err(BuildError::expected("each axis once", format!("{order:?}")).at_position(1));
    }
    let new: Vec<Expr> = order.iter().filter_map(|axis| shape.get(*axis).cloned()).collect();
    Style::cpp("T_transpose", INJECTIVE).compute(&new, |indices| {
        let mut own: Vec<(usize, Expr)> = order.iter().copied().zip(indices.iter().cloned()).collect();
        own.sort_unstable_by_key(|(axis, _)| *axis);
        at(&a, own.into_iter().map(|(_, index)| index))
    })
}

/// The elements in order, with another shape.
#[script_fn]
pub fn reshape(a: Ref<Tensor>, newshape: Shape) -> BuildResult<Ref<Tensor>> {
    let old = dims(&a);
    let new: Vec<Expr> = newshape.0.iter().cloned().collect();
    let is_empty = old.iter().chain(&new).any(ops::is_zero);
    Style::cpp("T_reshape", INJECTIVE).compute(&new, |indices| {
        if is_empty {
            return Ok(ops::make_zero(a.dtype)?);
        }
        let mut flat: Option<Expr> = None;
        for (index, extent) in indices.iter().zip(&new) {
            flat = Some(match flat {
                None => index.clone(),
                Some(outer) => ops::add(ops::mul(outer, extent.clone())?, index.clone())?,
            });
        }
        let mut rest = flat.unwrap_or_else(|| IntImm::int32(0));
        let mut own = Vec::with_capacity(old.len());
        for extent in old.iter().rev() {
            own.push(ops::floormod(rest.clone(), extent.clone())?);
            rest = ops::floordiv(rest, extent.clone())?;
        }
        at(&a, own.into_iter().rev())
    })
}

/// The indices with another one at an axis.
fn with_index(indices: &[Expr], axis: usize, index: Expr) -> impl Iterator<Item = Expr> {
    let before = indices.iter().take(axis).cloned();
    before.chain([index]).chain(indices.iter().skip(axis + 1).cloned())
}

/// Tensors one after another along an axis.
#[script_fn]
pub fn concatenate(a_tuple: Vec<Ref<Tensor>>, #[default = 0] axis: i64) -> BuildResult<Ref<Tensor>> {
    let Some((first, others)) = a_tuple.split_first() else {
        return Err(BuildError::expected("at least one tensor", "none").at_position(0));
    };
    let mut shape = dims(first);
    let axis = position(axis, shape.len()).map_err(|error| error.at_position(1))?;
    let sizes: Vec<Expr> = a_tuple.iter().filter_map(|tensor| tensor.shape.get(axis).cloned()).collect();
    if let Some(extent) = shape.get_mut(axis) {
        for size in sizes.iter().skip(1) {
            *extent = ops::add(extent.clone(), size.clone())?;
        }
        *extent = Analyzer::new().simplify(extent);
    }
    Style::cpp("T_concat", INJECTIVE).compute(&shape, |indices| {
        let mut value = at(first, indices.iter().cloned())?;
        let Some(mut index) = indices.get(axis).cloned() else { return Ok(value) };
        for (tensor, size) in others.iter().zip(&sizes) {
            index = ops::sub(index, size.clone())?;
            let is_in = ops::ge(index.clone(), ops::make_zero(index.dtype())?)?;
            let own = at(tensor, with_index(indices, axis, index.clone()))?;
            value = ops::if_then_else(is_in, own, value)?;
        }
        Ok(value)
    })
}

/// Tensors one after another along a new axis.
#[script_fn]
pub fn stack(tensors: Vec<Ref<Tensor>>, #[default = 0] axis: i64) -> BuildResult<Ref<Tensor>> {
    let Some((first, others)) = tensors.split_first() else {
        return Err(BuildError::expected("at least one tensor", "none").at_position(0));
    };
    let mut shape = dims(first);
    let axis = position(axis, shape.len() + 1).map_err(|error| error.at_position(1))?;
    shape.insert(axis, ops::python::int_literal(tensors.len() as i64));
    Style::cpp("T_stack", INJECTIVE).compute(&shape, |indices| {
        let own: Vec<Expr> = indices
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != axis)
            .map(|(_, index)| index.clone())
            .collect();
        let mut value = at(first, own.iter().cloned())?;
        let Some(index) = indices.get(axis) else { return Ok(value) };
        for (number, tensor) in (1_i64..).zip(others) {
            let is_it = ops::eq(index.clone(), ops::make_const(index.dtype(), number)?)?;
            value = ops::if_then_else(is_it, at(tensor, own.iter().cloned())?, value)?;
        }
        Ok(value)
    })
}

/// The upper or lower triangle of matrices, zeros elsewhere.
#[script_fn]
pub fn trilu(data: Ref<Tensor>, k: ExprArg, upper: bool) -> BuildResult<Ref<Tensor>> {
    let k = ops::cast(tvmscript_ir_core::DataType::INT32, k.0)?;
    Style::python("trilu", ELEMENTWISE).compute(&dims(&data), |indices| {
        let [.., row, column] = indices else {
            return Err(BuildError::expected("a matrix, or several", "fewer dimensions").at_position(0));
        };
        let diagonal = ops::sub(column.clone(), k)?;
        let compare = if upper { ops::le } else { ops::ge };
        let value = at(&data, indices.iter().cloned())?;
        Ok(Select::try_new(compare(row.clone(), diagonal)?, value, ops::make_zero(data.dtype)?)?)
    })
}
