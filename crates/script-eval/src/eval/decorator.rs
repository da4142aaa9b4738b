//! Decorators of host code: Python's own and those of test frameworks.

use std::collections::HashMap;

use tvmscript_python_syntax::ast::{Ast, Constant, Expr, ExprId, FunctionDef, List, Name, Stmt, StmtId};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::class::natives::Generated;
use super::class::{BoundMethod, ClassObject, Instance};
use super::placeholder::as_placeholder;
use super::{Cause, Closure, Placeholder};
use crate::errors::{EvalError, EvalErrorKind, EvalResult, HostErrorKind};
use crate::python;
use crate::python::builtins::Builtin;
use crate::{Eval, Position};

/// Properties of a test that its decorators declare.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Parameters with their first values.
    pub(super) given: Vec<(String, ScriptValue)>,
    /// `true` if the test is expected to fail.
    pub(super) may_fail: bool,
}

/// The unevaluated first value of a test parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstValue {
    value: ExprId,
    /// Index into the value, if several parameters share it.
    index: Option<usize>,
}

impl Eval<'_> {
    /// The first value of a parameter that the file declares by `n = testing.parameter(4, 8)` or `n, m =
    /// testing.parameters((4, 2), (8, 3))`, at module level or in a class.
    pub(super) fn declared_parameter(&mut self, name: Name) -> Option<ScriptValue> {
        if self.state.explorer.parameters.is_none() {
            self.state.explorer.parameters =
                Some(declared_parameters(&self.state.ast, self.host.modules().parameter_functions()));
        }
        let first = *self.state.explorer.parameters.as_ref()?.get(&name)?;
        // The expression may use names of the class around it, which are not defined here; that is no warning.
        let (warnings, failures) = (self.state.diagnostics.warnings.len(), self.state.diagnostics.failures);
        let value = self.in_environment(None, |p| p.eval(first.value));
        if self.state.diagnostics.warnings.len() > warnings {
            self.state.diagnostics.warnings.truncate(warnings);
            self.state.diagnostics.failures = failures;
        }
        self.state.pending = None;
        let value = match first.index {
            None => value.ok()?,
            Some(index) => value.ok()?.items()?.into_iter().nth(index)?,
        };
        self.state.unknown(&value).is_none().then_some(value)
    }

    /// Collects what the decorators of a test declare.
    pub(crate) fn test_marks(&mut self, decorators: List<ExprId>) -> EvalResult<Marks> {
        let ast = self.state.ast.clone();
        let mut marks = Marks::default();
        for decorator in ast.list(decorators) {
            let (func, args) = match *ast.expr(*decorator) {
                Expr::Call { func, args, .. } => (func, Some(args)),
                _ => (*decorator, None),
            };
            let Expr::Attribute { attr, .. } = *ast.expr(func) else { continue };
            match (ast.name(attr), args) {
                ("xfail" | "skip", _) => marks.may_fail = true,
                ("parametrize", Some(args)) => self.first_parameters(ast.list(args), &mut marks.given)?,
                _ => {}
            }
        }
        Ok(marks)
    }

    /// `parametrize("a, b", [(1, 2), ..])` sets `a` to 1 and `b` to 2.
    fn first_parameters(
        &mut self,
        args: &[ExprId],
        given: &mut Vec<(String, ScriptValue)>,
    ) -> EvalResult<()> {
        let [names, sets, ..] = args else { return Ok(()) };
        let ast = self.state.ast.clone();
        let names: Vec<String> = match *ast.expr(*names) {
            Expr::Constant(Constant::Str(text)) => {
                ast.name(text).split(',').map(|name| name.trim().to_owned()).collect()
            }
            Expr::Tuple { elts } | Expr::List { elts } => {
                let text = |elt: &ExprId| match *ast.expr(*elt) {
                    Expr::Constant(Constant::Str(text)) => ast.name(text).to_owned(),
                    _ => String::new(),
                };
                ast.list(elts).iter().map(text).collect()
            }
            _ => return Ok(()),
        };
        let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let (Expr::List { elts } | Expr::Tuple { elts }) = *ast.expr(*sets) else {
            let sets = self.eval(*sets)?;
            let first = sets.items().and_then(|sets| sets.into_iter().next());
            self.give(names, first, given);
            return Ok(());
        };
        let Some(first) = ast.list(elts).first() else { return Ok(()) };
        // `pytest.param(1, 2, id="small")` is the tuple `(1, 2)`.
        let set = match *ast.expr(*first) {
            Expr::Call { func, args, .. } if self.is_param(func) => {
                let mut values = Vec::new();
                for arg in ast.list(args) {
                    values.push(self.eval(*arg)?);
                }
                if names.len() == 1 { values.into_iter().next() } else { Some(ScriptValue::tuple(values)) }
            }
            _ => Some(self.eval(*first)?),
        };
        self.give(names, set, given);
        Ok(())
    }

    fn is_param(&self, func: ExprId) -> bool {
        matches!(*self.state.ast.expr(func), Expr::Attribute { attr, .. } if self.state.ast.name(attr) == "param")
    }

    fn give(&self, mut names: Vec<String>, set: Option<ScriptValue>, given: &mut Vec<(String, ScriptValue)>) {
        let Some(set) = set.filter(|set| self.state.unknown(set).is_none()) else { return };
        if names.len() == 1 {
            given.extend(names.pop().map(|name| (name, set)));
            return;
        }
        given.extend(names.into_iter().zip(set.items().unwrap_or_default()));
    }

    /// Tests whether an unknown decorator returns a function with the same results.
    fn is_transparent(&self, decorator: &Placeholder) -> bool {
        const TRANSPARENT: &[&str] = &["functools.", "pytest.", "abc.", "typing."];
        match &decorator.cause {
            Cause::Module(path) => {
                TRANSPARENT.iter().any(|prefix| path.starts_with(prefix))
                    || self.host.modules().is_transparent(path)
            }
            _ => false,
        }
    }

    /// Applies the decorators of host code to a definition, innermost first.
    pub(crate) fn decorate(
        &mut self,
        mut value: ScriptValue,
        decorators: &[(ExprId, ScriptValue)],
    ) -> EvalResult<ScriptValue> {
        for (at, decorator) in decorators.iter().rev() {
            match as_placeholder(decorator).map(|placeholder| &placeholder.cause) {
                // The host's, which makes something else of the definition, such as a macro.
                Some(Cause::LeftOut(_)) => {
                    value = decorator.clone();
                    continue;
                }
                // An unknown decorator is assumed to return the definition. The results of calls are unknown.
                _ if !is_applied(decorator) => {
                    if let Some(placeholder) =
                        self.state.unknown(decorator).filter(|p| !self.is_transparent(p))
                        && let Some(def) = super::closure::definition_of(&value)
                    {
                        self.state.explorer.opaque.insert(def, placeholder);
                    }
                    continue;
                }
                _ => {}
            }
            let result = self.call(decorator, CallArgs::positional([value.clone()]), *at);
            match result {
                Ok(result) if self.state.unknown(&result).is_none() => value = result,
                Ok(_) => {}
                Err(reported) if self.state.pending.take().is_none() => return Err(reported),
                Err(_) => {}
            }
        }
        Ok(value)
    }
}

