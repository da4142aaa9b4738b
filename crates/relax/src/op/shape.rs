//! Changes of shape that keep the elements, conversions between tensors and shapes, and `R.layout_transform`.
//!
//! Upstream counterparts: `src/relax/op/tensor/manipulate.cc`, `src/relax/op/op.cc`, `src/relax/op/tensor/set.cc` (`R.nonzero`).

use tvmscript_arith::{Analyzer, map_ranges};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, ScriptValue};
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{FloatImm, IndexMap, PrimExprExt};

#[cfg(feature = "build")]
use super::infer::dim_mut;
use super::prelude::*;
use super::{product, tensor_of_operand};
use crate::analysis::same_dim;
#[cfg(feature = "build")]
use crate::build::{args::*, operator_args::IndexMapArg};
use crate::describe;
use crate::node::attrs::{ExpandDimsAttrs, LayoutTransformAttrs, PermuteDimsAttrs, SqueezeAttrs};

operators! {
    /// The tensor with new axes of length 1, at positions in the result.
    expand_dims(x: Expr; axis: Ints) -> infer(expanded), attrs = ExpandDimsAttrs;
    /// The tensor without the given axes of length 1, or without all of them.
    squeeze(x: Expr; axis: Option<Ints> = None) -> infer(squeezed), attrs = SqueezeAttrs;
    /// The elements along one axis.
    flatten(x: Expr) -> infer(flattened);
    /// The tensor, broadcast to a shape.
    broadcast_to(x: Expr, shape: Shape) -> infer(filled);
    /// Sums over the axes along which a tensor of the target's shape would be broadcast.
    collapse_sum_like(data: Expr, collapse_target: Expr) -> infer(collapsed_like);
    /// Sums over the axes along which a tensor of this shape would be broadcast.
    collapse_sum_to(data: Expr, shape: Shape) -> infer(collapsed_to);
    /// The tensor with its axes in the given order; reversed by default.
    permute_dims(x: Expr; axes: Option<IntList> = None)
        -> infer(reordered), attrs = PermuteDimsAttrs, sharding = Sharding::Permuted;
    /// The same elements in another shape. In it, 0 stands for the operand's length at the same axis, and one -1 for the rest.
    /// Without a -1, 0 is a length of 0 if the operand has one.
    reshape(x: ExprArg, shape: ShapeArg) -> infer(reshaped), sharding = Sharding::Reshaped {
        let shape = match shape.0.as_node::<ShapeExpr>() {
            Some(stated) => {
                let completed = completed(&x.0, stated).map_err(|e| e.at_position(1))?;
                completed.map_or_else(|| shape.0.clone(), |shape| shape.upcast())
            }
            None => shape.0,
        };
        Ok(super::RESHAPE.call(None, [x.0, shape]))
    }
    /// The indices of the nonzero elements, one column per element.
    nonzero(x: Expr) -> infer(indices);
    /// The shape of a tensor.
    shape_of(expr: Expr) -> infer(shape);
    /// A shape as a tensor of integers.
    shape_to_tensor(expr: Expr) -> infer(lengths);
    /// A tensor of integers as a shape.
    tensor_to_shape(expr: Expr) -> infer(shape_of_lengths);
    /// The tensor with each element at the indices to which the map takes its own. Gaps are filled with a padding value.
    layout_transform(
        x: ExprArg, index_map: IndexMapArg, pad_value: Option<ScriptValue> = None,
        axis_separators: Option<IntListArg> = None, input_axis_separators: Option<IntListArg> = None
    ) -> infer(transformed) {
        let pad_value = pad_value.filter(|value| !matches!(value, ScriptValue::None));
        let pad_value = pad_value.map(|value| pad_of(value, &x.0)).transpose().map_err(|e| e.at_position(2))?;
        let attrs = LayoutTransformAttrs {
            index_map: index_map.0,
            pad_value,
            axis_separators: Some(axis_separators.map(|list| list.0).unwrap_or_default()),
            input_axis_separators: Some(input_axis_separators.map(|list| list.0).unwrap_or_default()),
        };
        Ok(super::LAYOUT_TRANSFORM.call(Some(Ref::new(attrs).upcast()), [x.0]))
    }
}

