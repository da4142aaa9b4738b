//! `functools.singledispatch` and `singledispatchmethod`.

use std::cell::RefCell;

use tvmscript_script_value::{CallArgs, DictKey, ScriptValue};

use super::is_abstract_subclass;
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::{BoundMethod, is_class, mro_of};
use crate::python::builtins::{self, Table, is_callable, not_none, own};
use crate::python::compare::identical;
use crate::python::object::{LibraryObject, Protocol, cast};
use crate::python::{Outcome, cost, repr, union};

/// A function that selects an implementation by the class of its first argument.
struct SingleDispatch {
    function: ScriptValue,
    /// Classes with their implementations, `object` first.
    implementations: RefCell<Vec<(ScriptValue, ScriptValue)>>,
}

pub(super) fn single_dispatch(_: &mut Eval<'_>, _: &ScriptValue, function: ScriptValue) -> Outcome {
    Ok(dispatcher(function))
}

fn dispatcher(function: ScriptValue) -> ScriptValue {
    let object = builtins::class("object").unwrap_or_default();
    let implementations = RefCell::new(vec![(object, function.clone())]);
    LibraryObject::value(SingleDispatch { function, implementations })
}

/// The value, or only the class of a value, that selects an implementation.
enum Subject<'a> {
    Value(&'a ScriptValue),
    Class(&'a ScriptValue),
}

impl Subject<'_> {
    fn class(&self, p: &Eval<'_>) -> Option<ScriptValue> {
        match self {
            Subject::Value(value) => p.class_of(value),
            Subject::Class(class) => Some((*class).clone()),
        }
    }

    fn is_of(&self, p: &mut Eval<'_>, class: &ScriptValue) -> Result<bool, Raise> {
        match self {
            Subject::Value(value) => p.is_instance(value, class),
            Subject::Class(own) => is_subclass(p, own, class),
        }
    }
}

fn is_subclass(p: &mut Eval<'_>, class: &ScriptValue, of: &ScriptValue) -> Result<bool, Raise> {
    match is_abstract_subclass(p, class, of)? {
        Some(found) => Ok(found),
        None => Ok(is_class(class) && is_class(of) && p.issubclass(class, of)?),
    }
}

impl SingleDispatch {
    /// The implementation for the nearest class: by the method resolution order, else the most derived abstract class.
    fn select(&self, p: &mut Eval<'_>, subject: &Subject) -> Outcome {
        let known = self.implementations.borrow().clone();
        let order = subject.class(p).map(|class| mro_of(&class)).unwrap_or_default();
        cost::values(p.state, known.len() + order.len())?;
        for class in order.iter().take(order.len().saturating_sub(1)) {
            p.state.program.budget.step(known.len() as u64)?;
            if let Some((_, function)) = known.iter().find(|(registered, _)| identical(registered, class)) {
                return Ok(function.clone());
            }
        }
        let mut best: Option<&(ScriptValue, ScriptValue)> = None;
        for entry in known.iter().skip(1) {
            p.state.program.budget.step(1)?;
            if !subject.is_of(p, &entry.0)? {
                continue;
            }
            best = match best {
                None => Some(entry),
                Some((class, _)) if is_subclass(p, &entry.0, class)? => Some(entry),
                Some(other) if is_subclass(p, &other.0, &entry.0)? => Some(other),
                Some(other) => {
                    let (a, b) = (repr::repr(p, &other.0)?, repr::repr(p, &entry.0)?);
                    raise!(Runtime, "Ambiguous dispatch: {a} or {b}");
                }
            };
        }
        Ok(best.map_or_else(|| self.function.clone(), |(_, function)| function.clone()))
    }

