//! `format`: the specifications behind the colon of f-strings, and `%`.

use num_bigint::{BigInt, Sign};
use tvmscript_irbuilder::ScriptValue;

use super::number::{Number, big_to_float};
use super::{repr, type_name};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::parser::Parser;

/// The widest field and the most digits.
const MAX_WIDTH: usize = 1 << 20;

/// A format specification: `[[fill]align][sign][#][0][width][grouping][.precision][type]`.
#[derive(Debug, Default, Clone, PartialEq)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    /// `z`: what rounds to minus zero is zero.
    plain_zero: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

fn parse(spec: &str, of: &str) -> Result<Spec, HostError> {
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
    if chars.get(at) == Some(&'0') {
        out.zero = true;
        at += 1;
    }
    out.width = digits(&chars, &mut at)?.unwrap_or(0);
    if let Some(c @ (',' | '_')) = chars.get(at) {
        out.grouping = Some(*c);
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
        let message = format!("Invalid format specifier '{spec}' for object of type '{of}'");
        return Err(HostError::value_error(message));
    }
    if out.zero && out.align.is_none() && out.fill.is_none() {
        out.fill = Some('0');
        out.align = Some('=');
    }
    Ok(out)
}

fn digits(chars: &[char], at: &mut usize) -> Result<Option<usize>, HostError> {
    let start = *at;
    let mut value = 0usize;
    while let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(10)) {
        value = value.saturating_mul(10).saturating_add(digit as usize);
        *at += 1;
    }
    if value > MAX_WIDTH {
        return Err(HostError::value_error("Too many decimal digits in format string"));
    }
    Ok((*at > start).then_some(value))
}

/// `format(value, spec)`
pub(crate) fn format(p: &mut Parser, value: &ScriptValue, spec: &str) -> Result<String, Raise> {
    if spec.is_empty() {
        return repr::str(p, value);
    }
    let of = type_name(value);
    let unknown = |kind: char| {
        HostError::value_error(format!("Unknown format code '{kind}' for object of type '{of}'"))
    };
    match value {
        ScriptValue::Str(text) => {
            let spec = parse(spec, &of)?;
            let misplaced = match (spec.kind, spec.sign, spec.align, spec.grouping) {
                (Some(kind), ..) if kind != 's' => return Err(unknown(kind).into()),
                (.., Some(separator)) => Some(format!("Cannot specify '{separator}' with 's'.")),
                (_, Some(' '), ..) => Some("Space not allowed in string format specifier".to_owned()),
                (_, Some(_), ..) => Some("Sign not allowed in string format specifier".to_owned()),
                _ if spec.plain_zero => Some(no_zero("string")),
                (_, _, Some('='), _) if !spec.zero => {
                    Some("'=' alignment not allowed in string format specifier".to_owned())
                }
                _ => None,
            };
            if let Some(message) = misplaced {
                return Err(HostError::value_error(message).into());
            }
            let text = text.as_str();
            let cut: String = match spec.precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text.to_owned(),
            };
            let align = spec.align.filter(|c| *c != '=').unwrap_or('<');
            Ok(pad(&spec, align, "", &cut))
        }
        ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) | ScriptValue::Float(_) => {
            let parsed = parse(spec, &of)?;
            number(p, value, &parsed)
                .and_then(|text| text.ok_or_else(|| unknown(parsed.kind.unwrap_or('?')).into()))
        }
        _ => {
            let message = format!("unsupported format string passed to {of}.__format__");
            Err(HostError::type_error(message).into())
        }
    }
}

fn no_zero(what: &str) -> String {
    format!("Negative zero coercion (z) not allowed in {what} format specifier")
}

