//! `complex`

use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::{CallArgs, Hashing, ScriptValue};

use super::builtins::{Table, own};
use super::number::{self, Number};
use super::object::{LibraryObject, Protocol, cast};
use super::{Outcome, repr};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::eval::class::Special;
use crate::host::Operator;

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    pub(crate) fn value(re: f64, im: f64) -> ScriptValue {
        LibraryObject::value(Complex { re, im })
    }

    /// The number, if it is one, as a complex one.
    fn of(value: &ScriptValue) -> Result<Option<Complex>, HostError> {
        if let Some(complex) = cast::<Complex>(value.plain()) {
            return Ok(Some(*complex));
        }
        match Number::of(value.plain()) {
            Some(number) => Ok(Some(Complex { re: number.to_float()?, im: 0.0 })),
            None => Ok(None),
        }
    }

    fn hash(self) -> i64 {
        let (re, im) = (number::hash(&Number::Float(self.re)), number::hash(&Number::Float(self.im)));
        re.wrapping_add(im.wrapping_mul(1_000_003))
    }

    fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn times(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// Division by the method of Smith, as in CPython.
    fn divided(self, other: Complex) -> Result<Complex, HostError> {
        let (re, im) = (other.re.abs(), other.im.abs());
        if re >= im {
            if re == 0.0 {
                raise!(ZeroDivision, "complex division by zero");
            }
            let ratio = other.im / other.re;
            let denominator = other.re + other.im * ratio;
            return Ok(Complex {
                re: (self.re + self.im * ratio) / denominator,
                im: (self.im - self.re * ratio) / denominator,
            });
        }
        if im >= re {
            let ratio = other.re / other.im;
            let denominator = other.re * ratio + other.im;
            return Ok(Complex {
                re: (self.re * ratio + self.im) / denominator,
                im: (self.im * ratio - self.re) / denominator,
            });
        }
        Ok(Complex { re: f64::NAN, im: f64::NAN })
    }

    fn power(self, exponent: Complex) -> Result<Complex, HostError> {
        if exponent.re == 0.0 && exponent.im == 0.0 {
            return Ok(Complex { re: 1.0, im: 0.0 });
        }
        let whole = exponent.re as i32;
        if exponent.im == 0.0 && f64::from(whole) == exponent.re && whole.unsigned_abs() <= 100 {
            let (mut base, mut left) = (self, whole.unsigned_abs());
            let mut result = Complex { re: 1.0, im: 0.0 };
            while left > 0 {
                if left & 1 == 1 {
                    result = result.times(base);
                }
                base = base.times(base);
                left >>= 1;
            }
            return match whole < 0 {
                true if self.re == 0.0 && self.im == 0.0 => {
                    raise!(ZeroDivision, "0.0 to a negative or complex power")
                }
                true => Complex { re: 1.0, im: 0.0 }.divided(result),
                false => Ok(result),
            };
        }
        if self.re == 0.0 && self.im == 0.0 {
            if exponent.im != 0.0 || exponent.re < 0.0 {
                raise!(ZeroDivision, "0.0 to a negative or complex power");
            }
            return Ok(Complex { re: 0.0, im: 0.0 });
        }
        let mut length = self.abs().powf(exponent.re);
        let angle = self.im.atan2(self.re);
        let mut phase = angle * exponent.re;
        if exponent.im != 0.0 {
            length /= (angle * exponent.im).exp();
            phase += exponent.im * self.abs().ln();
        }
        Ok(Complex { re: length * phase.cos(), im: length * phase.sin() })
    }

    fn binary(self, op: BinOp, other: Complex) -> Result<Option<Complex>, HostError> {
        let result = match op {
            BinOp::Add => Complex { re: self.re + other.re, im: self.im + other.im },
            BinOp::Sub => Complex { re: self.re - other.re, im: self.im - other.im },
            BinOp::Mult => self.times(other),
            BinOp::Div => self.divided(other)?,
            BinOp::Pow => self.power(other)?,
            _ => return Ok(None),
        };
        let is_finite = |c: Complex| c.re.is_finite() && c.im.is_finite();
        if op == BinOp::Pow && !is_finite(result) && is_finite(self) && is_finite(other) {
            raise!(Overflow, "complex exponentiation");
        }
        Ok(Some(result))
    }

    fn text(self) -> String {
        let part = |value: f64| {
            let mut text = repr::float(value);
            if let Some(short) = text.strip_suffix(".0") {
                text = short.to_owned();
            }
            text
        };
        let im = part(self.im);
        if self.re == 0.0 && self.re.is_sign_positive() {
            return format!("{im}j");
        }
        let sign = if im.starts_with('-') { "" } else { "+" };
        format!("({}{sign}{im}j)", part(self.re))
    }

    /// Parses `1+2j`.
    fn parse(text: &str) -> Option<Complex> {
        let text = text.trim();
        let text = match text.strip_prefix('(') {
            Some(inner) => inner.strip_suffix(')')?.trim(),
            None => text,
        };
        let float = super::builtins::parse_float;
        let Some(imaginary) = text.strip_suffix(['j', 'J']) else {
            return Some(Complex { re: float(text)?, im: 0.0 });
        };
        let is_sign = |(at, c): &(usize, char)| {
            let before = imaginary.get(..*at).and_then(|text| text.chars().next_back());
            matches!(c, '+' | '-') && *at > 0 && !matches!(before, Some('e' | 'E'))
        };
        let at = imaginary.char_indices().rev().find(is_sign).map_or(0, |(at, _)| at);
        let (re, im) = imaginary.split_at_checked(at)?;
        let im = match im {
            "" | "+" => 1.0,
            "-" => -1.0,
            digits if digits.starts_with(char::is_whitespace) || digits.ends_with(char::is_whitespace) => {
                return None;
            }
            digits => float(digits)?,
        };
        let re = match re {
            "" => 0.0,
            digits if digits.ends_with(char::is_whitespace) => return None,
            digits => float(digits)?,
        };
        Some(Complex { re, im })
    }
}

