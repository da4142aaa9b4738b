//! Functions that copy dataclasses: `asdict`, `astuple`, `replace`.

use super::*;

/// The form of a copy.
#[derive(Clone, Copy)]
pub(super) enum As {
    Dict,
    Tuple,
}

/// Copies an instance with everything in it; dataclasses become dictionaries or tuples.
pub(super) fn copied(p: &mut Eval<'_>, value: &ScriptValue, form: As) -> Outcome {
    p.state.program.budget.step(1)?;
    if !value.holds_values() {
        return Ok(value.clone());
    }
    p.state.program.budget.enter_call()?;
    let result = with_stack(|| copied_parts(p, value, form));
    p.state.program.budget.leave_call();
    result
}

pub(super) fn copied_parts(p: &mut Eval<'_>, value: &ScriptValue, form: As) -> Outcome {
    let all = |p: &mut Eval<'_>, items: &[ScriptValue]| -> Result<Vec<ScriptValue>, Raise> {
        cost::values(p.state, items.len())?;
        items.iter().map(|item| copied(p, item, form)).collect()
    };
    match value {
        ScriptValue::Tuple(items) => Ok(ScriptValue::tuple(all(p, items)?)),
        ScriptValue::List(items) => {
            let items = items.borrow().to_vec();
            Ok(ScriptValue::list(all(p, &items)?))
        }
        ScriptValue::Dict(dict) => {
            let entries: Vec<(DictKey, ScriptValue)> =
                dict.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            cost::entries(p.state, entries.len())?;
            let mut made = Dict::new();
            for (key, value) in entries {
                let key = copied(p, &key.0, form)?;
                made.insert(p.hashable(key)?, copied(p, &value, form)?);
            }
            Ok(ScriptValue::Dict(Rc::new(RefCell::new(made))))
        }
        ScriptValue::Host(_) if value.as_host::<Instance>().is_some() && is_dataclass(value) => {
            let mut parts = Vec::new();
            for field in stored_fields(p, value)? {
                let Some(part) = p.find_attribute(value, &field.name)? else {
                    return Err(super::super::access::missing(value, &field.name));
                };
                parts.push((field.name.clone(), copied(p, &part, form)?));
            }
            cost::entries(p.state, parts.len())?;
            Ok(match form {
                As::Dict => {
                    ScriptValue::dict(parts.into_iter().map(|(name, value)| (DictKey::text(name), value)))
                }
                As::Tuple => ScriptValue::tuple(parts.into_iter().map(|(_, value)| value)),
            })
        }
        // Named tuples keep their class.
        ScriptValue::Host(_) if value.as_host::<Instance>().is_some() => match value.plain() {
            ScriptValue::Tuple(items) => {
                let items = all(p, items)?;
                let class = value.as_host::<Instance>().map(|instance| instance.class.clone());
                p.call_value(&class.unwrap_or_default(), CallArgs::positional(items))
            }
            _ => Ok(value.clone()),
        },
        _ => Ok(value.clone()),
    }
}

/// `replace(instance, **changes)`
pub(super) fn replace(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let mut changes = std::mem::take(&mut args.keywords);
    let [instance] = args.positional.as_slice() else {
        raise!(Type, "replace() takes 1 positional argument but {} were given", args.positional.len());
    };
    let Some(own) = instance.as_host::<Instance>().filter(|_| is_dataclass(instance)) else {
        raise!(Type, "replace() should be called on dataclass instances");
    };
    for field in all_fields(&own.class).unwrap_or_default() {
        if field.kind == FieldKind::Class {
            continue;
        }
        let is_given = changes.iter().any(|(name, _)| *name == field.name);
        if !field.init {
            if is_given {
                raise!(
                    Value,
                    "field {} is declared with init=False, it cannot be specified with replace()",
                    field.name
                );
            }
            continue;
        }
        if is_given {
            continue;
        }
        if field.kind == FieldKind::Init && field.default.is_none() {
            raise!(Value, "InitVar '{}' must be specified with replace()", field.name);
        }
        match p.find_attribute(instance, &field.name)? {
            Some(value) => changes.push((field.name.clone(), value)),
            None => return Err(super::super::access::missing(instance, &field.name)),
        }
    }
    let class = own.class.clone();
    p.call_value(&class, CallArgs { keywords: changes, ..CallArgs::default() })
}
