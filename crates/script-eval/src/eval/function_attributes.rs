//! Attributes of functions that need the evaluator: annotations, defaults, binding.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_python_syntax::ast::{ExprId, ParamKind, Stmt};
use tvmscript_script_value::{Dict, DictKey, ScriptValue};

use super::{Closure, Raise};
use crate::python::{Outcome, cost};
use crate::{Eval, EvalState};

/// Attributes that are no part of `__dict__`.
pub(crate) const OWN: &[&str] = &[
    "__name__",
    "__qualname__",
    "__doc__",
    "__module__",
    "__annotations__",
    "__defaults__",
    "__kwdefaults__",
];

impl Eval<'_> {
    /// An attribute of a function of the text; `None` for those that the function itself has.
    pub(crate) fn function_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
    ) -> Result<Option<ScriptValue>, Raise> {
        let Some(closure) = value.as_host::<Closure>() else {
            return Ok(None);
        };
        if !name.starts_with("__") {
            return Ok(None);
        }
        if let Some(own) = closure.own_attribute(name) {
            return Ok(Some(own));
        }
        Ok(Some(match name {
            "__call__" => value.clone(),
            "__dict__" => ScriptValue::Dict(closure.attributes()),
            "__annotations__" => {
                let annotations = self.function_annotations(closure)?;
                closure.set_own(&self.state.program, name, annotations.clone())?;
                annotations
            }
            "__defaults__" => self.state.positional_defaults(closure),
            "__kwdefaults__" => {
                let defaults = self.keyword_defaults(closure)?;
                closure.set_own(&self.state.program, name, defaults.clone())?;
                defaults
            }
            _ => return Ok(None),
        }))
    }

    /// The annotations of the parameters and of the result, evaluated where the function was defined.
    fn function_annotations(&mut self, closure: &Closure) -> Outcome {
        let ast = self.state.ast.clone();
        let mut all: Vec<(String, ExprId)> = ast
            .list(closure.params)
            .iter()
            .filter_map(|param| Some((ast.name(param.name).to_owned(), param.annotation?)))
            .collect();
        if let Some(Stmt::FunctionDef(def)) = closure.def.map(|def| *ast.stmt(def)) {
            all.extend(def.returns.map(|returns| ("return".to_owned(), returns)));
        }
        cost::entries(self.state, all.len())?;
        let mut dict = Dict::new();
        for (name, annotation) in all {
            let value = self.in_environment(closure.env.clone(), |p| p.eval(annotation))?;
            let name = self.attribute_name(&name).into_owned();
            dict.insert(DictKey::text(&*name), value);
        }
        Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
    }

    fn keyword_defaults(&mut self, closure: &Closure) -> Outcome {
        let ast = self.state.ast.clone();
        let mut dict = Dict::new();
        for (param, default) in ast.list(closure.params).iter().zip(&closure.defaults) {
            if let (ParamKind::KeywordOnly, Some(default)) = (param.kind, default) {
                cost::entries(self.state, 1)?;
                dict.insert(DictKey::text(ast.name(param.name)), default.clone());
            }
        }
        Ok(match dict.is_empty() {
            true => ScriptValue::None,
            false => ScriptValue::Dict(Rc::new(RefCell::new(dict))),
        })
    }
}

impl EvalState {
    fn positional_defaults(&self, closure: &Closure) -> ScriptValue {
        let params = self.ast.list(closure.params).iter().zip(&closure.defaults);
        let values: Vec<ScriptValue> =
            params.filter(|(p, _)| p.kind != ParamKind::KeywordOnly).filter_map(|(_, d)| d.clone()).collect();
        if values.is_empty() { ScriptValue::None } else { ScriptValue::tuple(values) }
    }
}
