//! Placeholders for unknown values of host code.
//!
//! A statement outside scripts may need something that the evaluator lacks: a Python module, a method, a statement.
//! Its value is a [`Placeholder`] with the reason. Host code propagates placeholders: attributes, calls and operators
//! on one return another, so that one import does not cause a hundred messages. The use of one in a script is an
//! error.
//!
//! Invariant: placeholders occur as values only while the position is tolerant, that is in host code that no
//! script called. Elsewhere, loading such a name is an error.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::LazyLock;

use tvmscript_python_syntax::ast::{BinOp, ExprId, Name, Parameter, StmtId, TextRange};
use tvmscript_python_syntax::walk;
use tvmscript_script_value::{CallArgs, HostObject, ScriptValue};

use super::class::{ClassObject, Instance};
use super::{Closure, Module, Raise};
use crate::binding::{Binding, Slot};
use crate::errors::{EvalError, EvalErrorKind, EvalResult, Reported, Severity};
use crate::python::builtins::{Builtin, BuiltinKind};
use crate::{Eval, EvalState};

/// An unknown value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// The reason.
    pub cause: Cause,
    /// The statement that could not be evaluated, or the parameter.
    pub place: TextRange,
}

/// Why a value is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It comes from a Python module, with its dotted path.
    Module(Rc<str>),
    /// It is the parameter of a function that nothing calls, or that is called with an unknown value.
    Parameter {
        /// The parameter.
        name: Rc<str>,
        /// The path of the function.
        function: Rc<str>,
        /// The unknown value of a call.
        argument: Option<Rc<Placeholder>>,
    },
    /// The statement could not be evaluated; the reason.
    Statement(Rc<str>),
    /// It comes from a part of a dialect that this project leaves out; the reason.
    LeftOut(Rc<str>),
}

impl HostObject for Placeholder {
    fn type_name(&self) -> &str {
        "a value that is not known"
    }
}

impl Placeholder {
    /// A placeholder with its reason and the range to show.
    pub fn new(cause: Cause, place: TextRange) -> Placeholder {
        Placeholder { cause, place }
    }

    /// The placeholder as a value.
    pub fn value(self) -> ScriptValue {
        ScriptValue::host(self)
    }

    pub(crate) fn of_module(path: &str, place: TextRange) -> Placeholder {
        Placeholder::new(Cause::Module(path.into()), place)
    }

    /// The placeholder for a member of the value.
    pub(crate) fn member(&self, name: &str) -> Placeholder {
        match &self.cause {
            Cause::Module(path) if path.len() < MAX_PATH_BYTES => {
                Placeholder::of_module(&format!("{path}.{name}"), self.place)
            }
            _ => self.clone(),
        }
    }

    /// The value as the parameter of a function that is called with it.
    #[cold]
    fn for_argument(self, function: &Closure, param: &Parameter) -> Placeholder {
        if let Cause::Parameter { .. } = self.cause {
            return self;
        }
        let ast = &function.program.ast;
        let (name, function) = (ast.name(param.name).into(), function.path.clone());
        let cause = Cause::Parameter { name, function, argument: Some(Rc::new(self)) };
        Placeholder::new(cause, ast.range(param.place))
    }

    /// The value as the caller of the function sees it that returns it.
    pub(crate) fn returned_by(self, function: &Closure) -> Placeholder {
        match &self.cause {
            Cause::Parameter { function: path, argument: Some(argument), .. } if *path == function.path => {
                (**argument).clone()
            }
            _ => self,
        }
    }

    /// The words of messages about a call with the value.
    pub(crate) fn call(&self) -> String {
        format!("whose argument is unknown: {}", self.reason())
    }

    /// The reason in words.
    fn reason(&self) -> String {
        match &self.cause {
            Cause::Module(path) => format!("`{path}` is not evaluated"),
            Cause::Parameter { name, .. } => format!("`{name}` is a parameter"),
            Cause::Statement(reason) | Cause::LeftOut(reason) => reason.to_string(),
        }
    }

    /// The error for a script that uses the value.
    fn error(&self, host: &Eval<'_>, range: TextRange) -> EvalError {
        match &self.cause {
            Cause::Module(path) => {
                let (error, help) = host.unusable(path);
                let mut error = EvalError::new(error, range);
                error.help = help;
                if self.place.is_empty() { error } else { error.with_label(self.place, "comes from here") }
            }
            // Outside of the function, the value is that of the argument.
            Cause::Parameter { argument: Some(argument), .. } if host.state.depth == 0 => {
                argument.error(host, range)
            }
            Cause::Parameter { name, function, argument } => {
                let kind = EvalErrorKind::NeedsArguments {
                    script: String::new(),
                    parameter: name.to_string(),
                    function: function.to_string(),
                    call: match argument {
                        Some(argument) => argument.call(),
                        None => "which is not called".to_owned(),
                    },
                };
                EvalError::new(kind, range).with_label(self.place, "this parameter")
            }
            Cause::Statement(reason) | Cause::LeftOut(reason) => {
                let name = host.state.program.text_of(range).to_owned();
                let error = EvalError::new(EvalErrorKind::UnknownValue { name }, range);
                let error = match self.place.is_empty() {
                    true => error,
                    false => error.with_label(self.place, "this statement could not be evaluated"),
                };
                error.with_note(reason.to_string())
            }
        }
    }
}

