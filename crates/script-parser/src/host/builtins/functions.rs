//! Built-in functions.

use num_bigint::BigInt;
use num_traits::Zero;
use tvmscript_irbuilder::{CallArgs, ScriptValue};

use super::{Builtin, BuiltinFn, args, optional};
use crate::ast::{BinOp, CmpOp};
use crate::errors::{HostError, HostErrorKind};
use crate::eval::{Iter, IterObject, Raise};
use crate::host::number::{Number, float_to_int, index, int, small_index};
use crate::host::range::Range;
use crate::host::{arith, format, node_len, repr, set, type_name};
use crate::parser::Parser;
use crate::table::Operator;

/// The functions by name.
pub(super) const FUNCTIONS: &[(&str, BuiltinFn)] = &[
    ("abs", abs),
    ("all", all),
    ("any", any),
    ("ascii", ascii_function),
    ("bin", bin),
    ("callable", callable),
    ("chr", chr),
    ("divmod", divmod),
    ("format", format_function),
    ("getattr", getattr),
    ("hasattr", hasattr),
    ("hash", hash),
    ("hex", hex),
    ("id", id),
    ("isinstance", isinstance),
    ("iter", iter),
    ("len", len),
    ("max", max),
    ("min", min),
    ("next", next),
    ("oct", oct),
    ("ord", ord),
    ("pow", pow),
    ("print", print),
    ("repr", repr_function),
    ("round", round),
    ("sorted", sorted),
    ("sum", sum),
];

fn iter_arg(p: &mut Parser, name: &str, a: CallArgs) -> Result<Iter, Raise> {
    let [items] = args(name, a)?;
    p.iterate(&items)
}

fn abs(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("abs", a)?;
    match Number::of(&x) {
        Some(Number::Float(f)) => Ok(ScriptValue::Float(f.abs())),
        Some(number) => Ok(int(BigInt::from(number.to_big().unwrap_or_default().magnitude().clone()))),
        None => Err(HostError::type_error(format!("bad operand type for abs(): '{}'", type_name(&x))).into()),
    }
}

fn all(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut iter = iter_arg(p, "all", a)?;
    while let Some(item) = p.next(&mut iter)? {
        if !p.truth(&item)? {
            return Ok(ScriptValue::Bool(false));
        }
    }
    Ok(ScriptValue::Bool(true))
}

fn any(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut iter = iter_arg(p, "any", a)?;
    while let Some(item) = p.next(&mut iter)? {
        if p.truth(&item)? {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

/// The text with everything beyond ASCII escaped.
pub(crate) fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c as u32 {
            0..0x80 => out.push(c),
            code @ 0x80..0x100 => out.push_str(&format!("\\x{code:02x}")),
            code @ 0x100..0x10000 => out.push_str(&format!("\\u{code:04x}")),
            code => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out
}

fn ascii_function(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("ascii", a)?;
    Ok(ScriptValue::str(&ascii(&repr::repr(p, &x)?)))
}

fn radix(p: &Parser, name: &str, a: CallArgs, prefix: &str, radix: u32) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    let value = integer(&x)?;
    p.shared.step(value.bits() / 64)?;
    let sign = if value < BigInt::zero() { "-" } else { "" };
    Ok(ScriptValue::str(&format!("{sign}{prefix}{}", value.magnitude().to_str_radix(radix))))
}

fn bin(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    radix(p, "bin", a, "0b", 2)
}
fn oct(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    radix(p, "oct", a, "0o", 8)
}
fn hex(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    radix(p, "hex", a, "0x", 16)
}

fn integer(value: &ScriptValue) -> Result<BigInt, HostError> {
    index(value).ok_or_else(|| {
        HostError::type_error(format!("'{}' object cannot be interpreted as an integer", type_name(value)))
    })
}

fn callable(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("callable", a)?;
    Ok(ScriptValue::Bool(match &x {
        ScriptValue::Function(_) => true,
        ScriptValue::Host(host) => host.is_callable(),
        ScriptValue::Node(object) => p.rules(object).call.is_some(),
        _ => false,
    }))
}

fn chr(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("chr", a)?;
    let code = integer(&x)?;
    let c = u32::try_from(&code).ok().and_then(char::from_u32);
    let c = c.ok_or_else(|| HostError::value_error("chr() arg not in range(0x110000)"))?;
    Ok(ScriptValue::str(c.encode_utf8(&mut [0; 4])))
}

fn ord(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("ord", a)?;
    let ScriptValue::Str(text) = &x else {
        let message = format!("ord() expected string of length 1, but {} found", type_name(&x));
        return Err(HostError::type_error(message).into());
    };
    let mut chars = text.as_str().chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(ScriptValue::Int(i64::from(c as u32))),
        _ => {
            let count = text.as_str().chars().count();
            let message = format!("ord() expected a character, but string of length {count} found");
            Err(HostError::type_error(message).into())
        }
    }
}

fn divmod(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, y] = args("divmod", a)?;
    if let (Some(Number::Float(_)), Some(b)) | (Some(b), Some(Number::Float(_))) =
        (Number::of(&x), Number::of(&y))
    {
        let _ = b;
        let (Some(a), Some(b)) = (Number::of(&x), Number::of(&y)) else { return Ok(ScriptValue::None) };
        let (a, b) = (a.to_float()?, b.to_float()?);
        if b == 0.0 {
            return Err(HostError::zero_division("float floor division by zero").into());
        }
        let (quotient, rest) = arith::float_div_mod(a, b);
        return Ok(ScriptValue::tuple([ScriptValue::Float(quotient), ScriptValue::Float(rest)]));
    }
    let operands = [x, y];
    let quotient = p.apply(Operator::Binary(BinOp::FloorDiv), &operands).map_err(|raise| match raise {
        Raise::Kind(crate::ParseErrorKind::Host(error)) if error.kind == HostErrorKind::Type => {
            HostError::type_error(error.message.replace("//", "divmod()")).into()
        }
        other => other,
    })?;
    let rest = p.apply(Operator::Binary(BinOp::Mod), &operands)?;
    Ok(ScriptValue::tuple([quotient, rest]))
}

