//! Augmented assignment `a op= b` to mutable values: lists, sets, dictionaries.

use tvmscript_script_value::ScriptValue;

use super::{builtins, cost, number, set};
use crate::Host;
use crate::eval::Raise;
use tvmscript_python_syntax::ast::BinOp;

/// Changes `a` in place as Python does; returns `false` if `a op b` is a new value.
pub(crate) fn change(p: &mut dyn Host, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    match (op, a) {
        (BinOp::Add, ScriptValue::List(items)) => {
            let more = p.collect_values(b)?;
            more.iter().try_for_each(|item| p.program.keep_container(a, item))?;
            items.borrow_mut().extend(more);
            Ok(true)
        }
        (BinOp::Mult, ScriptValue::List(items)) => {
            let (ScriptValue::Int(_) | ScriptValue::Bool(_), Some(count)) = (b, number::small_index(b))
            else {
                return Ok(false);
            };
            let count = usize::try_from(count).unwrap_or(0);
            let mut items = items.borrow_mut();
            let len = items.len();
            cost::values(p, len.saturating_mul(count))?;
            if count == 0 {
                items.clear();
            }
            for _ in 1..if len == 0 { 0 } else { count } {
                items.extend_from_within(..len);
            }
            Ok(true)
        }
        (BinOp::BitOr, ScriptValue::Dict(dict)) => {
            let mut more = tvmscript_script_value::Dict::new();
            builtins::fill(p, &mut more, b)?;
            cost::entries(p, more.len())?;
            set::charge_keys(p, more.keys())?;
            more.iter().try_for_each(|(_, value)| p.program.keep_container(a, value))?;
            dict.borrow_mut().extend(more.iter().map(|(k, v)| (k.clone(), v.clone())));
            Ok(true)
        }
        (BinOp::BitOr | BinOp::BitAnd | BinOp::Sub | BinOp::BitXor, ScriptValue::Host(_)) => {
            set::in_place(p, op, a, b)
        }
        _ => Ok(false),
    }
}
