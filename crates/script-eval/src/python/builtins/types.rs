//! Built-in types: calling one makes a value of it.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::{BigInt, Sign};
use num_traits::Num;
use tvmscript_script_value::{CallArgs, Dict, ScriptValue, Slice};

use super::{Native, Table, class, linear, no_keywords, own};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::class::{Instance, Special, enumeration, is_instance, lookup};
use crate::eval::{Cause, Iter, IterObject, Placeholder, Raise};
use crate::python::library;
use crate::python::methods::make_translation;
use crate::python::number::{MAX_DIGITS, Number, float_to_int, int, integer, small_index};
use crate::python::unicode::numeral;
use crate::python::{Outcome, big_range, codec, cost, object, range, repr, set, subscript, type_name, view};

pub(super) static TYPES: Table = &[
    own("bool").zero_or_one(|p, _, x| Ok(ScriptValue::Bool(x.map_or(Ok(false), |x| p.truth(&x))?))),
    linear("bytes")
        .zero_to_three(|p, _, args| Ok(ScriptValue::Bytes(new_bytes(p, args)?)))
        .with_keywords(&["source", "encoding", "errors"]),
    own("dict").any(dict_type),
    own("enumerate")
        .one_or_two(|p, _, items, start| {
            let start = match start {
                Some(start) => int(integer(&start)?.into_owned()),
                None => ScriptValue::Int(0),
            };
            let iter = p.iterate(&items)?;
            Ok(IterObject::value("enumerate", Iter::Enumerate(start, Box::new(iter))))
        })
        .with_keywords(&["iterable", "start"]),
    own("filter").two(|p, _, function, items| {
        let iter = p.iterate(&items)?;
        Ok(IterObject::value("filter", Iter::Filter(function, Box::new(iter))))
    }),
    linear("float").zero_or_one(float_type),
    own("frozenset").zero_or_one(|p, _, x| {
        let items = collected(p, x)?;
        Ok(set::value(set::keys(p, items)?, true))
    }),
    linear("int").zero_to_two(int_type).with_keywords(&["", "base"]),
    own("list").zero_or_one(|p, _, x| Ok(ScriptValue::list(collected(p, x)?))),
    own("map").any(map_type),
    own("object").zero(|_, _| match class("object") {
        Some(class) => Ok(ScriptValue::host(Instance::new(class, None))),
        None => Ok(ScriptValue::None),
    }),
    own("range").one_to_three(range_type),
    own("reversed").one(reversed_type),
    own("set").zero_or_one(|p, _, x| {
        let items = collected(p, x)?;
        set::from_items(p, items)
    }),
    own("slice").one_to_three(|_, _, x, y, z| {
        let (start, stop) = if let Some(stop) = y { (x, stop) } else { (ScriptValue::None, x) };
        Ok(ScriptValue::Slice(Rc::new(Slice { start, stop, step: z.unwrap_or_default() })))
    }),
    linear("str")
        .zero_to_three(|p, _, [x, encoding, errors]| match x {
            None => Ok(ScriptValue::str("")),
            Some(x) if encoding.is_some() || errors.is_some() => match (&x, x.plain()) {
                (_, ScriptValue::Bytes(bytes)) => {
                    cost::text_bytes(p.state, bytes.len())?;
                    cost::text(p.state, &codec::decode(bytes, encoding.as_ref(), errors.as_ref())?)
                }
                (ScriptValue::Str(_), _) => raise!(Type, "decoding str is not supported"),
                _ => Err(wrong_type!("decoding to str: need a bytes-like object, {} found", &x).into()),
            },
            Some(x @ ScriptValue::Str(_)) => Ok(x),
            Some(x) => {
                let text = repr::str(p, &x)?;
                cost::text(p.state, &text)
            }
        })
        .with_keywords(&["object", "encoding", "errors"]),
    own("tuple").zero_or_one(|p, _, x| Ok(ScriptValue::tuple(collected(p, x)?))),
    own("type").any(|p, _, args| match args.positional.as_slice() {
        [x] => match p.class_of(x) {
            Some(class) => Ok(class),
            None => {
                let reason = format!("the type of '{}' is not evaluated", type_name(x));
                if p.state.is_tolerant() {
                    let place = p.state.statement.unwrap_or_default();
                    return Err(Raise::Unknown(Placeholder::new(Cause::Statement(reason.into()), place)));
                }
                raise!(Type, "{reason}")
            }
        },
        parts @ [_, _, _] => {
            let parts = parts.to_vec();
            p.type_with_members(&parts, CallArgs { keywords: args.keywords, ..CallArgs::default() })
        }
        _ => raise!(Type, "type() takes 1 or 3 arguments"),
    }),
    own("zip").any(zip_type),
];

