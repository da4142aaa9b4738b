//! `format` and the format specifications of f-strings.
//!
//! Widths and precisions are limited by the memory budget only; they are charged before text is written.

use num_bigint::{BigInt, Sign};
use tvmscript_script_value::ScriptValue;

use super::number::{Number, big_to_float};
use super::text_index::Chars;
use super::{cost, repr, type_name};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::eval::class::{Special, is_instance};
use crate::{Eval, EvalState};

/// Maximum number of digits after the decimal point of a float: 1074 bits.
const MAX_FRACTION: usize = 1100;
/// Maximum number of significant digits of a float.
const MAX_SIGNIFICANT: usize = 800;

/// A format specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Spec {
    pub(super) fill: Option<char>,
    pub(super) align: Option<char>,
    pub(super) sign: Option<char>,
    /// `z`: negative zero after rounding becomes zero.
    plain_zero: bool,
    pub(super) alternate: bool,
    pub(super) width: usize,
    grouping: Option<char>,
    pub(super) precision: Option<usize>,
    pub(super) kind: Option<char>,
}

fn parse(spec: &str, of: &str, default_align: char) -> Result<Spec, HostError> {
    let chars: Vec<char> = spec.chars().collect();
    let mut out = Spec::default();
    let mut at = 0;
    let is_align = |c: Option<&char>| c.is_some_and(|c| "<>=^".contains(*c));
    if is_align(chars.get(1)) {
        out.fill = chars.first().copied();
        out.align = chars.get(1).copied();
        at = 2;
    } else if is_align(chars.first()) {
        out.align = chars.first().copied();
        at = 1;
    }
    if let Some(c @ ('+' | '-' | ' ')) = chars.get(at) {
        out.sign = Some(*c);
        at += 1;
    }
    if chars.get(at) == Some(&'z') {
        out.plain_zero = true;
        at += 1;
    }
    if chars.get(at) == Some(&'#') {
        out.alternate = true;
        at += 1;
    }
    if out.fill.is_none() && chars.get(at) == Some(&'0') {
        out.fill = Some('0');
        if out.align.is_none() && default_align == '>' {
            out.align = Some('=');
        }
        at += 1;
    }
    out.width = digits(&chars, &mut at)?.unwrap_or(0);
    while let Some(c @ (',' | '_')) = chars.get(at) {
        match out.grouping {
            Some(before) if before != *c => {
                raise!(Value, "Cannot specify both ',' and '_'.");
            }
            Some(_) => break,
            None => out.grouping = Some(*c),
        }
        at += 1;
    }
    if chars.get(at) == Some(&'.') {
        at += 1;
        let precision = digits(&chars, &mut at)?;
        out.precision =
            Some(precision.ok_or_else(|| HostError::value_error("Format specifier missing precision"))?);
    }
    out.kind = chars.get(at).copied();
    if chars.len() > at + usize::from(out.kind.is_some()) {
        raise!(Value, "Invalid format specifier '{spec}' for object of type '{of}'");
    }
    match (out.grouping, out.kind.or((default_align == '<').then_some('s'))) {
        (None, _) | (_, None | Some('d' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F')) => {}
        (Some('_'), Some('b' | 'o' | 'x' | 'X')) => {}
        (Some(separator), Some(kind)) => {
            raise!(Value, "Cannot specify '{separator}' with '{kind}'.");
        }
    }
    Ok(out)
}

fn digits(chars: &[char], at: &mut usize) -> Result<Option<usize>, HostError> {
    let start = *at;
    let mut value = 0i64;
    while let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(10)) {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(i64::from(digit)))
            .ok_or_else(|| HostError::value_error("Too many decimal digits in format string"))?;
        *at += 1;
    }
    Ok((*at > start).then_some(value as usize))
}

