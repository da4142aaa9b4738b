//! Mixin methods of mappings, and their views.

use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{call, class, field, generator, is_of, length, raised};
use crate::Eval;
use crate::eval::class::natives::not_implemented;
use crate::eval::class::{Instance, missing};
use crate::eval::{Iter, Raise, exception};
use crate::host::Operator;
use crate::python::builtins::{self, Table, own};
use crate::python::object::Advance;
use crate::python::{Outcome, compare, cost, repr, set, subscript, type_name};

pub(super) static MAPPING: Table = &[
    own("get")
        .one_or_two(|p, x, key, default| {
            let found = p.catching("KeyError", |p| subscript::get(p, x, &key))?;
            Ok(found.or(default).unwrap_or_default())
        })
        .with_keywords(&["key", "default"]),
    own("__contains__").one(|p, x, key| {
        let found = p.catching("KeyError", |p| subscript::get(p, x, &key))?;
        Ok(ScriptValue::Bool(found.is_some()))
    }),
    own("keys").zero(|p, x| view(p, "KeysView", x)),
    own("items").zero(|p, x| view(p, "ItemsView", x)),
    own("values").zero(|p, x| view(p, "ValuesView", x)),
    own("__eq__").one(|p, x, other| {
        if !is_of(p, &other, "Mapping")? {
            return Ok(not_implemented());
        }
        let (a, b) = (as_dict(p, x)?, as_dict(p, &other)?);
        p.apply(Operator::Compare(CmpOp::Eq), &[a, b])
    }),
];

/// `dict(mapping.items())`
fn as_dict(p: &mut Eval<'_>, mapping: &ScriptValue) -> Outcome {
    let items = call(p, mapping, "items", [])?;
    let dict = builtins::class("dict").unwrap_or_default();
    p.call_value(&dict, CallArgs::positional([items]))
}

/// A view of a mapping.
fn view(p: &mut Eval<'_>, name: &str, mapping: &ScriptValue) -> Outcome {
    let class = class(p, name).unwrap_or_default();
    p.call_value(&class, CallArgs::positional([mapping.clone()]))
}

pub(super) static MUTABLE_REQUIRED: Table = &[
    own("__setitem__").two(|_, _, _, _| Err(raised("KeyError"))),
    own("__delitem__").one(|_, _, _| Err(raised("KeyError"))),
];

pub(super) static MUTABLE: Table = &[
    own("pop")
        .one_or_two(|p, x, key, default| {
            let missing = match p.attempt(|p| subscript::get(p, x, &key))? {
                Ok(value) => {
                    subscript::delete(p, x, &key)?;
                    return Ok(value);
                }
                Err(missing) => missing,
            };
            default.filter(|_| exception::is_of(&missing, "KeyError")).ok_or(Raise::Exception(missing))
        })
        .with_keywords(&["key", "default"]),
    own("popitem").zero(|p, x| {
        let mut iter = p.iterate(x)?;
        let Some(key) = p.next(&mut iter)? else { return Err(raised("KeyError")) };
        let value = subscript::get(p, x, &key)?;
        subscript::delete(p, x, &key)?;
        Ok(ScriptValue::tuple([key, value]))
    }),
    own("clear").zero(|p, x| {
        while p.catching("KeyError", |p| call(p, x, "popitem", []))?.is_some() {
            p.state.program.budget.step(1)?;
        }
        Ok(ScriptValue::None)
    }),
    own("update").any(update),
    own("setdefault")
        .one_or_two(|p, x, key, default| {
            if let Some(found) = p.catching("KeyError", |p| subscript::get(p, x, &key))? {
                return Ok(found);
            }
            let default = default.unwrap_or_default();
            subscript::set(p, x, key, default.clone())?;
            Ok(default)
        })
        .with_keywords(&["key", "default"]),
];