/// Class methods by type.
static CLASS_METHODS: &[(&str, Native)] = &[
    ("dict", own("fromkeys").one_or_two(dict_from_keys)),
    (
        "OrderedDict",
        own("fromkeys").one_or_two(|p, x, keys, value| {
            let dict = dict_from_keys(p, x, keys, value)?;
            let class = class("OrderedDict").unwrap_or_default();
            p.call_value(&class, CallArgs::positional([dict]))
        }),
    ),
    (
        "int",
        linear("from_bytes")
            .one_to_three(int_from_bytes)
            .with_keywords(&["bytes", "byteorder", "signed"])
            .with_keyword_only(1),
    ),
    ("str", linear("maketrans").one_to_three(make_translation)),
];

/// The class method of a built-in type: `dict.fromkeys`.
pub(crate) fn class_method(owner: &str, name: &str) -> Option<&'static Native> {
    if let Some((_, method)) = CLASS_METHODS.iter().find(|(o, method)| *o == owner && method.name == name) {
        return Some(method);
    }
    library::class_method(owner, name)
}

fn dict_from_keys(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    keys: ScriptValue,
    value: Option<ScriptValue>,
) -> Outcome {
    let value = value.unwrap_or_default();
    let mut iter = p.iterate(&keys)?;
    let mut dict = Dict::new();
    while let Some(key) = p.next(&mut iter)? {
        let key = p.hashable(key)?;
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.insert(key, value.clone());
    }
    Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
}

/// Tests whether a `byteorder` argument is `"little"`; it defaults to `"big"`.
pub(crate) fn is_little_endian(order: Option<&ScriptValue>, what: &str) -> Result<bool, HostError> {
    match order.map(ScriptValue::as_str) {
        None | Some(Some("big")) => Ok(false),
        Some(Some("little")) => Ok(true),
        Some(Some(_)) => raise!(Value, "byteorder must be either 'little' or 'big'"),
        Some(None) => raise!(Type, "{what} must be str"),
    }
}

fn int_from_bytes(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    bytes: ScriptValue,
    order: Option<ScriptValue>,
    signed: Option<ScriptValue>,
) -> Outcome {
    let signed = signed.map_or(Ok(false), |signed| p.truth(&signed))?;
    let bytes = match bytes {
        // Unlike `bytes(n)`, these are no counts.
        ScriptValue::Str(_)
        | ScriptValue::Int(_)
        | ScriptValue::Bool(_)
        | ScriptValue::BigInt(_)
        | ScriptValue::Float(_)
        | ScriptValue::None => return Err(wrong_type!("cannot convert '{}' object to bytes", &bytes).into()),
        other => bytes_of_value(p, &other)?,
    };
    let little = is_little_endian(order.as_ref(), "from_bytes() argument 'byteorder'")?;
    cost::integer(p.state, 8 * bytes.len() as u64)?;
    Ok(int(match (little, signed) {
        (false, false) => BigInt::from_bytes_be(Sign::Plus, &bytes),
        (true, false) => BigInt::from_bytes_le(Sign::Plus, &bytes),
        (false, true) => BigInt::from_signed_bytes_be(&bytes),
        (true, true) => BigInt::from_signed_bytes_le(&bytes),
    }))
}

