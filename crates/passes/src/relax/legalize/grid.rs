//! Matrices with ones on a diagonal, coordinates of grids, and sums of products that subscripts name.
//!
//! Upstream counterparts: `topi/tensor.py`, `topi/transform.h`, `src/topi/einsum.cc`.

use std::collections::BTreeMap;

use tvmscript_relax::attrs::{EinsumAttrs, MeshgridAttrs};
use tvmscript_relax::op::einsum::{Equation, Label};

use super::Outcome;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Combine, ReduceAxis, Stage};

/// Ones on a diagonal, whose number is an operand.
pub(super) fn eye(site: &mut Site<'_>, diagonal: usize) -> Answer<Outcome> {
    let (dtype, dims) = (site.result_dtype()?, site.result_dims()?);
    let diagonal = if diagonal < site.count() { site.scalar(diagonal)? } else { int(0) };
    let result = Stage::python("eye").with_axes(&["i", "j"]).over(&dims, |i| {
        let is_on = i.pick(0).equals(i.pick(1) - diagonal);
        is_on.if_then_else(constant(dtype, 1.0), &constant(dtype, 0.0))
    });
    Outcome::one(result?)
}

/// The coordinates along each axis of the grid that vectors span.
pub(super) fn meshgrid(site: &mut Site<'_>) -> Answer<Outcome> {
    let swaps = site.attrs::<MeshgridAttrs>()?.indexing.as_ref().is_some_and(|how| how.as_str() == "xy");
    let inputs = site.tensors(0)?;
    let lengths = inputs.iter().map(|input| input.dims().first().cloned().unwrap_or_else(|| int(1)));
    let mut dims: Vec<Scalar> = lengths.collect();
    let is_swapped = swaps && dims.len() >= 2;
    if is_swapped {
        dims.swap(0, 1);
    }
    let grids = inputs.iter().enumerate().map(|(number, input)| {
        let axis = if is_swapped && number < 2 { 1 - number } else { number };
        Stage::new("T_meshgrid").over(&dims, |i| match input.rank() {
            0 => input.at(&[]),
            _ => input.at(&[i.pick(axis)]),
        })
    });
    Ok(Outcome::Tensors(grids.collect::<Answer<_>>()?))
}

/// The labels of each dimension of an operand; dimensions under an ellipsis are numbered from the last one.
fn places(labels: &[Label], rank: usize) -> Vec<Place> {
    let unnamed = (rank + 1).saturating_sub(labels.len()) as isize;
    let places = labels.iter().flat_map(|label| match label {
        Label::Ellipsis => (-unnamed..0).map(Place::Unnamed).collect(),
        Label::Axis(name) => vec![Place::Named(*name)],
    });
    places.collect()
}

/// A dimension as subscripts name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Unnamed(isize),
    Named(u8),
}

pub(super) fn einsum(site: &mut Site<'_>) -> Answer<Outcome> {
    let Ok(equation) = Equation::parse(&site.attrs::<EinsumAttrs>()?.subscripts) else {
        return Ok(Outcome::Keep);
    };
    let inputs = site.tensors(0)?;
    let dims = site.result_dims()?;
    let result = places(&equation.result, dims.len());
    let operands = equation.operands.iter().zip(&inputs);
    let operands: Vec<_> = operands.map(|(labels, input)| (input, places(labels, input.rank()))).collect();
    let mut lengths: BTreeMap<Place, Scalar> = BTreeMap::new();
    for (input, places) in &operands {
        for (place, length) in places.iter().zip(input.dims()) {
            let known = lengths.entry(*place).or_insert_with(|| length.clone());
            if known.known() == Some(1) || known.known().is_some() && length.known().is_none() {
                *known = length;
            }
        }
    }
    let summed = lengths.iter().filter(|(place, _)| !result.contains(place));
    let summed = summed.map(|(place, length)| {
        let name = match place {
            Place::Named(name) => char::from(*name),
            Place::Unnamed(_) => 'k',
        };
        Ok((*place, ReduceAxis::new(length, &name.to_string())?))
    });
    let summed = summed.collect::<Answer<Vec<_>>>()?;
    let value = Stage::new("T_einsum").over(&dims, |i| {
        let mut indices: BTreeMap<Place, Scalar> = result.iter().copied().zip(i.iter().cloned()).collect();
        indices.extend(summed.iter().map(|(place, axis)| (*place, axis.index())));
        let index = |place: &Place, length: &Scalar| {
            let is_one = |length: Option<&Scalar>| length.and_then(Scalar::known) == Some(1);
            match indices.get(place) {
                Some(_) if is_one(Some(length)) && !is_one(lengths.get(place)) => int(0),
                Some(index) => index.clone(),
                None => Scalar::error("a label of the subscripts has no axis"),
            }
        };
        let terms = operands.iter().map(|(input, places)| {
            let own = input.dims();
            let at: Vec<Scalar> =
                places.iter().zip(&own).map(|(place, length)| index(place, length)).collect();
            input.at(&at)
        });
        let product = terms.reduce(|product, term| product * term);
        let product = product.unwrap_or_else(|| Scalar::error("there are no operands"));
        let axes: Vec<ReduceAxis> = summed.iter().map(|(_, axis)| axis.clone()).collect();
        if axes.is_empty() { product } else { Combine::Sum.over(product, &axes) }
    });
    Outcome::one(value?)
}
