//! Calls of operators.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{Call, Op, PrimExprExt as _};

use crate::error::{Result, RunErrorKind, unsupported};
use crate::expr::{map, zip};
use crate::machine::{Machine, Value};
use crate::scalar::{Scalar, from_bytes, round, to_bytes, wide, wrap};
use tvmscript_ir_core::arithmetic::{self, Operator, element_bytes, is_float};

type Unary = fn(f64) -> f64;
type Binary = fn(f64, f64) -> f64;

/// Functions of one float.
const UNARY: &[(&str, Unary)] = &[
    ("tir.acos", libm::acos),
    ("tir.acosh", libm::acosh),
    ("tir.asin", libm::asin),
    ("tir.asinh", libm::asinh),
    ("tir.atan", libm::atan),
    ("tir.atanh", libm::atanh),
    ("tir.ceil", f64::ceil),
    ("tir.cos", libm::cos),
    ("tir.cosh", libm::cosh),
    ("tir.erf", libm::erf),
    ("tir.exp", libm::exp),
    ("tir.exp10", libm::exp10),
    ("tir.exp2", libm::exp2),
    ("tir.floor", f64::floor),
    ("tir.log", libm::log),
    ("tir.log10", libm::log10),
    ("tir.log1p", libm::log1p),
    ("tir.log2", libm::log2),
    ("tir.nearbyint", f64::round_ties_even),
    ("tir.round", f64::round),
    ("tir.rsqrt", |x| 1.0 / x.sqrt()),
    ("tir.sigmoid", |x| 1.0 / (1.0 + libm::exp(-x))),
    ("tir.sin", libm::sin),
    ("tir.sinh", libm::sinh),
    ("tir.sqrt", f64::sqrt),
    ("tir.tan", libm::tan),
    ("tir.tanh", libm::tanh),
    ("tir.trunc", f64::trunc),
];

/// Functions of two floats.
const BINARY: &[(&str, Binary)] = &[
    ("tir.atan2", libm::atan2),
    ("tir.copysign", f64::copysign),
    ("tir.fmod", |x, y| x % y),
    ("tir.hypot", libm::hypot),
    ("tir.pow", libm::pow),
];