    fn add(&self, p: &mut Eval<'_>, class: &ScriptValue, function: &ScriptValue) -> Result<(), Raise> {
        for class in union::args(class).unwrap_or_else(|| vec![class.clone()]) {
            let mut known = self.implementations.borrow_mut();
            cost::values(p.state, 2)?;
            p.state.program.budget.step(known.len() as u64)?;
            match known.iter_mut().find(|(registered, _)| identical(registered, &class)) {
                Some((_, known)) => *known = function.clone(),
                None => known.push((class, function.clone())),
            }
        }
        Ok(())
    }
}

/// Tests whether a value can be registered: a class, a union of classes, or a class of a dialect.
fn is_registrable(value: &ScriptValue) -> bool {
    let is_foreign = |value: &ScriptValue| matches!(value, ScriptValue::Host(host) if host.is_class_of(&ScriptValue::None).is_some());
    union::args(value).is_some() || is_class(value) || is_foreign(value)
}

/// An attribute that a dispatching function has from the function that it wraps.
fn of_wrapped(name: &str, function: &ScriptValue) -> Option<ScriptValue> {
    match (name, function) {
        ("__wrapped__", function) => Some(function.clone()),
        ("__name__" | "__qualname__" | "__doc__", ScriptValue::Host(host)) => host.attribute(name),
        _ => None,
    }
}

impl Protocol for SingleDispatch {
    fn class(&self) -> &'static str {
        "function"
    }
    fn methods(&self) -> Table {
        SINGLE_DISPATCH
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.function));
        let implementations = std::mem::take(self.implementations.get_mut());
        out.extend(implementations.into_iter().flat_map(|(class, function)| [class, function]));
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "registry" => {
                let known = self.implementations.borrow();
                let entry = |(class, function): &(ScriptValue, ScriptValue)| {
                    Some((DictKey::new(class.clone()).ok()?, function.clone()))
                };
                Some(ScriptValue::dict(known.iter().filter_map(entry)))
            }
            _ => of_wrapped(name, &self.function),
        }
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        let Some(first) = args.positional.first() else {
            let name = self.attribute("__name__");
            let name = name.as_ref().and_then(ScriptValue::as_str).unwrap_or("function");
            raise!(Type, "{name} requires at least 1 positional argument");
        };
        let function = self.select(p, &Subject::Value(first))?;
        p.call_value(&function, args)
    }
    fn bind(
        &self,
        _: &mut Eval<'_>,
        this: &ScriptValue,
        instance: Option<&ScriptValue>,
        _: &ScriptValue,
    ) -> Option<Outcome> {
        Some(Ok(match instance {
            Some(instance) => BoundMethod::value(this.clone(), instance),
            None => this.clone(),
        }))
    }
}

static SINGLE_DISPATCH: Table = &[
    own("register").one_or_two(register).with_keywords(&["cls", "func"]),
    own("dispatch").one(|p, v, class| match cast::<SingleDispatch>(v) {
        Some(dispatch) => dispatch.select(p, &Subject::Class(&class)),
        None => Ok(ScriptValue::None),
    }),
    own("_clear_cache").zero(|_, _| Ok(ScriptValue::None)),
];

fn register(p: &mut Eval<'_>, v: &ScriptValue, class: ScriptValue, function: Option<ScriptValue>) -> Outcome {
    let Some(dispatch) = cast::<SingleDispatch>(v) else { return Ok(ScriptValue::None) };
    if is_registrable(&class) {
        return match not_none(function) {
            Some(function) => {
                dispatch.add(p, &class, &function)?;
                Ok(function)
            }
            None => Ok(LibraryObject::value(Register { dispatch: v.clone(), class })),
        };
    }
    // A function whose first annotation is the class.
    if function.is_none()
        && let Some(annotated) = p.first_annotation(&class)?
    {
        if let Some(placeholder) = p.state.unknown(&annotated) {
            return Err(Raise::Unknown(placeholder));
        }
        let annotated = match annotated {
            ScriptValue::None => builtins::class("NoneType").unwrap_or_default(),
            annotated => annotated,
        };
        if is_registrable(&annotated) {
            dispatch.add(p, &annotated, &class)?;
            return Ok(class);
        }
    }
    let text = repr::repr(p, &class)?;
    raise!(
        Type,
        "Invalid first argument to `register()`: {text}. Use either `@register(some_class)` or plain `@register` on \
         an annotated function."
    )
}