/// `format(value, spec)`
pub(crate) fn format(p: &mut Eval<'_>, value: &ScriptValue, spec: &str) -> Result<String, Raise> {
    if is_instance(value) {
        if let Special::Value(text) = p.call_special(value, "__format__", [ScriptValue::str(spec)])? {
            return match text.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(wrong_type!("__format__ must return a str, not {}", &text).into()),
            };
        }
        if spec.is_empty() {
            return super::repr::str(p, value);
        }
        if is_instance(value.plain()) {
            return Err(wrong_type!("unsupported format string passed to {}.__format__", value).into());
        }
    }
    let value = value.plain();
    if spec.is_empty() {
        return repr::str(p, value);
    }
    cost::scan(p.state, spec.len())?;
    if let Some(number) = super::object::number(value) {
        return format(p, &number, spec);
    }
    let of = type_name(value);
    let unknown = |kind: char| {
        HostError::value_error(format!("Unknown format code '{kind}' for object of type '{of}'"))
    };
    match value {
        ScriptValue::Str(text) => {
            let spec = parse(spec, &of, '<')?;
            let misplaced = match (spec.kind, spec.sign, spec.align) {
                (Some(kind), ..) if kind != 's' => return Err(unknown(kind).into()),
                (_, Some(' '), _) => "Space not allowed in string format specifier",
                (_, Some(_), _) => "Sign not allowed in string format specifier",
                _ if spec.plain_zero => "Negative zero coercion (z) not allowed in string format specifier",
                _ if spec.alternate => "Alternate form (#) not allowed in string format specifier",
                (_, _, Some('=')) => "'=' alignment not allowed in string format specifier",
                _ => {
                    let chars = Chars::of(p.state, text)?;
                    let cut = spec.precision.map_or(text.as_str(), |precision| chars.slice(0, precision));
                    let width = spec.precision.unwrap_or(usize::MAX).min(chars.count());
                    return pad(p.state, &spec, spec.align.unwrap_or('<'), "", cut, width);
                }
            };
            Err(HostError::value_error(misplaced).into())
        }
        ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) | ScriptValue::Float(_) => {
            let spec = parse(spec, &of, '>')?;
            number(p, value, &spec)
                .and_then(|text| text.ok_or_else(|| unknown(spec.kind.unwrap_or('?')).into()))
        }
        _ => {
            raise!(Type, "unsupported format string passed to {of}.__format__")
        }
    }
}

/// Formats a number; `None` for an unknown type code.
fn number(p: &mut Eval<'_>, value: &ScriptValue, spec: &Spec) -> Result<Option<String>, Raise> {
    let Some(number) = Number::of(value) else { return Ok(None) };
    match (number.to_big(), spec.kind) {
        (Some(value), None | Some('d' | 'n' | 'b' | 'o' | 'x' | 'X')) => {
            if spec.precision.is_some() {
                raise!(Value, "Precision not allowed in integer format specifier");
            }
            if spec.plain_zero {
                raise!(Value, "Negative zero coercion (z) not allowed in integer format specifier");
            }
            let (prefix, digits) = integer(p.state, &value, spec.kind)?;
            let prefix = if spec.alternate { prefix } else { "" };
            signed(p.state, spec, value.sign() == Sign::Minus, prefix, digits).map(Some)
        }
        (Some(value), Some('c')) => {
            let misplaced = match (spec.sign, spec.precision, spec.alternate) {
                (_, Some(_), _) => "Precision not allowed in integer format specifier",
                (Some(_), ..) => "Sign not allowed with integer format specifier 'c'",
                (.., true) => "Alternate form (#) not allowed with integer format specifier 'c'",
                _ if spec.plain_zero => "Negative zero coercion (z) not allowed in integer format specifier",
                _ => {
                    let c = character(&value)?;
                    return pad(p.state, spec, spec.align.unwrap_or('>'), "", &c.to_string(), 1).map(Some);
                }
            };
            Err(HostError::value_error(misplaced).into())
        }
        (integer, Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) | (integer @ None, None | Some('n')) => {
            let value = match (&number, integer) {
                (Number::Float(f), _) => *f,
                (_, Some(value)) => big_to_float(&value)?,
                _ => 0.0,
            };
            let digits = float(p.state, value.abs(), spec)?;
            let zero =
                spec.plain_zero && digits.chars().all(|c| matches!(c, '0' | '.' | 'e' | '+' | '-' | '%'));
            let negative = value.is_sign_negative() && !value.is_nan() && !zero;
            signed(p.state, spec, negative, "", digits).map(Some)
        }
        _ => Ok(None),
    }
}

