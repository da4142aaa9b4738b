//! Built-in types, called to make their values.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Num;
use tvmscript_irbuilder::{CallArgs, Dict, ScriptValue};

use super::{Builtin, BuiltinFn, args, no_keywords, optional, value};
use crate::errors::HostError;
use crate::eval::{Iter, IterObject, Raise};
use crate::host::number::{Number, float_to_int, int, small_index};
use crate::host::range::Range;
use crate::host::{repr, set, type_name};
use crate::parser::Parser;

/// The types by name.
pub(super) const TYPES: &[(&str, BuiltinFn)] = &[
    ("bool", bool_type),
    ("bytes", bytes_type),
    ("dict", dict_type),
    ("enumerate", enumerate_type),
    ("filter", filter_type),
    ("float", float_type),
    ("frozenset", frozenset_type),
    ("int", int_type),
    ("list", list_type),
    ("map", map_type),
    ("object", object_type),
    ("range", range_type),
    ("reversed", reversed_type),
    ("set", set_type),
    ("slice", slice_type),
    ("str", str_type),
    ("tuple", tuple_type),
    ("type", type_type),
    ("zip", zip_type),
];

fn bool_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("bool", a, 0)?;
    let truth = x.map_or(Ok(false), |x| p.truth(&x))?;
    Ok(ScriptValue::Bool(truth))
}

fn bytes_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("bytes", a, 0)?;
    let Some(x) = x else { return Ok(ScriptValue::Bytes(Rc::from([]))) };
    if let Some(count) = small_index(&x) {
        let count = u64::try_from(count).map_err(|_| HostError::value_error("negative count"))?;
        p.shared.allocate(count)?;
        return Ok(ScriptValue::Bytes(vec![0; count as usize].into()));
    }
    let items = p.collect_values(&x)?;
    let bytes = items.iter().map(|item| small_index(item).and_then(|i| u8::try_from(i).ok()));
    let bytes: Option<Vec<u8>> = bytes.collect();
    let bytes = bytes.ok_or_else(|| HostError::value_error("bytes must be in range(0, 256)"))?;
    Ok(ScriptValue::Bytes(bytes.into()))
}

fn dict_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut dict = Dict::new();
    match a.positional.as_slice() {
        [] => {}
        [one] => fill(p, &mut dict, one)?,
        more => {
            let message = format!("dict expected at most 1 argument, got {}", more.len());
            return Err(HostError::type_error(message).into());
        }
    }
    for (key, value) in a.keywords {
        dict.insert(p.hashable(ScriptValue::Str(key))?, value);
    }
    Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
}

/// Puts the entries of a dictionary, or pairs, into another one.
pub(crate) fn fill(p: &mut Parser, dict: &mut Dict, from: &ScriptValue) -> Result<(), Raise> {
    if let ScriptValue::Dict(other) = from {
        dict.extend(other.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
        return Ok(());
    }
    for (index, item) in p.collect_values(from)?.into_iter().enumerate() {
        let pair = p.collect_values(&item).map_err(|raise| match raise {
            Raise::Kind(crate::ParseErrorKind::Host(_)) => {
                let message =
                    format!("cannot convert dictionary update sequence element #{index} to a sequence");
                HostError::type_error(message).into()
            }
            other => other,
        })?;
        let [key, value] = pair.as_slice() else {
            let message = format!(
                "dictionary update sequence element #{index} has length {}; 2 is required",
                pair.len()
            );
            return Err(HostError::value_error(message).into());
        };
        dict.insert(p.hashable(key.clone())?, value.clone());
    }
    Ok(())
}

fn enumerate_type(p: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(start) = a.take_keyword("start") {
        a.positional.push(start);
    }
    let [items, start] = optional("enumerate", a, 1)?;
    let start = match &start {
        Some(start) => small_index(start).ok_or_else(|| {
            HostError::type_error(format!(
                "'{}' object cannot be interpreted as an integer",
                type_name(start)
            ))
        })?,
        None => 0,
    };
    let iter = p.iterate(&items.unwrap_or_default())?;
    Ok(IterObject::value("enumerate", Iter::Enumerate(start, Box::new(iter))))
}

fn filter_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [function, items] = args("filter", a)?;
    let iter = p.iterate(&items)?;
    Ok(IterObject::value("filter", Iter::Filter(function, Box::new(iter))))
}

