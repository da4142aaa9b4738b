//! Subscripts of containers and text.

use tvmscript_ir_core::{Array, Map, ObjectLike, Value};
use tvmscript_script_value::{CallArgs, ScriptValue, Slice};

use super::Outcome;
use super::big_range;
use super::number::small_index;
use super::range::Range;
use super::text_index::Chars;
use super::{builtins::Builtin, cost, dict_class, object, type_name};
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::eval::class::{ClassObject, Special, is_instance};
use crate::eval::exception;
use crate::{Eval, EvalState};
use num_bigint::BigInt;

/// `base[key]` by a method of the class of `base`, or of a class itself; `None` for other values.
fn instance_item(
    p: &mut Eval<'_>,
    base: &ScriptValue,
    key: &ScriptValue,
) -> Result<Option<ScriptValue>, Raise> {
    if !matches!(base, ScriptValue::Host(_)) {
        return Ok(None);
    }
    if base.as_host::<ClassObject>().is_some() {
        return p.class_item(base, key).map(Some);
    }
    if let Special::Value(value) = p.call_special(base, "__getitem__", [key.clone()])? {
        return Ok(Some(value));
    }
    if let ScriptValue::Dict(dict) = base.plain()
        && is_instance(base)
    {
        let hashed = p.hashable(key.clone())?;
        if !dict.borrow().contains_key(&hashed)
            && let Special::Value(value) = p.call_special(base, "__missing__", [key.clone()])?
        {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// The key of a sequence as an integer, if it is an instance with `__index__`. Parts of slices are converted too.
fn index_of(p: &mut Eval<'_>, base: &ScriptValue, key: &ScriptValue) -> Outcome {
    match key {
        ScriptValue::Host(_) if super::range::of(base).is_some() => p.as_index(key.clone()),
        ScriptValue::Host(_) if !matches!(base, ScriptValue::Dict(_) | ScriptValue::Host(_)) => {
            p.as_index(key.clone())
        }
        ScriptValue::Slice(slice)
            if [&slice.start, &slice.stop, &slice.step].into_iter().any(is_instance) =>
        {
            let (start, stop, step) = (slice.start.clone(), slice.stop.clone(), slice.step.clone());
            let slice = Slice { start: p.as_index(start)?, stop: p.as_index(stop)?, step: p.as_index(step)? };
            Ok(ScriptValue::Slice(std::rc::Rc::new(slice)))
        }
        _ => Ok(key.clone()),
    }
}

/// `base[key]`
pub(crate) fn get(p: &mut Eval<'_>, base: &ScriptValue, key: &ScriptValue) -> Outcome {
    if let Some(value) = instance_item(p, base, key)? {
        return Ok(value);
    }
    let own = base;
    let base = base.plain();
    let key = &index_of(p, base, key)?;
    match base {
        ScriptValue::Tuple(items) => {
            if let Some(item) = item("tuple", key, items)? {
                return Ok(item.clone());
            }
            Ok(ScriptValue::tuple(picked(p, key, items)?))
        }
        ScriptValue::List(list) => {
            let items = list.borrow();
            if let Some(item) = item("list", key, &items)? {
                return Ok(item.clone());
            }
            Ok(ScriptValue::list(picked(p, key, &items)?))
        }
        ScriptValue::Dict(dict) => {
            let found = p.hashable(key.clone()).map(|key| dict.borrow().get(&key).cloned())?;
            match found {
                Some(value) => Ok(value),
                None => match dict_class::missing(p, base, key)? {
                    Some(value) => Ok(value),
                    None => Err(exception::key_error(key.clone())),
                },
            }
        }
        ScriptValue::Str(text) => {
            let chars = Chars::of(p.state, text)?;
            if let Some(index) = position("string", key, chars.count())? {
                return cost::text(p.state, chars.get(index));
            }
            let ScriptValue::Slice(slice) = key else { return Ok(ScriptValue::None) };
            let (start, stop, step) = bounds(slice, chars.count())?;
            if step == 1 {
                return cost::text(p.state, chars.slice(start as usize, stop.max(start) as usize));
            }
            let range = Range { start, stop, step };
            cost::values(p.state, range.len())?;
            let picked: String = (0..range.len()).map(|i| chars.get(range.at(i) as usize)).collect();
            cost::text(p.state, &picked)
        }
        ScriptValue::Bytes(bytes) => {
            if let Some(byte) = item("index", key, bytes)? {
                return Ok(ScriptValue::Int(i64::from(*byte)));
            }
            let picked = sliced(p.state, key, bytes)?.copied().collect();
            cost::bytes(p.state, picked)
        }
        ScriptValue::Host(host) => match (super::range::of(base), base.as_host::<Builtin>()) {
            (Some(range), _) => range_item(range, key),
            // `list[int]`: a parameterized type is the type itself.
            (_, Some(builtin)) if builtin.is_type() => Ok(base.clone()),
            _ => {
                if let Some(object) = object::of(base) {
                    return object.get(p, base, key)?.ok_or_else(|| not_subscriptable(own));
                }
                match host.subscript(key) {
                    Some(result) => result.map_err(Raise::from),
                    None => Err(not_subscriptable(own)),
                }
            }
        },
        ScriptValue::Node(object) => {
            if let Some(array) = Array::<Value>::try_ref(object) {
                let values = array.values();
                if let Some(item) = item("array", key, values)? {
                    return Ok(ScriptValue::from(item));
                }
                let picked = sliced(p.state, key, values)?.map(ScriptValue::from);
                return Ok(ScriptValue::list(picked.collect()));
            }
            if let Some(map) = Map::<Value, Value>::try_ref(object) {
                let found = key.to_field().and_then(|key| map.get(&key).map(ScriptValue::from));
                return found.ok_or_else(|| exception::key_error(key.clone()));
            }
            Err(not_subscriptable(base))
        }
        // `Pointer[a, b]`: a function that makes annotations takes its arguments in brackets, too.
        ScriptValue::Function(function) if function.is_annotation => {
            let args = match key {
                ScriptValue::Tuple(items) => CallArgs::positional(items.iter().cloned()),
                one => CallArgs::positional([one.clone()]),
            };
            p.call_value(base, args)
        }
        _ => Err(not_subscriptable(base)),
    }
}

fn not_subscriptable(base: &ScriptValue) -> Raise {
    wrong_type!("'{}' object is not subscriptable", base).into()
}

fn range_item(range: &Range, key: &ScriptValue) -> Outcome {
    if let Some(index) = position("range object", key, range.len())? {
        return Ok(ScriptValue::Int(range.at(index)));
    }
    let ScriptValue::Slice(slice) = key else { return Ok(ScriptValue::None) };
    let (start, stop, step) = bounds(slice, range.len())?;
    let at = |index: i64| BigInt::from(i128::from(range.start) + i128::from(range.step) * i128::from(index));
    let step = BigInt::from(i128::from(range.step) * i128::from(step));
    Ok(big_range::value(at(start), at(stop), step))
}

/// The position of an index in a container of this length; `None` for slices.
pub(crate) fn position(what: &str, key: &ScriptValue, len: usize) -> Result<Option<usize>, HostError> {
    if matches!(key, ScriptValue::Slice(_)) {
        return Ok(None);
    }
    let Some(index) = small_index(key) else {
        let name = type_name(key);
        return Err(HostError::type_error(match what {
            "string" => format!("string indices must be integers, not '{name}'"),
            "index" => format!("byte indices must be integers or slices, not {name}"),
            "range object" => format!("range indices must be integers or slices, not {name}"),
            _ => format!("{what} indices must be integers or slices, not {name}"),
        }));
    };
    match place_of(index, len) {
        Some(at) => Ok(Some(at)),
        None => Err(HostError::index(match what {
            "index" => "index out of range".to_owned(),
            _ => format!("{what} index out of range"),
        })),
    }
}

/// An index whose negative values count from the end.
pub(crate) fn from_end(index: i64, len: usize) -> i64 {
    if index < 0 { index.saturating_add(len as i64) } else { index }
}

/// The place of an item; `None` outside of the items.
pub(crate) fn place_of(index: i64, len: usize) -> Option<usize> {
    usize::try_from(from_end(index, len)).ok().filter(|at| *at < len)
}

/// The place where `insert` puts an item: an index outside of the items means the start or the end.
pub(crate) fn place_to_insert(index: i64, len: usize) -> usize {
    from_end(index, len).clamp(0, len as i64) as usize
}

/// The part of a sequence that optional bounds of its methods select; `None` if it starts behind its end.
pub(crate) fn section(
    [start, stop]: [Option<ScriptValue>; 2],
    len: usize,
) -> Result<Option<std::ops::Range<usize>>, HostError> {
    let index = |value: Option<ScriptValue>, default: i64| match value {
        None | Some(ScriptValue::None) => Ok(default),
        Some(value) => match small_index(&value) {
            Some(value) => Ok(from_end(value, len).max(0)),
            None => Err(HostError::type_error(
                "slice indices must be integers or None or have an __index__ method",
            )),
        },
    };
    let (from, to) = (index(start, 0)?, index(stop, len as i64)?.min(len as i64));
    Ok((from <= to).then_some(from as usize..to as usize))
}

/// Start, stop and step of a slice for a container of this length, as Python's `slice.indices`.
pub(crate) fn bounds(slice: &Slice, len: usize) -> Result<(i64, i64, i64), HostError> {
    let part = |value: &ScriptValue| match value {
        ScriptValue::None => Ok(None),
        value => small_index(value).map(Some).ok_or_else(|| {
            HostError::type_error("slice indices must be integers or None or have an __index__ method")
        }),
    };
    let (start, stop, step) = (part(&slice.start)?, part(&slice.stop)?, part(&slice.step)?.unwrap_or(1));
    if step == 0 {
        raise!(Value, "slice step cannot be zero");
    }
    let len = len as i64;
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clip = |value: i64| from_end(value, len as usize).clamp(low, high);
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    Ok((start.map_or(first, clip), stop.map_or(last, clip), step))
}

/// The positions that a slice selects; they are charged.
fn places(
    p: &EvalState,
    key: &ScriptValue,
    len: usize,
) -> Result<impl ExactSizeIterator<Item = usize> + DoubleEndedIterator + use<>, Raise> {
    let (start, stop, step) = match key {
        ScriptValue::Slice(slice) => bounds(slice, len)?,
        _ => (0, 0, 1),
    };
    let range = Range { start, stop, step };
    cost::values(p, range.len())?;
    Ok((0..range.len()).map(move |i| range.at(i) as usize))
}

/// The items at the places of a slice.
#[expect(clippy::indexing_slicing, reason = "the bounds of a slice are those of the length")]
fn sliced<'a, T>(
    p: &EvalState,
    key: &ScriptValue,
    items: &'a [T],
) -> Result<impl Iterator<Item = &'a T> + use<'a, T>, Raise> {
    Ok(places(p, key, items.len())?.map(|at| &items[at]))
}

/// The item at an index; `None` for a slice.
fn item<'a, T>(what: &str, key: &ScriptValue, items: &'a [T]) -> Result<Option<&'a T>, HostError> {
    Ok(position(what, key, items.len())?.and_then(|at| items.get(at)))
}

