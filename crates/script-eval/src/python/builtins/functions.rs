//! Built-in functions.

use num_bigint::BigInt;
use num_traits::Signed;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Builtin, Table, linear, not_none, numeric, own, unqualified};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::class::enumeration;
use crate::eval::class::{Special, is_class, is_instance, missing};
use crate::eval::generator::{Input, Resumed};
use crate::eval::{Cause, Iter, IterObject, Module, Placeholder, Raise, exception};
use crate::host::Operator;
use crate::python::number::{self, Number, int, integer};
#[cfg(feature = "numpy")]
use crate::python::numpy::{self, array::Array};
use crate::python::object::Advance;
use crate::python::range::Range;
use crate::python::text_index::Chars;
use crate::python::{Outcome, compare, format, node_len, object, repr, set, type_name, view};
use crate::python::{cost, library, methods};
use tvmscript_python_syntax::ast::{BinOp, CmpOp};

pub(super) static FUNCTIONS: Table = &[
    linear("abs").one(|p, _, x| abs(p, &x)),
    own("all").one(|p, _, items| any(p, &items, false)),
    own("any").one(|p, _, items| any(p, &items, true)),
    own("ascii").one(|p, _, x| {
        let text = ascii(&repr::repr(p, &x)?);
        cost::text(p.state, &text)
    }),
    own("__import__").any(|p, _, _| outside(p, "__import__")),
    own("breakpoint").any(|p, _, _| outside(p, "breakpoint")),
    own("compile").any(|p, _, _| outside(p, "compile")),
    own("eval").any(|p, _, _| outside(p, "eval")),
    own("exec").any(|p, _, _| outside(p, "exec")),
    own("input").any(|p, _, _| outside(p, "input")),
    own("open").any(|p, _, _| outside(p, "open")),
    own("dir").one(|p, _, x| {
        let mut names = p.names_of(&x);
        names.sort_unstable();
        names.dedup();
        let names = names.iter().map(|name| ScriptValue::str(name)).collect();
        cost::list(p.state, names)
    }),
    linear("bin").one(|p, _, x| radix(p, &x, 'b')),
    own("callable").one(|p, _, x| Ok(ScriptValue::Bool(is_callable(p, &x)))),
    linear("chr").one(chr),
    own("divmod").two(numeric::divmod),
    own("format").one_or_two(format_function),
    own("getattr").two_or_three(getattr),
    own("hasattr").two(|p, _, value, name| {
        let Some(name) = name.as_str() else { raise!(Type, "attribute name must be string") };
        let found = p.catching("AttributeError", |p| p.find_attribute(&value, name))?.flatten();
        Ok(ScriptValue::Bool(found.is_some()))
    }),
    linear("hash").one(|p, _, x| hash(p, x)),
    linear("hex").one(|p, _, x| radix(p, &x, 'x')),
    // Identities differ from run to run; nothing may depend on them.
    own("id").one(|p, _, value| p.state.program.identities.number(p.state, &value).map(ScriptValue::Int)),
    own("isinstance").two(isinstance),
    own("iter").one_or_two(|p, _, x, sentinel| {
        if let Some(sentinel) = sentinel {
            if !is_callable(p, &x) {
                raise!(Type, "iter(v, w): v must be callable");
            }
            let iter = CallIter { function: Some(x), sentinel };
            return Ok(IterObject::value("callable_iterator", Iter::Library(Box::new(iter))));
        }
        p.iterator_of(&x)
    }),
    own("len").one(|p, _, x| len(p, &x)),
    own("max").any(|p, _, a| extreme(p, "max", a, CmpOp::Gt)),
    own("min").any(|p, _, a| extreme(p, "min", a, CmpOp::Lt)),
    own("next").one_or_two(next),
    linear("oct").one(|p, _, x| radix(p, &x, 'o')),
    own("ord").one(ord),
    own("pow").two_or_three(numeric::pow).with_keywords(&["base", "exp", "mod"]),
    // A library prints nothing.
    own("print").any(|p, _, args| {
        for (name, _) in &args.keywords {
            if !["sep", "end", "file", "flush"].contains(&name.as_str()) {
                raise!(Type, "'{name}' is an invalid keyword argument for print()");
            }
        }
        // Conversions to text may fail.
        for value in &args.positional {
            if is_instance(value) {
                repr::str(p, value)?;
            }
        }
        Ok(ScriptValue::None)
    }),
    own("repr").one(|p, _, x| {
        let text = repr::repr(p, &x)?;
        cost::text(p.state, &text)
    }),
    linear("round").one_or_two(numeric::round).with_keywords(&["number", "ndigits"]),
    own("sorted")
        .one_to_three(|p, _, items, key, reverse| {
            let items = p.collect_values(&items)?;
            Ok(ScriptValue::list(sort(p, items, key, reverse)?))
        })
        .with_keywords(&["", "key", "reverse"])
        .with_keyword_only(2),
    own("sum").one_or_two(sum).with_keywords(&["", "start"]),
];

