//! Calls.

use smallvec::SmallVec;
use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, Dict, ScriptValue};

use super::class::natives::Generated;
use super::class::{self, BoundMethod, ClassObject, Instance, Wrapper};
use super::{Bound, Cause, Closure, Env, Module, NEEDS_ITERABLE, Placeholder, Raise};
use crate::binding::Binding;
use crate::errors::{HostError, HostErrorKind, Result};
use crate::host::Mode;
use crate::python::Outcome;
use crate::python::builtins::{self, Builtin, BuiltinKind, Native};
use crate::python::cost;
use crate::python::library::Partial;
use crate::python::methods;
use crate::python::object;
use crate::{Eval, Position};
use tvmscript_python_syntax::ast::{Expr, ExprId, Keyword, List, Name};

/// The arguments for code that knows built-in types only.
fn plain(args: CallArgs) -> CallArgs {
    let extends = |value: &ScriptValue| {
        matches!(value, ScriptValue::Host(_) | ScriptValue::Tuple(_) | ScriptValue::List(_))
    };
    if !args.positional.iter().chain(args.keywords.iter().map(|(_, value)| value)).any(extends) {
        return args;
    }
    CallArgs {
        positional: args.positional.into_iter().map(ScriptValue::into_plain).collect(),
        keywords: args.keywords.into_iter().map(|(key, value)| (key, value.into_plain())).collect(),
    }
}

/// The arguments for [`Host::failed_call`], if it may find something in them.
fn kept(args: &CallArgs) -> Option<CallArgs> {
    let mut values = args.positional.iter().chain(args.keywords.iter().map(|(_, value)| value));
    values.any(ScriptValue::holds_values).then(|| args.clone())
}

/// What is called.
enum Callee {
    Value(ScriptValue),
    /// A method of a built-in type, and its receiver.
    Native(&'static Native, ScriptValue),
    /// A function of a class, and the instance that it is a method of.
    Method(ScriptValue, ScriptValue),
}

impl Callee {
    /// The value that an attribute has.
    fn into_value(self) -> ScriptValue {
        match self {
            Callee::Value(value) => value,
            Callee::Native(native, receiver) => Builtin::value(native, BuiltinKind::Method(receiver)),
            Callee::Method(function, receiver) => BoundMethod::value(function, &receiver),
        }
    }
}

impl Eval<'_> {
    pub(crate) fn eval_call(
        &mut self,
        id: ExprId,
        func: ExprId,
        args: List<ExprId>,
        keywords: List<Keyword>,
    ) -> Result<ScriptValue> {
        let callee = match self.callee(func) {
            Ok(callee) => callee,
            Err(reported) => {
                // Finds errors in the arguments too.
                if !self.state.program.budget.stops_at_first_error() {
                    drop(self.arguments(None, args, keywords, false));
                }
                return Err(reported);
            }
        };
        if keywords.is_empty() && self.state.mode() == Mode::Host {
            let (function, receiver) = match &callee {
                Callee::Value(function @ ScriptValue::Host(_)) => (Some(function), None),
                Callee::Method(function, receiver) => (Some(function), Some(receiver)),
                _ => (None, None),
            };
            let result = function.and_then(|function| self.call_directly(id, function, receiver, args));
            if let Some(result) = result {
                return result;
            }
        }
        // A slice as an argument of a method is a vector, unless the function takes regions.
        let vectors = self.state.mode() == Mode::Script
            && matches!(*self.state.ast.expr(func), Expr::Attribute { .. })
            && match &callee {
                Callee::Value(ScriptValue::Function(function)) => !self.host.takes_regions(function),
                _ => true,
            };
        // Messages about such arguments name the function.
        let is_plain = keywords.is_empty()
            && !self
                .state
                .ast
                .list(args)
                .iter()
                .any(|arg| matches!(self.state.ast.expr(*arg), Expr::Starred { .. }));
        let callee = if is_plain { callee } else { Callee::Value(callee.into_value()) };
        let value = match &callee {
            Callee::Value(value) => Some(value),
            Callee::Native(..) | Callee::Method(..) => None,
        };
        let args = self.arguments(value, args, keywords, vectors)?;
        match callee {
            Callee::Value(callee) => self.call(&callee, args, id),
            Callee::Native(native, receiver) => self.call_at(id, |p| p.call_native(native, &receiver, args)),
            Callee::Method(function, receiver) => {
                self.call_at(id, |p| p.call_method(&function, receiver, args))
            }
        }
    }

