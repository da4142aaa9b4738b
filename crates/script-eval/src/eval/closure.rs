//! Host functions: `def` and `lambda`.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{BuildError, CallArgs, Dict, DictKey, HostObject, ScriptValue, release};

use super::arguments::is_positional;
use super::class::MethodKind;
use super::function_attributes::OWN;
use super::generator::Generator;
use super::placeholder::as_placeholder;
use super::{Context, Env, Locals, Raise};
use crate::binding::Binding;
use crate::errors::EvalResult;
use crate::id_hash::IdMap;
use crate::program::Helper;
use crate::python::{Outcome, cost};
use crate::{Eval, EvalState, Position, Program};
use tvmscript_python_syntax::ast::{
    Ast, Constant, Expr, ExprId, FunctionDef, List, Name, ParamKind, Parameter, Stmt, StmtId, TextRange,
};
use tvmscript_python_syntax::walk;

/// The code of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    Expr(ExprId),
    Stmts(List<StmtId>),
}

/// A host function.
pub(crate) struct Closure {
    pub(super) program: Rc<Program>,
    pub(crate) name: Box<str>,
    /// The name with its enclosing functions and classes, as in messages.
    pub(crate) qualified: Rc<str>,
    /// Its definition; `None` for lambdas.
    pub(crate) def: Option<StmtId>,
    /// The path of its definition, e.g. `TestSplit.helper`.
    pub(crate) path: Rc<str>,
    pub(crate) kind: MethodKind,
    pub(crate) params: List<Parameter>,
    body: Body,
    pub(crate) locals: Rc<Locals>,
    /// Default values by parameter.
    pub(crate) defaults: Vec<Option<ScriptValue>>,
    pub(crate) env: Option<Rc<Env>>,
    /// `true` if a call makes a context manager of the generator.
    is_context_manager: bool,
    /// Attributes that host code has set: `f.calls = 0`.
    attributes: OnceCell<Rc<RefCell<Dict>>>,
    /// Attributes that every function has and that host code has set: `f.__name__ = "g"`.
    own: Rc<RefCell<Dict>>,
    call: OnceCell<Rc<Call>>,
    /// Its code as a generator, if it is a generator function.
    generator: Option<List<StmtId>>,
    /// `true` if decorated with `abc.abstractmethod`.
    pub(crate) is_abstract: std::cell::Cell<bool>,
}

/// The code of a call and its place in the text.
#[derive(Debug, Clone)]
pub(super) struct Call {
    path: Rc<str>,
    def: Option<StmtId>,
    range: TextRange,
    pub(super) body: Body,
}

impl HostObject for Closure {
    fn type_name(&self) -> &str {
        "a function"
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
        self.program.call_back(|parser| match parser.call_closure(self, args) {
            Ok(value) => Ok(value),
            Err(raise) => Err(parser.raise(self.range(), None, raise)),
        })
    }

    /// `__parameters__` returns the parameter names, `__positional__` those of positional parameters; dialects name variables
    /// after them.
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if let Some(value) = self.own_attribute(name) {
            return Some(value);
        }
        if let Some(attributes) = self.attributes.get()
            && let Some(value) = attributes.borrow().get(&DictKey::text(name))
        {
            return Some(value.clone());
        }
        let names = || self.parameter_names().into_iter().map(|n| ScriptValue::str(&n));
        match name {
            "__name__" => Some(ScriptValue::str(&self.name)),
            "__qualname__" => Some(ScriptValue::str(&self.qualified)),
            "__module__" => Some(ScriptValue::str("__main__")),
            "__doc__" => Some(self.doc()),
            "__parameters__" => Some(ScriptValue::tuple(names())),
            "__positional__" => {
                let ast = &self.program.ast;
                let positional = ast.list(self.params).iter().filter(|param| is_positional(param));
                Some(ScriptValue::tuple(positional.map(|param| ScriptValue::str(ast.name(param.name)))))
            }
            _ => None,
        }
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        release(self.defaults.drain(..).flatten());
    }
}