fn float_type(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("float", a, 0)?;
    let Some(x) = x else { return Ok(ScriptValue::Float(0.0)) };
    match (Number::of(&x), &x) {
        (Some(number), _) => Ok(ScriptValue::Float(number.to_float()?)),
        (None, ScriptValue::Str(text)) => match parse_float(text.as_str()) {
            Some(value) => Ok(ScriptValue::Float(value)),
            None => {
                let mut quoted = String::new();
                repr::quote(text.as_str(), &mut quoted);
                Err(HostError::value_error(format!("could not convert string to float: {quoted}")).into())
            }
        },
        _ => {
            let message =
                format!("float() argument must be a string or a real number, not '{}'", type_name(&x));
            Err(HostError::type_error(message).into())
        }
    }
}

/// The text of a float as Python reads it: spaces around it, `_` between digits, `inf` and `nan`.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let cleaned = without_underscores(text)?;
    let digits = cleaned.trim_start_matches(['+', '-']);
    if cleaned.len() - digits.len() > 1 {
        return None;
    }
    match digits.to_ascii_lowercase().as_str() {
        "inf" | "infinity" | "nan" => {}
        other if other.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {}
        _ => return None,
    }
    cleaned.parse().ok()
}

/// The digits without the `_` between them; nothing when one stands elsewhere.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let between = |at: usize| {
        at > 0
            && bytes[at - 1].is_ascii_alphanumeric()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    };
    let misplaced = bytes.iter().enumerate().any(|(at, b)| *b == b'_' && !between(at));
    (!misplaced).then(|| text.replace('_', ""))
}

fn int_type(p: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(base) = a.take_keyword("base") {
        a.positional.push(base);
    }
    let [x, base] = optional("int", a, 0)?;
    let Some(x) = x else { return Ok(ScriptValue::Int(0)) };
    let base = base.map(|b| small_index(&b).unwrap_or(-1));
    match (&x, base) {
        (ScriptValue::Str(text), base) => parse_int(p, text.as_str(), base.unwrap_or(10)),
        (_, Some(_)) => {
            Err(HostError::type_error("int() can't convert non-string with explicit base").into())
        }
        (_, None) => match Number::of(&x) {
            Some(Number::Float(f)) => Ok(float_to_int(f)?),
            Some(number) => Ok(int(number.to_big().unwrap_or_default())),
            None => {
                let message = format!(
                    "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                    type_name(&x)
                );
                Err(HostError::type_error(message).into())
            }
        },
    }
}

fn parse_int(p: &mut Parser, text: &str, base: i64) -> Result<ScriptValue, Raise> {
    let invalid = || {
        let mut quoted = String::new();
        repr::quote(text, &mut quoted);
        HostError::value_error(format!("invalid literal for int() with base {base}: {quoted}"))
    };
    if base != 0 && !(2..=36).contains(&base) {
        return Err(HostError::value_error("int() base must be >= 2 and <= 36, or 0").into());
    }
    let trimmed = text.trim();
    let (negative, digits) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, trimmed),
    };
    let lower = digits.to_ascii_lowercase();
    let mut radix = base as u32;
    let mut digits = lower.as_str();
    for (prefix, of) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if (base == 0 || base == of) && digits.starts_with(prefix) {
            radix = of as u32;
            digits = &digits[2..];
            digits = digits.strip_prefix('_').unwrap_or(digits);
            break;
        }
    }
    if radix == 0 {
        radix = 10;
        if digits.len() > 1 && digits.starts_with('0') && !digits.trim_matches(['0', '_']).is_empty() {
            return Err(invalid().into());
        }
    }
    let digits = without_underscores(digits).ok_or_else(invalid)?;
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(invalid().into());
    }
    if digits.len() > 4300 && !radix.is_power_of_two() {
        let message = format!(
            "Exceeds the limit (4300 digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        );
        return Err(HostError::value_error(message).into());
    }
    p.shared.step(digits.len() as u64 / 16)?;
    let value = BigInt::from_str_radix(&digits, radix).map_err(|_| invalid())?;
    Ok(int(if negative { -value } else { value }))
}

fn collected(p: &mut Parser, name: &str, a: CallArgs) -> Result<Vec<ScriptValue>, Raise> {
    let [x] = optional(name, a, 0)?;
    x.map_or(Ok(Vec::new()), |x| p.collect_values(&x))
}

