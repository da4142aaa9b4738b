//! Functions that passes make, with the attributes of the release.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Ref, RewriteError, Str, Value};
use tvmscript_tir::node::PrimFunc;

use super::SCHEDULABLE;

/// The function with flat bindings, marked as one that schedules work on.
pub(crate) fn schedulable(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    let mut function = crate::made::flat_with(function, |_| Vec::new())?;
    let renamed = |key: &Str| match key.strip_prefix("tir.") {
        Some(rest) => format!("tirx.{rest}").into(),
        None => key.clone(),
    };
    let old = function.attrs.dict.iter().map(|(key, value)| (renamed(key), value.clone()));
    let attrs = DictAttrs::new(old.chain([(SCHEDULABLE.into(), Value::Bool(true))]).collect::<Vec<_>>());
    function.make_mut().attrs = attrs;
    Ok(function)
}