impl Closure {
    /// Sets or, with `None`, deletes an attribute; `false` if there is none to delete.
    pub(crate) fn set_attribute(
        &self,
        program: &Program,
        name: &str,
        value: Option<ScriptValue>,
    ) -> std::result::Result<bool, Raise> {
        if OWN.contains(&name) {
            return self.set_checked(program, name, value);
        }
        let attributes = self.attributes.get_or_init(Rc::default);
        let key = DictKey::text(name);
        if name == "__dict__" {
            return match value {
                Some(ScriptValue::Dict(new)) => {
                    let new = new.borrow().clone();
                    let old = attributes.replace(new);
                    drop(old);
                    Ok(true)
                }
                Some(other) => {
                    Err(wrong_type!("__dict__ must be set to a dictionary, not a '{}'", &other).into())
                }
                None => raise!(Type, "cannot delete __dict__"),
            };
        }
        let Some(value) = value else {
            let old = attributes.borrow_mut().shift_remove(&key);
            return Ok(old.is_some());
        };
        program.budget.allocate(cost::ENTRY_BYTES)?;
        program.keep_container(&ScriptValue::Dict(attributes.clone()), &value)?;
        let old = attributes.borrow_mut().insert(key, value);
        drop(old);
        Ok(true)
    }

    /// Sets or deletes an attribute that every function has.
    fn set_checked(
        &self,
        program: &Program,
        name: &str,
        value: Option<ScriptValue>,
    ) -> std::result::Result<bool, Raise> {
        let value = match (name, value) {
            ("__name__" | "__qualname__", Some(value @ ScriptValue::Str(_))) => value,
            // The name stays as it is.
            (_, Some(value)) if as_placeholder(&value).is_some() => return Ok(true),
            ("__name__" | "__qualname__", _) => raise!(Type, "{name} must be set to a string object"),
            ("__defaults__", Some(value @ (ScriptValue::None | ScriptValue::Tuple(_)))) => value,
            ("__defaults__", Some(_)) => raise!(Type, "{name} must be set to a tuple object"),
            (
                "__kwdefaults__" | "__annotations__",
                Some(value @ (ScriptValue::None | ScriptValue::Dict(_))),
            ) => value,
            ("__kwdefaults__" | "__annotations__", Some(_)) => {
                raise!(Type, "{name} must be set to a dict object")
            }
            ("__annotations__", None) => ScriptValue::dict([]),
            (_, value) => value.unwrap_or_default(),
        };
        self.set_own(program, name, value)?;
        Ok(true)
    }

    /// Sets an attribute that every function has.
    pub(crate) fn set_own(
        &self,
        program: &Program,
        name: &str,
        value: ScriptValue,
    ) -> std::result::Result<(), Raise> {
        program.budget.allocate(cost::ENTRY_BYTES)?;
        program.keep_container(&ScriptValue::Dict(self.own.clone()), &value)?;
        let old = self.own.borrow_mut().insert(DictKey::text(name), value);
        drop(old);
        Ok(())
    }

    /// An attribute that every function has and that was set.
    pub(crate) fn own_attribute(&self, name: &str) -> Option<ScriptValue> {
        let own = self.own.borrow();
        if own.is_empty() { None } else { own.get(&DictKey::text(name)).cloned() }
    }

    /// The attributes that host code has set, as a dictionary.
    pub(crate) fn attributes(&self) -> Rc<RefCell<Dict>> {
        self.attributes.get_or_init(Rc::default).clone()
    }

    /// The default value of a parameter. Those that were set as `__defaults__` or `__kwdefaults__` come first.
    pub(super) fn default_of(&self, ast: &Ast, index: usize) -> Option<ScriptValue> {
        let as_defined = || self.defaults.get(index).cloned().flatten();
        if self.own.borrow().is_empty() {
            return as_defined();
        }
        let params = ast.list(self.params);
        let param = params.get(index)?;
        match param.kind {
            ParamKind::KeywordOnly => match self.own_attribute("__kwdefaults__") {
                Some(ScriptValue::Dict(dict)) => {
                    dict.borrow().get(&DictKey::text(ast.name(param.name))).cloned()
                }
                Some(_) => None,
                None => as_defined(),
            },
            _ => match self.own_attribute("__defaults__") {
                Some(ScriptValue::Tuple(values)) => {
                    let positional = params.iter().filter(|p| is_positional(p)).count();
                    values.get((index + values.len()).checked_sub(positional)?).cloned()
                }
                Some(_) => None,
                None => as_defined(),
            },
        }
    }

