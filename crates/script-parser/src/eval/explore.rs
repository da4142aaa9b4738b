//! Exploring: host code that a file does not run is walked for the scripts in it.
//!
//! Test files define their scripts in functions that nobody calls. Such a function is run once with placeholders for its
//! parameters; where a condition is not known both branches run, one after the other, and what they disagree on is not
//! known afterwards. Only scripts are of interest: what the host code around them raises is not a mistake of the file.
//!
//! Invariant: each function is explored at most once, a loop over what is not known runs once, and no function calls
//! itself on a path that is not known to be taken, so that the steps are those of one run; they are bounded besides.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_irbuilder::ScriptValue;

use super::class::{Instance, MethodKind};
use super::decorator::{FirstValue, Marks};
use super::placeholder::derived;
use super::statement::Flow;
use super::{Cause, Closure, Env, Placeholder, Raise, walk};
use crate::errors::{ParseError, ParseErrorKind, Reported, Result};
use crate::parser::Parser;
use crate::scope::Binding;
use tvmscript_python_syntax::ast::{Expr, ExprId, List, Name, ParamKind, StmtId, TextRange, With};

/// How many steps one function may take, besides those for the text.
const STEPS: u64 = 500_000;

/// A function that is explored unless something calls it.
pub(crate) struct Unit {
    function: ScriptValue,
    /// The class whose method it is.
    pub(crate) owner: Option<ScriptValue>,
    marks: Marks,
}

impl Unit {
    fn closure(&self) -> Option<&Closure> {
        self.function.as_host::<Closure>()
    }

    /// Whether it was defined in a class body with these variables.
    pub(crate) fn is_method_of(&self, env: &Rc<Env>) -> bool {
        self.closure().is_some_and(|c| c.env.as_ref().is_some_and(|own| Rc::ptr_eq(own, env)))
    }

    /// Whether it is this definition's.
    pub(crate) fn is_of(&self, id: StmtId) -> bool {
        self.closure().is_some_and(|c| c.def == Some(id))
    }

    /// Adds what the decorators of its class say.
    pub(crate) fn add_marks(&mut self, marks: &Marks) {
        self.marks.given.extend(marks.given.iter().cloned());
        self.marks.may_fail |= marks.may_fail;
    }
}

/// Where the explored code runs whose statements go on behind an exception.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Level {
    calls: u32,
    tries: u32,
}

/// What is known of host code that the file does not run, and of paths that may not be taken.
#[derive(Default)]
pub(crate) struct Explorer {
    /// Functions that may have to be explored, in order.
    pub(crate) units: Vec<Unit>,
    /// Blocks behind `if __name__ == "__main__"`.
    pub(crate) guarded: Vec<List<StmtId>>,
    /// Functions that were called, and that were explored.
    pub(crate) called: HashSet<StmtId>,
    pub(crate) explored: HashSet<StmtId>,
    /// Decorated definitions that were read.
    pub(crate) read: HashSet<StmtId>,
    /// Whether those are not read again.
    pub(crate) skips_read: bool,
    /// Functions that are asynchronous: calling one does not run it.
    pub(crate) asynchronous: HashSet<StmtId>,
    /// Functions with a decorator that is not known: their results are not known.
    pub(crate) opaque: HashMap<StmtId, Placeholder>,
    /// Functions that run now.
    pub(crate) running: Vec<StmtId>,
    /// Above zero while code is explored that the file does not run.
    pub(crate) exploring: u32,
    /// Where that code runs.
    pub(crate) level: Level,
    /// Above zero on paths that may not be taken.
    pub(crate) uncertain: u32,
    /// Above zero where mistakes are expected.
    pub(crate) may_fail: u32,
    /// What the function that runs returned on such paths, each with why the path may not be taken.
    pub(crate) returns: Vec<(ScriptValue, Placeholder)>,
    /// Whether the loop that runs was left on such a path.
    pub(crate) is_loop_unsure: bool,
    /// The names that the file binds at module level, once that was asked.
    pub(crate) module_names: Option<HashSet<Name>>,
    /// A function whose exploration took too long.
    pub(crate) cut_short: Option<TextRange>,
    /// The steps that explored code does not have.
    reserve: u64,
    /// Whether explored code took all it has.
    pub(super) is_tired: bool,
    /// Scripts that need arguments, each with its note; those that are read with arguments after all are not noted.
    pub(crate) needy: Vec<(StmtId, ParseError)>,
    /// First values of the parameters that tests in the file declare, once asked for.
    pub(super) parameters: Option<HashMap<Name, FirstValue>>,
    /// Definitions that were read without a mistake.
    pub(crate) built: HashSet<StmtId>,
}

