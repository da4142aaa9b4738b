//! Functions whose buffers are themselves the parameters: no text names their handles.

use tvmscript_ir_core::{Descend, Map, Mutator, Object, PtrMap, Ref, RewriteError, mutate};
use tvmscript_prim::{Expr, Var};

use crate::node::{Buffer, PrimFunc};

/// Replaces the handles of buffers by parameters that no text names, and what the body says of the handles by `value`.
/// Buffers whose data pointer is a handle stay.
///
/// # Errors
/// If a value does not fit where the body has the handle.
pub fn without_handles(
    function: &mut PrimFunc,
    value: fn(&Var, &Buffer) -> Expr,
) -> Result<(), RewriteError> {
    let mut values = Values(PtrMap::default());
    let mut implicit = PtrMap::default();
    for (param, buffer) in function.buffer_map.iter() {
        values.0.insert(param.object().clone(), value(param, buffer).object().clone());
        implicit.insert(param.object().clone(), Buffer::implicit_handle(&buffer.name.get()));
    }
    let new = |param: &Ref<Var>| implicit.get(param.object()).unwrap_or(param).clone();
    function.params = function.params.iter().map(new).collect();
    function.buffer_map =
        Map::new(function.buffer_map.iter().map(|(param, buffer)| (new(param), buffer.clone())));
    function.body = mutate(function.body.clone(), &mut values)?;
    Ok(())
}

/// Values by the handle that they replace.
struct Values(PtrMap<Object>);

impl Mutator for Values {
    fn enter(&mut self, node: &Object) -> Descend {
        match self.0.get(node) {
            Some(value) => Descend::Replace(value.clone()),
            None if node.is::<Buffer>() => Descend::Keep,
            None => Descend::Into,
        }
    }
}