fn format_function(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [value, spec] = optional("format", a, 1)?;
    let spec = match &spec {
        Some(ScriptValue::Str(spec)) => spec.as_str(),
        None => "",
        Some(other) => {
            let message = format!("format() argument 2 must be str, not {}", type_name(other));
            return Err(HostError::type_error(message).into());
        }
    };
    Ok(ScriptValue::str(&format::format(p, &value.unwrap_or_default(), spec)?))
}

fn getattr(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [value, name, default] = optional("getattr", a, 2)?;
    let (value, name) = (value.unwrap_or_default(), name.unwrap_or_default());
    let Some(name) = name.as_str() else {
        return Err(HostError::type_error("attribute name must be string").into());
    };
    match (p.find_attribute(&value, name)?, default) {
        (Some(value), _) | (None, Some(value)) => Ok(value),
        (None, None) => {
            let message = format!("'{}' object has no attribute '{name}'", type_name(&value));
            Err(HostError::new(HostErrorKind::Attribute, message).into())
        }
    }
}

fn hasattr(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [value, name] = args("hasattr", a)?;
    let found = name.as_str().map(|name| p.find_attribute(&value, name)).transpose()?.flatten();
    Ok(ScriptValue::Bool(found.is_some()))
}

fn hash(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let [x] = args("hash", a)?;
    if let ScriptValue::Int(i @ -1_000_000..=1_000_000) = x {
        return Ok(ScriptValue::Int(if i == -1 { -2 } else { i }));
    }
    let key = p.hashable(x)?;
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    Ok(ScriptValue::Int((hasher.finish() >> 2) as i64))
}

/// Identities differ from run to run; nothing may depend on them.
fn id(_: &mut Parser, _: CallArgs) -> Result<ScriptValue, Raise> {
    Err(HostError::type_error("`id` is not available here").into())
}