    /// The statements of a `def`; empty for a lambda.
    pub(crate) fn body(&self) -> List<StmtId> {
        match self.body {
            Body::Stmts(body) => body,
            Body::Expr(_) => List::default(),
        }
    }

    /// The text that the body begins with.
    fn doc(&self) -> ScriptValue {
        let ast = &self.program.ast;
        match ast.list(self.body()).first().map(|id| *ast.stmt(*id)) {
            Some(Stmt::Expr(stmt)) => match *ast.expr(stmt.value) {
                Expr::Constant(Constant::Str(text)) => ScriptValue::str(ast.name(text)),
                _ => ScriptValue::None,
            },
            _ => ScriptValue::None,
        }
    }

    /// The range of its code.
    fn range(&self) -> TextRange {
        let ast = &self.program.ast;
        match self.body {
            Body::Expr(id) => ast.range(id),
            Body::Stmts(body) => ast.list(body).first().map_or_else(TextRange::default, |id| ast.range(*id)),
        }
    }

    /// Tests whether a call returns an iterator.
    pub(crate) fn is_generator(&self) -> bool {
        self.generator.is_some()
    }

    /// The function with the decorator `contextmanager`.
    pub(crate) fn as_context_manager(&self) -> Closure {
        Closure {
            program: self.program.clone(),
            name: self.name.clone(),
            def: self.def,
            path: self.path.clone(),
            kind: self.kind,
            params: self.params,
            body: self.body,
            locals: self.locals.clone(),
            defaults: self.defaults.clone(),
            env: self.env.clone(),
            is_context_manager: true,
            attributes: self.attributes.clone(),
            own: self.own.clone(),
            call: OnceCell::new(),
            generator: self.generator,
            qualified: self.qualified.clone(),
            is_abstract: self.is_abstract.clone(),
        }
    }

    fn call_of(&self) -> Rc<Call> {
        let make =
            || Call { path: self.path.clone(), def: self.def, range: self.range(), body: self.body }.into();
        self.call.get_or_init(make).clone()
    }

    pub(crate) fn parameter_names(&self) -> Vec<String> {
        let ast = &self.program.ast;
        ast.list(self.params).iter().map(|p| ast.name(p.name).to_owned()).collect()
    }
}

/// The parameter names of a host function; `None` for other values.
pub fn parameter_names(function: &ScriptValue) -> Option<Vec<String>> {
    function.as_host::<Closure>().map(Closure::parameter_names)
}

/// The definition of a host function.
pub(crate) fn definition_of(function: &ScriptValue) -> Option<StmtId> {
    function.as_host::<Closure>()?.def
}

/// Local names by function, computed once per function.
#[derive(Debug, Default)]
pub(crate) struct LocalNames {
    names: RefCell<IdMap<FunctionId, Rc<Locals>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FunctionId {
    Def(StmtId),
    Lambda(ExprId),
    Comprehension(ExprId),
    Class(StmtId),
}

impl LocalNames {
    fn get(&self, id: FunctionId, find: impl FnOnce() -> Rc<Locals>) -> Rc<Locals> {
        if let Some(names) = self.names.borrow().get(&id) {
            return names.clone();
        }
        let names = find();
        self.names.borrow_mut().insert(id, names.clone());
        names
    }

    pub(crate) fn class(&self, id: StmtId, name: Name, names: impl FnOnce() -> Vec<Name>) -> Rc<Locals> {
        self.get(FunctionId::Class(id), || Locals::of_class(names(), name))
    }

