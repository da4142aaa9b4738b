//! Subscripts of arrays.

use tvmscript_script_value::ScriptValue;

use super::array::{Array, MAX_DIMENSIONS, charge, count_of};
use super::create::{self, whole};
use super::dtype;
use super::operate::{broadcast_shape, shape_text};
use crate::errors::{EvalErrorKind, HostError};
use crate::eval::Raise;
use crate::python::{Outcome, subscript};
use crate::{Eval, EvalState};

/// `array[key]`
pub(super) fn get(p: &mut Eval<'_>, array: &Array, key: &ScriptValue) -> Outcome {
    Ok(select(p.state, array, key)?.part())
}

/// `array[key] = value`
pub(super) fn set(
    p: &mut Eval<'_>,
    array: &Array,
    key: &ScriptValue,
    new: &ScriptValue,
) -> Result<(), Raise> {
    let view = select(p.state, array, key)?;
    let new = match Array::of(new) {
        Some(new) => new.clone(),
        // Numbers of Python must fit the type.
        None => create::array(p, new, Some(array.dtype))?,
    };
    let fits = broadcast_shape(&new.shape, &view.shape).ok().filter(|fitted| *fitted == view.shape);
    if fits.is_none() {
        raise!(
            Value,
            "could not broadcast input array from shape {} into shape {}",
            shape_text(&new.shape),
            shape_text(&view.shape)
        );
    }
    charge(p, count_of(&view.shape))?;
    let values = new.broadcast(&view.shape).elements();
    view.assign(values.into_iter().map(|value| dtype::converted(value, new.dtype, array.dtype)));
    Ok(())
}

/// The view that a subscript selects.
fn select(p: &EvalState, array: &Array, key: &ScriptValue) -> Result<Array, Raise> {
    let keys = match key {
        ScriptValue::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let used = keys.iter().filter(|key| !matches!(key, ScriptValue::None | ScriptValue::Ellipsis)).count();
    if used > array.shape.len() {
        raise!(
            Index,
            "too many indices for array: array is {}-dimensional, but {used} were indexed",
            array.shape.len()
        );
    }
    let mut view = Array { shape: Vec::new(), strides: Vec::new(), is_scalar: false, ..array.clone() };
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
                let skipped = array.shape.len() - used;
                view.shape.extend(array.shape.iter().skip(axis).take(skipped));
                view.strides.extend(array.strides.iter().skip(axis).take(skipped));
                axis += skipped;
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
            ScriptValue::List(_) | ScriptValue::Bool(_) | ScriptValue::Host(_) => {
                let what = "a subscript of an array by an array";
                return Err(EvalErrorKind::UnsupportedExpression { what }.into());
            }
            _ => raise!(
                Index,
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
            ),
        }
    }
    if view.shape.len() + array.shape.len().saturating_sub(axis) > MAX_DIMENSIONS {
        raise!(Index, "number of dimensions must be within [0, 64], indexing result would have more");
    }
    view.shape.extend(array.shape.iter().skip(axis));
    view.strides.extend(array.strides.iter().skip(axis));
    p.program.budget.step(1)?;
    Ok(view)
}

fn place(at: i64, axis: usize, len: usize) -> Result<usize, HostError> {
    match subscript::place_of(at, len) {
        Some(index) => Ok(index),
        None => raise!(Index, "index {at} is out of bounds for axis {axis} with size {len}"),
    }
}