/// `abs(x)`
pub(crate) fn abs(p: &mut Eval<'_>, x: &ScriptValue) -> Outcome {
    if let Special::Value(value) = p.call_special(x, "__abs__", [])? {
        return Ok(value);
    }
    #[cfg(feature = "numpy")]
    if Array::of(x).is_some() {
        return numpy::absolute(p, x);
    }
    match Number::of(x) {
        Some(Number::Float(f)) => Ok(ScriptValue::Float(f.abs())),
        Some(Number::Int(i)) => {
            Ok(i.checked_abs().map_or_else(|| int(BigInt::from(i.unsigned_abs())), ScriptValue::Int))
        }
        Some(Number::Big(big)) => {
            cost::integer(p.state, big.bits())?;
            Ok(int(big.abs()))
        }
        None => Err(wrong_type!("bad operand type for abs(): '{}'", x).into()),
    }
}

/// `iter(function, sentinel)`: the results of calls until one equals the sentinel.
struct CallIter {
    function: Option<ScriptValue>,
    sentinel: ScriptValue,
}

impl Advance for CallIter {
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        let Some(function) = &self.function else { return Ok(None) };
        let Some(value) = p.catching("StopIteration", |p| p.call_value(function, CallArgs::default()))?
        else {
            self.function = None;
            return Ok(None);
        };
        if compare::same(p, &value, &self.sentinel)? {
            self.function = None;
            return Ok(None);
        }
        Ok(Some(value))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend(self.function.take());
        out.push(std::mem::take(&mut self.sentinel));
    }
}

/// Fails: the function would leave the sandbox.
fn outside(p: &mut Eval<'_>, name: &str) -> Outcome {
    let reason =
        format!("`{name}` is not available: host code cannot read files, ask the user or run other code");
    if p.state.is_tolerant() {
        let place = p.state.statement.unwrap_or_default();
        return Err(Raise::Unknown(Placeholder::new(Cause::Statement(reason.into()), place)));
    }
    raise!(Runtime, "{reason}")
}

impl Eval<'_> {
    /// The names of a value's attributes, without those of `object`.
    fn names_of(&mut self, value: &ScriptValue) -> Vec<String> {
        let methods = methods::names(value).map(str::to_owned);
        match value {
            ScriptValue::Host(host) => match value.as_host::<Module>() {
                Some(module) => match library::names(&module.path) {
                    Some(names) => names,
                    None => self.host.modules().names(&module.path),
                },
                None => host.attribute_names().into_iter().chain(methods).collect(),
            },
            ScriptValue::Node(object) => match self.host.rules(object).names {
                Some(names) => names(object),
                None => methods.collect(),
            },
            _ => methods.collect(),
        }
    }
}

/// `any` for `wanted = true`, `all` for `wanted = false`.
fn any(p: &mut Eval<'_>, items: &ScriptValue, wanted: bool) -> Outcome {
    let mut iter = p.iterate(items)?;
    while let Some(item) = p.next(&mut iter)? {
        if p.truth(&item)? == wanted {
            return Ok(ScriptValue::Bool(wanted));
        }
    }
    Ok(ScriptValue::Bool(!wanted))
}

