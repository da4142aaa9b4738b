//! `numpy`: arrays of numbers, for shapes and constants.
//!
//! Elements are booleans, integers or floats of 16, 32 or 64 bits. Integers wrap and floats are rounded as in numpy 2;
//! numbers of Python adapt to the type of an array. Storage is charged to the budget, 16 bytes per element.

pub(crate) mod array;
mod create;
pub(crate) mod dtype;
mod index;
mod limits;
mod operate;
mod reduce;
mod text;

use tvmscript_ir_core::DataType;
use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::{CallArgs, ScriptValue};

use array::{Array, Num, charge, count_of};
use create::whole;
use operate::Binary;
use reduce::Reduction;

use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::Outcome;
use crate::python::builtins::{Native, Table, not_none, own};

/// Types of numbers, which convert their argument.
pub(crate) static TYPES: Table = &[
    own("bool_").zero_or_one(|p, _, x| scalar(p, DataType::BOOL, x)),
    own("int8").zero_or_one(|p, _, x| scalar(p, DataType::int(8), x)),
    own("int16").zero_or_one(|p, _, x| scalar(p, DataType::int(16), x)),
    own("int32").zero_or_one(|p, _, x| scalar(p, DataType::int(32), x)),
    own("int64").zero_or_one(|p, _, x| scalar(p, DataType::int(64), x)),
    own("uint8").zero_or_one(|p, _, x| scalar(p, DataType::uint(8), x)),
    own("uint16").zero_or_one(|p, _, x| scalar(p, DataType::uint(16), x)),
    own("uint32").zero_or_one(|p, _, x| scalar(p, DataType::uint(32), x)),
    own("uint64").zero_or_one(|p, _, x| scalar(p, DataType::uint(64), x)),
    own("float16").zero_or_one(|p, _, x| scalar(p, DataType::float(16), x)),
    own("float32").zero_or_one(|p, _, x| scalar(p, DataType::float(32), x)),
    own("float64").zero_or_one(|p, _, x| scalar(p, DataType::float(64), x)),
    own("intp").zero_or_one(|p, _, x| scalar(p, DataType::INT64, x)),
    own("half").zero_or_one(|p, _, x| scalar(p, DataType::float(16), x)),
    own("single").zero_or_one(|p, _, x| scalar(p, DataType::float(32), x)),
    own("double").zero_or_one(|p, _, x| scalar(p, DataType::float(64), x)),
    own("ndarray").any(|p, _, a| match a.positional.first() {
        Some(dims) => {
            let shape = create::shape(p, dims)?;
            create::filled(p, shape, DataType::float(64), Num::Float(0.0))
        }
        None => raise!(Type, "ndarray() missing required argument 'shape' (pos 0)"),
    }),
    own("dtype").one(|_, _, x| Ok(ScriptValue::DType(dtype::argument(&x)?))),
];

/// A number of a type, or an array of them.
fn scalar(p: &mut Eval<'_>, dtype: DataType, value: Option<ScriptValue>) -> Outcome {
    let value = value.unwrap_or(ScriptValue::Int(0));
    let value = match &value {
        ScriptValue::Str(text) if dtype::is_float(dtype) => {
            match crate::python::builtins::parse_float(text.as_str()) {
                Some(float) => ScriptValue::Float(float),
                None => raise!(Value, "could not convert string to float: '{}'", text.as_str()),
            }
        }
        _ => value,
    };
    let array = create::array(p, &value, Some(dtype))?;
    Ok(if array.shape.is_empty() { array.result() } else { array.value() })
}

/// The argument of this position or name.
fn take(a: &mut CallArgs, at: usize, name: &str) -> Option<ScriptValue> {
    a.take_keyword(name).or_else(|| a.positional.get(at).cloned())
}

fn needed(a: &mut CallArgs, at: usize, name: &str) -> Result<ScriptValue, HostError> {
    take(a, at, name)
        .ok_or_else(|| HostError::type_error(format!("missing required argument '{name}' (pos {at})")))
}