fn number(p: &mut Parser, value: &ScriptValue, spec: &Spec) -> Result<Option<String>, Raise> {
    let Some(number) = Number::of(value) else { return Ok(None) };
    let kind = spec.kind;
    let (negative, prefix, digits) = match (number.to_big(), kind) {
        (Some(value), None | Some('d' | 'n' | 'b' | 'o' | 'x' | 'X')) => {
            if spec.precision.is_some() {
                let message = "Precision not allowed in integer format specifier";
                return Err(HostError::value_error(message).into());
            }
            if spec.plain_zero {
                return Err(HostError::value_error(no_zero("integer")).into());
            }
            let negative = value.sign() == Sign::Minus;
            let (prefix, digits) = integer(p, &value, kind)?;
            (negative, if spec.alternate { prefix } else { "" }, digits)
        }
        (Some(value), Some('c')) => {
            if i64::try_from(&value).is_err() {
                return Err(HostError::overflow("Python int too large to convert to C long").into());
            }
            let c = u32::try_from(&value).ok().and_then(char::from_u32);
            let c = c.ok_or_else(|| HostError::overflow("%c arg not in range(0x110000)"))?;
            return Ok(Some(pad(spec, spec.align.unwrap_or('<'), "", &c.to_string())));
        }
        (integer, None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%' | 'n')) => {
            let value = match (&number, integer) {
                (Number::Float(f), _) => *f,
                (_, Some(value)) => big_to_float(&value)?,
                _ => 0.0,
            };
            let digits = float(value.abs(), spec);
            let zero =
                spec.plain_zero && digits.chars().all(|c| matches!(c, '0' | '.' | 'e' | '+' | '-' | '%'));
            (value.is_sign_negative() && !value.is_nan() && !zero, "", digits)
        }
        _ => return Ok(None),
    };
    let sign = match (negative, spec.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(' ')) => " ",
        _ => "",
    };
    let sign = format!("{sign}{prefix}");
    let digits = match spec.grouping {
        Some(separator) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            group(&digits, separator, spec, sign.len())
        }
        _ => digits,
    };
    Ok(Some(pad(spec, spec.align.unwrap_or('>'), &sign, &digits)))
}

fn integer(p: &Parser, value: &BigInt, kind: Option<char>) -> Result<(&'static str, String), Raise> {
    let magnitude = value.magnitude();
    p.shared.step(magnitude.bits() / 64)?;
    Ok(match kind {
        Some('b') => ("0b", magnitude.to_str_radix(2)),
        Some('o') => ("0o", magnitude.to_str_radix(8)),
        Some('x') => ("0x", magnitude.to_str_radix(16)),
        Some('X') => ("0X", magnitude.to_str_radix(16).to_uppercase()),
        _ => ("", repr::big(p, value)?.trim_start_matches('-').to_owned()),
    })
}

/// The digits of a float that is not negative.
fn float(value: f64, spec: &Spec) -> String {
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let upper = matches!(spec.kind, Some('F' | 'E' | 'G'));
        let text = if upper { text.to_uppercase() } else { text.to_owned() };
        return if spec.kind == Some('%') { text + "%" } else { text };
    }
    let precision = spec.precision;
    match spec.kind {
        Some('f' | 'F') => point(format!("{value:.*}", precision.unwrap_or(6)), spec.alternate),
        Some('%') => point(format!("{:.*}", precision.unwrap_or(6), value * 100.0), spec.alternate) + "%",
        Some('e') => exponent(value, precision.unwrap_or(6), spec.alternate),
        Some('E') => exponent(value, precision.unwrap_or(6), spec.alternate).to_uppercase(),
        Some('G') => general(value, precision.unwrap_or(6), spec.alternate, false).to_uppercase(),
        Some('g' | 'n') => general(value, precision.unwrap_or(6), spec.alternate, false),
        _ => match precision {
            Some(precision) => general(value, precision, spec.alternate, true),
            None => repr::float(value),
        },
    }
}

fn point(text: String, alternate: bool) -> String {
    if alternate && !text.contains('.') { text + "." } else { text }
}

fn exponent(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let number: i32 = exponent.parse().unwrap_or(0);
    let sign = if number < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", point(mantissa.to_owned(), alternate), number.abs())
}

/// `g`: so many digits in all, trailing zeros cut. `repr` tells the form without a type, which has a point.
fn general(value: f64, precision: usize, alternate: bool, repr: bool) -> String {
    let precision = precision.max(1);
    let text = format!("{value:.*e}", precision - 1);
    let (mantissa, exponent_text) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent_text.parse().unwrap_or(0);
    let limit = precision as i32 - i32::from(repr);
    let trim = |text: &str| match text.contains('.') && !alternate {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= limit.max(i32::from(!repr)) && exponent >= limit {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    let text = trim(&format!("{value:.decimals$}"));
    if repr && !text.contains('.') { text + ".0" } else { point(text, alternate) }
}

/// Separators between groups of digits; leading zeros that fill the width are grouped too.
fn group(digits: &str, separator: char, spec: &Spec, sign_width: usize) -> String {
    let size = if matches!(spec.kind, Some('b' | 'o' | 'x' | 'X')) { 4 } else { 3 };
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    let end =
        if size == 3 { digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()) } else { end };
    let (whole, rest) = digits.split_at(end);
    let mut whole: Vec<char> = whole.chars().collect();
    if spec.align == Some('=') && spec.fill == Some('0') {
        let width = |count: usize| count + (count.max(1) - 1) / size + rest.len() + sign_width;
        while width(whole.len()) < spec.width {
            whole.insert(0, '0');
        }
    }
    let mut out = String::new();
    for (index, c) in whole.iter().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(size) {
            out.push(separator);
        }
        out.push(*c);
    }
    out + rest
}

