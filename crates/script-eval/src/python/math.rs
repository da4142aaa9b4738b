//! The module `math`.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::builtins::{Builtin, Table, args};
use super::cost::{self, Cost};
use super::number::{self, Number, float_to_int, int, integer};
use super::type_name;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::{Evaluator, Host};

/// A member of the module.
pub(crate) fn member(name: &str) -> Option<ScriptValue> {
    let constant = match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "tau" => std::f64::consts::TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let (name, cost, call) = FUNCTIONS.iter().find(|(n, ..)| *n == name)?;
            return Some(Builtin::function(name, *cost, *call));
        }
    };
    Some(ScriptValue::Float(constant))
}

/// The names of all members.
pub(crate) fn names() -> Vec<String> {
    let constants = ["pi", "e", "tau", "inf", "nan"].into_iter();
    constants.chain(FUNCTIONS.iter().map(|(name, ..)| *name)).map(str::to_owned).collect()
}

macro_rules! unary {
    ($($name:ident => $f:expr;)*) => {$(
        fn $name(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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

const FUNCTIONS: Table = &[
    ("sqrt", Cost::Linear, sqrt),
    ("exp", Cost::Linear, exp),
    ("exp2", Cost::Linear, exp2),
    ("sin", Cost::Linear, sin),
    ("cos", Cost::Linear, cos),
    ("tan", Cost::Linear, tan),
    ("asin", Cost::Linear, asin),
    ("acos", Cost::Linear, acos),
    ("atan", Cost::Linear, atan),
    ("sinh", Cost::Linear, sinh),
    ("cosh", Cost::Linear, cosh),
    ("tanh", Cost::Linear, tanh),
    ("asinh", Cost::Linear, asinh),
    ("acosh", Cost::Linear, acosh),
    ("atanh", Cost::Linear, atanh),
    ("expm1", Cost::Linear, expm1),
    ("cbrt", Cost::Linear, cbrt),
    ("fabs", Cost::Linear, fabs),
    ("radians", Cost::Linear, radians),
    ("degrees", Cost::Linear, degrees),
    ("floor", Cost::Linear, floor),
    ("ceil", Cost::Linear, ceil),
    ("trunc", Cost::Linear, trunc),
    ("log", Cost::Linear, log),
    ("log2", Cost::Linear, log2),
    ("log10", Cost::Linear, log10),
    ("log1p", Cost::Linear, log1p),
    ("pow", Cost::Linear, pow),
    ("fmod", Cost::Linear, fmod),
    ("atan2", Cost::Linear, atan2),
    ("hypot", Cost::Linear, hypot),
    ("copysign", Cost::Linear, copysign),
    ("gcd", Cost::Linear, gcd),
    ("lcm", Cost::Linear, lcm),
    ("isqrt", Cost::Linear, isqrt),
    ("prod", Cost::Own, prod),
    ("isnan", Cost::Linear, isnan),
    ("isinf", Cost::Linear, isinf),
    ("isfinite", Cost::Linear, isfinite),
    ("factorial", Cost::Linear, factorial),
    ("comb", Cost::Linear, comb),
];

fn rounded(name: &str, a: CallArgs, round: fn(f64) -> f64) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    match Number::of(&x) {
        Some(Number::Float(f)) => Ok(float_to_int(round(f))?),
        Some(Number::Int(i)) => Ok(ScriptValue::Int(i)),
        Some(Number::Big(_)) => Ok(x),
        None => Err(HostError::type_error(format!("must be real number, not {}", type_name(&x))).into()),
    }
}

fn floor(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    rounded("floor", a, f64::floor)
}
fn ceil(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    rounded("ceil", a, f64::ceil)
}
fn trunc(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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

fn log(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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
fn log2(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log2", a)?;
    Ok(ScriptValue::Float(log_of(&x, f64::log2, 1.0)?))
}
fn log10(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log10", a)?;
    Ok(ScriptValue::Float(log_of(&x, f64::log10, std::f64::consts::LOG10_2)?))
}
fn log1p(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("log1p", a)?;
    let x = real(&x)?;
    if x <= -1.0 {
        return Err(HostError::value_error("math domain error").into());
    }
    Ok(ScriptValue::Float(x.ln_1p()))
}
fn pow(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("pow", a)?;
    let (x, y) = (real(&x)?, real(&y)?);
    if x == 0.0 && y < 0.0 {
        return Err(HostError::value_error("math domain error").into());
    }
    finish(x + y, x.powf(y))
}
fn fmod(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("fmod", a)?;
    let (x, y) = (real(&x)?, real(&y)?);
    // Not `finish(x + y, ..)`: the sum of two infinities is no number, either.
    finish(if x.is_nan() || y.is_nan() { f64::NAN } else { 0.0 }, x % y)
}
fn atan2(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("atan2", a)?;
    Ok(ScriptValue::Float(real(&x)?.atan2(real(&y)?)))
}
fn hypot(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut length = 0.0f64;
    for x in &a.positional {
        length = length.hypot(real(x)?);
    }
    Ok(ScriptValue::Float(length))
}
fn copysign(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("copysign", a)?;
    Ok(ScriptValue::Float(real(&x)?.copysign(real(&y)?)))
}

fn gcd_of(p: &Evaluator, a: num_bigint::BigInt, b: num_bigint::BigInt) -> Result<num_bigint::BigInt, Raise> {
    use num_traits::{Signed, Zero};
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        p.program.budget.step(1 + b.bits() / 64)?;
        cost::product(p, a.bits().saturating_sub(b.bits()), b.bits())?;
        (a, b) = (b.clone(), a % b);
    }
    Ok(a)
}

fn gcd(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut result = num_bigint::BigInt::default();
    for value in &a.positional {
        result = gcd_of(p, result, integer(value)?.into_owned())?;
    }
    Ok(int(result))
}
fn lcm(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    use num_traits::{Signed, Zero};
    let mut result = num_bigint::BigInt::from(1);
    for value in &a.positional {
        let value = integer(value)?.into_owned();
        if value.is_zero() {
            return Ok(ScriptValue::Int(0));
        }
        let common = gcd_of(p, result.clone(), value.clone())?;
        cost::product(p, result.bits(), value.bits().max(common.bits()))?;
        cost::integer(p, result.bits() + value.bits())?;
        result = (result / common * value).abs();
    }
    Ok(int(result))
}
fn isqrt(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isqrt", a)?;
    let x = integer(&x)?;
    if x.sign() == num_bigint::Sign::Minus {
        return Err(HostError::value_error("isqrt() argument must be nonnegative").into());
    }
    // Newton's method divides a few times.
    (0..8).try_for_each(|_| cost::product(p, x.bits(), x.bits()))?;
    cost::integer(p, 4 * x.bits())?;
    Ok(int(x.sqrt()))
}
fn prod(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut a = a;
    let start = a.take_keyword("start").unwrap_or(ScriptValue::Int(1));
    let [items] = args("prod", a)?;
    let mut iter = p.iterate(&items)?;
    let mut product = start;
    while let Some(item) = p.next(&mut iter)? {
        let op = crate::rules::Operator::Binary(tvmscript_python_syntax::ast::BinOp::Mult);
        product = p.apply(op, &[product, item])?;
    }
    Ok(product)
}
fn isnan(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isnan", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_nan()))
}
fn isinf(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isinf", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_infinite()))
}
fn isfinite(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("isfinite", a)?;
    Ok(ScriptValue::Bool(real(&x)?.is_finite()))
}
fn factorial(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("factorial", a)?;
    let x = match number::small_index(&x) {
        Some(x) if x >= 0 => x,
        Some(_) => return Err(HostError::value_error("factorial() not defined for negative values").into()),
        None => return Err(number::integer(&x).err().unwrap_or_else(|| HostError::type_error("")).into()),
    };
    let mut product = num_bigint::BigInt::from(1);
    for factor in 2..=x {
        p.program.budget.step(1 + product.bits() / 1024)?;
        product *= factor;
    }
    Ok(int(product))
}
fn comb(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [n, k] = args("comb", a)?;
    let (n, k) = (integer(&n)?.into_owned(), integer(&k)?.into_owned());
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
        p.program.budget.step(1 + (result.bits() + n.bits()) / 64)?;
        cost::product(p, result.bits(), n.bits())?;
        result *= &n - &i;
        i += 1;
        result /= &i;
    }
    Ok(int(result))
}
