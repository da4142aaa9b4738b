//! Subscripts of arrays.

use tvmscript_script_value::ScriptValue;

use super::array::{Array, MAX_DIMENSIONS, Num, charge, count_of};
use super::create::{self, whole};
use super::dtype;
use super::operate::{broadcast_shape, shape_text};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::{Outcome, subscript};

/// The elements that a subscript selects: a view, or the storage positions of single elements.
enum Selection {
    View(Array),
    Positions { shape: Vec<usize>, positions: Vec<usize> },
}

/// `array[key]`
pub(super) fn get(p: &mut Eval<'_>, array: &Array, key: &ScriptValue) -> Outcome {
    match select(p, array, key)? {
        Selection::View(view) => Ok(view.part()),
        Selection::Positions { shape, positions } => {
            charge(p, positions.len())?;
            let data = array.data.borrow();
            let picked = positions.iter().filter_map(|at| data.get(*at).copied()).collect();
            Ok(Array::new(array.dtype, shape, picked).value())
        }
    }
}

/// `array[key] = value`
pub(super) fn set(
    p: &mut Eval<'_>,
    array: &Array,
    key: &ScriptValue,
    new: &ScriptValue,
) -> Result<(), Raise> {
    let selection = select(p, array, key)?;
    let new = match Array::of(new) {
        Some(new) => new.clone(),
        // Numbers of Python must fit the type.
        None => create::array(p, new, Some(array.dtype))?,
    };
    let shape = match &selection {
        Selection::View(view) => view.shape.clone(),
        Selection::Positions { shape, .. } => shape.clone(),
    };
    let fits = broadcast_shape(&new.shape, &shape).ok().filter(|fitted| *fitted == shape);
    if fits.is_none() {
        raise!(
            Value,
            "could not broadcast input array from shape {} into shape {}",
            shape_text(&new.shape),
            shape_text(&shape)
        );
    }
    charge(p, count_of(&shape))?;
    let values = new.broadcast(&shape).elements();
    let values = values.into_iter().map(|value| dtype::converted(value, new.dtype, array.dtype));
    match selection {
        Selection::View(view) => view.assign(values),
        Selection::Positions { positions, .. } => {
            let mut data = array.data.borrow_mut();
            for (at, value) in positions.into_iter().zip(values) {
                if let Some(slot) = data.get_mut(at) {
                    *slot = value;
                }
            }
        }
    }
    Ok(())
}

