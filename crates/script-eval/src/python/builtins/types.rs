//! Built-in types, called to make their values.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Num;
use tvmscript_script_value::{CallArgs, Dict, ScriptValue};

use super::{Builtin, Table, args, no_keywords, optional, value};
use crate::Host;
use crate::errors::HostError;
use crate::eval::{Iter, IterObject, Raise};
use crate::python::cost::{self, Cost};
use crate::python::number::{MAX_DIGITS, Number, float_to_int, int, integer, small_index, word};
use crate::python::range::Range;
use crate::python::unicode::numeral;
use crate::python::{repr, set, type_name, view};

/// The types by name.
pub(super) const TYPES: Table = &[
    ("bool", Cost::Own, bool_type),
    ("bytes", Cost::Linear, bytes_type),
    ("dict", Cost::Own, dict_type),
    ("enumerate", Cost::Own, enumerate_type),
    ("filter", Cost::Own, filter_type),
    ("float", Cost::Linear, float_type),
    ("frozenset", Cost::Own, frozenset_type),
    ("int", Cost::Linear, int_type),
    ("list", Cost::Own, list_type),
    ("map", Cost::Own, map_type),
    ("object", Cost::Own, object_type),
    ("range", Cost::Own, range_type),
    ("reversed", Cost::Own, reversed_type),
    ("set", Cost::Own, set_type),
    ("slice", Cost::Own, slice_type),
    ("str", Cost::Linear, str_type),
    ("tuple", Cost::Own, tuple_type),
    ("type", Cost::Own, type_type),
    ("zip", Cost::Own, zip_type),
];

/// Class methods, by type.
const CLASS_METHODS: &[(&str, Table)] = &[
    ("dict", &[("fromkeys", Cost::Own, dict_from_keys)]),
    ("int", &[("from_bytes", Cost::Linear, int_from_bytes)]),
    ("bytes", &[("fromhex", Cost::Linear, bytes_from_hex)]),
];

/// The class method of a built-in type: `dict.fromkeys`.
pub(super) fn class_method(
    type_name: &str,
    name: &str,
) -> Option<&'static (&'static str, Cost, super::BuiltinFn)> {
    let (_, methods) = CLASS_METHODS.iter().find(|(n, _)| *n == type_name)?;
    methods.iter().find(|(n, ..)| *n == name)
}

fn dict_from_keys(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [keys, value] = optional("fromkeys", a, 1)?;
    let value = value.unwrap_or_default();
    let mut iter = p.iterate(&keys.unwrap_or_default())?;
    let mut dict = Dict::new();
    while let Some(key) = p.next(&mut iter)? {
        let key = p.hashable(key)?;
        p.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.insert(key, value.clone());
    }
    Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
}

fn int_from_bytes(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    let signed = match a.take_keyword("signed") {
        Some(signed) => p.truth(&signed)?,
        None => false,
    };
    if let Some(order) = a.take_keyword("byteorder") {
        a.positional.push(order);
    }
    let [bytes, order] = optional("from_bytes", a, 1)?;
    let bytes = match bytes.unwrap_or_default() {
        ScriptValue::Bytes(bytes) => bytes.to_vec(),
        other => bytes_of(p, &other)?,
    };
    let little = match order.as_ref().map(ScriptValue::as_str) {
        None | Some(Some("big")) => false,
        Some(Some("little")) => true,
        Some(Some(_)) => {
            return Err(HostError::value_error("byteorder must be either 'little' or 'big'").into());
        }
        Some(None) => {
            return Err(HostError::type_error("from_bytes() argument 'byteorder' must be str").into());
        }
    };
    cost::integer(p, 8 * bytes.len() as u64)?;
    Ok(int(match (little, signed) {
        (false, false) => BigInt::from_bytes_be(num_bigint::Sign::Plus, &bytes),
        (true, false) => BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes),
        (false, true) => BigInt::from_signed_bytes_be(&bytes),
        (true, true) => BigInt::from_signed_bytes_le(&bytes),
    }))
}

fn bytes_from_hex(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [text] = args("fromhex", a)?;
    let Some(text) = text.as_str() else {
        let message = format!("fromhex() argument must be str, not {}", type_name(&text));
        return Err(HostError::type_error(message).into());
    };
    let invalid = || HostError::value_error("non-hexadecimal number found in fromhex() arg");
    let mut bytes = Vec::new();
    for word in text.split(|c: char| c.is_ascii_whitespace() || c == '\x0b') {
        for pair in word.as_bytes().chunks(2) {
            let digit =
                |at: usize| pair.get(at).and_then(|b| char::from(*b).to_digit(16)).ok_or_else(invalid);
            bytes.push((digit(0)? * 16 + digit(1)?) as u8);
        }
    }
    cost::bytes(p, bytes)
}

