//! Exceptions of host code as values: their classes, arguments, causes and text.

use std::cell::{Cell, RefCell};

use tvmscript_script_value::{CallArgs, ScriptValue, release};

use super::Raise;
use super::class::{ClassObject, Instance};
use crate::Eval;
use crate::errors::EvalError;
use crate::python::{Outcome, builtins, codec, exceptions, repr};

/// The part of an exception that its class does not define.
pub(crate) struct ExceptionState {
    /// A tuple.
    args: RefCell<ScriptValue>,
    /// An exception or `None`.
    pub(super) cause: RefCell<ScriptValue>,
    /// An exception or `None`.
    pub(super) context: RefCell<ScriptValue>,
    pub(super) suppress_context: Cell<bool>,
    pub(super) notes: RefCell<ScriptValue>,
    /// Its diagnostic, while it is caught.
    pub(super) error: RefCell<Option<EvalError>>,
}

impl ExceptionState {
    pub(crate) fn new(args: impl IntoIterator<Item = ScriptValue>) -> Box<ExceptionState> {
        Box::new(ExceptionState {
            args: RefCell::new(ScriptValue::tuple(args)),
            cause: RefCell::default(),
            context: RefCell::default(),
            suppress_context: Cell::new(false),
            notes: RefCell::default(),
            error: RefCell::default(),
        })
    }

    pub(super) fn arguments(&self) -> Vec<ScriptValue> {
        self.args.borrow().items().unwrap_or_default()
    }
}

impl Drop for ExceptionState {
    fn drop(&mut self) {
        let parts = [&self.args, &self.cause, &self.context, &self.notes];
        release(parts.map(RefCell::take));
    }
}

/// An exception of a built-in class.
pub(crate) fn of_builtin(name: &str, args: impl IntoIterator<Item = ScriptValue>) -> ScriptValue {
    match exceptions::class(name).or_else(|| exceptions::class("Exception")) {
        Some(class) => Instance::exception(class, ExceptionState::new(args)),
        None => ScriptValue::None,
    }
}

/// An exception of a built-in class that is raised because of another one.
pub(crate) fn caused_by(
    name: &str,
    args: impl IntoIterator<Item = ScriptValue>,
    cause: ScriptValue,
) -> ScriptValue {
    let exception = of_builtin(name, args);
    if let Some((_, state)) = parts(&exception) {
        state.context.replace(cause.clone());
        state.cause.replace(cause);
        state.suppress_context.set(true);
    }
    exception
}

/// A `KeyError` for a key.
pub(crate) fn key_error(key: ScriptValue) -> Raise {
    Raise::Exception(of_builtin("KeyError", [key]))
}

/// A `StopIteration` with the value that a generator returned.
pub(crate) fn stop_iteration(value: ScriptValue) -> Raise {
    let args = if matches!(value, ScriptValue::None) { None } else { Some(value) };
    Raise::Exception(of_builtin("StopIteration", args))
}

/// Calls a built-in exception class.
pub(crate) fn construct(p: &mut Eval<'_>, class: &ScriptValue, args: CallArgs) -> Outcome {
    if let Some((keyword, _)) = args.keywords.first() {
        let name = exceptions::class_name(class).unwrap_or_default();
        let known = match name {
            "ImportError" | "ModuleNotFoundError" => ["name", "path"].contains(&keyword.as_str()),
            "AttributeError" => ["name", "obj"].contains(&keyword.as_str()),
            "NameError" | "UnboundLocalError" => keyword.as_str() == "name",
            _ => raise!(Type, "{name}() takes no keyword arguments"),
        };
        if !known {
            raise!(Type, "'{keyword}' is an invalid keyword argument for {name}()");
        }
    }
    let name = exceptions::class_name(class).unwrap_or_default();
    if matches!(name, "UnicodeDecodeError" | "UnicodeEncodeError") && args.positional.len() != 5 {
        raise!(Type, "function takes exactly 5 arguments ({} given)", args.positional.len());
    }
    let class = match specific_os_error(name, &args.positional) {
        Some(specific) => exceptions::class(specific).unwrap_or_else(|| class.clone()),
        None => class.clone(),
    };
    if exceptions::derives(name, "SyntaxError")
        && let [_, details, ..] = args.positional.as_slice()
    {
        let count = details.items().map_or(0, |details| details.len());
        if !(4..=6).contains(&count) {
            raise!(Type, "function takes exactly 4 arguments ({count} given)");
        }
    }
    let exception = Instance::exception(class, ExceptionState::new(args.positional));
    for (name, value) in args.keywords {
        if let Some(instance) = exception.as_host::<Instance>() {
            p.set_field(instance, name.as_str(), value)?;
        }
    }
    Ok(exception)
}

