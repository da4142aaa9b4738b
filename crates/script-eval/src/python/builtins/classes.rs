//! Built-in functions and types for classes.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Table, own};
use crate::Host;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::eval::class::{self, ClassObject, Property, Wrapper, WrapperKind, missing};
use crate::python::{Outcome, cost, type_name};

pub(super) static TYPES: Table = &[
    own("classmethod").one(|_, _, f| Ok(Wrapper::value(WrapperKind::Class, f))),
    own("property").any(property),
    own("staticmethod").one(|_, _, f| Ok(Wrapper::value(WrapperKind::Static, f))),
    own("super").any(super_type),
];

/// Types that modules of Python's library have.
pub(super) static LIBRARY: Table = &[
    own("ABCMeta").any(|_, _, _| raise!(Type, "`ABCMeta` is not available as a function here")),
    own("EnumType").any(|_, _, _| raise!(Type, "`EnumType` is not available as a function here")),
    own("cached_property").one(|_, _, f| Ok(Wrapper::value(WrapperKind::Cached, f))),
];

pub(super) static FUNCTIONS: Table = &[
    own("delattr").two(|p, _, value, name| {
        let name = attribute_name("delattr", &name)?;
        match p.delete_attribute(&value, &name)? || p.set_function_attribute(&value, &name, None)? {
            true => Ok(ScriptValue::None),
            false => Err(missing(&value, &name)),
        }
    }),
    own("issubclass").two(|p, _, class, of| {
        let mut work = vec![of];
        while let Some(of) = work.pop() {
            p.program.budget.step(1 + cost::size(&of))?;
            match &of {
                ScriptValue::Tuple(classes) => work.extend(classes.iter().rev().cloned()),
                of if p.issubclass(&class, of)? => return Ok(ScriptValue::Bool(true)),
                _ => {}
            }
        }
        Ok(ScriptValue::Bool(false))
    }),
    own("setattr").any(|p, _, args| {
        let [value, name, new] = args.positional.as_slice() else {
            raise!(Type, "setattr expected 3 arguments, got {}", args.positional.len());
        };
        let name = attribute_name("setattr", name)?;
        let is_set = p.set_attribute(value, &name, new.clone())?
            || p.set_function_attribute(value, &name, Some(new.clone()))?;
        match is_set {
            true => Ok(ScriptValue::None),
            false => Err(missing(value, &name)),
        }
    }),
    own("vars").one(|p, _, value| {
        // Those of a value of a built-in type would be none.
        match p.class_attribute(&value, "__dict__") {
            Some(found) => match found? {
                Some(members) => Ok(members),
                None => raise!(Type, "vars() argument must have __dict__ attribute"),
            },
            None => raise!(Type, "vars() argument must have __dict__ attribute"),
        }
    }),
];

fn attribute_name(function: &str, name: &ScriptValue) -> Result<String, Raise> {
    match name.as_str() {
        Some(name) => Ok(name.to_owned()),
        None => {
            let _ = function;
            Err(HostError::type_error(format!("attribute name must be string, not '{}'", type_name(name)))
                .into())
        }
    }
}

fn property(_: &mut dyn Host, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let mut positional = std::mem::take(&mut args.positional).into_iter();
    let mut part = |name: &str| positional.next().or_else(|| args.take_keyword(name)).unwrap_or_default();
    Ok(ScriptValue::host(Property { getter: part("fget"), setter: part("fset"), deleter: part("fdel") }))
}

fn super_type(p: &mut dyn Host, _: &ScriptValue, args: CallArgs) -> Outcome {
    match args.positional.as_slice() {
        [] => p.innermost_super(),
        [start, receiver] => p.super_of(start.clone(), receiver.clone()),
        _ => raise!(Type, "super() takes a class and an instance or subclass of it here"),
    }
}

/// `isinstance(value, class)` of an instance, for a single class; `None` if `class` is no class of Python.
pub(super) fn is_instance(
    p: &mut dyn Host,
    value: &ScriptValue,
    of: &ScriptValue,
) -> Result<Option<bool>, Raise> {
    if !class::is_class(of) || !class::is_instance(value) && of.as_host::<ClassObject>().is_none() {
        return Ok(None);
    }
    match p.is_of_class(value, of) {
        Ok(found) => Ok(found),
        Err(placeholder) => Err(Raise::Unknown(placeholder)),
    }
}
