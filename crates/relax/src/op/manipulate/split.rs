//! `R.split`: a tensor in parts.

use tvmscript_ir_core::{Array, ObjectLike, Ref};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm, ops};

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntArg};
#[cfg(feature = "build")]
use crate::build::operator_args::SectionsArg;
use crate::node::attrs::SplitAttrs;
use crate::node::*;
use crate::op::{Infer, InferError, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor in parts along an axis: so many equal ones, or one up to each index and one from the last.
    split(x: ExprArg, indices_or_sections: SectionsArg, axis: IntArg = 0) -> infer(parts) {
        let indices_or_sections = indices_or_sections.0;
        let attrs = Ref::new(SplitAttrs { indices_or_sections, axis: axis.0 }).upcast();
        Ok(Call::of_op("relax.split", [x.0], Some(attrs)))
    }
}

fn parts(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs = cx.attrs::<SplitAttrs>()?;
    let axis = match x.is_unknown_ndim() {
        true => None,
        false => Some(cx.axis(attrs.axis, x.ndim)?),
    };
    if let Some(sections) = attrs.indices_or_sections.as_node::<IntImm>() {
        return match sections.value {
            1 => Ok(x.upcast()),
            count => equal_parts(cx, &x, axis, count),
        };
    }
    match Array::<Ref<IntImm>>::try_from_object(attrs.indices_or_sections.clone()) {
        Ok(indices) if indices.is_empty() => Ok(x.upcast()),
        Ok(indices) => parts_at(cx, &x, axis, &indices),
        Err(_) => Err(cx.wrong_attribute("indices_or_sections", "is an integer or a list of them")),
    }
}

/// Most parts a tensor is split into: each is an entry of the result's struct info.
const MAX_PARTS: usize = 1 << 16;
/// Most dimensions of all parts together.
const MAX_DIMS: usize = 1 << 22;

fn check_count(cx: &Infer<'_>, count: i64) -> std::result::Result<usize, InferError> {
    usize::try_from(count).ok().filter(|count| (1..=MAX_PARTS).contains(count)).ok_or_else(|| {
        cx.wrong_attribute("indices_or_sections", format!("is from 1 to {MAX_PARTS}, not {count}"))
    })
}

fn with_length(
    x: &TensorStructInfo,
    dims: &Array<prim::Expr>,
    axis: usize,
    length: prim::Expr,
) -> Ref<StructInfo> {
    x.reshaped(dims.iter().enumerate().map(|(i, dim)| if i == axis { length.clone() } else { dim.clone() }))
}

/// Parts of one length, rounded up; the last one has what is left.
fn equal_parts(cx: &mut Infer<'_>, x: &TensorStructInfo, axis: Option<usize>, count: i64) -> Inferred {
    let parts = check_count(cx, count)?;
    let (Some(dims), Some(axis)) = (x.dims(), axis) else {
        return Ok(TupleStructInfo::new(vec![x.reranked(x.ndim); parts]));
    };
    let length = ops::ceildiv(dims[axis].clone(), IntImm::int64(count))?;
    let length = cx.analyzer.simplify(&length);
    let others = ops::mul(length.clone(), IntImm::int64(count - 1))?;
    let last = cx.analyzer.simplify(&ops::sub(dims[axis].clone(), others)?);
    let mut fields = vec![with_length(x, dims, axis, length); parts - 1];
    fields.push(with_length(x, dims, axis, last));
    Ok(TupleStructInfo::new(fields))
}

/// Parts between indices, which are kept within the tensor.
fn parts_at(
    cx: &mut Infer<'_>,
    x: &TensorStructInfo,
    axis: Option<usize>,
    indices: &Array<Ref<IntImm>>,
) -> Inferred {
    let parts = check_count(cx, indices.len() as i64 + 1)?;
    let (Some(dims), Some(axis)) = (x.dims(), axis) else {
        return Ok(TupleStructInfo::new(vec![x.reranked(x.ndim); parts]));
    };
    if parts.saturating_mul(dims.len()) > MAX_DIMS {
        let what = format!("asks for {parts} parts of {} dimensions each", dims.len());
        return Err(cx.wrong_attribute("indices_or_sections", what));
    }
    let zero = IntImm::int64(0);
    let within = |bound: prim::Expr| ops::min(ops::max(bound, zero.clone())?, dims[axis].clone());
    let mut fields = Vec::with_capacity(parts);
    let mut begin = within(zero.clone())?;
    for i in 0..parts {
        let end = within(indices.get(i).map_or_else(|| dims[axis].clone(), |index| index.clone().upcast()))?;
        let length = ops::max(ops::sub(end.clone(), begin)?, zero.clone())?;
        fields.push(with_length(x, dims, axis, cx.analyzer.simplify(&length)));
        begin = end;
    }
    Ok(TupleStructInfo::new(fields))
}
