//! Evaluation of expressions and statements.
//!
//! Two sets of rules ([`Mode`]): host code follows CPython; in script bodies, operators on nodes follow the dialect.
//! Left-leaning chains (`a + b + c`) are folded in a loop, everything else recurses on a growing stack. Steps, memory
//! and call depth are limited.

mod arguments;
mod assign;
mod attribute;
mod block;
mod call;
pub(crate) mod class;
mod closure;
mod comprehension;
mod context;
mod cut_short;
mod declarative;
mod decorator;
mod env;
pub(crate) mod exception;
mod explore;
mod format;
mod function_attributes;
pub(crate) mod generator;
mod import;
mod iterate;
mod local_module;
mod operator;
mod pattern;
pub(crate) mod placeholder;
mod raising;
mod statement;
mod subscript;
mod template;
mod uncertain;

use std::rc::Rc;

use smallvec::SmallVec;
use tvmscript_ir_core::{Span, Token, with_stack};
use tvmscript_script_value::{Dict, DictKey, ScriptValue, Slice};

pub(crate) use crate::raise::Raise;
pub(crate) use closure::definition_of;
pub use closure::parameter_names;
pub(crate) use closure::{Closure, LocalNames};
pub(crate) use context::{Context, Exit, pop_all};
pub use declarative::HostCode;
pub(crate) use env::{Env, Locals};
pub(crate) use explore::Explorer;
pub use import::{Module, is_library_module};
pub(crate) use iterate::{Iter, IterObject};
pub use local_module::absolute_module;
pub use placeholder::{Cause, Placeholder};
pub(crate) use raising::Exceptions;
pub use template::{OpenTemplate, Template};

use crate::binding::Binding;
use crate::errors::{EvalError, EvalErrorKind, EvalResult, HostError, Reported, suggest};
use crate::host::Mode;
use crate::python::cost;
use crate::{Eval, EvalState};
use tvmscript_python_syntax::ast::{Constant, DictItem, Expr, ExprId, List, Name, TextRange};

impl Eval<'_> {
    /// Converts a value to a key. Hashing and comparing are charged.
    pub(crate) fn hashable(&mut self, value: ScriptValue) -> Result<DictKey, Raise> {
        if let ScriptValue::Host(_) = value {
            self.prepare_key(&value)?;
        }
        if let ScriptValue::Tuple(_) = value {
            // Tuples that share elements are small but may take exponential time to walk.
            let mut work = vec![value.clone()];
            while let Some(at) = work.pop() {
                self.state.program.budget.step(1 + cost::size(&at))?;
                if let ScriptValue::Host(_) = at {
                    self.prepare_key(&at)?;
                }
                if let ScriptValue::Tuple(items) = &at {
                    self.state.program.budget.step(items.len() as u64)?;
                    work.extend(items.iter().filter(|item| !is_small(item)).cloned());
                }
            }
        } else if !is_small(&value) {
            self.state.program.budget.step(cost::size(&value))?;
        }
        let key = DictKey::new(value).map_err(|value| {
            HostError::type_error(format!("unhashable type: '{}'", crate::python::unhashable_part(&value)))
        })?;
        if key.weight() > 1 {
            self.state.program.budget.step(u64::from(key.weight()))?;
        }
        Ok(key)
    }
}

impl EvalState {
    /// The value of a variable of the running function, or of one around it; fails if it has none.
    #[inline]
    fn variable(&self, name: Name) -> EvalResult<ScriptValue> {
        match &self.env {
            Some(env) if self.is_local() => match env.value(name) {
                Some(value) => value,
                None if self.program.parts.is_empty() => self.program.global_value(name),
                None => Err(Reported(())),
            },
            _ => Err(Reported(())),
        }
    }

    /// Resolves a name; `local` is its binding in the script body.
    #[inline]
    pub fn find(&self, name: Name, local: impl FnOnce() -> Binding) -> Binding {
        // Host code sees captured names of a script body, and not the names that the dialect redefines there.
        if self.is_local() {
            return self.host_binding(name);
        }
        let local = local();
        if !matches!(local, Binding::Unbound) {
            return local;
        }
        if let Some(env) = &self.env
            && let Some(found) = env.get(name)
        {
            return found;
        }
        self.outermost(name)
    }

    pub(crate) fn python_type(&self, value: &ScriptValue) -> String {
        crate::python::type_name(value)
    }

    /// Describes a value, for messages.
    pub fn describe(&self, value: &ScriptValue) -> String {
        crate::python::describe(value)
    }
}

