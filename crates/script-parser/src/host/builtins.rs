//! Built-in functions and types.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Num, Zero};
use tvmscript_irbuilder::{BuildError, CallArgs, Dict, HostObject, ScriptValue, release};

use super::number::{Number, float_to_int, index, int, small_index};
use super::range::Range;
use super::{VALUE_BYTES, arith, format, node_len, repr, set, type_name};
use crate::ast::{BinOp, CmpOp};
use crate::errors::{HostError, HostErrorKind};
use crate::eval::{Iter, IterObject, Raise};
use crate::parser::Parser;
use crate::table::Operator;

/// What a built-in function runs.
pub(crate) type BuiltinFn = fn(&mut Parser, CallArgs) -> Result<ScriptValue, Raise>;
/// What a method runs.
pub(crate) type MethodFn = fn(&mut Parser, &ScriptValue, CallArgs) -> Result<ScriptValue, Raise>;

/// A built-in function or type.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) call: BuiltinFn,
    pub(crate) is_type: bool,
}

impl Builtin {
    pub(crate) fn function(name: &'static str, call: BuiltinFn) -> ScriptValue {
        ScriptValue::host(Builtin { name, call, is_type: false })
    }
}

/// A method of a value.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) receiver: ScriptValue,
    pub(crate) call: MethodFn,
}

impl HostObject for Builtin {
    fn type_name(&self) -> &str {
        self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(BuildError::message(format!("`{}` cannot be called from here", self.name))
            .with_help("wrap it in a lambda"))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "__name__").then(|| ScriptValue::str(self.name))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Method {
    fn drop(&mut self) {
        release([std::mem::take(&mut self.receiver)]);
    }
}

impl HostObject for Method {
    fn type_name(&self) -> &str {
        self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(BuildError::message(format!("`{}` cannot be called from here", self.name))
            .with_help("wrap it in a lambda"))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The positional arguments of a function that takes just so many, and no keywords.
pub(crate) fn args<const N: usize>(name: &str, a: CallArgs) -> Result<[ScriptValue; N], HostError> {
    no_keywords(name, &a)?;
    let found = a.positional.len();
    let values: Vec<ScriptValue> = a.positional.into_vec();
    values.try_into().map_err(|_| {
        let what = match N {
            0 => "no arguments".to_owned(),
            1 => "exactly one argument".to_owned(),
            n => return HostError::type_error(format!("{name} expected {n} arguments, got {found}")),
        };
        HostError::type_error(format!("{name}() takes {what} ({found} given)"))
    })
}

pub(crate) fn no_keywords(name: &str, a: &CallArgs) -> Result<(), HostError> {
    match a.keywords.is_empty() {
        true => Ok(()),
        false => Err(HostError::type_error(format!("{name}() takes no keyword arguments"))),
    }
}

/// From `least` to `most` positional arguments; those not given are nothing.
pub(crate) fn optional<const N: usize>(
    name: &str,
    a: CallArgs,
    least: usize,
) -> Result<[Option<ScriptValue>; N], HostError> {
    no_keywords(name, &a)?;
    let found = a.positional.len();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    if found < least {
        let bound = if least == N { "" } else { "at least " };
        return Err(HostError::type_error(format!(
            "{name} expected {bound}{least} argument{}, got {found}",
            plural(least)
        )));
    }
    if found > N {
        return Err(HostError::type_error(format!(
            "{name} expected at most {N} argument{}, got {found}",
            plural(N)
        )));
    }
    let mut values = a.positional.into_iter();
    Ok(std::array::from_fn(|_| values.next()))
}

const FUNCTIONS: &[(&str, BuiltinFn)] = &[
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

const TYPES: &[(&str, BuiltinFn)] = &[
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

/// The names of all.
pub(crate) const NAMES: &[&str] = &[
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytes",
    "callable",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "id",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "oct",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
];

/// The built-in of this name.
pub(crate) fn value(name: &str) -> Option<ScriptValue> {
    let found = |list: &'static [(&'static str, BuiltinFn)], is_type: bool| {
        let (name, call) = list.iter().find(|(n, _)| *n == name)?;
        Some(ScriptValue::host(Builtin { name, call: *call, is_type }))
    };
    found(FUNCTIONS, false).or_else(|| found(TYPES, true))
}

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
            .or_else(|| super::range::of(&x).map(Range::len))
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
        ScriptValue::Host(_) => super::range::of(&x).is_some(),
        ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Str(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Bytes(_) | ScriptValue::Node(_) => true,
        _ => false,
    };
    if !is_sequence {
        return Err(HostError::type_error(format!("'{}' object is not reversible", type_name(&x))).into());
    }
    if let Some(range) = super::range::of(&x) {
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

/// Whether two values are equal, for methods.
pub(crate) fn equal(p: &mut Parser, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    let value = p.apply(Operator::Compare(CmpOp::Eq), &[a.clone(), b.clone()])?;
    p.truth(&value)
}

/// Takes the memory of so many values off the budget.
pub(crate) fn charge(p: &Parser, values: usize) -> Result<(), Raise> {
    Ok(p.shared.allocate(VALUE_BYTES * values as u64)?)
}