/// The content of `bytes(source, encoding, errors)`.
fn new_bytes(
    p: &mut Eval<'_>,
    [source, encoding, errors]: [Option<ScriptValue>; 3],
) -> Result<Rc<[u8]>, Raise> {
    let Some(source) = source else { return Ok(Rc::from([])) };
    if let ScriptValue::Str(text) = &source {
        if encoding.is_none() {
            raise!(Type, "string argument without an encoding");
        }
        cost::text_bytes(p.state, text.as_str().len())?;
        return Ok(codec::encode(text.as_str(), encoding.as_ref(), errors.as_ref())?.into());
    }
    if encoding.is_some() || errors.is_some() {
        let what = if encoding.is_some() { "encoding" } else { "errors" };
        raise!(Type, "{what} without a string argument");
    }
    if let Special::Value(bytes) = p.call_special(&source, "__bytes__", [])? {
        return match bytes.plain() {
            ScriptValue::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err(wrong_type!("__bytes__ returned non-bytes (type {})", &bytes).into()),
        };
    }
    if matches!(source, ScriptValue::BigInt(_)) {
        raise!(Overflow, "cannot fit 'int' into an index-sized integer");
    }
    if let Some(count) = small_index(&source) {
        let count = usize::try_from(count).map_err(|_| HostError::value_error("negative count"))?;
        cost::text_bytes(p.state, count)?;
        return Ok(vec![0; count].into());
    }
    let bytes = bytes_of_value(p, &source)?;
    cost::text_bytes(p.state, bytes.len())?;
    Ok(bytes.into())
}

