//! Making arrays: from values, filled, counted, joined.

use tvmscript_ir_core::{DataType, with_stack};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::array::{Array, MAX_DIMENSIONS, Num, charge, count_of};
use super::dtype::{self, promoted};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::Outcome;
use crate::python::builtins::not_none;
use crate::python::number::{Number, small_index};

/// The array of a value: an array itself, a number, or nested sequences.
pub(super) fn array(p: &mut Eval<'_>, value: &ScriptValue, wanted: Option<DataType>) -> Result<Array, Raise> {
    if let Some(array) = Array::of(value) {
        let array = Array { is_scalar: false, ..array.clone() };
        return match wanted.filter(|wanted| *wanted != array.dtype) {
            Some(wanted) => cast(p, &array, wanted),
            None => Ok(array),
        };
    }
    let mut shape = Vec::new();
    let mut leaves = Vec::new();
    flatten(p, value, 0, &mut shape, &mut leaves)?;
    let mut common: Option<DataType> = None;
    for leaf in &leaves {
        let own = match (Array::of(leaf), leaf) {
            (Some(number), _) => number.dtype,
            (None, ScriptValue::Bool(_)) => DataType::BOOL,
            (None, ScriptValue::Float(_)) => DataType::float(64),
            (None, ScriptValue::BigInt(i)) if i.bits() <= 64 && i.sign() != num_bigint::Sign::Minus => {
                DataType::uint(64)
            }
            (None, ScriptValue::Int(_)) => DataType::INT64,
            (None, other) => {
                return Err(wrong_type!("arrays of '{}' objects are not supported", other).into());
            }
        };
        common = Some(common.map_or(own, |common| promoted(common, own)));
    }
    let dtype = wanted.or(common).unwrap_or(DataType::float(64));
    charge(p, leaves.len())?;
    let mut data = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        data.push(match Array::of(leaf).and_then(|number| Some((number.only()?, number.dtype))) {
            Some((value, from)) => dtype::converted(value, from, dtype),
            None => dtype::element(leaf, dtype)?,
        });
    }
    Ok(Array::new(dtype, shape, data))
}

/// Collects the elements of nested sequences, which must have equal lengths.
fn flatten(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    depth: usize,
    shape: &mut Vec<usize>,
    leaves: &mut Vec<ScriptValue>,
) -> Result<(), Raise> {
    p.state.program.budget.step(1)?;
    let rows = match value {
        ScriptValue::List(items) => items.borrow().to_vec(),
        ScriptValue::Tuple(items) => items.to_vec(),
        ScriptValue::Host(_) if crate::python::range::of(value).is_some() => p.collect_values(value)?,
        ScriptValue::Host(_) => match Array::of(value) {
            Some(array) if !array.shape.is_empty() => p.collect_values(value)?,
            _ => return leaf(value, depth, shape, leaves),
        },
        _ => return leaf(value, depth, shape, leaves),
    };
    if depth >= MAX_DIMENSIONS {
        raise!(
            Value,
            "setting an array element with a sequence. The requested array would exceed the maximum number of dimension of 64."
        );
    }
    if leaves.is_empty() && shape.len() == depth {
        shape.push(rows.len());
    } else if shape.get(depth) != Some(&rows.len()) {
        return Err(ragged(shape.get(..depth).unwrap_or(shape)).into());
    }
    for row in &rows {
        with_stack(|| flatten(p, row, depth + 1, shape, leaves))?;
    }
    Ok(())
}

fn leaf(
    value: &ScriptValue,
    depth: usize,
    shape: &[usize],
    leaves: &mut Vec<ScriptValue>,
) -> Result<(), Raise> {
    if shape.len() != depth {
        return Err(ragged(shape.get(..depth).unwrap_or(shape)).into());
    }
    leaves.push(value.clone());
    Ok(())
}

fn ragged(common: &[usize]) -> HostError {
    HostError::value_error(format!(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after {} dimensions. The detected shape was {} + inhomogeneous part.",
        common.len(),
        super::operate::shape_text(common)
    ))
}

