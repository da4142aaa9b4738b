//! The module `math`.

use std::f64::consts;

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};
use tvmscript_python_syntax::ast::BinOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Constant, Library};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::builtins::{Table, linear, not_none, own};
use crate::python::number::{self, Number, float_to_int, int, integer};
use crate::python::{Outcome, cost, object};
use crate::{Eval, EvalState};

pub(super) static MATH: Library = Library {
    path: "math",
    functions: FUNCTIONS,
    constants: &[
        ("pi", Constant::Float(consts::PI)),
        ("e", Constant::Float(consts::E)),
        ("tau", Constant::Float(consts::TAU)),
        ("inf", Constant::Float(f64::INFINITY)),
        ("nan", Constant::Float(f64::NAN)),
    ],
    missing: "gamma lgamma",
    ..Library::EMPTY
};

static FUNCTIONS: Table = &[
    linear("sqrt").one(|_, _, x| unary(&x, f64::sqrt)),
    linear("exp").one(|_, _, x| unary(&x, f64::exp)),
    linear("exp2").one(|_, _, x| unary(&x, f64::exp2)),
    linear("sin").one(|_, _, x| unary(&x, f64::sin)),
    linear("cos").one(|_, _, x| unary(&x, f64::cos)),
    linear("tan").one(|_, _, x| unary(&x, f64::tan)),
    linear("asin").one(|_, _, x| unary(&x, f64::asin)),
    linear("acos").one(|_, _, x| unary(&x, f64::acos)),
    linear("atan").one(|_, _, x| unary(&x, f64::atan)),
    linear("sinh").one(|_, _, x| unary(&x, f64::sinh)),
    linear("cosh").one(|_, _, x| unary(&x, f64::cosh)),
    linear("tanh").one(|_, _, x| unary(&x, f64::tanh)),
    linear("asinh").one(|_, _, x| unary(&x, f64::asinh)),
    linear("acosh").one(|_, _, x| unary(&x, f64::acosh)),
    linear("atanh").one(|_, _, x| unary(&x, f64::atanh)),
    linear("expm1").one(|_, _, x| unary(&x, f64::exp_m1)),
    linear("cbrt").one(|_, _, x| unary(&x, f64::cbrt)),
    linear("fabs").one(|_, _, x| unary(&x, f64::abs)),
    linear("radians").one(|_, _, x| unary(&x, f64::to_radians)),
    linear("degrees").one(|_, _, x| unary(&x, f64::to_degrees)),
    linear("floor").one(|_, _, x| rounded(x, f64::floor)),
    linear("ceil").one(|_, _, x| rounded(x, f64::ceil)),
    linear("trunc").one(|_, _, x| match Number::of(&x).is_none() && object::number(&x).is_none() {
        true => Err(wrong_type!("type {} doesn't define __trunc__ method", &x).into()),
        false => rounded(x, f64::trunc),
    }),
    linear("log").one_or_two(|_, _, x, base| {
        let x = log_of(&x, f64::ln, consts::LN_2)?;
        let Some(base) = base else { return Ok(ScriptValue::Float(x)) };
        let base = log_of(&base, f64::ln, consts::LN_2)?;
        if base == 0.0 {
            raise!(ZeroDivision, "float division by zero");
        }
        Ok(ScriptValue::Float(x / base))
    }),
    linear("log2").one(|_, _, x| Ok(ScriptValue::Float(log_of(&x, f64::log2, 1.0)?))),
    linear("log10").one(|_, _, x| Ok(ScriptValue::Float(log_of(&x, f64::log10, consts::LOG10_2)?))),
    linear("log1p").one(|_, _, x| {
        let x = real(&x)?;
        if x <= -1.0 {
            raise!(Value, "math domain error");
        }
        Ok(ScriptValue::Float(x.ln_1p()))
    }),
    linear("pow").two(|_, _, x, y| {
        let (x, y) = (real(&x)?, real(&y)?);
        if x == 0.0 && y < 0.0 {
            raise!(Value, "math domain error");
        }
        finish(x + y, x.powf(y))
    }),
    linear("fmod").two(|_, _, x, y| {
        let (x, y) = (real(&x)?, real(&y)?);
        // `x + y` is not a number either if both are infinite.
        finish(if x.is_nan() || y.is_nan() { f64::NAN } else { 0.0 }, x % y)
    }),
    linear("atan2").two(|_, _, x, y| Ok(ScriptValue::Float(real(&x)?.atan2(real(&y)?)))),
    linear("hypot").any(|_, _, a| {
        let length =
            a.positional.iter().try_fold(0.0f64, |length, x| Ok::<_, HostError>(length.hypot(real(x)?)))?;
        Ok(ScriptValue::Float(length))
    }),
    linear("copysign").two(|_, _, x, y| Ok(ScriptValue::Float(real(&x)?.copysign(real(&y)?)))),
    linear("gcd").any(|p, _, a| {
        let mut result = BigInt::default();
        for value in &a.positional {
            result = gcd_of(p.state, result, integer(value)?.into_owned())?;
        }
        Ok(int(result))
    }),
    linear("lcm").any(lcm),
    linear("isqrt").one(|p, _, x| {
        let x = integer(&x)?;
        if x.sign() == Sign::Minus {
            raise!(Value, "isqrt() argument must be nonnegative");
        }
        // Newton's method divides a few times.
        (0..8).try_for_each(|_| cost::product(p.state, x.bits(), x.bits()))?;
        cost::integer(p.state, 4 * x.bits())?;
        Ok(int(x.sqrt()))
    }),
    own("prod")
        .one_or_two(|p, _, items, start| {
            let mut iter = p.iterate(&items)?;
            let mut product = start.unwrap_or(ScriptValue::Int(1));
            while let Some(item) = p.next(&mut iter)? {
                product = p.apply(Operator::Binary(BinOp::Mult), &[product, item])?;
            }
            Ok(product)
        })
        .with_keywords(&["", "start"])
        .with_keyword_only(1),
    linear("isnan").one(|_, _, x| Ok(ScriptValue::Bool(real(&x)?.is_nan()))),
    linear("isinf").one(|_, _, x| Ok(ScriptValue::Bool(real(&x)?.is_infinite()))),
    linear("isfinite").one(|_, _, x| Ok(ScriptValue::Bool(real(&x)?.is_finite()))),
    linear("factorial").one(factorial),
    linear("comb").two(comb),
    linear("perm").one_or_two(|p, _, n, k| {
        let n = integer(&n)?.into_owned();
        let Some(k) = not_none(k) else { return factorial(p, &ScriptValue::None, int(n)) };
        let k = integer(&k)?.into_owned();
        if n.is_negative() {
            raise!(Value, "n must be a non-negative integer");
        }
        if k.is_negative() {
            raise!(Value, "k must be a non-negative integer");
        }
        if k > n {
            return Ok(ScriptValue::Int(0));
        }
        let (mut result, mut i) = (BigInt::from(1), BigInt::default());
        while i < k {
            p.state.program.budget.step(1 + (result.bits() + n.bits()) / 64)?;
            cost::product(p.state, result.bits(), n.bits())?;
            result *= &n - &i;
            i += 1;
        }
        Ok(int(result))
    }),
    linear("dist").two(|p, _, x, y| {
        let (x, y) = (p.collect_values(&x)?, p.collect_values(&y)?);
        if x.len() != y.len() {
            raise!(Value, "both points must have the same number of dimensions");
        }
        let length = x
            .iter()
            .zip(&y)
            .try_fold(0.0f64, |length, (x, y)| Ok::<_, HostError>(length.hypot(real(x)? - real(y)?)))?;
        Ok(ScriptValue::Float(length))
    }),
    linear("frexp").one(|_, _, x| {
        let (mantissa, exponent) = frexp(real(&x)?);
        Ok(ScriptValue::tuple([ScriptValue::Float(mantissa), ScriptValue::Int(exponent)]))
    }),
    linear("ldexp").two(|_, _, x, exponent| {
        let x = real(&x)?;
        let Some(exponent) = number::small_index(&exponent) else {
            raise!(Type, "Expected an int as second argument to ldexp.");
        };
        let result = ldexp(x, exponent);
        if result.is_infinite() && x.is_finite() {
            raise!(Overflow, "math range error");
        }
        Ok(ScriptValue::Float(result))
    }),
    linear("modf").one(|_, _, x| {
        let x = real(&x)?;
        let fraction = if x.is_infinite() { 0.0f64.copysign(x) } else { x.fract().copysign(x) };
        Ok(ScriptValue::tuple([ScriptValue::Float(fraction), ScriptValue::Float(x.trunc())]))
    }),
    own("fsum").one(fsum),
    linear("isclose").any(|_, _, mut a| {
        let mut tolerance = |name: &str, default: f64| match a.take_keyword(name) {
            Some(value) => real(&value),
            None => Ok(default),
        };
        let (relative, absolute) = (tolerance("rel_tol", 1e-9)?, tolerance("abs_tol", 0.0)?);
        let [x, y] = a.positional.as_slice() else {
            raise!(Type, "isclose() takes exactly 2 positional arguments ({} given)", a.positional.len());
        };
        let (x, y) = (real(x)?, real(y)?);
        if relative < 0.0 || absolute < 0.0 {
            raise!(Value, "tolerances must be non-negative");
        }
        let distance = (x - y).abs();
        let is_close = x == y
            || x.is_finite()
                && y.is_finite()
                && (distance <= (relative * x).abs()
                    || distance <= (relative * y).abs()
                    || distance <= absolute);
        Ok(ScriptValue::Bool(is_close))
    }),
    linear("nextafter").two(|_, _, x, y| {
        let (x, y) = (real(&x)?, real(&y)?);
        Ok(ScriptValue::Float(match x.partial_cmp(&y) {
            None => f64::NAN,
            Some(std::cmp::Ordering::Less) => x.next_up(),
            Some(std::cmp::Ordering::Greater) => x.next_down(),
            Some(std::cmp::Ordering::Equal) => y,
        }))
    }),
    linear("remainder").two(|_, _, x, y| {
        let (x, y) = (real(&x)?, real(&y)?);
        if x.is_nan() || y.is_nan() {
            return Ok(ScriptValue::Float(f64::NAN));
        }
        if x.is_infinite() || y == 0.0 {
            raise!(Value, "math domain error");
        }
        if y.is_infinite() {
            return Ok(ScriptValue::Float(x));
        }
        let (size, by) = (x.abs(), y.abs());
        let rest = size % by;
        let other = by - rest;
        let result = match rest.partial_cmp(&other) {
            Some(std::cmp::Ordering::Less) => rest,
            Some(std::cmp::Ordering::Greater) => -other,
            // A tie goes to the even quotient.
            _ => rest - 2.0 * ((0.5 * (size - rest)) % by),
        };
        Ok(ScriptValue::Float(1.0f64.copysign(x) * result))
    }),
    linear("erf").one(|_, _, x| Ok(ScriptValue::Float(libm::erf(real(&x)?)))),
    linear("erfc").one(|_, _, x| Ok(ScriptValue::Float(libm::erfc(real(&x)?)))),
    linear("ulp").one(|_, _, x| {
        let x = real(&x)?.abs();
        Ok(ScriptValue::Float(if x.is_finite() {
            let next = x.next_up();
            if next.is_infinite() { x - x.next_down() } else { next - x }
        } else {
            x
        }))
    }),
];

