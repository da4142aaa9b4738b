//! The method resolution order: C3, as in CPython.

use tvmscript_script_value::ScriptValue;

use super::{ClassObject, mro_of};
use crate::EvalState;
use crate::eval::Raise;
use crate::python::builtins::Builtin;
use crate::python::compare::identical;

/// The name of a class, for messages.
pub(super) fn class_name(class: &ScriptValue) -> String {
    match (class.as_host::<ClassObject>(), class.as_host::<Builtin>()) {
        (Some(class), _) => class.name.to_string(),
        (_, Some(builtin)) => builtin.native.name.to_owned(),
        _ => crate::python::type_name(class),
    }
}

/// Merges the orders of the base classes so that each class comes before its bases, and bases stay in their order.
///
/// # Errors
/// Fails if there is no such order, or a base is given twice.
pub(super) fn linearize(p: &EvalState, bases: &[ScriptValue]) -> Result<Vec<ScriptValue>, Raise> {
    for (index, base) in bases.iter().enumerate() {
        if bases.iter().take(index).any(|other| identical(other, base)) {
            raise!(Type, "duplicate base class {}", class_name(base));
        }
    }
    let mut orders: Vec<std::collections::VecDeque<ScriptValue>> =
        bases.iter().map(|base| mro_of(base).into()).collect();
    orders.push(bases.iter().cloned().collect());
    let mut merged = Vec::new();
    loop {
        orders.retain(|order| !order.is_empty());
        if orders.is_empty() {
            return Ok(merged);
        }
        let total: usize = orders.iter().map(std::collections::VecDeque::len).sum();
        p.program.budget.step(total as u64)?;
        let is_behind = |class: &ScriptValue| {
            orders.iter().any(|order| order.iter().skip(1).any(|other| identical(other, class)))
        };
        let next = orders.iter().filter_map(|order| order.front()).find(|class| !is_behind(class)).cloned();
        let Some(next) = next else {
            let mut fronts: Vec<&ScriptValue> = Vec::new();
            for front in orders.iter().filter_map(|order| order.front()) {
                if !fronts.iter().any(|other| identical(other, front)) {
                    fronts.push(front);
                }
            }
            let names: Vec<String> = fronts.into_iter().map(class_name).collect();
            raise!(
                Type,
                "Cannot create a consistent method resolution\norder (MRO) for bases {}",
                names.join(", ")
            );
        };
        for order in &mut orders {
            if order.front().is_some_and(|front| identical(front, &next)) {
                order.pop_front();
            }
        }
        merged.push(next);
    }
}
