//! `collections.namedtuple` and `typing.NamedTuple`: subclasses of `tuple` with named elements.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::{Str, with_stack};
use tvmscript_script_value::{CallArgs, Dict, DictKey, ScriptValue};

use super::binding::{Param, bind};
use super::descriptor::{Property, Wrapper, WrapperKind};
use super::natives::Generated;
use super::{Annotation, ClassObject, ClassParts, Instance};
use crate::Eval;
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::python::builtins::{self, not_none};
use crate::python::{Outcome, cost, repr};
use tvmscript_python_syntax::{is_identifier, is_keyword};

/// `namedtuple(name, fields, *, rename=False, defaults=None, module=None)`
pub(super) fn named_tuple(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let rename = match args.take_keyword("rename") {
        Some(rename) => p.truth(&rename)?,
        None => false,
    };
    let defaults = not_none(args.take_keyword("defaults"));
    drop(args.take_keyword("module"));
    let [ScriptValue::Str(name), given] = args.positional.as_slice() else {
        raise!(Type, "namedtuple() takes a name and the names of the fields");
    };
    let mut fields: Vec<String> = match given.as_str() {
        Some(text) => {
            cost::text_bytes(p.state, text.len())?;
            text.replace(',', " ").split_whitespace().map(str::to_owned).collect()
        }
        None => {
            let mut names = Vec::new();
            for field in p.collect_values(given)? {
                names.push(repr::str(p, &field)?);
            }
            names
        }
    };
    cost::values(p.state, fields.len().saturating_mul(4))?;
    if rename {
        let mut seen = std::collections::HashSet::new();
        for (index, field) in fields.iter_mut().enumerate() {
            let is_bad = !is_identifier(field) || is_keyword(field) || field.starts_with('_');
            if is_bad || seen.contains(field) {
                *field = format!("_{index}");
            }
            seen.insert(field.clone());
        }
    }
    for text in [name.as_str()].into_iter().chain(fields.iter().map(String::as_str)) {
        if !is_identifier(text) {
            let text = repr::repr(p, &ScriptValue::str(text))?;
            raise!(Value, "Type names and field names must be valid identifiers: {text}");
        }
        if is_keyword(text) {
            raise!(Value, "Type names and field names cannot be a keyword: '{text}'");
        }
    }
    let mut seen = std::collections::HashSet::new();
    for field in &fields {
        if field.starts_with('_') && !rename {
            raise!(Value, "Field names cannot start with an underscore: '{field}'");
        }
        if !seen.insert(field) {
            raise!(Value, "Encountered duplicate field name: '{field}'");
        }
    }
    let defaults = defaults.map_or(Ok(Vec::new()), |defaults| p.collect_values(&defaults))?;
    if defaults.len() > fields.len() {
        raise!(Type, "Got more default values than field names");
    }
    let required = fields.len() - defaults.len();
    let fields = fields.iter().map(Str::new).collect::<Vec<_>>();
    let defaults = fields.iter().skip(required).cloned().zip(defaults).collect();
    let mut members = Dict::new();
    members.insert(DictKey::text("__module__"), ScriptValue::str("__main__"));
    members.insert(DictKey::text("__qualname__"), ScriptValue::Str(name.clone()));
    members.insert(DictKey::text("__doc__"), ScriptValue::None);
    let parts = ClassParts {
        name: name.clone(),
        place: p.state.statement.unwrap_or_default(),
        bases: builtins::class("tuple").into_iter().collect(),
        members,
        annotations: Vec::new(),
        keywords: CallArgs::default(),
        compares: false,
        metaclass: None,
        env: None,
    };
    let parts = with_members(parts, fields, defaults);
    p.make_class(parts)
}

/// Completes the parts of `class C(NamedTuple)`.
pub(super) fn of_class(mut parts: ClassParts) -> Result<ClassParts, HostError> {
    let mut fields = Vec::new();
    let mut defaults: Vec<(Str, ScriptValue)> = Vec::new();
    for Annotation { name, .. } in &parts.annotations {
        match parts.members.get(&DictKey::text(name.clone())) {
            Some(default) => defaults.push((name.clone(), default.clone())),
            None if !defaults.is_empty() => {
                let plural = if defaults.len() == 1 { "" } else { "s" };
                let names: Vec<&str> = defaults.iter().map(|(name, _)| name.as_str()).collect();
                raise!(
                    Type,
                    "Non-default namedtuple field {name} cannot follow default field{plural} {}",
                    names.join(", ")
                );
            }
            None => {}
        }
        fields.push(name.clone());
    }
    parts.bases = builtins::class("tuple").into_iter().collect();
    Ok(with_members(parts, fields, defaults))
}

fn is_named_tuple_instance(value: &ScriptValue) -> Option<(&Instance, &[ScriptValue])> {
    let instance = value.as_host::<Instance>()?;
    match value.plain() {
        ScriptValue::Tuple(items) => Some((instance, items.as_slice())),
        _ => None,
    }
}

