//! The module `math`.

use tvmscript_irbuilder::{CallArgs, ScriptValue};

use super::builtins::{Builtin, BuiltinFn, args};
use super::number::{self, Number, float_to_int, int};
use super::type_name;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::parser::Parser;

/// A member of the module.
pub(crate) fn member(name: &str) -> Option<ScriptValue> {
    let constant = match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "tau" => std::f64::consts::TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let (name, call) = FUNCTIONS.iter().find(|(n, _)| *n == name)?;
            return Some(Builtin::function(name, *call));
        }
    };
    Some(ScriptValue::Float(constant))
}

macro_rules! unary {
    ($($name:ident => $f:expr;)*) => {$(
        fn $name(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
            let [x] = args(stringify!($name), a)?;
            let x = real(&x)?;
            let f: fn(f64) -> f64 = $f;
            finish(x, f(x))
        }
    )*};
}
unary! {
    sqrt => f64::sqrt; exp => f64::exp; sin => f64::sin; cos => f64::cos; tan => f64::tan; asin => f64::asin;
    acos => f64::acos; atan => f64::atan; sinh => f64::sinh; cosh => f64::cosh; tanh => f64::tanh; exp2 => f64::exp2;
    asinh => f64::asinh; acosh => f64::acosh; atanh => f64::atanh; expm1 => f64::exp_m1; cbrt => f64::cbrt;
    fabs => f64::abs; radians => f64::to_radians; degrees => f64::to_degrees;
}

fn real(value: &ScriptValue) -> Result<f64, HostError> {
    match Number::of(value) {
        Some(number) => number.to_float(),
        None => Err(HostError::type_error(format!("must be real number, not {}", type_name(value)))),
    }
}

fn finish(x: f64, result: f64) -> Result<ScriptValue, Raise> {
    if result.is_nan() && !x.is_nan() {
        return Err(HostError::value_error("math domain error").into());
    }
    if result.is_infinite() && x.is_finite() {
        return Err(HostError::overflow("math range error").into());
    }
    Ok(ScriptValue::Float(result))
}

const FUNCTIONS: &[(&str, BuiltinFn)] = &[
    ("sqrt", sqrt),
    ("exp", exp),
    ("exp2", exp2),
    ("sin", sin),
    ("cos", cos),
    ("tan", tan),
    ("asin", asin),
    ("acos", acos),
    ("atan", atan),
    ("sinh", sinh),
    ("cosh", cosh),
    ("tanh", tanh),
    ("asinh", asinh),
    ("acosh", acosh),
    ("atanh", atanh),
    ("expm1", expm1),
    ("cbrt", cbrt),
    ("fabs", fabs),
    ("radians", radians),
    ("degrees", degrees),
    ("floor", floor),
    ("ceil", ceil),
    ("trunc", trunc),
    ("log", log),
    ("log2", log2),
    ("log10", log10),
    ("log1p", log1p),
    ("pow", pow),
    ("fmod", fmod),
    ("atan2", atan2),
    ("hypot", hypot),
    ("copysign", copysign),
    ("gcd", gcd),
    ("lcm", lcm),
    ("isqrt", isqrt),
    ("prod", prod),
    ("isnan", isnan),
    ("isinf", isinf),
    ("isfinite", isfinite),
    ("factorial", factorial),
    ("comb", comb),
];

fn rounded(name: &str, a: CallArgs, round: fn(f64) -> f64) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    match Number::of(&x) {
        Some(Number::Float(f)) => Ok(float_to_int(round(f))?),
        Some(Number::Int(i)) => Ok(ScriptValue::Int(i)),
        Some(Number::Big(i)) => Ok(int(i)),
        None => Err(HostError::type_error(format!("must be real number, not {}", type_name(&x))).into()),
    }
}

fn floor(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    rounded("floor", a, f64::floor)
}
fn ceil(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    rounded("ceil", a, f64::ceil)
}
fn trunc(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    rounded("trunc", a, f64::trunc)
}

/// The logarithm of a number that may be too large for a float.
fn log_of(value: &ScriptValue, log: fn(f64) -> f64, per_bit: f64) -> Result<f64, Raise> {
    let domain = || HostError::value_error("math domain error");
    if let Some(Number::Big(big)) = Number::of(value) {
        if big.sign() == num_bigint::Sign::Minus {
            return Err(domain().into());
        }
        let shift = big.bits().saturating_sub(1000);
        let top = number::big_to_float(&(big >> shift))?;
        return Ok(log(top) + shift as f64 * per_bit);
    }
    let x = real(value)?;
    if x <= 0.0 {
        return Err(domain().into());
    }
    Ok(log(x))
}