fn radix(p: &mut Eval<'_>, x: &ScriptValue, kind: char) -> Outcome {
    let x = p.as_index(x.clone())?;
    let value = integer(&x)?;
    let (prefix, digits) = format::integer(p.state, &value, Some(kind))?;
    let sign = if value.is_negative() { "-" } else { "" };
    cost::text(p.state, &format!("{sign}{prefix}{digits}"))
}

/// Escapes all characters beyond ASCII.
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

/// `callable(x)`
pub(crate) fn is_callable(p: &mut Eval<'_>, x: &ScriptValue) -> bool {
    match x {
        ScriptValue::Function(_) => true,
        ScriptValue::Host(host) => host.is_callable(),
        ScriptValue::Node(object) => p.host.rules(object).call.is_some(),
        _ => false,
    }
}

fn chr(p: &mut Eval<'_>, _: &ScriptValue, x: ScriptValue) -> Outcome {
    let code = integer(&x)?;
    if i64::try_from(&*code).is_err() {
        raise!(Overflow, "Python int too large to convert to C int");
    }
    let c = u32::try_from(&*code).ok().and_then(format::scalar);
    let c = c.ok_or_else(|| HostError::value_error("chr() arg not in range(0x110000)"))??;
    cost::text(p.state, c.encode_utf8(&mut [0; 4]))
}

fn ord(p: &mut Eval<'_>, _: &ScriptValue, x: ScriptValue) -> Outcome {
    let count = match &x {
        ScriptValue::Str(text) => {
            let chars = Chars::of(p.state, text)?;
            if chars.count() == 1
                && let Some(c) = text.as_str().chars().next()
            {
                return Ok(ScriptValue::Int(i64::from(c as u32)));
            }
            chars.count()
        }
        ScriptValue::Bytes(bytes) => match &**bytes {
            [byte] => return Ok(ScriptValue::Int(i64::from(*byte))),
            bytes => bytes.len(),
        },
        other => {
            return Err(wrong_type!("ord() expected string of length 1, but {} found", other).into());
        }
    };
    raise!(Type, "ord() expected a character, but string of length {count} found")
}

fn format_function(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    value: ScriptValue,
    spec: Option<ScriptValue>,
) -> Outcome {
    let spec = match &spec {
        Some(ScriptValue::Str(spec)) => spec.as_str(),
        None => "",
        Some(other) => {
            return Err(wrong_type!("format() argument 2 must be str, not {}", other).into());
        }
    };
    let text = format::format(p, &value, spec)?;
    cost::text(p.state, &text)
}

fn getattr(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    value: ScriptValue,
    name: ScriptValue,
    default: Option<ScriptValue>,
) -> Outcome {
    let Some(name) = name.as_str() else {
        raise!(Type, "attribute name must be string, not '{}'", type_name(&name));
    };
    let found = match &default {
        Some(_) => p.catching("AttributeError", |p| p.find_attribute(&value, name))?.flatten(),
        None => p.find_attribute(&value, name)?,
    };
    match (found, default) {
        (Some(value), _) | (None, Some(value)) => Ok(value),
        (None, None) => Err(missing(&value, name)),
    }
}

impl Eval<'_> {
    /// The attribute of a value.
    pub(crate) fn needed_attribute(&mut self, value: &ScriptValue, name: &str) -> Outcome {
        match self.find_attribute(value, name)? {
            Some(found) => Ok(found),
            None => Err(missing(value, name)),
        }
    }
}

/// `hash(x)`
pub(crate) fn hash(p: &mut Eval<'_>, x: ScriptValue) -> Outcome {
    if is_instance(&x)
        && let Some(hash) = p.special_hash(&x)?
    {
        return Ok(ScriptValue::Int(hash));
    }
    let key = p.hashable(x)?;
    Ok(ScriptValue::Int(hash_of(p, key.0.plain())?))
}