/// Maximum length of a path in messages.
const MAX_PATH_BYTES: usize = 100;

/// Maximum number of container elements searched for placeholders.
const MAX_SEARCHED: usize = 1000;

fn is_class(value: &ScriptValue) -> bool {
    let ScriptValue::Host(host) = value else { return false };
    let any = host.as_any();
    any.is::<ClassObject>()
        || host.is_class_of(value).is_some()
        || any.downcast_ref::<Builtin>().is_some_and(Builtin::is_type)
}

pub(crate) fn as_placeholder(value: &ScriptValue) -> Option<&Placeholder> {
    value.as_host::<Placeholder>()
}

impl Binding {
    /// The binding of a parameter to an argument.
    #[inline]
    pub(crate) fn of_argument(value: ScriptValue, function: &Closure, param: &Parameter) -> Binding {
        match as_placeholder(&value) {
            Some(placeholder) => Binding::Unknown(Rc::new(placeholder.clone().for_argument(function, param))),
            None => Binding::Value(value),
        }
    }

    /// The binding for a value of host code, which may be unknown.
    pub fn of(value: ScriptValue) -> Binding {
        match as_placeholder(&value) {
            Some(placeholder) => Binding::Unknown(Rc::new(placeholder.clone())),
            None => Binding::Value(value),
        }
    }
}

impl EvalState {
    /// Returns the placeholder for a value: the value itself, or a module that is not evaluated.
    pub(crate) fn unknown(&self, value: &ScriptValue) -> Option<Placeholder> {
        let ScriptValue::Host(host) = value else { return None };
        let any = host.as_any();
        if let Some(placeholder) = any.downcast_ref::<Placeholder>() {
            return Some(placeholder.clone());
        }
        let module = any.downcast_ref::<Module>()?;
        Some(Placeholder::of_module(&module.path, TextRange::default()))
    }

