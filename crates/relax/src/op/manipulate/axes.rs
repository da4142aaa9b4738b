//! Operators that add, remove and merge axes: `R.expand_dims`, `R.squeeze`, `R.flatten`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
use tvmscript_prim::IntImm;

use super::Inferred;
use crate::node::attrs::{ExpandDimsAttrs, SqueezeAttrs};
use crate::node::*;
use crate::op::Ints;
use crate::op::{Infer, Operator, product};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with new axes of length 1, counted in the result.
    expand_dims(x: Expr; axis: Ints) -> infer(expanded), attrs = ExpandDimsAttrs;
    /// The tensor without axes of length 1: those given, or all.
    squeeze(x: Expr; axis: Option<Ints> = None) -> infer(squeezed), attrs = SqueezeAttrs;
    /// The elements along one axis.
    flatten(x: Expr) -> infer(flattened);
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
    let mut is_new = vec![false; ndim as usize];
    for axis in cx.axes(axes, ndim)? {
        is_new[axis] = true;
    }
    let Some(dims) = x.dims() else { return Ok(x.reranked(ndim)) };
    let mut old = dims.iter();
    let dims = is_new.into_iter().filter_map(|is_new| match is_new {
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
    // Stated axes of another length stay; one that is no literal is taken to be 1.
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
    // The shape is held by a variable.
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