fn update(p: &mut Eval<'_>, x: &ScriptValue, args: CallArgs) -> Outcome {
    let given = args.positional.len();
    if given > 1 {
        raise!(
            Type,
            "MutableMapping.update() takes from 1 to 2 positional arguments but {} were given",
            given + 1
        );
    }
    if let Some(other) = args.positional.first() {
        let keys = match is_of(p, other, "Mapping")? {
            true => Some(other.clone()),
            false => match p.find_attribute(other, "keys")? {
                Some(keys) => Some(p.call_value(&keys, CallArgs::default())?),
                None => None,
            },
        };
        let mut iter = p.iterate(keys.as_ref().unwrap_or(other))?;
        while let Some(item) = p.next(&mut iter)? {
            let (key, value) = match keys {
                Some(_) => (item.clone(), subscript::get(p, other, &item)?),
                None => {
                    let mut pair = p.collect_values(&item).map_err(|raise| {
                        builtins::instead_of_type_error(raise, || {
                            wrong_type!("cannot unpack non-iterable {} object", &item)
                        })
                    })?;
                    match (pair.pop(), pair.pop(), pair.len()) {
                        (Some(value), Some(key), 0) => (key, value),
                        (Some(_), Some(_), _) => raise!(Value, "too many values to unpack (expected 2)"),
                        (last, _, _) => {
                            let got = usize::from(last.is_some());
                            raise!(Value, "not enough values to unpack (expected 2, got {got})");
                        }
                    }
                }
            };
            subscript::set(p, x, key, value)?;
        }
    }
    for (name, value) in args.keywords {
        p.state.program.budget.step(1)?;
        subscript::set(p, x, ScriptValue::Str(name), value)?;
    }
    Ok(ScriptValue::None)
}

/// The mapping of a view.
fn mapping_of(view: &ScriptValue) -> Result<ScriptValue, Raise> {
    field(view, "_mapping").ok_or_else(|| missing(view, "_mapping"))
}

pub(super) static VIEW: Table = &[
    own("__init__").one(|p, x, mapping| {
        if let Some(instance) = x.as_host::<Instance>() {
            p.set_field(instance, "_mapping", mapping)?;
        }
        Ok(ScriptValue::None)
    }),
    own("__len__").zero(|p, x| {
        let mapping = mapping_of(x)?;
        Ok(ScriptValue::Int(length(p, &mapping)?))
    }),
    own("__repr__").zero(|p, x| {
        let mapping = repr::repr(p, &mapping_of(x)?)?;
        cost::text(p.state, &format!("{}({mapping})", type_name(x)))
    }),
];

pub(super) static SET_OF_ELEMENTS: Table = &[own("_from_iterable").one(|p, _, items| {
    let items = p.collect_values(&items)?;
    set::from_items(p, items)
})];

pub(super) static KEYS: Table = &[
    own("__contains__").one(|p, x, key| {
        let mapping = mapping_of(x)?;
        Ok(ScriptValue::Bool(compare::contains(p, &mapping, &key)?))
    }),
    own("__iter__").zero(|p, x| {
        let mapping = mapping_of(x)?;
        Ok(generator(p.iterate(&mapping)?))
    }),
];

pub(super) static ITEMS: Table = &[
    own("__contains__").one(|p, x, item| {
        let pair = p.collect_values(&item)?;
        let [key, value] = pair.as_slice() else {
            raise!(Value, "not enough values to unpack (expected 2, got {})", pair.len());
        };
        let mapping = mapping_of(x)?;
        let Some(found) = p.catching("KeyError", |p| subscript::get(p, &mapping, key))? else {
            return Ok(ScriptValue::Bool(false));
        };
        Ok(ScriptValue::Bool(compare::same(p, &found, value)?))
    }),
    own("__iter__").zero(|p, x| entries(p, x, true)),
];

pub(super) static VALUES: Table = &[
    own("__contains__").one(|p, x, item| {
        let mapping = mapping_of(x)?;
        let mut iter = p.iterate(&mapping)?;
        while let Some(key) = p.next(&mut iter)? {
            let value = subscript::get(p, &mapping, &key)?;
            if compare::same(p, &value, &item)? {
                return Ok(ScriptValue::Bool(true));
            }
        }
        Ok(ScriptValue::Bool(false))
    }),
    own("__iter__").zero(|p, x| entries(p, x, false)),
];

fn entries(p: &mut Eval<'_>, view: &ScriptValue, with_keys: bool) -> Outcome {
    let mapping = mapping_of(view)?;
    let keys = p.iterate(&mapping)?;
    Ok(generator(Iter::Library(Box::new(Entries { mapping, keys: Some(keys), with_keys }))))
}

/// An iterator over the values of a mapping, or over pairs of keys and values.
struct Entries {
    mapping: ScriptValue,
    keys: Option<Iter>,
    with_keys: bool,
}

impl Advance for Entries {
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        let Some(keys) = &mut self.keys else { return Ok(None) };
        let Some(key) = p.next(keys)? else { return Ok(None) };
        let value = subscript::get(p, &self.mapping, &key)?;
        if !self.with_keys {
            return Ok(Some(value));
        }
        cost::values(p.state, 2)?;
        Ok(Some(ScriptValue::tuple([key, value])))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.mapping));
        if let Some(keys) = self.keys.take() {
            keys.parts(out);
        }
    }
}