fn picked(p: &mut Eval<'_>, key: &ScriptValue, items: &[ScriptValue]) -> Result<Vec<ScriptValue>, Raise> {
    Ok(sliced(p.state, key, items)?.cloned().collect())
}

const STORE_IN_HELPER: &str = "in a plain function this is Python's assignment to an element; stores into IR are \
                               written in scripts and macros, or as a call of the builder function for stores";

/// The index of an element that is assigned or deleted; `None` for slices.
fn list_position(key: &ScriptValue, len: usize) -> Result<Option<usize>, HostError> {
    position("list assignment", key, len).map_err(|error| match error.kind {
        HostErrorKind::Type => wrong_type!("list indices must be integers or slices, not {}", key),
        _ => error,
    })
}

/// `base[key] = value`
pub(crate) fn set(
    p: &mut Eval<'_>,
    base: &ScriptValue,
    key: ScriptValue,
    value: ScriptValue,
) -> Result<(), Raise> {
    if matches!(base, ScriptValue::Host(_))
        && let Special::Value(_) = p.call_special(base, "__setitem__", [key.clone(), value.clone()])?
    {
        return Ok(());
    }
    let own = base;
    let base = base.plain();
    let key = index_of(p, base, &key)?;
    match base {
        ScriptValue::List(list) => {
            if let ScriptValue::Slice(slice) = &key {
                let new = p.collect_values(&value).map_err(|raise| match raise {
                    Raise::Kind(crate::EvalErrorKind::Host(error)) if error.kind == HostErrorKind::Type => {
                        HostError::type_error(match &slice.step {
                            ScriptValue::None | ScriptValue::Int(1) => "can only assign an iterable",
                            _ => "must assign iterable to extended slice",
                        })
                        .into()
                    }
                    other => other,
                })?;
                new.iter().try_for_each(|item| p.state.program.keep_container(base, item))?;
                let (start, stop, step) = bounds(slice, list.borrow().len())?;
                if step != 1 {
                    let places = places(p.state, &key, list.borrow().len())?;
                    if places.len() != new.len() {
                        raise!(
                            Value,
                            "attempt to assign sequence of size {} to extended slice of size {}",
                            new.len(),
                            places.len()
                        );
                    }
                    let mut items = list.borrow_mut();
                    for (at, value) in places.zip(new) {
                        if let Some(item) = items.get_mut(at) {
                            *item = value;
                        }
                    }
                    return Ok(());
                }
                let start = start as usize;
                let stop = (stop as usize).max(start);
                cost::moves(p.state, list.borrow().len())?;
                list.borrow_mut().splice(start..stop, new);
                return Ok(());
            }
            let len = list.borrow().len();
            if let Some(index) = list_position(&key, len)? {
                p.state.program.keep_container(base, &value)?;
                if let Some(item) = list.borrow_mut().get_mut(index) {
                    *item = value;
                }
            }
            Ok(())
        }
        ScriptValue::Dict(dict) => {
            let key = p.hashable(key)?;
            p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
            p.state.program.keep_container(base, &value)?;
            dict.borrow_mut().insert(key, value);
            Ok(())
        }
        _ => {
            if let Some(object) = object::of(base)
                && object.set(p, base, &key, value)?
            {
                return Ok(());
            }
            let error = wrong_type!("'{}' object does not support item assignment", own);
            // Stores into IR are statements of scripts. A function beside them that stores is the first thing users write.
            Err(match own {
                ScriptValue::Node(_) => Raise::WithHelp(error.into(), STORE_IN_HELPER.to_string()),
                _ => error.into(),
            })
        }
    }
}