fn expanded(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let axes = &cx.attrs::<ExpandDimsAttrs>()?.axis;
    if axes.is_empty() {
        return Ok(x.upcast());
    }
    if x.is_unknown_ndim() {
        return Ok(x.reranked(UNKNOWN_NDIM));
    }
    let ndim = x.ndim + axes.len() as i64;
    let new = cx.axes(axes, ndim)?;
    let Some(dims) = x.dims() else { return Ok(x.reranked(ndim)) };
    let mut old = dims.iter();
    let dims = (0..ndim as usize).filter_map(|axis| match new.contains(&axis) {
        true => Some(IntImm::int64(1)),
        false => old.next().cloned(),
    });
    Ok(x.reshaped(dims))
}

fn squeezed(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let stated = cx.attrs::<SqueezeAttrs>()?.axis.as_ref();
    if stated.is_some_and(|axes| axes.is_empty()) {
        return Ok(x.upcast());
    }
    if x.is_unknown_ndim() {
        return Ok(x.reranked(UNKNOWN_NDIM));
    }
    let axes = stated.map(|axes| cx.axes(axes, x.ndim)).transpose()?;
    let Some(dims) = x.known_dims() else {
        return Ok(x.reranked(axes.map_or(UNKNOWN_NDIM, |axes| x.ndim - axes.len() as i64)));
    };
    // Stated axes of another length stay; a symbolic one is assumed to be 1.
    let is_removed: Vec<bool> = match &axes {
        Some(axes) => dims
            .iter()
            .enumerate()
            .map(|(i, dim)| axes.contains(&i) && dim.as_node::<IntImm>().is_none_or(|dim| dim.value == 1))
            .collect(),
        None => {
            let lengths: Option<Vec<_>> =
                dims.iter().map(|dim| dim.as_node::<IntImm>().map(|dim| dim.value == 1)).collect();
            match lengths {
                Some(lengths) => lengths,
                None => return Ok(x.reranked(UNKNOWN_NDIM)),
            }
        }
    };
    let kept: Vec<_> = dims
        .iter()
        .zip(&is_removed)
        .filter(|(_, is_removed)| !**is_removed)
        .map(|(dim, _)| dim.clone())
        .collect();
    if x.dims().is_some() {
        return Ok(x.reshaped(kept));
    }
    // A variable holds the shape.
    Ok(match kept.len() as i64 {
        ndim if ndim == x.ndim => x.upcast(),
        ndim if axes.is_some() => x.reranked(ndim),
        _ => x.reranked(UNKNOWN_NDIM),
    })
}

fn flattened(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(match (x.ndim, x.dims()) {
        (0, _) => x.reshaped([IntImm::int64(1)]),
        (1, _) => x.upcast(),
        (_, Some(dims)) => x.reshaped([product(dims.iter())?]),
        (_, None) => x.reranked(1),
    })
}

fn filled(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if !x.is_unknown_ndim() && shape.ndim != UNKNOWN_NDIM && shape.ndim < x.ndim {
        return Err(cx.wrong_rank(0, format!("at most rank {}", shape.ndim), x.ndim));
    }
    if let (Some(old), Some(new)) = (x.known_dims(), &shape.values) {
        for (i, (from, to)) in old.iter().rev().zip(new.iter().rev()).enumerate() {
            if !is_one(from) && cx.differ(from, to)? {
                let axis = old.len() - 1 - i;
                let (from, to) = (describe::scalar(from), describe::scalar(to));
                return Err(
                    cx.wrong_shape_at(1, format!("cannot broadcast axis {axis} of length {from} to {to}"))
                );
            }
        }
    }
    tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone())
}

/// Checks that dimensions can be summed to those of a target, from the last one on.
fn check_collapse(cx: &mut Infer<'_>, data: &Array<prim::Expr>, target: &Array<prim::Expr>) -> Checked<()> {
    for (from, to) in data.iter().rev().zip(target.iter().rev()) {
        if same_dim(from, to, cx.analyzer) || is_one(to) {
            continue;
        }
        let are_literals = from.is::<IntImm>() && to.is::<IntImm>();
        let (from, to) = (describe::scalar(from), describe::scalar(to));
        let what = match are_literals {
            true => format!("cannot sum a dimension of {from} to {to}"),
            false => format!(
                "cannot prove that a dimension of {from} sums to {to}; state the shape with `R.match_cast`"
            ),
        };
        return Err(cx.wrong_shape_at(0, what));
    }
    Ok(())
}

fn collapsed_like(cx: &mut Infer<'_>) -> Inferred {
    let [x, target] = cx.tensors()?;
    if let (Some(data), Some(target)) = (x.known_dims(), target.known_dims()) {
        check_collapse(cx, &data, &target)?;
    }
    let TensorStructInfo { shape, vdevice, ndim, .. } = (*target).clone();
    Ok(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype: x.dtype, vdevice, ndim }).upcast())
}