/// The array with elements of another type.
pub(super) fn cast(p: &Eval<'_>, array: &Array, dtype: DataType) -> Result<Array, Raise> {
    charge(p, array.size())?;
    let data =
        array.elements().into_iter().map(|value| dtype::converted(value, array.dtype, dtype)).collect();
    Ok(Array::new(dtype, array.shape.clone(), data))
}

/// A shape: an integer or a sequence of them.
pub(super) fn shape(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Vec<usize>, Raise> {
    let dims = match whole(value) {
        Some(dim) => vec![dim],
        None => {
            let mut dims = Vec::new();
            for dim in p.collect_values(value)? {
                match whole(&dim) {
                    Some(dim) => dims.push(dim),
                    None => {
                        return Err(
                            wrong_type!("'{}' object cannot be interpreted as an integer", &dim).into()
                        );
                    }
                }
            }
            dims
        }
    };
    if dims.len() > MAX_DIMENSIONS {
        raise!(Value, "maximum supported dimension for an ndarray is currently 64, found {}", dims.len());
    }
    let mut shape = Vec::with_capacity(dims.len());
    for dim in dims {
        match usize::try_from(dim) {
            Ok(dim) => shape.push(dim),
            Err(_) => raise!(Value, "negative dimensions are not allowed"),
        }
    }
    Ok(shape)
}

/// The integer value of an argument, which may be one of numpy's numbers.
pub(super) fn whole(value: &ScriptValue) -> Option<i64> {
    match Array::of(value) {
        Some(array) if !dtype::is_float(array.dtype) => match array.only() {
            Some(Num::Int(i)) if array.shape.is_empty() => Some(i),
            _ => None,
        },
        Some(_) => None,
        None => small_index(value),
    }
}

/// An array filled with one element.
pub(super) fn filled(p: &mut Eval<'_>, shape: Vec<usize>, dtype: DataType, value: Num) -> Outcome {
    let count = count_of(&shape);
    charge(p, count)?;
    Ok(Array::new(dtype, shape, vec![value; count]).value())
}

/// `arange([start,] stop[, step])`
pub(super) fn arange(p: &mut Eval<'_>, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    let wanted = not_none(a.take_keyword("dtype")).map(|dtype| dtype::argument(&dtype)).transpose()?;
    for name in ["start", "stop", "step"] {
        if let Some(value) = a.take_keyword(name) {
            a.positional.push(value);
        }
    }
    let plain =
        |value: &ScriptValue| match crate::python::object::of(value).and_then(|object| object.number()) {
            Some(number) => number,
            None => value.clone(),
        };
    let mut parts: Vec<ScriptValue> = a.positional.iter().map(plain).collect();
    let wanted = match parts.get(3) {
        Some(dtype) => Some(dtype::argument(dtype)?),
        None => wanted,
    };
    parts.truncate(3);
    let one = ScriptValue::Int(1);
    let (start, stop, step) = match parts.as_slice() {
        [stop] => (ScriptValue::Int(0), stop.clone(), one),
        [start, stop] => (start.clone(), stop.clone(), one),
        [start, stop, step] => (start.clone(), stop.clone(), step.clone()),
        _ => raise!(Type, "arange() requires stop to be specified."),
    };
    if let (Some(start), Some(stop), Some(step)) =
        (small_index(&start), small_index(&stop), small_index(&step))
    {
        if step == 0 {
            raise!(ZeroDivision, "division by zero");
        }
        let range = crate::python::range::Range { start, stop, step };
        charge(p, range.len())?;
        let dtype = wanted.unwrap_or(DataType::INT64);
        let element = |at| dtype::converted(Num::Int(range.at(at)), DataType::INT64, dtype);
        let data: Vec<Num> = (0..range.len()).map(element).collect();
        return Ok(Array::new(dtype, vec![data.len()], data).value());
    }
    let float = |value: &ScriptValue| match Number::of(value) {
        Some(number) => number.to_float(),
        None => Err(wrong_type!("unsupported operand type(s) for -: '{}' and 'int'", value)),
    };
    let (start, stop, step) = (float(&start)?, float(&stop)?, float(&step)?);
    let count = ((stop - start) / step).ceil();
    if !count.is_finite() {
        raise!(Value, "Maximum allowed size exceeded");
    }
    let count = count.max(0.0) as usize;
    charge(p, count)?;
    let dtype = wanted.unwrap_or(DataType::float(64));
    let delta = (start + step) - start;
    let element =
        |at: usize| dtype::converted(Num::Float(start + at as f64 * delta), DataType::float(64), dtype);
    Ok(Array::new(dtype, vec![count], (0..count).map(element).collect()).value())
}

/// `linspace(start, stop, num=50, endpoint=True, dtype=None)`
pub(super) fn linspace(p: &mut Eval<'_>, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    let wanted = not_none(a.take_keyword("dtype")).map(|dtype| dtype::argument(&dtype)).transpose()?;
    let endpoint = match a.take_keyword("endpoint") {
        Some(endpoint) => p.truth(&endpoint)?,
        None => true,
    };
    let num = a.take_keyword("num").or_else(|| a.positional.get(2).cloned());
    let num = num.map_or(Some(50), |num| whole(&num));
    let [start, stop, ..] = a.positional.as_slice() else {
        raise!(Type, "linspace() missing required positional arguments: 'start' and 'stop'");
    };
    let Some(num) = num else { raise!(Type, "'num' must be an integer") };
    let Ok(count) = usize::try_from(num) else {
        raise!(Value, "Number of samples, {num}, must be non-negative.")
    };
    let float = |p: &mut Eval<'_>, value: &ScriptValue| {
        let array = array(p, value, Some(DataType::float(64)))?;
        Ok::<f64, Raise>(array.only().map_or(f64::NAN, |value| dtype::float(value, DataType::float(64))))
    };
    let (start, stop) = (float(p, start)?, float(p, stop)?);
    charge(p, count)?;
    let gaps = if endpoint { count.saturating_sub(1) } else { count };
    let step = (stop - start) / gaps as f64;
    let dtype = wanted.unwrap_or(DataType::float(64));
    let element = |at: usize| {
        let value = match at {
            at if endpoint && gaps > 0 && at == gaps => stop,
            at if gaps > 0 => at as f64 * step + start,
            _ => start,
        };
        let value = if dtype::is_float(dtype) { value } else { value.floor() };
        dtype::converted(Num::Float(value), DataType::float(64), dtype)
    };
    Ok(Array::new(dtype, vec![count], (0..count).map(element).collect()).value())
}

