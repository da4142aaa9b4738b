//! Attention.
//!
//! Upstream counterpart: `src/relax/op/nn/attention.cc`.

use crate::node::attrs::AttentionAttrs;
use crate::op::CallForm;
use crate::op::prelude::*;

operators! {
    params attended = (
        query: Expr, key: Expr, value: Expr, bias: Option<Expr> = None; scale: Option<Float> = None,
        causal_mask: Option<Str> = None, window_size: Option<Literal> = None
    );

    /// Scaled dot-product attention of tensors `(batch, length, heads, head size)`; with a bias, `R.nn.attention_bias`.
    attention(..attended) -> infer(plain) = attention_call, text = "nn.attention";
    /// Like `R.nn.attention`.
    attention_bias(..attended) -> infer(biased) = attention_call, text = "nn.attention_bias";
    /// Attention of sequences of different lengths, packed along one axis. By default keys are as long as queries.
    attention_var_len(
        queries: Expr, keys: Expr, values: Expr, seqstart_q: Expr, max_seqlen_q: Expr,
        seqstart_k: Option<Expr> = None, max_seqlen_k: Option<Expr> = None; scale: Option<Float> = None,
        causal_mask: Option<Str> = None, window_size: Option<Literal> = None
    ) -> infer(of_sequences), text = "nn.attention_var_len", attrs = AttentionAttrs { scale, causal_mask, window_size },
        args = {
            let seqstart_k = seqstart_k.unwrap_or_else(|| seqstart_q.clone());
            let max_seqlen_k = max_seqlen_k.unwrap_or_else(|| max_seqlen_q.clone());
            [queries, keys, values, seqstart_q, seqstart_k, max_seqlen_q, max_seqlen_k]
        },
        form = CallForm::Reordered(&[0, 1, 2, 3, 5, 4, 6]);
}

fn attention_call(
    query: Expr,
    key: Expr,
    value: Expr,
    bias: Option<Expr>,
    scale: Option<Float>,
    causal_mask: Option<Str>,
    window_size: Option<Literal>,
) -> Ref<Call> {
    let operator = if bias.is_some() { &ATTENTION_BIAS } else { &ATTENTION };
    let attrs = Ref::new(AttentionAttrs { scale, causal_mask, window_size }).upcast();
    operator.call(Some(attrs), [query, key, value].into_iter().chain(bias))
}

const BATCHES: usize = 0;
const LENGTH: usize = 1;
const HEADS: usize = 2;
const HEAD_SIZE: usize = 3;

/// Contents of an axis of query, key and value.
fn contents(axis: usize) -> &'static str {
    match axis {
        BATCHES => "batches",
        LENGTH => "sequence elements",
        HEADS => "heads",
        _ => "head elements",
    }
}

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
                return Err(different(cx, 3, contents(axis)));
            }
        }
    }
    match (key.dims(), bias.dims()) {
        (Some(key), Some(bias)) if cx.differ(&key[LENGTH], &bias[3])? => {
            Err(different(cx, 3, contents(LENGTH)))
        }
        _ => Ok(result),
    }
}

fn check_rank(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> Checked<()> {
    if x.ndim == 4 {
        return Ok(());
    }
    Err(cx.wrong_rank(index, "rank 4 (batches, length, heads, head size)", x.ndim))
}

fn different(cx: &Infer<'_>, argument: usize, what: &str) -> InferError {
    let what = format!("the number of {what} does not match the other operands");
    cx.wrong_shape_at(argument, what)
}

/// Checks query, key and value. The result has the batches, length and heads of the query, and the head size of the
/// value.
fn attended(cx: &mut Infer<'_>, tensors: &[Ref<TensorStructInfo>]) -> Inferred {
    let [query, key, value] = tensors else { return Err(cx.wrong_shape("expected query, key and value")) };
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

fn check_same(cx: &mut Infer<'_>, argument: usize, axis: usize, a: Dims<'_>, b: Dims<'_>) -> Checked<()> {
    match (a, b) {
        (Some(a), Some(b)) if cx.differ(&a[axis], &b[axis])? => Err(different(cx, argument, contents(axis))),
        _ => Ok(()),
    }
}

/// A head of keys or values may serve several heads of queries.
fn check_multiple(cx: &mut Infer<'_>, argument: usize, query: Dims<'_>, other: Dims<'_>) -> Checked<()> {
    match (query, other) {
        (Some(a), Some(b)) if cx.is_no_multiple(&a[HEADS], &b[HEADS])? => {
            Err(different(cx, argument, contents(HEADS)))
        }
        _ => Ok(()),
    }
}
