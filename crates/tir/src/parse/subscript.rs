//! Subscripts of buffers in scripts: [`crate::build::subscript`] on script values.

use smallvec::SmallVec;
use tvmscript_ir_core::Object;
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, ScriptValue};
use tvmscript_script_parser::Indices;

use crate::build::subscript::{Index, Subscript, subscript};
use crate::node::Buffer;

/// A load if all indices are points or a slice has a step; otherwise a region.
pub(super) fn buffer(object: &Object, indices: &Indices) -> BuildResult<ScriptValue> {
    let Some(buffer) = object.downcast_ref::<Buffer>() else {
        return Err(BuildError::expected("a buffer", object.info().key()));
    };
    let mut parts: SmallVec<[Index; 4]> = SmallVec::with_capacity(indices.items.len());
    for (position, item) in indices.items.iter().enumerate() {
        parts.push(Index::from_script(item.clone()).map_err(|e| e.at_position(position))?);
    }
    Ok(match subscript(buffer, &parts)? {
        Subscript::Load(load) => load.into(),
        Subscript::Region(region) => region.into(),
    })
}