fn isinstance(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [value, class] = args("isinstance", a)?;
    let classes = match &class {
        ScriptValue::Tuple(classes) => classes.to_vec(),
        _ => vec![class],
    };
    let own = type_name(&value);
    for class in &classes {
        // A class of a dialect's nodes.
        if let ScriptValue::Host(host) = class
            && let Some(is_instance) = host.is_class_of(&value)
        {
            if is_instance {
                return Ok(ScriptValue::Bool(true));
            }
            continue;
        }
        let Some(builtin) = class.as_host::<Builtin>().filter(|b| b.is_type) else {
            let message = "isinstance() arg 2 must be a type, a tuple of types, or a union";
            return Err(HostError::type_error(message).into());
        };
        if builtin.name == own || builtin.name == "object" || builtin.name == "int" && own == "bool" {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

fn iter(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("iter", a)?;
    if x.as_host::<IterObject>().is_some() {
        return Ok(x);
    }
    let iter = p.iterate(&x)?;
    Ok(IterObject::value("iterator", iter))
}

fn next(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [iterator, default] = optional("next", a, 1)?;
    let iterator = iterator.unwrap_or_default();
    if iterator.as_host::<IterObject>().is_none() {
        let message = format!("'{}' object is not an iterator", type_name(&iterator));
        return Err(HostError::type_error(message).into());
    }
    let mut iter = p.iterate(&iterator)?;
    match (p.next(&mut iter)?, default) {
        (Some(value), _) | (None, Some(value)) => Ok(value),
        (None, None) => Err(HostError::new(HostErrorKind::StopIteration, "").into()),
    }
}

/// `len(value)`
fn len(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("len", a)?;
    let len = match &x {
        ScriptValue::Str(s) => Some(s.as_str().chars().count()),
        ScriptValue::Bytes(b) => Some(b.len()),
        ScriptValue::Tuple(items) => Some(items.len()),
        ScriptValue::List(items) => Some(items.borrow().len()),
        ScriptValue::Dict(dict) => Some(dict.borrow().len()),
        ScriptValue::Host(host) => set::len(&x)
            .or_else(|| crate::host::range::of(&x).map(Range::len))
            .or_else(|| host.items().map(|items| items.len())),
        ScriptValue::Node(object) => node_len(object),
        _ => None,
    };
    match len {
        Some(len) => Ok(ScriptValue::Int(len as i64)),
        None => Err(HostError::type_error(format!("object of type '{}' has no len()", type_name(&x))).into()),
    }
}

fn extreme(p: &mut Parser, name: &str, mut a: CallArgs, op: CmpOp) -> Result<ScriptValue, Raise> {
    let key = a.take_keyword("key").filter(|key| !matches!(key, ScriptValue::None));
    let default = a.take_keyword("default");
    if let Some((other, _)) = a.keywords.first() {
        let message = format!("'{other}' is an invalid keyword argument for {name}()");
        return Err(HostError::type_error(message).into());
    }
    let mut iter = match a.positional.len() {
        0 => {
            let message = format!("{name} expected at least 1 argument, got 0");
            return Err(HostError::type_error(message).into());
        }
        1 => p.iterate(&a.positional[0])?,
        _ if default.is_some() => {
            let message = format!("Cannot specify a default for {name}() with multiple positional arguments");
            return Err(HostError::type_error(message).into());
        }
        _ => Iter::Items(a.positional.into_vec().into_iter()),
    };
    let mut best: Option<(ScriptValue, ScriptValue)> = None;
    while let Some(item) = p.next(&mut iter)? {
        let measure = match &key {
            Some(key) => p.call_value(key, CallArgs::positional([item.clone()]))?,
            None => item.clone(),
        };
        let better = match &best {
            None => true,
            Some((_, before)) => {
                let value = p.apply(Operator::Compare(op), &[measure.clone(), before.clone()])?;
                p.truth(&value)?
            }
        };
        if better {
            best = Some((item, measure));
        }
    }
    match (best, default) {
        (Some((item, _)), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => {
            let message = match name {
                "max" => "max() arg is an empty sequence",
                _ => "min() arg is an empty sequence",
            };
            Err(HostError::value_error(message).into())
        }
    }
}

fn max(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    extreme(p, "max", a, CmpOp::Gt)
}
fn min(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    extreme(p, "min", a, CmpOp::Lt)
}

fn pow(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [base, exponent, modulus] = optional("pow", a, 2)?;
    let (base, exponent) = (base.unwrap_or_default(), exponent.unwrap_or_default());
    let Some(modulus) = modulus.filter(|m| !matches!(m, ScriptValue::None)) else {
        return p.apply(Operator::Binary(BinOp::Pow), &[base, exponent]);
    };
    let (Some(base), Some(exponent), Some(modulus)) = (index(&base), index(&exponent), index(&modulus))
    else {
        let message = "pow() 3rd argument not allowed unless all arguments are integers";
        return Err(HostError::type_error(message).into());
    };
    if modulus.is_zero() {
        return Err(HostError::value_error("pow() 3rd argument cannot be 0").into());
    }
    if exponent < BigInt::zero() {
        return Err(HostError::value_error("base is not invertible for the given modulus").into());
    }
    let words = modulus.bits() / 64 + 1;
    p.shared.step(words.saturating_mul(words).saturating_mul(exponent.bits()) / 16)?;
    Ok(int(base.modpow(&exponent, &modulus)))
}

/// A library prints nothing.
fn print(_: &mut Parser, _: CallArgs) -> Result<ScriptValue, Raise> {
    Ok(ScriptValue::None)
}

fn repr_function(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("repr", a)?;
    Ok(ScriptValue::str(&repr::repr(p, &x)?))
}

fn round(_: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(digits) = a.take_keyword("ndigits") {
        a.positional.push(digits);
    }
    let [x, digits] = optional("round", a, 1)?;
    let x = x.unwrap_or_default();
    let digits = digits.filter(|d| !matches!(d, ScriptValue::None));
    let digits = digits.map(|d| small_index(&d).ok_or(d)).transpose().map_err(|d| {
        HostError::type_error(format!("'{}' object cannot be interpreted as an integer", type_name(&d)))
    })?;
    match (Number::of(&x), digits) {
        (Some(Number::Float(f)), None) => Ok(float_to_int(f.round_ties_even())?),
        (Some(Number::Float(f)), Some(digits)) => Ok(ScriptValue::Float(round_float(f, digits))),
        (Some(number), digits) => {
            let value = number.to_big().unwrap_or_default();
            let Some(digits) = digits.filter(|d| *d < 0) else { return Ok(int(value)) };
            if digits < -10_000 {
                return Ok(ScriptValue::Int(0));
            }
            let unit = BigInt::from(10).pow(digits.unsigned_abs() as u32);
            let (quotient, rest) = arith::floor_div(&value, &unit);
            let twice = rest * 2;
            let up = twice > unit || twice == unit && quotient.bit(0);
            Ok(int((quotient + i32::from(up)) * unit))
        }
        (None, _) => {
            let message = format!("type {} doesn't define __round__ method", type_name(&x));
            Err(HostError::type_error(message).into())
        }
    }
}

/// To so many decimal places, the exact value rounded half to even.
fn round_float(value: f64, digits: i64) -> f64 {
    if !value.is_finite() || digits > 330 {
        return value;
    }
    if digits < -310 {
        return 0.0f64.copysign(value);
    }
    if digits >= 0 {
        return format!("{value:.*}", digits as usize).parse().unwrap_or(value);
    }
    let text = format!("{value:e}");
    let exponent: i64 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let keep = exponent + digits;
    if keep < -1 {
        return 0.0f64.copysign(value);
    }
    if keep == -1 {
        let unit = 10f64.powi((exponent + 1) as i32);
        return if value.abs() > unit / 2.0 { unit.copysign(value) } else { 0.0f64.copysign(value) };
    }
    format!("{value:.*e}", keep as usize).parse().unwrap_or(value)
}

fn sorted(p: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    let key = a.take_keyword("key");
    let reverse = a.take_keyword("reverse");
    let [items] = args("sorted", a)?;
    let items = p.collect_values(&items)?;
    Ok(ScriptValue::list(sort(p, items, key, reverse)?))
}

/// Sorts, keeping equal ones in order. A merge sort: a comparison may fail, and may be a dialect's.
pub(crate) fn sort(
    p: &mut Parser,
    items: Vec<ScriptValue>,
    key: Option<ScriptValue>,
    reverse: Option<ScriptValue>,
) -> Result<Vec<ScriptValue>, Raise> {
    let reverse = match reverse {
        Some(reverse) => p.truth(&reverse)?,
        None => false,
    };
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let measure = match &key {
            Some(key) if !matches!(key, ScriptValue::None) => {
                p.call_value(key, CallArgs::positional([item.clone()]))?
            }
            _ => item.clone(),
        };
        keyed.push((measure, item));
    }
    if reverse {
        keyed.reverse();
    }
    let mut width = 1;
    while width < keyed.len() {
        let mut merged = Vec::with_capacity(keyed.len());
        for chunk in keyed.chunks(2 * width) {
            let (left, right) = chunk.split_at(width.min(chunk.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() && j < right.len() {
                let pair = [right[j].0.clone(), left[i].0.clone()];
                let before = p.apply(Operator::Compare(CmpOp::Lt), &pair)?;
                p.shared.step(1)?;
                if p.truth(&before)? {
                    merged.push(right[j].clone());
                    j += 1;
                } else {
                    merged.push(left[i].clone());
                    i += 1;
                }
            }
            merged.extend_from_slice(&left[i..]);
            merged.extend_from_slice(&right[j..]);
        }
        keyed = merged;
        width *= 2;
    }
    if reverse {
        keyed.reverse();
    }
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

fn sum(p: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(start) = a.take_keyword("start") {
        a.positional.push(start);
    }
    let [items, start] = optional("sum", a, 1)?;
    let mut total = start.unwrap_or(ScriptValue::Int(0));
    if let ScriptValue::Str(_) = total {
        let message = "sum() can't sum strings [use ''.join(seq) instead]";
        return Err(HostError::type_error(message).into());
    }
    let mut iter = p.iterate(&items.unwrap_or_default())?;
    while let Some(item) = p.next(&mut iter)? {
        total = p.apply(Operator::Binary(BinOp::Add), &[total, item])?;
    }
    Ok(total)
}