    /// Calls a function of the text with arguments by position, each of which is bound as soon as it is evaluated; `None`,
    /// with nothing evaluated, for other functions and arguments.
    fn call_directly(
        &mut self,
        id: ExprId,
        function: &ScriptValue,
        receiver: Option<&ScriptValue>,
        args: List<ExprId>,
    ) -> Option<Result<ScriptValue>> {
        let closure = function.as_host::<Closure>()?;
        let locals = &*closure.locals;
        let mut bound = Bound::new(locals, args.len() + usize::from(receiver.is_some()))?;
        let ast = self.state.ast.clone();
        let args = ast.list(args);
        if self.state.running.is_some()
            || self.state.is_tolerant() && !self.state.explorer.opaque.is_empty()
            || args.iter().any(|arg| matches!(ast.expr(*arg), Expr::Starred { .. }))
        {
            return None;
        }
        if let Some(receiver) = receiver {
            bound.push(locals, Binding::of(receiver.clone()));
        }
        for (index, arg) in args.iter().enumerate() {
            if let Some(value) = self.state.quick_integer(*arg) {
                bound.push(locals, Binding::Value(ScriptValue::Int(value)));
                continue;
            }
            match self.eval_inner(*arg) {
                Ok(value) => bound.push(locals, Binding::of(value)),
                Err(reported) => {
                    args.iter().skip(index + 1).for_each(|arg| self.eval_inner_for_errors(*arg));
                    return Some(Err(reported));
                }
            }
        }
        let kept = match receiver {
            Some(_) if self.state.is_tolerant() => {
                let positional = bound.values(locals, 1);
                kept(&CallArgs { positional, keywords: SmallVec::new() })
            }
            _ => None,
        };
        let env = Env::of_bound(closure, bound);
        Some(self.call_at(id, |p| {
            p.call_with(closure, env).map_err(|raise| match kept {
                Some(args) => p.state.failed_call(raise, &args),
                None => raise,
            })
        }))
    }

    /// Evaluates an argument to find errors in it, after another one failed.
    #[cold]
    fn eval_inner_for_errors(&mut self, id: ExprId) {
        if !self.state.program.budget.stops_at_first_error() {
            let _ = self.eval_inner(id);
        }
    }

    /// Evaluates what is called. A method that is only called needs no value of its own.
    fn callee(&mut self, func: ExprId) -> Result<Callee> {
        match *self.state.ast.expr(func) {
            // A statement that may be suspended remembers the values of its expressions.
            Expr::Attribute { value, attr } if self.state.running.is_none() => {
                match with_stack(|| self.attribute_callee(func, value, attr)) {
                    Err(reported) if self.state.is_tolerant() => {
                        self.state.placeholder_for(reported).map(Callee::Value)
                    }
                    callee => callee,
                }
            }
            _ => self.eval_inner(func).map(Callee::Value),
        }
    }

    fn attribute_callee(&mut self, func: ExprId, value: ExprId, attr: Name) -> Result<Callee> {
        self.try_at(func, |p| p.state.program.budget.step(1))?;
        let receiver = self.eval_inner(value)?;
        if let ScriptValue::Host(_) = receiver {
            if let Some(function) = self.state.plain_method(&receiver, attr) {
                return Ok(Callee::Method(function, receiver));
            }
        } else if let Some(native) = methods::native(self.state, &receiver, attr) {
            return Ok(Callee::Native(native, receiver));
        }
        self.attribute(func, &receiver, attr).map(Callee::Value)
    }

    /// Calls a method of a built-in type, as [`Host::call_value`] does with its value.
    fn call_native(&mut self, native: &'static Native, receiver: &ScriptValue, args: CallArgs) -> Outcome {
        if !self.state.is_tolerant() {
            return native.call_method(self, receiver, args);
        }
        // Containers accept any value.
        if let ScriptValue::Str(_) = receiver {
            self.state.known(&args.positional)?;
            self.state.known(args.keywords.iter().map(|(_, value)| value))?;
        }
        let kept = kept(&args);
        native.call_method(self, receiver, args).map_err(|raise| match kept {
            Some(args) => self.state.failed_call(raise, &args),
            None => raise,
        })
    }