fn dtype_of(a: &mut CallArgs, at: usize) -> Result<Option<DataType>, HostError> {
    not_none(take(a, at, "dtype")).map(|dtype| dtype::argument(&dtype)).transpose()
}

/// `np.zeros` and `np.ones`.
fn constant(p: &mut Eval<'_>, mut a: CallArgs, value: f64) -> Outcome {
    let dtype = dtype_of(&mut a, 1)?.unwrap_or(DataType::float(64));
    let shape = needed(&mut a, 0, "shape")?;
    let shape = create::shape(p, &shape)?;
    create::filled(p, shape, dtype, dtype::converted(Num::Float(value), DataType::float(64), dtype))
}

/// `np.zeros_like` and `np.ones_like`.
fn constant_like(p: &mut Eval<'_>, mut a: CallArgs, value: f64) -> Outcome {
    let dtype = dtype_of(&mut a, 1)?;
    let like = needed(&mut a, 0, "a")?;
    let like = create::array(p, &like, None)?;
    let dtype = dtype.unwrap_or(like.dtype);
    create::filled(
        p,
        like.shape.clone(),
        dtype,
        dtype::converted(Num::Float(value), DataType::float(64), dtype),
    )
}

macro_rules! floats {
    ($($name:literal $f:expr;)*) => { [$(own($name).one(|p, _, x| operate::map_float(p, &x, $f)),)*] };
}

/// Functions of floats, element by element.
pub(crate) static FLOATS: [Native; 20] = floats! {
    "sqrt" f64::sqrt; "exp" f64::exp; "exp2" f64::exp2; "expm1" f64::exp_m1; "log" f64::ln; "log2" f64::log2;
    "log10" f64::log10; "log1p" f64::ln_1p; "sin" f64::sin; "cos" f64::cos; "tan" f64::tan; "arcsin" f64::asin;
    "arccos" f64::acos; "arctan" f64::atan; "sinh" f64::sinh; "cosh" f64::cosh; "tanh" f64::tanh; "cbrt" f64::cbrt;
    "degrees" f64::to_degrees; "radians" f64::to_radians;
};

macro_rules! reductions {
    ($($name:literal $reduction:ident;)*) => { [$(own($name).any(|p, _, a| reduce::reduce(p, Reduction::$reduction, a)),)*] };
}

pub(crate) static REDUCTIONS: [Native; 12] = reductions! {
    "sum" Sum; "prod" Product; "min" Minimum; "max" Maximum; "amin" Minimum; "amax" Maximum; "mean" Mean;
    "average" Mean; "all" All; "any" Any; "argmin" ArgMin; "argmax" ArgMax;
};

macro_rules! binaries {
    ($($name:literal $function:expr;)*) => { [$(own($name).two(|p, _, x, y| elementwise(p, $function, &x, &y)),)*] };
}

pub(crate) static BINARIES: [Native; 26] = binaries! {
    "add" Binary::Operator(BinOp::Add); "subtract" Binary::Operator(BinOp::Sub);
    "multiply" Binary::Operator(BinOp::Mult); "divide" Binary::Operator(BinOp::Div);
    "true_divide" Binary::Operator(BinOp::Div); "floor_divide" Binary::Operator(BinOp::FloorDiv);
    "mod" Binary::Operator(BinOp::Mod); "remainder" Binary::Operator(BinOp::Mod);
    "power" Binary::Operator(BinOp::Pow); "left_shift" Binary::Operator(BinOp::LShift);
    "right_shift" Binary::Operator(BinOp::RShift); "bitwise_and" Binary::Operator(BinOp::BitAnd);
    "bitwise_or" Binary::Operator(BinOp::BitOr); "bitwise_xor" Binary::Operator(BinOp::BitXor);
    "equal" Binary::Compare(CmpOp::Eq); "not_equal" Binary::Compare(CmpOp::NotEq);
    "less" Binary::Compare(CmpOp::Lt); "less_equal" Binary::Compare(CmpOp::LtE);
    "greater" Binary::Compare(CmpOp::Gt); "greater_equal" Binary::Compare(CmpOp::GtE);
    "maximum" Binary::Maximum; "minimum" Binary::Minimum; "fmax" Binary::Maximum; "fmin" Binary::Minimum;
    "logical_and" Binary::And; "logical_or" Binary::Or;
};

