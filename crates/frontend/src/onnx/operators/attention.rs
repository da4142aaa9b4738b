//! Attention of ONNX's own operator set.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops::{self as prim_ops, int_value};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{
    add, divide, isnan, less, less_equal, multiply, subtract, tanh, where_,
};
use tvmscript_relax::op::join::{concat, repeat};
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::nn::activation::softmax;
use tvmscript_relax::op::shape::{broadcast_to, permute_dims};
use tvmscript_relax::{Constant, Expr, PrimValue, Tuple};

use super::super::node::{Converted, Node};
use super::linear::{counted, distances};
use super::rows;
use super::scalar::{as_tensor, like};
use crate::error::Reason;
use crate::ops::{dims, dtype_of, ints, rank, reshape, shape, shape_of};

rows! {
    "Attention" { 23: attention } => "multiply, permute_dims, matmul, add, where, nn.softmax",
        "scores after the mask or the cap as a result, windows";
}

/// The operands, as `(batch, heads, length, size of a head)`.
struct Heads {
    query: Expr,
    key: Expr,
    value: Expr,
}

fn attention(cx: &mut Node<'_, '_>) -> Converted {
    let is_flat = rank(&cx.input(0)?)? == 3;
    if ["left_window_size", "right_window_size"].iter().any(|name| cx.int(name).is_some_and(|size| size >= 0))
    {
        return Err("windows are not supported".into());
    }
    let output_mode = cx.int("qk_matmul_output_mode").unwrap_or(0);
    if cx.output_count() > 3 && ![0, 3].contains(&output_mode) {
        return Err("the scores after the mask or the cap are not supported as a result".into());
    }
    let Heads { query, key, value } = operands(cx, is_flat)?;
    let present = (key.clone(), value.clone());
    let (query_dims, key_dims) = (dims(&query)?, dims(&key)?);
    let ([batch, heads, length, size], [_, key_heads, key_length, _]) =
        (query_dims.as_slice(), key_dims.as_slice())
    else {
        return Err("needs operands of rank 3 or 4".into());
    };
    let groups = match (int_value(heads), int_value(key_heads)) {
        (Some(heads), Some(key_heads)) if key_heads > 0 && heads % key_heads == 0 => heads / key_heads,
        _ => return Err("the numbers of heads do not fit each other".into()),
    };
    let by_group = |x: Expr| if groups == 1 { x } else { repeat(x, groups, Some(1)).upcast() };
    let (key, value) = (by_group(key), by_group(value));

    let default = || int_value(size).map(|size| 1.0 / (size as f64).sqrt());
    let scale = cx.float("scale").or_else(default);
    let scale = scale.ok_or_else(|| Reason::from("the size of a head must be known"))?.sqrt();
    let dtype = dtype_of(&query);
    let scaled = |x: Expr| multiply(x, like(&query, scale)).upcast();
    let turned = permute_dims(key, Some(ints(&[0, 1, 3, 2]))).upcast();
    let scores = cx.normalize(matmul(scaled(query.clone()), scaled(turned), None))?;
    let mut weights = scores.clone();
    if let Some(cap) = cx.float("softcap").filter(|cap| *cap > 0.0) {
        let capped = tanh(divide(weights, like(&query, cap)).upcast()).upcast();
        weights = multiply(capped, like(&query, cap)).upcast();
    }
    let past = cx.optional(4).as_ref().map(dims).transpose()?.and_then(|dims| dims.get(2).cloned());
    let biases = biases(cx, dtype, length, key_length, past)?;
    let is_masked = !biases.is_empty();
    for bias in biases {
        weights = add(weights, bias).upcast();
    }
    let precision = cx.dtype("softmax_precision")?.filter(|precision| *precision != dtype);
    let cast = |x: Expr, to: DataType| if precision.is_some() { astype(x, to).upcast() } else { x };
    weights = cast(weights, precision.unwrap_or(dtype));
    weights = cast(softmax(weights, -1).upcast(), dtype);
    if is_masked {
        // A row that sees nothing has no weights.
        weights = cx.normalize(weights)?;
        weights = where_(isnan(weights.clone()).upcast(), like(&query, 0.0), weights).upcast();
    }
    let weights = cx.normalize(weights)?;
    let mut result = cx.normalize(matmul(weights.clone(), value, None))?;
    if is_flat {
        let last = dims(&result)?.last().cloned().ok_or_else(|| Reason::from("has no axes"))?;
        let joined = permute_dims(result, Some(ints(&[0, 2, 1, 3]))).upcast();
        let width = prim_ops::mul(heads.clone(), last)?;
        result = reshape(joined, shape_of([batch.clone(), length.clone(), width]))?.upcast();
    }
    let shown = if output_mode == 3 { weights } else { scores };
    Ok(vec![result, present.0, present.1, shown].into())
}

