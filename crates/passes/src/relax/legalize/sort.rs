//! Sorted elements and running sums.
//!
//! Upstream counterparts: `topi/{sort,scan}.py`; `_te_median`, `python/tvm/relax/transform/legalize_ops/statistical.py`.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::StatisticalAttrs;
use tvmscript_te::Declared;
use tvmscript_tir::ForKind;

use super::Outcome;
use super::manipulate::{gathered, reshaped, squeezed, unsupported};
use super::scalar::{Scalars, int};
use super::site::Site;
use super::statements::{Flat, each, output, packed_call, repeat, sequence, wide, written};
use super::tensor::{Answer, Stage, Tensor};

/// The places of the elements along an axis in the order of their values.
pub(super) fn argsort(x: &Tensor, axis: i64, is_ascending: bool, dtype: DataType) -> Answer<Tensor> {
    let input = (x.clone(), Declared::named("data_buf").aligned(8));
    let result = output(&x.dims(), dtype, Declared::named("out_buf").aligned(8));
    let [result] = written("argsort_cpu", [input], [result], move |[x], [result]| {
        packed_call("tvm.contrib.sort.argsort", &[x, result], axis, is_ascending)
    })?;
    Ok(result)
}

/// The sums of the numbers before each one, along the last axis.
pub(super) fn sums_before(numbers: &Tensor) -> Answer<Tensor> {
    let dims = numbers.dims();
    let Some(last) = dims.len().checked_sub(1) else { return unsupported("there is no axis to sum along") };
    let (rows, length) = (dims.range(0, last).product(), dims.pick(last));
    let input = (numbers.clone(), Declared::named("data_buf"));
    let result = output(&dims, DataType::INT64, Declared::named("out_buf"));
    let [result] = written("cumsum_generic", [input], [result], move |[numbers], [result]| {
        let (numbers, result) = (Flat(numbers), Flat(result));
        repeat(&rows, ForKind::Parallel, |i| {
            let first = i * &length;
            let rest = each(&(&length - 1), |k| {
                let k = k + 1;
                let before = &first + (&k - 1);
                result.store(&(&first + &k), result.at(&before) + wide(&numbers.at(&before)))
            });
            sequence([result.store(&first, int(0)), rest])
        })
    })?;
    Ok(result)
}

/// The element in the middle of those along an axis, and its place; without an axis, that of all elements alone.
pub(super) fn median(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<StatisticalAttrs>()?;
    let x = site.tensor(0)?;
    let axes = attrs.axis.as_ref().filter(|axes| !axes.is_empty());
    let axis = match axes.map(|axes| axes.iter().map(|axis| axis.value).collect::<Vec<_>>()).as_deref() {
        None => None,
        Some([axis]) => Some(*axis),
        Some(_) => return Ok(Outcome::Keep),
    };
    let x = match axis {
        Some(_) => x,
        None => reshaped(&x, &[x.dims().product()])?,
    };
    let place = x.axis(axis.unwrap_or(-1))?;
    let Some(length) = x.dims().pick(place).known().filter(|length| *length > 0) else {
        return Ok(Outcome::Keep);
    };
    let order = argsort(&x, axis.unwrap_or(-1), true, DataType::INT64)?;
    let sorted = gathered(&x, place, &order)?;
    let one = x.dims().with_at(place, int(1));
    let middle = Stage::new("T_full").over(&one, |_| int((length - 1) / 2))?;
    let kept = |x: Tensor| if attrs.keepdims { Ok(x) } else { squeezed(&x, &[place]) };
    let median = kept(gathered(&sorted, place, &middle)?)?;
    if axis.is_none() {
        return Outcome::one(median);
    }
    Ok(Outcome::Tensors(vec![median, kept(gathered(&order, place, &middle)?)?]))
}