/// The subclass of `OSError` that Python makes for an error number.
fn specific_os_error(name: &str, args: &[ScriptValue]) -> Option<&'static str> {
    let (true, [ScriptValue::Int(number), _, ..]) = (name == "OSError", args) else { return None };
    Some(match number {
        1 | 13 => "PermissionError",
        2 => "FileNotFoundError",
        3 => "ProcessLookupError",
        4 => "InterruptedError",
        10 => "ChildProcessError",
        11 | 114 | 115 => "BlockingIOError",
        17 => "FileExistsError",
        20 => "NotADirectoryError",
        21 => "IsADirectoryError",
        32 | 108 => "BrokenPipeError",
        103 => "ConnectionAbortedError",
        104 => "ConnectionResetError",
        110 => "TimeoutError",
        111 => "ConnectionRefusedError",
        _ => return None,
    })
}

/// The nearest built-in exception class that a class is or derives from.
pub(crate) fn builtin_base(class: &ScriptValue) -> Option<&'static str> {
    let mut work = vec![class.clone()];
    while let Some(class) = work.pop() {
        if let Some(name) = exceptions::class_name(&class) {
            return Some(name);
        }
        work.extend(
            class.as_host::<ClassObject>().into_iter().flat_map(|class| class.bases.iter().rev().cloned()),
        );
    }
    None
}

/// Tests whether a class is an exception class.
pub(crate) fn is_class(value: &ScriptValue) -> bool {
    builtin_base(value).is_some()
}

/// The class and state of an exception.
pub(super) fn parts(value: &ScriptValue) -> Option<(&ScriptValue, &ExceptionState)> {
    let instance = value.as_host::<Instance>()?;
    Some((&instance.class, instance.exception.as_deref()?))
}

/// Tests whether a value is an exception.
pub(crate) fn is_exception(value: &ScriptValue) -> bool {
    parts(value).is_some()
}

/// Tests whether an exception class derives from another one.
pub(crate) fn is_subclass(class: &ScriptValue, of: &ScriptValue) -> bool {
    if let Some(name) = exceptions::class_name(of) {
        // A class may have several built-in bases.
        let mut work = vec![class.clone()];
        while let Some(class) = work.pop() {
            if exceptions::class_name(&class).is_some_and(|own| exceptions::derives(own, name)) {
                return true;
            }
            if let Some(class) = class.as_host::<ClassObject>() {
                work.extend(class.bases.iter().cloned());
            }
        }
        return false;
    }
    let mut work = vec![class.clone()];
    while let Some(class) = work.pop() {
        match (class.as_host::<ClassObject>(), of.as_host::<ClassObject>()) {
            (Some(class), Some(of)) if std::ptr::eq(class, of) => return true,
            (Some(class), _) => work.extend(class.bases.iter().cloned()),
            (None, _) => {}
        }
    }
    false
}

