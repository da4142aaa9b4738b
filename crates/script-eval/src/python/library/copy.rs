//! `copy`.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{Dict, DictKey, HostObject, Items, ScriptValue};

use super::Library;
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::{Instance, Special, enumeration};
use crate::python::builtins::{Table, own};
use crate::python::{Outcome, compare, cost, object, set};

pub(super) static COPY: Library =
    Library { path: "copy", functions: FUNCTIONS, missing: "Error error", ..Library::EMPTY };

static FUNCTIONS: Table = &[
    own("copy").one(|p, _, value| shallow(p, &value)).with_keywords(&["x"]),
    own("deepcopy")
        .one_or_two(|p, _, value, memo| {
            let memo = match memo {
                Some(memo @ ScriptValue::Dict(_)) => memo,
                _ => ScriptValue::dict([]),
            };
            deep(p, &value, &memo)
        })
        .with_keywords(&["x", "memo"]),
];

/// The key of a value in the memo: CPython uses `id(value)`.
fn memo_key(address: usize) -> Option<DictKey> {
    DictKey::new(ScriptValue::Int(i64::try_from(address).ok()?)).ok()
}

/// The copy of a value that was copied before.
fn known_copy(memo: &ScriptValue, address: usize) -> Option<ScriptValue> {
    let ScriptValue::Dict(memo) = memo else { return None };
    memo.borrow().get(&memo_key(address)?).cloned()
}

/// Remembers a copy, and keeps the value alive, so that no other one gets its address.
fn remember(
    p: &mut Eval<'_>,
    memo: &ScriptValue,
    address: usize,
    value: &ScriptValue,
    copy: &ScriptValue,
) -> Result<(), Raise> {
    let ScriptValue::Dict(entries) = memo else { return Ok(()) };
    cost::entries(p.state, 2)?;
    p.state.program.keep_container(memo, copy)?;
    let (Some(key), Some(kept)) = (memo_key(address), memo_key(usize::MAX / 2 - address)) else {
        return Ok(());
    };
    entries.borrow_mut().insert(key, copy.clone());
    entries.borrow_mut().insert(kept, value.clone());
    Ok(())
}

fn shallow(p: &mut Eval<'_>, value: &ScriptValue) -> Outcome {
    Ok(match value {
        ScriptValue::List(items) => {
            cost::values(p.state, items.borrow().len())?;
            ScriptValue::list(items.borrow().to_vec())
        }
        ScriptValue::Dict(dict) => {
            cost::entries(p.state, dict.borrow().len())?;
            let copy = dict.borrow().clone();
            ScriptValue::Dict(Rc::new(RefCell::new(copy)))
        }
        ScriptValue::Host(_) if let Some(instance) = value.as_host::<Instance>() => {
            return shallow_instance(p, value, instance);
        }
        ScriptValue::Host(_) => match (object::of(value), set::items(value)) {
            (Some(object), _) => object.copy(p)?.unwrap_or_else(|| value.clone()),
            (None, Some(items)) if !set::is_frozen(value) => set::from_items(p, items)?,
            _ => value.clone(),
        },
        other => other.clone(),
    })
}

/// Copies a value with all containers and instances in it. The memo maps the addresses of values that were copied to their
/// copies, so that sharing and cycles are kept; `__deepcopy__` gets it.
fn deep(p: &mut Eval<'_>, value: &ScriptValue, memo: &ScriptValue) -> Outcome {
    p.state.program.budget.step(1)?;
    let address = match value {
        ScriptValue::List(items) => Rc::as_ptr(items).addr(),
        ScriptValue::Tuple(items) => Rc::as_ptr(items).addr(),
        ScriptValue::Dict(dict) => Rc::as_ptr(dict).addr(),
        ScriptValue::Host(host) => Rc::as_ptr(host).cast::<()>().addr(),
        other => return Ok(other.clone()),
    };
    if let Some(copy) = known_copy(memo, address) {
        return Ok(copy);
    }
    p.state.program.budget.enter_call()?;
    let copy = with_stack(|| copied(p, value, address, memo));
    p.state.program.budget.leave_call();
    copy
}

