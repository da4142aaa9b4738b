//! `R.index_put`: elements at indices, written.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{Result, script_fn};

use super::Inferred;
use crate::build::args::{ExprArg, FlagArg, TupleArg};
use crate::node::attrs::IndexPutAttrs;
use crate::node::*;
use crate::op::manipulate::scatter::{expect_dtype_of, like_data};
use crate::op::{Infer, InferErrorKind, Operator};

/// The data with values at indices, one tensor of indices an axis; stored, or added to what is there.
#[script_fn]
pub fn index_put(
    data: ExprArg,
    indices: TupleArg,
    values: ExprArg,
    #[default = false] accumulate: FlagArg,
) -> Result<Ref<Call>> {
    let attrs = Ref::new(IndexPutAttrs { accumulate: accumulate.0 }).upcast();
    Ok(Call::of_op("relax.index_put", [data.0, indices.0, values.0], Some(attrs)))
}

/// The operator.
pub static OPERATORS: &[Operator] = &[Operator::new("relax.index_put", &INDEX_PUT, with_values)];

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