fn elementwise(p: &mut Eval<'_>, function: Binary, x: &ScriptValue, y: &ScriptValue) -> Outcome {
    match operate::binary(p, function, x, y)? {
        Some(value) => Ok(value),
        None => Err(wrong_type!("arrays of '{}' and '{}' objects are not supported", x, y).into()),
    }
}

/// Rounds each element to an integer that is a float.
fn whole_floats(p: &mut Eval<'_>, x: &ScriptValue, f: fn(f64) -> f64) -> Outcome {
    let array = create::array(p, x, None)?;
    if !dtype::is_float(array.dtype) {
        return operate::map(p, &array, array.dtype, |value| value);
    }
    operate::map_float(p, x, f)
}

pub(crate) static FUNCTIONS: Table = &[
    own("array").any(|p, _, mut a| {
        let dtype = dtype_of(&mut a, 1)?;
        let value = needed(&mut a, 0, "object")?;
        let array = create::array(p, &value, dtype)?;
        Ok(if Array::of(&value).is_some() { array.copied(p)?.value() } else { array.value() })
    }),
    own("asarray").any(|p, _, mut a| {
        let dtype = dtype_of(&mut a, 1)?;
        let value = needed(&mut a, 0, "a")?;
        Ok(create::array(p, &value, dtype)?.value())
    }),
    own("zeros").any(|p, _, a| constant(p, a, 0.0)),
    own("ones").any(|p, _, a| constant(p, a, 1.0)),
    // Python leaves the elements unset.
    own("empty").any(|p, _, a| constant(p, a, 0.0)),
    own("zeros_like").any(|p, _, a| constant_like(p, a, 0.0)),
    own("ones_like").any(|p, _, a| constant_like(p, a, 1.0)),
    own("empty_like").any(|p, _, a| constant_like(p, a, 0.0)),
    own("full").any(|p, _, mut a| {
        let dtype = dtype_of(&mut a, 2)?;
        let (dims, value) = (needed(&mut a, 0, "shape")?, needed(&mut a, 1, "fill_value")?);
        let shape = create::shape(p, &dims)?;
        let value = create::array(p, &value, dtype)?;
        charge(p, count_of(&shape))?;
        let elements = value.broadcast(&operate::broadcast_shape(&value.shape, &shape)?).elements();
        Ok(Array::new(value.dtype, shape, elements).value())
    }),
    own("full_like").any(|p, _, mut a| {
        let dtype = dtype_of(&mut a, 2)?;
        let (like, value) = (needed(&mut a, 0, "a")?, needed(&mut a, 1, "fill_value")?);
        let like = create::array(p, &like, None)?;
        let value = create::array(p, &value, Some(dtype.unwrap_or(like.dtype)))?;
        charge(p, like.size())?;
        Ok(Array::new(value.dtype, like.shape.clone(), value.broadcast(&like.shape).elements()).value())
    }),
    own("iinfo").one(|_, _, x| limits::of_integers(&x)),
    own("finfo").one(|_, _, x| limits::of_floats(&x)),
    own("arange").any(create::arange),
    own("linspace").any(create::linspace),
    own("eye").any(|p, _, mut a| {
        let dtype = dtype_of(&mut a, 3)?.unwrap_or(DataType::float(64));
        let rows = needed(&mut a, 0, "N")?;
        let columns = not_none(take(&mut a, 1, "M")).unwrap_or_else(|| rows.clone());
        let shift = take(&mut a, 2, "k").and_then(|k| whole(&k)).unwrap_or(0);
        let shape = [create::shape(p, &rows)?, create::shape(p, &columns)?].concat();
        charge(p, count_of(&shape))?;
        let one = dtype::converted(Num::Int(1), DataType::INT64, dtype);
        let zero = dtype::converted(Num::Int(0), DataType::INT64, dtype);
        let width = shape.get(1).copied().unwrap_or(1).max(1);
        let element = |at: usize| if (at % width) as i64 == ((at / width) as i64).wrapping_add(shift) { one } else { zero };
        let data = (0..count_of(&shape)).map(element).collect();
        Ok(Array::new(dtype, shape, data).value())
    }),
    own("reshape").any(|p, _, mut a| {
        let (array, dims) = (needed(&mut a, 0, "a")?, needed(&mut a, 1, "shape")?);
        let array = create::array(p, &array, None)?;
        reshape(p, &array, &dims)
    }),
    own("transpose").any(|p, _, mut a| {
        let array = needed(&mut a, 0, "a")?;
        let axes = take(&mut a, 1, "axes").unwrap_or_default();
        let array = create::array(p, &array, None)?;
        transpose(p, &array, &axes)
    }),
    own("ravel").one(|p, _, x| {
        let array = create::array(p, &x, None)?;
        Ok(array.reshaped(p, vec![array.size()])?.value())
    }),
    own("squeeze").one_or_two(|p, _, x, axis| squeeze(p, &x, axis)).with_keywords(&["a", "axis"]),
    own("expand_dims").two(|p, _, x, axis| {
        let array = create::array(p, &x, None)?;
        let axes = reduce::axes_of(p, &axis, array.shape.len() + 1)?;
        let mut shape = array.shape.clone();
        axes.iter().for_each(|axis| shape.insert((*axis).min(shape.len()), 1));
        Ok(array.reshaped(p, shape)?.value())
    })
    .with_keywords(&["a", "axis"]),
    own("broadcast_to").two(|p, _, x, dims| {
        let (array, shape) = (create::array(p, &x, None)?, create::shape(p, &dims)?);
        match operate::broadcast_shape(&array.shape, &shape) {
            // A view, but charged like a copy, since scripts may take its elements.
            Ok(found) if found == shape => {
                charge(p, count_of(&shape))?;
                Ok(array.broadcast(&shape).value())
            }
            _ => raise!(
                Value,
                "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and requested shape {}",
                operate::shape_text(&array.shape),
                operate::shape_text(&shape)
            ),
        }
    })
    .with_keywords(&["array", "shape"]),
    own("concatenate").one_or_two(|p, _, items, axis| {
        let arrays = arrays_of(p, &items)?;
        let axis = axis.and_then(|axis| whole(&axis)).unwrap_or(0);
        Ok(create::concatenated(p, &arrays, axis)?.value())
    })
    .with_keywords(&["arrays", "axis"]),
    own("abs").one(|p, _, x| absolute(p, &x)),
    own("absolute").one(|p, _, x| absolute(p, &x)),
    own("negative").one(|p, _, x| {
        let array = create::array(p, &x, None)?;
        p.apply(Operator::Unary(UnaryOp::USub), &[array.value()])
    }),
    own("square").one(|p, _, x| elementwise(p, Binary::Operator(BinOp::Mult), &x, &x)),
    own("floor").one(|p, _, x| whole_floats(p, &x, f64::floor)),
    own("ceil").one(|p, _, x| whole_floats(p, &x, f64::ceil)),
    own("trunc").one(|p, _, x| whole_floats(p, &x, f64::trunc)),
    own("rint").one(|p, _, x| operate::map_float(p, &x, f64::round_ties_even)),
    own("isnan").one(|p, _, x| tested(p, &x, f64::is_nan)),
    own("isinf").one(|p, _, x| tested(p, &x, f64::is_infinite)),
    own("isfinite").one(|p, _, x| tested(p, &x, f64::is_finite)),
    own("logical_not").one(|p, _, x| elementwise(p, Binary::Compare(CmpOp::Eq), &x, &ScriptValue::Int(0))),
    own("cumsum").any(|p, _, a| reduce::cumulative_sum(p, a)),
    own("ndim").one(|p, _, x| Ok(ScriptValue::Int(create::array(p, &x, None)?.shape.len() as i64))),
    own("size").one(|p, _, x| Ok(ScriptValue::Int(create::array(p, &x, None)?.size() as i64))),
    own("shape").one(|p, _, x| {
        let shape = create::array(p, &x, None)?.shape;
        Ok(ScriptValue::tuple(shape.into_iter().map(|dim| ScriptValue::Int(dim as i64))))
    }),
];

