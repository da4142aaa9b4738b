//! Operators that repeat or reverse elements: `R.repeat`, `R.tile`, `R.flip`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
use tvmscript_prim::{IntImm, ops};

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntImmArg};
use crate::node::attrs::{FlipAttrs, RepeatAttrs, TileAttrs};
use crate::node::*;
use crate::op::{Infer, Operator, product};
use crate::op::{Int, Ints};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Each element so often, along an axis, or of the tensor as a vector.
    repeat(data: Expr; repeats: Int, axis: Option<Int> = None) -> infer(repeated), attrs = RepeatAttrs;
    /// The whole tensor so often along each axis; the last ones where there are fewer numbers than axes.
    tile(data: Expr; repeats: Ints) -> infer(tiled), attrs = TileAttrs;
    /// The elements in reverse order along an axis.
    flip(data: ExprArg, axis: IntImmArg) -> infer(flipped) {
        let attrs = Ref::new(FlipAttrs { axis: axis.0 }).upcast();
        Ok(Call::of_op("relax.flip", [data.0], Some(attrs)))
    }
}

fn repeated(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let RepeatAttrs { repeats, axis } = cx.attrs::<RepeatAttrs>()?;
    let axis = match axis {
        Some(axis) if !x.is_unknown_ndim() => Some(Some(cx.axis(*axis, x.ndim)?)),
        Some(_) => Some(None),
        None => None,
    };
    let times = IntImm::int64(*repeats);
    match (x.dims(), axis) {
        (None, None) => Ok(x.reranked(1)),
        (None, Some(_)) if *repeats == 1 => Ok(x.upcast()),
        (None, Some(_)) | (Some(_), Some(None)) => Ok(x.reranked(x.ndim)),
        (Some(dims), None) => {
            let count = ops::mul(product(dims.iter())?, times)?;
            Ok(x.reshaped([cx.analyzer.simplify(&count)]))
        }
        (Some(dims), Some(Some(axis))) => {
            let length = cx.analyzer.simplify(&ops::mul(dims[axis].clone(), times)?);
            let dims = dims.iter().enumerate();
            Ok(x.reshaped(dims.map(|(i, dim)| if i == axis { length.clone() } else { dim.clone() })))
        }
    }
}

fn tiled(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let repeats = &cx.attrs::<TileAttrs>()?.repeats;
    let Some(dims) = x.dims() else {
        return Ok(if x.is_unknown_ndim() {
            x.reranked(UNKNOWN_NDIM)
        } else if repeats.len() as i64 > x.ndim {
            x.reranked(repeats.len() as i64)
        } else if repeats.iter().all(|times| times.value == 1) {
            x.upcast()
        } else {
            x.reranked(x.ndim)
        });
    };
    let ndim = dims.len().max(repeats.len());
    let (missing_dims, missing_repeats) = (ndim - dims.len(), ndim - repeats.len());
    let mut result = Vec::with_capacity(ndim);
    for i in 0..ndim {
        let dim = i.checked_sub(missing_dims).map(|i| dims[i].clone());
        let times = i.checked_sub(missing_repeats).map(|i| IntImm::int64(repeats[i].value));
        result.push(match (dim, times) {
            (Some(dim), Some(times)) => cx.analyzer.simplify(&ops::mul(dim, times)?),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => continue,
        });
    }
    Ok(x.reshaped(result))
}

fn flipped(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if !x.is_unknown_ndim() {
        cx.axis(cx.attrs::<FlipAttrs>()?.axis.value, x.ndim)?;
    }
    Ok(x.upcast())
}
