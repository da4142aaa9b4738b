//! `copy`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{Dict, Items, ScriptValue};

use super::Library;
use crate::Host;
use crate::python::builtins::{Table, own};
use crate::python::{Outcome, cost, object, set};

pub(super) static COPY: Library =
    Library { path: "copy", functions: FUNCTIONS, missing: "Error error", ..Library::EMPTY };

static FUNCTIONS: Table = &[
    own("copy").one(|p, _, value| shallow(p, &value)).with_keywords(&["x"]),
    own("deepcopy")
        .one_or_two(|p, _, value, _| deep(p, &value, &mut HashMap::new()))
        .with_keywords(&["x", "memo"]),
];

fn shallow(p: &mut dyn Host, value: &ScriptValue) -> Outcome {
    Ok(match value {
        ScriptValue::List(items) => {
            cost::values(p, items.borrow().len())?;
            ScriptValue::list(items.borrow().to_vec())
        }
        ScriptValue::Dict(dict) => {
            cost::entries(p, dict.borrow().len())?;
            let copy = dict.borrow().clone();
            ScriptValue::Dict(Rc::new(RefCell::new(copy)))
        }
        ScriptValue::Host(_) => match (object::of(value), set::items(value)) {
            (Some(object), _) => object.copy(p)?.unwrap_or_else(|| value.clone()),
            (None, Some(items)) if !set::is_frozen(value) => set::from_items(p, items)?,
            _ => value.clone(),
        },
        other => other.clone(),
    })
}

/// Copies containers with all containers in them. `done` maps the addresses of copied containers to their copies, so
/// that sharing and cycles are kept.
fn deep(
    p: &mut dyn Host,
    value: &ScriptValue,
    done: &mut HashMap<usize, (ScriptValue, ScriptValue)>,
) -> Outcome {
    p.program.budget.step(1)?;
    let address = match value {
        ScriptValue::List(items) => Rc::as_ptr(items).addr(),
        ScriptValue::Tuple(items) => Rc::as_ptr(items).addr(),
        ScriptValue::Dict(dict) => Rc::as_ptr(dict).addr(),
        ScriptValue::Host(host) => Rc::as_ptr(host).cast::<()>().addr(),
        other => return Ok(other.clone()),
    };
    if let Some((_, copy)) = done.get(&address) {
        return Ok(copy.clone());
    }
    p.program.budget.enter_call()?;
    let copy = with_stack(|| copied(p, value, address, done));
    p.program.budget.leave_call();
    copy
}

fn copied(
    p: &mut dyn Host,
    value: &ScriptValue,
    address: usize,
    done: &mut HashMap<usize, (ScriptValue, ScriptValue)>,
) -> Outcome {
    match value {
        ScriptValue::List(items) => {
            let items = items.borrow().to_vec();
            cost::values(p, items.len())?;
            let copy = Rc::new(RefCell::new(Items::default()));
            let result = ScriptValue::List(copy.clone());
            done.insert(address, (value.clone(), result.clone()));
            for item in items {
                let item = deep(p, &item, done)?;
                p.program.keep_container(&result, &item)?;
                copy.borrow_mut().push(item);
            }
            Ok(result)
        }
        ScriptValue::Tuple(items) => {
            cost::values(p, items.len())?;
            let mut copies = Vec::with_capacity(items.len());
            for item in items.iter() {
                copies.push(deep(p, item, done)?);
            }
            // A tuple that a cycle leads back to has been copied by now.
            if let Some((_, copy)) = done.get(&address) {
                return Ok(copy.clone());
            }
            let copy = ScriptValue::tuple(copies);
            done.insert(address, (value.clone(), copy.clone()));
            Ok(copy)
        }
        ScriptValue::Dict(dict) => {
            let entries: Vec<_> = dict.borrow().iter().map(|(k, v)| (k.0.clone(), v.clone())).collect();
            cost::entries(p, entries.len())?;
            let class = dict.borrow().class().cloned();
            let copy = Rc::new(RefCell::new(Dict::new().with_class(class)));
            let result = ScriptValue::Dict(copy.clone());
            done.insert(address, (value.clone(), result.clone()));
            for (key, item) in entries {
                let key = deep(p, &key, done)?;
                let key = p.hashable(key)?;
                let item = deep(p, &item, done)?;
                p.program.keep_container(&result, &item)?;
                copy.borrow_mut().insert(key, item);
            }
            Ok(result)
        }
        other => {
            let copy = shallow(p, other)?;
            done.insert(address, (other.clone(), copy.clone()));
            Ok(copy)
        }
    }
}