/// The character for type code `c`.
pub(super) fn character(code: &BigInt) -> Result<char, HostError> {
    if i64::try_from(code).is_err() {
        raise!(Overflow, "Python int too large to convert to C long");
    }
    let code = u32::try_from(code).map_err(|_| HostError::overflow("%c arg not in range(0x110000)"))?;
    scalar(code).ok_or_else(|| HostError::overflow("%c arg not in range(0x110000)"))?
}

/// The character of a code point: `None` beyond Unicode, an error for a surrogate, which text cannot contain.
pub(crate) fn scalar(code: u32) -> Option<Result<char, HostError>> {
    match char::from_u32(code) {
        Some(c) => Some(Ok(c)),
        None if code < 0x11_0000 => {
            Some(Err(HostError::value_error(format!("text cannot hold the lone surrogate U+{code:04X}"))))
        }
        None => None,
    }
}

/// A number with sign, grouping and padding.
pub(super) fn signed(
    p: &EvalState,
    spec: &Spec,
    negative: bool,
    prefix: &str,
    digits: String,
) -> Result<String, Raise> {
    let sign = match (negative, spec.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(' ')) => " ",
        _ => "",
    };
    let sign = format!("{sign}{prefix}");
    let digits = match spec.grouping {
        Some(separator) if digits.starts_with(|c: char| c.is_ascii_digit()) || spec.is_hex() => {
            group(p, &digits, separator, spec, sign.len())?
        }
        _ => digits,
    };
    let width = sign.len() + digits.len();
    pad(p, spec, spec.align.unwrap_or('>'), &sign, &digits, width)
}

impl Spec {
    fn is_hex(&self) -> bool {
        matches!(self.kind, Some('b' | 'o' | 'x' | 'X'))
    }
}

/// The prefix for `#` and the digits of an integer, without its sign.
pub(super) fn integer(
    p: &EvalState,
    value: &BigInt,
    kind: Option<char>,
) -> Result<(&'static str, String), Raise> {
    let (prefix, bits) = match kind {
        Some('b') => ("0b", 1),
        Some('o') => ("0o", 3),
        Some('x') => ("0x", 4),
        Some('X') => ("0X", 4),
        _ => return Ok(("", repr::big(p, value)?.trim_start_matches('-').to_owned())),
    };
    cost::text_bytes(p, usize::try_from(value.bits() / bits).unwrap_or(usize::MAX))?;
    let digits = value.magnitude().to_str_radix(1 << bits);
    Ok((prefix, if kind == Some('X') { digits.to_uppercase() } else { digits }))
}

/// The digits of a non-negative float.
pub(super) fn float(p: &EvalState, value: f64, spec: &Spec) -> Result<String, Raise> {
    let precision = spec.precision;
    if precision.is_some_and(|precision| precision > i32::MAX as usize) {
        raise!(Value, "precision too big");
    }
    let percent = spec.kind == Some('%');
    let value = if percent { value * 100.0 } else { value };
    let upper = matches!(spec.kind, Some('F' | 'E' | 'G'));
    if !value.is_finite() {
        let text = match (value.is_nan(), upper) {
            (true, false) => "nan",
            (true, true) => "NAN",
            (false, false) => "inf",
            (false, true) => "INF",
        };
        return Ok(if percent { format!("{text}%") } else { text.to_owned() });
    }
    let digits = precision.unwrap_or(6);
    if matches!(spec.kind, Some('f' | 'F' | 'e' | 'E' | '%')) || spec.alternate {
        cost::text_bytes(p, digits)?;
    }
    let text = match spec.kind {
        Some('f' | 'F' | '%') => point(fixed(value, digits), spec.alternate),
        Some('e' | 'E') => exponent(value, digits, spec.alternate),
        Some('g' | 'G' | 'n') => general(value, digits, spec.alternate, false),
        _ => match precision {
            Some(precision) => general(value, precision, spec.alternate, true),
            None => match repr::float(value) {
                text if spec.alternate && !text.contains('.') => text.replacen('e', ".e", 1),
                text => text,
            },
        },
    };
    let text = if upper { text.to_uppercase() } else { text };
    Ok(if percent { text + "%" } else { text })
}

