//! Exploration of host code that the file does not run, for the scripts in it.
//!
//! Test files define their scripts in functions that nothing calls. Such a function runs once, with placeholders for
//! its parameters. If a condition is unknown, both branches run one after the other, and variables on which they
//! disagree become unknown. Exceptions of the host code around scripts are not errors of the file.
//!
//! Invariant: a function is explored at most once, a loop over an unknown value runs once, and no function calls
//! itself on an uncertain path. The number of steps is that of one run, and is limited as well.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_script_value::ScriptValue;

use super::class::{Instance, MethodKind};
use super::decorator::{FirstValue, Marks};
use super::placeholder::derived;
use super::statement::Flow;
use super::{Cause, Closure, Env, Placeholder, Raise};
use crate::binding::Binding;
use crate::errors::{EvalError, EvalErrorKind, EvalResult, Reported};
use crate::id_hash::{IdMap, IdSet};
use crate::{Eval, Position};
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, List, Name, ParamKind, Stmt, StmtId, TextRange, With};
use tvmscript_python_syntax::walk;

/// Maximum number of steps per explored function, beyond those for the text.
const STEPS: u64 = 500_000;

/// A function that is explored unless something calls it.
pub(crate) struct Unit {
    function: ScriptValue,
    /// The class of a method.
    pub(crate) owner: Option<ScriptValue>,
    marks: Marks,
}

impl Unit {
    fn closure(&self) -> Option<&Closure> {
        self.function.as_host::<Closure>()
    }

    /// Tests whether the function was defined in the class body with these variables.
    pub(crate) fn is_method_of(&self, env: &Rc<Env>) -> bool {
        self.closure().is_some_and(|c| c.env.as_ref().is_some_and(|own| Rc::ptr_eq(own, env)))
    }

    pub(crate) fn is_of(&self, id: StmtId) -> bool {
        self.closure().is_some_and(|c| c.def == Some(id))
    }

    /// Adds what the decorators of its class declare.
    pub(crate) fn add_marks(&mut self, marks: &Marks) {
        self.marks.given.extend(marks.given.iter().cloned());
        self.marks.may_fail |= marks.may_fail;
    }
}

/// Nesting of the explored code in which execution continues after an exception.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Level {
    calls: u32,
    tries: u32,
}

/// State of the exploration, and of paths that may not be taken.
#[derive(Default)]
pub(crate) struct Explorer {
    /// Functions to explore, in order.
    pub(crate) units: Vec<Unit>,
    /// Blocks under `if __name__ == "__main__"`.
    pub(crate) guarded: Vec<List<StmtId>>,
    /// Functions that were called.
    pub(crate) called: IdSet<StmtId>,
    pub(crate) explored: IdSet<StmtId>,
    /// Decorated definitions that were read.
    pub(crate) read: IdSet<StmtId>,
    /// `true` if definitions in `read` are skipped.
    pub(crate) skips_read: bool,
    /// Asynchronous functions; calling one does not run it.
    pub(crate) asynchronous: IdSet<StmtId>,
    /// Functions with an unknown decorator, whose results are unknown.
    pub(crate) opaque: IdMap<StmtId, Placeholder>,
    /// Functions that are running.
    pub(crate) running: Vec<StmtId>,
    /// Nesting of the explored code.
    pub(crate) level: Level,
    /// Above zero on paths that may not be taken.
    pub(crate) uncertain: u32,
    /// Above zero where errors are expected.
    pub(crate) may_fail: u32,
    /// Values returned on such paths by the running function, with the reason for the uncertainty.
    pub(crate) returns: Vec<(ScriptValue, Placeholder)>,
    /// `true` if the running loop was left on such a path.
    pub(crate) is_loop_unsure: bool,
    /// Cached names that the file binds at module level.
    pub(crate) module_names: Option<HashSet<Name>>,
    /// A function whose exploration exceeded its steps.
    pub(crate) cut_short: Option<TextRange>,
    /// Steps withheld from explored code.
    reserve: u64,
    /// `true` if explored code has used up its steps.
    pub(super) is_tired: bool,
    /// Scripts that need arguments, with their notes; dropped if the script is read with arguments later.
    pub(crate) needy: Vec<(StmtId, EvalError)>,
    /// Cached first values of declared test parameters.
    pub(super) parameters: Option<HashMap<Name, FirstValue>>,
    /// Definitions that were read without errors.
    pub(crate) built: IdSet<StmtId>,
}