/// The bytes of `bytes`, or of an iterable of numbers.
pub(crate) fn bytes_of_value(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Vec<u8>, Raise> {
    match value.plain() {
        ScriptValue::Bytes(bytes) => Ok(bytes.to_vec()),
        _ => bytes_of(p, value),
    }
}

/// The elements of an iterable as bytes.
fn bytes_of(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Vec<u8>, Raise> {
    let mut bytes = Vec::new();
    let mut iter = p.iterate(value).map_err(|raise| match raise {
        Raise::Kind(crate::EvalErrorKind::Host(_)) => {
            wrong_type!("cannot convert '{}' object to bytes", value).into()
        }
        other => other,
    })?;
    while let Some(item) = p.next(&mut iter)? {
        let byte = integer(&item)?;
        let out_of_range = || HostError::value_error("bytes must be in range(0, 256)");
        p.state.program.budget.allocate(2)?;
        bytes.push(u8::try_from(&*byte).map_err(|_| out_of_range())?);
    }
    Ok(bytes)
}

fn dict_type(p: &mut Eval<'_>, _: &ScriptValue, a: CallArgs) -> Outcome {
    let mut dict = Dict::new();
    match a.positional.as_slice() {
        [] => {}
        [one] => fill(p, &mut dict, one)?,
        more => {
            raise!(Type, "dict expected at most 1 argument, got {}", more.len());
        }
    }
    for (key, value) in a.keywords {
        dict.insert(p.hashable(ScriptValue::Str(key))?, value);
    }
    Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
}

/// Inserts the entries of a mapping into a dictionary; returns `false` if the value is not a mapping.
pub(crate) fn fill_from_mapping(
    p: &mut Eval<'_>,
    dict: &mut Dict,
    from: &ScriptValue,
) -> Result<bool, Raise> {
    if let ScriptValue::Dict(other) = from.plain()
        && !p.iterates_itself(from)
    {
        cost::entries(p.state, other.borrow().len())?;
        set::charge_keys(p.state, other.borrow().keys())?;
        dict.extend(other.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
        return Ok(true);
    }
    // A mapping has keys.
    if !is_instance(from) && object::of(from).is_none() {
        return Ok(false);
    }
    let Some(keys) = p.find_attribute(from, "keys")? else { return Ok(false) };
    let keys = p.call_value(&keys, CallArgs::default())?;
    let mut keys = p.iterate(&keys)?;
    while let Some(key) = p.next(&mut keys)? {
        let value = subscript::get(p, from, &key)?;
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.insert(p.hashable(key)?, value);
    }
    Ok(true)
}

/// Inserts the entries of a dictionary, or key-value pairs, into another one.
pub(crate) fn fill(p: &mut Eval<'_>, dict: &mut Dict, from: &ScriptValue) -> Result<(), Raise> {
    if fill_from_mapping(p, dict, from)? {
        return Ok(());
    }
    for (index, item) in p.collect_values(from)?.into_iter().enumerate() {
        let pair = p.collect_values(&item).map_err(|raise| match raise {
            Raise::Kind(crate::EvalErrorKind::Host(_)) => HostError::type_error(format!(
                "cannot convert dictionary update sequence element #{index} to a sequence"
            ))
            .into(),
            other => other,
        })?;
        let [key, value] = pair.as_slice() else {
            raise!(
                Value,
                "dictionary update sequence element #{index} has length {}; 2 is required",
                pair.len()
            );
        };
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.insert(p.hashable(key.clone())?, value.clone());
    }
    Ok(())
}

fn float_type(p: &mut Eval<'_>, _: &ScriptValue, x: Option<ScriptValue>) -> Outcome {
    let Some(x) = x else { return Ok(ScriptValue::Float(0.0)) };
    match p.call_special(&x, "__float__", [])? {
        Special::Value(value @ ScriptValue::Float(_)) => return Ok(value),
        Special::Value(other) => {
            let class = type_name(&x);
            return Err(wrong_type!("{class}.__float__ returned non-float (type {})", &other).into());
        }
        _ => {}
    }
    if let Some(value @ ScriptValue::Float(_)) = constant(p, &x) {
        return Ok(value);
    }
    let own = x;
    let x = p.as_index(own.clone())?;
    let x = object::number(&x).unwrap_or(x);
    match (Number::of(&x), &x) {
        (Some(number), _) => Ok(ScriptValue::Float(number.to_float()?)),
        (None, ScriptValue::Str(text)) => match parse_float(text.as_str()) {
            Some(value) => Ok(ScriptValue::Float(value)),
            None => {
                let mut quoted = String::new();
                repr::quote(text.as_str(), &mut quoted);
                raise!(Value, "could not convert string to float: {quoted}")
            }
        },
        (None, ScriptValue::Bytes(bytes)) => {
            let value = std::str::from_utf8(bytes).ok().and_then(parse_float);
            let invalid = || HostError::value_error("could not convert string to float: bytes");
            Ok(ScriptValue::Float(value.ok_or_else(invalid)?))
        }
        _ => Err(wrong_type!("float() argument must be a string or a real number, not '{}'", &own).into()),
    }
}

/// The number that a node stands for.
fn constant(p: &mut Eval<'_>, value: &ScriptValue) -> Option<ScriptValue> {
    let ScriptValue::Node(object) = value else { return None };
    p.host.rules(object).number.and_then(|number| number(object))
}

/// Parses a float as Python does: with surrounding white space, `_` between digits, `inf` and `nan`.
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

/// Removes `_` between digits; `None` for a misplaced one.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let between = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_some_and(u8::is_ascii_alphanumeric)
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    };
    let misplaced = bytes.iter().enumerate().any(|(at, b)| *b == b'_' && !between(at));
    (!misplaced).then(|| text.replace('_', ""))
}

fn int_type(p: &mut Eval<'_>, _: &ScriptValue, x: Option<ScriptValue>, base: Option<ScriptValue>) -> Outcome {
    let x = match (x, &base) {
        (Some(x), _) => x,
        (None, Some(_)) => raise!(Type, "int() missing string argument"),
        (None, None) => return Ok(ScriptValue::Int(0)),
    };
    // A number that a class extends has its own conversion.
    let is_number = Number::of(x.plain()).is_some();
    for name in ["__int__", "__index__", "__trunc__"].into_iter().take(if is_number { 1 } else { 3 }) {
        match p.call_special(&x, name, [])? {
            Special::Value(value @ (ScriptValue::Int(_) | ScriptValue::BigInt(_))) => return Ok(value),
            Special::Value(ScriptValue::Bool(value)) => return Ok(ScriptValue::Int(i64::from(value))),
            Special::Value(other) => {
                return Err(wrong_type!("{name} returned non-int (type {})", &other).into());
            }
            _ => {}
        }
    }
    if base.is_none()
        && let Some(value @ ScriptValue::Int(_)) = constant(p, &x)
    {
        return Ok(value);
    }
    let own = x;
    let x = own.plain().clone();
    let x = object::number(&x).unwrap_or(x);
    let base = base.map(|base| integer(&base).map(|base| i64::try_from(&*base).unwrap_or(-1))).transpose()?;
    if base.is_some_and(|base| base != 0 && !(2..=36).contains(&base)) {
        raise!(Value, "int() base must be >= 2 and <= 36, or 0");
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
            raise!(Type, "int() can't convert non-string with explicit base")
        }
        (_, None) => match Number::of(&x) {
            Some(Number::Float(f)) => Ok(float_to_int(f)?),
            Some(Number::Int(i)) => Ok(ScriptValue::Int(i)),
            Some(Number::Big(_)) => Ok(x),
            None => Err(wrong_type!(
                "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                &own
            )
            .into()),
        },
    }
}