fn pad(spec: &Spec, align: char, sign: &str, text: &str) -> String {
    let width = sign.chars().count() + text.chars().count();
    let missing = spec.width.saturating_sub(width);
    let fill = spec.fill.unwrap_or(' ');
    let fill = |count: usize| std::iter::repeat_n(fill, count).collect::<String>();
    match align {
        '<' => format!("{sign}{text}{}", fill(missing)),
        '^' => format!("{}{sign}{text}{}", fill(missing / 2), fill(missing - missing / 2)),
        '=' => format!("{sign}{}{text}", fill(missing)),
        _ => format!("{}{sign}{text}", fill(missing)),
    }
}

/// The number that stands next, zero without one.
fn count(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> usize {
    let mut value = 0usize;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        chars.next();
        value = value.saturating_mul(10).saturating_add(digit as usize);
    }
    value.min(MAX_WIDTH)
}

/// `format % values`
pub(crate) fn percent(p: &mut Parser, format: &str, values: &ScriptValue) -> Result<ScriptValue, Raise> {
    let items: Vec<ScriptValue> = match values {
        ScriptValue::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let mut items = items.into_iter();
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    let missing = || HostError::type_error("not enough arguments for format string");
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut key = None;
        if chars.peek() == Some(&'(') {
            chars.next();
            key = Some(chars.by_ref().take_while(|c| *c != ')').collect::<String>());
        }
        let mut spec = Spec::default();
        let mut left = false;
        while let Some(flag @ ('-' | '+' | ' ' | '#' | '0')) = chars.peek().copied() {
            chars.next();
            match flag {
                '-' => left = true,
                '#' => spec.alternate = true,
                '0' => spec.zero = true,
                sign => spec.sign = Some(sign),
            }
        }
        spec.width = count(&mut chars);
        let mut precision = None;
        if chars.peek() == Some(&'.') {
            chars.next();
            precision = Some(count(&mut chars));
        }
        let Some(kind) = chars.next() else {
            return Err(HostError::value_error("incomplete format").into());
        };
        if kind == '%' {
            out.push('%');
            continue;
        }
        let value = match (&key, values) {
            (Some(key), ScriptValue::Dict(_)) => super::subscript::get(p, values, &ScriptValue::str(key))?,
            (Some(_), _) => return Err(HostError::type_error("format requires a mapping").into()),
            (None, _) => items.next().ok_or_else(missing)?,
        };
        spec.align = Some(if left {
            '<'
        } else if spec.zero && kind != 's' {
            '='
        } else {
            '>'
        });
        spec.fill = (spec.zero && !left && kind != 's').then_some('0');
        match kind {
            's' | 'r' | 'a' => {
                let text = if kind == 's' { repr::str(p, &value)? } else { repr::repr(p, &value)? };
                let text = precision.map_or(text.clone(), |n| text.chars().take(n).collect());
                out.push_str(&pad(&spec, spec.align.unwrap_or('>'), "", &text));
            }
            'd' | 'i' | 'u' => {
                let value = match Number::of(&value) {
                    Some(Number::Float(f)) => super::number::float_to_int(f)?,
                    Some(_) => value,
                    None => {
                        let message =
                            format!("%{kind} format: a real number is required, not {}", type_name(&value));
                        return Err(HostError::type_error(message).into());
                    }
                };
                spec.kind = Some('d');
                out.push_str(&number(p, &value, &spec)?.unwrap_or_default());
            }
            'c' if value.as_str().is_some_and(|s| s.chars().count() == 1) => {
                out.push_str(&pad(&spec, spec.align.unwrap_or('>'), "", value.as_str().unwrap_or("")));
            }
            'x' | 'X' | 'o' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'c' => {
                spec.kind = Some(kind);
                spec.precision = precision;
                match number(p, &value, &spec)? {
                    Some(text) => out.push_str(&text),
                    None => {
                        let message = match kind {
                            'x' | 'X' | 'o' => {
                                format!("%{kind} format: an integer is required, not {}", type_name(&value))
                            }
                            _ => format!("must be real number, not {}", type_name(&value)),
                        };
                        return Err(HostError::type_error(message).into());
                    }
                }
            }
            other => {
                let message = format!("unsupported format character '{other}' (0x{:x})", other as u32);
                return Err(HostError::value_error(message).into());
            }
        }
        p.shared.allocate(spec.width as u64 + 16)?;
    }
    if items.next().is_some() && !matches!(values, ScriptValue::Dict(_) | ScriptValue::List(_)) {
        return Err(HostError::type_error("not all arguments converted during string formatting").into());
    }
    Ok(ScriptValue::str(&out))
}
