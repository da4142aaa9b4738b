//! Functions that copy dataclasses: `asdict`, `astuple`, `replace`, `make_dataclass`.

use super::*;

/// The form of a copy.
pub(super) enum As {
    Dict(Option<ScriptValue>),
    Tuple(Option<ScriptValue>),
}

/// Copies an instance with everything in it; dataclasses become dictionaries or tuples.
pub(super) fn copied(p: &mut Eval<'_>, value: &ScriptValue, form: &As) -> Outcome {
    p.state.program.budget.step(1)?;
    if !value.holds_values() {
        return Ok(value.clone());
    }
    p.state.program.budget.enter_call()?;
    let result = with_stack(|| copied_parts(p, value, form));
    p.state.program.budget.leave_call();
    result
}

pub(super) fn copied_parts(p: &mut Eval<'_>, value: &ScriptValue, form: &As) -> Outcome {
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
            let pair = |(name, value)| ScriptValue::tuple([ScriptValue::Str(name), value]);
            match form {
                As::Dict(None) => {
                    cost::entries(p.state, parts.len())?;
                    Ok(ScriptValue::dict(parts.into_iter().map(|(name, value)| (DictKey::text(name), value))))
                }
                As::Dict(Some(factory)) => {
                    let pairs = ScriptValue::list(parts.into_iter().map(pair).collect());
                    p.call_value(factory, CallArgs::positional([pairs]))
                }
                As::Tuple(None) => Ok(ScriptValue::tuple(parts.into_iter().map(|(_, value)| value))),
                As::Tuple(Some(factory)) => {
                    let values = ScriptValue::list(parts.into_iter().map(|(_, value)| value).collect());
                    p.call_value(factory, CallArgs::positional([values]))
                }
            }
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

/// `make_dataclass(name, fields, ..)`
pub(super) fn make_dataclass(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let bases = args.take_keyword("bases").unwrap_or_else(|| ScriptValue::tuple([]));
    let namespace = args.take_keyword("namespace").unwrap_or_default();
    drop(args.take_keyword("module"));
    let options = options(p, "make_dataclass", &mut args)?;
    let [ScriptValue::Str(name), fields] = args.positional.as_slice() else {
        raise!(Type, "make_dataclass() takes a name and the fields");
    };
    let mut members = Dict::new();
    members.insert(DictKey::text("__module__"), ScriptValue::str("types"));
    members.insert(DictKey::text("__qualname__"), ScriptValue::Str(name.clone()));
    members.insert(DictKey::text("__doc__"), ScriptValue::None);
    if let ScriptValue::Dict(given) = &namespace {
        cost::entries(p.state, given.borrow().len())?;
        members.extend(given.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    let mut annotations: Vec<Annotation> = Vec::new();
    for item in p.collect_values(fields)? {
        let (field, annotation, default) = match item.plain() {
            ScriptValue::Str(field) => (field.clone(), ScriptValue::str("typing.Any"), None),
            _ => match p.collect_values(&item)?.as_slice() {
                [ScriptValue::Str(field), annotation] => (field.clone(), annotation.clone(), None),
                [ScriptValue::Str(field), annotation, default] => {
                    (field.clone(), annotation.clone(), Some(default.clone()))
                }
                _ => {
                    let text = repr::repr(p, &item)?;
                    raise!(Type, "Invalid field: {text}")
                }
            },
        };
        if annotations.iter().any(|known| known.name == field) {
            raise!(Type, "Field name duplicated: '{field}'");
        }
        if let Some(default) = default {
            members.insert(DictKey::text(field.clone()), default);
        }
        let text = match annotation.as_str() {
            Some(text) => Str::new(text),
            None => Str::new(type_name(&annotation)),
        };
        annotations.push(Annotation { name: field, text, value: annotation });
    }
    let bases = p.collect_values(&bases)?;
    let class = p.make_class(ClassParts {
        name: name.clone(),
        place: p.state.statement.unwrap_or_default(),
        bases,
        members,
        annotations,
        keywords: CallArgs::default(),
        compares: false,
        metaclass: None,
        env: None,
    })?;
    process(p, &class, options)
}