/// Mantissa in `[0.5, 1)` and exponent of a float.
fn frexp(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Subnormal numbers are scaled first.
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), 64) } else { (x, 0) };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1022;
    let mantissa = f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52));
    (mantissa, exponent - shift)
}

/// `x * 2**exponent`, rounded once.
fn ldexp(x: f64, exponent: i64) -> f64 {
    let (mantissa, own) = frexp(x);
    let total = exponent.saturating_add(own);
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    match total {
        1025.. => f64::INFINITY.copysign(x),
        -1021..=1024 => mantissa * 2.0 * 2f64.powi((total - 1) as i32),
        // The last multiplication rounds to a subnormal number.
        -1080..=-1022 => mantissa * 2f64.powi((total + 1021) as i32) * 2f64.powi(-1021),
        _ => 0.0f64.copysign(x),
    }
}

/// The sum of floats without loss of precision.
fn fsum(p: &mut Eval<'_>, _: &ScriptValue, items: ScriptValue) -> Outcome {
    let mut iter = p.iterate(&items)?;
    // The exact sum in units of the smallest float, and the sum of infinities and NaNs.
    let (mut sum, mut special) = (BigInt::default(), 0.0f64);
    let (mut is_special, mut has_infinity) = (false, [false; 2]);
    while let Some(item) = p.next(&mut iter)? {
        let x = real(&item)?;
        if !x.is_finite() {
            is_special = true;
            if let Some(seen) = has_infinity.get_mut(usize::from(x > 0.0)).filter(|_| x.is_infinite()) {
                *seen = true;
            }
            special += x;
            continue;
        }
        p.state.program.budget.step(8)?;
        let (mantissa, exponent) = frexp(x);
        let whole = BigInt::from((mantissa * 2f64.powi(53)) as i64);
        let shift = exponent - 53 + 1074;
        // A subnormal number has trailing zeros for the bits shifted out.
        sum += if shift >= 0 { whole << shift } else { whole >> -shift };
    }
    if has_infinity == [true; 2] {
        raise!(Value, "-inf + inf in fsum");
    }
    if is_special {
        return Ok(ScriptValue::Float(special));
    }
    let unit = BigInt::from(1) << 1074;
    p.apply(Operator::Binary(BinOp::Div), &[int(sum), int(unit)])
}

