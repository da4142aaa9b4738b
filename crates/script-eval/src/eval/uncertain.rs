//! Uncertain paths of host code: conditions and loops over unknown values.
//!
//! Each possible branch runs, one after the other, from the same state. Variables on which they disagree become
//! unknown. An exception ends its branch.

use std::rc::Rc;

use tvmscript_script_value::ScriptValue;

use super::explore::has_unread;
use super::placeholder::derived;
use super::statement::Flow;
use super::{Cause, Placeholder};
use crate::Eval;
use crate::binding::{Binding, same};
use crate::errors::{EvalResult, Reported};
use tvmscript_python_syntax::ast::{ExprId, For, If, List, Name, Stmt, StmtId, While};
use tvmscript_python_syntax::walk;

impl Eval<'_> {
    /// The condition of a statement, or the placeholder if it is unknown.
    pub(crate) fn decide(&mut self, test: ExprId) -> EvalResult<Result<bool, Placeholder>> {
        let value = self.eval(test)?;
        if let ScriptValue::Bool(truth) = value {
            return Ok(Ok(truth));
        }
        if self.state.is_tolerant()
            && let Some(placeholder) = self.state.unknown(&value)
        {
            return Ok(Err(placeholder));
        }
        self.try_at(test, |p| p.truth(&value)).map(Ok)
    }

    /// Runs an `if` whose condition is unknown from clause `at` on: all possible branches run.
    pub(crate) fn uncertain_if(&mut self, stmt: If, at: usize, why: &Placeholder) -> EvalResult<Flow> {
        let ast = self.state.ast.clone();
        let mut clauses = ast.list(stmt.clauses).iter().skip(at);
        let mut bodies: Vec<_> = clauses.next().map(|clause| clause.body).into_iter().collect();
        let mut is_decided = false;
        for clause in clauses {
            match self.decide(clause.test)? {
                Ok(false) => {}
                Ok(true) => {
                    bodies.push(clause.body);
                    is_decided = true;
                    break;
                }
                Err(_) => bodies.push(clause.body),
            }
        }
        let mut branches: Vec<Option<List<StmtId>>> = bodies.into_iter().map(Some).collect();
        if !is_decided {
            branches.push(Some(stmt.orelse));
        }
        let mut names = Vec::new();
        for body in branches.iter().flatten() {
            names.extend(walk::bound_names(&ast, *body));
        }
        self.branches(names, &branches, why)
    }

    /// Runs a `for` over an unknown value: the body runs once.
    pub(crate) fn uncertain_for(&mut self, stmt: For, why: &Placeholder) -> EvalResult<Flow> {
        let ast = self.state.ast.clone();
        let mut names = walk::bound_names(&ast, stmt.body);
        walk::target_names(&ast, stmt.target, &mut names);
        self.assign_target(stmt.target, why.clone().value())?;
        self.branches(names, &[Some(stmt.body), None], why)?;
        self.exec_body(stmt.orelse)
    }

    /// Runs an asynchronous statement as the plain one. Values that it enters or iterates over are unknown.
    pub(crate) fn exec_plain(&mut self, plain: StmtId) -> EvalResult<Flow> {
        match *self.state.ast.stmt(plain) {
            Stmt::FunctionDef(_) => {
                self.state.explorer.asynchronous.insert(plain);
                self.exec(plain)
            }
            Stmt::For(stmt) => {
                let place = self.state.ast.range(stmt.iter);
                let why = Placeholder::new(Cause::Statement("`async for` is not evaluated".into()), place);
                self.uncertain_for(stmt, &why)
            }
            _ => self.exec(plain),
        }
    }

    /// Runs a `while` whose condition is unknown: the body runs once.
    pub(crate) fn uncertain_while(&mut self, stmt: While, why: &Placeholder) -> EvalResult<Flow> {
        let names = walk::bound_names(&self.state.ast, stmt.body);
        self.branches(names, &[Some(stmt.body), None], why)?;
        self.exec_body(stmt.orelse)
    }

    /// Runs alternative branches from the same state. A name that they bind to different values becomes unknown.
    pub(super) fn branches(
        &mut self,
        mut names: Vec<Name>,
        branches: &[Option<List<StmtId>>],
        why: &Placeholder,
    ) -> EvalResult<Flow> {
        names.sort_unstable();
        names.dedup();
        let state = |p: &Self| names.iter().map(|name| p.state.host_binding(*name)).collect::<Vec<_>>();
        let place = self.state.statement.unwrap_or(why.place);
        let why = &derived(why.clone(), place);
        let set = |p: &mut Self, state: &[Binding]| {
            names
                .iter()
                .zip(state)
                .for_each(|(name, binding)| p.state.set_host(*name, binding.clone(), place));
        };
        let before = state(self);
        let mut joined: Option<Vec<Binding>> = None;
        for branch in branches {
            set(self, &before);
            let raised = self.state.diagnostics.raised.len();
            self.state.explorer.uncertain += 1;
            let flow = branch.map_or(Ok(Flow::Next), |body| self.exec_body(body));
            self.state.explorer.uncertain -= 1;
            self.state.pending = None;
            match flow {
                Ok(Flow::Next) => {}
                Ok(Flow::Break | Flow::Continue) => self.state.explorer.is_loop_unsure = true,
                Ok(Flow::Return(value)) => {
                    self.state.explorer.returns.push((value, why.clone()));
                    continue;
                }
                Ok(Flow::Ended) => continue,
                // A limit is exceeded on any path.
                Err(reported) if self.state.exceeds_limit(raised) => return Err(reported),
                // The exception is uncertain.
                Err(Reported(())) => {
                    self.state.diagnostics.raised.truncate(raised);
                    continue;
                }
            }
            let after = state(self);
            joined = Some(match joined {
                None => after,
                Some(others) => others.into_iter().zip(after).map(|(a, b)| join(a, b, why)).collect(),
            });
        }
        match joined {
            Some(joined) => {
                set(self, &joined);
                Ok(Flow::Next)
            }
            None => Ok(Flow::Ended),
        }
    }

    /// The result of a function with several possible `return` statements.
    pub(crate) fn returned(&mut self, returns: Vec<(ScriptValue, Placeholder)>, flow: Flow) -> ScriptValue {
        let last = match flow {
            Flow::Return(value) => Some(value),
            Flow::Ended => None,
            _ => Some(ScriptValue::None),
        };
        let mut value = last;
        for (other, why) in returns {
            match &value {
                None => value = Some(other),
                Some(value) if same(value, &other) => {}
                Some(_) => return why.value(),
            }
        }
        value.unwrap_or_default()
    }

    /// Runs handlers of exceptions that were not raised, for the scripts in them.
    pub(crate) fn explore_handlers(&mut self, id: StmtId, handlers: &[List<StmtId>]) {
        let ast = self.state.ast.clone();
        if !handlers.iter().any(|body| has_unread(&ast, *body, &self.state.explorer.read)) {
            return;
        }
        let names = walk::names_bound_by(&ast, id);
        let before: Vec<Binding> = names.iter().map(|name| self.state.host_binding(*name)).collect();
        let why = Placeholder::new(Cause::Statement("an exception may be raised".into()), ast.range(id));
        let bodies: Vec<_> = handlers.iter().map(|body| Some(*body)).collect();
        let _ = self.branches(names.clone(), &bodies, &why);
        for (name, binding) in names.into_iter().zip(before) {
            self.state.set_host(name, binding, ast.range(id));
        }
    }
}

/// Joins the bindings of a name after two branches.
fn join(a: Binding, b: Binding, why: &Placeholder) -> Binding {
    match (a, b) {
        (Binding::Unbound, other) | (other, Binding::Unbound) => other,
        (Binding::Poison, _) | (_, Binding::Poison) => Binding::Poison,
        (Binding::Value(a), Binding::Value(b)) if same(&a, &b) => Binding::Value(a),
        (Binding::Unknown(placeholder), _) | (_, Binding::Unknown(placeholder)) => {
            Binding::Unknown(placeholder)
        }
        (Binding::Value(_), Binding::Value(_)) => Binding::Unknown(Rc::new(why.clone())),
    }
}