fn list_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    Ok(ScriptValue::list(collected(p, "list", a)?))
}
fn tuple_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    Ok(ScriptValue::tuple(collected(p, "tuple", a)?))
}
fn set_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let items = collected(p, "set", a)?;
    set::from_items(items)
}
fn frozenset_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let items = collected(p, "frozenset", a)?;
    Ok(set::value(set::keys(items)?, true))
}

fn map_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    no_keywords("map", &a)?;
    if a.positional.len() < 2 {
        return Err(HostError::type_error("map() must have at least two arguments.").into());
    }
    let mut iters = Vec::new();
    for items in &a.positional[1..] {
        iters.push(p.iterate(items)?);
    }
    Ok(IterObject::value("map", Iter::Map(a.positional[0].clone(), iters)))
}

fn zip_type(p: &mut Parser, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    let strict = match a.take_keyword("strict") {
        Some(strict) => p.truth(&strict)?,
        None => false,
    };
    no_keywords("zip", &a)?;
    let mut iters = Vec::new();
    for items in &a.positional {
        iters.push(p.iterate(items)?);
    }
    Ok(IterObject::value("zip", Iter::Zip(iters, strict)))
}

fn object_type(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [] = args("object", a)?;
    Ok(IterObject::value("object", Iter::Items(Vec::new().into_iter())))
}

fn range_type(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let parts = optional::<3>("range", a, 1)?;
    let part = |value: &ScriptValue| match value {
        ScriptValue::BigInt(_) => Err(HostError::overflow("Python int too large to convert to C ssize_t")),
        value => small_index(value).ok_or_else(|| {
            HostError::type_error(format!(
                "'{}' object cannot be interpreted as an integer",
                type_name(value)
            ))
        }),
    };
    let (start, stop, step) = match &parts {
        [Some(stop), None, _] => (0, part(stop)?, 1),
        [Some(start), Some(stop), step] => (part(start)?, part(stop)?, step.as_ref().map_or(Ok(1), part)?),
        _ => (0, 0, 1),
    };
    if step == 0 {
        return Err(HostError::value_error("range() arg 3 must not be zero").into());
    }
    Ok(ScriptValue::host(Range { start, stop, step }))
}

fn reversed_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("reversed", a)?;
    let is_sequence = match &x {
        ScriptValue::Host(_) => crate::host::range::of(&x).is_some(),
        ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Str(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Bytes(_) | ScriptValue::Node(_) => true,
        _ => false,
    };
    if !is_sequence {
        return Err(HostError::type_error(format!("'{}' object is not reversible", type_name(&x))).into());
    }
    if let Some(range) = crate::host::range::of(&x) {
        let len = range.len();
        let (first, step) = (range.at(len.saturating_sub(1)), range.step.saturating_neg());
        let stop = range.start.saturating_add(step.signum());
        let range =
            if len == 0 { Range { start: 0, stop: 0, step: 1 } } else { Range { start: first, stop, step } };
        return Ok(IterObject::value("range_iterator", Iter::Range(range)));
    }
    let mut items = p.collect_values(&x)?;
    items.reverse();
    Ok(IterObject::value("reversed", Iter::Items(items.into_iter())))
}

fn slice_type(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let parts = optional::<3>("slice", a, 1)?;
    let (start, stop, step) = match parts {
        [stop, None, _] => (None, stop, None),
        [start, stop, step] => (start, stop, step),
    };
    let (start, stop, step) = (start.unwrap_or_default(), stop.unwrap_or_default(), step.unwrap_or_default());
    Ok(ScriptValue::Slice(Rc::new(tvmscript_irbuilder::Slice { start, stop, step })))
}

fn str_type(p: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("str", a, 0)?;
    let text = x.map_or(Ok(String::new()), |x| repr::str(p, &x))?;
    Ok(ScriptValue::str(&text))
}

fn type_type(_: &mut Parser, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("type", a)?;
    let name = type_name(&x);
    match value(&name).filter(|v| v.as_host::<Builtin>().is_some_and(|b| b.is_type)) {
        Some(class) => Ok(class),
        None => Err(HostError::type_error(format!("the type of '{name}' is not available here")).into()),
    }
}