fn unary(x: &ScriptValue, f: fn(f64) -> f64) -> Outcome {
    let x = real(x)?;
    finish(x, f(x))
}

fn rounded(x: ScriptValue, round: fn(f64) -> f64) -> Outcome {
    match Number::of(&x) {
        Some(Number::Float(f)) => Ok(float_to_int(round(f))?),
        Some(Number::Int(i)) => Ok(ScriptValue::Int(i)),
        Some(Number::Big(_)) => Ok(x),
        None if object::number(&x).is_some() => rounded(object::number(&x).unwrap_or_default(), round),
        None => Err(wrong_type!("must be real number, not {}", &x).into()),
    }
}

fn real(value: &ScriptValue) -> Result<f64, HostError> {
    match Number::of(value) {
        Some(number) => number.to_float(),
        None => match object::number(value) {
            Some(number) => real(&number),
            None => Err(wrong_type!("must be real number, not {}", value)),
        },
    }
}

fn finish(x: f64, result: f64) -> Outcome {
    if result.is_nan() && !x.is_nan() {
        raise!(Value, "math domain error");
    }
    if result.is_infinite() && x.is_finite() {
        raise!(Overflow, "math range error");
    }
    Ok(ScriptValue::Float(result))
}

/// The logarithm of a number that may be too large for a float.
fn log_of(value: &ScriptValue, log: fn(f64) -> f64, per_bit: f64) -> Result<f64, Raise> {
    let domain = || HostError::value_error("math domain error");
    if let Some(Number::Big(big)) = Number::of(value) {
        if big.sign() == Sign::Minus {
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

fn gcd_of(p: &EvalState, a: BigInt, b: BigInt) -> Result<BigInt, Raise> {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        p.program.budget.step(1 + b.bits() / 64)?;
        cost::product(p, a.bits().saturating_sub(b.bits()), b.bits())?;
        (a, b) = (b.clone(), a % b);
    }
    Ok(a)
}

fn lcm(p: &mut Eval<'_>, _: &ScriptValue, a: CallArgs) -> Outcome {
    let mut result = BigInt::from(1);
    for value in &a.positional {
        let value = integer(value)?.into_owned();
        if value.is_zero() {
            return Ok(ScriptValue::Int(0));
        }
        let common = gcd_of(p.state, result.clone(), value.clone())?;
        cost::product(p.state, result.bits(), value.bits().max(common.bits()))?;
        cost::integer(p.state, result.bits() + value.bits())?;
        result = (result / common * value).abs();
    }
    Ok(int(result))
}

fn factorial(p: &mut Eval<'_>, _: &ScriptValue, x: ScriptValue) -> Outcome {
    let x = i64::try_from(&*integer(&x)?).unwrap_or(if integer(&x)?.is_negative() { -1 } else { i64::MAX });
    if x < 0 {
        raise!(Value, "factorial() not defined for negative values");
    }
    let mut product = BigInt::from(1);
    for factor in 2..=x {
        p.state.program.budget.step(1 + product.bits() / 1024)?;
        product *= factor;
    }
    Ok(int(product))
}

fn comb(p: &mut Eval<'_>, _: &ScriptValue, n: ScriptValue, k: ScriptValue) -> Outcome {
    let (n, k) = (integer(&n)?.into_owned(), integer(&k)?.into_owned());
    for (name, value) in [("n", &n), ("k", &k)] {
        if value.is_negative() {
            raise!(Value, "{name} must be a non-negative integer");
        }
    }
    if k > n {
        return Ok(ScriptValue::Int(0));
    }
    let k = k.clone().min(&n - k);
    let mut result = BigInt::from(1);
    let mut i = BigInt::default();
    while i < k {
        p.state.program.budget.step(1 + (result.bits() + n.bits()) / 64)?;
        cost::product(p.state, result.bits(), n.bits())?;
        result *= &n - &i;
        i += 1;
        result /= &i;
    }
    Ok(int(result))
}
