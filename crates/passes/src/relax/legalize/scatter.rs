//! Values written to places of a tensor that other tensors state: statements over whole buffers.
//!
//! Upstream counterparts: `topi/scatter_elements.py`, `topi/scatter.py`.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::{ScatterElementsAttrs, ScatterNDAttrs};
use tvmscript_te::Declared;
use tvmscript_tir::ForKind;
use tvmscript_tir::node::StmtRef;

use super::Outcome;
use super::manipulate::{transposed, unsupported};
use super::scalar::{Scalar, Scalars, int};
use super::site::Site;
use super::statements::{Flat, in_order, inside, number, output, repeat, wide, written_from};
use super::tensor::{Answer, Tensor};

/// A combination of the old element and an update.
type Combine = fn(&Scalar, &Scalar) -> Scalar;

pub(super) const ADD: Combine = |old, update| old + update;

/// The update alone.
pub(super) const UPDATE: Combine = |_, update| update.clone();

/// The combination of a name; `None` for unknown ones.
fn combination(name: &str) -> Option<Combine> {
    Some(match name {
        "update" => UPDATE,
        "add" => ADD,
        "mul" => |old, update| old * update,
        "mean" => |old, update| (old + update) / 2,
        "min" => |old, update| old.min(update),
        "max" => |old, update| old.max(update),
        _ => return None,
    })
}

/// Combines an element with an update.
pub(super) fn combined(
    out: Flat<'_>,
    position: &Scalar,
    update: &Scalar,
    combine: Combine,
) -> Answer<StmtRef> {
    out.store(position, combine(&out.at(position), update))
}

/// A tensor with the lengths and the type of `like`, written by statements: `body` gets the buffers of the inputs and that of
/// the result.
pub(super) fn scattered(
    name: &str,
    like: &Tensor,
    inputs: &[&Tensor],
    body: impl Fn(&[Flat<'_>], Flat<'_>) -> Answer<StmtRef> + Send + Sync + 'static,
) -> Answer<Tensor> {
    let result = output(&like.dims(), like.dtype(), Declared::named("out_buf"));
    let inputs = inputs.iter().map(|input| inside(input));
    let results = written_from(name, inputs, [result], move |inputs, outputs| match outputs {
        [output] => body(&inputs.iter().map(Flat).collect::<Vec<_>>(), Flat(output)),
        _ => lacking(),
    })?;
    results.into_iter().next().map_or_else(lacking, Ok)
}

/// The error for a statement with fewer buffers than it declares.
pub(super) fn lacking<T>() -> Answer<T> {
    unsupported("a statement lacks buffers")
}

/// An index counted from the front, for one that counts from the end if it is negative.
pub(super) fn from_front(index: &Scalar, length: &Scalar) -> Scalar {
    let is_negative = index.lt(number(DataType::INT32, 0));
    wide(index) + wide(&is_negative) * length
}

pub(super) fn scatter_elements(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<ScatterElementsAttrs>()?;
    let Some(combine) = combination(&attrs.reduction) else { return Ok(Outcome::Keep) };
    let (data, indices, updates) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let axis = data.axis(attrs.axis.value)?;
    let (own, places) = (data.dims(), indices.dims());
    let after = |dims: &[Scalar]| dims.range(axis + 1, dims.len()).product();
    let (all, length, behind) = (own.product(), own.pick(axis), after(&own));
    let (outer, count, inner) = (places.range(0, axis).product(), places.pick(axis), after(&places));
    let inputs = [&data, &indices, &updates];
    let result = scattered("scatter_elements.generic", &data, &inputs, move |inputs, out| {
        let [data, indices, updates] = inputs else { return lacking() };
        let copy = repeat(&all, ForKind::Parallel, |i| out.store(i, data.at(i)));
        let scatter = repeat(&(&outer * &inner), ForKind::Parallel, |fused| {
            let (i, j) = (fused.floordiv(&inner), fused.floormod(&inner));
            let from = &i * (&count * &inner) + &j;
            let to = i * (&length * &behind) + j;
            repeat(&count, ForKind::Serial, |k| {
                let from = &from + k * &inner;
                let to = &to + from_front(&indices.at(&from), &length) * &behind;
                combined(out, &to, &updates.at(&from), combine)
            })
        });
        in_order([copy, scatter])
    });
    Outcome::one(result?)
}

pub(super) fn scatter_nd(site: &mut Site<'_>) -> Answer<Outcome> {
    let combine = match site.attrs::<ScatterNDAttrs>()?.reduction.as_str() {
        "mean" => None,
        name => combination(name),
    };
    let Some(combine) = combine else { return Ok(Outcome::Keep) };
    let (data, indices, updates) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let Some(last) = indices.rank().checked_sub(1) else { return unsupported("there are no indices") };
    let indices = transposed(&indices, &std::iter::once(last).chain(0..last).collect::<Vec<_>>())?;
    let (own, places, new) = (data.dims(), indices.dims(), updates.dims());
    let Some(axes) = places.pick(0).known().and_then(|axes| usize::try_from(axes).ok()) else {
        return unsupported("the number of indices is not known");
    };
    if axes > own.len() {
        return unsupported("there are more indices than axes");
    }
    let (all, count) = (own.product(), places.range(1, places.len()).product());
    let size = new.range(last, new.len()).product();
    let inputs = [&data, &indices, &updates];
    let result = scattered("scatter_nd.generic", &data, &inputs, move |inputs, out| {
        let [data, indices, updates] = inputs else { return lacking() };
        let copy = repeat(&all, ForKind::Serial, |i| out.store(i, data.at(i)));
        let scatter = repeat(&count, ForKind::Serial, |i| {
            repeat(&size, ForKind::Parallel, |j| {
                let (mut to, mut step) = (j.clone(), size.clone());
                for (axis, length) in own.iter().enumerate().take(axes).rev() {
                    let index = wide(&indices.at(&(i + int(axis as i64) * &count)));
                    to = to + &step * index;
                    step = step * length;
                }
                combined(out, &to, &updates.at(&(i * &size + j)), combine)
            })
        });
        in_order([copy, scatter])
    });
    Outcome::one(result?)
}