/// Methods of arrays.
pub(crate) static METHODS: Table = &[
    own("astype").any(|p, v, mut a| {
        with(v, |array| {
            let dtype = dtype::argument(&needed(&mut a, 0, "dtype")?)?;
            let cast = create::cast(p, array, dtype)?;
            Ok(if array.is_scalar { cast.result() } else { cast.value() })
        })
    }),
    own("reshape").any(|p, v, a| {
        with(v, |array| match a.positional.as_slice() {
            [one] => reshape(p, array, one),
            dims => reshape(p, array, &ScriptValue::tuple(dims.iter().cloned())),
        })
    }),
    own("transpose").any(|p, v, a| {
        with(v, |array| match a.positional.as_slice() {
            [] => transpose(p, array, &ScriptValue::None),
            [one] => transpose(p, array, one),
            axes => transpose(p, array, &ScriptValue::tuple(axes.iter().cloned())),
        })
    }),
    own("flatten").zero(|p, v| {
        with(v, |array| {
            let copy = array.copied(p)?;
            Ok(copy.reshaped(p, vec![copy.size()])?.value())
        })
    }),
    own("ravel").zero(|p, v| with(v, |array| Ok(array.reshaped(p, vec![array.size()])?.value()))),
    own("copy").zero(|p, v| with(v, |array| Ok(array.copied(p)?.value()))),
    own("tolist").zero(|p, v| with(v, |array| array.to_list(p))),
    own("item").any(|p, v, a| {
        with(v, |array| {
            let part = match a.positional.as_slice() {
                [] => array.clone(),
                [one] if whole(one).is_some() => {
                    let flat = array.reshaped(p, vec![array.size()])?;
                    let part = index::get(p, &flat, one)?;
                    Array::of(&part).cloned().unwrap_or(flat)
                }
                [one] => Array::of(&index::get(p, array, one)?).cloned().unwrap_or_else(|| array.clone()),
                more => {
                    let part = index::get(p, array, &ScriptValue::tuple(more.iter().cloned()))?;
                    Array::of(&part).cloned().unwrap_or_else(|| array.clone())
                }
            };
            match part.only() {
                Some(value) => Ok(dtype::python(value, part.dtype)),
                None => raise!(Value, "can only convert an array of size 1 to a Python scalar"),
            }
        })
    }),
    own("fill").one(|p, v, x| {
        with(v, |array| {
            let value = create::array(p, &x, Some(array.dtype))?.only();
            let Some(value) = value else { raise!(Value, "setting an array element with a sequence.") };
            charge(p, array.size())?;
            array.assign(std::iter::repeat(value));
            Ok(ScriptValue::None)
        })
    }),
    own("squeeze").zero_or_one(squeeze).with_keywords(&["axis"]),
    own("cumsum").any(|p, v, a| reduce::cumulative_sum(p, first(v, a))),
    own("sum").any(|p, v, a| reduce::reduce(p, Reduction::Sum, first(v, a))),
    own("prod").any(|p, v, a| reduce::reduce(p, Reduction::Product, first(v, a))),
    own("min").any(|p, v, a| reduce::reduce(p, Reduction::Minimum, first(v, a))),
    own("max").any(|p, v, a| reduce::reduce(p, Reduction::Maximum, first(v, a))),
    own("mean").any(|p, v, a| reduce::reduce(p, Reduction::Mean, first(v, a))),
    own("all").any(|p, v, a| reduce::reduce(p, Reduction::All, first(v, a))),
    own("any").any(|p, v, a| reduce::reduce(p, Reduction::Any, first(v, a))),
    own("argmin").any(|p, v, a| reduce::reduce(p, Reduction::ArgMin, first(v, a))),
    own("argmax").any(|p, v, a| reduce::reduce(p, Reduction::ArgMax, first(v, a))),
];

