//! Decorators of host code: those of Python, and what those of tests say.

use tvmscript_irbuilder::{CallArgs, ScriptValue};

use super::Closure;
use crate::ast::{Constant, Expr, ExprId, List};
use crate::errors::Result;
use crate::parser::Parser;

/// What the decorators of a test say of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Parameters and their first values.
    pub(super) given: Vec<(String, ScriptValue)>,
    /// Whether the test is expected to fail.
    pub(super) may_fail: bool,
}

impl Parser<'_> {
    /// What the decorators of a test say: the first set of its parameters, whether it is expected to fail.
    pub(crate) fn test_marks(&mut self, decorators: List<ExprId>) -> Result<Marks> {
        let ast = self.ast.clone();
        let mut marks = Marks::default();
        for decorator in ast.list(decorators) {
            let (func, args) = match *ast.expr(*decorator) {
                Expr::Call { func, args, .. } => (func, Some(args)),
                _ => (*decorator, None),
            };
            let Expr::Attribute { attr, .. } = *ast.expr(func) else { continue };
            match (ast.name(attr), args) {
                ("xfail", _) => marks.may_fail = true,
                ("parametrize", Some(args)) => self.first_parameters(ast.list(args), &mut marks.given)?,
                _ => {}
            }
        }
        Ok(marks)
    }

    /// `parametrize("a, b", [(1, 2), ..])`: `a` is 1 and `b` is 2.
    fn first_parameters(&mut self, args: &[ExprId], given: &mut Vec<(String, ScriptValue)>) -> Result<()> {
        let [names, sets, ..] = args else { return Ok(()) };
        let ast = self.ast.clone();
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
        // `pytest.param(1, 2, id="small")` is the set `(1, 2)`.
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
        matches!(*self.ast.expr(func), Expr::Attribute { attr, .. } if self.ast.name(attr) == "param")
    }

    fn give(&self, mut names: Vec<String>, set: Option<ScriptValue>, given: &mut Vec<(String, ScriptValue)>) {
        let Some(set) = set.filter(|set| self.unknown(set).is_none()) else { return };
        if names.len() == 1 {
            given.extend(names.pop().map(|name| (name, set)));
            return;
        }
        given.extend(names.into_iter().zip(set.items().unwrap_or_default()));
    }

    /// Calls decorators of host code on what a definition made, the innermost first.
    pub(crate) fn decorate(
        &mut self,
        mut value: ScriptValue,
        decorators: &[(ExprId, ScriptValue)],
    ) -> Result<ScriptValue> {
        for (at, decorator) in decorators.iter().rev() {
            if decorator.as_host::<Closure>().is_none() {
                // A decorator that is not known leaves what it decorates as it is, as most do.
                continue;
            }
            let result = self.call(decorator, CallArgs::positional([value.clone()]), *at);
            match result {
                Ok(result) if self.unknown(&result).is_none() => value = result,
                Ok(_) => {}
                Err(reported) if self.pending.take().is_none() => return Err(reported),
                Err(_) => {}
            }
        }
        Ok(value)
    }
}
