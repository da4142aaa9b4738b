//! f-strings.

use tvmscript_script_value::ScriptValue;

use crate::Host;
use crate::errors::Result;
use crate::python;
use tvmscript_python_syntax::ast::{Constant, Conversion, Expr, ExprId, List};

impl dyn Host + '_ {
    pub(crate) fn eval_joined_str(&mut self, id: ExprId, values: List<ExprId>) -> Result<ScriptValue> {
        let text = self.joined_text(id, values)?;
        let text = python::cost::text(self, &text);
        self.at(id, text)
    }

    fn joined_text(&mut self, id: ExprId, values: List<ExprId>) -> Result<String> {
        let ast = self.ast.clone();
        let mut out = String::new();
        for (index, part) in ast.list(values).iter().enumerate() {
            match *ast.expr(*part) {
                Expr::Constant(Constant::Str(name)) => out.push_str(ast.name(name)),
                _ => match self.eval_formatted(*part) {
                    Ok(text) => {
                        let charged = python::cost::text_bytes(self, text.len());
                        self.at(id, charged)?;
                        out.push_str(&text);
                    }
                    Err(reported) => {
                        ast.list(values).iter().skip(index + 1).for_each(|part| self.also_look_at(*part));
                        return Err(reported);
                    }
                },
            }
        }
        Ok(out)
    }

    /// `{value!conversion:spec}`
    pub(crate) fn eval_formatted(&mut self, id: ExprId) -> Result<String> {
        let Expr::FormattedValue { value: value_id, conversion, spec } = *self.ast.expr(id) else {
            let value = self.eval_inner(id)?;
            let known = self.known([&value]);
            self.at(id, known)?;
            let text = python::repr::str(self, &value);
            return self.at(id, text);
        };
        let mut value = self.eval_inner(value_id)?;
        let known = self.known([&value]);
        self.at(value_id, known)?;
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
            Some(spec) => match *self.ast.expr(spec) {
                Expr::JoinedStr { values } => self.joined_text(spec, values)?,
                _ => self.eval_formatted(spec)?,
            },
        };
        let text = python::format::format(self, &value, &spec);
        self.at(value_id, text)
    }
}
