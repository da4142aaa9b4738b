//! Attributes of functions that need the evaluator: annotations and `__dict__`.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_python_syntax::ast::{ExprId, Stmt};
use tvmscript_script_value::{Dict, DictKey, ScriptValue};

use super::{Closure, Raise};
use crate::Eval;
use crate::python::{Outcome, cost};

/// Attributes that are no part of `__dict__`.
pub(crate) const OWN: &[&str] = &["__name__", "__qualname__", "__doc__", "__module__", "__annotations__"];

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
}
