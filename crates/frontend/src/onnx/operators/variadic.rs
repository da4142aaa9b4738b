//! Operators of any number of tensors that are broadcast: minimum, maximum, sum, mean.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_prim::{self as prim, IntImm, ops as prim_ops};
use tvmscript_relax::op::elementwise::{add, divide, maximum, minimum};
use tvmscript_relax::op::join::stack;
use tvmscript_relax::op::reduce;
use tvmscript_relax::op::shape::broadcast_to;
use tvmscript_relax::{Call, Constant, Expr, Tuple};

use super::super::node::{Converted, Node};
use super::rows;
use super::scalar::{as_tensor, combined, like, same};
use crate::error::Reason;
use crate::ops::{dims_of, int, ints, shape_of};

rows! {
    "Max" { 1: |cx| variadic(cx, reduce::max, maximum, Some(prim_ops::max)) }
        => "broadcast_to, stack, max; for unknown shapes maximum";
    "Mean" { 1: mean } => "broadcast_to, stack, mean; for unknown shapes add, divide";
    "Min" { 1: |cx| variadic(cx, reduce::min, minimum, Some(prim_ops::min)) }
        => "broadcast_to, stack, min; for unknown shapes minimum";
    "Sum" { 1: |cx| variadic(cx, reduce::sum, add, Some(prim_ops::add)) }
        => "broadcast_to, stack, sum; for unknown shapes add";
}

/// A reduction along axes.
type Reduction = fn(Expr, Option<Array<Ref<IntImm>>>, bool) -> Ref<Call>;
/// An operator of two tensors.
type Binary = fn(Expr, Expr) -> Ref<Call>;

fn variadic(
    cx: &mut Node<'_, '_>,
    along: Reduction,
    pairwise: Binary,
    scalar: Option<super::scalar::ScalarOp>,
) -> Converted {
    let mut inputs = cx.all();
    // Lengths of shapes are computed during the import.
    if let ([a, b], Some(scalar)) = (inputs.as_slice(), scalar)
        && let Some(value) = combined(a, b, scalar)
    {
        return Ok(value?.into());
    }
    inputs = inputs.into_iter().map(as_tensor).collect::<Result<_, _>>()?;
    if inputs.iter().any(|input| !input.is::<Constant>())
        && let Some(stacked) = stacked(cx, &inputs)?
    {
        return Ok(along(stacked, Some(ints(&[0])), false).into());
    }
    Ok(one_by_one(cx, inputs, pairwise)?.into())
}

fn mean(cx: &mut Node<'_, '_>) -> Converted {
    let inputs: Vec<Expr> = cx.all();
    if inputs.iter().any(|input| !input.is::<Constant>())
        && let Some(stacked) = stacked(cx, &inputs)?
    {
        return Ok(reduce::mean(stacked, Some(ints(&[0])), false).into());
    }
    let count = inputs.len() as f64;
    let total = one_by_one(cx, inputs, add)?;
    let count = like(&total, count);
    cx.fold(divide(total, count))
}

fn one_by_one(cx: &mut Node<'_, '_>, inputs: Vec<Expr>, pairwise: Binary) -> Result<Expr, Reason> {
    let mut inputs = inputs.into_iter();
    let mut result = inputs.next().ok_or_else(|| Reason::from("has no operands"))?;
    for input in inputs {
        let call = pairwise(result, input);
        result = cx.folded(call)?;
        result = cx.normalize(result)?;
    }
    Ok(result)
}

/// The tensors, broadcast to their common shape and stacked along a new first axis; `None` if that shape is unknown.
fn stacked(cx: &mut Node<'_, '_>, inputs: &[Expr]) -> Result<Option<Expr>, Reason> {
    let mut common: Vec<prim::Expr> = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let Some(dims) = dims_of(input) else { return Ok(None) };
        common = match index {
            0 => dims,
            _ => match broadcast(&common, &dims)? {
                Some(common) => common,
                None => return Ok(None),
            },
        };
    }
    let mut equal = Vec::new();
    for input in inputs {
        equal.push(cx.normalize(broadcast_to(input.clone(), shape_of(common.clone())))?);
    }
    let tuple = Tuple::new(equal).upcast();
    Ok(Some(cx.normalize(stack(tuple, Some(int(0))))?))
}

/// The shape that two shapes are broadcast to; `None` if it depends on the lengths at run time.
fn broadcast(a: &[prim::Expr], b: &[prim::Expr]) -> Result<Option<Vec<prim::Expr>>, Reason> {
    let rank = a.len().max(b.len());
    let padded = |dims: &[prim::Expr]| {
        let ones = std::iter::repeat_with(|| IntImm::int64(1)).take(rank - dims.len());
        ones.chain(dims.iter().cloned()).collect::<Vec<_>>()
    };
    let mut common = Vec::new();
    for (a, b) in padded(a).into_iter().zip(padded(b)) {
        let known = prim_ops::int_value(&a).is_some() && prim_ops::int_value(&b).is_some();
        common.push(match () {
            _ if same(&a, &b) || prim_ops::is_one(&b) => a,
            _ if prim_ops::is_one(&a) => b,
            _ if known => return Err("the shapes of the operands cannot be broadcast".into()),
            _ => return Ok(None),
        });
    }
    Ok(Some(common))
}