fn with(v: &ScriptValue, f: impl FnOnce(&Array) -> Outcome) -> Outcome {
    Array::of(v).map_or(Ok(ScriptValue::None), f)
}

/// The arguments of a method with its receiver in front.
fn first(v: &ScriptValue, mut a: CallArgs) -> CallArgs {
    a.positional.insert(0, v.clone());
    a
}

fn arrays_of(p: &mut Eval<'_>, items: &ScriptValue) -> Result<Vec<Array>, Raise> {
    let mut arrays = Vec::new();
    for item in p.collect_values(items)? {
        arrays.push(create::array(p, &item, None)?);
    }
    Ok(arrays)
}

/// Another shape; one dimension may be -1.
fn reshape(p: &mut Eval<'_>, array: &Array, dims: &ScriptValue) -> Outcome {
    let dims = match whole(dims) {
        Some(dim) => vec![dim],
        None => {
            let mut found = Vec::new();
            for dim in p.collect_values(dims)? {
                match whole(&dim) {
                    Some(dim) => found.push(dim),
                    None => {
                        return Err(
                            wrong_type!("'{}' object cannot be interpreted as an integer", &dim).into()
                        );
                    }
                }
            }
            found
        }
    };
    let unknown = dims.iter().filter(|dim| **dim == -1).count();
    if unknown > 1 {
        raise!(Value, "can only specify one unknown dimension");
    }
    let known = dims
        .iter()
        .filter(|dim| **dim != -1)
        .fold(1usize, |count, dim| count.saturating_mul(usize::try_from(*dim).unwrap_or(usize::MAX)));
    let size = array.size();
    let rest = size.checked_div(known).unwrap_or(0);
    let shape: Vec<usize> = dims
        .iter()
        .map(|dim| if *dim == -1 { rest } else { usize::try_from(*dim).unwrap_or(usize::MAX) })
        .collect();
    if count_of(&shape) != size || dims.iter().any(|dim| *dim < -1) {
        let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
        let comma = if dims.len() == 1 { "," } else { "" };
        raise!(Value, "cannot reshape array of size {size} into shape ({}{comma})", dims.join(","));
    }
    Ok(array.reshaped(p, shape)?.value())
}

