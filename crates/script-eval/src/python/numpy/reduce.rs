//! Reductions along axes.

use std::cmp::Ordering;

use tvmscript_ir_core::DataType;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::array::{Array, Num, charge, count_of};
use super::create::{self, whole};
use super::dtype::{self, is_float, rounded, wide, wrapped};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::Outcome;

/// A function of all elements along axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reduction {
    Sum,
    Product,
    Minimum,
    Maximum,
    Mean,
    All,
    Any,
    ArgMin,
    ArgMax,
}

/// An axis of an array of this rank.
pub(super) fn axis_of(axis: i64, rank: usize) -> Result<usize, HostError> {
    let at = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    match usize::try_from(at) {
        Ok(at) if at < rank => Ok(at),
        _ => raise!(Value, "axis {axis} is out of bounds for array of dimension {rank}"),
    }
}

/// The axes that an argument names; `None` for all.
pub(super) fn axes_of(p: &mut Eval<'_>, value: &ScriptValue, rank: usize) -> Result<Vec<usize>, Raise> {
    if let ScriptValue::None = value {
        return Ok((0..rank).collect());
    }
    let values = match whole(value) {
        Some(_) => vec![value.clone()],
        None => p.collect_values(value)?,
    };
    let mut axes = Vec::new();
    for value in values {
        let Some(axis) = whole(&value) else {
            return Err(wrong_type!("'{}' object cannot be interpreted as an integer", &value).into());
        };
        let axis = axis_of(axis, rank)?;
        if axes.contains(&axis) {
            raise!(Value, "duplicate value in 'axis'");
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// `np.sum(array, axis=None, dtype=None, keepdims=False)` and its like. The first argument is the array.
pub(super) fn reduce(p: &mut Eval<'_>, reduction: Reduction, mut a: CallArgs) -> Outcome {
    let keep = match a.take_keyword("keepdims") {
        Some(keep) => p.truth(&keep)?,
        None => false,
    };
    let wanted = a.take_keyword("dtype").filter(|dtype| !matches!(dtype, ScriptValue::None));
    let wanted = wanted.map(|dtype| dtype::argument(&dtype)).transpose()?;
    let axis = a.take_keyword("axis").or_else(|| a.positional.get(1).cloned()).unwrap_or_default();
    let Some(first) = a.positional.first() else { raise!(Type, "an array is needed") };
    if let Some((name, _)) = a.keywords.first() {
        raise!(Type, "unexpected keyword argument '{name}'");
    }
    let array = create::array(p, first, None)?;
    let axes = axes_of(p, &axis, array.shape.len())?;
    let from = array.dtype;
    let dtype = match reduction {
        Reduction::All | Reduction::Any => DataType::BOOL,
        Reduction::ArgMin | Reduction::ArgMax => DataType::INT64,
        Reduction::Minimum | Reduction::Maximum => from,
        Reduction::Mean => match is_float(from) {
            true => wanted.unwrap_or(from),
            false => wanted.unwrap_or(DataType::float(64)),
        },
        Reduction::Sum | Reduction::Product => wanted.unwrap_or(match from {
            dtype if is_float(dtype) => dtype,
            dtype if dtype.is_uint() => DataType::uint(64),
            _ => DataType::INT64,
        }),
    };
    let kept: Vec<usize> = (0..array.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let outer = array.permuted(&kept);
    let shape: Vec<usize> = match keep {
        true => array
            .shape
            .iter()
            .enumerate()
            .map(|(axis, dim)| if axes.contains(&axis) { 1 } else { *dim })
            .collect(),
        false => outer.shape.clone(),
    };
    charge(p, count_of(&outer.shape))?;
    charge(p, array.size())?;
    let mut inner_axes = axes.clone();
    inner_axes.sort_unstable();
    // Neighbouring elements are added in pairs, others in order, as numpy does.
    let in_pairs = inner_axes.contains(&array.shape.len().saturating_sub(1));
    let mut out = Vec::with_capacity(outer.size());
    for offset in outer.positions() {
        let inner = Array { offset, ..array.permuted(&inner_axes) };
        out.push(value(reduction, &inner.elements(), from, dtype, in_pairs)?);
    }
    let result = Array::new(dtype, shape, out);
    Ok(if result.shape.is_empty() { result.result() } else { result.value() })
}

fn value(
    reduction: Reduction,
    values: &[Num],
    from: DataType,
    dtype: DataType,
    in_pairs: bool,
) -> Result<Num, HostError> {
    let truth = |value: &Num| match value {
        Num::Int(i) => *i != 0,
        Num::Float(f) => *f != 0.0,
    };
    let floats = || values.iter().map(|value| dtype::float(*value, from)).collect::<Vec<_>>();
    let total = |values: &[f64]| match in_pairs {
        true => pairwise(values, dtype),
        false => values.iter().fold(0.0, |sum, value| number(rounded(sum + value, dtype))),
    };
    Ok(match reduction {
        Reduction::All => Num::Int(i64::from(values.iter().all(truth))),
        Reduction::Any => Num::Int(i64::from(values.iter().any(truth))),
        Reduction::Sum if is_float(dtype) => rounded(total(&floats()), dtype),
        Reduction::Sum => {
            wrapped(values.iter().fold(0i128, |sum, value| sum.wrapping_add(wide(*value, from))), dtype)
        }
        Reduction::Product if is_float(dtype) => {
            let product = floats().iter().fold(1.0, |product, value| number(rounded(product * value, dtype)));
            rounded(product, dtype)
        }
        Reduction::Product => values.iter().fold(Num::Int(1), |product, value| {
            wrapped(wide(product, dtype).wrapping_mul(wide(*value, from)), dtype)
        }),
        Reduction::Mean => rounded(total(&floats()) / values.len() as f64, dtype),
        Reduction::Minimum | Reduction::Maximum | Reduction::ArgMin | Reduction::ArgMax => {
            let largest = matches!(reduction, Reduction::Maximum | Reduction::ArgMax);
            let Some((at, value)) = extreme(values, from, largest) else {
                match reduction {
                    Reduction::ArgMin => raise!(Value, "attempt to get argmin of an empty sequence"),
                    Reduction::ArgMax => raise!(Value, "attempt to get argmax of an empty sequence"),
                    Reduction::Minimum => {
                        raise!(Value, "zero-size array to reduction operation minimum which has no identity")
                    }
                    _ => {
                        raise!(Value, "zero-size array to reduction operation maximum which has no identity")
                    }
                }
            };
            match reduction {
                Reduction::ArgMin | Reduction::ArgMax => Num::Int(at as i64),
                _ => value,
            }
        }
    })
}

fn number(value: Num) -> f64 {
    match value {
        Num::Float(f) => f,
        Num::Int(i) => i as f64,
    }
}

/// The first smallest or largest element with its position; the first NaN wins.
fn extreme(values: &[Num], dtype: DataType, largest: bool) -> Option<(usize, Num)> {
    let mut numbered = values.iter().copied().enumerate();
    if let Some(found) = numbered.clone().find(|(_, value)| matches!(value, Num::Float(f) if f.is_nan())) {
        return Some(found);
    }
    let better = if largest { Ordering::Greater } else { Ordering::Less };
    let mut best = numbered.next()?;
    for (at, value) in numbered {
        let order = match is_float(dtype) {
            true => dtype::float(value, dtype).partial_cmp(&dtype::float(best.1, dtype)),
            false => Some(wide(value, dtype).cmp(&wide(best.1, dtype))),
        };
        if order == Some(better) {
            best = (at, value);
        }
    }
    Some(best)
}

/// The sum in numpy's order: eight partial sums for up to 128 elements, halves for more.
fn pairwise(values: &[f64], dtype: DataType) -> f64 {
    let round = |value: f64| number(rounded(value, dtype));
    let (eights, left) = values.as_chunks::<8>();
    let Some((first, eights)) = eights.split_first() else {
        return values.iter().fold(0.0, |sum, value| round(sum + value));
    };
    if values.len() <= 128 {
        let mut sums = *first;
        for chunk in eights {
            for (sum, value) in sums.iter_mut().zip(chunk) {
                *sum = round(*sum + value);
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let low = round(round(a + b) + round(c + d));
        let high = round(round(e + f) + round(g + h));
        return left.iter().fold(round(low + high), |sum, value| round(sum + value));
    }
    let half = values.len() / 2;
    let (low, high) = values.split_at(half - half % 8);
    round(pairwise(low, dtype) + pairwise(high, dtype))
}

/// `np.cumsum`
pub(super) fn cumulative_sum(p: &mut Eval<'_>, mut a: CallArgs) -> Outcome {
    let axis = a.take_keyword("axis").or_else(|| a.positional.get(1).cloned()).unwrap_or_default();
    let wanted = a.take_keyword("dtype").map(|dtype| dtype::argument(&dtype)).transpose()?;
    let Some(first) = a.positional.first() else { raise!(Type, "an array is needed") };
    let mut array = create::array(p, first, None)?;
    let axis = match &axis {
        ScriptValue::None => {
            let size = array.size();
            array = array.reshaped(p, vec![size])?;
            0
        }
        axis => match axes_of(p, axis, array.shape.len())?.first() {
            Some(axis) => *axis,
            None => raise!(Type, "'tuple' object cannot be interpreted as an integer"),
        },
    };
    let from = array.dtype;
    let dtype = wanted.unwrap_or(match from {
        dtype if is_float(dtype) => dtype,
        dtype if dtype.is_uint() => DataType::uint(64),
        _ => DataType::INT64,
    });
    charge(p, 2 * array.size())?;
    let result = create::cast(p, &array, dtype)?;
    let stride = result.strides.get(axis).map_or(0, |stride| (*stride).max(0) as usize);
    let len = result.shape.get(axis).map_or(1, |len| (*len).max(1));
    let mut data = result.data.borrow_mut();
    // The lines along the axis, which begin in the first `stride` elements of each block.
    for block in data.chunks_mut(stride.saturating_mul(len).max(1)) {
        for first in 0..stride.min(block.len()) {
            let mut sum = None;
            for own in block.iter_mut().skip(first).step_by(stride) {
                if let Some(before) = sum {
                    *own = match is_float(dtype) {
                        true => rounded(number(before) + number(*own), dtype),
                        false => wrapped(wide(before, dtype) + wide(*own, dtype), dtype),
                    };
                }
                sum = Some(*own);
            }
        }
    }
    drop(data);
    Ok(result.value())
}