impl Machine {
    pub(crate) fn call(&mut self, call: &Call) -> Result<Value> {
        let Some(op) = call.op.as_node::<Op>() else { return unsupported("a call of a function") };
        let name = op.name.as_str();
        let dtype = call.dtype.element();
        let arg = |at: usize| call.args.get(at).ok_or(RunErrorKind::Kind { expected: "one more argument" });
        if let Some((_, f)) = UNARY.iter().find(|(known, _)| *known == name) {
            let value = self.eval(arg(0)?)?;
            // Integers have no fraction, so rounding keeps them.
            return match is_float(dtype) {
                true => map(value, |x| round(dtype, f(x.float()?))),
                false => Ok(value),
            };
        }
        if let Some((_, f)) = BINARY.iter().find(|(known, _)| *known == name) {
            let (a, b) = (self.eval(arg(0)?)?, self.eval(arg(1)?)?);
            return zip(a, b, |x, y| round(dtype, f(x.float()?, y.float()?)));
        }
        match name {
            "tir.if_then_else" => {
                let chosen = if self.eval(arg(0)?)?.scalar()?.truth()? { 1 } else { 2 };
                self.eval(arg(chosen)?)
            }
            "tir.likely" | "tir.ignore_loop_partition" | "tir.tvm_thread_invariant" => self.eval(arg(0)?),
            "tir.assume" | "tir.undef" | "tir.start_profile_intrinsic" | "tir.end_profile_intrinsic" => {
                Ok(Value::Scalar(Scalar::Int(0)))
            }
            "tir.fabs" => {
                let value = self.eval(arg(0)?)?;
                map(value, |x| match x {
                    Scalar::Float(x) => Ok(Scalar::Float(x.abs())),
                    Scalar::Int(x) => wrap(dtype, x.wrapping_abs()),
                })
            }
            "tir.isnan" | "tir.isinf" | "tir.isfinite" => {
                let value = self.eval(arg(0)?)?;
                map(value, |x| {
                    let x = x.float()?;
                    let holds = match name {
                        "tir.isnan" => x.is_nan(),
                        "tir.isinf" => x.is_infinite(),
                        _ => x.is_finite(),
                    };
                    Ok(Scalar::Int(i64::from(holds)))
                })
            }
            "tir.fma" => {
                let (a, b, c) = (self.eval(arg(0)?)?, self.eval(arg(1)?)?, self.eval(arg(2)?)?);
                let product = zip(a, b, |x, y| Ok(Scalar::Float(x.float()? * y.float()?)))?;
                zip(product, c, |x, y| round(dtype, x.float()? + y.float()?))
            }
            "tir.ldexp" => {
                let (a, b) = (self.eval(arg(0)?)?, self.eval(arg(1)?)?);
                zip(a, b, |x, y| round(dtype, libm::ldexp(x.float()?, y.int()?.clamp(-5000, 5000) as i32)))
            }
            "tir.bitwise_not" => {
                let value = self.eval(arg(0)?)?;
                map(value, |x| wrap(dtype, !x.int()?))
            }
            "tir.bitwise_and" | "tir.bitwise_or" | "tir.bitwise_xor" | "tir.shift_left"
            | "tir.shift_right" => {
                let (a, b) = (self.eval(arg(0)?)?, self.eval(arg(1)?)?);
                zip(a, b, |x, y| bits(name, dtype, x.int()?, y.int()?))
            }
            "tir.popcount" => {
                let value = self.eval(arg(0)?)?;
                let mask = u64::MAX >> (64 - u32::from(dtype.bits.clamp(1, 64)));
                map(value, |x| Ok(Scalar::Int((x.int()? as u64 & mask).count_ones().into())))
            }
            "tir.clz" => {
                let bits = u32::from(arg(0)?.dtype().bits.clamp(1, 64));
                let value = self.eval(arg(0)?)?;
                map(value, |x| {
                    let x = (x.int()? as u64) << (64 - bits);
                    Ok(Scalar::Int(x.leading_zeros().min(bits).into()))
                })
            }
            "tir.reinterpret" => {
                let from = arg(0)?.dtype();
                let value = self.eval(arg(0)?)?;
                reinterpret(&value, from, call.dtype)
            }
            "tir.large_uint_imm" => {
                let parts = self.integers(call.args.iter())?;
                match parts.as_slice() {
                    [low, high] => wrap(dtype, (*high << 32) | (*low & 0xFFFF_FFFF)).map(Value::Scalar),
                    _ => Err(RunErrorKind::Kind { expected: "two halves of an integer" }.into()),
                }
            }
            "tir.q_multiply_shift" => {
                let parts = self.integers(call.args.iter())?;
                match parts.as_slice() {
                    [x, y, q, s] => quantized(*x, *y, *q, *s).map(Value::Scalar),
                    _ => Err(RunErrorKind::Kind { expected: "four integers" }.into()),
                }
            }
            "tir.vectorlow" | "tir.vectorhigh" => {
                let Value::Vector(lanes) = self.eval(arg(0)?)? else {
                    return unsupported(format!("`{name}` of a scalar"));
                };
                let (low, high) = lanes.split_at(lanes.len() / 2);
                Ok(Value::Vector(if name == "tir.vectorlow" { low.to_vec() } else { high.to_vec() }))
            }
            "tir.vectorcombine" => match (self.eval(arg(0)?)?, self.eval(arg(1)?)?) {
                (Value::Vector(a), Value::Vector(b)) => Ok(Value::Vector([a, b].concat())),
                _ => unsupported(format!("`{name}` of scalars")),
            },
            _ => unsupported(format!("the operator `{name}`")),
        }
    }
}

fn bits(name: &str, dtype: DataType, x: i64, y: i64) -> Result<Scalar> {
    let operator = match name {
        "tir.bitwise_and" => Operator::BitAnd,
        "tir.bitwise_or" => Operator::BitOr,
        "tir.bitwise_xor" => Operator::BitXor,
        "tir.shift_left" => Operator::ShiftLeft,
        _ => Operator::ShiftRight,
    };
    match arithmetic::integers(operator, dtype, wide(dtype, x), y.into()) {
        Some(value) => Ok(Scalar::Int(value as i64)),
        None => unsupported(format!("a shift by {y} of {} bits", dtype.bits)),
    }
}

/// `x * y` in fixed point with `q` fractional bits, shifted left by `s` and rounded half up.
fn quantized(x: i64, y: i64, q: i64, s: i64) -> Result<Scalar> {
    let shift = q - s;
    let left = s.max(0);
    if !(1..=62).contains(&shift) || left > 31 {
        return unsupported(format!("a fixed-point shift by {shift}"));
    }
    let product = i128::from(x) * i128::from(y);
    let rounded = (product + (1 << (shift - 1))) >> shift;
    wrap(DataType::INT32, rounded as i64)
}

/// Reads the bytes of a value as another type of the same size.
fn reinterpret(value: &Value, from: DataType, to: DataType) -> Result<Value> {
    let (Some(_), Some(size)) = (element_bytes(from.element()), element_bytes(to.element())) else {
        return unsupported(format!("a reinterpretation of {from} as {to}"));
    };
    let width = element_bytes(from.element()).unwrap_or(1);
    let lanes = usize::try_from(from.lanes).unwrap_or(1);
    let mut bytes = Vec::new();
    for lane in 0..lanes {
        let element = to_bytes(from.element(), value.lane(lane)?)?;
        bytes.extend(element.into_iter().take(width));
    }
    let out: Vec<Scalar> =
        bytes.chunks(size).map(|bytes| from_bytes(to.element(), bytes)).collect::<Result<_>>()?;
    Ok(match out.as_slice() {
        [one] => Value::Scalar(*one),
        _ => Value::Vector(out),
    })
}