fn transpose(p: &mut Eval<'_>, array: &Array, axes: &ScriptValue) -> Outcome {
    let rank = array.shape.len();
    let axes = match axes {
        ScriptValue::None => (0..rank).rev().collect(),
        axes => {
            let mut found = Vec::new();
            for axis in p.collect_values(axes)? {
                let axis = reduce::axis_of(whole(&axis).unwrap_or(i64::MAX), rank)?;
                if found.contains(&axis) {
                    raise!(Value, "repeated axis in transpose");
                }
                found.push(axis);
            }
            found
        }
    };
    if axes.len() != rank {
        raise!(Value, "axes don't match array");
    }
    Ok(array.permuted(&axes).value())
}

fn squeeze(p: &mut Eval<'_>, x: &ScriptValue, axis: Option<ScriptValue>) -> Outcome {
    let array = create::array(p, x, None)?;
    let axes = match not_none(axis) {
        None => (0..array.shape.len()).filter(|axis| array.shape.get(*axis) == Some(&1)).collect(),
        Some(axis) => reduce::axes_of(p, &axis, array.shape.len())?,
    };
    if axes.iter().any(|axis| array.shape.get(*axis) != Some(&1)) {
        raise!(Value, "cannot select an axis to squeeze out which has size not equal to one");
    }
    let kept: Vec<usize> = (0..array.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    Ok(array.permuted(&kept).value())
}

pub(crate) fn absolute(p: &mut Eval<'_>, x: &ScriptValue) -> Outcome {
    let array = create::array(p, x, None)?;
    let dtype = array.dtype;
    operate::map(p, &array, dtype, |value| match value {
        Num::Float(f) => Num::Float(f.abs()),
        value => dtype::wrapped(dtype::wide(value, dtype).abs(), dtype),
    })
}

fn tested(p: &mut Eval<'_>, x: &ScriptValue, f: fn(f64) -> bool) -> Outcome {
    let array = create::array(p, x, None)?;
    let from = array.dtype;
    operate::map(p, &array, DataType::BOOL, |value| Num::Int(i64::from(f(dtype::float(value, from)))))
}