    pub(crate) fn comprehension(&self, id: ExprId, targets: impl FnOnce() -> Vec<Name>) -> Rc<Locals> {
        self.get(FunctionId::Comprehension(id), || Locals::new(targets()))
    }
}

impl Eval<'_> {
    pub(crate) fn eval_lambda(
        &mut self,
        id: ExprId,
        params: List<Parameter>,
        body: ExprId,
    ) -> EvalResult<ScriptValue> {
        let defaults = self.defaults(params)?;
        let ast = self.state.ast.clone();
        let program = self.state.program.clone();
        let code = program.generators.of_lambda(body);
        let locals = program.local_names.get(FunctionId::Lambda(id), || {
            let mut names: Vec<Name> = ast.list(params).iter().map(|p| p.name).collect();
            names.extend(code.into_iter().flat_map(|code| &code.hidden));
            walk::walrus_names(&ast, vec![body], &mut names);
            Locals::of_function(names, Vec::new(), ast.list(params))
        });
        let env = self.capture(&[body]);
        Ok(self.closure(Closure {
            program: self.state.program.clone(),
            name: "<lambda>".into(),
            qualified: format!("{}<lambda>", self.qualified_prefix()).into(),
            def: None,
            path: self.state.path.clone(),
            kind: MethodKind::Plain,
            params,
            body: Body::Expr(body),
            locals,
            defaults,
            env,
            is_context_manager: false,
            attributes: OnceCell::new(),
            own: Rc::default(),
            call: OnceCell::new(),
            generator: code.map(|code| code.body),
            is_abstract: Default::default(),
        }))
    }

    /// Makes the value of a `def` that is not a script.
    pub(crate) fn host_function(
        &mut self,
        id: StmtId,
        def: FunctionDef,
        kind: MethodKind,
    ) -> EvalResult<ScriptValue> {
        let defaults = self.defaults(def.params)?;
        let ast = self.state.ast.clone();
        let program = self.state.program.clone();
        let code = program.generators.of_def(id);
        let locals = program.local_names.get(FunctionId::Def(id), || {
            let mut names: Vec<Name> = ast.list(def.params).iter().map(|p| p.name).collect();
            names.extend(code.into_iter().flat_map(|code| &code.hidden));
            names.extend(walk::bound_names(&ast, def.body));
            Locals::of_function(names, walk::global_names(&ast, def.body), ast.list(def.params))
        });
        Ok(self.closure(Closure {
            program: self.state.program.clone(),
            name: ast.name(def.name).into(),
            qualified: format!("{}{}", self.qualified_prefix(), ast.name(def.name)).into(),
            def: Some(id),
            path: self.state.path_of(def.name).into(),
            kind,
            params: def.params,
            body: Body::Stmts(def.body),
            locals,
            defaults,
            env: self.state.env.clone(),
            is_context_manager: false,
            attributes: OnceCell::new(),
            own: Rc::default(),
            call: OnceCell::new(),
            generator: code.map(|code| code.body),
            is_abstract: Default::default(),
        }))
    }

    /// Makes a closure a value. Its environment lives as long as the program.
    fn closure(&mut self, closure: Closure) -> ScriptValue {
        if let Some(env) = &closure.env {
            self.state.program.keep_environment(env);
        }
        ScriptValue::host(closure)
    }

    /// The qualified name of what is defined here, up to its own name.
    pub(crate) fn qualified_prefix(&self) -> String {
        match &self.state.env {
            Some(env) if self.state.is_local() => env.prefix_inside(),
            _ => String::new(),
        }
    }

    fn defaults(&mut self, params: List<Parameter>) -> EvalResult<Vec<Option<ScriptValue>>> {
        let ast = self.state.ast.clone();
        if ast.list(params).iter().all(|p| p.default.is_none()) {
            return Ok(Vec::new());
        }
        ast.list(params).iter().map(|p| p.default.map(|d| self.eval_inner(d)).transpose()).collect()
    }

    /// The environment of a function defined inside a script body: the current values of the names it mentions.
    pub(crate) fn capture(&mut self, exprs: &[ExprId]) -> Option<Rc<Env>> {
        if self.state.is_local() || !self.host.in_script() {
            return self.state.env.clone();
        }
        let ast = self.state.ast.clone();
        let mut names: Vec<Name> = exprs.iter().flat_map(|expr| walk::names_in(&ast, *expr)).collect();
        // Names that the host defined (`range`) are excluded: in host code they are Python's.
        names.sort_unstable();
        names.dedup();
        let captured: Vec<(Name, Binding)> =
            names.into_iter().filter_map(|name| Some((name, self.host.captured(name)?))).collect();
        if captured.is_empty() {
            return self.state.env.clone();
        }
        let names: Vec<Name> = captured.iter().map(|(name, _)| *name).collect();
        let env = Env::new(Locals::new(names), self.state.env.clone());
        for (name, binding) in captured {
            env.set(name, binding);
        }
        Some(env)
    }