fn select(p: &mut Eval<'_>, array: &Array, key: &ScriptValue) -> Result<Selection, Raise> {
    let keys = match key {
        ScriptValue::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let mut used = 0;
    for key in &keys {
        used += match key {
            ScriptValue::None | ScriptValue::Ellipsis => 0,
            key => match mask(key) {
                Some(mask) => mask.shape.len(),
                None => 1,
            },
        };
    }
    if used > array.shape.len() {
        raise!(
            Index,
            "too many indices for array: array is {}-dimensional, but {used} were indexed",
            array.shape.len()
        );
    }
    let mut view = Array { shape: Vec::new(), strides: Vec::new(), is_scalar: false, ..array.clone() };
    // Axes of the view that arrays of indices select from, with the indices.
    let mut fancy: Vec<(usize, Array)> = Vec::new();
    let mut axis = 0;
    let mut had_ellipsis = false;
    for key in &keys {
        let (len, stride) =
            (array.shape.get(axis).copied().unwrap_or(0), array.strides.get(axis).copied().unwrap_or(0));
        match key {
            ScriptValue::None => {
                view.shape.push(1);
                view.strides.push(0);
            }
            ScriptValue::Ellipsis => {
                if std::mem::replace(&mut had_ellipsis, true) {
                    raise!(Index, "an index can only have a single ellipsis ('...')");
                }
                for _ in 0..array.shape.len() - used {
                    view.shape.push(array.shape[axis]);
                    view.strides.push(array.strides[axis]);
                    axis += 1;
                }
            }
            ScriptValue::Slice(slice) => {
                let (start, stop, step) = subscript::bounds(slice, len)?;
                let count = crate::python::range::Range { start, stop, step }.len();
                if count > 0 {
                    view.offset = (view.offset as isize)
                        .wrapping_add((start as isize).wrapping_mul(stride))
                        .max(0) as usize;
                }
                view.shape.push(count);
                view.strides.push(stride.saturating_mul(step as isize));
                axis += 1;
            }
            key if !matches!(key, ScriptValue::Bool(_)) && whole(key).is_some() => {
                let at = whole(key).unwrap_or(0);
                let at = place(at, axis, len)? as isize;
                view.offset = (view.offset as isize).wrapping_add(at.wrapping_mul(stride)).max(0) as usize;
                axis += 1;
            }
            key => {
                if let Some(mask) = mask(key) {
                    for (dim, indices) in
                        true_positions(p, &mask, &array.shape[axis..])?.into_iter().enumerate()
                    {
                        fancy.push((view.shape.len(), indices));
                        view.shape.push(array.shape[axis + dim]);
                        view.strides.push(array.strides[axis + dim]);
                    }
                    axis += mask.shape.len();
                    continue;
                }
                let is_sequence = matches!(key, ScriptValue::List(_) | ScriptValue::Host(_));
                let indices = match is_sequence {
                    true => create::array(p, key, None)?,
                    false => return Err(invalid().into()),
                };
                if dtype::is_float(indices.dtype) && indices.size() > 0 {
                    raise!(Index, "arrays used as indices must be of integer (or boolean) type");
                }
                let indices = if dtype::is_float(indices.dtype) {
                    create::cast(p, &indices, tvmscript_ir_core::DataType::INT64)?
                } else {
                    indices
                };
                fancy.push((view.shape.len(), indices));
                view.shape.push(len);
                view.strides.push(stride);
                axis += 1;
            }
        }
    }
    if view.shape.len() + array.shape.len().saturating_sub(axis) > MAX_DIMENSIONS {
        raise!(Index, "number of dimensions must be within [0, 64], indexing result would have more");
    }
    view.shape.extend(array.shape.iter().skip(axis));
    view.strides.extend(array.strides.iter().skip(axis));
    if fancy.is_empty() { Ok(Selection::View(view)) } else { gathered(p, &view, &fancy) }
}

fn invalid() -> HostError {
    HostError::index(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
    )
}

fn place(at: i64, axis: usize, len: usize) -> Result<usize, HostError> {
    match subscript::place_of(at, len) {
        Some(index) => Ok(index),
        None => raise!(Index, "index {at} is out of bounds for axis {axis} with size {len}"),
    }
}

/// The array of truth values that a key is.
fn mask(key: &ScriptValue) -> Option<Array> {
    match key {
        ScriptValue::List(items) => {
            let items = items.borrow();
            let bits: Option<Vec<Num>> = items
                .iter()
                .map(|item| match item {
                    ScriptValue::Bool(bit) => Some(Num::Int(i64::from(*bit))),
                    _ => None,
                })
                .collect();
            let bits = bits.filter(|bits| !bits.is_empty())?;
            Some(Array::new(tvmscript_ir_core::DataType::BOOL, vec![bits.len()], bits))
        }
        key => Array::of(key).filter(|array| array.dtype.is_bool() && !array.shape.is_empty()).cloned(),
    }
}

/// The indices of the true elements of a mask, for each of its dimensions.
fn true_positions(p: &mut Eval<'_>, mask: &Array, shape: &[usize]) -> Result<Vec<Array>, Raise> {
    for (axis, (own, other)) in mask.shape.iter().zip(shape).enumerate() {
        if own != other {
            raise!(
                Index,
                "boolean index did not match indexed array along axis {axis}; size of axis is {other} but size of corresponding boolean axis is {own}"
            );
        }
    }
    charge(p, mask.size().saturating_mul(mask.shape.len()))?;
    let mut found = vec![Vec::new(); mask.shape.len()];
    for (at, value) in mask.elements().into_iter().enumerate() {
        if value == Num::Int(0) {
            continue;
        }
        let mut rest = at;
        for axis in (0..mask.shape.len()).rev() {
            let dim = mask.shape[axis].max(1);
            found[axis].push(Num::Int((rest % dim) as i64));
            rest /= dim;
        }
    }
    let array =
        |indices: Vec<Num>| Array::new(tvmscript_ir_core::DataType::INT64, vec![indices.len()], indices);
    Ok(found.into_iter().map(array).collect())
}

/// `np.nonzero`
pub(super) fn nonzero(p: &mut Eval<'_>, array: &Array) -> Outcome {
    let mask = super::operate::binary(
        p,
        super::operate::Binary::Compare(tvmscript_python_syntax::ast::CmpOp::NotEq),
        &array.clone().value(),
        &ScriptValue::Int(0),
    )?;
    let Some(mask) = mask.as_ref().and_then(Array::of) else { return Ok(ScriptValue::None) };
    let found = true_positions(p, mask, &mask.shape)?;
    Ok(ScriptValue::tuple(found.into_iter().map(Array::value)))
}

/// Selects with arrays of indices. Their common shape replaces their axes: in place if they are neighbours, in front
/// otherwise.
fn gathered(p: &mut Eval<'_>, view: &Array, fancy: &[(usize, Array)]) -> Result<Selection, Raise> {
    let mut common = Vec::new();
    for (_, indices) in fancy {
        common = match broadcast_shape(&common, &indices.shape) {
            Ok(shape) => shape,
            Err(_) => {
                let shapes: Vec<String> =
                    fancy.iter().map(|(_, indices)| shape_text(&indices.shape)).collect();
                raise!(
                    Index,
                    "shape mismatch: indexing arrays could not be broadcast together with shapes {} ",
                    shapes.join(" ")
                )
            }
        };
    }
    let count = count_of(&common);
    charge(p, count.saturating_mul(fancy.len()))?;
    let mut offsets = vec![0isize; count];
    for (axis, indices) in fancy {
        let (len, stride) = (view.shape[*axis], view.strides[*axis]);
        for (offset, value) in offsets.iter_mut().zip(indices.broadcast(&common).elements()) {
            let Num::Int(at) = value else { return Err(invalid().into()) };
            *offset = offset.wrapping_add((place(at, *axis, len)? as isize).wrapping_mul(stride));
        }
    }
    let axes: Vec<usize> = fancy.iter().map(|(axis, _)| *axis).collect();
    let first = axes.first().copied().unwrap_or(0);
    let are_neighbours = axes.iter().enumerate().all(|(at, axis)| *axis == first + at);
    let front = if are_neighbours { first } else { 0 };
    let kept: Vec<usize> = (0..view.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let (before, after): (Vec<usize>, Vec<usize>) = kept.iter().partition(|axis| **axis < front);
    let dims = |axes: &[usize]| axes.iter().map(|axis| view.shape[*axis]).collect::<Vec<_>>();
    let shape = [dims(&before), common, dims(&after)].concat();
    charge(p, count_of(&shape))?;
    let (outer, inner) = (view.permuted(&before), Array { offset: 0, ..view.permuted(&after) });
    let mut positions = Vec::with_capacity(count_of(&shape));
    if count_of(&shape) == 0 {
        return Ok(Selection::Positions { shape, positions: Vec::new() });
    }
    let relative = inner.positions_signed();
    for base in outer.positions() {
        for offset in &offsets {
            for rest in &relative {
                positions.push((base as isize + offset + rest).max(0) as usize);
            }
        }
    }
    Ok(Selection::Positions { shape, positions })
}