impl Eval<'_> {
    /// Schedules a function for exploration.
    pub(crate) fn add_unit(&mut self, function: &ScriptValue, marks: Marks) {
        let unit = Unit { function: function.clone(), owner: None, marks };
        // Functions of other modules are not explored.
        let start = unit.closure().and_then(|c| c.def).map(|def| self.state.ast.range(def).start);
        if start.is_none_or(|start| self.state.program.parts.at(start).is_none()) {
            self.state.explorer.units.push(unit);
        }
    }

    /// Explores everything the module level did not run: the block under `if __name__ == "__main__"`, then all
    /// functions that nothing calls, nested ones after their enclosing functions.
    pub fn explore_all(&mut self) {
        for body in std::mem::take(&mut self.state.explorer.guarded) {
            self.explore(|p| p.exec_body(body).map(drop));
        }
        // Functions that others call come last, in reverse order: their callers may provide arguments.
        let called = if self.state.explorer.units.len() > 1 {
            walk::called_names(&self.state.ast)
        } else {
            Default::default()
        };
        let mut deferred = Vec::new();
        let mut next = 0;
        while !self.state.is_exhausted() {
            let Some(index) =
                (if next < self.state.explorer.units.len() { Some(next) } else { deferred.pop() })
            else {
                break;
            };
            let Some(unit) = self.state.explorer.units.get(index) else { break };
            if index == next {
                next += 1;
                if unit.closure().is_some_and(|c| {
                    c.def.and_then(|def| name_of(&self.state.ast, def)).is_some_and(|n| called.contains(&n))
                }) {
                    deferred.push(index);
                    continue;
                }
            }
            let (function, owner, marks) = (unit.function.clone(), unit.owner.clone(), unit.marks.clone());
            let Some(closure) = function.as_host::<Closure>() else { continue };
            let Some(def) = closure.def else { continue };
            let is_new = self.state.explorer.explored.insert(def);
            let is_called = self.state.explorer.called.contains(&def);
            // Of a called function, only definitions that no call reached are explored.
            if !is_new || is_called && !has_unread(&self.state.ast, closure.body(), &self.state.explorer.read)
            {
                continue;
            }
            let skip = std::mem::replace(&mut self.state.explorer.skips_read, is_called);
            let run = |p: &mut Self| p.explore(|p| p.explore_function(closure, owner, &marks));
            if marks.may_fail {
                self.expecting_failure(run)
            } else {
                run(self)
            }
            self.state.explorer.skips_read = skip;
        }
        for (id, note) in std::mem::take(&mut self.state.explorer.needy) {
            if !self.state.explorer.built.contains(&id) {
                self.state.diagnostics.warnings.push(note);
            }
        }
        if let Some(range) = self.state.explorer.cut_short.take() {
            let reason = "this takes too many steps to be evaluated".to_owned();
            self.state
                .diagnostics
                .warnings
                .push(EvalError::warning(EvalErrorKind::NotEvaluated { reason }, range));
        }
    }

    /// Runs host code that the file does not run.
    fn explore(&mut self, f: impl FnOnce(&mut Self) -> EvalResult<()>) {
        let level = self.level();
        let before = std::mem::replace(&mut self.state.explorer.level, level);
        let position = self.state.move_by(Position::explored);
        self.state.explorer.reserve = self.state.program.budget.begin_slice(STEPS);
        self.state.explorer.is_tired = false;
        let _ = f(self);
        let reserve = std::mem::take(&mut self.state.explorer.reserve);
        self.state.program.budget.end_slice(reserve);
        self.state.explorer.is_tired = false;
        self.state.move_to(position);
        self.state.explorer.level = before;
        self.drop_raised();
        self.state.pending = None;
        self.host.explored();
    }

    fn explore_function(
        &mut self,
        closure: &Closure,
        owner: Option<ScriptValue>,
        marks: &Marks,
    ) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        let env = Env::new(closure.locals.clone(), closure.env.clone());
        for (index, param) in ast.list(closure.params).iter().enumerate() {
            let name = ast.name(param.name);
            let is_first = index == 0 && owner.is_some() && closure.kind != MethodKind::Static;
            let given = marks.given.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
            let default = closure.defaults.get(index).cloned().flatten();
            let is_plain = !matches!(param.kind, ParamKind::VarArgs | ParamKind::KwArgs);
            let given = given.or(default).or_else(|| self.declared_parameter(param.name));
            let value = match (&owner, given) {
                (Some(class), _) if is_first && closure.kind == MethodKind::Class => class.clone(),
                (Some(class), _) if is_first => Instance::explored(class.clone()),
                (_, Some(value)) if is_plain => value,
                _ => {
                    let (name, function) = (name.into(), closure.path.clone());
                    let cause = Cause::Parameter { name, function, argument: None };
                    Placeholder::new(cause, ast.range(param.place)).value()
                }
            };
            env.set(param.name, Binding::of(value));
        }
        let path = std::mem::replace(&mut self.state.path, closure.path.clone());
        self.state.depth += 1;
        self.state.explorer.running.extend(closure.def);
        let result = self.in_environment(Some(env), |p| p.run_function(closure.body()));
        if closure.def.is_some() {
            self.state.explorer.running.pop();
        }
        self.state.depth -= 1;
        self.state.path = path;
        result.map(drop)
    }

    /// Runs code in which errors are expected; they and wrong scripts are dropped.
    pub(crate) fn expecting_failure(&mut self, f: impl FnOnce(&mut Self)) {
        let (errors, warnings, failures) = (
            self.state.diagnostics.errors.len(),
            self.state.diagnostics.warnings.len(),
            self.state.diagnostics.failures,
        );
        let needy = self.state.explorer.needy.len();
        self.state.explorer.may_fail += 1;
        f(self);
        self.state.explorer.may_fail -= 1;
        self.state.diagnostics.errors.truncate(errors);
        self.state.diagnostics.warnings.truncate(warnings);
        self.state.explorer.needy.truncate(needy);
        self.state.diagnostics.failures = failures;
    }

    fn level(&self) -> Level {
        Level { calls: self.state.program.budget.calls(), tries: self.state.program.budget.open_tries() }
    }

    /// Drops the exceptions of explored code and returns the first.
    fn drop_raised(&mut self) -> Option<EvalError> {
        let mut raised = std::mem::take(&mut self.state.diagnostics.raised);
        let is_limit = |e: &&EvalError| super::cut_short::exceeded(&e.kind).is_some();
        if let Some(error) = raised.iter().find(is_limit) {
            self.state.explorer.cut_short.get_or_insert(error.range().into());
        }
        if raised.is_empty() { None } else { Some(raised.swap_remove(0)) }
    }

    /// Refills the steps of explored code that used them up. Calls and loops in the rest of it are not evaluated, so
    /// that the steps suffice for its scripts.
    #[cold]
    pub(crate) fn hurry(&mut self, id: StmtId) {
        let level = self.level();
        if self.state.explorer.is_tired || level != self.state.explorer.level {
            return;
        }
        self.state.explorer.is_tired = true;
        let range = self.shown_range(id);
        self.state.explorer.cut_short.get_or_insert(range);
        let reserve = std::mem::take(&mut self.state.explorer.reserve);
        self.state.program.budget.end_slice(reserve);
        self.state.explorer.reserve = self.state.program.budget.begin_slice(STEPS);
    }

    /// Returns the reason for not running a loop of explored code, if its steps are used up.
    pub(crate) fn in_hurry(&self) -> Option<Placeholder> {
        let place = self.state.statement.unwrap_or_default();
        let reason = "it takes too many steps";
        self.state.explorer.is_tired.then(|| Placeholder::new(Cause::Statement(reason.into()), place))
    }

    /// Continues after a failed statement of host code; the names it binds become unknown.
    ///
    /// # Errors
    /// Fails if Python would not continue after the statement.
    pub(crate) fn behind_failed(&mut self, id: StmtId, reported: Reported) -> EvalResult<()> {
        let range = self.shown_range(id);
        if let Some(mut placeholder) = self.state.pending.take() {
            if !matches!(placeholder.cause, Cause::Parameter { .. }) {
                placeholder = derived(placeholder, range);
            }
            self.state.bind_names(id, &Binding::Unknown(Rc::new(placeholder)));
            return Ok(());
        }
        let level = self.level();
        if !self.state.is_exploring() || level != self.state.explorer.level {
            return Err(reported);
        }
        let binding = match self.drop_raised() {
            Some(error) => {
                let reason = format!("it raises: {error}");
                Binding::Unknown(Rc::new(Placeholder::new(Cause::Statement(reason.into()), range)))
            }
            None => Binding::Poison,
        };
        self.state.bind_names(id, &binding);
        Ok(())
    }

    pub(super) fn shown_range(&self, id: StmtId) -> TextRange {
        use tvmscript_python_syntax::ast::HasRange;
        id.shown_in(&self.state.ast, self.state.program.text())
    }

    /// Adds the current statement to a placeholder that is assigned to a name.
    pub(crate) fn with_statement(&self, value: ScriptValue) -> ScriptValue {
        match (super::placeholder::as_placeholder(&value), self.state.statement) {
            (Some(placeholder), Some(statement)) => match placeholder.cause {
                Cause::Module(_) => derived(placeholder.clone(), statement).value(),
                _ => value,
            },
            _ => value,
        }
    }

    /// Checks a call on a path that may not be taken or that only explores.
    ///
    /// # Errors
    /// Fails if the call must not run: of an asynchronous function, or a running function on an
    /// uncertain path.
    pub(crate) fn may_call(&mut self, closure: &Closure) -> Result<(), Raise> {
        let Some(def) = closure.def else { return Ok(()) };
        let reason = if self.state.explorer.asynchronous.contains(&def) {
            "asynchronous functions are not evaluated"
        } else if self.state.explorer.uncertain > 0 && self.state.explorer.running.contains(&def) {
            "a function that may call itself is not evaluated"
        } else if self.state.explorer.is_tired {
            "it takes too many steps"
        } else {
            self.state.explorer.called.insert(def);
            return Ok(());
        };
        let place = self.state.statement.unwrap_or_default();
        Err(Raise::Unknown(Placeholder::new(Cause::Statement(reason.into()), place)))
    }

    /// Runs a `with` statement whose context expects an exception (`pytest.raises(..)`). Errors in its body are dropped.
    pub(super) fn exec_expecting(&mut self, stmt: With) -> EvalResult<Flow> {
        let ast = self.state.ast.clone();
        for item in ast.list(stmt.items) {
            let value = self.eval(item.context)?;
            let Some(target) = item.target else { continue };
            let entered = match self.state.unknown(&value) {
                Some(placeholder) => placeholder.value(),
                None => {
                    let cause = Cause::Statement("what `with` enters is not evaluated".into());
                    Placeholder::new(cause, self.state.ast.range(item.context)).value()
                }
            };
            self.assign_target(target, entered)?;
        }
        self.expecting_failure(|p| {
            let level = p.level();
            let before = std::mem::replace(&mut p.state.explorer.level, level);
            let position = p.state.move_by(Position::explored);
            let _ = p.exec_body(stmt.body);
            p.state.move_to(position);
            p.state.explorer.level = before;
            p.drop_raised();
            p.state.pending = None;
        });
        Ok(Flow::Next)
    }

    /// Tests for `pytest.raises(..)` and similar calls.
    pub(super) fn expects_exception(&self, context: ExprId) -> bool {
        let Expr::Call { func, .. } = *self.state.ast.expr(context) else { return false };
        let name = match *self.state.ast.expr(func) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => self.state.ast.name(name),
            _ => return false,
        };
        matches!(name, "raises" | "assertRaises" | "assertRaisesRegex")
    }

    /// Marks a definition as read; returns `true` if it must be skipped because it was read before.
    pub(crate) fn mark_read(&mut self, id: StmtId) -> bool {
        let is_new = self.state.explorer.read.insert(id);
        self.state.explorer.skips_read && !is_new
    }

    /// Tests whether an unsupported statement contains a decorated script, judging by its text: its syntax tree was
    /// not kept.
    pub(crate) fn unread_definition(&self, id: StmtId) -> bool {
        let start = self.state.ast.range(id).start as usize;
        let before = self.state.program.text().get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = before[..line_start].lines().rev().map(str::trim);
        let own = before[line_start..].trim();
        let decorates = |line: &str| {
            line.strip_prefix('@').is_some_and(|decorator| self.host.is_script_decorator(decorator))
        };
        let text = self.state.program.text_of(self.state.ast.range(id));
        decorates(own) || decorates(text) || lines.next().is_some_and(decorates)
    }
}

/// Tests whether these statements contain, at any depth, a decorated definition that is not in `read`.
pub(crate) fn has_unread(ast: &Ast, body: List<StmtId>, read: &IdSet<StmtId>) -> bool {
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    std::iter::from_fn(|| next_decorated(ast, &mut work)).any(|(id, _)| !read.contains(&id))
}

/// The next decorated definition in these statements, at any depth, with its decorators. Definitions inside a script are
/// not scripts of their own.
pub(super) fn next_decorated(ast: &Ast, work: &mut Vec<StmtId>) -> Option<(StmtId, List<ExprId>)> {
    while let Some(id) = work.pop() {
        let decorators = match ast.stmt(id) {
            Stmt::FunctionDef(s) => s.decorators,
            Stmt::ClassDef(s) => s.decorators,
            _ => List::default(),
        };
        if !decorators.is_empty() {
            return Some((id, decorators));
        }
        ast.inner_stmts(id, work);
    }
    None
}

fn name_of(ast: &Ast, def: StmtId) -> Option<Name> {
    match ast.stmt(def) {
        Stmt::FunctionDef(def) => Some(def.name),
        _ => None,
    }
}
