//! Sorting, searching, unique elements and sampling.
//!
//! Upstream counterpart: `src/relax/op/tensor/{sorting,set,search,sampling}.cc`.

use tvmscript_prim::ops::is_one;

use super::elementwise::{same_as_operand, with_dtype};
use super::prelude::*;
use crate::analysis::same_dim;
use crate::node::attrs::{ArgsortAttrs, BucketizeAttrs, MultinomialFromUniformAttrs, SortAttrs, TopKAttrs};

operators! {
    /// The elements, sorted along an axis.
    sort(x: Expr; axis: Int = -1, descending: Flag = false) -> infer(same_as_operand), attrs = SortAttrs;
    /// The indices that sort the elements along an axis.
    argsort(data: Expr; axis: Int = -1, descending: Flag = false, dtype: DataType = DataType::INT32)
        -> infer(sorted_indices), attrs = ArgsortAttrs;
    /// The greatest or least elements along an axis, their indices, or both.
    topk(
        data: Expr;
        k: Count = 1, axis: Int = -1, ret_type: Str = "both", largest: Flag = true, dtype: DataType = DataType::INT32
    ) -> infer(greatest), attrs = TopKAttrs;
    /// The unique elements; on request their indices, the index of each element among them, and their counts.
    unique(
        x: Expr, sorted: FlagValue = true, return_index: FlagValue = false, return_inverse: FlagValue = false,
        return_counts: FlagValue = false, axis: Option<IntValue> = None
    ) -> infer(different);
    /// The index of the bucket of each element, for sorted boundaries.
    bucketize(input_tensor: Expr, boundaries: Expr; out_int32: Flag = false, right: Flag = false)
        -> infer(buckets), attrs = BucketizeAttrs;
    /// Samples from rows of probabilities, chosen by numbers between 0 and 1.
    multinomial_from_uniform(
        prob: Expr, uniform_sample: Expr, sample_indices: Expr;
        dtype: DataType = DataType::INT64
    ) -> infer(samples), attrs = MultinomialFromUniformAttrs;
}

fn sorted_indices(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &ArgsortAttrs = cx.attrs()?;
    let dtype = if attrs.dtype.is_void() { x.dtype } else { attrs.dtype };
    Ok(with_dtype(&x, dtype))
}

fn greatest(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &TopKAttrs = cx.attrs()?;
    let indices_dtype = if attrs.dtype.is_void() { x.dtype } else { attrs.dtype };
    let of_dtype = |dtype: DataType| -> Inferred {
        match x.dims() {
            None => Ok(tensor_of_rank(x.ndim, dtype, x.vdevice.clone())),
            Some(dims) => {
                let axis = cx.axis(attrs.axis, x.ndim)?;
                let takes_all = attrs.k <= 0
                    || dims[axis].as_node::<IntImm>().is_some_and(|length| length.value <= attrs.k);
                let dims = dims.iter().enumerate().map(|(i, dim)| match i == axis && !takes_all {
                    true => IntImm::int64(attrs.k),
                    false => dim.clone(),
                });
                Ok(tensor_of(dims, dtype, x.vdevice.clone()))
            }
        }
    };
    let (values, indices) = (of_dtype(x.dtype)?, of_dtype(indices_dtype)?);
    match attrs.ret_type.as_str() {
        "both" => Ok(TupleStructInfo::new([values, indices])),
        "values" => Ok(values),
        "indices" => Ok(indices),
        other => {
            let what = format!("must be `both`, `values` or `indices`, found `{other}`");
            Err(cx.wrong_attribute("ret_type", what))
        }
    }
}

/// The value of an integer literal operand.
fn stated_number(cx: &Infer<'_>, index: usize) -> Checked<i64> {
    let value = cx.prim_value(index)?;
    value
        .as_node::<IntImm>()
        .map(|value| value.value)
        .ok_or_else(|| cx.wrong_kind(index, "an integer literal"))
}

/// Maximum number of results that `R.unique` may be asked for.
const MOST_RESULTS: i64 = 64;

fn different(cx: &mut Infer<'_>) -> Inferred {
    let x = cx.tensor(0)?;
    let has_axis = match cx.call.args.get(5) {
        Some(axis) => axis.is::<PrimValue>(),
        None => false,
    };
    if has_axis && !x.is_unknown_ndim() {
        cx.axis(stated_number(cx, 5)?, x.ndim).map_err(|error| error.kind.at(5))?;
    }
    let mut others = 0_i64;
    for index in 2..=4 {
        others = others.saturating_add(stated_number(cx, index)?);
    }
    if !(0..=MOST_RESULTS).contains(&others) {
        return Err(cx.wrong_shape(format!("cannot return {others} further results")));
    }
    let device = || x.vdevice.clone();
    let of = |dtype, ndim: i64| match x.ndim {
        0 => tensor_of([IntImm::int64(1)], dtype, device()),
        _ => tensor_of_rank(ndim, dtype, device()),
    };
    let values = of(x.dtype, if has_axis { x.ndim } else { 1 });
    if others == 0 {
        return Ok(values);
    }
    let numbers = of(DataType::INT64, 1);
    let others = std::iter::repeat_n(numbers, others as usize);
    Ok(TupleStructInfo::new([values].into_iter().chain(others)))
}

fn buckets(cx: &mut Infer<'_>) -> Inferred {
    let [x, boundaries] = cx.tensors()?;
    let attrs: &BucketizeAttrs = cx.attrs()?;
    cx.expect_rank(1, &boundaries, 1)?;
    let dtype = if attrs.out_int32 { DataType::INT32 } else { DataType::INT64 };
    Ok(tensor_with(x.dims().map(|dims| dims.iter().cloned()), x.ndim, dtype, x.vdevice.clone()))
}

fn samples(cx: &mut Infer<'_>) -> Inferred {
    let [prob, uniform, indices] = cx.tensors()?;
    let dtype = cx.attrs::<MultinomialFromUniformAttrs>()?.dtype;
    let takes = |fits: bool, index: usize, expected: &str, found: DataType| match fits {
        true => Ok(()),
        false => Err(cx.wrong_dtype(index, expected, found)),
    };
    takes(prob.dtype.is_float(), 0, "a tensor of floating-point numbers", prob.dtype)?;
    takes(uniform.dtype.is_float(), 1, "a tensor of floating-point numbers", uniform.dtype)?;
    takes(indices.dtype.is_int(), 2, "a tensor of signed integers", indices.dtype)?;
    let all = [&prob, &uniform, &indices];
    if all.iter().any(|tensor| tensor.is_unknown_ndim()) {
        return Ok(tensor_of_rank(UNKNOWN_NDIM, dtype, prob.vdevice.clone()));
    }
    for (index, tensor) in all.into_iter().enumerate() {
        cx.expect_rank(index, tensor, 2)?;
    }
    let (Some(_), Some(uniform), Some(indices)) = (prob.dims(), uniform.dims(), indices.dims()) else {
        return Ok(tensor_of_rank(2, dtype, prob.vdevice.clone()));
    };
    if !same_dim(&uniform[0], &indices[0], cx.analyzer) {
        return Err(cx.wrong_shape("the numbers of samples and indices differ"));
    }
    if !is_one(&uniform[1]) || !is_one(&indices[1]) {
        return Err(cx.wrong_shape("samples and indices must have one column each"));
    }
    Ok(tensor_of([uniform[0].clone(), IntImm::int64(1)], dtype, prob.vdevice.clone()))
}