/// The function that `register(class)` returns.
struct Register {
    dispatch: ScriptValue,
    class: ScriptValue,
}

impl Protocol for Register {
    fn class(&self) -> &'static str {
        "function"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend([&mut self.dispatch, &mut self.class].map(std::mem::take));
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        let Some(function) = args.positional.first() else {
            raise!(Type, "register() missing 1 required positional argument: 'func'");
        };
        register(p, &self.dispatch, self.class.clone(), Some(function.clone()))
    }
}

/// A method that selects an implementation by the class of its first argument.
struct SingleDispatchMethod {
    dispatcher: ScriptValue,
    function: ScriptValue,
}

pub(super) fn single_dispatch_method(p: &mut Eval<'_>, _: &ScriptValue, function: ScriptValue) -> Outcome {
    if !is_callable(p, &function) && p.find_attribute(&function, "__get__")?.is_none() {
        let text = repr::repr(p, &function)?;
        raise!(Type, "{text} is not callable or a descriptor");
    }
    Ok(LibraryObject::value(SingleDispatchMethod { dispatcher: dispatcher(function.clone()), function }))
}

impl Protocol for SingleDispatchMethod {
    fn class(&self) -> &'static str {
        "singledispatchmethod"
    }
    fn methods(&self) -> Table {
        SINGLE_DISPATCH_METHOD
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend([&mut self.dispatcher, &mut self.function].map(std::mem::take));
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "dispatcher" => Some(self.dispatcher.clone()),
            "func" => Some(self.function.clone()),
            _ => None,
        }
    }
    fn bind(
        &self,
        _: &mut Eval<'_>,
        _: &ScriptValue,
        instance: Option<&ScriptValue>,
        class: &ScriptValue,
    ) -> Option<Outcome> {
        let (dispatcher, function) = (self.dispatcher.clone(), self.function.clone());
        let (instance, class) = (instance.cloned(), class.clone());
        Some(Ok(LibraryObject::value(BoundDispatch { dispatcher, function, instance, class })))
    }
}

static SINGLE_DISPATCH_METHOD: Table = &[own("register")
    .one_or_two(|p, v, class, function| match cast::<SingleDispatchMethod>(v) {
        Some(method) => register(p, &method.dispatcher, class, function),
        None => Ok(ScriptValue::None),
    })
    .with_keywords(&["cls", "method"])];

/// A dispatching method of an instance, or of a class.
struct BoundDispatch {
    dispatcher: ScriptValue,
    function: ScriptValue,
    instance: Option<ScriptValue>,
    class: ScriptValue,
}

impl Protocol for BoundDispatch {
    fn class(&self) -> &'static str {
        "function"
    }
    fn methods(&self) -> Table {
        BOUND_DISPATCH
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend([&mut self.dispatcher, &mut self.function, &mut self.class].map(std::mem::take));
        out.extend(self.instance.take());
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        of_wrapped(name, &self.function)
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        let (Some(dispatch), Some(first)) =
            (cast::<SingleDispatch>(&self.dispatcher), args.positional.first())
        else {
            raise!(Index, "tuple index out of range");
        };
        let function = dispatch.select(p, &Subject::Value(first))?;
        let method = p.bind_member(function, self.instance.as_ref(), &self.class, "__get__")?;
        p.call_value(&method, args)
    }
}

static BOUND_DISPATCH: Table = &[own("register")
    .one_or_two(|p, v, class, function| match cast::<BoundDispatch>(v) {
        Some(method) => register(p, &method.dispatcher, class, function),
        None => Ok(ScriptValue::None),
    })
    .with_keywords(&["cls", "method"])];