/// Joins arrays along an axis.
pub(super) fn concatenated(p: &mut Eval<'_>, arrays: &[Array], axis: i64) -> Result<Array, Raise> {
    let Some(first) = arrays.first() else { raise!(Value, "need at least one array to concatenate") };
    let rank = first.shape.len();
    if rank == 0 {
        raise!(Value, "zero-dimensional arrays cannot be concatenated");
    }
    let axis = super::reduce::axis_of(axis, rank)?;
    let mut shape = first.shape.clone();
    let mut dtype = first.dtype;
    for (at, array) in arrays.iter().enumerate().skip(1) {
        if array.shape.len() != rank {
            raise!(
                Value,
                "all the input arrays must have same number of dimensions, but the array at index 0 has {rank} dimension(s) and the array at index {at} has {} dimension(s)",
                array.shape.len()
            );
        }
        for (dim, (x, y)) in first.shape.iter().zip(&array.shape).enumerate() {
            if dim != axis && x != y {
                raise!(
                    Value,
                    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {dim}, the array at index 0 has size {x} and the array at index {at} has size {y}"
                );
            }
        }
        if let (Some(sum), Some(len)) = (shape.get_mut(axis), array.shape.get(axis)) {
            *sum = sum.saturating_add(*len);
        }
        dtype = promoted(dtype, array.dtype);
    }
    charge(p, count_of(&shape))?;
    let result = Array::new(dtype, shape.clone(), vec![Num::Int(0); count_of(&shape)]);
    let mut from = 0;
    for array in arrays {
        let mut part = result.clone();
        // All arrays have the rank of the first, in which the axis is.
        let (Some(stride), Some(len)) = (part.strides.get(axis), array.shape.get(axis)) else { break };
        part.offset += from * (*stride).max(0) as usize;
        part.shape.splice(axis..=axis, [*len]);
        from += *len;
        part.assign(array.elements().into_iter().map(|value| dtype::converted(value, array.dtype, dtype)));
    }
    Ok(result)
}
