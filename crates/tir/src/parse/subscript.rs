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
    let items = indices.items.iter().enumerate();
    let indices = items.map(|(i, item)| Index::from_script(item.clone()).map_err(|e| e.at_position(i)));
    let indices: SmallVec<[Index; 4]> = indices.collect::<BuildResult<_>>()?;
    Ok(match subscript(buffer, &indices)? {
        Subscript::Load(load) => load.into(),
        Subscript::Region(region) => region.into(),
    })
}
