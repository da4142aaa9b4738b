//! Members of an enumeration by their values.

use tvmscript_script_value::ScriptValue;

use super::{COMBINED, field, members};
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::ClassObject;
use crate::python::compare;

/// The member of an enumeration that maps values to members.
pub(super) const BY_VALUE: &str = "_value2member_map_";

/// The member of a value; `None` if no member has it.
pub(super) fn by_value(
    p: &mut Eval<'_>,
    class: &ScriptValue,
    value: &ScriptValue,
) -> Result<Option<ScriptValue>, Raise> {
    // As in CPython, a value that can be a key is looked up, and others are searched for.
    let own = class.as_host::<ClassObject>().and_then(|class| class.own(BY_VALUE));
    let mut candidates = match (p.attempt(|p| p.hashable(value.clone()))?, own) {
        (Ok(key), Some(ScriptValue::Dict(known))) => {
            p.state.program.budget.step(u64::from(key.weight()))?;
            if let Some(member) = known.borrow().get(&key) {
                return Ok(Some(member.clone()));
            }
            Vec::new()
        }
        _ => members(p, class)?,
    };
    if let Some(ScriptValue::Dict(values)) = class.as_host::<ClassObject>().and_then(|c| c.own(COMBINED)) {
        candidates.extend(values.borrow().values().cloned());
    }
    for member in candidates {
        p.state.program.budget.step(1)?;
        let own = field(&member, "_value_").unwrap_or_default();
        if compare::same(p, &own, value)? {
            return Ok(Some(member));
        }
    }
    Ok(None)
}