/// CPython's hash of numbers and tuples of them. Other hashes differ from run to run, as in CPython.
fn hash_of(p: &mut Eval<'_>, value: &ScriptValue) -> Result<i64, Raise> {
    if let Some(number) = Number::of(value) {
        return Ok(number::hash(&number));
    }
    if is_instance(value)
        && let Some(hash) = p.special_hash(value)?
    {
        return Ok(hash);
    }
    if let Some(items) = crate::python::set::items(value) {
        // The order of the elements does not count.
        let mut sum = items.len() as u64;
        for item in items {
            p.state.program.budget.step(1)?;
            let hash = tvmscript_ir_core::with_stack(|| hash_of(p, item.plain()))? as u64;
            sum = sum.wrapping_add((hash ^ (hash << 16) ^ 89_869_747).wrapping_mul(3_644_798_167));
        }
        return Ok((sum ^ (sum >> 11)) as i64);
    }
    let ScriptValue::Tuple(items) = value else {
        let key = tvmscript_script_value::DictKey::new(value.clone());
        return Ok(key.map_or(0, |key| i64::from(key.hash_value())));
    };
    // xxHash with one lane, as in CPython.
    const PRIMES: [u64; 3] =
        [11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 2_870_177_450_012_600_261];
    let mut state = PRIMES[2];
    for item in items.iter() {
        let lane = tvmscript_ir_core::with_stack(|| hash_of(p, item.plain()))? as u64;
        state = state.wrapping_add(lane.wrapping_mul(PRIMES[1]));
        state = state.rotate_left(31).wrapping_mul(PRIMES[0]);
    }
    state = state.wrapping_add(items.len() as u64 ^ (PRIMES[2] ^ 3_527_539));
    Ok(if state == u64::MAX { 1_546_275_796 } else { state as i64 })
}