impl Eval<'_> {
    /// Evaluates an expression under the rules of the current mode.
    ///
    /// # Errors
    /// Fails if a part of it is wrong; the error is recorded at the innermost expression.
    pub fn eval(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        let before = Span::save_current();
        let result = self.eval_inner(id);
        before.restore();
        result
    }

    /// Evaluates the right-hand side of an assignment. A slice with two bounds gets step 1: it is a vector, not a
    /// region.
    ///
    /// # Errors
    /// As [`eval`](#method.eval).
    pub fn eval_assigned(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        let before = Span::save_current();
        let result = self.eval_operand(id);
        before.restore();
        result
    }

    /// Evaluates an operand. A slice with two bounds gets step 1.
    pub(crate) fn eval_operand(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        match *self.state.ast.expr(id) {
            Expr::Subscript { value, index } if self.state.mode() == Mode::Script => {
                with_stack(|| self.eval_subscript(id, value, index, true))
            }
            _ => self.eval_inner(id),
        }
    }

    #[inline]
    pub(crate) fn eval_inner(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        match *self.state.ast.expr(id) {
            Expr::Constant(Constant::Int(value)) => return Ok(ScriptValue::Int(value)),
            Expr::Constant(constant) => return self.constant(id, constant),
            Expr::Name(name) => {
                return match self.state.variable(name) {
                    Ok(value) => Ok(value),
                    Err(_) => self.load(name, id),
                };
            }
            _ => {}
        }
        let result = with_stack(|| self.eval_compound(id));
        if result.is_err() { self.placeholder_if_tolerant(result) } else { result }
    }

    #[cold]
    fn placeholder_if_tolerant(&mut self, result: EvalResult<ScriptValue>) -> EvalResult<ScriptValue> {
        match result {
            Err(reported) if self.state.is_tolerant() => self.state.placeholder_for(reported),
            result => result,
        }
    }

    #[inline(never)]
    fn constant(&mut self, id: ExprId, constant: Constant) -> EvalResult<ScriptValue> {
        Ok(match constant {
            Constant::None => ScriptValue::None,
            Constant::Bool(b) => ScriptValue::Bool(b),
            Constant::Int(i) => ScriptValue::Int(i),
            Constant::BigInt(index) => ScriptValue::big_int(self.state.ast.big_int(index).clone()),
            Constant::Float(f) => ScriptValue::Float(f),
            Constant::Str(name) => ScriptValue::Str(self.state.name_str(name)),
            Constant::Bytes(index) => ScriptValue::Bytes(Rc::from(self.state.ast.bytes(index))),
            Constant::Ellipsis => ScriptValue::Ellipsis,
            Constant::Imaginary(_) => {
                let kind = EvalErrorKind::UnsupportedExpression { what: "a complex number" };
                return Err(self.state.error(id, kind));
            }
        })
    }

    /// Evaluates an operand to find errors in it, after another operand failed.
    #[cold]
    pub(crate) fn eval_for_errors(&mut self, id: ExprId) {
        if self.state.program.budget.stops_at_first_error() || self.state.is_exhausted() {
            return;
        }
        if let Err(Reported(())) = self.eval_operand(id) {}
    }

    fn eval_compound(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        let charged = self.state.program.budget.step(1);
        let expr = *self.state.ast.expr(id);
        if charged.is_err() {
            self.at(id, charged)?;
        }
        match expr {
            Expr::Attribute { value, attr } => {
                let value = self.eval_inner(value)?;
                self.attribute(id, &value, attr)
            }
            Expr::Subscript { value, index } => self.eval_subscript(id, value, index, false),
            Expr::Call { func, args, keywords } => self.eval_call(id, func, args, keywords),
            Expr::BinOp { .. } => self.eval_binary(id),
            Expr::BoolOp { op, values } => self.eval_bool(id, op, values),
            Expr::Compare { left, rest } => self.eval_compare(left, rest),
            expr => self.eval_other(id, expr),
        }
    }

    /// Evaluates an expression of a kind that is less common than those of `eval_compound`.
    #[inline(never)]
    fn eval_other(&mut self, id: ExprId, expr: Expr) -> EvalResult<ScriptValue> {
        match expr {
            Expr::Constant(constant) => self.constant(id, constant),
            Expr::Name(name) => self.load(name, id),
            Expr::Attribute { .. }
            | Expr::Subscript { .. }
            | Expr::Call { .. }
            | Expr::BinOp { .. }
            | Expr::BoolOp { .. }
            | Expr::Compare { .. } => Ok(ScriptValue::None),
            Expr::UnaryOp { op, operand } => self.eval_unary(id, op, operand),
            Expr::IfExp { test, body, orelse } => self.eval_conditional(id, test, body, orelse),
            Expr::Tuple { elts } => {
                let items = self.elements(elts, NEEDS_ITERABLE)?;
                self.charge_values(id, items.len())?;
                Ok(ScriptValue::tuple(items))
            }
            Expr::List { elts } => {
                let items = self.elements(elts, NEEDS_ITERABLE)?;
                self.charge_values(id, items.len())?;
                Ok(ScriptValue::list(items.into_vec()))
            }
            Expr::Set { elts } => {
                let items = self.elements(elts, "")?;
                self.try_at(id, |p| crate::python::set::from_items(p, items))
            }
            Expr::Dict { items } => self.eval_dict(id, items),
            Expr::Slice { lower, upper, step } => {
                let start = self.slice_part(lower);
                if start.is_err() && self.state.program.budget.stops_at_first_error() {
                    return start;
                }
                let (stop, step) = (self.slice_part(upper), self.slice_part(step));
                let (start, stop, step) = (start?, stop?, step?);
                Ok(ScriptValue::Slice(Rc::new(Slice { start, stop, step })))
            }
            Expr::Lambda { params, body } => self.eval_lambda(id, params, body),
            Expr::ListComp { elt, generators } => self.eval_list_comp(id, elt, generators),
            Expr::SetComp { elt, generators } => self.eval_set_comp(id, elt, generators),
            Expr::DictComp { key, value, generators } => self.eval_dict_comp(id, key, value, generators),
            Expr::GeneratorExp { elt, generators } => self.eval_generator(id, elt, generators),
            Expr::JoinedStr { values } => self.eval_joined_str(id, values),
            Expr::FormattedValue { .. } => {
                let text = self.eval_formatted(id)?;
                self.try_at(id, |p| cost::text(p.state, &text))
            }
            Expr::NamedExpr { target, value } => self.eval_walrus(target, value),
            Expr::Starred { .. } => Err(self.unsupported(id, "a starred expression here")),
            Expr::Await { .. } => Err(self.unsupported(id, "`await`")),
            Expr::Yield { .. } | Expr::YieldFrom { .. } => self.yield_elsewhere(id),
        }
    }

    fn slice_part(&mut self, part: Option<ExprId>) -> EvalResult<ScriptValue> {
        part.map_or(Ok(ScriptValue::None), |part| self.eval_inner(part))
    }

    fn unsupported(&mut self, id: ExprId, what: &'static str) -> Reported {
        self.state.error(id, EvalErrorKind::UnsupportedExpression { what })
    }

    /// Evaluates the elements of a display, also those after a wrong one. Starred elements are expanded.
    /// `message` begins the error of a starred element that cannot be iterated; it is empty for sets, as in CPython.
    fn elements(&mut self, elts: List<ExprId>, message: &str) -> EvalResult<SmallVec<[ScriptValue; 4]>> {
        let mut items = SmallVec::with_capacity(elts.len());
        for index in 0..elts.len() {
            let Some(elt) = self.state.item(elts, index) else { break };
            let result = match *self.state.ast.expr(elt) {
                Expr::Starred { value } => self
                    .eval_inner(value)
                    .and_then(|value| self.collect_starred(elt, &value, message))
                    .map(|values| items.extend(values)),
                _ => self.eval_inner(elt).map(|value| items.push(value)),
            };
            if let Err(reported) = result {
                let ast = self.state.ast.clone();
                ast.list(elts).iter().skip(index + 1).for_each(|elt| match *ast.expr(*elt) {
                    Expr::Starred { value } => self.eval_for_errors(value),
                    _ => self.eval_for_errors(*elt),
                });
                return Err(reported);
            }
        }
        Ok(items)
    }

    fn eval_dict(&mut self, id: ExprId, items: List<DictItem>) -> EvalResult<ScriptValue> {
        self.try_at(id, |p| cost::entries(p.state, items.len()))?;
        let mut dict = Dict::with_capacity(items.len());
        let mut waiting = Vec::with_capacity(items.len());
        for index in 0..items.len() {
            let Some(item) = self.state.item(items, index) else { break };
            if let Err(reported) = self.dict_item(item, &mut waiting, &mut dict) {
                let ast = self.state.ast.clone();
                for item in ast.list(items).iter().skip(index + 1) {
                    item.key.into_iter().chain([item.value]).for_each(|part| self.eval_for_errors(part));
                }
                return Err(reported);
            }
        }
        self.enter_items(&mut waiting, &mut dict)?;
        Ok(ScriptValue::Dict(Rc::new(std::cell::RefCell::new(dict))))
    }

    /// Evaluates an item of a dictionary display. As in Python, keys are hashed after all items up to the next `**`
    /// are evaluated.
    fn dict_item(
        &mut self,
        item: DictItem,
        waiting: &mut Vec<(ExprId, ScriptValue, ScriptValue)>,
        dict: &mut Dict,
    ) -> EvalResult<()> {
        let Some(key_id) = item.key else {
            self.enter_items(waiting, dict)?;
            let rest = self.eval_inner(item.value)?;
            if !self.try_at(item.value, |p| crate::python::builtins::fill_from_mapping(p, dict, &rest))? {
                return Err(self.state.error(item.value, wrong_type!("'{}' object is not a mapping", &rest)));
            }
            return Ok(());
        };
        let key = self.eval_inner(key_id);
        if key.is_err() && self.state.program.budget.stops_at_first_error() {
            return key.map(drop);
        }
        // Nothing else asks: a dictionary of attributes takes values of any type.
        let value = self.eval_inner(item.value).and_then(|value| self.known_item(value, item.value));
        waiting.push((key_id, key?, value?));
        Ok(())
    }

    fn enter_items(
        &mut self,
        waiting: &mut Vec<(ExprId, ScriptValue, ScriptValue)>,
        dict: &mut Dict,
    ) -> EvalResult<()> {
        for (id, key, value) in waiting.drain(..) {
            dict.insert(self.try_at(id, |p| p.hashable(key))?, value);
        }
        Ok(())
    }

    /// Fails for an unknown value in a script. A member of a module that nothing reads is a module here.
    fn known_item(&mut self, value: ScriptValue, id: ExprId) -> EvalResult<ScriptValue> {
        match self.state.unknown(&value).filter(|_| self.state.position().is_script()) {
            Some(placeholder) => self.unknown_value(id, &placeholder),
            None => Ok(value),
        }
    }

    fn charge_values(&mut self, id: ExprId, count: usize) -> EvalResult<()> {
        self.try_at(id, |p| cost::values(p.state, count))
    }

    /// Loads the value of a name.
    pub(crate) fn load(&mut self, name: Name, id: ExprId) -> EvalResult<ScriptValue> {
        match self.find(name) {
            Binding::Value(value) => Ok(value),
            Binding::Poison => Err(Reported(())),
            Binding::Unknown(placeholder) => self.unknown_value(id, &placeholder),
            Binding::Unbound => self.undefined(name, id),
        }
    }

    /// Resolves a name.
    #[inline]
    pub fn find(&self, name: Name) -> Binding {
        self.state.find(name, || self.host.local(name))
    }

    #[cold]
    fn undefined(&mut self, name: Name, id: ExprId) -> EvalResult<ScriptValue> {
        let result = self.report_unbound(name, id);
        if result.is_err() {
            self.state.note_unbound(name);
        }
        result
    }

    fn report_unbound(&mut self, name: Name, id: ExprId) -> EvalResult<ScriptValue> {
        let ast = self.state.ast.clone();
        let text = ast.name(name);
        if text == "__class__"
            && let Some((Some(class), _)) = self.state.env.as_ref().and_then(|env| env.method())
        {
            return Ok(class);
        }
        if let Some(placeholder) = self.bound_elsewhere(name) {
            return self.unknown_value(id, &placeholder);
        }
        if self.state.diagnostics.is_in_invalid(text) {
            return Err(Reported(()));
        }
        if let Some(what) = placeholder::python_name(text) {
            return Err(self.state.error(id, EvalErrorKind::UnsupportedExpression { what }));
        }
        let mut error = EvalError::new(EvalErrorKind::UndefinedName { name: text.to_owned() }, ast.range(id));
        if self.state.drops_errors() {
            // Nobody will see the suggestion, which is expensive.
            return Err(self.report_undefined(error));
        }
        if let Some((place, help)) = self.ended_before(name, id) {
            error.help = help.map(str::to_owned);
            return Err(self
                .state
                .report(error.with_label(place, "defined here, in a scope that is closed")));
        }
        let mut names: Vec<Name> = self.state.env.iter().flat_map(|env| env.bound_names()).collect();
        names.extend(self.host.local_names());
        names.extend(self.state.program.bound_globals());
        let builtins: Vec<&str> = crate::python::builtins::names().collect();
        let known = names.iter().map(|n| ast.name(*n)).chain(builtins);
        match suggest::nearest(text, known) {
            Some(near) => near.suggest(&mut error, ast.range(id), ""),
            None => error.help = self.host.suggestion(text),
        }
        Err(self.report_undefined(error))
    }

    /// The definition site of a name in a closed scope of the same function, with a hint.
    fn ended_before(&self, name: Name, id: ExprId) -> Option<(TextRange, Option<&'static str>)> {
        let (place, help) = self.host.ended(name)?;
        let between = TextRange::new(place.end, self.state.ast.range(id).start);
        let same_function = place.end > 0
            && place.end < between.end
            && !self.state.program.text_of(between).lines().any(|line| line.trim_start().starts_with("def "));
        same_function.then_some((place, help))
    }

    fn eval_walrus(&mut self, target: ExprId, value: ExprId) -> EvalResult<ScriptValue> {
        let value = self.eval_inner(value)?;
        let Expr::Name(name) = *self.state.ast.expr(target) else {
            return Err(self.state.invalid_target(target, "this expression"));
        };
        if self.state.position().token() != Token::DEFAULT && !self.state.is_local() {
            self.host.bind(self.state, name, value.clone(), target)?;
        } else {
            let place = self.state.ast.range(target);
            self.assign_host(name, value.clone(), place);
        }
        Ok(value)
    }

    /// Runs the body of a function or class.
    pub(crate) fn within<R>(&mut self, name: Name, f: impl FnOnce(&mut Self) -> R) -> R {
        let path = self.state.path_of(name).into();
        let before = std::mem::replace(&mut self.state.path, path);
        self.state.depth += 1;
        let result = f(self);
        self.state.depth -= 1;
        self.state.path = before;
        result
    }

    /// Unwraps a result; its error is recorded at an expression.
    #[inline]
    pub fn at<T>(&mut self, id: ExprId, result: Result<T, Raise>) -> EvalResult<T> {
        match result {
            Ok(value) => Ok(value),
            Err(raise) => {
                let range = self.state.ast.range(id);
                Err(self.raise(range, Some(id), raise))
            }
        }
    }

    /// Runs an operation; its error is recorded at an expression.
    #[inline]
    pub(crate) fn try_at<T>(
        &mut self,
        id: ExprId,
        operation: impl FnOnce(&mut Self) -> Result<T, Raise>,
    ) -> EvalResult<T> {
        let result = operation(self);
        self.at(id, result)
    }

    /// Records a failure at a range. `call` is the failed call, whose arguments the error may be about.
    #[cold]
    pub fn raise(&mut self, range: TextRange, call: Option<ExprId>, raise: Raise) -> Reported {
        match raise {
            Raise::Reported => Reported(()),
            Raise::Kind(kind) => self.state.report(EvalError::new(kind, range)),
            Raise::Exception(exception) => self.record_exception(range, &exception),
            Raise::WithHelp(kind, help) => self.state.report(EvalError::new(kind, range).with_help(help)),
            Raise::Build(error) => self.state.build_error_at(range, call, error),
            Raise::Unknown(placeholder) => self.use_unknown(range, &placeholder),
        }
    }

    /// Python's `repr` of a value.
    ///
    /// # Errors
    /// Fails if the text is too long or the value nested too deeply; the error is recorded at the expression.
    pub fn repr(&mut self, at: ExprId, value: &ScriptValue) -> EvalResult<String> {
        self.try_at(at, |p| crate::python::repr::repr(p, value))
    }

    /// The truth of a value, as Python defines it.
    pub fn truth(&mut self, value: &ScriptValue) -> Result<bool, Raise> {
        match value {
            ScriptValue::Node(object) => match self.host.rules(object).truth {
                Some(truth) => Ok(truth(object)?),
                None => match crate::python::node_len(object) {
                    Some(len) => Ok(len > 0),
                    None => Ok(true),
                },
            },
            ScriptValue::Host(_) if class::is_instance(value) => self.special_truth(value),
            ScriptValue::Host(_) => {
                self.state.known([value])?;
                match crate::python::object::of(value) {
                    Some(object) => object.truth(self),
                    None => Ok(crate::python::truth(value)),
                }
            }
            other => Ok(crate::python::truth(other)),
        }
    }
}

/// The error of `[*1]`, before the name of the type.
const NEEDS_ITERABLE: &str = "Value after * must be an iterable, not";

/// Tests whether the value is hashed in constant time.
fn is_small(value: &ScriptValue) -> bool {
    !matches!(
        value,
        ScriptValue::Str(_)
            | ScriptValue::Bytes(_)
            | ScriptValue::BigInt(_)
            | ScriptValue::Tuple(_)
            | ScriptValue::Host(_)
    )
}
