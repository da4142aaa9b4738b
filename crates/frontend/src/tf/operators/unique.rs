//! Different elements of vectors, in order of their first occurrence.

use tvmscript_ir_core::DataType;
use tvmscript_prim::Var;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{equal, logical_not, subtract};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::reduce::{argmax, cumsum, max, sum};
use tvmscript_relax::op::shape::{expand_dims, nonzero, squeeze};
use tvmscript_relax::{Constant, Expr, PrimValue};

use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, number, tensor_of};

rows! {
    "ListDiff" => difference, "a constant; equal, astype, max, logical_not, nonzero, take";
    "Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2" => unique,
        "a constant; equal, astype, argmax, nonzero, take, cumsum, sum", "tensors other than vectors";
}

/// A table of the pairs of elements that are equal.
fn equalities(cx: &mut Node<'_, '_>, a: &Expr, b: &Expr) -> Result<Expr, Reason> {
    let column = cx.step(expand_dims(a.clone(), ints(&[1])))?;
    let row = cx.step(expand_dims(b.clone(), ints(&[0])))?;
    let is_equal = cx.step(equal(column, row))?;
    cx.step(astype(is_equal, DataType::INT32))
}

/// The positions at which a vector is true.
fn positions(cx: &mut Node<'_, '_>, is_there: Expr) -> Result<Expr, Reason> {
    let count = Var::new(format!("{}_count", cx.layer), DataType::INT64).upcast();
    let one = tvmscript_prim::IntImm::int64(1);
    let found = cx.graph().match_cast(nonzero(is_there), tensor_of([one, count], DataType::INT64))?;
    cx.step(squeeze(found, Some(ints(&[0]))))
}

/// A vector of constant integers.
fn vector(dtype: DataType, values: Vec<i64>) -> Expr {
    let values = values.into_iter().map(i128::from);
    Constant::new(Tensor::of_ints(dtype, vec![values.len()], values).encode()).upcast()
}

/// The integers of a constant vector.
fn constant(x: &Expr) -> Option<Vec<i64>> {
    dtype_of(x).is_integer().then(|| ops::integers(x)).flatten()
}

/// The elements of a vector that another one does not have, and their positions.
fn difference(cx: &mut Node<'_, '_>) -> Converted {
    let [x, y] = [cx.input(0)?, cx.input(1)?];
    let dtype = cx.dtype_attr("out_idx")?.unwrap_or(DataType::INT32);
    if let (Some(all), Some(others)) = (constant(&x), constant(&y)) {
        let others: std::collections::HashSet<i64> = others.into_iter().collect();
        let kept = all.into_iter().enumerate().filter(|(_, value)| !others.contains(value));
        let (places, kept): (Vec<i64>, Vec<i64>) = kept.map(|(place, value)| (place as i64, value)).unzip();
        return Ok(Output::Many(vec![vector(dtype_of(&x), kept), vector(dtype, places)]));
    }
    let pairs = equalities(cx, &x, &y)?;
    let is_found = cx.step(max(pairs, Some(ints(&[1])), false))?;
    let is_found = cx.step(astype(is_found, DataType::BOOL))?;
    let is_kept = cx.step(logical_not(is_found))?;
    let places = positions(cx, is_kept)?;
    let kept = take(x, places.clone(), Some(0), "fast".into()).upcast();
    Ok(Output::Many(vec![kept, astype(places, dtype).upcast()]))
}

/// The different elements, the position of each element among them, and how often each is there.
fn unique(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dims = ops::dims(&x)?;
    let [length] = dims.as_slice() else { return Err("needs a vector".into()) };
    let dtype = cx.dtype_attr("out_idx")?.unwrap_or(DataType::INT32);
    let has_counts = cx.proto.op.starts_with(b"UniqueWithCounts");
    if let Some(all) = constant(&x) {
        let mut places = std::collections::HashMap::new();
        let (mut kept, mut counts, mut which) = (Vec::new(), Vec::new(), Vec::new());
        for value in all {
            let place = *places.entry(value).or_insert(kept.len());
            if place == kept.len() {
                kept.push(value);
                counts.push(0);
            }
            counts.iter_mut().skip(place).take(1).for_each(|count| *count += 1);
            which.push(place as i64);
        }
        let mut all = vec![vector(dtype_of(&x), kept), vector(dtype, which)];
        all.extend(has_counts.then(|| vector(dtype, counts)));
        return Ok(Output::Many(all));
    }
    let pairs = equalities(cx, &x, &x)?;
    let first = cx.step(argmax(pairs.clone(), Some(1), false))?;
    let end = PrimValue::new(length.clone()).upcast();
    let own = cx.step(arange(int_operand(0), Some(end), int_operand(1), Some(DataType::INT64)))?;
    let is_first = cx.step(equal(first.clone(), own))?;
    let places = positions(cx, is_first.clone())?;
    let kept = take(x, places.clone(), Some(0), "fast".into()).upcast();
    let numbers = cx.step(astype(is_first, dtype))?;
    let numbers = cx.step(cumsum(numbers, Some(0), None, None))?;
    let numbers = cx.step(subtract(numbers, number(dtype, 1.0)))?;
    let mut all = vec![kept, take(numbers, first, Some(0), "fast".into()).upcast()];
    if has_counts {
        let counts = cx.step(sum(pairs, Some(ints(&[1])), false))?;
        let counts = cx.step(astype(counts, dtype))?;
        all.push(take(counts, places, Some(0), "fast".into()).upcast());
    }
    Ok(Output::Many(all))
}