fn parse_int(p: &mut Eval<'_>, text: &str, base: i64, invalid: &dyn Fn(i64) -> HostError) -> Outcome {
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
        raise!(
            Value,
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        );
    }
    cost::integer(p.state, 6 * digits.len() as u64)?;
    let value = BigInt::from_str_radix(&digits, radix).map_err(|_| invalid(base))?;
    Ok(int(if negative { -value } else { value }))
}

fn map_type(p: &mut Eval<'_>, _: &ScriptValue, a: CallArgs) -> Outcome {
    no_keywords("map", &a)?;
    let [function, first, rest @ ..] = &a.positional[..] else {
        raise!(Type, "map() must have at least two arguments.");
    };
    let mut iters = vec![p.iterate(first)?];
    for items in rest {
        iters.push(p.iterate(items)?);
    }
    Ok(IterObject::value("map", Iter::Map(function.clone(), iters)))
}

fn zip_type(p: &mut Eval<'_>, _: &ScriptValue, mut a: CallArgs) -> Outcome {
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

fn reversed_type(p: &mut Eval<'_>, _: &ScriptValue, x: ScriptValue) -> Outcome {
    if let Some(iter) = object::of(&x).and_then(|object| object.reversed(&x)) {
        return Ok(IterObject::value("reversed", iter));
    }
    if crate::eval::class::removes(&x, "__reversed__") {
        return Err(wrong_type!("'{}' object is not reversible", &x).into());
    }
    if let Special::Value(value) = p.call_special(&x, "__reversed__", [])? {
        return Ok(value);
    }
    if let Some(len) = p.special_len(&x)? {
        // The sequence protocol.
        let mut items = Vec::new();
        for index in (0..len).rev() {
            p.state.program.budget.allocate(cost::VALUE_BYTES)?;
            items.push(crate::python::subscript::get(p, &x, &ScriptValue::Int(index))?);
        }
        return Ok(IterObject::value("reversed", Iter::Items(items.into_iter())));
    }
    if let Some(mut members) = enumeration::iterated(p, &x)? {
        members.reverse();
        return Ok(IterObject::value("reversed", Iter::Items(members.into_iter())));
    }
    let own = x;
    let x = own.plain().clone();
    let is_sequence = match &x {
        ScriptValue::Host(_) => range::of(&x).is_some() || view::of(&x).is_some(),
        ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Str(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Bytes(_) | ScriptValue::Node(_) => true,
        _ => false,
    };
    if !is_sequence {
        if own.as_host::<Instance>().is_some_and(|own| lookup(&own.class, "__getitem__").is_some()) {
            return Err(wrong_type!("object of type '{}' has no len()", &own).into());
        }
        return Err(wrong_type!("'{}' object is not reversible", &own).into());
    }
    if let Some(range) = range::of(&x) {
        return Ok(IterObject::value("range_iterator", big_range::reversed(range)));
    }
    let mut items = p.collect_values(&x)?;
    items.reverse();
    Ok(IterObject::value("reversed", Iter::Items(items.into_iter())))
}

fn collected(p: &mut Eval<'_>, items: Option<ScriptValue>) -> Result<Vec<ScriptValue>, Raise> {
    items.map_or(Ok(Vec::new()), |items| p.collect_values(&items))
}

fn range_type(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    x: ScriptValue,
    y: Option<ScriptValue>,
    z: Option<ScriptValue>,
) -> Outcome {
    let x = p.as_index(x)?;
    let y = y.map(|y| p.as_index(y)).transpose()?;
    let z = z.map(|z| p.as_index(z)).transpose()?;
    let (zero, one) = (ScriptValue::Int(0), ScriptValue::Int(1));
    match (y, z) {
        (None, _) => big_range::of_arguments(&zero, &x, &one),
        (Some(stop), step) => big_range::of_arguments(&x, &stop, &step.unwrap_or(one)),
    }
}