impl Protocol for Complex {
    fn class(&self) -> &'static str {
        "complex"
    }
    fn methods(&self) -> Table {
        METHODS
    }
    fn truth(&self, _: &mut Eval<'_>) -> Result<bool, Raise> {
        Ok(self.re != 0.0 || self.im != 0.0)
    }
    fn operate(
        &self,
        _: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let value = |c: Complex| Complex::value(c.re, c.im);
        match (operator, operands) {
            (Operator::Unary(UnaryOp::USub), _) => Ok(Some(Complex::value(-self.re, -self.im))),
            (Operator::Unary(UnaryOp::UAdd), _) => Ok(Some(value(*self))),
            (Operator::Binary(op), [a, b]) => match (Complex::of(a)?, Complex::of(b)?) {
                (Some(a), Some(b)) => Ok(a.binary(op, b)?.map(value)),
                _ => Ok(None),
            },
            (Operator::Compare(op @ (CmpOp::Eq | CmpOp::NotEq)), [a, b]) => {
                let (big, complex) = match cast::<Complex>(a.plain()) {
                    Some(complex) => (b, complex),
                    None => (a, self),
                };
                // Large integers are compared exactly.
                let is_equal = match (cast::<Complex>(big.plain()), Number::of(big.plain())) {
                    (Some(other), _) => other.re == complex.re && other.im == complex.im,
                    (None, Some(number)) => {
                        complex.im == 0.0
                            && super::compare::equal_numbers(&number, &Number::Float(complex.re))
                    }
                    (None, None) => return Ok(None),
                };
                Ok(Some(ScriptValue::Bool(is_equal == (op == CmpOp::Eq))))
            }
            _ => Ok(None),
        }
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "real" => Some(ScriptValue::Float(self.re)),
            "imag" => Some(ScriptValue::Float(self.im)),
            _ => None,
        }
    }
    fn attribute_names(&self) -> Vec<String> {
        vec!["imag".to_owned(), "real".to_owned()]
    }
    fn write(&self, _: &mut Eval<'_>, out: &mut String, _: &mut Vec<*const ()>) -> Result<(), Raise> {
        out.push_str(&(*self).text());
        Ok(())
    }
    fn hashing(&self) -> Hashing {
        Hashing::Value { hash: self.hash() as u64, weight: 1 }
    }
    fn same_key(&self, other: &dyn Protocol) -> bool {
        other.as_any().downcast_ref::<Complex>().is_some_and(|other| other == self)
    }
}

