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
use crate::python::builtins::{Table, linear, own};
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
    missing: "acosh asinh atanh cbrt dist erf erfc expm1 frexp fsum gamma ldexp lgamma log1p modf nextafter perm remainder ulp",
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
];

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