    /// Runs `f` with `env` as the only host variables.
    pub(crate) fn in_environment<R>(&mut self, env: Option<Rc<Env>>, f: impl FnOnce(&mut Self) -> R) -> R {
        let env = std::mem::replace(&mut self.state.env, env);
        let position = self.state.move_by(Position::inside);
        let result = f(self);
        self.state.move_to(position);
        self.state.env = env;
        result
    }

    pub(crate) fn call_closure(&mut self, closure: &Closure, args: CallArgs) -> Outcome {
        if self.state.is_tolerant() {
            self.may_call(closure)?;
        }
        let opaque = closure
            .def
            .and_then(|def| self.state.explorer.opaque.get(&def))
            .filter(|_| self.state.is_tolerant())
            .cloned();
        if let Some(placeholder) = opaque {
            // Runs the body for the scripts in it.
            if !closure.is_generator()
                && let Ok(env) = self.bind_arguments(closure, args)
            {
                let result = self.run_closure(closure, env);
                self.state.pending = None;
                if matches!(result, Err(ref raise) if !matches!(raise, Raise::Reported | Raise::Unknown(_))) {
                    result?;
                }
            }
            return Err(Raise::Unknown(placeholder));
        }
        let env = self.bind_arguments(closure, args)?;
        self.run_closure(closure, env)
    }

    fn run_closure(&mut self, closure: &Closure, env: Rc<Env>) -> Outcome {
        let call = closure.call_of();
        if let Some(code) = closure.generator {
            let generator = self.new_generator(Generator::new(call, env, code))?;
            return Ok(match closure.is_context_manager {
                true => ScriptValue::host(Context::Generator(generator)),
                false => generator,
            });
        }
        let result = self.in_call(&call, env, |p| match call.body {
            Body::Expr(id) => p.eval_inner(id),
            Body::Stmts(body) => p.run_function(body),
        });
        match result {
            Ok(value) => Ok(match as_placeholder(&value) {
                Some(placeholder) => placeholder.clone().returned_by(closure).value(),
                None => value,
            }),
            Err(Raise::Unknown(placeholder)) => Err(Raise::Unknown(placeholder.returned_by(closure))),
            failed => failed,
        }
    }

    /// Runs code of a function with its variables.
    pub(super) fn in_call<R>(
        &mut self,
        call: &Call,
        env: Rc<Env>,
        f: impl FnOnce(&mut Self) -> EvalResult<R>,
    ) -> Result<R, Raise> {
        let caller = self.state.enter_call(call, env)?;
        let result = with_stack(|| f(self));
        self.state.leave_call(caller);
        Ok(result?)
    }
}

/// The state of the evaluator around a call.
struct Caller {
    position: Position,
    path: Rc<str>,
    env: Option<Rc<Env>>,
    helper: Option<Helper>,
    has_definition: bool,
}

impl EvalState {
    fn enter_call(&mut self, call: &Call, env: Rc<Env>) -> Result<Caller, Raise> {
        self.program.budget.step(1)?;
        self.program.budget.enter_call()?;
        self.explorer.running.extend(call.def);
        self.depth += 1;
        // Code around scripts is not a helper.
        let helper = if self.is_tolerant() { None } else { self.program.enter_helper(call.range) };
        Ok(Caller {
            position: self.move_by(Position::called),
            path: std::mem::replace(&mut self.path, call.path.clone()),
            env: self.env.replace(env),
            helper,
            has_definition: call.def.is_some(),
        })
    }

    fn leave_call(&mut self, caller: Caller) {
        self.move_to(caller.position);
        self.env = caller.env;
        self.program.leave_helper(caller.helper);
        self.depth -= 1;
        if caller.has_definition {
            self.explorer.running.pop();
        }
        self.path = caller.path;
        self.program.budget.leave_call();
    }
}