fn log(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let natural = |value: &ScriptValue| log_of(value, f64::ln, std::f64::consts::LN_2);
    match a.positional.as_slice() {
        [x] => Ok(ScriptValue::Float(natural(x)?)),
        [x, base] => {
            let (x, base) = (natural(x)?, natural(base)?);
            if base == 0.0 {
                return Err(HostError::zero_division("float division by zero").into());
            }
            Ok(ScriptValue::Float(x / base))
        }
        other => {
            let message = format!("log expected at least 1 argument, got {}", other.len());
            Err(HostError::type_error(message).into())
        }
    }
}
fn log2(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log2", a)?;
    Ok(ScriptValue::Float(log_of(&x, f64::log2, 1.0)?))
}
fn log10(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log10", a)?;
    Ok(ScriptValue::Float(log_of(&x, f64::log10, std::f64::consts::LOG10_2)?))
}
fn log1p(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log1p", a)?;
    let x = real(&x)?;
    if x <= -1.0 {
        return Err(HostError::value_error("math domain error").into());
    }
    Ok(ScriptValue::Float(x.ln_1p()))
}
fn pow(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("pow", a)?;
    let (x, y) = (real(&x)?, real(&y)?);
    if x == 0.0 && y < 0.0 {
        return Err(HostError::value_error("math domain error").into());
    }
    finish(x + y, x.powf(y))
}
fn fmod(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("fmod", a)?;
    let (x, y) = (real(&x)?, real(&y)?);
    finish(x + y, x % y)
}
fn atan2(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("atan2", a)?;
    Ok(ScriptValue::Float(real(&x)?.atan2(real(&y)?)))
}
fn hypot(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut length = 0.0f64;
    for x in &a.positional {
        length = length.hypot(real(x)?);
    }
    Ok(ScriptValue::Float(length))
}
fn copysign(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("copysign", a)?;
    Ok(ScriptValue::Float(real(&x)?.copysign(real(&y)?)))
}

fn integer(value: &ScriptValue) -> Result<num_bigint::BigInt, HostError> {
    number::index(value).ok_or_else(|| {
        HostError::type_error(format!("'{}' object cannot be interpreted as an integer", type_name(value)))
    })
}

fn gcd_of(p: &Parser, a: num_bigint::BigInt, b: num_bigint::BigInt) -> Result<num_bigint::BigInt, Raise> {
    use num_traits::{Signed, Zero};
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        p.shared.step(1 + b.bits() / 64)?;
        (a, b) = (b.clone(), a % b);
    }
    Ok(a)
}

fn gcd(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut result = num_bigint::BigInt::default();
    for value in &a.positional {
        result = gcd_of(p, result, integer(value)?)?;
    }
    Ok(int(result))
}
fn lcm(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    use num_traits::{Signed, Zero};
    let mut result = num_bigint::BigInt::from(1);
    for value in &a.positional {
        let value = integer(value)?;
        if value.is_zero() {
            return Ok(ScriptValue::Int(0));
        }
        let common = gcd_of(p, result.clone(), value.clone())?;
        p.shared.allocate((result.bits() + value.bits()) / 8)?;
        result = (result / common * value).abs();
    }
    Ok(int(result))
}
fn isqrt(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isqrt", a)?;
    let x = integer(&x)?;
    if x.sign() == num_bigint::Sign::Minus {
        return Err(HostError::value_error("isqrt() argument must be nonnegative").into());
    }
    p.shared.step(x.bits() / 8 + 1)?;
    Ok(int(x.sqrt()))
}
fn prod(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut a = a;
    let start = a.take_keyword("start").unwrap_or(ScriptValue::Int(1));
    let [items] = args("prod", a)?;
    let mut iter = p.iterate(&items)?;
    let mut product = start;
    while let Some(item) = p.next(&mut iter)? {
        let op = crate::table::Operator::Binary(crate::ast::BinOp::Mult);
        product = p.apply(op, &[product, item])?;
    }
    Ok(product)
}
fn isnan(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isnan", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_nan()))
}
fn isinf(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isinf", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_infinite()))
}
fn isfinite(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isfinite", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_finite()))
}
fn factorial(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("factorial", a)?;
    let x = match number::small_index(&x) {
        Some(x) if x >= 0 => x,
        Some(_) => return Err(HostError::value_error("factorial() not defined for negative values").into()),
        None => return Err(integer(&x).err().unwrap_or_else(|| HostError::type_error("")).into()),
    };
    let mut product = num_bigint::BigInt::from(1);
    for factor in 2..=x {
        p.shared.step(1 + product.bits() / 64)?;
        product *= factor;
    }
    Ok(int(product))
}
fn comb(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [n, k] = args("comb", a)?;
    let (n, k) = (integer(&n)?, integer(&k)?);
    let zero = num_bigint::BigInt::default();
    if n < zero || k < zero {
        return Err(HostError::value_error("comb() arguments must be non-negative integers").into());
    }
    if k > n {
        return Ok(ScriptValue::Int(0));
    }
    let k = k.clone().min(&n - k);
    let mut result = num_bigint::BigInt::from(1);
    let mut i = zero;
    while i < k {
        p.shared.step(1 + result.bits() / 64)?;
        result *= &n - &i;
        i += 1;
        result /= &i;
    }
    Ok(int(result))
}