fn point(text: String, alternate: bool) -> String {
    if alternate && !text.contains('.') { text + "." } else { text }
}

/// Appends zeros after the digits that a float can have.
fn zeros(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n('0', count));
}

/// Formats with `precision` digits after the decimal point.
fn fixed(value: f64, precision: usize) -> String {
    let exact = precision.min(MAX_FRACTION);
    let mut text = format!("{value:.exact$}");
    zeros(&mut text, precision - exact);
    text
}

/// Mantissa with `precision` digits after the point, and exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let exact = precision.min(MAX_SIGNIFICANT);
    let text = format!("{value:.exact$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut mantissa = mantissa.to_owned();
    zeros(&mut mantissa, precision - exact);
    (mantissa, exponent.parse().unwrap_or(0))
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn exponent(value: f64, precision: usize, alternate: bool) -> String {
    let (mantissa, exponent) = scientific(value, precision);
    with_exponent(&point(mantissa, alternate), exponent)
}

/// Type code `g`: `precision` significant digits, without trailing zeros. `repr` selects the form without a type code,
/// which has a decimal point.
fn general(value: f64, precision: usize, alternate: bool, repr: bool) -> String {
    let precision = precision.max(1);
    // Zeros after the last possible digit are trimmed anyway, except with `#`.
    let shown = if alternate { precision } else { precision.min(MAX_SIGNIFICANT) };
    let (mantissa, exponent) = scientific(value, shown - 1);
    let limit = precision as i64 - i64::from(repr);
    let trim = |text: String| match text.contains('.') && !alternate {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if exponent < -4 || i64::from(exponent) >= limit {
        return with_exponent(&point(trim(mantissa), alternate), exponent);
    }
    let decimals = (shown as i64 - 1 - i64::from(exponent)).max(0) as usize;
    let text = trim(fixed(value, decimals));
    if repr && !text.contains('.') { text + ".0" } else { point(text, alternate) }
}

/// Inserts separators between groups of digits. Leading zeros that fill the width are grouped too.
fn group(
    p: &EvalState,
    digits: &str,
    separator: char,
    spec: &Spec,
    sign_width: usize,
) -> Result<String, Raise> {
    let size = if spec.is_hex() { 4 } else { 3 };
    let end = match spec.is_hex() {
        true => digits.len(),
        false => digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()),
    };
    let (whole, rest) = digits.split_at(end);
    let mut count = whole.len();
    if spec.align == Some('=') && spec.fill == Some('0') {
        // The least number of digits that fill the width with their separators.
        let room = spec.width.saturating_sub(rest.len() + sign_width);
        count = count.max((room.saturating_mul(size) + 1).div_ceil(size + 1));
    }
    cost::text_bytes(p, count.saturating_add(count / size))?;
    let mut out = String::with_capacity(count + count / size + rest.len());
    let zeros = std::iter::repeat_n(b'0', count - whole.len());
    for (at, digit) in zeros.chain(whole.bytes()).enumerate() {
        if at > 0 && (count - at).is_multiple_of(size) {
            out.push(separator);
        }
        out.push(char::from(digit));
    }
    Ok(out + rest)
}

/// Pads a text of `width` characters to the width of the specification.
pub(super) fn pad(
    p: &EvalState,
    spec: &Spec,
    align: char,
    sign: &str,
    text: &str,
    width: usize,
) -> Result<String, Raise> {
    let missing = spec.width.saturating_sub(width);
    let fill = spec.fill.unwrap_or(' ');
    let bytes = missing.saturating_mul(fill.len_utf8()).saturating_add(sign.len() + text.len());
    cost::text_bytes(p, bytes)?;
    let (left, inside, right) = match align {
        '<' => (0, 0, missing),
        '^' => (missing / 2, 0, missing - missing / 2),
        '=' => (0, missing, 0),
        _ => (missing, 0, 0),
    };
    let mut out = String::with_capacity(bytes);
    let filled = |out: &mut String, count: usize| out.extend(std::iter::repeat_n(fill, count));
    filled(&mut out, left);
    out.push_str(sign);
    filled(&mut out, inside);
    out.push_str(text);
    filled(&mut out, right);
    Ok(out)
}
