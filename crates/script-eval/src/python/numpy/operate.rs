//! Operators and functions of elements, with broadcasting.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::{self, Operator as Shared};
use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::ScriptValue;

use super::array::{Array, Num, charge, count_of};
use super::create;
use super::dtype::{self, floating, is_float, promoted, rounded, wide, wrapped};
use crate::Eval;
use crate::errors::{EvalErrorKind, HostError};
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::arith::float_div_mod;
use crate::python::number::Number;

/// A function of two elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binary {
    Operator(BinOp),
    Compare(CmpOp),
    Maximum,
    Minimum,
    And,
    Or,
}

/// An operand: Python's numbers adapt to the type of the other one.
enum Operand {
    Weak(ScriptValue),
    Array(Array),
}

fn operand(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Option<Operand>, Raise> {
    if let Some(array) = Array::of(value) {
        return Ok(Some(Operand::Array(array.clone())));
    }
    Ok(match value {
        ScriptValue::Bool(b) => Some(Operand::Array(Array::scalar(DataType::BOOL, Num::Int(i64::from(*b))))),
        number if Number::of(number).is_some() => Some(Operand::Weak(number.clone())),
        ScriptValue::List(_) | ScriptValue::Tuple(_) => Some(Operand::Array(create::array(p, value, None)?)),
        _ => None,
    })
}

/// Applies an operator; `None` for operands that are not numbers.
pub(super) fn operator(
    p: &mut Eval<'_>,
    operator: Operator,
    operands: &[ScriptValue],
) -> Result<Option<ScriptValue>, Raise> {
    match (operator, operands) {
        (Operator::Binary(BinOp::MatMult), _) => {
            Err(EvalErrorKind::UnsupportedExpression { what: "`@` of arrays" }.into())
        }
        (Operator::Binary(op), [a, b]) => binary(p, Binary::Operator(op), a, b),
        (Operator::Compare(op), [a, b]) => {
            match (op, binary(p, Binary::Compare(op), a, b)?) {
                // Values of other types are not equal.
                (CmpOp::Eq | CmpOp::NotEq, None) => match [a, b].into_iter().find_map(Array::of) {
                    Some(array) if !array.is_scalar => {
                        let differs = Num::Int(i64::from(op == CmpOp::NotEq));
                        map(p, array, DataType::BOOL, |_| differs).map(Some)
                    }
                    _ => Ok(Some(ScriptValue::Bool(op == CmpOp::NotEq))),
                },
                (_, result) => Ok(result),
            }
        }
        (Operator::Unary(op), [a]) => match Array::of(a) {
            Some(array) => unary(p, op, array).map(Some),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Applies a function to two values, with broadcasting.
pub(super) fn binary(
    p: &mut Eval<'_>,
    function: Binary,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<Option<ScriptValue>, Raise> {
    let (Some(a), Some(b)) = (operand(p, a)?, operand(p, b)?) else { return Ok(None) };
    compute(p, function, a, b).map(|array| Some(array.result()))
}

fn compute(p: &mut Eval<'_>, function: Binary, a: Operand, b: Operand) -> Result<Array, Raise> {
    let (a, b) = match (a, b) {
        (Operand::Array(a), Operand::Array(b)) => (a, b),
        (Operand::Array(a), Operand::Weak(b)) => {
            let b = adapted(&b, a.dtype, function)?;
            (a, b)
        }
        (Operand::Weak(a), Operand::Array(b)) => (adapted(&a, b.dtype, function)?, b),
        (Operand::Weak(a), Operand::Weak(b)) => {
            (adapted(&a, default_type(&a), function)?, adapted(&b, default_type(&b), function)?)
        }
    };
    let shape = broadcast_shape(&a.shape, &b.shape)?;
    let common = promoted(a.dtype, b.dtype);
    let result = result_type(function, common)?;
    charge(p, count_of(&shape).saturating_mul(2))?;
    let (x, y) = (a.broadcast(&shape), b.broadcast(&shape));
    let mut out = Vec::with_capacity(x.size());
    for (x, y) in x.elements().into_iter().zip(y.elements()) {
        out.push(pair(function, common, result, (x, a.dtype), (y, b.dtype))?);
    }
    Ok(Array::new(result, shape, out))
}

fn default_type(value: &ScriptValue) -> DataType {
    match value {
        ScriptValue::Float(_) => DataType::float(64),
        _ => DataType::INT64,
    }
}

/// A number of Python as an operand beside elements of a type.
fn adapted(value: &ScriptValue, beside: DataType, function: Binary) -> Result<Array, Raise> {
    let own = default_type(value);
    let dtype = match (is_float(own), is_float(beside)) {
        (true, true) | (false, true) => beside,
        (true, false) => own,
        (false, false) if beside.is_bool() => own,
        (false, false) => beside,
    };
    let element = match dtype::element(value, dtype) {
        // A comparison with a number out of range is exact.
        Err(_) if matches!(function, Binary::Compare(_)) => {
            let wide = dtype::element(value, DataType::float(64))?;
            return Ok(Array::scalar(DataType::float(64), wide));
        }
        element => element?,
    };
    Ok(Array::scalar(dtype, element))
}

/// The shape of results of operands of two shapes.
pub(super) fn broadcast_shape(a: &[usize], b: &[usize]) -> Result<Vec<usize>, HostError> {
    let rank = a.len().max(b.len());
    let at = |shape: &[usize], axis: usize| {
        (axis + shape.len()).checked_sub(rank).and_then(|at| shape.get(at).copied())
    };
    let mut shape = Vec::with_capacity(rank);
    for axis in 0..rank {
        shape.push(match (at(a, axis).unwrap_or(1), at(b, axis).unwrap_or(1)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => raise!(
                Value,
                "operands could not be broadcast together with shapes {} {} ",
                shape_text(a),
                shape_text(b)
            ),
        });
    }
    Ok(shape)
}

/// A shape in messages: `(2,3)`.
pub(super) fn shape_text(shape: &[usize]) -> String {
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims.join(","))
}

fn result_type(function: Binary, common: DataType) -> Result<DataType, HostError> {
    let op = match function {
        Binary::Compare(_) | Binary::And | Binary::Or => return Ok(DataType::BOOL),
        Binary::Maximum | Binary::Minimum => return Ok(common),
        Binary::Operator(op) => op,
    };
    let unsupported = |name: &str| {
        HostError::type_error(format!(
            "ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''"
        ))
    };
    Ok(match op {
        BinOp::Div if is_float(common) => common,
        BinOp::Div => DataType::float(64),
        BinOp::Sub if common.is_bool() => raise!(
            Type,
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead."
        ),
        BinOp::FloorDiv | BinOp::Mod | BinOp::Pow | BinOp::LShift | BinOp::RShift if common.is_bool() => {
            DataType::int(8)
        }
        BinOp::BitAnd if is_float(common) => return Err(unsupported("bitwise_and")),
        BinOp::BitOr if is_float(common) => return Err(unsupported("bitwise_or")),
        BinOp::BitXor if is_float(common) => return Err(unsupported("bitwise_xor")),
        BinOp::LShift if is_float(common) => return Err(unsupported("left_shift")),
        BinOp::RShift if is_float(common) => return Err(unsupported("right_shift")),
        _ => common,
    })
}

type Typed = (Num, DataType);

fn pair(function: Binary, common: DataType, result: DataType, x: Typed, y: Typed) -> Result<Num, HostError> {
    let order = || match is_float(common) {
        true => dtype::float(x.0, x.1).partial_cmp(&dtype::float(y.0, y.1)),
        false => Some(wide(x.0, x.1).cmp(&wide(y.0, y.1))),
    };
    let truth = |value: Num| match value {
        Num::Int(i) => i != 0,
        Num::Float(f) => f != 0.0,
    };
    let bool = |value: bool| Ok(Num::Int(i64::from(value)));
    let op = match function {
        Binary::Compare(op) => {
            let order = order();
            return bool(match op {
                CmpOp::Eq => order.is_some_and(|order| order.is_eq()),
                CmpOp::NotEq => order.is_none_or(|order| order.is_ne()),
                CmpOp::Lt => order.is_some_and(|order| order.is_lt()),
                CmpOp::LtE => order.is_some_and(|order| order.is_le()),
                CmpOp::Gt => order.is_some_and(|order| order.is_gt()),
                CmpOp::GtE => order.is_some_and(|order| order.is_ge()),
                _ => false,
            });
        }
        Binary::And => return bool(truth(x.0) && truth(y.0)),
        Binary::Or => return bool(truth(x.0) || truth(y.0)),
        Binary::Maximum | Binary::Minimum => {
            let (x, y) = (dtype::converted(x.0, x.1, common), dtype::converted(y.0, y.1, common));
            return Ok(match (order(), function) {
                (None, _) => {
                    if matches!(x, Num::Float(f) if f.is_nan()) {
                        x
                    } else {
                        y
                    }
                }
                (Some(order), Binary::Maximum) => {
                    if order.is_ge() {
                        x
                    } else {
                        y
                    }
                }
                (Some(order), _) => {
                    if order.is_le() {
                        x
                    } else {
                        y
                    }
                }
            });
        }
        Binary::Operator(op) => op,
    };
    if is_float(result) {
        let (a, b) = (dtype::float(x.0, x.1), dtype::float(y.0, y.1));
        return Ok(rounded(floats(op, a, b, result), result));
    }
    let (a, b) = (wide(x.0, x.1), wide(y.0, y.1));
    integers(op, a, b, result)
}

/// The operator of all numbers that an operator of Python is.
fn shared(op: BinOp) -> Option<Shared> {
    Some(match op {
        BinOp::Add => Shared::Add,
        BinOp::Sub => Shared::Sub,
        BinOp::Mult => Shared::Mul,
        BinOp::FloorDiv => Shared::FloorDiv,
        BinOp::Mod => Shared::FloorMod,
        BinOp::LShift => Shared::ShiftLeft,
        BinOp::RShift => Shared::ShiftRight,
        BinOp::BitAnd => Shared::BitAnd,
        BinOp::BitOr => Shared::BitOr,
        BinOp::BitXor => Shared::BitXor,
        BinOp::Div | BinOp::Pow | BinOp::MatMult => return None,
    })
}

fn floats(op: BinOp, a: f64, b: f64, dtype: DataType) -> f64 {
    match op {
        BinOp::Div => a / b,
        BinOp::FloorDiv if b == 0.0 => a / b,
        BinOp::FloorDiv => float_div_mod(a, b).0,
        BinOp::Mod if b == 0.0 => f64::NAN,
        BinOp::Mod => float_div_mod(a, b).1,
        BinOp::Pow if dtype.bits == 32 => f64::from((a as f32).powf(b as f32)),
        BinOp::Pow => a.powf(b),
        op => shared(op).and_then(|op| arithmetic::floats(op, dtype, a, b)).unwrap_or(f64::NAN),
    }
}

fn integers(op: BinOp, a: i128, b: i128, result: DataType) -> Result<Num, HostError> {
    let Some(operator) = shared(op) else {
        if op != BinOp::Pow {
            return Ok(Num::Int(0));
        }
        if b < 0 {
            raise!(Value, "Integers to negative integer powers are not allowed.");
        }
        let (mut power, mut base, mut left) = (1i128, a, b);
        while left > 0 {
            if left & 1 == 1 {
                power = power.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        return Ok(wrapped(power, result));
    };
    Ok(match arithmetic::integers(operator, result, a, b) {
        Some(value) => wrapped(value, result),
        // As in numpy, quotients by zero are 0 with a warning, and shifts by too many bits shift all out.
        None => Num::Int(if op == BinOp::RShift && a < 0 { -1 } else { 0 }),
    })
}

fn unary(p: &mut Eval<'_>, op: UnaryOp, array: &Array) -> Result<ScriptValue, Raise> {
    let dtype = array.dtype;
    match op {
        UnaryOp::USub if dtype.is_bool() => raise!(
            Type,
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead."
        ),
        UnaryOp::Invert if is_float(dtype) => raise!(
            Type,
            "ufunc 'invert' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''"
        ),
        _ => {}
    }
    map(p, array, dtype, |value| match (op, value) {
        (UnaryOp::USub, Num::Float(f)) => Num::Float(-f),
        (UnaryOp::USub, value) => wrapped(-wide(value, dtype), dtype),
        (UnaryOp::Invert, Num::Int(i)) if dtype.is_bool() => Num::Int(i64::from(i == 0)),
        (UnaryOp::Invert, value) => wrapped(!wide(value, dtype), dtype),
        (_, value) => value,
    })
}

/// Applies a function to each element.
pub(super) fn map(
    p: &mut Eval<'_>,
    array: &Array,
    dtype: DataType,
    f: impl Fn(Num) -> Num,
) -> Result<ScriptValue, Raise> {
    charge(p, array.size())?;
    let out = array.elements().into_iter().map(f).collect();
    let result = Array::new(dtype, array.shape.clone(), out);
    Ok(if array.shape.is_empty() { result.result() } else { result.value() })
}

/// Applies a function on floats to each element.
pub(super) fn map_float(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    f: fn(f64) -> f64,
) -> Result<ScriptValue, Raise> {
    let array = create::array(p, value, None)?;
    let (from, to) = (array.dtype, floating(array.dtype));
    map(p, &array, to, |value| rounded(f(dtype::float(value, from)), to))
}

/// `array op= other`
pub(super) fn in_place(
    p: &mut Eval<'_>,
    operator: Operator,
    array: &Array,
    this: &ScriptValue,
    other: &ScriptValue,
) -> Result<bool, Raise> {
    let Operator::Binary(op) = operator else { return Ok(false) };
    let result = match op {
        BinOp::MatMult => return Ok(false),
        op => binary(p, Binary::Operator(op), this, other)?,
    };
    let Some(result) = result.as_ref().and_then(Array::of) else { return Ok(false) };
    if result.shape != array.shape {
        raise!(
            Value,
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            shape_text(&array.shape),
            shape_text(&result.shape)
        );
    }
    let kind = |dtype: DataType| match dtype {
        dtype if dtype.is_bool() => 0,
        dtype if dtype.is_uint() => 1,
        dtype if dtype.is_int() => 2,
        _ => 3,
    };
    if kind(result.dtype) > kind(array.dtype) {
        raise!(
            Type,
            "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
            name(op),
            result.dtype,
            array.dtype
        );
    }
    let values = result.elements().into_iter();
    array.assign(values.map(|value| dtype::converted(value, result.dtype, array.dtype)));
    Ok(true)
}

fn name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "add",
        BinOp::Sub => "subtract",
        BinOp::Mult => "multiply",
        BinOp::Div => "divide",
        BinOp::FloorDiv => "floor_divide",
        BinOp::Mod => "remainder",
        BinOp::Pow => "power",
        BinOp::LShift => "left_shift",
        BinOp::RShift => "right_shift",
        BinOp::BitAnd => "bitwise_and",
        BinOp::BitOr => "bitwise_or",
        BinOp::BitXor => "bitwise_xor",
        BinOp::MatMult => "matmul",
    }
}