/// Splits the heads of operands of rank 3, and puts the past before the keys and values.
fn operands(cx: &mut Node<'_, '_>, is_flat: bool) -> Result<Heads, Reason> {
    let mut split = |index: usize, heads: &str| -> Result<Expr, Reason> {
        let x = cx.input(index)?;
        if !is_flat {
            return Ok(x);
        }
        let heads = cx.int(heads).filter(|heads| *heads > 0);
        let heads = heads.ok_or_else(|| Reason::from("the numbers of heads are missing"))?;
        let dims = dims(&x)?;
        let [batch, length, width] = dims.as_slice() else {
            return Err("the operands are not of the same rank".into());
        };
        let size = prim_ops::floordiv(width.clone(), IntImm::int64(heads))?;
        let target = [batch.clone(), length.clone(), IntImm::int64(heads), size];
        cx.normalize(permute_dims(reshape(x, shape_of(target))?.upcast(), Some(ints(&[0, 2, 1, 3]))))
    };
    let query = split(0, "q_num_heads")?;
    let (key, value) = (split(1, "kv_num_heads")?, split(2, "kv_num_heads")?);
    let (past_key, past_value) = (cx.optional(4), cx.optional(5));
    let mut after = |past: Option<Expr>, x: Expr| match past {
        Some(past) => cx.normalize(concat(Tuple::new([past, x]).upcast(), Some(2))),
        None => Ok(x),
    };
    let (key, value) = (after(past_key, key)?, after(past_value, value)?);
    Ok(Heads { query, key, value })
}

/// Negative infinity as a vector of one element.
fn negative_infinity(dtype: DataType) -> Expr {
    Constant::new(Tensor::of_floats(dtype, vec![1], [f64::NEG_INFINITY]).encode()).upcast()
}

/// Numbers to add to the scores: from the mask, and from the order and the lengths of the sequences.
fn biases(
    cx: &mut Node<'_, '_>,
    dtype: DataType,
    length: &prim::Expr,
    key_length: &prim::Expr,
    past: Option<prim::Expr>,
) -> Result<Vec<Expr>, Reason> {
    let zero = || crate::ops::number(dtype, 0.0);
    let where_allowed = |allowed: Expr| where_(allowed, zero(), negative_infinity(dtype)).upcast();
    let mut biases = Vec::new();
    if let Some(mask) = cx.optional(3) {
        let mask = if dtype_of(&mask).is_bool() { where_allowed(mask) } else { mask };
        let mask = cx.normalize(mask)?;
        biases.push(extended(mask, dtype, key_length)?);
    }
    let lengths = match cx.optional(6) {
        Some(lengths) => Some(reshape(lengths, shape(&[-1, 1, 1, 1]))?.upcast()),
        None => None,
    };
    if cx.flag("is_causal") {
        let offset: Expr = match (&lengths, past) {
            (Some(lengths), _) => {
                let length = as_tensor(PrimValue::new(length.clone()).upcast())?;
                subtract(Expr::clone(lengths), length).upcast()
            }
            (None, Some(past)) => as_tensor(PrimValue::new(past).upcast())?,
            (None, None) => crate::ops::int64_number(0),
        };
        biases.push(where_allowed(less_equal(distances(length, key_length)?, offset).upcast()));
    }
    if let Some(lengths) = lengths {
        let one = || IntImm::int64(1);
        let positions = counted(key_length, [one(), one(), one(), key_length.clone()])?;
        biases.push(where_allowed(less(positions, lengths).upcast()));
    }
    Ok(biases)
}

/// A mask that is shorter than the keys hides the others.
fn extended(mask: Expr, dtype: DataType, key_length: &prim::Expr) -> Result<Expr, Reason> {
    let mut rest = dims(&mask)?;
    let Some(last) = rest.last_mut() else { return Ok(mask) };
    let (Some(have), Some(need)) = (int_value(last), int_value(key_length)) else { return Ok(mask) };
    if have == 1 || have >= need {
        return Ok(mask);
    }
    *last = IntImm::int64(need - have);
    let hidden = broadcast_to(negative_infinity(dtype), shape_of(rest)).upcast();
    Ok(concat(Tuple::new([mask, hidden]).upcast(), Some(-1)).upcast())
}
