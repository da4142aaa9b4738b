//! Operators that rearrange elements.

use crate::node::attrs::{ConcatAttrs, FlipAttrs, PermuteDimsAttrs, RepeatAttrs, StackAttrs, TakeAttrs};
use tvmscript_ir_core::Array;
use tvmscript_prim::IntImm;

use super::tensor::{Data, Indices, Tensor, count, dot, strides};
use super::{Operands, axis_of};

/// Computes an operator whose result has the elements of its operands in another order.
pub(super) fn evaluate(cx: &Operands<'_>) -> Option<Tensor> {
    match cx.name {
        "reshape" | "expand_dims" | "squeeze" | "flatten" => cx.tensor(0)?.reshaped(&cx.shape),
        "broadcast_to" => cx.tensor(0)?.broadcast(&cx.shape),
        "permute_dims" => permuted(cx),
        "concat" => concatenated(cx),
        "stack" => stacked(cx),
        "repeat" => repeated(cx),
        "tile" => tiled(cx),
        "flip" => flipped(cx),
        "take" => taken(cx),
        "strided_slice" => sliced(cx),
        _ => None,
    }
}

/// The axes of an attribute, counted from the front.
pub(super) fn axes_of(axes: &Array<tvmscript_ir_core::Ref<IntImm>>, ndim: usize) -> Option<Vec<usize>> {
    axes.iter().map(|axis| axis_of(axis.value, ndim)).collect()
}

fn permuted(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let ndim = x.shape.len();
    let axes = match &cx.attrs::<PermuteDimsAttrs>()?.axes {
        Some(axes) => axes_of(axes, ndim)?,
        None => (0..ndim).rev().collect(),
    };
    let own = strides(&x.shape);
    let steps: Vec<usize> = axes.iter().map(|axis| own.get(*axis).copied()).collect::<Option<_>>()?;
    x.gather(&cx.shape, Indices::new(&cx.shape).map(|index| dot(&index, &steps)))
}

fn concatenated(cx: &Operands<'_>) -> Option<Tensor> {
    let parts = cx.tensors(0)?;
    match cx.attrs::<ConcatAttrs>()?.axis {
        Some(axis) => joined(cx, &parts, axis_of(axis, cx.shape.len())?),
        None => {
            let flat: Option<Vec<Tensor>> = parts
                .into_iter()
                .map(|part| {
                    let len = part.len();
                    part.reshaped(&[len])
                })
                .collect();
            joined(cx, &flat?, 0)
        }
    }
}

fn stacked(cx: &Operands<'_>) -> Option<Tensor> {
    let axis = cx.attrs::<StackAttrs>()?.axis.as_ref().map_or(0, |axis| axis.value);
    let axis = axis_of(axis, cx.shape.len())?;
    let mut shape = cx.shape.clone();
    *shape.get_mut(axis)? = 1;
    let parts: Option<Vec<Tensor>> = cx.tensors(0)?.into_iter().map(|part| part.reshaped(&shape)).collect();
    joined(cx, &parts?, axis)
}

/// Joins tensors along an axis.
fn joined(cx: &Operands<'_>, parts: &[Tensor], axis: usize) -> Option<Tensor> {
    let outer = count(cx.shape.get(..axis)?);
    let mut ints = Vec::new();
    let mut floats = Vec::new();
    for row in 0..outer {
        for part in parts {
            let width = count(part.shape.get(axis..)?);
            let range = row * width..(row + 1) * width;
            match &part.data {
                Data::Int(values) => ints.extend_from_slice(values.get(range)?),
                Data::Float(values) => floats.extend_from_slice(values.get(range)?),
            }
        }
    }
    let data = if floats.is_empty() && !tvmscript_ir_core::arithmetic::is_float(cx.dtype) {
        Data::Int(ints)
    } else {
        Data::Float(floats)
    };
    let result = Tensor { dtype: cx.dtype, shape: cx.shape.clone(), data };
    (result.len() == count(&cx.shape)).then_some(result)
}

