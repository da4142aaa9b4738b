//! Attention of Microsoft's operator set.

use tvmscript_ir_core::DataType;
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, multiply, subtract};
use tvmscript_relax::op::join::split;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::nn::attention::attention;

use super::super::node::{Converted, Node};
use super::rows;
use super::scalar::like;
use crate::error::Reason;
use crate::ops::{dtype_of, field, int64s, lengths, number, reshape, shape};

rows! {
    "Attention" in "com.microsoft" { 1: microsoft } => "matmul, add, split, reshape, nn.attention",
        "past states, rotary embedding, custom scales, one-directional attention";
}

fn microsoft(cx: &mut Node<'_, '_>) -> Converted {
    let heads = cx.int("num_heads").filter(|heads| *heads > 0);
    let heads = heads.ok_or_else(|| Reason::from("`num_heads` is missing"))?;
    for name in ["do_rotary", "past_present_share_buffer", "scale", "unidirectional"] {
        if cx.int(name).is_some_and(|value| value != 0) || cx.float(name).is_some_and(|value| value != 0.0) {
            return Err(Reason(format!("the attribute `{name}` is not supported")));
        }
    }
    if cx.optional(4).is_some() || cx.optional(6).is_some() {
        return Err("past states are not supported".into());
    }
    let input = cx.input(0)?;
    let input = cx.normalize(input)?;
    let weight = cx.input(1)?;
    let weight = cx.normalize(weight)?;
    let [batch, length, _] = <[i64; 3]>::try_from(lengths(&input)?)
        .map_err(|_| Reason::from("the first operand is not of rank 3"))?;
    let [_, width] =
        <[i64; 2]>::try_from(lengths(&weight)?).map_err(|_| Reason::from("the weight is not a matrix"))?;
    let sizes = cx.ints("qkv_hidden_sizes").filter(|sizes| !sizes.is_empty());
    let [hidden, hidden_k, hidden_v] = match sizes {
        Some(sizes) => <[i64; 3]>::try_from(sizes)
            .map_err(|_| Reason::from("`qkv_hidden_sizes` does not have three entries"))?,
        None => [width / 3; 3],
    };
    if hidden != hidden_k || hidden % heads != 0 || hidden_v % heads != 0 {
        return Err(Reason(format!(
            "hidden sizes {hidden}, {hidden_k} and {hidden_v} do not fit {heads} heads"
        )));
    }
    let bias = score_bias(cx, &input, batch, length)?;
    let mut joint: Expr = matmul(input, weight, None).upcast();
    if let Some(bias) = cx.optional(2) {
        joint = add(joint, bias).upcast();
    }
    let parts = split(joint, int64s(&[hidden, hidden.saturating_mul(2)]).into(), 2).upcast();
    let mut by_head = |index: usize, size: i64| {
        let part = reshape(field(&parts, index), shape(&[batch, length, heads, size / heads]))?;
        cx.normalize(part)
    };
    let (q, k, v) = (by_head(0, hidden)?, by_head(1, hidden)?, by_head(2, hidden_v)?);
    let result = attention(q, k, v, bias, None, None, None).upcast();
    let result = cx.normalize(reshape(result, shape(&[batch, length, hidden_v]))?)?;
    // The second result is the present state.
    Ok(vec![result, number(DataType::FLOAT32, 0.0)].into())
}

/// The number that is added to each score: from the mask, and from the operand for it.
fn score_bias(cx: &mut Node<'_, '_>, input: &Expr, batch: i64, length: i64) -> Result<Option<Expr>, Reason> {
    let stated = cx.optional(5);
    let Some(mask) = cx.optional(3) else { return Ok(stated) };
    let mask = cx.normalize(mask)?;
    let dims = lengths(&mask)?;
    let wide = match dims.as_slice() {
        [b, l] if [*b, *l] == [batch, length] => [batch, 1, 1, length],
        [b, l, k] if [*b, *l, *k] == [batch, length, length] => [batch, 1, length, length],
        _ => return Err("the mask is not of shape (batch, length) or (batch, length, length)".into()),
    };
    let hidden = subtract(like(&mask, 1.0), mask).upcast();
    let hidden = astype(hidden, dtype_of(input)).upcast();
    let value = cx.float("mask_filter_value").unwrap_or(-10000.0);
    let bias = cx.normalize(multiply(hidden, like(input, value)))?;
    let Some(stated) = stated else { return Ok(Some(bias)) };
    let bias = cx.normalize(reshape(bias, shape(&wide))?)?;
    Ok(Some(cx.normalize(add(stated, bias))?))
}