/// `del base[key]`
pub(crate) fn delete(p: &mut Eval<'_>, base: &ScriptValue, key: &ScriptValue) -> Result<(), Raise> {
    if let Special::Value(_) = p.call_special(base, "__delitem__", [key.clone()])? {
        return Ok(());
    }
    let own = base;
    let base = base.plain();
    let key = &index_of(p, base, key)?;
    match base {
        ScriptValue::List(list) => {
            let len = list.borrow().len();
            cost::moves(p.state, len)?;
            match list_position(key, len)? {
                Some(index) => {
                    list.borrow_mut().remove(index);
                }
                None => {
                    let mut places: Vec<usize> = places(p.state, key, len)?.collect();
                    places.sort_unstable();
                    let mut items = list.borrow_mut();
                    let mut place = places.into_iter().peekable();
                    let mut at = 0;
                    items.retain(|_| {
                        let gone = place.peek() == Some(&at);
                        if gone {
                            place.next();
                        }
                        at += 1;
                        !gone
                    });
                }
            }
            Ok(())
        }
        ScriptValue::Dict(dict) => {
            let hashed = p.hashable(key.clone())?;
            cost::removal(p.state, dict.borrow().len())?;
            let found = dict.borrow_mut().shift_remove(&hashed);
            match found {
                Some(_) => Ok(()),
                None => Err(exception::key_error(key.clone())),
            }
        }
        _ => {
            if let Some(object) = object::of(base)
                && object.delete(p, key)?
            {
                return Ok(());
            }
            Err(wrong_type!("'{}' object doesn't support item deletion", own).into())
        }
    }
}
