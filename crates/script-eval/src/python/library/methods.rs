//! `functools.partialmethod`.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::functools;
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::natives::Generated;
use crate::python::builtins::is_callable;
use crate::python::compare::identical;
use crate::python::object::{self, LibraryObject, Protocol, cast};
use crate::python::{Outcome, cost, repr};

/// A method that calls a function with further arguments.
struct PartialMethod {
    function: ScriptValue,
    args: CallArgs,
}

pub(super) fn partial_method(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    if args.positional.is_empty() {
        raise!(Type, "partialmethod.__init__() missing 1 required positional argument: 'func'");
    }
    let function = args.positional.remove(0);
    if let Some(inner) = cast::<PartialMethod>(&function) {
        let args = combined(p, &inner.args, args)?;
        return Ok(LibraryObject::value(PartialMethod { function: inner.function.clone(), args }));
    }
    let class = p.class_of(&function).unwrap_or_default();
    let is_descriptor =
        object::of(&function).is_some_and(|object| object.bind(p, &function, None, &class).is_some());
    if !is_descriptor && !is_callable(p, &function) && p.find_attribute(&function, "__get__")?.is_none() {
        let text = repr::repr(p, &function)?;
        raise!(Type, "{text} is not callable or a descriptor");
    }
    Ok(LibraryObject::value(PartialMethod { function, args }))
}

/// Arguments followed by those of a call, whose keywords come first.
fn combined(p: &mut Eval<'_>, known: &CallArgs, args: CallArgs) -> Result<CallArgs, Raise> {
    cost::values(p.state, known.positional.len() + 2 * known.keywords.len())?;
    let mut all = known.clone();
    all.positional.extend(args.positional);
    for (key, value) in args.keywords {
        match all.keywords.iter_mut().find(|(name, _)| *name == key) {
            Some((_, known)) => *known = value,
            None => all.keywords.push((key, value)),
        }
    }
    Ok(all)
}

impl Protocol for PartialMethod {
    fn class(&self) -> &'static str {
        "partialmethod"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.function));
        let CallArgs { positional, keywords } = std::mem::take(&mut self.args);
        out.extend(positional.into_iter().chain(keywords.into_iter().map(|(_, value)| value)));
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        super::functools::partial_attribute(name, &self.function, &self.args)
    }
    fn bind(
        &self,
        p: &mut Eval<'_>,
        this: &ScriptValue,
        instance: Option<&ScriptValue>,
        class: &ScriptValue,
    ) -> Option<Outcome> {
        Some(self.bound(p, this, instance, class))
    }
}

impl PartialMethod {
    fn bound(
        &self,
        p: &mut Eval<'_>,
        this: &ScriptValue,
        instance: Option<&ScriptValue>,
        class: &ScriptValue,
    ) -> Outcome {
        let bound = p.bind_member(self.function.clone(), instance, class, "__get__")?;
        if !identical(&bound, &self.function) {
            let mut args = self.args.clone();
            args.positional.insert(0, bound);
            return functools::partial(p, &ScriptValue::None, args);
        }
        // A function that does not bind itself takes its own arguments behind the receiver.
        let this = this.clone();
        let method = Generated::value("_method", move |p, mut args| {
            let Some(own) = cast::<PartialMethod>(&this) else { return Ok(ScriptValue::None) };
            if args.positional.is_empty() {
                raise!(Type, "_method() missing 1 required positional argument: 'cls_or_self'");
            }
            let receiver = args.positional.remove(0);
            let mut args = combined(p, &own.args, args)?;
            args.positional.insert(0, receiver);
            p.call_value(&own.function, args)
        });
        p.bind_member(method, instance, class, "_method")
    }
}