    /// Calls a method of a class.
    fn call_method(&mut self, function: &ScriptValue, receiver: ScriptValue, mut args: CallArgs) -> Outcome {
        let kept = if self.state.is_tolerant() { kept(&args) } else { None };
        args.positional.insert(0, receiver);
        self.call_value(function, args).map_err(|raise| match kept {
            Some(args) => self.state.failed_call(raise, &args),
            None => raise,
        })
    }

    /// Evaluates the arguments of a call, also those after a wrong one.
    fn arguments(
        &mut self,
        callee: Option<&ScriptValue>,
        args: List<ExprId>,
        keywords: List<Keyword>,
        vectors: bool,
    ) -> Result<CallArgs> {
        let mut out = CallArgs { positional: SmallVec::with_capacity(args.len()), keywords: SmallVec::new() };
        let mut result = Ok(());
        let ast = self.state.ast.clone();
        for arg in ast.list(args).iter().copied() {
            if result.is_err() && self.state.program.budget.stops_at_first_error() {
                break;
            }
            if let Expr::Starred { value } = *self.state.ast.expr(arg) {
                let items = self.eval_inner(value).and_then(|value| {
                    let items = self.with_call_site(arg, |p| p.collect_values(&value)).map_err(|raise| {
                        // CPython passes an only `*value` on, and makes a list of several arguments.
                        let message = match args.len() {
                            1 => format!(
                                "{}argument after * must be an iterable, not",
                                self.name_in_message(callee)
                            ),
                            _ => NEEDS_ITERABLE.to_owned(),
                        };
                        super::iterate::not_iterable(raise, &value, &message)
                    });
                    self.at(arg, items)
                });
                match items {
                    Ok(items) => out.positional.extend(items),
                    Err(reported) => result = Err(reported),
                }
                continue;
            }
            let value = if vectors { self.eval_operand(arg) } else { self.eval_inner(arg) };
            match value {
                Ok(value) => out.positional.push(value),
                Err(reported) => result = Err(reported),
            }
        }
        if keywords.is_empty() || result.is_err() && self.state.program.budget.stops_at_first_error() {
            return result.map(|()| out);
        }
        // Values of keyword arguments follow Python's rules, as upstream evaluates them.
        let before = self.state.move_by(Position::under_python_rules);
        let mut is_spread = false;
        for keyword in ast.list(keywords).iter().copied() {
            if result.is_err() && self.state.program.budget.stops_at_first_error() {
                break;
            }
            match (keyword.arg, self.eval_inner(keyword.value)) {
                (Some(name), Ok(value)) => {
                    let name = self.state.name_str(name);
                    // The parser excludes a name that is written twice; `**` before it may give it, too.
                    if is_spread && out.keywords.iter().any(|(known, _)| *known == name) {
                        result = Err(self.repeated_keyword(keyword.value, callee, name.as_str()));
                    }
                    out.keywords.push((name, value));
                }
                (None, Ok(value)) => {
                    is_spread = true;
                    if let Err(reported) = self.spread(keyword.value, callee, &value, &mut out) {
                        result = Err(reported);
                    }
                }
                (_, Err(reported)) => result = Err(reported),
            }
        }
        self.state.move_to(before);
        result.map(|()| out)
    }

    /// `**value`
    fn spread(
        &mut self,
        at: ExprId,
        callee: Option<&ScriptValue>,
        value: &ScriptValue,
        out: &mut CallArgs,
    ) -> Result<()> {
        self.try_at(at, |p| p.state.known([value]))?;
        let mut dict = Dict::new();
        if !self.try_at(at, |p| builtins::fill_from_mapping(p, &mut dict, value))? {
            let name = self.name_in_message(callee);
            return Err(self
                .state
                .error(at, wrong_type!("{name}argument after ** must be a mapping, not {}", value)));
        }
        self.try_at(at, |p| cost::values(p.state, 3 * dict.len()))?;
        let mut known: std::collections::HashSet<_> = out.keywords.iter().map(|(k, _)| k.clone()).collect();
        for (key, value) in dict.iter() {
            let ScriptValue::Str(key) = &key.0 else {
                return Err(self.state.error(at, HostError::type_error("keywords must be strings")));
            };
            if !known.insert(key.clone()) {
                return Err(self.repeated_keyword(at, callee, key.as_str()));
            }
            out.keywords.push((key.clone(), value.clone()));
        }
        Ok(())
    }

