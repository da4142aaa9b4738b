//! f-strings.

use tvmscript_script_value::ScriptValue;

use crate::Eval;
use crate::errors::EvalResult;
use crate::python;
use tvmscript_python_syntax::ast::{Constant, Conversion, Expr, ExprId, List};

impl Eval<'_> {
    pub(crate) fn eval_joined_str(&mut self, id: ExprId, values: List<ExprId>) -> EvalResult<ScriptValue> {
        self.try_at(id, |p| p.refuse_host_code("an f-string"))?;
        let text = self.joined_text(id, values)?;
        self.try_at(id, |p| python::cost::text(p.state, &text))
    }

    fn joined_text(&mut self, id: ExprId, values: List<ExprId>) -> EvalResult<String> {
        let ast = self.state.ast.clone();
        let mut out = String::new();
        for (index, part) in ast.list(values).iter().enumerate() {
            match *ast.expr(*part) {
                Expr::Constant(Constant::Str(name)) => out.push_str(ast.name(name)),
                _ => match self.eval_formatted(*part) {
                    Ok(text) => {
                        self.try_at(id, |p| python::cost::text_bytes(p.state, text.len()))?;
                        out.push_str(&text);
                    }
                    Err(reported) => {
                        ast.list(values).iter().skip(index + 1).for_each(|part| self.eval_for_errors(*part));
                        return Err(reported);
                    }
                },
            }
        }
        Ok(out)
    }

    /// `{value!conversion:spec}`
    pub(crate) fn eval_formatted(&mut self, id: ExprId) -> EvalResult<String> {
        let Expr::FormattedValue { value: value_id, conversion, spec } = *self.state.ast.expr(id) else {
            let value = self.eval_inner(id)?;
            self.try_at(id, |p| p.state.known([&value]))?;
            return self.try_at(id, |p| python::repr::str(p, &value));
        };
        let mut value = self.eval_inner(value_id)?;
        self.try_at(value_id, |p| p.state.known([&value]))?;
        if let Some(conversion) = conversion {
            let text = match conversion {
                Conversion::Str => python::repr::str(self, &value),
                Conversion::Repr | Conversion::Ascii => python::repr::repr(self, &value),
            };
            let mut text = self.at(value_id, text)?;
            if conversion == Conversion::Ascii {
                text = python::builtins::ascii(&text);
            }
            value = ScriptValue::str(&text);
        }
        let spec = match spec {
            None => String::new(),
            Some(spec) => match *self.state.ast.expr(spec) {
                Expr::JoinedStr { values } => self.joined_text(spec, values)?,
                _ => self.eval_formatted(spec)?,
            },
        };
        self.try_at(value_id, |p| python::format::format(p, &value, &spec))
    }
}