impl Parser<'_> {
    /// Remembers a function, to explore it.
    pub(crate) fn add_unit(&mut self, function: &ScriptValue, marks: Marks) {
        self.explorer.units.push(Unit { function: function.clone(), owner: None, marks });
    }

    /// Explores what the module level did not run: the block behind `if __name__ == "__main__"`, then all functions that
    /// nothing calls, those in them after them.
    pub(crate) fn explore_all(&mut self) {
        for body in std::mem::take(&mut self.explorer.guarded) {
            self.explore(|p| p.exec_body(body).map(drop));
        }
        // Functions that others call come last, and the later ones first: those others may be given arguments.
        let called =
            if self.explorer.units.len() > 1 { walk::called_names(&self.ast) } else { Default::default() };
        let mut deferred = Vec::new();
        let mut next = 0;
        while !self.is_exhausted() {
            let Some(index) = (if next < self.explorer.units.len() { Some(next) } else { deferred.pop() })
            else {
                break;
            };
            let unit = &self.explorer.units[index];
            if index == next {
                next += 1;
                if unit.closure().is_some_and(|c| {
                    c.def.and_then(|def| walk::name_of(&self.ast, def)).is_some_and(|n| called.contains(&n))
                }) {
                    deferred.push(index);
                    continue;
                }
            }
            let (function, owner, marks) = (unit.function.clone(), unit.owner.clone(), unit.marks.clone());
            let Some(closure) = function.as_host::<Closure>() else { continue };
            let Some(def) = closure.def else { continue };
            let is_new = self.explorer.explored.insert(def);
            let is_called = self.explorer.called.contains(&def);
            // Of a function that was called, only what the calls did not come to.
            if !is_new || is_called && !walk::has_unread(&self.ast, closure.body(), &self.explorer.read) {
                continue;
            }
            let skip = std::mem::replace(&mut self.explorer.skips_read, is_called);
            let run = |p: &mut Self| p.explore(|p| p.explore_function(closure, owner, &marks));
            if marks.may_fail {
                self.expecting_failure(run)
            } else {
                run(self)
            }
            self.explorer.skips_read = skip;
        }
        for (id, note) in std::mem::take(&mut self.explorer.needy) {
            if !self.explorer.built.contains(&id) {
                self.warnings.push(note);
            }
        }
        if let Some(range) = self.explorer.cut_short.take() {
            let reason = "this takes too many steps to be evaluated".to_owned();
            self.warnings.push(ParseError::warning(ParseErrorKind::NotEvaluated { reason }, range));
        }
    }

    /// Runs host code that the file itself does not run.
    fn explore(&mut self, f: impl FnOnce(&mut Self) -> Result<()>) {
        let level = Level { calls: self.shared.calls(), tries: self.shared.open_tries() };
        let before = std::mem::replace(&mut self.explorer.level, level);
        self.explorer.exploring += 1;
        self.explorer.reserve = self.shared.begin_slice(STEPS);
        self.explorer.is_tired = false;
        let _ = f(self);
        self.shared.end_slice(std::mem::take(&mut self.explorer.reserve));
        self.explorer.is_tired = false;
        self.explorer.exploring -= 1;
        self.explorer.level = before;
        self.drop_raised();
        self.pending = None;
        self.flush_built();
    }

    fn explore_function(
        &mut self,
        closure: &Closure,
        owner: Option<ScriptValue>,
        marks: &Marks,
    ) -> Result<()> {
        let ast = self.ast.clone();
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
                (Some(class), _) if is_first => Instance::value(class.clone()),
                (_, Some(value)) if is_plain => value,
                _ => {
                    let (name, function) = (name.into(), closure.path.clone());
                    Placeholder::new(Cause::Parameter { name, function }, ast.range(param.place)).value()
                }
            };
            env.set(param.name, Binding::of(value));
        }
        let path = std::mem::replace(&mut self.path, closure.path.clone());
        self.depth += 1;
        let result = self.in_environment(Some(env), |p| p.run_function(closure.body()));
        self.depth -= 1;
        self.path = path;
        result.map(drop)
    }

    /// Runs code whose mistakes are expected: scripts that are wrong are none, and no mistakes.
    pub(crate) fn expecting_failure(&mut self, f: impl FnOnce(&mut Self)) {
        let (errors, warnings, failures) = (self.errors.len(), self.warnings.len(), self.failures);
        let needy = self.explorer.needy.len();
        self.explorer.may_fail += 1;
        f(self);
        self.explorer.may_fail -= 1;
        self.errors.truncate(errors);
        self.warnings.truncate(warnings);
        self.explorer.needy.truncate(needy);
        self.failures = failures;
    }

    /// Forgets what explored code raised.
    fn drop_raised(&mut self) -> Option<ParseError> {
        let mut raised = std::mem::take(&mut self.raised);
        let limit = |e: &&ParseError| {
            matches!(e.kind, ParseErrorKind::TooManySteps { .. } | ParseErrorKind::TooMuchMemory { .. })
        };
        if let Some(error) = raised.iter().find(limit) {
            self.explorer.cut_short.get_or_insert(error.range());
        }
        if raised.is_empty() { None } else { Some(raised.swap_remove(0)) }
    }

    /// Behind a statement of explored code that took all steps, the rest runs in a hurry: calls and loops in it are not
    /// evaluated, so that the steps suffice for the scripts in it.
    #[cold]
    pub(crate) fn hurry(&mut self, id: StmtId) {
        let level = Level { calls: self.shared.calls(), tries: self.shared.open_tries() };
        if self.explorer.is_tired || level != self.explorer.level {
            return;
        }
        self.explorer.is_tired = true;
        let range = self.shown_range(id);
        self.explorer.cut_short.get_or_insert(range);
        self.shared.end_slice(std::mem::take(&mut self.explorer.reserve));
        self.explorer.reserve = self.shared.begin_slice(STEPS);
    }

    /// Why a loop of explored code is not run, if it is not.
    pub(crate) fn in_hurry(&self) -> Option<Placeholder> {
        let place = self.statement.unwrap_or_default();
        let reason = "it takes too many steps";
        self.explorer.is_tired.then(|| Placeholder::new(Cause::Statement(reason.into()), place))
    }

    /// Goes on behind a statement of host code that failed, where that makes sense: its names are not known.
    ///
    /// # Errors
    /// When Python would not get behind the statement.
    pub(crate) fn behind_failed(&mut self, id: StmtId, reported: Reported) -> Result<()> {
        if self.is_overfull {
            return Err(reported);
        }
        let range = self.shown_range(id);
        if let Some(mut placeholder) = self.pending.take() {
            if !matches!(placeholder.cause, Cause::Parameter { .. }) {
                placeholder = derived(placeholder, range);
            }
            self.bind_names(id, &Binding::Unknown(Rc::new(placeholder)));
            return Ok(());
        }
        let level = Level { calls: self.shared.calls(), tries: self.shared.open_tries() };
        if self.explorer.exploring == 0 || level != self.explorer.level {
            return Err(reported);
        }
        let binding = match self.drop_raised() {
            Some(error) => {
                let reason = format!("it raises: {error}");
                Binding::Unknown(Rc::new(Placeholder::new(Cause::Statement(reason.into()), range)))
            }
            None => Binding::Poison,
        };
        self.bind_names(id, &binding);
        Ok(())
    }

    fn shown_range(&self, id: StmtId) -> TextRange {
        use tvmscript_python_syntax::ast::HasRange;
        id.shown_in(&self.ast, self.shared.text())
    }

    /// The value that is assigned to a name: a placeholder remembers the statement.
    pub(crate) fn assigned(&self, value: ScriptValue) -> ScriptValue {
        match (super::placeholder::as_placeholder(&value), self.statement) {
            (Some(placeholder), Some(statement)) => match placeholder.cause {
                Cause::Module(_) => derived(placeholder.clone(), statement).value(),
                _ => value,
            },
            _ => value,
        }
    }

    /// Calls `function` on a path that may not be taken, or that only explores.
    ///
    /// # Errors
    /// When the call is not made: of a generator, or of a function that is running on a path that may not be taken.
    pub(crate) fn may_call(&mut self, closure: &Closure) -> Result<(), Raise> {
        let Some(def) = closure.def else { return Ok(()) };
        let reason = if closure.is_generator() && !walk::runs_at_once(&self.ast, closure.body()) {
            "this generator is not evaluated"
        } else if self.explorer.asynchronous.contains(&def) {
            "asynchronous functions are not evaluated"
        } else if self.explorer.uncertain > 0 && self.explorer.running.contains(&def) {
            "a function that may call itself is not evaluated"
        } else if self.explorer.is_tired {
            "it takes too many steps"
        } else {
            self.explorer.called.insert(def);
            return Ok(());
        };
        let place = self.statement.unwrap_or_default();
        Err(Raise::Unknown(Placeholder::new(Cause::Statement(reason.into()), place)))
    }

    /// `with` in host code. Its context is evaluated and what it enters is not known; the body runs. Where the context
    /// expects an exception (`pytest.raises(..)`), the mistakes in the body are none.
    pub(crate) fn exec_with(&mut self, stmt: With) -> Result<Flow> {
        let ast = self.ast.clone();
        let mut raises = false;
        for item in ast.list(stmt.items) {
            let value = self.eval(item.context)?;
            raises |= self.expects_exception(item.context);
            let Some(target) = item.target else { continue };
            let entered = match (self.unknown(&value), value.as_host::<Instance>()) {
                (Some(placeholder), _) => placeholder.value(),
                (None, Some(_)) => value,
                (None, None) => {
                    let cause = Cause::Statement("what `with` enters is not evaluated".into());
                    Placeholder::new(cause, self.ast.range(item.context)).value()
                }
            };
            self.assign_target(target, entered)?;
        }
        if !raises {
            return self.exec_body(stmt.body);
        }
        self.expecting_failure(|p| {
            let level = Level { calls: p.shared.calls(), tries: p.shared.open_tries() };
            let before = std::mem::replace(&mut p.explorer.level, level);
            p.explorer.exploring += 1;
            let _ = p.exec_body(stmt.body);
            p.explorer.exploring -= 1;
            p.explorer.level = before;
            p.drop_raised();
            p.pending = None;
        });
        Ok(Flow::Next)
    }

    /// Whether this is `pytest.raises(..)` or its like.
    fn expects_exception(&self, context: ExprId) -> bool {
        let Expr::Call { func, .. } = *self.ast.expr(context) else { return false };
        let name = match *self.ast.expr(func) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => self.ast.name(name),
            _ => return false,
        };
        matches!(name, "raises" | "assertRaises" | "assertRaisesRegex")
    }

    /// Whether a definition, or one in it, was read as a script or tried to.
    pub(crate) fn mark_read(&mut self, id: StmtId) -> bool {
        let is_new = self.explorer.read.insert(id);
        self.explorer.skips_read && !is_new
    }

    /// A definition in functions that have type parameters, are asynchronous and so on: no part of it was kept.
    pub(crate) fn unread_definition(&self, id: StmtId) -> bool {
        let start = self.ast.range(id).start as usize;
        let before = self.shared.text().get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = before[..line_start].lines().rev().map(str::trim);
        let own = before[line_start..].trim();
        let prefixes = &self.shared.table.prefixes;
        let decorates = |line: &str| {
            let Some(decorator) = line.strip_prefix('@') else { return false };
            prefixes
                .iter()
                .any(|(prefix, _)| decorator.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')))
        };
        let text = self.shared.text_of(self.ast.range(id));
        decorates(own) || decorates(text) || lines.next().is_some_and(decorates)
    }
}
