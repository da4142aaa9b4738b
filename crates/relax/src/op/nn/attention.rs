//! Attention.
//!
//! Upstream counterpart: `src/relax/op/nn/attention.cc`.

use tvmscript_ir_core::{Array, Ref, Str};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, ops};

use super::super::{Infer, InferError, InferErrorKind, Operator, tensor_of, tensor_of_rank};
use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, FloatImmArg, IntImmArg};
use crate::node::attrs::AttentionAttrs;
use crate::node::*;

#[cfg(feature = "build")]
fn attention_call(
    op: &str,
    args: impl IntoIterator<Item = ExprArg>,
    scale: Option<FloatImmArg>,
    causal_mask: Option<Str>,
    window_size: Option<IntImmArg>,
) -> Ref<Call> {
    let (scale, window_size) = (scale.map(|scale| scale.0), window_size.map(|size| size.0));
    let attrs = Ref::new(AttentionAttrs { scale, causal_mask, window_size }).upcast();
    Call::of_op(op, args.into_iter().map(|arg| arg.0), Some(attrs))
}

#[cfg(feature = "build")]
fn with_optional_bias(
    [query, key, value]: [ExprArg; 3],
    bias: Option<ExprArg>,
    scale: Option<FloatImmArg>,
    causal_mask: Option<Str>,
    window_size: Option<IntImmArg>,
) -> Ref<Call> {
    let op = if bias.is_some() { "relax.nn.attention_bias" } else { "relax.nn.attention" };
    let args = [Some(query), Some(key), Some(value), bias].into_iter().flatten();
    attention_call(op, args, scale, causal_mask, window_size)
}

/// What an axis of queries, keys and values holds.
const AXES: [&str; 4] = ["batches", "elements of sequences", "heads", "elements of heads"];

const BATCHES: usize = 0;
const LENGTH: usize = 1;
const HEADS: usize = 2;
const HEAD_SIZE: usize = 3;

fn plain(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 3] = cx.tensors()?;
    attended(cx, &tensors)
}

fn of_sequences(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 7] = cx.tensors()?;
    attended(cx, &tensors[..3])
}

fn biased(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 4] = cx.tensors()?;
    let result = attended(cx, &tensors[..3])?;
    let [query, key, _, bias] = tensors;
    check_rank(cx, 3, &bias)?;
    if let (Some(query), Some(bias)) = (query.dims(), bias.dims()) {
        for (axis, of_bias) in [(BATCHES, 0), (HEADS, 1), (LENGTH, 2)] {
            let is_one = ops::is_one(&bias[of_bias]);
            if !is_one && cx.differ(&query[axis], &bias[of_bias])? {
                return Err(different(cx, 3, AXES[axis]));
            }
        }
    }
    match (key.dims(), bias.dims()) {
        (Some(key), Some(bias)) if cx.differ(&key[LENGTH], &bias[3])? => Err(different(cx, 3, AXES[LENGTH])),
        _ => Ok(result),
    }
}

fn check_rank(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> std::result::Result<(), InferError> {
    if x.ndim == 4 {
        return Ok(());
    }
    let expected = "rank 4 (batches, length, heads, head size)".to_owned();
    Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(index))
}

fn different(cx: &Infer<'_>, argument: usize, what: &str) -> InferError {
    let what = format!("the number of {what} does not fit the other operands");
    InferErrorKind::Shape { op: cx.op(), what }.at(argument)
}

/// Checks query, key and value; what they give has the batches, length and heads of the query, the head size of the value.
fn attended(cx: &mut Infer<'_>, tensors: &[Ref<TensorStructInfo>]) -> Inferred {
    let [query, key, value] = tensors else { return Err(cx.wrong_shape("three operands are attended")) };
    for (i, tensor) in tensors.iter().enumerate() {
        check_rank(cx, i, tensor)?;
    }
    let (q, k, v) = (query.dims(), key.dims(), value.dims());
    check_same(cx, 1, BATCHES, q, k)?;
    check_same(cx, 2, BATCHES, q, v)?;
    check_multiple(cx, 1, q, k)?;
    check_multiple(cx, 2, q, v)?;
    check_same(cx, 2, LENGTH, k, v)?;
    check_same(cx, 1, HEAD_SIZE, q, k)?;
    Ok(match (q, v) {
        (Some(q), Some(v)) => {
            let dims = [&q[BATCHES], &q[LENGTH], &q[HEADS], &v[HEAD_SIZE]].map(Clone::clone);
            tensor_of(dims, query.dtype, query.vdevice.clone())
        }
        _ => tensor_of_rank(4, query.dtype, query.vdevice.clone()),
    })
}

type Dims<'a> = Option<&'a Array<prim::Expr>>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Scaled dot-product attention of tensors `(batch, length, heads, head size)`. With a bias, of the operator with one.
    attention(
        query: ExprArg, key: ExprArg, value: ExprArg, bias: Option<ExprArg> = None,
        scale: Option<FloatImmArg> = None, causal_mask: Option<Str> = None,
        window_size: Option<IntImmArg> = None
    ) -> infer(plain), text = "nn.attention" {
        Ok(with_optional_bias([query, key, value], bias, scale, causal_mask, window_size))
    }
    /// As `R.nn.attention`.
    attention_bias(
        query: ExprArg, key: ExprArg, value: ExprArg, bias: Option<ExprArg> = None,
        scale: Option<FloatImmArg> = None, causal_mask: Option<Str> = None,
        window_size: Option<IntImmArg> = None
    ) -> infer(biased), text = "nn.attention_bias" {
        Ok(with_optional_bias([query, key, value], bias, scale, causal_mask, window_size))
    }
    /// Attention of sequences of different lengths, one after the other along one axis. Keys are as long as queries unless said.
    attention_var_len(
        queries: ExprArg, keys: ExprArg, values: ExprArg, seqstart_q: ExprArg, max_seqlen_q: ExprArg,
        seqstart_k: Option<ExprArg> = None, max_seqlen_k: Option<ExprArg> = None,
        scale: Option<FloatImmArg> = None, causal_mask: Option<Str> = None,
        window_size: Option<IntImmArg> = None
    ) -> infer(of_sequences), text = "nn.attention_var_len" {
        let seqstart_k = seqstart_k.unwrap_or_else(|| seqstart_q.clone());
        let max_seqlen_k = max_seqlen_k.unwrap_or_else(|| max_seqlen_q.clone());
        let args = [queries, keys, values, seqstart_q, seqstart_k, max_seqlen_q, max_seqlen_k];
        Ok(attention_call("relax.nn.attention_var_len", args, scale, causal_mask, window_size))
    }
}

fn check_same(
    cx: &mut Infer<'_>,
    argument: usize,
    axis: usize,
    a: Dims<'_>,
    b: Dims<'_>,
) -> std::result::Result<(), InferError> {
    match (a, b) {
        (Some(a), Some(b)) if cx.differ(&a[axis], &b[axis])? => Err(different(cx, argument, AXES[axis])),
        _ => Ok(()),
    }
}

/// Heads of keys and values may each serve several of queries.
fn check_multiple(
    cx: &mut Infer<'_>,
    argument: usize,
    query: Dims<'_>,
    other: Dims<'_>,
) -> std::result::Result<(), InferError> {
    match (query, other) {
        (Some(a), Some(b)) if cx.is_no_multiple(&a[HEADS], &b[HEADS])? => {
            Err(different(cx, argument, AXES[HEADS]))
        }
        _ => Ok(()),
    }
}