fn isinstance(p: &mut Eval<'_>, _: &ScriptValue, value: ScriptValue, class: ScriptValue) -> Outcome {
    if let Some(placeholder) = p.state.failed_instance(&value).filter(|_| p.state.is_tolerant()) {
        let is_plain =
            is_class(&class) && p.is_of_class(&value, &class).is_ok_and(|found| found == Some(true));
        if !is_plain {
            return Err(Raise::Unknown(placeholder));
        }
    }
    let own = type_name(&value);
    // Tuples may be nested.
    let mut work = vec![class];
    while let Some(class) = work.pop() {
        p.state.program.budget.step(1 + cost::size(&class))?;
        if let ScriptValue::Tuple(classes) = &class {
            work.extend(classes.iter().rev().cloned());
            continue;
        }
        if let Some(classes) = crate::python::union::args(&class) {
            work.extend(classes.into_iter().rev());
            continue;
        }
        // A class of a dialect's nodes.
        if let ScriptValue::Host(host) = &class
            && let Some(is_instance) = host.is_class_of(&value)
        {
            if is_instance {
                return Ok(ScriptValue::Bool(true));
            }
            continue;
        }
        if let Some(is_instance) = object::of(&class).and_then(|object| object.is_class_of(p, &value)) {
            if is_instance? {
                return Ok(ScriptValue::Bool(true));
            }
            continue;
        }
        if let Some(found) = super::classes::is_instance(p, &value, &class)? {
            if found {
                return Ok(ScriptValue::Bool(true));
            }
            continue;
        }
        let Some(builtin) = class.as_host::<Builtin>().filter(|b| b.is_type()) else {
            raise!(Type, "isinstance() arg 2 must be a type, a tuple of types, or a union");
        };
        let name = builtin.native.name;
        let is_dict = name == "dict" && matches!(value, ScriptValue::Dict(_));
        if name == unqualified(&own) || name == "object" || name == "int" && own == "bool" || is_dict {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

fn next(p: &mut Eval<'_>, _: &ScriptValue, iterator: ScriptValue, default: Option<ScriptValue>) -> Outcome {
    if is_instance(&iterator) {
        let found = match &default {
            Some(_) => p.catching("StopIteration", |p| p.call_special(&iterator, "__next__", []))?,
            None => Some(p.call_special(&iterator, "__next__", [])?),
        };
        match (found, default) {
            (Some(Special::Value(value)), _) | (None, Some(value)) => return Ok(value),
            _ => {}
        }
        return Err(wrong_type!("'{}' object is not an iterator", &iterator).into());
    }
    if iterator.as_host::<IterObject>().is_none() {
        return Err(wrong_type!("'{}' object is not an iterator", &iterator).into());
    }
    match (p.resume_value(&iterator, Input::Send(ScriptValue::None))?, default) {
        (Resumed::Yielded(value), _) | (Resumed::Returned(_), Some(value)) => Ok(value),
        (Resumed::Returned(value), None) => Err(exception::stop_iteration(value)),
    }
}

/// `len(x)`
pub(crate) fn len(p: &mut Eval<'_>, x: &ScriptValue) -> Outcome {
    if let Some(len) = p.special_len(x)? {
        return Ok(ScriptValue::Int(len));
    }
    if let Some(members) = enumeration::iterated(p, x)? {
        return Ok(ScriptValue::Int(members.len() as i64));
    }
    let own = x;
    let x = own.plain();
    let len = match x {
        ScriptValue::Str(s) => Some(Chars::of(p.state, s)?.count()),
        ScriptValue::Bytes(b) => Some(b.len()),
        ScriptValue::Tuple(items) => Some(items.len()),
        ScriptValue::List(items) => Some(items.borrow().len()),
        ScriptValue::Dict(dict) => Some(dict.borrow().len()),
        ScriptValue::Host(_) if object::of(x).is_some() => {
            object::of(x).and_then(|object| object.len()).transpose()?
        }
        ScriptValue::Host(host) => set::len(x)
            .or_else(|| crate::python::range::of(x).map(Range::len))
            .or_else(|| view::of(x).map(|view| view.dict.borrow().len()))
            .or_else(|| host.items().map(|items| items.len())),
        ScriptValue::Node(object) => node_len(object),
        _ => None,
    };
    match len {
        Some(len) => match i64::try_from(len) {
            Ok(len) => Ok(ScriptValue::Int(len)),
            Err(_) => raise!(Overflow, "Python int too large to convert to C ssize_t"),
        },
        None => Err(wrong_type!("object of type '{}' has no len()", own).into()),
    }
}

fn extreme(p: &mut Eval<'_>, name: &str, mut a: CallArgs, op: CmpOp) -> Outcome {
    let key = not_none(a.take_keyword("key"));
    let default = a.take_keyword("default");
    if let Some((other, _)) = a.keywords.first() {
        raise!(Type, "'{other}' is an invalid keyword argument for {name}()");
    }
    let mut iter = match &a.positional[..] {
        [] => {
            raise!(Type, "{name} expected at least 1 argument, got 0");
        }
        [items] => p.iterate(items)?,
        _ if default.is_some() => {
            raise!(Type, "Cannot specify a default for {name}() with multiple positional arguments");
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

/// Sorts items with the arguments of `sorted` and `list.sort`.
pub(crate) fn sort(
    p: &mut Eval<'_>,
    items: Vec<ScriptValue>,
    key: Option<ScriptValue>,
    reverse: Option<ScriptValue>,
) -> Result<Vec<ScriptValue>, Raise> {
    let reverse = match reverse {
        Some(reverse) => match i32::try_from(&*integer(&reverse)?) {
            Ok(reverse) => reverse != 0,
            Err(_) => raise!(Overflow, "Python int too large to convert to C int"),
        },
        None => false,
    };
    crate::python::sort::sort(p, items, not_none(key).as_ref(), reverse)
}

fn sum(p: &mut Eval<'_>, _: &ScriptValue, items: ScriptValue, start: Option<ScriptValue>) -> Outcome {
    let mut total = start.unwrap_or(ScriptValue::Int(0));
    if let ScriptValue::Str(_) = total {
        raise!(Type, "sum() can't sum strings [use ''.join(seq) instead]");
    }
    if let ScriptValue::Bytes(_) = total {
        raise!(Type, "sum() can't sum bytes [use b''.join(seq) instead]");
    }
    let mut iter = p.iterate(&items)?;
    while let Some(item) = p.next(&mut iter)? {
        total = p.apply(Operator::Binary(BinOp::Add), &[total, item])?;
    }
    Ok(total)
}