fn collapsed_to(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if let (Some(data), Some(target)) = (x.known_dims(), &shape.values) {
        check_collapse(cx, &data, target)?;
    }
    tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone())
}

fn reordered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let axes = match &cx.attrs::<PermuteDimsAttrs>()?.axes {
        None if x.is_unknown_ndim() => return Ok(x.reranked(UNKNOWN_NDIM)),
        None => (0..x.ndim as usize).rev().collect(),
        Some(axes) => {
            if x.ndim != axes.len() as i64 {
                return Err(cx.wrong_rank(0, format!("rank {}", axes.len()), x.ndim));
            }
            cx.axes(axes, x.ndim)?
        }
    };
    if axes.iter().enumerate().all(|(i, axis)| i == *axis) {
        return Ok(x.upcast());
    }
    Ok(match x.dims() {
        Some(dims) => x.reshaped(axes.into_iter().map(|axis| dims[axis].clone())),
        None => x.reranked(x.ndim),
    })
}

/// Replaces 0 and -1 in a shape; `None` if it has neither.
///
/// Upstream prints completed shapes, and misreads a 0 of them. Here it stays, unless the shape has a -1, which such text never
/// has.
///
/// # Source
/// `ConvertNewShapeToExpr`, `src/relax/op/tensor/manipulate.cc`.
#[cfg(feature = "build")]
fn completed(x: &Expr, shape: &ShapeExpr) -> BuildResult<Option<Ref<ShapeExpr>>> {
    let literal = |dim: &prim::Expr| dim.as_node::<IntImm>().map(|dim| dim.value);
    let mut rest = None;
    let mut has_zero = false;
    for (i, dim) in shape.values.iter().enumerate() {
        if !dim.dtype().is_int() {
            return Err(BuildError::expected("integers", format!("`{}`", dim.dtype())));
        }
        match literal(dim) {
            Some(0) => has_zero = true,
            Some(-1) if rest.is_some() => return Err(BuildError::message("a shape can have only one -1")),
            Some(-1) => rest = Some(i),
            Some(length) if length < 0 => {
                return Err(BuildError::message(format!(
                    "a dimension must be positive, 0 or -1, found {length}"
                )));
            }
            _ => {}
        }
    }
    if rest.is_none() && !has_zero {
        return Ok(None);
    }
    let info = struct_info_of(x);
    let known = info.as_ref().and_then(|info| info.as_node::<TensorStructInfo>()?.known_dims());
    let Some(known) = known else {
        return Err(BuildError::message("0 and -1 need a tensor of known shape")
            .with_help("bind the tensor to a variable, or state its shape with `R.match_cast`"));
    };
    let is_zero = |dim: &prim::Expr| literal(dim) == Some(0);
    if rest.is_none() && known.iter().any(is_zero) {
        return Ok(None);
    }
    let mut dims: Vec<_> = shape.values.iter().cloned().collect();
    let has_elements = known.iter().all(|dim| literal(dim).is_some_and(|length| length != 0));
    for (i, dim) in dims.iter_mut().enumerate().filter(|(_, dim)| is_zero(dim)) {
        match known.get(i) {
            Some(length) => *dim = length.clone(),
            None if has_elements || rest.is_some() => {
                let message = format!(
                    "0 stands for the length of axis {i}, which is out of range for rank {}",
                    known.len()
                );
                return Err(BuildError::message(message));
            }
            None => return Ok(None),
        }
    }
    if let Some(rest) = rest {
        let given = product(dims.iter().filter(|dim| literal(dim).is_none_or(|length| length > 0)))?;
        let all = product(known.iter())?;
        let length = Analyzer::new().simplify(&ops::floordiv(all, given)?);
        if literal(&length).is_some_and(|length| length < 0) {
            return Err(BuildError::message("the number of elements exceeds 64 bits"));
        }
        *dim_mut(&mut dims, rest) = length;
    }
    Ok(Some(ShapeExpr::try_new(dims)?))
}

fn reshaped(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if let (Some(new), Some(old)) = (&shape.values, x.known_dims()) {
        let (new, old) = (product(new.iter())?, product(old.iter())?);
        if cx.differ(&old, &new)? {
            let (old, new) = (describe::scalar(&old), describe::scalar(&new));
            return Err(cx.wrong_shape_at(1, format!("cannot reshape {old} elements to a shape of {new}")));
        }
    }
    match &shape.values {
        Some(dims) if cx.arg(1)?.is::<Var>() => Ok(x.reshaped(dims.iter().cloned())),
        _ => tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone()),
    }
}

