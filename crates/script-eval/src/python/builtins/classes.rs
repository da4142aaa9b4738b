//! Built-in functions and types for classes.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Table, own};
use crate::Eval;
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
    own("ABCMeta").any(|_, _, _| cannot_create("abc.ABCMeta")),
    own("EnumType").any(|_, _, _| cannot_create("enum.EnumType")),
    own("NoneType").any(|_, _, args| match args.positional.is_empty() && args.keywords.is_empty() {
        true => Ok(ScriptValue::None),
        false => raise!(Type, "NoneType takes no arguments"),
    }),
    own("NotImplementedType").zero(|_, _| Ok(crate::eval::class::natives::not_implemented())),
    own("ellipsis").zero(|_, _| Ok(ScriptValue::Ellipsis)),
    own("method").two(|p, _, function, receiver| {
        if !super::is_callable(p, &function) {
            raise!(Type, "first argument must be callable");
        }
        if matches!(receiver, ScriptValue::None) {
            raise!(Type, "instance must not be None");
        }
        Ok(class::BoundMethod::value(function, &receiver))
    }),
    own("function").any(|_, _, _| cannot_create("function")),
    own("generator").any(|_, _, _| cannot_create("generator")),
    own("builtin_function_or_method").any(|_, _, _| cannot_create("builtin_function_or_method")),
    own("method_descriptor").any(|_, _, _| cannot_create("method_descriptor")),
    own("wrapper_descriptor").any(|_, _, _| cannot_create("wrapper_descriptor")),
    own("UnionType").any(|_, _, _| cannot_create("types.UnionType")),
    own("module").any(|_, _, _| cannot_create("module")),
    own("list_iterator").any(|_, _, _| cannot_create("list_iterator")),
    own("tuple_iterator").any(|_, _, _| cannot_create("tuple_iterator")),
    own("str_ascii_iterator").any(|_, _, _| cannot_create("str_ascii_iterator")),
    own("str_iterator").any(|_, _, _| cannot_create("str_iterator")),
    own("bytes_iterator").any(|_, _, _| cannot_create("bytes_iterator")),
    own("dict_keyiterator").any(|_, _, _| cannot_create("dict_keyiterator")),
    own("dict_valueiterator").any(|_, _, _| cannot_create("dict_valueiterator")),
    own("dict_itemiterator").any(|_, _, _| cannot_create("dict_itemiterator")),
    own("dict_keys").any(|_, _, _| cannot_create("dict_keys")),
    own("dict_values").any(|_, _, _| cannot_create("dict_values")),
    own("dict_items").any(|_, _, _| cannot_create("dict_items")),
    own("set_iterator").any(|_, _, _| cannot_create("set_iterator")),
    own("range_iterator").any(|_, _, _| cannot_create("range_iterator")),
    own("callable_iterator").any(|_, _, _| cannot_create("callable_iterator")),
    own("iterator").any(|_, _, _| cannot_create("iterator")),
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
            p.state.program.budget.step(1 + cost::size(&of))?;
            match &of {
                ScriptValue::Tuple(classes) => work.extend(classes.iter().rev().cloned()),
                of if let Some(classes) = crate::python::union::args(of) => {
                    work.extend(classes.into_iter().rev())
                }
                of => {
                    let found = match crate::python::library::is_abstract_subclass(&class, of) {
                        Some(found) => found,
                        None => p.issubclass(&class, of)?,
                    };
                    if found {
                        return Ok(ScriptValue::Bool(true));
                    }
                }
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

fn property(_: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let mut positional = std::mem::take(&mut args.positional).into_iter();
    let mut part = |name: &str| positional.next().or_else(|| args.take_keyword(name)).unwrap_or_default();
    let (getter, setter, deleter, doc) = (part("fget"), part("fset"), part("fdel"), part("doc"));
    let doc = Some(doc).filter(|doc| !matches!(doc, ScriptValue::None));
    let doc = std::cell::RefCell::new(doc);
    Ok(ScriptValue::host(Property { getter, setter, deleter, doc, name: Default::default() }))
}

/// The error for calling the type of values that only the evaluator makes.
fn cannot_create(name: &str) -> Outcome {
    raise!(Type, "cannot create '{name}' instances")
}

fn super_type(p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
    super::no_keywords("super", &args)?;
    match args.positional.as_slice() {
        [] => p.innermost_super(),
        [start, receiver] => p.super_of(start.clone(), receiver.clone()),
        [_] => raise!(Type, "super() takes a class and an instance or subclass of it here"),
        more => raise!(Type, "super() expected at most 2 arguments, got {}", more.len()),
    }
}

/// `isinstance(value, class)` of an instance, for a single class; `None` if `class` is not a class of Python.
pub(super) fn is_instance(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    of: &ScriptValue,
) -> Result<Option<bool>, Raise> {
    let is_plain = !class::is_instance(value) && !class::is_class(value);
    if !class::is_class(of) || is_plain && of.as_host::<ClassObject>().is_none() {
        return Ok(None);
    }
    match p.is_of_class(value, of) {
        Ok(found) => Ok(found),
        Err(placeholder) => Err(Raise::Unknown(placeholder)),
    }
}
