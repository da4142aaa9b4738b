//! Subscripts.

use std::rc::Rc;

use smallvec::SmallVec;
use tvmscript_ir_core::Object;
use tvmscript_script_value::{CallArgs, ScriptFn, ScriptValue, Slice};

use super::placeholder::as_placeholder;
use crate::Eval;
use crate::errors::EvalResult;
use crate::host::{Indices, SubscriptFn};
use crate::python;
use tvmscript_python_syntax::ast::{Expr, ExprId};

impl Eval<'_> {
    pub(crate) fn eval_subscript(
        &mut self,
        id: ExprId,
        value: ExprId,
        index: ExprId,
        vector: bool,
    ) -> EvalResult<ScriptValue> {
        let base = self.eval_inner(value);
        if let Err(reported) = base
            && self.state.program.budget.stops_at_first_error()
        {
            return Err(reported);
        }
        // The index is evaluated even if the base failed, to find errors in it.
        let rule = match &base {
            Ok(ScriptValue::Node(object)) => self.host.rules(object).subscript,
            _ => None,
        };
        let Some(rule) = rule else {
            if let Ok(ScriptValue::Function(function)) = &base
                && is_type(function)
            {
                let args = self.indices(index, false)?.items;
                return self.call_type(function, args, id);
            }
            let key = self.eval_inner(index);
            let (base, key) = (base?, key?);
            if self.state.is_tolerant() {
                self.try_at(id, |p| p.state.known([&base, &key]))?;
            }
            if let ScriptValue::Host(_) = base {
                self.state.point_at(id);
            }
            return self.item(id, &base, &key);
        };
        let indices = self.indices(index, vector)?;
        let base = base?;
        let ScriptValue::Node(object) = &base else { return Ok(ScriptValue::None) };
        self.item_of_node(id, rule, object, &indices)
    }

    /// The item of a value at evaluated indices.
    ///
    /// # Errors
    /// Fails if there is none; the error is recorded at `at`.
    pub fn subscript(&mut self, at: ExprId, base: &ScriptValue, indices: Indices) -> EvalResult<ScriptValue> {
        if let ScriptValue::Node(object) = base
            && let Some(rule) = self.host.rules(object).subscript
        {
            return self.item_of_node(at, rule, object, &indices);
        }
        match base {
            ScriptValue::Function(function) if is_type(function) => {
                self.call_type(function, indices.items, at)
            }
            base => {
                let Indices { mut items, is_tuple } = indices;
                let key = match items.len() {
                    1 if !is_tuple => items.pop().unwrap_or_default(),
                    _ => ScriptValue::tuple(items),
                };
                self.state.point_at(at);
                self.item(at, base, &key)
            }
        }
    }

    #[inline]
    fn item(&mut self, id: ExprId, base: &ScriptValue, key: &ScriptValue) -> EvalResult<ScriptValue> {
        let value = self.try_at(id, |p| python::subscript::get(p, base, key))?;
        match as_placeholder(&value) {
            Some(placeholder) => self.unknown_value(id, &placeholder.clone()),
            None => Ok(value),
        }
    }

    #[inline]
    fn item_of_node(
        &mut self,
        id: ExprId,
        rule: SubscriptFn,
        object: &Object,
        indices: &Indices,
    ) -> EvalResult<ScriptValue> {
        self.state.point_at(id);
        rule(object, indices).map_err(|error| {
            let range = self.state.ast.range(id);
            self.state.build_error_at(range, Some(id), error)
        })
    }

    /// The older spelling of annotations: `X.Buffer[(16,), "float32"]`.
    #[cold]
    fn call_type(
        &mut self,
        function: &'static ScriptFn,
        args: SmallVec<[ScriptValue; 4]>,
        id: ExprId,
    ) -> EvalResult<ScriptValue> {
        // Python cannot distinguish `F[(a, b)]` from `F[a, b]`: if the second part is not text, all parts are one
        // tuple.
        let args = match args.get(1) {
            Some(second) if second.as_str().is_none() => smallvec::smallvec![ScriptValue::tuple(args)],
            _ => args,
        };
        self.call(&ScriptValue::Function(function), CallArgs::positional(args), id)
    }

    /// Evaluates the indices of a subscript. With `vector`, slices with two bounds get step 1, like operands.
    ///
    /// # Errors
    /// Fails if an index is wrong, after all are evaluated.
    pub fn indices(&mut self, index: ExprId, vector: bool) -> EvalResult<Indices> {
        if let Expr::Tuple { elts } = *self.state.ast.expr(index) {
            let mut items = SmallVec::with_capacity(elts.len());
            let mut result = Ok(());
            let ast = self.state.ast.clone();
            for elt in ast.list(elts).iter().copied() {
                if let Expr::Starred { value } = *self.state.ast.expr(elt) {
                    match self.eval_inner(value).and_then(|value| self.collect(elt, &value)) {
                        Ok(rest) => items.extend(rest),
                        Err(reported) => result = Err(reported),
                    }
                    continue;
                }
                match self.eval_index(elt, vector) {
                    Ok(item) => items.push(item),
                    Err(reported) => result = Err(reported),
                }
            }
            return result.map(|()| Indices { items, is_tuple: true });
        }
        let item = self.eval_index(index, vector)?;
        match &item {
            ScriptValue::Tuple(parts) => {
                Ok(Indices { items: parts.iter().cloned().collect(), is_tuple: true })
            }
            ScriptValue::List(parts) => {
                Ok(Indices { items: parts.borrow().iter().cloned().collect(), is_tuple: true })
            }
            _ => Ok(Indices { items: smallvec::smallvec![item], is_tuple: false }),
        }
    }

    fn eval_index(&mut self, id: ExprId, vector: bool) -> EvalResult<ScriptValue> {
        let value = self.eval_inner(id)?;
        match (&value, self.state.ast.expr(id)) {
            (ScriptValue::Slice(slice), Expr::Slice { lower: Some(_), upper: Some(_), step: None })
                if vector =>
            {
                let (start, stop) = (slice.start.clone(), slice.stop.clone());
                Ok(ScriptValue::Slice(Rc::new(Slice { start, stop, step: ScriptValue::Int(1) })))
            }
            _ => Ok(value),
        }
    }
}

/// Capitalized functions are types in Python.
fn is_type(function: &ScriptFn) -> bool {
    function.name.starts_with(|c: char| c.is_ascii_uppercase())
}
