//! Constants whose elements the text leaves out.

use tvmscript_ir_core::containers::{Tensor, TensorNode};
use tvmscript_ir_core::{ContentHash, DataType, Ref, TensorData};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder};

use crate::constants::ConstantStore;

/// The tensor with a content hash: one of the registry's [`ConstantStore`], or one without elements if the registry has
/// none.
///
/// # Errors
/// If the text is not a hash, or the store lacks the tensor or has it with another type or shape.
pub fn elided_tensor(content_hash: &str, shape: &[i64], dtype: DataType) -> BuildResult<Tensor> {
    let hash: ContentHash = content_hash.parse().map_err(|e| BuildError::from(e).at_position(0))?;
    if shape.iter().any(|dim| *dim < 0) {
        return Err(BuildError::message("dimensions must not be negative").at_position(1));
    }
    let Some(store) = Builder::context::<ConstantStore>() else {
        return Ok(Ref::new(TensorNode { dtype, shape: shape.into(), data: TensorData::elided(hash) }));
    };
    let Some(tensor) = store.get(&hash) else {
        let message = format!("the constant `{content_hash}` is not among the {} given", store.len());
        return Err(BuildError::message(message)
            .at_position(0)
            .with_help("give the file of constants that was written with the text, or none"));
    };
    if tensor.dtype != dtype || *tensor.shape != *shape {
        let message = format!("the constant is of type `{}` and shape {:?}", tensor.dtype, tensor.shape);
        return Err(BuildError::message(message).at_position(if tensor.dtype == dtype { 1 } else { 2 }));
    }
    Ok(tensor.clone())
}