fn copied(p: &mut Eval<'_>, value: &ScriptValue, address: usize, memo: &ScriptValue) -> Outcome {
    match value {
        ScriptValue::List(items) => {
            let items = items.borrow().to_vec();
            cost::values(p.state, items.len())?;
            let copy = Rc::new(RefCell::new(Items::default()));
            let result = ScriptValue::List(copy.clone());
            remember(p, memo, address, value, &result)?;
            for item in items {
                let item = deep(p, &item, memo)?;
                p.state.program.keep_container(&result, &item)?;
                copy.borrow_mut().push(item);
            }
            Ok(result)
        }
        ScriptValue::Tuple(items) => {
            cost::values(p.state, items.len())?;
            let mut copies = Vec::with_capacity(items.len());
            for item in items.iter() {
                copies.push(deep(p, item, memo)?);
            }
            // A tuple that a cycle leads back to has been copied by now.
            if let Some(copy) = known_copy(memo, address) {
                return Ok(copy);
            }
            let is_same = items.iter().zip(&copies).all(|(item, copy)| compare::identical(item, copy));
            let copy = if is_same { value.clone() } else { ScriptValue::tuple(copies) };
            remember(p, memo, address, value, &copy)?;
            Ok(copy)
        }
        ScriptValue::Dict(dict) => {
            let class = dict.borrow().class().cloned();
            let copy = Rc::new(RefCell::new(Dict::new().with_class(class)));
            let result = ScriptValue::Dict(copy);
            remember(p, memo, address, value, &result)?;
            fill_deeply(p, dict, &result, memo)?;
            Ok(result)
        }
        other => match other.as_host::<Instance>() {
            Some(instance) => copied_instance(p, other, instance, address, memo),
            None => {
                let copy = shallow(p, other)?;
                remember(p, memo, address, other, &copy)?;
                Ok(copy)
            }
        },
    }
}

/// Inserts deep copies of the entries of a dictionary into another one.
fn fill_deeply(
    p: &mut Eval<'_>,
    from: &Rc<RefCell<Dict>>,
    into: &ScriptValue,
    memo: &ScriptValue,
) -> Result<(), Raise> {
    let entries: Vec<_> = from.borrow().iter().map(|(k, v)| (k.0.clone(), v.clone())).collect();
    cost::entries(p.state, entries.len())?;
    let ScriptValue::Dict(dict) = into else { return Ok(()) };
    for (key, item) in entries {
        let key = deep(p, &key, memo)?;
        let key = p.hashable(key)?;
        let item = deep(p, &item, memo)?;
        p.state.program.keep_container(into, &item)?;
        dict.borrow_mut().insert(key, item);
    }
    Ok(())
}

fn copied_instance(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    instance: &Instance,
    address: usize,
    memo: &ScriptValue,
) -> Outcome {
    if let Special::Value(copy) = p.call_special(value, "__deepcopy__", [memo.clone()])? {
        remember(p, memo, address, value, &copy)?;
        return Ok(copy);
    }
    if is_own_copy(instance) {
        return Ok(value.clone());
    }
    // A payload that holds values is filled after the copy is known, since a cycle may lead back to it.
    let payload = match instance.payload() {
        Some(ScriptValue::List(_)) => Some(ScriptValue::list(Vec::new())),
        Some(ScriptValue::Dict(dict)) => {
            let class = dict.borrow().class().cloned();
            Some(ScriptValue::Dict(Rc::new(RefCell::new(Dict::new().with_class(class)))))
        }
        Some(payload) => Some(deep(p, payload, memo)?),
        None => None,
    };
    p.state.program.budget.allocate(2 * cost::OBJECT_BYTES)?;
    let made = Instance::new(instance.class.clone(), payload.clone());
    let fields = ScriptValue::Dict(made.fields.clone());
    let copy = ScriptValue::host(made);
    remember(p, memo, address, value, &copy)?;
    match (instance.payload(), &payload) {
        (Some(ScriptValue::List(from)), Some(into @ ScriptValue::List(items))) => {
            let from = from.borrow().to_vec();
            cost::values(p.state, from.len())?;
            for item in from {
                let item = deep(p, &item, memo)?;
                p.state.program.keep_container(into, &item)?;
                items.borrow_mut().push(item);
            }
        }
        (Some(ScriptValue::Dict(from)), Some(into)) => fill_deeply(p, from, into, memo)?,
        _ => {}
    }
    fill_deeply(p, &instance.fields, &fields, memo)?;
    Ok(copy)
}

/// Tests whether an instance is copied by itself: members of enumerations, exceptions, and receivers of explored methods.
fn is_own_copy(instance: &Instance) -> bool {
    instance.exception.is_some() || instance.is_explored || enumeration::is_enumeration(&instance.class)
}

/// `copy.copy` of an instance: one of the same class with the same attributes.
fn shallow_instance(p: &mut Eval<'_>, value: &ScriptValue, instance: &Instance) -> Outcome {
    if let Special::Value(copy) = p.call_special(value, "__copy__", [])? {
        return Ok(copy);
    }
    if is_own_copy(instance) {
        return Ok(value.clone());
    }
    let payload = instance.payload().map(|payload| shallow(p, payload)).transpose()?;
    p.state.program.budget.allocate(2 * cost::OBJECT_BYTES)?;
    let made = Instance::new(instance.class.clone(), payload);
    let fields = instance.fields.borrow().clone();
    cost::entries(p.state, fields.len())?;
    let own = ScriptValue::Dict(made.fields.clone());
    fields.iter().try_for_each(|(_, field)| p.state.program.keep_container(&own, field))?;
    made.fields.replace(fields);
    Ok(ScriptValue::host(made))
}
