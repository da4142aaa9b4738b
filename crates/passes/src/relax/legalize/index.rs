//! Elements at indices that tensors state, elements written there, slices that are replaced, and reversed sequences.
//!
//! Upstream counterparts: `python/tvm/relax/transform/legalize_ops/manipulate.py`, `topi/{index_put,slice_scatter}.py`,
//! `topi/transform.h`.

use tvmscript_relax::attrs::{IndexPutAttrs, ReverseSequenceAttrs, SliceScatterAttrs};
use tvmscript_tir::ForKind;

use super::Outcome;
use super::elementwise::{
    broadcast_dims, chosen, combine_tensors, floor_divide, floor_mod, map, with_scalar,
};
use super::manipulate::{broadcasted, reshaped, unsupported};
use super::nms::truth;
use super::scalar::{Scalar, Scalars, int, unravel};
use super::scatter::{ADD, UPDATE, combined, from_front, lacking, scattered};
use super::site::Site;
use super::statements::{in_order, repeat, wide};
use super::tensor::{Answer, Stage, Tensor};

/// The lengths of shapes that are broadcast together.
fn common_dims(tensors: &[Tensor]) -> Answer<Vec<Scalar>> {
    tensors.iter().try_fold(Vec::new(), |dims, tensor| broadcast_dims(&dims, &tensor.dims()))
}

pub(super) fn index_tensor(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let mut indices = site.tensors(1)?;
    let places = common_dims(&indices)?;
    if indices.is_empty() || indices.len() > x.rank() {
        return unsupported("there is not one tensor of indices per axis");
    }
    if indices.len() > 1 {
        indices = indices.iter().map(|index| broadcasted(index, &places)).collect::<Answer<_>>()?;
    }
    let dims = [places.clone(), x.dims().range(indices.len(), x.rank())].concat();
    let result = Stage::new("advanced_index").over(&dims, |i| {
        let at = i.range(0, places.len());
        let found = indices.iter().map(|index| index.at(&at));
        x.at(&found.chain(i.range(places.len(), i.len())).collect::<Vec<_>>())
    });
    Outcome::one(result?)
}

/// The position in row-major order of an element, summed up from the last axis on: index and length of each axis.
fn position(places: impl DoubleEndedIterator<Item = (Scalar, Scalar)>) -> Scalar {
    let start = (int(0), int(1));
    let (sum, _) =
        places.rev().fold(start, |(sum, step), (index, length)| (sum + index * &step, step * length));
    sum
}

pub(super) fn index_put(site: &mut Site<'_>) -> Answer<Outcome> {
    let accumulates = site.attrs::<IndexPutAttrs>()?.accumulate;
    let (data, indices, values) = (site.tensor(0)?, site.tensors(1)?, site.tensor(2)?);
    if indices.len() != data.rank() {
        return Ok(Outcome::Keep);
    }
    let places = common_dims(&indices)?;
    let (own, lengths) = (data.dims(), indices.iter().map(Tensor::dims).collect::<Vec<_>>());
    let (all, count) = (own.product(), places.product());
    let combine = if accumulates { ADD } else { UPDATE };
    let inputs: Vec<&Tensor> = std::iter::once(&data).chain(&indices).chain([&values]).collect();
    let result = scattered("index_put.generic", &data, &inputs, move |inputs, out| {
        let [data, indices @ .., values] = inputs else { return lacking() };
        let copy = repeat(&all, ForKind::Parallel, |i| out.store(i, data.at(i)));
        let put = repeat(&count, ForKind::Parallel, |k| {
            let at = unravel(k.clone(), &places);
            let axes = indices.iter().zip(&lengths).zip(&own).map(|((indices, dims), length)| {
                let skipped = at.len().saturating_sub(dims.len());
                let own_place = |(index, length): (&Scalar, &Scalar)| {
                    let index = if length.known() == Some(1) { int(0) } else { index.clone() };
                    (index, length.clone())
                };
                let from = position(at.iter().skip(skipped).zip(dims).map(own_place));
                (from_front(&indices.at(&from), length), length.clone())
            });
            combined(out, &position(axes), &values.at(k), combine)
        });
        in_order([copy, put])
    });
    Outcome::one(result?)
}

pub(super) fn slice_scatter(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<SliceScatterAttrs>()?.axis;
    let (x, source) = (site.tensor(0)?, site.tensor(1)?);
    let [start, end, step] = [site.scalar(2)?, site.scalar(3)?, site.scalar(4)?];
    let (axis, dims) = (x.axis(axis)?, x.dims());
    let Some(length) = dims.pick(axis).known() else { return Ok(Outcome::Keep) };
    let begins = start.known() == Some(0);
    let (ends, is_dense) = (end.known() == Some(length), step.known() == Some(1));
    if begins && ends && is_dense {
        return Outcome::one(map(&source, |x| x)?);
    }
    let row = [int(length)];
    // TVM counts here in `int32`.
    let places = Stage::new("T_arange").with_narrow_axes(0).over(&row, |i| i.pick(0))?;
    let mut mask = Stage::new("T_full").over(&row, |_| truth(true))?;
    let mut restrict = |test: Tensor| -> Answer<()> {
        mask = combine_tensors(&mask, &test, "logical_and", |a, b| a.and(b))?;
        Ok(())
    };
    if !begins {
        restrict(with_scalar(&places, &start, "greater_equal", |a, b| a.ge(b))?)?;
    }
    if !ends {
        restrict(with_scalar(&places, &end, "less", |a, b| a.lt(b))?)?;
    }
    let from_start = |x: &Tensor| with_scalar(x, &start, "subtract", |a, b| a - b);
    if !is_dense {
        let rest = with_scalar(&from_start(&places)?, &step, "floor_mod", |a, b| floor_mod(&a, &b))?;
        restrict(with_scalar(&rest, int(0), "equal", |a, b| a.equals(b))?)?;
    }
    let mask = reshaped(&mask, &vec![int(1); dims.len()].with_at(axis, int(length)))?;
    let mask = broadcasted(&mask, &dims)?;
    let up = with_scalar(&from_start(&places)?, &step - 1, "add", |a, b| a + b)?;
    let index = with_scalar(&up, &step, "floor_divide", |a, b| floor_divide(&a, &b))?;
    let index = map(&index, |index| index.min(length - 1).max(0))?;
    let taken = Stage::new("T_take").over(&source.dims().with_at(axis, int(length)), |i| {
        source.at(&i.with_at(axis, index.at(&[i.pick(axis)])))
    })?;
    Outcome::one(chosen(&mask, &taken, &x)?)
}

pub(super) fn reverse_sequence(site: &mut Site<'_>) -> Answer<Outcome> {
    let ReverseSequenceAttrs { seq_axis, batch_axis } = *site.attrs()?;
    let (x, lengths) = (site.tensor(0)?, site.tensor(1)?);
    let (axis, batch) = (x.axis(seq_axis)?, x.axis(batch_axis)?);
    let dims = x.dims();
    let result = Stage::new("T_reverse_sequence").over(&dims, |i| {
        let (length, index, all) = (wide(&lengths.at(&[i.pick(batch)])), i.pick(axis), dims.pick(axis));
        let from_end = |length: &Scalar| length - 1 - &index;
        let reversed = length.gt(&all).if_then_else(from_end(&all), &from_end(&length));
        let stays = length.le(1).or(length.le(&index));
        x.at(&i.with_at(axis, stays.if_then_else(&index, &reversed)))
    });
    Outcome::one(result?)
}