    /// Fails if an operand is unknown.
    #[inline]
    pub(crate) fn known<'a>(&self, operands: impl IntoIterator<Item = &'a ScriptValue>) -> Result<(), Raise> {
        if !self.is_tolerant() {
            return Ok(());
        }
        let mut operands = operands.into_iter();
        match operands.find_map(|operand| self.unknown(operand)) {
            Some(placeholder) => Err(Raise::Unknown(placeholder)),
            None => Ok(()),
        }
    }

    /// Fails if an operand is unknown, or for unions of types (`int | str`).
    #[inline]
    pub(crate) fn known_operands(&self, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Result<(), Raise> {
        if !self.is_tolerant() {
            return Ok(());
        }
        self.known([a, b])?;
        let is_python = |x: &ScriptValue| matches!(x, ScriptValue::None) || super::class::is_class(x);
        if op != BinOp::BitOr || !(is_class(a) || is_class(b)) || is_python(a) && is_python(b) {
            return Ok(());
        }
        let cause = Cause::Statement("a union of types is not evaluated".into());
        Err(Raise::Unknown(Placeholder::new(cause, self.statement.unwrap_or_default())))
    }

    /// Converts the failure of an expression with an unknown value to a placeholder.
    pub(crate) fn placeholder_for(&mut self, reported: Reported) -> EvalResult<ScriptValue> {
        match self.pending.take() {
            Some(placeholder) => Ok(placeholder.value()),
            None => Err(reported),
        }
    }

    /// Gives up on host code that cannot be evaluated: sets the pending placeholder, and warns once per reason at
    /// module level.
    pub(crate) fn give_up(&mut self, range: TextRange, reason: &str) -> Reported {
        self.give_up_for(range, reason, Cause::Statement(reason.into()))
    }

    /// [`EvalState::give_up`] with another cause than the reason.
    pub(crate) fn give_up_for(&mut self, range: TextRange, reason: &str, cause: Cause) -> Reported {
        self.warn(range, reason);
        let place = self.statement.unwrap_or(range);
        self.pending = Some(Placeholder::new(cause, place));
        Reported(())
    }

    pub(super) fn warn(&mut self, range: TextRange, reason: &str) {
        if !self.is_exploring() && self.depth == 0 && !self.position().is_decorator() {
            self.diagnostics.warn(reason, range);
        }
    }

    /// Explains the failure of a call by a placeholder among its arguments. An exceeded limit needs no explanation, and
    /// leaves no steps for the search.
    pub(crate) fn failed_call(&self, raise: Raise, args: &CallArgs) -> Raise {
        match &raise {
            Raise::Kind(kind) if kind.is_exceeded_limit() => return raise,
            Raise::Kind(_) | Raise::Build(_) | Raise::Exception(_) => {}
            _ => return raise,
        }
        let mut values: Vec<ScriptValue> =
            args.keywords.iter().rev().map(|(_, value)| value.clone()).collect();
        values.extend(args.positional.iter().rev().cloned());
        match self.mentioned(values) {
            Ok(None) => raise,
            Ok(Some(placeholder)) => Raise::Unknown(placeholder),
            // The failure is that the budget is exceeded, which is reported once.
            Err(Raise::Reported) => raise,
            Err(exceeded) => exceeded,
        }
    }

    /// A placeholder in a value, also in the attributes of an instance.
    ///
    /// # Errors
    /// If the budget is exceeded.
    pub(crate) fn unknown_inside(&self, value: ScriptValue) -> Result<Option<Placeholder>, Raise> {
        let fields = value.as_host::<Instance>().map(|instance| instance.fields.clone());
        let mut values = vec![value];
        values.extend(fields.map(ScriptValue::Dict));
        self.mentioned(values)
    }

    /// Finds a placeholder or instance in values, at any depth, among the first thousand elements; the last value is
    /// searched first.
    ///
    /// # Errors
    /// If the budget is exceeded: the search is charged, since a program may catch the failure of any number of calls.
    fn mentioned(&self, mut work: Vec<ScriptValue>) -> Result<Option<Placeholder>, Raise> {
        let mut left = MAX_SEARCHED.saturating_sub(work.len());
        while let Some(at) = work.pop() {
            let from = work.len();
            match &at {
                ScriptValue::Tuple(items) => work.extend(items.iter().take(left).cloned()),
                ScriptValue::List(items) => work.extend(items.borrow().iter().take(left).cloned()),
                ScriptValue::Dict(dict) => {
                    work.extend(dict.borrow().iter().take(left).map(|(_, value)| value.clone()));
                }
                ScriptValue::Host(_) => {
                    if let Some(found) = as_placeholder(&at).cloned().or_else(|| self.failed_instance(&at)) {
                        return Ok(Some(found));
                    }
                }
                _ => {}
            }
            left -= work.len() - from;
            self.program.budget.step((work.len() - from) as u64)?;
        }
        Ok(None)
    }

    /// The binding of a name of host code.
    pub fn host_binding(&self, name: Name) -> Binding {
        if self.is_local()
            && let Some(found) = self.env.as_ref().and_then(|env| env.get(name))
        {
            return found;
        }
        match self.is_local() {
            true => self.outermost(name),
            false => self.program.global(name),
        }
    }

    /// The binding of a name that no environment has.
    #[inline]
    pub(crate) fn outermost(&self, name: Name) -> Binding {
        let is_in_module =
            || !self.program.parts.is_empty() && self.env.as_ref().is_some_and(|env| env.is_in_module());
        if is_in_module() { self.program.builtin(name) } else { self.program.global(name) }
    }

    /// Binds a name of host code.
    pub(crate) fn set_host(&mut self, name: Name, binding: Binding, place: TextRange) {
        let global = match &self.env {
            Some(env) if self.is_local() => env.set_nearest(name, binding),
            _ => Some(binding),
        };
        if let Some(binding) = global {
            self.program.set_global(name, Slot::new(binding, place));
        }
    }

    /// Binds all names that a statement of host code binds.
    pub(crate) fn bind_names(&mut self, id: StmtId, binding: &Binding) {
        let ast = self.ast.clone();
        let place = ast.range(id);
        for name in walk::names_bound_by(&ast, id) {
            self.set_host(name, binding.clone(), place);
        }
    }
}

