//! Unions of types: `int | None`.

use tvmscript_python_syntax::ast::{BinOp, CmpOp};
use tvmscript_script_value::ScriptValue;

use super::compare::identical;
use super::object::{LibraryObject, Protocol, cast};
use super::{builtins, cost, repr};
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::{ClassObject, is_class};
use crate::host::Operator;

/// `types.UnionType`
struct Union {
    args: Vec<ScriptValue>,
}

/// The types of a union; `None` for other values.
pub(crate) fn args(value: &ScriptValue) -> Option<Vec<ScriptValue>> {
    cast::<Union>(value).map(|union| union.args.clone())
}

/// `a | b` of types; `None` if an operand is none.
pub(crate) fn of(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
    let is_operand =
        |x: &ScriptValue| matches!(x, ScriptValue::None) || is_class(x) || cast::<Union>(x).is_some();
    let is_none = |x: &ScriptValue| matches!(x, ScriptValue::None);
    if !is_operand(a) || !is_operand(b) || is_none(a) && is_none(b) {
        return Ok(None);
    }
    let mut all: Vec<ScriptValue> = Vec::new();
    for operand in [a, b] {
        let parts = match operand {
            ScriptValue::None => builtins::class("NoneType").into_iter().collect(),
            other => args(other).unwrap_or_else(|| vec![other.clone()]),
        };
        for part in parts {
            p.state.program.budget.step(1 + all.len() as u64)?;
            if !all.iter().any(|known| identical(known, &part)) {
                all.push(part);
            }
        }
    }
    cost::values(p.state, all.len())?;
    if all.len() == 1 {
        return Ok(all.pop());
    }
    Ok(Some(LibraryObject::value(Union { args: all })))
}

impl Protocol for Union {
    fn class(&self) -> &'static str {
        "types.UnionType"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.append(&mut self.args);
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        match (operator, operands) {
            (Operator::Binary(BinOp::BitOr), [a, b]) => of(p, a, b),
            (Operator::Compare(op @ (CmpOp::Eq | CmpOp::NotEq)), [a, b]) => {
                let (Some(x), Some(y)) = (args(a), args(b)) else { return Ok(None) };
                p.state.program.budget.step((x.len() * y.len()) as u64)?;
                let is_equal = x.len() == y.len() && x.iter().all(|a| y.iter().any(|b| identical(a, b)));
                Ok(Some(ScriptValue::Bool(is_equal == (op == CmpOp::Eq))))
            }
            _ => Ok(None),
        }
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "__args__" => Some(ScriptValue::tuple(self.args.iter().cloned())),
            "__parameters__" => Some(ScriptValue::tuple([])),
            _ => None,
        }
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        for (index, arg) in self.args.iter().enumerate() {
            out.push_str(if index > 0 { " | " } else { "" });
            match (arg.as_host::<builtins::Builtin>(), arg.as_host::<ClassObject>()) {
                (Some(builtin), _) if builtin.native.name == "NoneType" => out.push_str("None"),
                (Some(builtin), _) => out.push_str(builtin.native.name),
                (None, Some(class)) => {
                    let module = crate::eval::class::natives::module_of(class);
                    out.push_str(&format!("{module}.{}", class.qualified_name()));
                }
                (None, None) => repr::write(p, arg, out, open)?,
            }
        }
        Ok(())
    }
}