fn bool_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("bool", a, 0)?;
    let truth = x.map_or(Ok(false), |x| p.truth(&x))?;
    Ok(ScriptValue::Bool(truth))
}

fn bytes_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("bytes", a, 0)?;
    let Some(x) = x else { return Ok(ScriptValue::Bytes(Rc::from([]))) };
    match &x {
        ScriptValue::Bytes(_) => return Ok(x),
        ScriptValue::Str(_) => {
            return Err(HostError::type_error("string argument without an encoding").into());
        }
        ScriptValue::BigInt(_) => {
            return Err(HostError::overflow("cannot fit 'int' into an index-sized integer").into());
        }
        _ => {}
    }
    if let Some(count) = small_index(&x) {
        let count = usize::try_from(count).map_err(|_| HostError::value_error("negative count"))?;
        cost::text_bytes(p, count)?;
        return Ok(ScriptValue::Bytes(vec![0; count].into()));
    }
    let bytes = bytes_of(p, &x)?;
    cost::bytes(p, bytes)
}

/// The elements of an iterable as bytes.
fn bytes_of(p: &mut dyn Host, value: &ScriptValue) -> Result<Vec<u8>, Raise> {
    let mut bytes = Vec::new();
    let mut iter = p.iterate(value).map_err(|raise| match raise {
        Raise::Kind(crate::ParseErrorKind::Host(_)) => {
            HostError::type_error(format!("cannot convert '{}' object to bytes", type_name(value))).into()
        }
        other => other,
    })?;
    while let Some(item) = p.next(&mut iter)? {
        let byte = integer(&item)?;
        let out_of_range = || HostError::value_error("bytes must be in range(0, 256)");
        p.program.budget.allocate(2)?;
        bytes.push(u8::try_from(&*byte).map_err(|_| out_of_range())?);
    }
    Ok(bytes)
}

fn dict_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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
pub(crate) fn fill(p: &mut dyn Host, dict: &mut Dict, from: &ScriptValue) -> Result<(), Raise> {
    if let ScriptValue::Dict(other) = from {
        cost::entries(p, other.borrow().len())?;
        set::charge_keys(p, other.borrow().keys())?;
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
        p.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.insert(p.hashable(key.clone())?, value.clone());
    }
    Ok(())
}

fn enumerate_type(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(start) = a.take_keyword("start") {
        a.positional.push(start);
    }
    let [items, start] = optional("enumerate", a, 1)?;
    let start = match start {
        Some(start) => int(integer(&start)?.into_owned()),
        None => ScriptValue::Int(0),
    };
    let iter = p.iterate(&items.unwrap_or_default())?;
    Ok(IterObject::value("enumerate", Iter::Enumerate(start, Box::new(iter))))
}

fn filter_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [function, items] = args("filter", a)?;
    let iter = p.iterate(&items)?;
    Ok(IterObject::value("filter", Iter::Filter(function, Box::new(iter))))
}

fn float_type(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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
        (None, ScriptValue::Bytes(bytes)) => {
            let value = std::str::from_utf8(bytes).ok().and_then(parse_float);
            let invalid = || HostError::value_error("could not convert string to float: bytes");
            Ok(ScriptValue::Float(value.ok_or_else(invalid)?))
        }
        _ => {
            let message =
                format!("float() argument must be a string or a real number, not '{}'", type_name(&x));
            Err(HostError::type_error(message).into())
        }
    }
}

/// The text of a float as Python reads it: spaces around it, `_` between digits, `inf` and `nan`.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let text = numeral(text);
    let cleaned = without_underscores(&text)?;
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

