//! Places in sorted lists, found by bisection.
//!
//! Upstream counterparts: `topi/searchsorted.py`, `topi/vision/nms_util.py`.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops;
use tvmscript_relax::attrs::BucketizeAttrs;
use tvmscript_te::Declared;
use tvmscript_tir::ForKind;
use tvmscript_tir::node::StmtRef;

use super::Outcome;
use super::scalar::{Scalar, Scalars};
use super::site::Site;
use super::statements::{
    Flat, Local, either, inside, number, output, repeat, repeat_while, sequence, wide, written,
};
use super::tensor::Answer;

/// Finds the first element of a list that fails a test, which all elements before it pass.
///
/// `length` has the type in which places are counted. `middle` makes the place between two bounds, each part of which it
/// converts: to compare an element, places are indices.
pub(super) fn bisected(
    length: Scalar,
    middle: impl Fn(&Scalar, &Scalar, &dyn Fn(&Scalar) -> Scalar) -> Scalar,
    passes: impl Fn(&Scalar) -> Scalar,
    store: impl Fn(Scalar) -> Answer<StmtRef>,
) -> Answer<StmtRef> {
    let dtype = length.dtype();
    let (low, high) = (Local::new("low", dtype)?, Local::new("high", dtype)?);
    let (first, last) = (low.get(), high.get());
    let place = middle(&first, &last, &Scalar::clone);
    let narrow = either(passes(&middle(&first, &last, &wide)), low.set(&place + 1), high.set(place));
    let body = sequence([
        low.set(number(dtype, 0)),
        high.set(length),
        repeat_while(first.lt(last), narrow),
        store(first),
    ]);
    low.around(high.around(body))
}

/// For each value, the number of bounds below it.
pub(super) fn bucketize(site: &mut Site<'_>) -> Answer<Outcome> {
    let BucketizeAttrs { out_int32, right } = *site.attrs()?;
    let (bounds, values) = (site.tensor(1)?, site.tensor(0)?);
    if bounds.rank() != 1 {
        return Ok(Outcome::Keep);
    }
    let dtype = if out_int32 { DataType::INT32 } else { DataType::INT64 };
    let (length, dims) = (bounds.dims().pick(0).cast(dtype), values.dims());
    let (count, name) = (dims.product(), "searchsorted");
    let inputs = [inside(&bounds), inside(&values)];
    let result = output(&dims, dtype, Declared::inside(name));
    let [result] = written(name, inputs, [result], move |[bounds, values], [result]| {
        let (bounds, values, result) = (Flat(bounds), Flat(values), Flat(result));
        repeat(&count, ForKind::Parallel, |i| {
            let is_below = |place: &Scalar| match right {
                true => bounds.at(place).le(values.at(i)),
                false => bounds.at(place).lt(values.at(i)),
            };
            bisected(
                length.clone(),
                |low, high, to| to(low) + to(&(high - low)).with(1, ops::shift_right),
                is_below,
                |place| result.store(i, place),
            )
        })
    })?;
    Outcome::one(result)
}
