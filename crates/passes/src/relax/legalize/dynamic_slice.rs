//! A slice whose bounds only a run knows: one function computes its lengths, a cast names them, another one copies.
//!
//! Upstream counterparts: `dynamic_strided_slice`, `python/tvm/relax/transform/legalize_ops/index.py`; `topi/transform.h`.

use tvmscript_ir_core::Ref;
use tvmscript_prim::Var;

use super::manipulate::unsupported;
use super::scalar::{Scalar, Scalars, int};
use super::site::Site;
use super::tensor::{Answer, Stage, Tensor};

/// The tensor that is sliced, and first indices, ends and strides along all of its axes.
fn operands(site: &mut Site<'_>) -> Answer<[Tensor; 4]> {
    let all = [site.tensor(0)?, site.tensor(1)?, site.tensor(2)?, site.tensor(3)?];
    let [x, bounds @ ..] = &all;
    let rank = i64::try_from(x.rank()).ok();
    let has_all = |list: &Tensor| list.rank() == 1 && list.dims().pick(0).known() == rank;
    match bounds.iter().all(has_all) {
        true => Ok(all),
        false => unsupported("the bounds are not those of all axes"),
    }
}

/// The lengths of the slice, as a vector, and their number.
pub(super) fn lengths(site: &mut Site<'_>) -> Answer<(Tensor, usize)> {
    let [x, begin, end, strides] = operands(site)?;
    let own = x.dims();
    let axes = [int(own.len() as i64)];
    let stage = Stage::python("T_shape_func_strided_slice_dynamic").with_axes(&["i"]);
    let lengths = stage.over(&axes, |indices| {
        let (place, stride) = (indices.pick(0), strides.at(indices));
        let length = own
            .iter()
            .enumerate()
            .fold(int(-1), |other, (axis, length)| place.equals(int(axis as i64)).select(length, &other));
        let is_backward = stride.lt(0);
        let clamped = |index: Scalar| {
            let low = is_backward.select(-1, &int(0));
            let high = is_backward.select(&length - 1, &length);
            index.lt(0).select(&index + &length, &index).max(low).min(high)
        };
        let (begin, end) = (clamped(begin.at(indices)), clamped(end.at(indices)));
        let backward = (&begin - &end).ceildiv(&stride * -1);
        is_backward.select(backward, &(end - begin).ceildiv(&stride))
    })?;
    Ok((lengths, own.len()))
}

/// The slice, whose lengths are variables.
pub(super) fn sliced(site: &mut Site<'_>, dims: &[Ref<Var>]) -> Answer<Tensor> {
    let [x, begin, _, strides] = operands(site)?;
    let own = x.dims();
    let dims = dims.iter().map(|dim| site.used(&dim.clone().upcast())).collect::<Answer<Vec<_>>>()?;
    Stage::new("T_strided_slice_dynamic").over(&dims, |indices| {
        let place = own.iter().zip(indices).enumerate().map(|(axis, (length, index))| {
            let axis = [int(axis as i64)];
            let (begin, stride) = (begin.at(&axis), strides.at(&axis));
            let low = stride.lt(0).if_then_else(-1, &int(0));
            let high = stride.lt(0).if_then_else(length - 1, length);
            let first = begin.lt(0).if_then_else(&begin + length, &begin).max(low).min(high);
            first + index * &stride
        });
        x.at(&place.collect::<Vec<_>>())
    })
}

/// Makes one of the bounds of a slice.
pub(super) type Bound = fn(&mut Site<'_>) -> Answer<Tensor>;

/// The same bound for both axes of a list of rows.
pub(super) fn constant_bound(name: &str, value: i64) -> Answer<Tensor> {
    Stage::python(name).with_axes(&["i"]).over(&[int(2)], |_| int(value))
}

/// The end of the first rows, whose number is the only operand, with all three columns.
pub(super) fn end_of_rows(site: &mut Site<'_>) -> Answer<Tensor> {
    let count = site.tensor(0)?;
    Stage::python("end")
        .with_axes(&["i"])
        .over(&[int(2)], |i| i.pick(0).equals(0).if_then_else(count.at(&[int(0)]), &int(3)))
}