impl Eval<'_> {
    /// Reports the use of an unknown value in a script; in host code the result is a placeholder.
    pub(crate) fn use_unknown(&mut self, range: TextRange, placeholder: &Placeholder) -> Reported {
        if self.state.is_tolerant() {
            self.state.pending = Some(placeholder.clone());
            return Reported(());
        }
        let error = placeholder.error(self, range);
        self.state.report(error)
    }

    /// The value of an unknown name or expression.
    ///
    /// # Errors
    /// Fails if a script uses it.
    pub(crate) fn unknown_value(&mut self, id: ExprId, placeholder: &Placeholder) -> EvalResult<ScriptValue> {
        if self.state.is_tolerant() {
            return Ok(placeholder.clone().value());
        }
        let range = self.state.ast.range(id);
        Err(self.use_unknown(range, placeholder))
    }

    /// Fails with a placeholder if the callee or an argument of a call is unknown.
    pub(crate) fn unknown_call(&mut self, callee: &ScriptValue, args: &CallArgs) -> Result<(), Raise> {
        if let Some(placeholder) = self.state.unknown(callee) {
            if let Cause::Module(path) = &placeholder.cause
                && self.host.modules().is_expected(path)
            {
                let reason = format!("`{path}` is not evaluated");
                let range = self.state.range_of_span(tvmscript_ir_core::Span::current()).unwrap_or_default();
                self.state.warn(range, &reason);
            }
            return Err(Raise::Unknown(placeholder));
        }
        let mut keywords = true;
        match callee {
            ScriptValue::Host(host) => {
                let Some(builtin) = host.as_any().downcast_ref::<Builtin>() else { return Ok(()) };
                // Containers accept any value.
                if let BuiltinKind::Method(ScriptValue::List(_) | ScriptValue::Dict(_)) = builtin.kind {
                    return Ok(());
                }
                keywords = !builtin.is_type() || builtin.native.name != "dict";
            }
            ScriptValue::Function(_) | ScriptValue::Node(_) => {}
            _ => return Ok(()),
        }
        self.state.known(&args.positional)?;
        if keywords { self.state.known(args.keywords.iter().map(|(_, value)| value)) } else { Ok(()) }
    }
}

/// The same unknown value after a statement that could not be evaluated because of it.
pub(super) fn derived(placeholder: Placeholder, statement: TextRange) -> Placeholder {
    match placeholder.cause {
        Cause::Module(path) => {
            let reason = format!("`{path}` is not evaluated");
            Placeholder::new(Cause::Statement(reason.into()), statement)
        }
        cause => Placeholder::new(cause, placeholder.place),
    }
}

impl Eval<'_> {
    /// A placeholder for an unbound name that Python, another module or another path may bind.
    pub(crate) fn bound_elsewhere(&mut self, name: Name) -> Option<Placeholder> {
        let ast = self.state.ast.clone();
        let text = ast.name(name);
        let unknown = |reason: String, place| Some(Placeholder::new(Cause::Statement(reason.into()), place));
        if self.state.is_tolerant() {
            if python_name(text).is_some() || text.starts_with("__") {
                return unknown(
                    format!("`{text}` is not evaluated"),
                    self.state.statement.unwrap_or_default(),
                );
            }
            if self.state.is_exploring() {
                let is_local = self.state.is_local()
                    && self.state.env.as_ref().is_some_and(|env| env.get(name).is_some());
                if is_local || self.module_names().contains(&name) {
                    let reason = format!("the value of `{text}` is unknown here");
                    return unknown(reason, self.state.statement.unwrap_or_default());
                }
            }
        }
        let place = self.state.star_import?;
        unknown(format!("`{text}` may come from here, which is not evaluated"), place)
    }

    /// The names that the file binds at module level.
    fn module_names(&mut self) -> &HashSet<Name> {
        if self.state.explorer.module_names.is_none() {
            self.state.explorer.module_names = Some(walk::module_names(&self.state.ast));
        }
        self.state.explorer.module_names.get_or_insert_default()
    }

    /// Reports an unbound name. In explored code, which Python would only run later, it is a warning, except in a decorator,
    /// which may make a script.
    pub(crate) fn report_undefined(&mut self, mut error: EvalError) -> Reported {
        let may_be_caught = self.state.program.budget.open_tries() > 0
            || self.state.explorer.uncertain > 0 && !self.state.is_exploring();
        if !self.state.is_exploring() || may_be_caught {
            return self.state.report(error);
        }
        let is_decorator = self.state.position().is_decorator();
        let range = error.range();
        let diagnostics = &mut self.state.diagnostics;
        if !diagnostics.errors.iter().chain(&diagnostics.warnings).any(|other| other.range() == range) {
            diagnostics.failures += 1;
            if is_decorator {
                diagnostics.push(error);
            } else {
                error.severity = Severity::Warning;
                diagnostics.push_warning(error);
            }
        }
        let place = self.state.statement.unwrap_or_else(|| range.into());
        self.state.pending = Some(Placeholder::new(Cause::Statement("it has a mistake".into()), place));
        Reported(())
    }
}

/// Returns the name if it is one of [`PYTHON_NAMES`].
pub(super) fn python_name(name: &str) -> Option<&'static str> {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| PYTHON_NAMES.split(' ').collect());
    NAMES.get(name).copied()
}

/// Names that Python or a notebook binds and the evaluator lacks, separated by spaces.
const PYTHON_NAMES: &str = "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError \
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionError DeprecationWarning EOFError \
    EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError \
    FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError \
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError \
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError \
    OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError \
    ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration \
    SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning \
    ValueError Warning ZeroDivisionError aiter anext breakpoint bytearray compile complex \
    copyright credits dir display eval exec exit get_ipython globals help input license \
    locals memoryview open quit";
