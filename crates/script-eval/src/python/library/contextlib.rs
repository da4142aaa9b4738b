//! `contextlib`: context managers made from generators and values.

use std::cell::RefCell;

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Library;
use crate::Eval;
use crate::errors::HostError;
use crate::eval::{Closure, Context, Exit};
use crate::python::Outcome;
use crate::python::builtins::{Table, no_keywords, own};

pub(super) static CONTEXTLIB: Library = Library {
    path: "contextlib",
    functions: FUNCTIONS,
    missing: "AbstractAsyncContextManager AbstractContextManager AsyncContextDecorator AsyncExitStack ContextDecorator \
              aclosing asynccontextmanager chdir redirect_stderr redirect_stdout",
    ..Library::EMPTY
};

static FUNCTIONS: Table = &[
    own("ExitStack").zero(|_, _| Ok(ScriptValue::host(Context::Stack(RefCell::default())))),
    own("closing").one(|_, _, value| Ok(ScriptValue::host(Context::Closing(value)))),
    own("contextmanager").one(|_, _, function| match function.as_host::<Closure>() {
        Some(closure) => Ok(ScriptValue::host(closure.as_context_manager())),
        None => Err(wrong_type!("`contextmanager` needs a function, not '{}'", &function).into()),
    }),
    own("nullcontext")
        .zero_or_one(|_, _, value| Ok(ScriptValue::host(Context::Null(value.unwrap_or_default()))))
        .with_keywords(&["enter_result"]),
    own("suppress").any(|_, _, args| {
        no_keywords("suppress", &args)?;
        Ok(ScriptValue::host(Context::Suppress(ScriptValue::tuple(args.positional))))
    }),
];

/// Methods of all context managers.
pub(crate) static MANAGER: Table = &[
    own("__enter__").zero(|p, manager| Ok(p.enter(manager)?.unwrap_or_default())),
    own("__exit__").any(|p, manager, args| {
        let exception = args.positional.get(1).filter(|value| !matches!(value, ScriptValue::None));
        p.leave(manager, exception).map(ScriptValue::Bool)
    }),
];

/// Methods of `ExitStack`.
pub(crate) static STACK: Table = &[
    own("callback").any(callback),
    own("close").zero(|p, stack| {
        p.leave(stack, None)?;
        Ok(ScriptValue::None)
    }),
    own("enter_context").one(|p, stack, manager| p.enter_in_stack(stack, manager)),
    own("pop_all").zero(|_, stack| Ok(crate::eval::pop_all(stack))),
    own("push").one(push),
];

fn callback(p: &mut Eval<'_>, stack: &ScriptValue, mut args: CallArgs) -> Outcome {
    if args.positional.is_empty() {
        return Err(HostError::type_error(
            "ExitStack.callback() missing 1 required positional argument: 'callback'",
        )
        .into());
    }
    let function = args.positional.remove(0);
    p.add_exit(stack, Exit::Callback(function.clone(), args))?;
    Ok(function)
}

fn push(p: &mut Eval<'_>, stack: &ScriptValue, exit: ScriptValue) -> Outcome {
    let is_manager = p.find_attribute(&exit, "__exit__")?.is_some();
    p.add_exit(stack, if is_manager { Exit::Manager(exit.clone()) } else { Exit::Function(exit.clone()) })?;
    Ok(exit)
}