fn indices(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(tensor_of_rank(2, DataType::INT64, x.vdevice.clone()))
}

fn shape(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(match x.dims() {
        Some(dims) => ShapeStructInfo::of(dims.clone()),
        None => ShapeStructInfo::of_rank(x.ndim),
    })
}

fn lengths(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    // Like upstream, an unknown rank counts as -1.
    Ok(tensor_of([IntImm::int64(cx.shape(0)?.ndim)], DataType::INT64, None))
}

fn shape_of_lengths(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if x.ndim != 1 {
        return Err(cx.wrong_rank(0, "rank 1", x.ndim));
    }
    match (&x.shape, x.dims()) {
        (Some(_), None) => Err(cx.wrong_kind(0, "a tensor whose shape is a `R.shape`, or unknown")),
        (_, Some(dims)) => {
            let length = dims[0].as_node::<IntImm>();
            Ok(ShapeStructInfo::of_rank(length.map_or(UNKNOWN_NDIM, |length| length.value)))
        }
        (None, None) => Ok(ShapeStructInfo::of_rank(UNKNOWN_NDIM)),
    }
}

/// The padding value: a plain number takes the element type of the tensor, unless that would truncate it.
#[cfg(feature = "build")]
fn pad_of(value: ScriptValue, x: &Expr) -> BuildResult<Ref<PrimValue>> {
    let info = struct_info_of(x);
    let dtype = info.as_ref().and_then(|info| info.as_node::<TensorStructInfo>()).map(|tensor| tensor.dtype);
    let typed = match (&value, dtype) {
        (ScriptValue::Int(number), Some(dtype)) if dtype.is_int() || dtype.is_uint() => {
            IntImm::try_new(dtype, *number)?
        }
        (ScriptValue::Int(number), Some(dtype)) if dtype.is_any_float() => {
            FloatImm::try_new(dtype, *number as f64)?
        }
        (ScriptValue::Float(number), Some(dtype)) if dtype.is_any_float() => {
            FloatImm::try_new(dtype, *number)?
        }
        _ => {
            let literal = PrimValueArg::from_script(value)?.0.downcast::<PrimValue>();
            return literal.map_err(|_| BuildError::expected("a number or `R.prim_value(..)`", "a variable"));
        }
    };
    Ok(PrimValue::new(typed))
}

fn transformed(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let LayoutTransformAttrs { index_map, pad_value, .. } = cx.attrs()?;
    if let Some(found) = pad_value.as_ref().map(|pad| pad.value.dtype()).filter(|dtype| *dtype != x.dtype) {
        let what = match x.dtype.is_void() {
            true => format!("has type `{found}`, but the element type of the tensor is unknown"),
            false => format!("must have the element type of the tensor, `{}`, found `{found}`", x.dtype),
        };
        return Err(cx.wrong_attribute("pad_value", what));
    }
    let IndexMap { initial_indices, final_indices, inverse_index_map: _ } = &**index_map;
    let ndim = final_indices.len() as i64;
    if x.is_unknown_ndim() {
        return Ok(x.reranked(ndim));
    }
    if x.ndim != initial_indices.len() as i64 {
        return Err(cx.wrong_rank(0, format!("rank {}", initial_indices.len()), x.ndim));
    }
    let Some(dims) = x.known_dims() else { return Ok(x.reranked(ndim)) };
    let variables = initial_indices.iter().zip(dims.iter());
    let variables: Vec<_> =
        variables.map(|(var, dim)| (var.clone(), IntImm::int64(0), dim.clone())).collect();
    let indices: Vec<_> = final_indices.iter().cloned().collect();
    let no_shape = || InferErrorKind::Attribute {
        attribute: "index_map",
        what: "does not map the shape of the tensor to one that begins at zero".to_owned(),
    };
    // The dimensions are independent of each other here.
    let ranges = map_ranges(&variables, &indices, &mut Analyzer::new());
    let ranges = ranges.ok_or_else(no_shape)?;
    if ranges.iter().any(|(min, _)| min.as_node::<IntImm>().is_none_or(|min| min.value != 0)) {
        return Err(no_shape().into());
    }
    Ok(x.reshaped(ranges.into_iter().map(|(_, extent)| extent)))
}