/// Adds the members that a named tuple has.
fn with_members(mut parts: ClassParts, fields: Vec<Str>, defaults: Vec<(Str, ScriptValue)>) -> ClassParts {
    let class_name = parts.name.clone();
    let fields: Rc<[Str]> = fields.into();
    let names = || ScriptValue::tuple(fields.iter().map(|field| ScriptValue::Str(field.clone())));
    let mut own: Vec<(&str, ScriptValue)> = vec![
        ("_fields", names()),
        ("__match_args__", names()),
        (
            "_field_defaults",
            ScriptValue::dict(
                defaults.iter().map(|(name, value)| (DictKey::text(name.clone()), value.clone())),
            ),
        ),
    ];
    let function = format!("{class_name}.__new__");
    let known = fields.clone();
    let holder = ScriptValue::dict(defaults.into_iter().map(|(name, value)| (DictKey::text(name), value)));
    own.push((
        "__new__",
        Generated::value("__new__", move |p, mut args| {
            if args.positional.is_empty() {
                raise!(Type, "{function}() missing 1 required positional argument: '_cls'");
            }
            let class = args.positional.remove(0);
            cost::values(p.state, known.len())?;
            let default = |name: &Str| match &holder {
                ScriptValue::Dict(defaults) => defaults.borrow().get(&DictKey::text(name.clone())).cloned(),
                _ => None,
            };
            let params: Vec<Param> = known
                .iter()
                .map(|name| Param {
                    name: name.clone(),
                    is_required: default(name).is_none(),
                    is_keyword_only: false,
                })
                .collect();
            let bound = bind(&function, &params, args)?;
            let values = bound
                .into_iter()
                .zip(known.iter())
                .map(|(value, name)| value.or_else(|| default(name)).unwrap_or_default());
            let payload = ScriptValue::tuple(values);
            Ok(ScriptValue::host(Instance::new(class, Some(payload))))
        }),
    ));
    let count = fields.len();
    let make = Generated::value("_make", move |p, args| {
        let [class, items] = args.positional.as_slice() else {
            raise!(Type, "_make() takes an iterable");
        };
        let items = p.collect_values(items)?;
        if items.len() != count {
            raise!(Type, "Expected {count} arguments, got {}", items.len());
        }
        Ok(ScriptValue::host(Instance::new(class.clone(), Some(ScriptValue::tuple(items)))))
    });
    own.push(("_make", Wrapper::value(WrapperKind::Class, make)));
    let known = fields.clone();
    own.push((
        "_asdict",
        Generated::value("_asdict", move |p, args| {
            let items = args.positional.first().and_then(is_named_tuple_instance).map(|(_, items)| items);
            cost::entries(p.state, known.len())?;
            let entries = known.iter().zip(items.unwrap_or_default());
            let entries = entries.map(|(name, value)| (DictKey::text(name.clone()), value.clone()));
            Ok(ScriptValue::Dict(Rc::new(RefCell::new(entries.collect()))))
        }),
    ));
    let known = fields.clone();
    own.push((
        "_replace",
        Generated::value("_replace", move |p, mut args| {
            let instance = args.positional.first().cloned().unwrap_or_default();
            let Some((own, items)) = is_named_tuple_instance(&instance) else { return Ok(ScriptValue::None) };
            cost::values(p.state, items.len())?;
            let values: Vec<ScriptValue> = known
                .iter()
                .zip(items)
                .map(|(name, value)| args.take_keyword(name.as_str()).unwrap_or_else(|| value.clone()))
                .collect();
            if !args.keywords.is_empty() {
                let names = args.keywords.iter().map(|(name, _)| ScriptValue::Str(name.clone())).collect();
                let names = repr::repr(p, &ScriptValue::list(names))?;
                raise!(Value, "Got unexpected field names: {names}");
            }
            Ok(ScriptValue::host(Instance::new(own.class.clone(), Some(ScriptValue::tuple(values)))))
        }),
    ));
    let known = fields.clone();
    own.push((
        "__repr__",
        Generated::value("__repr__", move |p, args| {
            let instance = args.positional.first().cloned().unwrap_or_default();
            let Some((own, items)) = is_named_tuple_instance(&instance) else { return Ok(ScriptValue::None) };
            let mut out = format!("{}(", own.class().map_or("", |class| class.name.as_str()));
            for (index, (name, value)) in known.iter().zip(items).enumerate() {
                let comma = if index > 0 { ", " } else { "" };
                let text = with_stack(|| repr::repr(p, value))?;
                cost::text_bytes(p.state, text.len())?;
                out.push_str(&format!("{comma}{name}={text}"));
            }
            out.push(')');
            cost::text(p.state, &out)
        }),
    ));
    for (name, value) in own {
        let key = DictKey::text(name);
        if !parts.members.contains_key(&key) {
            parts.members.insert(key, value);
        }
    }
    for (index, field) in fields.iter().enumerate() {
        let getter = Generated::value(field.as_str(), move |_, args| {
            let items = args.positional.first().and_then(is_named_tuple_instance).map(|(_, items)| items);
            Ok(items.and_then(|items| items.get(index)).cloned().unwrap_or_default())
        });
        let setter = Generated::value(field.as_str(), |_, _| {
            Err(Raise::from(HostError::new(HostErrorKind::Attribute, "can't set attribute")))
        });
        let deleter = setter.clone();
        parts
            .members
            .insert(DictKey::text(field.clone()), ScriptValue::host(Property::new(getter, setter, deleter)));
    }
    parts
}

/// Tests whether a base is `typing.NamedTuple` itself.
pub(super) fn is_marker(base: &ScriptValue) -> bool {
    base.as_host::<ClassObject>().is_some_and(|class| {
        class.name.as_str() == "NamedTuple" && super::natives::module_of(class) == "typing"
    })
}