static METHODS: Table = &[
    own("conjugate").zero(|_, x| match cast::<Complex>(x.plain()) {
        Some(complex) => Ok(Complex::value(complex.re, -complex.im)),
        None => Ok(ScriptValue::None),
    }),
    own("__complex__").zero(|_, x| Ok(x.plain().clone())),
    own("__abs__").zero(|_, x| absolute(x.plain()).unwrap_or(Ok(ScriptValue::None))),
];

/// `hash(x)` of a complex number; `None` for other values.
pub(crate) fn hash(x: &ScriptValue) -> Option<i64> {
    cast::<Complex>(x).map(|complex| complex.hash())
}

/// `abs(x)` of a complex number; `None` for other values.
pub(crate) fn absolute(x: &ScriptValue) -> Option<Outcome> {
    let complex = cast::<Complex>(x.plain())?;
    let length = complex.abs();
    if length.is_infinite() && complex.re.is_finite() && complex.im.is_finite() {
        return Some(Err(HostError::overflow("absolute value too large").into()));
    }
    Some(Ok(ScriptValue::Float(length)))
}

/// `complex(real, imag)`
pub(crate) fn complex_type(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let mut positional = std::mem::take(&mut args.positional).into_iter();
    let re = positional.next().or_else(|| args.take_keyword("real"));
    let im = positional.next().or_else(|| args.take_keyword("imag"));
    if let Some((name, _)) = args.keywords.first() {
        raise!(Type, "'{name}' is an invalid keyword argument for complex()");
    }
    if positional.next().is_some() {
        raise!(Type, "complex() takes at most 2 arguments (3 given)");
    }
    if let Some(text) = re.as_ref().and_then(|re| re.plain().as_str()) {
        if im.is_some() {
            raise!(Type, "complex() can't take second arg if first is a string");
        }
        return match Complex::parse(text) {
            Some(complex) => Ok(Complex::value(complex.re, complex.im)),
            None => raise!(Value, "complex() arg is a malformed string"),
        };
    }
    if im.as_ref().is_some_and(|im| im.plain().as_str().is_some()) {
        raise!(Type, "complex() second arg can't be a string");
    }
    let re = re.map(|re| part(p, re, "complex() first argument must be a string or a number")).transpose()?;
    let im = im.map(|im| part(p, im, "complex() second argument must be a number")).transpose()?;
    let zero = Complex { re: 0.0, im: 0.0 };
    let (re, im) = (re.unwrap_or(zero), im.unwrap_or(zero));
    Ok(Complex::value(
        re.re - im.im,
        if im.re == 0.0 && im.im == 0.0 && re.im != 0.0 { re.im } else { re.im + im.re },
    ))
}

/// A part of a complex number.
fn part(p: &mut Eval<'_>, value: ScriptValue, message: &str) -> Result<Complex, Raise> {
    match p.call_special(&value, "__complex__", [])? {
        Special::Value(made) => match cast::<Complex>(&made) {
            Some(complex) => return Ok(*complex),
            None => return Err(wrong_type!("__complex__ returned non-complex (type {})", &made).into()),
        },
        Special::NotImplemented | Special::Missing => {}
    }
    let converted = match p.call_special(&value, "__float__", [])? {
        Special::Value(float) => float,
        _ => p.as_index(value.clone())?,
    };
    match Complex::of(&converted)? {
        Some(complex) => Ok(complex),
        None => Err(wrong_type!("{message}, not '{}'", &value).into()),
    }
}
