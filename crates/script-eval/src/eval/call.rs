//! Calls.

use smallvec::SmallVec;
use tvmscript_script_value::{CallArgs, Dict, ScriptValue};

use super::class::natives::Generated;
use super::class::{self, BoundMethod, ClassObject, Instance, Wrapper};
use super::{Cause, Closure, Module, NEEDS_ITERABLE, Placeholder, Raise};
use crate::errors::{EvalResult, HostError, HostErrorKind};
use crate::host::Mode;
use crate::python::Outcome;
use crate::python::builtins::{self, Builtin};
use crate::python::cost;
#[cfg(feature = "library")]
use crate::python::library::Partial;
use crate::python::object;
use crate::{Eval, Position};
use tvmscript_python_syntax::ast::{Expr, ExprId, Keyword, List};

/// Prepares arguments for code that knows built-in types only.
fn make_plain(args: &mut CallArgs) {
    let positional = args.positional.iter_mut();
    for value in positional.chain(args.keywords.iter_mut().map(|(_, value)| value)) {
        if let ScriptValue::Host(_) | ScriptValue::Tuple(_) | ScriptValue::List(_) = value {
            *value = std::mem::take(value).into_plain();
        }
    }
}

/// The arguments for [`EvalState::failed_call`], if it may find something in them.
fn kept(args: &CallArgs) -> Option<CallArgs> {
    let mut values = args.positional.iter().chain(args.keywords.iter().map(|(_, value)| value));
    values.any(ScriptValue::holds_values).then(|| args.clone())
}

impl Eval<'_> {
    pub(crate) fn eval_call(
        &mut self,
        id: ExprId,
        func: ExprId,
        args: List<ExprId>,
        keywords: List<Keyword>,
    ) -> EvalResult<ScriptValue> {
        let callee = match self.eval_inner(func) {
            Ok(callee) => callee,
            Err(reported) => {
                // Finds errors in the arguments too.
                if !self.state.program.budget.stops_at_first_error() {
                    drop(self.arguments(None, args, keywords, false));
                }
                return Err(reported);
            }
        };
        // A slice as an argument of a method is a vector, unless the function takes regions.
        let vectors = self.state.mode() == Mode::Script
            && matches!(*self.state.ast.expr(func), Expr::Attribute { .. })
            && match &callee {
                ScriptValue::Function(function) => !self.host.takes_regions(function),
                ScriptValue::Host(host) => !host.takes_regions(),
                _ => true,
            };
        let args = self.arguments(Some(&callee), args, keywords, vectors)?;
        self.call(&callee, args, id)
    }

    /// Evaluates the arguments of a call, also those after a wrong one.
    fn arguments(
        &mut self,
        callee: Option<&ScriptValue>,
        args: List<ExprId>,
        keywords: List<Keyword>,
        vectors: bool,
    ) -> EvalResult<CallArgs> {
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
        let before = self.state.position();
        // In some releases, values of keyword arguments follow Python's rules, as upstream evaluates them.
        if self.state.program.keywords_follow_python {
            self.state.move_by(Position::under_python_rules);
        }
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
    ) -> EvalResult<()> {
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
    pub fn call(&mut self, callee: &ScriptValue, args: CallArgs, at: ExprId) -> EvalResult<ScriptValue> {
        let value = self.entering(at, |p| p.call_value(callee, args))?;
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
    ) -> EvalResult<T> {
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

    /// Runs an operation that a value may pass on to another one, and that to a third one.
    pub(super) fn in_value<R>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<R, Raise>,
    ) -> Result<R, Raise> {
        self.state.program.budget.enter_value()?;
        let result = tvmscript_ir_core::with_stack(|| operation(self));
        self.state.program.budget.leave_value();
        result
    }

    fn call_known(&mut self, callee: &ScriptValue, mut args: CallArgs) -> Outcome {
        match callee {
            ScriptValue::Function(function) => {
                make_plain(&mut args);
                Ok(function
                    .call(args)
                    .map_err(|error| error.with_callee(function.name, self.host.function_name(function)))?)
            }
            ScriptValue::Host(host) => {
                let any = host.as_any();
                if let Some(closure) = any.downcast_ref::<Closure>() {
                    self.refuse_host_call(&**host)?;
                    return self.call_closure(closure, args);
                }
                if let Some(builtin) = any.downcast_ref::<Builtin>() {
                    self.refuse_host_call(&**host)?;
                    return builtin.run(self, args);
                }
                if let Some(object) = object::of(callee).filter(|object| object.is_callable()) {
                    self.refuse_host_call(&**host)?;
                    return self.in_value(|p| object.call(p, callee, args));
                }
                if let Some(method) = any.downcast_ref::<BoundMethod>() {
                    args.positional.insert(0, method.receiver.clone());
                    return self.in_value(|p| p.call_value(&method.function, args));
                }
                if any.is::<ClassObject>() {
                    self.refuse_host_call(&**host)?;
                    return self.instantiate(callee, args);
                }
                #[cfg(feature = "library")]
                if let Some(partial) = any.downcast_ref::<Partial>() {
                    let args = partial.arguments(args);
                    return self.in_value(|p| p.call_value(&partial.function, args));
                }
                if let Some(function) = any.downcast_ref::<Generated>() {
                    self.refuse_host_call(&**host)?;
                    return function.run(self, args);
                }
                if let Some(instance) = any.downcast_ref::<Instance>() {
                    self.refuse_host_call(&**host)?;
                    let class = instance.class.clone();
                    let method = match class::lookup(&class, "__call__") {
                        Some(method) => self.bind_member(method, Some(callee), &class, "__call__")?,
                        None if matches!(callee.plain(), ScriptValue::Host(payload) if payload.is_callable())
                            && !class::is_instance(callee.plain()) =>
                        {
                            callee.plain().clone()
                        }
                        None => {
                            let unknown = self.state.failed_instance(callee);
                            return Err(unknown.map_or_else(|| self.not_callable(callee), Raise::Unknown));
                        }
                    };
                    // The method may be an instance, too.
                    self.state.program.budget.enter_call()?;
                    let result = tvmscript_ir_core::with_stack(|| self.call_value(&method, args));
                    self.state.program.budget.leave_call();
                    return result;
                }
                if let Some(wrapper) = any.downcast_ref::<Wrapper>().filter(|_| host.is_callable()) {
                    return self.in_value(|p| p.call_value(&wrapper.function, args));
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
                    make_plain(&mut args);
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
                Some(call) => {
                    make_plain(&mut args);
                    Ok(call(object, args)?)
                }
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
