//! Comprehensions and generator expressions. They are host code with variables of their own.

use std::rc::Rc;

use tvmscript_script_value::{Dict, ScriptValue};

use super::{Env, Iter, Raise};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::EvalResult;
use crate::python::{self, cost};
use tvmscript_python_syntax::ast::{Comprehension, ExprId, List};
use tvmscript_python_syntax::walk;

/// The suspended loops of a comprehension.
pub(crate) struct Loops {
    generators: List<Comprehension>,
    env: Rc<Env>,
    /// Iterators of the open loops, outermost first.
    running: Vec<Iter>,
}

impl Loops {
    /// Moves out the values held by the iterators. Variables are released with the environment.
    pub(crate) fn parts(self, out: &mut Vec<ScriptValue>) {
        self.running.into_iter().for_each(|iter| iter.parts(out));
    }
}

impl Eval<'_> {
    /// Opens the loops. The outermost iterable is evaluated at once, as in Python.
    pub(crate) fn loops(
        &mut self,
        id: ExprId,
        parts: &[ExprId],
        generators: List<Comprehension>,
    ) -> EvalResult<Loops> {
        self.try_at(id, |p| p.refuse_host_code("a comprehension"))?;
        let ast = self.state.ast.clone();
        let list = ast.list(generators);
        let mut exprs = parts.to_vec();
        for part in list {
            exprs.push(part.iter);
            exprs.extend(ast.list(part.ifs));
        }
        let around = self.capture(&exprs);
        let locals = self.state.program.local_names.comprehension(id, || {
            let mut names = Vec::new();
            list.iter().for_each(|part| walk::target_names(&ast, part.target, &mut names));
            names
        });
        let mut loops = Loops {
            generators,
            env: Env::new(locals, around.clone()),
            running: Vec::with_capacity(list.len()),
        };
        if let Some(part) = list.iter().find(|part| part.is_async) {
            return Err(self.unsupported(part.iter, "an asynchronous comprehension"));
        }
        if let Some(first) = list.first() {
            let iter = self.in_environment(around, |p| {
                let value = p.eval_inner(first.iter)?;
                p.entering(first.iter, |p| p.iterate(&value))
            })?;
            loops.running.push(iter);
        }
        Ok(loops)
    }

    /// Advances to the next element and evaluates `element` with the loop variables set.
    pub(crate) fn advance<R>(
        &mut self,
        loops: &mut Loops,
        element: impl FnOnce(&mut Self) -> EvalResult<R>,
    ) -> EvalResult<Option<R>> {
        let env = loops.env.clone();
        self.in_environment(Some(env), |p| {
            let ast = p.state.ast.clone();
            let parts = ast.list(loops.generators);
            // Each running loop belongs to a part.
            while let Some(depth) = loops.running.len().checked_sub(1)
                && let (Some(part), Some(iter)) = (parts.get(depth).copied(), loops.running.last_mut())
            {
                let Some(value) = p.try_at(part.iter, |p| p.next_at(part.iter, iter))? else {
                    loops.running.pop();
                    continue;
                };
                let env = loops.env.clone();
                p.unpack_with(part.target, value, &mut |p, target, value| match *p.state.ast.expr(target) {
                    tvmscript_python_syntax::ast::Expr::Name(name) => {
                        env.set(name, Binding::of(value));
                        Ok(())
                    }
                    _ => Err(p.state.invalid_target(target, "this expression in a comprehension")),
                })?;
                if !p.all_hold(ast.list(part.ifs))? {
                    continue;
                }
                match parts.get(depth + 1) {
                    None => return element(p).map(Some),
                    Some(inner) => {
                        let value = p.eval_inner(inner.iter)?;
                        loops.running.push(p.entering(inner.iter, |p| p.iterate(&value))?);
                    }
                }
            }
            Ok(None)
        })
    }

    fn all_hold(&mut self, tests: &[ExprId]) -> EvalResult<bool> {
        for test in tests {
            let value = self.eval_inner(*test)?;
            if !self.try_at(*test, |p| p.truth(&value))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn eval_list_comp(
        &mut self,
        id: ExprId,
        elt: ExprId,
        generators: List<Comprehension>,
    ) -> EvalResult<ScriptValue> {
        let mut loops = self.loops(id, &[elt], generators)?;
        let mut items = Vec::new();
        while let Some(item) = self.advance(&mut loops, |p| p.eval_inner(elt))? {
            self.charge(id, 2 * cost::VALUE_BYTES)?;
            items.push(item);
        }
        Ok(ScriptValue::list(items))
    }

    pub(crate) fn eval_set_comp(
        &mut self,
        id: ExprId,
        elt: ExprId,
        generators: List<Comprehension>,
    ) -> EvalResult<ScriptValue> {
        let mut loops = self.loops(id, &[elt], generators)?;
        let mut items = indexmap::IndexSet::new();
        while let Some(item) = self.advance(&mut loops, |p| p.eval_inner(elt))? {
            let key = self.try_at(id, |p| p.hashable(item))?;
            self.charge(id, cost::ENTRY_BYTES)?;
            items.insert(key);
        }
        Ok(python::set::value(items, false))
    }

    pub(crate) fn eval_dict_comp(
        &mut self,
        id: ExprId,
        key: ExprId,
        value: ExprId,
        generators: List<Comprehension>,
    ) -> EvalResult<ScriptValue> {
        let mut loops = self.loops(id, &[key, value], generators)?;
        let mut dict = Dict::new();
        while let Some((key, value)) = self.advance(&mut loops, |p| {
            let (made, value) = (p.eval_inner(key)?, p.eval_inner(value)?);
            Ok((p.try_at(key, |p| p.hashable(made))?, value))
        })? {
            self.charge(id, cost::ENTRY_BYTES)?;
            dict.insert(key, value);
        }
        Ok(ScriptValue::Dict(Rc::new(std::cell::RefCell::new(dict))))
    }

    pub(crate) fn eval_generator(
        &mut self,
        id: ExprId,
        elt: ExprId,
        generators: List<Comprehension>,
    ) -> EvalResult<ScriptValue> {
        let loops = self.loops(id, &[elt], generators)?;
        self.state.program.keep_environment(&loops.env);
        Ok(super::IterObject::value("generator", Iter::Generator(Box::new((loops, elt)))))
    }

    pub(crate) fn charge(&mut self, at: ExprId, bytes: u64) -> EvalResult<()> {
        match self.state.program.budget.allocate(bytes) {
            Ok(()) => Ok(()),
            Err(kind) => self.at(at, Err(Raise::Kind(kind))),
        }
    }
}
