//! `BaseExceptionGroup` and `ExceptionGroup`: exceptions that contain others.

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Raise;
use super::class::lookup;
use super::exception::{
    ExceptionState, builtin_base, class_name, is_class, is_exception, is_instance, is_of, parts,
};
use crate::Eval;
use crate::python::builtins::{Table, is_callable, own};
use crate::python::{Outcome, cost, exceptions};

/// Tests whether a value is a group of exceptions.
pub(crate) fn is_group(value: &ScriptValue) -> bool {
    is_of(value, "BaseExceptionGroup")
}

/// Tests whether a class of exceptions is one of groups.
pub(crate) fn is_group_class(class: &ScriptValue) -> bool {
    builtin_base(class).is_some_and(|base| exceptions::derives(base, "BaseExceptionGroup"))
}

/// The exceptions that a group contains.
pub(crate) fn members(group: &ScriptValue) -> Vec<ScriptValue> {
    let found =
        parts(group).and_then(|(_, state)| state.members.borrow().as_ref().and_then(ScriptValue::items));
    found.unwrap_or_default()
}

/// The message of a group.
fn message(group: &ScriptValue) -> ScriptValue {
    parts(group).and_then(|(_, state)| state.arguments().into_iter().next()).unwrap_or_default()
}

/// Checks the arguments of a new group. Returns its class, which the exceptions decide for `BaseExceptionGroup`, and its
/// state.
pub(crate) fn new_state(
    p: &mut Eval<'_>,
    class: &ScriptValue,
    args: Vec<ScriptValue>,
) -> Result<(ScriptValue, Box<ExceptionState>), Raise> {
    let given = args.len();
    let [text, contained] = args.as_slice() else {
        raise!(Type, "BaseExceptionGroup.__new__() takes exactly 2 arguments ({given} given)");
    };
    if text.as_str().is_none() {
        return Err(wrong_type!("BaseExceptionGroup.__new__() argument 1 must be str, not {}", text).into());
    }
    let is_sequence = matches!(contained.plain(), ScriptValue::List(_) | ScriptValue::Tuple(_))
        || super::class::is_instance(contained) && p.has_method(contained, "__getitem__");
    if !is_sequence {
        raise!(Type, "second argument (exceptions) must be a sequence");
    }
    let items = p.collect_values(contained)?;
    if items.is_empty() {
        raise!(Value, "second argument (exceptions) must be a non-empty sequence");
    }
    if let Some(at) = items.iter().position(|item| !is_exception(item)) {
        raise!(Value, "Item {at} of second argument (exceptions) is not an exception");
    }
    let is_plain = items.iter().all(|item| is_of(item, "Exception"));
    let class = match exceptions::class_name(class) {
        Some("BaseExceptionGroup") if is_plain => exceptions::class("ExceptionGroup").unwrap_or_default(),
        Some("ExceptionGroup") if !is_plain => {
            raise!(Type, "Cannot nest BaseExceptions in an ExceptionGroup")
        }
        None if !is_plain && super::exception::is_subclass_of(class, "Exception") => {
            raise!(Type, "Cannot nest BaseExceptions in '{}'", class_name(class))
        }
        _ => class.clone(),
    };
    cost::values(p.state, items.len())?;
    let state = ExceptionState::new(args);
    state.members.replace(Some(ScriptValue::tuple(items)));
    Ok((class, state))
}

/// The text of a group.
pub(super) fn text(group: &ScriptValue) -> String {
    let count = members(group).len();
    let plural = if count == 1 { "" } else { "s" };
    format!("{} ({count} sub-exception{plural})", message(group).as_str().unwrap_or_default())
}

/// A condition on exceptions: classes, or a function.
pub(crate) struct Condition(ScriptValue);

impl Condition {
    fn new(p: &mut Eval<'_>, value: ScriptValue) -> Result<Condition, Raise> {
        let is_classes = match &value {
            ScriptValue::Tuple(classes) => classes.iter().all(is_class),
            value => is_class(value),
        };
        let is_function = !matches!(value, ScriptValue::Tuple(_))
            && is_callable(p, &value)
            && !super::class::is_class(&value);
        if !is_classes && !is_function {
            raise!(Type, "expected a function, exception type or tuple of exception types");
        }
        Ok(Condition(value))
    }