    /// The error of a keyword argument that is given twice.
    fn repeated_keyword(
        &mut self,
        at: ExprId,
        callee: Option<&ScriptValue>,
        keyword: &str,
    ) -> crate::errors::Reported {
        let name = self.name_in_message(callee);
        let message = format!("{name}got multiple values for keyword argument '{keyword}'");
        self.state.error(at, HostError::type_error(message))
    }

    /// The function of a call as CPython names it in messages about `*` and `**`, with a space behind it: `m.f() `. Empty
    /// if it has no name.
    fn name_in_message(&mut self, callee: Option<&ScriptValue>) -> String {
        let Some(callee @ ScriptValue::Host(_)) = callee else { return String::new() };
        let mut text_of = |name: &str| match self.attempt(|p| p.find_attribute(callee, name)) {
            Ok(Ok(Some(ScriptValue::Str(text)))) => Some(text),
            _ => None,
        };
        match (text_of("__module__"), text_of("__qualname__")) {
            (Some(module), Some(name)) if module.as_str() != "builtins" => format!("{module}.{name}() "),
            (_, Some(name)) => format!("{name}() "),
            (_, None) => String::new(),
        }
    }

    /// Calls a value. Nodes that the call builds get the span of `at`.
    ///
    /// # Errors
    /// Fails if the value is not callable or the call fails. The error is recorded at `at`, or at the argument that it
    /// is about.
    pub fn call(&mut self, callee: &ScriptValue, args: CallArgs, at: ExprId) -> Result<ScriptValue> {
        self.call_at(at, |p| p.call_value(callee, args))
    }

    /// Runs a call. Nodes that it builds get the span of `at`, where its error is recorded.
    fn call_at(&mut self, at: ExprId, call: impl FnOnce(&mut Self) -> Outcome) -> Result<ScriptValue> {
        let value = self.entering(at, call)?;
        match super::placeholder::as_placeholder(&value) {
            Some(placeholder) => self.unknown_value(at, &placeholder.clone()),
            None => Ok(value),
        }
    }

    /// Runs an operation that may enter functions. Nodes that they build, and errors in them, have `at` as their call
    /// site; its own error is recorded there.
    #[inline]
    pub(crate) fn entering<T>(
        &mut self,
        at: ExprId,
        operation: impl FnOnce(&mut Self) -> Result<T, Raise>,
    ) -> Result<T> {
        let result = self.with_call_site(at, operation);
        self.at(at, result)
    }

    /// Runs an operation that may enter functions, with `at` as the call site of their nodes and errors.
    #[inline]
    pub(crate) fn with_call_site<T>(
        &mut self,
        at: ExprId,
        operation: impl FnOnce(&mut Self) -> Result<T, Raise>,
    ) -> Result<T, Raise> {
        self.state.point_at(at);
        let before = self.state.diagnostics.counts();
        let result = operation(self);
        match &result {
            Err(Raise::Reported) => {
                let range = self.state.ast.range(at);
                self.state.diagnostics.called_from(before, range);
            }
            // One that was caught on its way.
            Err(Raise::Exception(exception)) => {
                super::raising::called_from(exception, self.state.ast.range(at))
            }
            _ => {}
        }
        result
    }

    pub(crate) fn call_value(&mut self, callee: &ScriptValue, args: CallArgs) -> Outcome {
        if !self.state.is_tolerant() {
            return self.call_known(callee, args);
        }
        self.unknown_call(callee, &args)?;
        // A search before each call would cost a call as much as its arguments are long.
        let kept = if callee.as_host::<Closure>().is_none() { kept(&args) } else { None };
        self.call_known(callee, args).map_err(|raise| match kept {
            Some(args) => self.state.failed_call(raise, &args),
            None => raise,
        })
    }