fn int_type(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(base) = a.take_keyword("base") {
        if a.positional.is_empty() {
            return Err(HostError::type_error("int() missing string argument").into());
        }
        a.positional.push(base);
    }
    let [x, base] = optional("int", a, 0)?;
    let Some(x) = x else { return Ok(ScriptValue::Int(0)) };
    let base = base.map(|base| integer(&base).map(|base| i64::try_from(&*base).unwrap_or(-1))).transpose()?;
    if base.is_some_and(|base| base != 0 && !(2..=36).contains(&base)) {
        return Err(HostError::value_error("int() base must be >= 2 and <= 36, or 0").into());
    }
    match (&x, base) {
        (ScriptValue::Str(text), base) => {
            let invalid = |base: i64| {
                let mut quoted = String::new();
                repr::quote(text.as_str(), &mut quoted);
                HostError::value_error(format!("invalid literal for int() with base {base}: {quoted}"))
            };
            parse_int(p, text.as_str(), base.unwrap_or(10), &invalid)
        }
        (ScriptValue::Bytes(bytes), base) => {
            let invalid = |base: i64| {
                HostError::value_error(format!("invalid literal for int() with base {base}: bytes"))
            };
            let text = String::from_utf8(bytes.to_vec()).ok().filter(|text| text.is_ascii());
            let text = text.ok_or_else(|| invalid(base.unwrap_or(10)))?;
            parse_int(p, &text, base.unwrap_or(10), &invalid)
        }
        (_, Some(_)) => {
            Err(HostError::type_error("int() can't convert non-string with explicit base").into())
        }
        (_, None) => match Number::of(&x) {
            Some(Number::Float(f)) => Ok(float_to_int(f)?),
            Some(Number::Int(i)) => Ok(ScriptValue::Int(i)),
            Some(Number::Big(_)) => Ok(x),
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

fn parse_int(
    p: &mut dyn Host,
    text: &str,
    base: i64,
    invalid: &dyn Fn(i64) -> HostError,
) -> Result<ScriptValue, Raise> {
    let trimmed = numeral(text);
    let (negative, digits) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, &*trimmed),
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
            return Err(invalid(base).into());
        }
    }
    let digits = without_underscores(digits).ok_or_else(|| invalid(base))?;
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(invalid(base).into());
    }
    if digits.len() > MAX_DIGITS && !radix.is_power_of_two() {
        let message = format!(
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        );
        return Err(HostError::value_error(message).into());
    }
    cost::integer(p, 6 * digits.len() as u64)?;
    let value = BigInt::from_str_radix(&digits, radix).map_err(|_| invalid(base))?;
    Ok(int(if negative { -value } else { value }))
}

fn collected(p: &mut dyn Host, name: &str, a: CallArgs) -> Result<Vec<ScriptValue>, Raise> {
    let [x] = optional(name, a, 0)?;
    x.map_or(Ok(Vec::new()), |x| p.collect_values(&x))
}

fn list_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    Ok(ScriptValue::list(collected(p, "list", a)?))
}
fn tuple_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let items = collected(p, "tuple", a)?;
    Ok(ScriptValue::tuple(items))
}
fn set_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let items = collected(p, "set", a)?;
    set::from_items(p, items)
}
fn frozenset_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let items = collected(p, "frozenset", a)?;
    let items = set::keys(p, items)?;
    Ok(set::value(items, true))
}

fn map_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
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

fn zip_type(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
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

fn object_type(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [] = args("object", a)?;
    Ok(IterObject::value("object", Iter::Items(Vec::new().into_iter())))
}

fn range_type(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let parts = optional::<3>("range", a, 1)?;
    let part = |value: &ScriptValue| word(value);
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

fn reversed_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("reversed", a)?;
    let is_sequence = match &x {
        ScriptValue::Host(_) => crate::python::range::of(&x).is_some() || view::of(&x).is_some(),
        ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Str(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Bytes(_) | ScriptValue::Node(_) => true,
        _ => false,
    };
    if !is_sequence {
        return Err(HostError::type_error(format!("'{}' object is not reversible", type_name(&x))).into());
    }
    if let Some(range) = crate::python::range::of(&x) {
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

fn slice_type(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let parts = optional::<3>("slice", a, 1)?;
    let (start, stop, step) = match parts {
        [stop, None, _] => (None, stop, None),
        [start, stop, step] => (start, stop, step),
    };
    let (start, stop, step) = (start.unwrap_or_default(), stop.unwrap_or_default(), step.unwrap_or_default());
    Ok(ScriptValue::Slice(Rc::new(tvmscript_script_value::Slice { start, stop, step })))
}

fn str_type(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = optional("str", a, 0)?;
    match x {
        None => Ok(ScriptValue::str("")),
        Some(x @ ScriptValue::Str(_)) => Ok(x),
        Some(x) => {
            let text = repr::str(p, &x)?;
            cost::text(p, &text)
        }
    }
}

fn type_type(_: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("type", a)?;
    let name = type_name(&x);
    match value(&name).filter(|v| v.as_host::<Builtin>().is_some_and(|b| b.is_type)) {
        Some(class) => Ok(class),
        None => Err(HostError::type_error(format!("the type of '{name}' is not available here")).into()),
    }
}