    /// The condition that an exception is of one of these classes.
    pub(crate) fn of_classes(classes: ScriptValue) -> Condition {
        Condition(classes)
    }

    fn holds(&self, p: &mut Eval<'_>, exception: &ScriptValue) -> Result<bool, Raise> {
        p.state.program.budget.step(1)?;
        match &self.0 {
            ScriptValue::Tuple(classes) => {
                p.state.program.budget.step(classes.len() as u64)?;
                Ok(classes.iter().any(|class| is_instance(exception, class) == Some(true)))
            }
            class if is_class(class) => Ok(is_instance(exception, class) == Some(true)),
            function => {
                let found = p.call_value(function, CallArgs::positional([exception.clone()]))?;
                p.truth(&found)
            }
        }
    }
}

/// Splits an exception into the parts that fulfil a condition and that do not.
pub(crate) fn split(
    p: &mut Eval<'_>,
    exception: &ScriptValue,
    condition: &Condition,
) -> Result<(Option<ScriptValue>, Option<ScriptValue>), Raise> {
    if condition.holds(p, exception)? {
        return Ok((Some(exception.clone()), None));
    }
    if !is_group(exception) {
        return Ok((None, Some(exception.clone())));
    }
    let (mut matching, mut rest) = (Vec::new(), Vec::new());
    for member in members(exception) {
        p.state.program.budget.enter_call()?;
        let parts = with_stack(|| split(p, &member, condition));
        p.state.program.budget.leave_call();
        let (found, other) = parts?;
        matching.extend(found);
        rest.extend(other);
    }
    Ok((derived(p, exception, matching)?, derived(p, exception, rest)?))
}

/// The group with other exceptions: `group.derive(exceptions)`, with the causes and notes of the group.
pub(crate) fn derived(
    p: &mut Eval<'_>,
    group: &ScriptValue,
    exceptions: Vec<ScriptValue>,
) -> Result<Option<ScriptValue>, Raise> {
    if exceptions.is_empty() {
        return Ok(None);
    }
    let derive = p.needed_attribute(group, "derive")?;
    let new = p.call_value(&derive, CallArgs::positional([ScriptValue::list(exceptions)]))?;
    if !is_group(&new) {
        raise!(Type, "derive must return an instance of BaseExceptionGroup");
    }
    if let (Some((_, old)), Some((_, state))) = (parts(group), parts(&new)) {
        state.cause.replace(old.cause.borrow().clone());
        state.context.replace(old.context.borrow().clone());
        state.suppress_context.set(old.suppress_context.get());
        let notes = match &*old.notes.borrow() {
            ScriptValue::List(notes) => ScriptValue::list(notes.borrow().to_vec()),
            other => other.clone(),
        };
        state.notes.replace(notes);
    }
    Ok(Some(new))
}

/// Methods of groups.
pub(crate) static METHODS: Table = &[
    own("derive").one(|p, group, exceptions| {
        let class = exceptions::class("BaseExceptionGroup").unwrap_or_default();
        p.call_value(&class, CallArgs::positional([message(group), exceptions]))
    }),
    own("split").one(|p, group, condition| {
        let condition = Condition::new(p, condition)?;
        let (matching, rest) = split(p, group, &condition)?;
        Ok(ScriptValue::tuple([matching.unwrap_or_default(), rest.unwrap_or_default()]))
    }),
    own("subgroup").one(|p, group, condition| {
        let condition = Condition::new(p, condition)?;
        Ok(split(p, group, &condition)?.0.unwrap_or_default())
    }),
];

impl Eval<'_> {
    fn has_method(&self, value: &ScriptValue, name: &str) -> bool {
        self.class_of(value).is_some_and(|class| lookup(&class, name).is_some())
    }
}

/// `type.__new__` of a group class of the text.
pub(crate) fn construct(p: &mut Eval<'_>, class: &ScriptValue, args: Vec<ScriptValue>) -> Outcome {
    let (class, state) = new_state(p, class, args)?;
    Ok(super::class::Instance::exception(class, state))
}