    fn call_known(&mut self, callee: &ScriptValue, mut args: CallArgs) -> Outcome {
        match callee {
            ScriptValue::Function(function) => Ok(function.call(plain(args))?),
            ScriptValue::Host(host) => {
                let any = host.as_any();
                if let Some(closure) = any.downcast_ref::<Closure>() {
                    return self.call_closure(closure, args);
                }
                if let Some(builtin) = any.downcast_ref::<Builtin>() {
                    return builtin.run(self, args);
                }
                if let Some(object) = object::of(callee).filter(|object| object.is_callable()) {
                    return tvmscript_ir_core::with_stack(|| object.call(self, callee, args));
                }
                if let Some(method) = any.downcast_ref::<BoundMethod>() {
                    args.positional.insert(0, method.receiver.clone());
                    return self.call_value(&method.function, args);
                }
                if any.is::<ClassObject>() {
                    return match class::metaclass::call_method(self, callee)? {
                        Some(method) => self.call_value(&method, args),
                        None => self.instantiate(callee, args),
                    };
                }
                if let Some(partial) = any.downcast_ref::<Partial>() {
                    return self.call_value(&partial.function, partial.arguments(args));
                }
                if let Some(function) = any.downcast_ref::<Generated>() {
                    return function.run(self, args);
                }
                if let Some(instance) = any.downcast_ref::<Instance>() {
                    let class = instance.class.clone();
                    let method = match class::lookup(&class, "__call__") {
                        Some(method) => self.bind_member(method, Some(callee), &class, "__call__")?,
                        None if matches!(callee.plain(), ScriptValue::Host(payload) if payload.is_callable())
                            && !class::is_instance(callee.plain()) =>
                        {
                            callee.plain().clone()
                        }
                        None => return Err(self.not_callable(callee)),
                    };
                    // The method may be an instance, too.
                    self.state.program.budget.enter_call()?;
                    let result = tvmscript_ir_core::with_stack(|| self.call_value(&method, args));
                    self.state.program.budget.leave_call();
                    return result;
                }
                if let Some(wrapper) = any.downcast_ref::<Wrapper>().filter(|_| host.is_callable()) {
                    return self.call_value(&wrapper.function, args);
                }
                if let [definition] = &*args.positional
                    && self.host.is_decorator(callee)
                    && let Some(value) = self.decorate_value(callee, definition)
                {
                    return Ok(value?);
                }
                if let Some(result) = self.host.call_own(self.state, &**host, &mut args) {
                    return result;
                }
                if let Some(module) = any.downcast_ref::<Module>() {
                    return Err(self.unusable_module(module));
                }
                if host.is_callable() {
                    return Ok(host.call(args)?);
                }
                // Python can construct such nodes.
                if host.is_class_of(callee).is_some() {
                    let error = HostError::new(
                        HostErrorKind::Import,
                        format!("`{}` cannot be called here", host.type_name()),
                    );
                    return Err(Raise::WithHelp(error.into(), host.advice().unwrap_or_default()));
                }
                Err(self.not_callable(callee))
            }
            ScriptValue::Node(object) => match self.host.call_rule(object, self.state.position().token()) {
                Some(call) => Ok(call(object, plain(args))?),
                None => Err(self.not_callable(callee)),
            },
            _ => Err(self.not_callable(callee)),
        }
    }

    /// The error of calling a module, or a member of one that no dialect declares.
    fn unusable_module(&self, module: &Module) -> Raise {
        let (error, help) = self.unusable(&module.path);
        match help {
            Some(help) => Raise::WithHelp(error.into(), help),
            None => error.into(),
        }
    }

    fn not_callable(&self, callee: &ScriptValue) -> Raise {
        if let ScriptValue::Host(host) = callee
            && let Some(advice) = host.advice()
        {
            if self.state.is_tolerant() {
                // Python can construct such values; scripts cannot.
                let place = self.state.statement.unwrap_or_default();
                return Raise::Unknown(Placeholder::new(Cause::Statement(advice.into()), place));
            }
            let error = HostError::type_error(format!("{} is not callable", host.type_name()));
            return Raise::WithHelp(error.into(), advice);
        }
        wrong_type!("'{}' object is not callable", callee).into()
    }
}
