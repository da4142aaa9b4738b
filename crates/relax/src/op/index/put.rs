//! `R.index_put`: elements at indices, written.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, FlagArg, TupleArg};
use crate::node::attrs::IndexPutAttrs;
use crate::node::*;
use crate::op::manipulate::scatter::{expect_dtype_of, like_data};
use crate::op::{Infer, InferErrorKind, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The data with values at indices, one tensor of indices an axis; stored, or added to what is there.
    index_put(
        data: ExprArg, indices: TupleArg, values: ExprArg, accumulate: FlagArg = false
    ) -> infer(with_values) {
        let attrs = Ref::new(IndexPutAttrs { accumulate: accumulate.0 }).upcast();
        Ok(Call::of_op("relax.index_put", [data.0, indices.0, values.0], Some(attrs)))
    }
}

fn with_values(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let (data, values) = (cx.tensor(0)?, cx.tensor(2)?);
    let indices = match cx.info(1)?.downcast::<TensorStructInfo>() {
        Ok(only) => vec![only],
        Err(_) => cx.tensors_of_tuple(1)?,
    };
    if data.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    for tensor in &indices {
        if tensor.ndim == 0 {
            let expected = "rank 1 or more".to_owned();
            return Err(InferErrorKind::Rank { op: cx.op(), expected, found: 0 }.at(1));
        }
        cx.expect_integers(1, tensor)?;
    }
    if indices.len() as i64 != data.ndim {
        let what = format!("{} tensors of indices for {} axes", indices.len(), data.ndim);
        return Err(cx.wrong_shape_at(1, what));
    }
    expect_dtype_of(cx, 2, &values, &data)?;
    Ok(like_data(&data))
}