/// Deletes an attribute that all exceptions have; returns `false` for other ones.
pub(crate) fn delete_attribute(value: &ScriptValue, name: &str) -> Result<bool, Raise> {
    let Some((_, state)) = parts(value) else { return Ok(false) };
    match name {
        "args" | "__cause__" | "__context__" | "__traceback__" => raise!(Type, "{name} may not be deleted"),
        "__notes__" if !matches!(*state.notes.borrow(), ScriptValue::None) => {
            state.notes.take();
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Tests whether a value is an exception of a class; `None` if it is none.
pub(crate) fn is_instance(value: &ScriptValue, class: &ScriptValue) -> Option<bool> {
    let (own, _) = parts(value)?;
    Some(is_subclass(own, class))
}

/// Tests whether an exception is of a built-in class.
pub(crate) fn is_of(value: &ScriptValue, name: &str) -> bool {
    exceptions::class(name).is_some_and(|class| is_instance(value, &class) == Some(true))
}

/// The name and arguments of an exception, for `repr`.
pub(crate) fn name_and_args(value: &ScriptValue) -> Option<(String, Vec<ScriptValue>)> {
    let (class, state) = parts(value)?;
    Some((class_name(class), state.arguments()))
}

pub(super) fn class_name(class: &ScriptValue) -> String {
    match (exceptions::class_name(class), class.as_host::<ClassObject>()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(class)) => class.name.to_string(),
        (None, None) => String::new(),
    }
}

/// `str` of an exception; `None` for other values.
pub(crate) fn text(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Option<String>, Raise> {
    let Some((class, state)) = parts(value) else { return Ok(None) };
    let base = builtin_base(class).unwrap_or_default();
    let args = state.arguments();
    Ok(Some(match args.as_slice() {
        [] => String::new(),
        [key] if base == "KeyError" => repr::repr(p, key)?,
        [one] => repr::str(p, one)?,
        args if let Some(text) =
            codec::error_text(args).filter(|_| exceptions::derives(base, "UnicodeError")) =>
        {
            text
        }
        [number, message, rest @ ..] if exceptions::derives(base, "OSError") && rest.len() < 4 => {
            let text = format!("[Errno {}] {}", repr::str(p, number)?, repr::str(p, message)?);
            match rest.first() {
                Some(file) if !matches!(file, ScriptValue::None) => {
                    format!("{text}: {}", repr::repr(p, file)?)
                }
                _ => text,
            }
        }
        _ => repr::repr(p, &ScriptValue::tuple(args))?,
    }))
}

/// Reads an attribute that all exceptions, or those of a built-in class, have.
pub(crate) fn attribute(value: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let (class, state) = parts(value)?;
    let base = builtin_base(class)?;
    let at = |index: usize| Some(state.arguments().into_iter().nth(index).unwrap_or_default());
    match name {
        "args" => Some(state.args.borrow().clone()),
        "__cause__" => Some(state.cause.borrow().clone()),
        "__context__" => Some(state.context.borrow().clone()),
        "__suppress_context__" => Some(ScriptValue::Bool(state.suppress_context.get())),
        "__traceback__" => Some(ScriptValue::None),
        "__notes__" => Some(state.notes.borrow().clone()).filter(|notes| !matches!(notes, ScriptValue::None)),
        "value" if base == "StopIteration" => at(0),
        "code" if base == "SystemExit" => match state.arguments().as_slice() {
            [] => Some(ScriptValue::None),
            [one] => Some(one.clone()),
            _ => Some(state.args.borrow().clone()),
        },
        "msg" if exceptions::derives(base, "ImportError") || exceptions::derives(base, "SyntaxError") => {
            at(0)
        }
        "encoding" | "object" | "start" | "end" | "reason"
            if matches!(base, "UnicodeDecodeError" | "UnicodeEncodeError") =>
        {
            at(["encoding", "object", "start", "end", "reason"].iter().position(|known| *known == name)?)
        }
        "errno" | "strerror" | "filename" if exceptions::derives(base, "OSError") => {
            let index = ["errno", "strerror", "filename"].iter().position(|known| *known == name)?;
            if state.arguments().len() < 2 { Some(ScriptValue::None) } else { at(index) }
        }
        "filename" | "lineno" | "offset" | "text" | "end_lineno" | "end_offset"
            if exceptions::derives(base, "SyntaxError") =>
        {
            let names = ["filename", "lineno", "offset", "text", "end_lineno", "end_offset"];
            let index = names.iter().position(|known| *known == name)?;
            let details = state.arguments().into_iter().nth(1).and_then(|details| details.items());
            Some(details.and_then(|details| details.into_iter().nth(index)).unwrap_or_default())
        }
        "print_file_and_line" if exceptions::derives(base, "SyntaxError") => Some(ScriptValue::None),
        "name"
            if ["AttributeError", "NameError", "ImportError"]
                .iter()
                .any(|of| exceptions::derives(base, of)) =>
        {
            Some(ScriptValue::None)
        }
        "obj" if exceptions::derives(base, "AttributeError") => Some(ScriptValue::None),
        "path" if exceptions::derives(base, "ImportError") => Some(ScriptValue::None),
        "with_traceback" | "add_note" | "__init__" => builtins::exception_method(value, name),
        _ => None,
    }
}

/// Sets an attribute that all exceptions have; returns `false` for other ones.
pub(crate) fn set_attribute(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    name: &str,
    new: &ScriptValue,
) -> Result<bool, Raise> {
    let Some((_, state)) = parts(value) else { return Ok(false) };
    let checked = |what: &str| -> Result<ScriptValue, Raise> {
        if !matches!(new, ScriptValue::None) && !is_exception(new) {
            raise!(Type, "exception {what} must be None or derive from BaseException");
        }
        Ok(new.clone())
    };
    match name {
        "args" => match new.items() {
            Some(items) => {
                state.args.replace(ScriptValue::tuple(items));
            }
            None => {
                let items = p.collect_values(new)?;
                state.args.replace(ScriptValue::tuple(items));
            }
        },
        "__cause__" => {
            state.cause.replace(checked("cause")?);
            state.suppress_context.set(true);
        }
        "__context__" => {
            state.context.replace(checked("context")?);
        }
        "__suppress_context__" => match new {
            ScriptValue::Bool(suppress) => state.suppress_context.set(*suppress),
            _ => raise!(Type, "attribute value type must be bool"),
        },
        "__traceback__" => {}
        "__notes__" => {
            state.notes.replace(new.clone());
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// `exception.add_note(text)`
pub(crate) fn add_note(_: &mut Eval<'_>, value: &ScriptValue, note: ScriptValue) -> Outcome {
    let Some((_, state)) = parts(value) else { return Ok(ScriptValue::None) };
    if !matches!(note, ScriptValue::Str(_)) {
        return Err(wrong_type!("note must be a str, not '{}'", &note).into());
    }
    let mut notes = state.notes.borrow_mut();
    match &*notes {
        ScriptValue::List(items) => items.borrow_mut().push(note),
        ScriptValue::None => *notes = ScriptValue::list(vec![note]),
        _ => raise!(Type, "Cannot add note: __notes__ is not a list"),
    }
    Ok(ScriptValue::None)
}

/// `BaseException.__init__`: the arguments replace `args`.
pub(crate) fn init(_: &mut Eval<'_>, value: &ScriptValue, args: CallArgs) -> Outcome {
    if let Some((class, state)) = parts(value) {
        if !args.keywords.is_empty() {
            raise!(Type, "{}() takes no keyword arguments", class_name(class));
        }
        state.args.replace(ScriptValue::tuple(args.positional));
    }
    Ok(ScriptValue::None)
}

/// Tests whether both are the same object.
pub(super) fn is_same(a: &ScriptValue, b: &ScriptValue) -> bool {
    matches!((a, b), (ScriptValue::Host(a), ScriptValue::Host(b)) if std::rc::Rc::ptr_eq(a, b))
}