fn repeated(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let attrs = cx.attrs::<RepeatAttrs>()?;
    let repeats = usize::try_from(attrs.repeats).ok().filter(|repeats| *repeats > 0)?;
    let Some(axis) = attrs.axis else {
        return x.gather(&cx.shape, (0..count(&cx.shape)).map(|at| at / repeats));
    };
    let axis = axis_of(axis, x.shape.len())?;
    let steps = strides(&x.shape);
    let positions = Indices::new(&cx.shape).map(|mut index| {
        if let Some(at) = index.get_mut(axis) {
            *at /= repeats;
        }
        dot(&index, &steps)
    });
    x.gather(&cx.shape, positions)
}

fn tiled(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let missing = cx.shape.len().checked_sub(x.shape.len())?;
    let dims: Vec<usize> = std::iter::repeat_n(1, missing).chain(x.shape.iter().copied()).collect();
    let steps = strides(&dims);
    let positions = Indices::new(&cx.shape).map(|index| {
        index.iter().zip(&dims).zip(&steps).map(|((index, dim), step)| index % dim.max(&1) * step).sum()
    });
    x.gather(&cx.shape, positions)
}

fn flipped(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let axis = axis_of(cx.attrs::<FlipAttrs>()?.axis.value, x.shape.len())?;
    let last = x.shape.get(axis)?.checked_sub(1)?;
    let steps = strides(&x.shape);
    let positions = Indices::new(&cx.shape).map(|mut index| {
        if let Some(at) = index.get_mut(axis) {
            *at = last - *at;
        }
        dot(&index, &steps)
    });
    x.gather(&cx.shape, positions)
}

/// Takes slices at indices that lie inside the tensor.
fn taken(cx: &Operands<'_>) -> Option<Tensor> {
    let (x, indices) = (cx.tensor(0)?, cx.tensor(1)?);
    let (x, axis) = x.along(cx.attrs::<TakeAttrs>()?.axis)?;
    let length = *x.shape.get(axis)?;
    let chosen: Option<Vec<usize>> =
        indices.ints()?.iter().map(|at| usize::try_from(*at).ok().filter(|at| *at < length)).collect();
    let chosen = chosen?;
    let inner = count(x.shape.get(axis + 1..)?);
    let outer = count(x.shape.get(..axis)?);
    let mut positions = Vec::with_capacity(count(&cx.shape));
    for row in 0..outer {
        for at in &chosen {
            let start = (row * length + at) * inner;
            positions.extend(start..start + inner);
        }
    }
    (positions.len() == count(&cx.shape)).then(|| x.gather(&cx.shape, positions.into_iter())).flatten()
}

fn sliced(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let (axes, begin) = (cx.integers(1)?, cx.integers(2)?);
    let steps = match cx.call.args.len() {
        5 => cx.integers(4)?,
        _ => vec![1; axes.len()],
    };
    let mut starts = vec![0i64; x.shape.len()];
    let mut strides_by_axis = vec![1i64; x.shape.len()];
    for ((axis, begin), step) in axes.iter().zip(&begin).zip(&steps) {
        let axis = axis_of(*axis, x.shape.len())?;
        let length = i64::try_from(*x.shape.get(axis)?).ok()?;
        let begin = if *begin < 0 { begin + length } else { *begin };
        let last = if *step < 0 { length - 1 } else { length };
        *starts.get_mut(axis)? = begin.clamp(if *step < 0 { -1 } else { 0 }, last);
        *strides_by_axis.get_mut(axis)? = *step;
    }
    let own = strides(&x.shape);
    let positions: Option<Vec<usize>> = Indices::new(&cx.shape)
        .map(|index| {
            let mut at = 0;
            for (((index, start), step), own) in index.iter().zip(&starts).zip(&strides_by_axis).zip(&own) {
                at += usize::try_from(start + *index as i64 * step).ok()? * own;
            }
            Some(at)
        })
        .collect();
    x.gather(&cx.shape, positions?.into_iter())
}