/// Tests whether a decorator is a value of Python, which is called with the definition.
fn is_applied(decorator: &ScriptValue) -> bool {
    let ScriptValue::Host(host) = decorator else { return false };
    let any = host.as_any();
    any.is::<Closure>()
        || any.is::<Builtin>()
        || any.is::<BoundMethod>()
        || any.is::<ClassObject>()
        || any.is::<Generated>()
        || python::is_decorator(decorator)
        || any.is::<Instance>() && host.is_callable()
}

/// Finds the test parameters that the file declares.
fn declared_parameters(ast: &Ast, functions: Option<(&str, &str)>) -> HashMap<Name, FirstValue> {
    let mut found = HashMap::new();
    let Some((parameter, parameters)) = functions else { return found };
    let mut work: Vec<StmtId> = ast.module_body().to_vec();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::ClassDef(def) => work.extend(ast.list(def.body)),
            Stmt::Assign(stmt) => {
                let Expr::Call { func, args, .. } = *ast.expr(stmt.value) else { continue };
                let Expr::Attribute { attr, .. } = *ast.expr(func) else { continue };
                let Some(value) = ast.list(args).first().copied() else { continue };
                for target in ast.list(stmt.targets) {
                    match (ast.name(attr), *ast.expr(*target)) {
                        (name_of, Expr::Name(name)) if name_of == parameter => {
                            found.insert(name, FirstValue { value, index: None });
                        }
                        (name_of, Expr::Tuple { elts }) if name_of == parameters => {
                            for (index, elt) in ast.list(elts).iter().enumerate() {
                                if let Expr::Name(name) = *ast.expr(*elt) {
                                    found.insert(name, FirstValue { value, index: Some(index) });
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The decorators of a definition of host code.
#[derive(Default)]
pub(crate) struct Decorators {
    /// The host's decorator, which makes it a script.
    pub(crate) script: Option<(ExprId, ScriptValue)>,
    /// Other decorators, in order.
    pub(crate) others: Vec<(ExprId, ScriptValue)>,
}

impl Eval<'_> {
    /// Evaluates the decorators of a definition of host code. The last one of the host decides.
    ///
    /// # Errors
    /// Fails if one cannot be evaluated or is not a decorator.
    pub(crate) fn decorators(&mut self, decorators: List<ExprId>) -> EvalResult<Decorators> {
        let ast = self.state.ast.clone();
        let mut found = Decorators::default();
        let list = ast.list(decorators);
        let mut last = None;
        // A host function that a script calls may only define scripts.
        if !self.state.is_tolerant()
            && let Some(at) = list.last()
            && (list.len() == 1 || self.names_host_value(*at))
        {
            let value = self.decorator_value(*at)?;
            if self.host.is_decorator(&value) {
                return Ok(Decorators { script: Some((*at, value)), others: Vec::new() });
            }
            last = Some(value);
        }
        for (index, at) in list.iter().enumerate() {
            let value = match last.take_if(|_| index + 1 == list.len()) {
                Some(value) => value,
                None => self.decorator_value(*at)?,
            };
            if self.host.is_decorator(&value) {
                found.script = Some((*at, value));
            } else if self.may_decorate(&value) {
                found.others.push((*at, value));
            } else {
                let what = self.state.describe(&value);
                let reported = self.state.error(*at, EvalErrorKind::NotADecorator { what });
                self.keep_decorator_error();
                return Err(reported);
            }
        }
        Ok(found)
    }

    /// Tests whether an expression is a member of a namespace of the host or a call of one, which may make scripts.
    fn names_host_value(&self, mut at: ExprId) -> bool {
        loop {
            at = match *self.state.ast.expr(at) {
                Expr::Attribute { value, .. } => value,
                Expr::Call { func, .. } => func,
                Expr::Name(name) => {
                    return match self.state.host_binding(name) {
                        crate::Binding::Value(value) => {
                            self.host.is_namespace(&value)
                                || self.host.is_decorator(&value)
                                || self.state.unknown(&value).is_some()
                        }
                        _ => false,
                    };
                }
                _ => return false,
            };
        }
    }

    fn decorator_value(&mut self, at: ExprId) -> EvalResult<ScriptValue> {
        let before = self.state.move_by(Position::decorator);
        let value = self.eval(at);
        self.state.move_to(before);
        value.inspect_err(|_| self.keep_decorator_error())
    }

    /// Tests whether a value can decorate host code. Where placeholders are tolerated, it may be unknown.
    fn may_decorate(&self, value: &ScriptValue) -> bool {
        let ScriptValue::Host(host) = value else { return false };
        match self.state.is_tolerant() {
            true => !self.host.is_namespace(value),
            false => host.is_callable() && is_applied(value),
        }
    }

    /// Reports the error of a decorator even in explored code, since the definition may be a script.
    fn keep_decorator_error(&mut self) {
        if self.state.is_exploring()
            && let Some(error) = self.state.diagnostics.raised.pop()
            && !self.state.diagnostics.errors.contains(&error)
        {
            self.state.diagnostics.errors.push(error);
        }
    }

    /// Reads a script of host code. A script that needs the arguments of an uncalled function gets a note.
    pub(crate) fn host_definition(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &ScriptValue,
    ) -> EvalResult<ScriptValue> {
        if self.mark_read(id) {
            // It was read already, with arguments.
            let cause = Cause::Statement("it is read where the function is called".into());
            return Ok(Placeholder::new(cause, self.state.ast.range(id)).value());
        }
        let errors = self.state.diagnostics.errors.len();
        let result = self.host.read_script(self.state, id, at, decorator);
        match result {
            Ok(_) => drop(self.state.explorer.built.insert(id)),
            Err(_) => {
                if let Some(placeholder) = self.note_needs(id, errors) {
                    return Ok(placeholder.value());
                }
            }
        }
        result
    }

    /// Replaces the errors of a script that needs arguments, or a value that only the run of explored code would give, by
    /// one note, and returns the unknown script. Undefined names remain errors.
    fn note_needs(&mut self, id: StmtId, from: usize) -> Option<Placeholder> {
        let first = self.needed_argument(from).or_else(|| self.needed_value(from))?;
        let is_sure = |e: &EvalError| match &e.kind {
            EvalErrorKind::UndefinedName { .. }
            | EvalErrorKind::NoAttribute { .. }
            | EvalErrorKind::Syntax(_) => true,
            EvalErrorKind::Own(own) => own.is_certain(),
            _ => false,
        };
        let mut index = 0;
        self.state.diagnostics.errors.retain(|e| {
            index += 1;
            index <= from || is_sure(e)
        });
        let name = match *self.state.ast.stmt(id) {
            Stmt::FunctionDef(def) => def.name,
            Stmt::ClassDef(def) => def.name,
            _ => return None,
        };
        let at = first.range();
        let kind = match first.kind {
            EvalErrorKind::NeedsArguments { parameter, function, call, .. } => {
                EvalErrorKind::NeedsArguments { script: self.state.path_of(name), parameter, function, call }
            }
            kind => kind,
        };
        let mut note = EvalError::note_at(kind, at);
        note.notes = first.notes;
        // One note per script, however often its function is explored or called.
        if self.state.explorer.needy.iter().all(|(noted, _)| *noted != id) {
            self.state.explorer.needy.push((id, EvalError { labels: first.labels, ..note }));
        }
        let is_clean = self.state.diagnostics.errors.len() == from;
        let cause = Cause::Statement("it needs what is unknown here".into());
        is_clean.then(|| Placeholder::new(cause, self.state.ast.range(id)))
    }

    /// The error after `from` about an unknown value, or about a name that the file imports, in code that is only explored.
    fn needed_value(&self, from: usize) -> Option<EvalError> {
        let is_value = |e: &EvalError| matches!(e.kind, EvalErrorKind::UnknownValue { .. });
        // A member of an imported module may be misspelled.
        let is_name = |e: &EvalError| !self.state.program.text_of(e.range().into()).contains('.');
        let errors = self.state.diagnostics.errors.get(from..).filter(|_| self.state.is_exploring())?;
        errors.iter().find(|e| is_unknown(e) && (is_value(e) || is_name(e))).cloned()
    }

    /// The error after `from` that an unknown argument explains, as the need for it.
    fn needed_argument(&self, from: usize) -> Option<EvalError> {
        let errors = self.state.diagnostics.errors.get(from..)?;
        let needs = |e: &&EvalError| matches!(e.kind, EvalErrorKind::NeedsArguments { .. });
        if let Some(error) = errors.iter().find(needs) {
            return Some(error.clone());
        }
        let error = errors.iter().find(|error| is_unknown(error))?;
        let kind = self.unknown_parameter()?;
        Some(EvalError { kind, ..error.clone() })
    }

    /// The first parameter of a running function whose value contains an unknown one.
    fn unknown_parameter(&self) -> Option<EvalErrorKind> {
        let ast = &self.state.ast;
        for def in self.state.explorer.running.iter().rev() {
            let Stmt::FunctionDef(def) = *ast.stmt(*def) else { continue };
            for param in ast.list(def.params) {
                let placeholder = match self.state.host_binding(param.name) {
                    crate::Binding::Value(value) => match self.state.unknown_inside(value) {
                        Ok(Some(placeholder)) => placeholder,
                        _ => continue,
                    },
                    // An unknown parameter that unknown code took apart: `call = library.parse(call)`.
                    crate::Binding::Unknown(placeholder)
                        if matches!(placeholder.cause, Cause::Module(_) | Cause::Statement(_)) =>
                    {
                        (*placeholder).clone()
                    }
                    _ => continue,
                };
                return Some(EvalErrorKind::NeedsArguments {
                    script: String::new(),
                    parameter: ast.name(param.name).to_owned(),
                    function: ast.name(def.name).to_owned(),
                    call: placeholder.call(),
                });
            }
        }
        None
    }

    /// Reads a bare method of a comparing test class as a script; `None` for a method without annotations.
    pub(crate) fn bare_script(
        &mut self,
        id: StmtId,
        def: FunctionDef,
        decorator: &ScriptValue,
    ) -> Option<EvalResult<ScriptValue>> {
        let at = self.state.ast.list(def.params).iter().find_map(|param| param.annotation)?;
        self.state.explorer.units.retain(|unit| !unit.is_of(id));
        Some(self.host_definition(id, at, decorator))
    }

    /// Applies a decorator as a call, `decorator(f)`, to a function or class of host code.
    pub(crate) fn decorate_value(
        &mut self,
        decorator: &ScriptValue,
        value: &ScriptValue,
    ) -> Option<EvalResult<ScriptValue>> {
        let id = crate::eval::definition_of(value)?;
        let at = match *self.state.ast.stmt(id) {
            Stmt::FunctionDef(def) => {
                self.state.ast.list(def.params).iter().find_map(|param| param.annotation)?
            }
            _ => return None,
        };
        self.state.explorer.called.insert(id);
        Some(self.host_definition(id, at, decorator))
    }
}

/// Tests for an error about an unknown value, or about code that is not evaluated.
fn is_unknown(error: &EvalError) -> bool {
    match &error.kind {
        EvalErrorKind::UnknownValue { .. } => true,
        EvalErrorKind::Host(error) => error.kind == HostErrorKind::Import,
        _ => false,
    }
}
